"""Cycles of a loop on a processor, and what limits it: ports, front end, dependencies or the window.

The cycles are those of llvm-mca or, without it, of the small core of `simulation`. The bounds are those of
the shipped instruction table: each is what the loop would take if nothing else limited it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.errors import InputError
from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.core_simulation import Core, steady_cycles, steps_of
from pipeline.projection.ports.dependencies import Latency, access_of, dependency_bound
from pipeline.projection.ports.instruction_form import form_of
from pipeline.projection.ports.llvm_mca import LlvmMca, Simulated, simulate_loop
from pipeline.projection.ports.processors import (
    Cost,
    InstructionTable,
    Processor,
    instruction_table,
    processors,
)
from pipeline.projection.ports.schedule import overlapping_unions

Group = tuple[str, ...]

LIMITS = ("ports", "front end", "dependencies", "window")
_CLOSE = 0.85
"""A bound that explains less than this share of the cycles is not the limit."""

_KINDS = (
    ("division and square root", r"v?(div|sqrt)\w*|i?div[bwlq]?|[us]div|f(div|divr|sqrt)"),
    ("fused multiply-add", r"vfn?m\w+|f?n?m(la|ls|add|sub|ad|sb)"),
    ("multiplication", r"v?mul[sp]\w|f?n?mul\w*|i?mul\w?|v?pmul\w+"),
    ("comparison", r"v?(max|min|cmp\w*)[sp][sd]|v?u?comis\w|f(max|min|cm)\w+|v?p(cmp|max|min)\w+"),
    ("conversion", r"v?cvt\w+|[su]cvtf|fcvt\w+"),
    ("gather and scatter", r"vp?(gather|scatter)\w+"),
    (
        "shuffle",
        r"v?(unpck|shuf|perm|insert|extract|movddup|mov[hl]p|mov(hl|lh)|broadcast|align|pack|punpck|compress|expand)\w*"
        r"|v?p(shuf|unpck|insr|extr|broadcast|align|ack|mov[sz]x)\w*|(zip|uzp|trn)\d|ext|tbl|dup|ins|rev\d*|[su]mov",
    ),
    ("addition", r"v?(add|sub|addsub|hadd)[sp]\w|f(add|sub|addp|abd|neg|abs)\w*|faddv|fadda"),
    ("branch", r"j\w+|b|b\.\w+|cbn?z|tbn?z|b(eq|ne|cs|hs|cc|lo|mi|pl|hi|ls|ge|lt|gt|le)"),
    ("predicate", r"while\w+|ptrue|ptest|k\w+|punpk\w+|cnt\w|inc\w|brk\w+"),
    (
        "vector logic and moves",
        r"v\w+|[pm]ov\w*p\w|(and|andn|or|xor)p[sd]|p(and|or|xor|sl|sr|add|sub)\w*|sel|bsl|bit|bif|movprfx",
    ),
)


@dataclass(frozen=True, kw_only=True)
class LoopEstimate:
    """Cycles of a loop on a processor, per pass through it.

    Attributes:
        processor: the core.
        source: where the cycles are from.
        cycles: in steady state, data in the first-level cache.
        ports: cycles for which each port is busy.
        bounds: cycles by limit: ``ports``, ``front end``, ``dependencies``.
        limit: which of `LIMITS` decides.
        busiest: ports that decide among the ports.
        work: kinds of work on these ports and their cycles, most first.
        micro_operations: that the front end issues.
        unknown: instructions without a cost, which count as one micro-operation without ports.
        notes: what is doubtful, in sentences.
    """

    processor: Processor
    source: str
    cycles: float
    ports: Mapping[str, float]
    bounds: Mapping[str, float]
    limit: str
    busiest: tuple[str, ...]
    work: tuple[tuple[str, float], ...]
    micro_operations: float
    unknown: tuple[str, ...]
    notes: tuple[str, ...]


def estimate_loop(processor: Processor, body: Sequence[Instruction], tool: LlvmMca | None) -> LoopEstimate:
    """Return the cycles of a loop and what limits it.

    Args:
        processor: the core.
        body: the instructions of the loop.
        tool: the llvm-mca to ask; the shipped table answers without it.

    Raises:
        InputError: the processor does not have the instructions, or llvm-mca fails.
    """
    plain = processor.table
    stated = [plain.cost(instruction) for instruction in body]
    _require_instructions(processor, body, stated)
    table, costs = _with_slow_units(processor, plain, body, stated)
    late = table.isa == "x86-64"
    latencies = [
        Latency(c.late_latency if late else c.latency, c.latency, c.late_latency)
        if c
        else Latency(1.0, 1.0, 1.0)
        for c in costs
    ]
    accesses = [access_of(table.isa, instruction) for instruction in body]
    bound, busiest = port_bound(table, _group_cycles(costs))
    bounds = {
        "ports": bound,
        "front end": sum(c.micro_operations if c else 1.0 for c in costs) / table.dispatch,
        "dependencies": dependency_bound(table.isa, body, latencies),
    }
    core = Core(table, steps_of(table, costs, accesses, latencies))
    cycles = steady_cycles(core)
    ports = core.pressure(cycles)
    unknown = [_text(i) for i, c in zip(body, costs, strict=True) if c is None]
    source = f"shipped table (llvm-mca {table.llvm})"
    if tool is not None:
        answer = simulate_loop(tool, processor, body)
        cycles = max(cycles, answer.cycles) if table is not plain else answer.cycles
        ports = _named_pressure(answer) | {
            name: ports[name] for name in table.units if name not in plain.units
        }
        unknown, source = list(answer.left_out), f"llvm-mca {tool.version}"
    return LoopEstimate(
        processor=processor,
        source=source,
        cycles=cycles,
        ports=ports,
        bounds=bounds,
        limit=_limit(cycles, bounds),
        busiest=busiest,
        work=_work(table, body, costs, busiest),
        micro_operations=bounds["front end"] * table.dispatch,
        unknown=tuple(dict.fromkeys(unknown)),
        notes=tuple(_notes(processor, body, table is not plain)),
    )


def _limit(cycles: float, bounds: Mapping[str, float]) -> str:
    highest = max(bounds, key=bounds.__getitem__)
    return highest if bounds[highest] >= _CLOSE * cycles else "window"


def _require_instructions(
    processor: Processor, body: Sequence[Instruction], costs: Sequence[Cost | None]
) -> None:
    """Refuse a loop with instructions that other processors of the instruction set have."""
    missing = [i for i, cost in zip(body, costs, strict=True) if cost is None]
    others = {one.model for one in processors() if one.isa == processor.isa and one.model != processor.model}
    for instruction in missing:
        if any((table := instruction_table(name)) and table.cost(instruction) for name in others):
            hint = f"compile it for {processor.name}, or choose another processor"
            raise InputError(f"{processor.name} does not have '{_text(instruction)}'", hint=hint)


def _group_cycles(costs: Sequence[Cost | None]) -> dict[Group, float]:
    found: dict[Group, float] = {}
    for cost in costs:
        for group, cycles in cost.units if cost else ():
            found[group] = found.get(group, 0.0) + cycles
    return found


def port_bound(table: InstructionTable, groups: Mapping[Group, float]) -> tuple[float, Group]:
    """Return the fewest cycles in which the units can do the work, and the units that need them.

    It is the closed form of `schedule`, over unions of overlapping groups; units may exist several times.

    Args:
        table: how many units there are.
        groups: cycles of work by the group of units that may do it.
    """
    best: tuple[float, int, list[str]] = (0.0, 0, [])
    for chosen in overlapping_unions({frozenset(group) for group in groups}, table.model):
        inside = sum(cycles for group, cycles in groups.items() if chosen.issuperset(group))
        needed = inside / sum(table.units[unit] for unit in chosen)
        best = max(best, (round(needed, 9), -len(chosen), sorted(chosen)))
    order = list(table.units)
    return best[0], tuple(sorted(best[2], key=order.index))


def _with_slow_units(
    processor: Processor, table: InstructionTable, body: Sequence[Instruction], costs: Sequence[Cost | None]
) -> tuple[InstructionTable, list[Cost | None]]:
    """Return table and costs with the units that LLVM's model leaves out; the same table if none is used."""
    units = dict(table.units)
    slower: list[Cost | None] = []
    for instruction, cost in zip(body, costs, strict=True):
        form = form_of(processor.isa, instruction)
        slow = next((one for one in processor.slow if one.form.match(form)), None)
        if slow is None or cost is None:
            slower.append(cost)
            continue
        units[slow.unit] = 1
        slower.append(replace(cost, units=(*cost.units, ((slow.unit,), slow.cycles))))
    return (replace(table, units=units) if len(units) > len(table.units) else table), slower


def _named_pressure(answer: Simulated) -> dict[str, float]:
    """Return the pressure by port, without the processor's prefix and without idle ports."""
    prefix = re.compile(r"^(?:BW|HW|SKX|ICX|SPR|SKL|ADLP|Zn\d?|[NV]\d|A64FXIP)(?:Port|Unit)?(?=\w)")
    found: dict[str, list[float]] = {}
    for name, cycles in zip(answer.ports, answer.pressure.tolist(), strict=True):
        short = prefix.sub("", name.split(".")[0])
        found.setdefault(f"P{int(short)}" if short.isdigit() else short, []).append(cycles)
    return {name: sum(each) / len(each) for name, each in found.items() if sum(each) > 0}


def _work(
    table: InstructionTable,
    body: Sequence[Instruction],
    costs: Sequence[Cost | None],
    busiest: Group,
) -> tuple[tuple[str, float], ...]:
    """Return what the busiest ports do: kinds of work and their cycles, most first."""
    loads, stores = _memory_units(table)
    found: dict[str, float] = {}
    for instruction, cost in zip(body, costs, strict=True):
        for group, cycles in cost.units if cost else ():
            if set(group) <= set(busiest):
                kind = (
                    "loads"
                    if set(group) <= loads
                    else "stores"
                    if set(group) <= stores
                    else kind_of(instruction)
                )
                found[kind] = found.get(kind, 0.0) + cycles
    return tuple(sorted(found.items(), key=lambda entry: -entry[1]))


def _memory_units(table: InstructionTable) -> tuple[set[str], set[str]]:
    """Return the units of plain loads, and those that plain stores need."""
    arm = table.isa == "aarch64"
    load = table.costs["ldr x,[x]" if arm else "movq m,q"]
    store = table.costs["str x,[x]" if arm else "movq q,m"]
    loads, stores = ({unit for group, _ in cost.units for unit in group} for cost in (load, store))
    return loads, stores | loads


def kind_of(instruction: Instruction) -> str:
    """Return in words what kind of work an instruction is."""
    name = instruction.mnemonic.split()[-1]
    return next((kind for kind, pattern in _KINDS if re.fullmatch(pattern, name)), "integer and addresses")


def _notes(processor: Processor, body: Sequence[Instruction], slow: bool) -> list[str]:
    notes = []
    if processor.borrowed:
        notes.append(f"LLVM has no model of {processor.name}; it uses that of {processor.borrowed}")
    if slow:
        notes.append(processor.slow_reason)
    calls = [i.operands[-1] for i in body if re.match(r"(call\w?|blr?)$", i.mnemonic) and i.operands]
    if calls:
        notes.append(f"the time in called functions is not included: {', '.join(dict.fromkeys(calls))}")
    return notes


def _text(instruction: Instruction) -> str:
    return f"{instruction.mnemonic} {', '.join(instruction.operands)}".strip()
