"""Cycles of a loop on a processor by llvm-mca, what limits it, and its time on another processor.

That time is the measured one times the ratio of the cycles, by the clocks; `left_out_error` is how far that
is off, the scatter of ln(measured / predicted) on kernels measured in several builds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.toml_table import read_toml
from pipeline.projection.expressions.shipped_files import LEFT_OUT
from pipeline.projection.ports.assembly import Instruction, operand_kinds
from pipeline.projection.ports.llvm_mca import LlvmMca, Processor, Simulated, simulate_loop

_CLOSE = 0.85  # a bound that explains less than this share of the cycles is not the limit
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
class LoopEstimate:
    """Cycles of a loop on a processor, per pass through it.

    Attributes:
        cycles: in steady state, data in the first-level cache.
        ports: cycles for which each port is busy.
        bounds: cycles by limit: ``ports``, the busiest of them, and ``front end``.
        limit: the bound that decides, or ``dependencies`` if none explains the cycles.
        busiest: ports that are busy longest.
        work: kinds of work on these ports and their cycles, most first.
        micro_operations: that the front end issues.
        dispatch: micro-operations that it issues in a cycle.
        unknown: instructions that llvm-mca does not know, which cost nothing.
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
    dispatch: int
    unknown: tuple[str, ...]
    notes: tuple[str, ...]


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
    limit = max(bounds, key=bounds.__getitem__)
    return LoopEstimate(
        processor=processor,
        source=f"llvm-mca {tool.version}",
        cycles=cycles,
        ports={name: float(busy[k]) for k, name in enumerate(units) if busy[k] > 0},
        bounds=bounds,
        limit=limit if bounds[limit] >= _CLOSE * cycles else "dependencies",
        busiest=tuple(units[k] for k in busiest),
        work=_work(found, body, units, pressure, busiest),
        micro_operations=found.micro_operations,
        dispatch=found.dispatch,
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
) -> tuple[tuple[str, float], ...]:
    """Return what the busiest units do: kinds of work and their cycles, most first."""
    work: dict[str, float] = {}
    for unit in busiest:
        moves = "loads" if units[unit] in found.loads else "stores" if units[unit] in found.stores else ""
        for k in np.flatnonzero(pressure[:, unit]).tolist():
            kind = moves or _kind_of(body[k])
            work[kind] = work.get(kind, 0.0) + float(pressure[k, unit])
    return tuple(sorted(work.items(), key=lambda entry: -entry[1]))


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
    """A time on another processor.

    Attributes:
        value: seconds.
        ratio: cycles there over cycles here.
        clocks: clock here over clock there, 1 if not given.
    """

    value: float
    lower: float
    upper: float
    ratio: float
    clocks: float


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
        ratio=ratio,
        clocks=clocks,
    )


@dataclass(frozen=True, kw_only=True)
class LoopReport:
    """A loop and its estimates.

    Attributes:
        depth: in how many loops it lies, itself included.
        time: on the processor asked for, if the time here is known.
    """

    number: int
    instructions: int
    depth: int
    there: LoopEstimate
    here: LoopEstimate | None = None
    time: LoopTimeElsewhere | None = None


@dataclass(frozen=True, kw_only=True)
class PortsReport:
    """The loops of a function.

    Attributes:
        loops: innermost first by depth, then the longest.
        others: how many more innermost loops the function has.
        seconds: the measured time of the first loop here, if given.
    """

    path: Path
    function: str
    loops: tuple[LoopReport, ...]
    others: int
    seconds: float | None
    notices: tuple[str, ...]
