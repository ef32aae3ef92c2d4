"""Cycles of a loop on a processor by llvm-mca, what limits it, and its time on another processor.

That time is the measured one times the ratio of the cycles, by the clocks; `left_out_error` is how far that
is off, the scatter of ln(measured / predicted) on kernels measured in several builds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np

from ingest.arrays import FloatArray
from ingest.record_codec import NO_ENTRY, entry
from ingest.toml_table import read_toml
from pipeline.projection.expressions.shipped_files import LEFT_OUT
from pipeline.projection.ports.assembly import Instruction, operand_kinds
from pipeline.projection.ports.llvm_mca import LlvmMca, Processor, Simulated, simulate_loop
from pipeline.wording.quantities import figure

_CLOSE = 0.85  # a bound that explains less than this share of the cycles is not the limit
IDLE = 0.05  # of the busiest: what is below is not named
_MOST_KINDS = 3
_AS_BUSY = 0.95  # units that are busy for this share of the busiest one's cycles are as busy

_AVX512 = re.compile(r"%zmm|%k\d|%[xy]mm(1[6-9]|2\d|3[01])")

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
class PortWork:
    """Cycles of the busiest ports by the kind of instructions."""

    kind: str
    cycles: float


def _key(processor: Processor) -> str:
    return processor.key


@dataclass(frozen=True, kw_only=True)
class LoopEstimate:
    """What limits a loop on a processor: cycles per pass.

    Attributes:
        cycles: in steady state, data in the first-level cache.
        bounds: cycles by limit: ``ports``, the busiest of them, and ``front end``.
        limit: the bound that decides, or ``dependencies`` if none explains the cycles.
        busiest: ports that are busy longest.
        work: on these ports, most first.
        micro_operations: that the front end issues.
        unknown: what llvm-mca does not know, and takes to cost nothing.
    """

    processor: Processor = field(metadata=entry(made=_key))
    source: str
    cycles: float
    bounds: Mapping[str, float]
    limit: str
    bottleneck: Annotated[str, "what limits it, in a sentence"]
    busiest: tuple[str, ...] = field(metadata=entry("busiest_ports"))
    work: tuple[PortWork, ...]
    ports: Annotated[Mapping[str, float], "busy cycles by port"]
    micro_operations: float
    unknown: Annotated[tuple[str, ...], "instructions without a known cost"]
    notes: tuple[str, ...] = field(metadata=NO_ENTRY)


def estimate_loop(processor: Processor, body: Sequence[Instruction], tool: LlvmMca) -> LoopEstimate:
    """Return the cycles of a loop and what limits it.

    Raises:
        InputError: the processor does not have an instruction, or llvm-mca fails.
    """
    for instruction in body:
        if not processor.avx512 and any(map(_AVX512.search, instruction.operands)):
            raise processor.lacks(instruction)
    found = simulate_loop(tool, processor, body)
    units, pressure = _with_slow_units(processor, found, body)
    busy = pressure.sum(axis=0)
    highest = float(busy.max(initial=0.0))
    busiest = [k for k, cycles in enumerate(busy) if cycles > 0 and cycles >= _AS_BUSY * highest]
    cycles = max(found.cycles, highest) if len(units) > len(found.units) else found.cycles
    bounds = {"ports": min(highest, cycles), "front end": found.micro_operations / found.dispatch}
    most = max(bounds, key=bounds.__getitem__)
    limit = most if bounds[most] >= _CLOSE * cycles else "dependencies"
    names, work = tuple(units[k] for k in busiest), _work(found, body, units, pressure, busiest)
    return LoopEstimate(
        processor=processor,
        source=f"llvm-mca {tool.version}",
        cycles=cycles,
        bounds=bounds,
        limit=limit,
        bottleneck=_bottleneck_sentence(found, limit, names, work),
        busiest=names,
        work=work,
        ports={name: float(busy[k]) for k, name in enumerate(units) if busy[k] > 0},
        micro_operations=found.micro_operations,
        unknown=tuple(dict.fromkeys(map(str, found.left_out))),
        notes=tuple(_notes(processor, body, len(units) > len(found.units))),
    )


def _with_slow_units(
    processor: Processor, found: Simulated, body: Sequence[Instruction]
) -> tuple[tuple[str, ...], FloatArray]:
    """Return units and their pressure with the units that LLVM's model leaves out, if any is used."""
    units, pressure = list(found.units), found.pressure
    for k, instruction in enumerate(body):
        form = f"{instruction.mnemonic} {','.join(operand_kinds(processor.isa, instruction))}"
        slow = next((one for one in processor.slow if one.form.match(form)), None)
        if slow is None:
            continue
        if slow.unit not in units:
            units.append(slow.unit)
            pressure = np.pad(pressure, ((0, 0), (0, 1)))
        pressure[k, units.index(slow.unit)] = slow.cycles
    return tuple(units), pressure


def _work(
    found: Simulated,
    body: Sequence[Instruction],
    units: Sequence[str],
    pressure: FloatArray,
    busiest: Sequence[int],
) -> tuple[PortWork, ...]:
    """Return what the busiest units do, most first."""
    work: dict[str, float] = {}
    for unit in busiest:
        moves = "loads" if units[unit] in found.loads else "stores" if units[unit] in found.stores else ""
        for k in np.flatnonzero(pressure[:, unit]).tolist():
            kind = moves or _kind_of(body[k])
            work[kind] = work.get(kind, 0.0) + float(pressure[k, unit])
    ordered = sorted(work.items(), key=lambda entry: -entry[1])
    return tuple(PortWork(kind=kind, cycles=cycles) for kind, cycles in ordered)


def _bottleneck_sentence(
    found: Simulated, limit: str, busiest: Sequence[str], work: Sequence[PortWork]
) -> str:
    """Say what limits a loop."""
    if limit == "front end":
        many = figure(found.micro_operations)
        return f"the bottleneck is the front end: {many} micro-operations, {found.dispatch} a cycle"
    leading = [one for one in work[:_MOST_KINDS] if one.cycles >= IDLE * work[0].cycles]
    kinds = ", ".join(f"{one.kind} {figure(one.cycles)}" for one in leading)
    ports = f"{'port' if len(busiest) == 1 else 'ports'} {', '.join(busiest)}: {kinds}"
    if limit == "ports":
        return f"the bottleneck is {ports}"
    return f"the bottleneck is latency: instructions wait for results of others; the busiest is {ports}"


def _kind_of(instruction: Instruction) -> str:
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


_LEVEL = 0.9


@dataclass(frozen=True, kw_only=True)
class LeftOutError:
    """How far predictions by the ratio of cycles were off.

    Attributes:
        spread: root mean square of ln(measured / predicted).
        fitted_spread: the same of the fitted contention model.
        kernels: on how many different kernels, which limits what the spread tells.
    """

    spread: float
    fitted_spread: float
    pairs: int
    kernels: int
    source: str


@dataclass(frozen=True, kw_only=True)
class LoopTimeElsewhere:
    """The time on the other processor in seconds, with its interval.

    Attributes:
        cycle_ratio: cycles there over cycles here.
        clock_ratio: clock here over clock there, 1 if not given.
    """

    document_name: ClassVar[str] = "loop_time"
    value: float
    lower: float
    upper: float
    cycle_ratio: float
    clock_ratio: float


@lru_cache
def left_out_error() -> LeftOutError:
    """Return the error of the method on the kernels that were measured for it."""
    return LeftOutError(**read_toml(LEFT_OUT).content)


def time_elsewhere(
    seconds: float, cycles_here: float, cycles_there: float, clocks: float
) -> LoopTimeElsewhere:
    """Return the time of a loop on another processor with its 90 % interval."""
    known = left_out_error()
    ratio = cycles_there / cycles_here
    value = seconds * ratio * clocks
    from scipy.special import stdtrit

    width = float(stdtrit(max(known.kernels - 1, 1), (1 + _LEVEL) / 2)) * known.spread
    return LoopTimeElsewhere(
        value=value,
        lower=value * float(np.exp(-width)),
        upper=value * float(np.exp(width)),
        cycle_ratio=ratio,
        clock_ratio=clocks,
    )


@dataclass(frozen=True, kw_only=True)
class LoopReport:
    """A loop and its estimates.

    Attributes:
        depth: in how many loops it lies, itself included.
        time: on the processor asked for, if the time here is known.
    """

    document_name: ClassVar[str] = "loop"
    number: int
    instructions: int
    depth: int
    there: LoopEstimate = field(metadata=entry("on"))
    here: LoopEstimate | None = field(metadata=entry("from"))
    time: LoopTimeElsewhere | None

    @property
    def estimates(self) -> tuple[LoopEstimate, ...]:
        """Those that there are, of the processor asked for first."""
        return (self.there,) if self.here is None else (self.there, self.here)


@dataclass(frozen=True, kw_only=True)
class PortsReport:
    """What limits the loops of a function.

    Attributes:
        measured_seconds: of the first loop here, if given.
        loops: innermost first by depth, then the longest.
    """

    file: str
    function: str
    measured_seconds: float | None
    loops: tuple[LoopReport, ...]
    others: Annotated[int, "how many are left out"] = field(metadata=entry("other_loops"))
    notices: tuple[str, ...]
