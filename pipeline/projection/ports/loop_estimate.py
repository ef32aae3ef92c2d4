"""Cycles of a loop on a processor by llvm-mca, what limits it, and its time on another processor.

llvm-mca, LLVM's own simulation, is run as a subprocess. Its answer is read as JSON, and whatever is not as
expected is one error. Processors are known by name: what LLVM calls them, and what its models leave out.

That time is the measured one times the ratio of the cycles, by the clocks; `left_out_error` is how far that
is off, the scatter of ln(measured / predicted) on kernels measured in several builds.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError, nearest_hint
from ingest.record_codec import NO_ENTRY, entry
from ingest.toml_table import read_toml
from pipeline.projection.expressions.shipped_files import KINDS_OF_WORK, LEFT_OUT, PROCESSORS
from pipeline.projection.ports.assembly import Instruction, isa_of, operand_kinds, run_tool
from pipeline.projection.ports.function_loops import contradiction, elements_per_pass, packed_bits
from pipeline.projection.ports.vectorisation_report import LoopVerdict
from pipeline.wording.quantities import figure

_OLDEST = 14
_NAMES = ("llvm-mca", *(f"llvm-mca-{version}" for version in range(_OLDEST, 30)))
# what Debian 12 and Ubuntu 24.04 have, and what is right for all processors
_BEST = 19
_INSTALL = f"install LLVM (apt install llvm-{_BEST}, or module load llvm), or give --llvm-mca PATH"
_ITERATIONS = (100, 200)
_TRIPLES = {"x86-64": "x86_64", "aarch64": "aarch64"}
_PLAIN = {"x86-64": ("movq (%rax), %rbx", "movq %rbx, (%rax)"), "aarch64": ("ldr x0, [x1]", "str x0, [x1]")}
_PREFIX = re.compile(r"^(?:BW|HW|SKX|ICX|SPR|SKL|ADLP|Zn\d?|[NV]\d|A64FXIP)(?:Port|Unit)?(?=\w)")


@dataclass(frozen=True)
class Slow:
    """A unit that LLVM's model leaves out, the instruction forms that need it, and for how many cycles."""

    form: re.Pattern[str]
    unit: str
    cycles: float


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """Instruction forms that LLVM's model has wrong."""

    form: re.Pattern[str]
    before: int  # the version that has them right; 0 if none is known
    how: str


@dataclass(frozen=True, kw_only=True)
class Processor:
    """A processor core that loops can be estimated for."""

    key: str
    name: str
    isa: str
    llvm: str
    since: int  # the first version of LLVM whose model of it can be taken
    avx512: bool
    borrowed: str  # whose scheduling model LLVM uses for it; empty if it has its own
    sve: int  # bits of its vectors; 0 without SVE
    slow: tuple[Slow, ...]  # units that the model leaves out
    slow_reason: str
    wrong: tuple[Wrong, ...]
    aliases: tuple[str, ...]

    def lacks(self, instruction: Instruction) -> InputError:
        """Return the error of an instruction that the processor does not have."""
        hint = f"compile it for {self.name}, or choose another processor"
        wide = not self.avx512 and any(map(_AVX512.search, instruction.operands))
        what = f"AVX-512, which '{instruction}' needs" if wide else f"'{instruction}'"
        return InputError(f"{self.name} does not have {what}", hint=hint)


@lru_cache
def processors() -> tuple[Processor, ...]:
    """Return all known processors."""
    return tuple(
        Processor(
            key=key,
            name=entry.text("name"),
            isa=entry.text("isa"),
            llvm=entry.text("llvm"),
            since=int(entry.content.get("since", 0)),
            avx512=bool(entry.content.get("avx512", False)),
            borrowed=entry.text("borrowed", ""),
            sve=int(entry.content.get("sve", 0)),
            slow=tuple(
                Slow(re.compile(row.text("form")), row.text("unit"), float(row.content["cycles"]))
                for row in entry.tables("slow")
            ),
            slow_reason=entry.text("slow_reason", ""),
            wrong=tuple(
                Wrong(
                    form=re.compile(row.text("form")),
                    before=int(row.content.get("before", 0)),
                    how=row.text("how", ""),
                )
                for row in entry.tables("wrong")
            ),
            aliases=tuple(entry.content.get("aliases", ())),
        )
        for key, entry in read_toml(PROCESSORS).named_tables().items()
    )


def processor_named(name: str) -> Processor:
    """Return the processor of that name or alias, in whatever case; UsageError if it is not known."""
    wanted = re.sub(r"[\s_]+", "-", name.strip().lower())
    known = {alias: one for one in processors() for alias in (one.key, *one.aliases)}
    if wanted in known:
        return known[wanted]
    hint = nearest_hint(wanted, known, f"known: {', '.join(one.key for one in processors())}")
    raise UsageError(f"unknown processor '{name}'", hint=hint)


@dataclass(frozen=True)
class LlvmMca:
    """An installed llvm-mca."""

    path: Path
    version: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version in numbers."""
        return tuple(int(part) for part in self.version.split(".") if part)


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulated:
    """What llvm-mca says of a loop."""

    cycles: float  # per pass through the loop, in steady state
    micro_operations: float  # that the front end issues per pass
    dispatch: int  # micro-operations that it issues in a cycle
    units: tuple[str, ...]
    # float64[instruction, unit], cycles per pass for which each instruction occupies each
    pressure: FloatArray
    loads: frozenset[str]
    stores: frozenset[str]
    left_out: tuple[Instruction, ...]  # which instructions llvm-mca does not know; they cost nothing


@lru_cache
def find_llvm_mca(path: str | None = None) -> LlvmMca:
    """Return the newest llvm-mca on the path; UsageError if there is none, or that program is not one."""
    programs = [found for name in (_NAMES if path is None else (path,)) if (found := shutil.which(name))]
    tools = [
        LlvmMca(Path(program).absolute(), version) for program in programs if (version := _version(program))
    ]
    if tools:
        return max(tools, key=lambda tool: tool.numbers)
    if path is not None:
        raise UsageError("is not an llvm-mca that runs", where=path, hint=_INSTALL)
    raise UsageError("llvm-mca was not found", hint=_INSTALL)


def _version(program: str) -> str | None:
    try:
        done = run_tool([program, "--version"])
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"LLVM version (\d[\d.]*)", done.stdout)
    return found[1] if found else None


def require_model(tool: LlvmMca, processor: Processor) -> None:
    """Refuse a version that has no model of a processor, or a wrong one; the UsageError says which has."""
    _require_version(tool, max(processor.since, _OLDEST), processor.name)


def _require_version(tool: LlvmMca, needed: int, what_for: str) -> None:
    if tool.numbers[0] < needed:
        what = f"llvm-mca {tool.version} is too old for {what_for}, which needs {needed} or newer"
        raise UsageError(what, where=str(tool.path), hint=_INSTALL)


def require_isa(path: Path, instructions: Sequence[Instruction], there: Processor) -> None:
    """Refuse code of another instruction set than the processor's."""
    isa = isa_of(instructions)
    if isa not in (None, there.isa):
        what = f"code for {isa}, but {there.name} is {there.isa}"
        raise UsageError(what, where=str(path), hint="compile it for that processor, or choose another")


def simulate_loop(tool: LlvmMca, processor: Processor, body: Sequence[Instruction]) -> Simulated:
    """Return what llvm-mca says of a loop; InputError if it fails, or the processor lacks an instruction."""
    fewer, more = _ITERATIONS
    known = list(range(len(body)))
    first = _asked(tool, processor, body, fewer)
    if refusal := _refusal(first):
        known = _known(tool, processor, body)
        if not known:
            raise InputError(f"llvm-mca fails: {refusal}", where=str(tool.path), hint=_INSTALL)
        first = _asked(tool, processor, [body[k] for k in known], fewer)
    last = _asked(tool, processor, [body[k] for k in known], more)
    try:
        return _read(json.loads(first.stdout), json.loads(last.stdout), body, known)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        what = f"the answer of llvm-mca {tool.version} cannot be read: {error!r}"
        hint = "use LLVM 14 to 21, or move it out of the way"
        raise InputError(what, where=str(tool.path), hint=hint) from error


def _known(tool: LlvmMca, processor: Processor, body: Sequence[Instruction]) -> list[int]:
    """Return the places of the instructions that llvm-mca understands, each asked for by itself."""
    known = []
    for k, instruction in enumerate(body):
        refusal = _refusal(_asked(tool, processor, [instruction], 1))
        if refusal is None:
            known.append(k)
        elif "instruction requires" in refusal:
            raise processor.lacks(instruction)
    return known


def _asked(
    tool: LlvmMca, processor: Processor, body: Sequence[Instruction], iterations: int
) -> subprocess.CompletedProcess[str]:
    """Return what llvm-mca answers for a loop, a plain load and a plain store."""
    triple = _TRIPLES[processor.isa]
    regions = ["\n".join(map(_assembly_text, body)), *_PLAIN[processor.isa]]
    text = "".join(f"# LLVM-MCA-BEGIN\n{region}\n# LLVM-MCA-END\n" for region in regions)
    command = [str(tool.path), f"-mtriple={triple}", f"-mcpu={processor.llvm}", "--json"]
    command += ["--instruction-info=false", f"--iterations={iterations}", "-"]
    try:
        return run_tool(command, text)
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"cannot be run: {error}", where=str(tool.path), hint=_INSTALL) from error


def _refusal(done: subprocess.CompletedProcess[str]) -> str | None:
    """Return the first error, None if everything was understood; some versions go on after one."""
    said = next((line for line in done.stderr.splitlines() if re.search(r"\berror:", line)), None)
    return said or (f"exit code {done.returncode}" if done.returncode else None)


def _read(
    first: dict[str, Any], last: dict[str, Any], body: Sequence[Instruction], known: list[int]
) -> Simulated:
    """Return the figures of the loop from the answers for fewer and for more iterations."""
    summary = last["CodeRegions"][0]["SummaryView"]
    cycles = summary["TotalCycles"] - first["CodeRegions"][0]["SummaryView"]["TotalCycles"]
    names = [_PREFIX.sub("", name.split(".")[0]) for name in last["TargetInfo"]["Resources"]]
    names = [f"P{int(name)}" if name.isdigit() else name for name in names]
    loop, load, store = (_pressure(region, names) for region in last["CodeRegions"])
    used = [k for k in range(loop.shape[1]) if loop[:-1, k].any()]
    units = tuple(dict.fromkeys(names))
    pressure = np.zeros((len(body), len(used)))
    pressure[known] = loop[: len(known), used]
    return Simulated(
        cycles=cycles / (_ITERATIONS[1] - _ITERATIONS[0]),
        micro_operations=summary["TotaluOps"] / summary["Iterations"],
        dispatch=summary["DispatchWidth"],
        units=tuple(units[k] for k in used),
        pressure=pressure,
        loads=frozenset(units[k] for k in np.flatnonzero(load[0])),
        stores=frozenset(units[k] for k in np.flatnonzero(store[0])),
        left_out=tuple(each for k, each in enumerate(body) if k not in known),
    )


def _pressure(region: dict[str, Any], names: list[str]) -> FloatArray:
    """Return float64[instruction, name], the mean over units of one name; the last row is their sum."""
    units = list(dict.fromkeys(names))
    pressure = np.zeros((len(region["Instructions"]) + 1, len(units)))
    for use in region["ResourcePressureView"]["ResourcePressureInfo"]:
        name = names[use["ResourceIndex"]]
        pressure[use["InstructionIndex"], units.index(name)] += use["ResourceUsage"] / names.count(name)
    return pressure


def _assembly_text(instruction: Instruction) -> str:
    """Return an instruction as an assembler reads it; jumps go to a label outside."""
    operands = list(instruction.operands)
    if instruction.target is not None or any("<" in operand for operand in operands[-1:]):
        operands[-1] = ".Lloop"
    return str(replace(instruction, operands=tuple(operands)))


_CLOSE = 0.85  # a bound that explains less than this share of the cycles is not the limit
HARDLY_BUSY = 0.05  # of the busiest: what is below is not named
_MOST_KINDS = 3
_AS_BUSY = 0.95  # units that are busy for this share of the busiest one's cycles are as busy

_AVX512 = re.compile(r"%zmm|%k\d|%[xy]mm(1[6-9]|2\d|3[01])")


@dataclass(frozen=True, kw_only=True)
class PortWork:
    """Cycles of the busiest ports by the kind of instructions."""

    kind: str
    cycles: float


def _key(processor: Processor) -> str:
    return processor.key


@dataclass(frozen=True, kw_only=True)
class LoopEstimate:
    """What limits a loop on a processor: cycles per pass."""

    processor: Processor = field(metadata=entry(made=_key))
    source: str
    cycles: float  # in steady state, data in the first-level cache
    elements: Annotated[float | None, "elements that a pass handles, if they are known"]
    vector_bits: Annotated[int, "bits of its vector instructions; 0 if it is scalar"]
    clock: float | None  # Hz, if it is given
    bounds: Mapping[str, float]  # cycles by limit: ``ports``, the busiest of them, and ``front end``
    limit: str  # the bound that decides, or ``dependencies`` if none explains the cycles
    bottleneck: Annotated[str, "what limits it, in a sentence"]
    busiest: tuple[str, ...] = field(metadata=entry("busiest_ports"))  # ports that are busy longest
    work: tuple[PortWork, ...]  # on these ports, most first
    ports: Annotated[Mapping[str, float], "busy cycles by port"]
    micro_operations: float  # that the front end issues
    # what llvm-mca does not know, and takes to cost nothing
    unknown: Annotated[tuple[str, ...], "instructions without a known cost"]
    notes: tuple[str, ...] = field(metadata=NO_ENTRY)

    @property
    def cycles_of_element(self) -> float | None:
        """Cycles per element, if it is known how many a pass handles."""
        return self.cycles / self.elements if self.elements else None

    @property
    def nanoseconds(self) -> float | None:
        """Nanoseconds per element, or per pass if its elements are not known; None without a clock."""
        return 1e9 * self.cycles / (self.elements or 1) / self.clock if self.clock else None


def estimate_loop(
    processor: Processor,
    body: Sequence[Instruction],
    tool: LlvmMca,
    *,
    elements: float | None = None,
    clock: float | None = None,
) -> LoopEstimate:
    """Return the cycles of a loop and what limits it.

    `elements` is how many a pass handles, if its code does not tell; the clock is in Hz.
    """
    for instruction in body:
        if not processor.avx512 and any(map(_AVX512.search, instruction.operands)):
            raise processor.lacks(instruction)
    known_wrong = _known_wrong(processor, body, tool)
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
    told = elements_per_pass(processor.isa, body, processor.sve)
    return LoopEstimate(
        processor=processor,
        source=f"llvm-mca {tool.version}",
        cycles=cycles,
        elements=elements or told,
        vector_bits=packed_bits(processor.isa, body, processor.sve),
        clock=clock,
        bounds=bounds,
        limit=limit,
        bottleneck=_bottleneck_sentence(found, limit, names, work),
        busiest=names,
        work=work,
        ports={name: float(busy[k]) for k, name in enumerate(units) if busy[k] > 0},
        micro_operations=found.micro_operations,
        unknown=tuple(dict.fromkeys(map(str, found.left_out))),
        notes=(
            *_notes(processor, body, len(units) > len(found.units)),
            *known_wrong,
            *contradiction(told, elements),
        ),
    )


def _known_wrong(processor: Processor, body: Sequence[Instruction], tool: LlvmMca) -> list[str]:
    """Return what is known to be wrong with a loop's estimate; UsageError if a newer version has it right."""
    notes = []
    for wrong in processor.wrong:
        first = next((one for one in body if wrong.form.match(_form(processor, one))), None)
        if first and wrong.before:
            _require_version(tool, wrong.before, f"'{first}' on {processor.name}")
        elif first:
            notes.append(f"in LLVM's model of {processor.name}, {wrong.how}")
    return notes


def _form(processor: Processor, instruction: Instruction) -> str:
    return f"{instruction.mnemonic} {','.join(operand_kinds(processor.isa, instruction))}"


def _with_slow_units(
    processor: Processor, found: Simulated, body: Sequence[Instruction]
) -> tuple[tuple[str, ...], FloatArray]:
    """Return units and their pressure with the units that LLVM's model leaves out, if any is used."""
    units, pressure = list(found.units), found.pressure
    for k, instruction in enumerate(body):
        form = _form(processor, instruction)
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
    leading = [one for one in work[:_MOST_KINDS] if one.cycles >= HARDLY_BUSY * work[0].cycles]
    kinds = ", ".join(f"{one.kind} {figure(one.cycles)}" for one in leading)
    ports = f"{'port' if len(busiest) == 1 else 'ports'} {', '.join(busiest)}: {kinds}"
    if limit == "ports":
        return f"the bottleneck is {ports}"
    return f"the bottleneck is latency: instructions wait for results of others; the busiest is {ports}"


def _kind_of(instruction: Instruction) -> str:
    """Return in words what kind of work an instruction is."""
    name = instruction.mnemonic.split()[-1]
    return next((kind for kind, form in _kinds() if form.fullmatch(name)), "integer and addresses")


@lru_cache
def _kinds() -> list[tuple[str, re.Pattern[str]]]:
    table = read_toml(KINDS_OF_WORK).table("kinds")
    return [(kind, re.compile(table.text(kind))) for kind in table.content]


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
    """How far predictions of one kind were off."""

    spread: float  # root mean square of ln(measured / predicted)
    kernels: int  # on how many different kernels, which limits what the spread says
    source: str

    @property
    def degrees(self) -> int:
        """The degrees of freedom of Student's t."""
        return max(self.kernels - 1, 1)


@dataclass(frozen=True, kw_only=True)
class LoopTimeElsewhere:
    """The time on the other processor in seconds, with its interval."""

    document_name: ClassVar[str] = "loop_time"
    value: float
    lower: float
    upper: float
    cycle_ratio: float  # cycles there over cycles here
    clock_ratio: float  # clock here over clock there, 1 if not given


@lru_cache
def left_out_error(kind: Literal["ratio", "absolute", "fitted"]) -> LeftOutError:
    """Return the error of the ratio of cycles, of the cycles themselves, or of the fitted model."""
    return LeftOutError(**read_toml(LEFT_OUT).table(kind).content)


def time_elsewhere(seconds: float, here: LoopEstimate, there: LoopEstimate) -> LoopTimeElsewhere:
    """Return the time of a loop elsewhere with its 90 % interval; without both clocks, they are equal."""
    known = left_out_error("ratio")
    ratio = there.cycles / here.cycles
    if here.elements and there.elements:  # a longer vector of SVE does more in a pass
        ratio *= here.elements / there.elements
    clocks = here.clock / there.clock if here.clock and there.clock else 1.0
    value = seconds * ratio * clocks
    from scipy.special import stdtrit

    width = float(stdtrit(known.degrees, (1 + _LEVEL) / 2)) * known.spread
    return LoopTimeElsewhere(
        value=value,
        lower=value * float(np.exp(-width)),
        upper=value * float(np.exp(width)),
        cycle_ratio=ratio,
        clock_ratio=clocks,
    )


@dataclass(frozen=True, kw_only=True)
class LoopReport:
    """A loop and its estimates."""

    document_name: ClassVar[str] = "loop"
    number: int
    instructions: int
    depth: int  # in how many loops it lies, itself included
    remainder_of: Annotated[int, "number of the vector loop that it is the remainder of, or 0"]
    there: LoopEstimate = field(metadata=entry("on"))
    here: LoopEstimate | None = field(metadata=entry("from"))
    time: LoopTimeElsewhere | None  # on the processor asked for, if the time here is known

    @property
    def estimates(self) -> tuple[LoopEstimate, ...]:
        """Those that there are, of the processor asked for first."""
        return (self.there,) if self.here is None else (self.there, self.here)


@dataclass(frozen=True, kw_only=True)
class PortsReport:
    """What limits the loops of a function."""

    file: str
    function: str
    measured_seconds: float | None  # of the first loop here, if given
    loops: tuple[LoopReport, ...]  # innermost first by depth, then the longest
    others: Annotated[int, "how many are left out"] = field(metadata=entry("other_loops"))
    # what the compiler's report says of all loops of the function; none without a report
    compiler: tuple[LoopVerdict, ...]
    notices: tuple[str, ...]
