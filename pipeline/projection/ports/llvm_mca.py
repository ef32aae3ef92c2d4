"""LLVM's llvm-mca as a subprocess: cycles and port pressure of a loop by LLVM's own simulation.

Its answer is read as JSON, and whatever is not as expected is one error. Processors are known by name: what
LLVM calls them, and what its scheduling models leave out.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError, nearest_hint
from ingest.toml_table import read_toml
from pipeline.projection.expressions.shipped_files import PROCESSORS
from pipeline.projection.ports.assembly import Instruction, run_tool

_OLDEST = 14
_NAMES = ("llvm-mca", *(f"llvm-mca-{version}" for version in range(_OLDEST, 30)))
_INSTALL = "install LLVM (apt install llvm, or module load llvm), or give --llvm-mca PATH"
_ITERATIONS = (100, 200)
_TRIPLES = {"x86-64": "x86_64", "aarch64": "aarch64"}
_PLAIN = {"x86-64": ("movq (%rax), %rbx", "movq %rbx, (%rax)"), "aarch64": ("ldr x0, [x1]", "str x0, [x1]")}
_PREFIX = re.compile(r"^(?:BW|HW|SKX|ICX|SPR|SKL|ADLP|Zn\d?|[NV]\d|A64FXIP)(?:Port|Unit)?(?=\w)")


@dataclass(frozen=True)
class Slow:
    """A unit that LLVM's model leaves out.

    Attributes:
        form: which instruction forms need it.
        cycles: for how long each instruction occupies it.
    """

    form: re.Pattern[str]
    unit: str
    cycles: float


@dataclass(frozen=True, kw_only=True)
class Processor:
    """A processor core that loops can be estimated for.

    Attributes:
        since: the first version of LLVM with a model of it, or that knows it.
        borrowed: whose scheduling model LLVM uses for it; empty if it has its own.
        slow: units that the model leaves out.
    """

    key: str
    name: str
    isa: str
    llvm: str
    since: int
    avx512: bool
    borrowed: str
    slow: tuple[Slow, ...]
    slow_reason: str
    aliases: tuple[str, ...]

    def lacks(self, instruction: Instruction) -> InputError:
        """Return the error of an instruction that the processor does not have."""
        hint = f"compile it for {self.name}, or choose another processor"
        return InputError(f"{self.name} does not have '{instruction}'", hint=hint)


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
            slow=tuple(
                Slow(re.compile(row.text("form")), row.text("unit"), float(row.content["cycles"]))
                for row in entry.tables("slow")
            ),
            slow_reason=entry.text("slow_reason", ""),
            aliases=tuple(entry.content.get("aliases", ())),
        )
        for key, entry in read_toml(PROCESSORS).named_tables().items()
    )


def processor_named(name: str) -> Processor:
    """Return the processor of that name or alias, in whatever case.

    Raises:
        UsageError: it is not known.
    """
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
    """What llvm-mca says of a loop.

    Attributes:
        cycles: per pass through the loop, in steady state.
        micro_operations: that the front end issues per pass.
        dispatch: micro-operations that it issues in a cycle.
        units: that are used, without the processor's prefix; several of one name are one.
        pressure: float64[instruction, unit], cycles per pass for which each instruction occupies each.
        left_out: which instructions llvm-mca does not know; they cost nothing.
    """

    cycles: float
    micro_operations: float
    dispatch: int
    units: tuple[str, ...]
    pressure: FloatArray
    loads: frozenset[str]
    stores: frozenset[str]
    left_out: tuple[Instruction, ...]


@lru_cache
def find_llvm_mca(path: str | None = None) -> LlvmMca:
    """Return the newest llvm-mca on the path.

    Raises:
        UsageError: there is none, or that program is not one.
    """
    programs = [found for name in (_NAMES if path is None else (path,)) if (found := shutil.which(name))]
    tools = [LlvmMca(Path(program), version) for program in programs if (version := _version(program))]
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
    """Refuse a version that has no model of a processor.

    Raises:
        UsageError: saying which version has.
    """
    needed = max(processor.since, _OLDEST)
    if tool.numbers[0] < needed:
        what = f"llvm-mca {tool.version} is too old for {processor.name}, which needs {needed} or newer"
        hint = f"install a newer one (apt install llvm-{needed}), or give --llvm-mca PATH"
        raise UsageError(what, where=str(tool.path), hint=hint)


def simulate_loop(tool: LlvmMca, processor: Processor, body: Sequence[Instruction]) -> Simulated:
    """Return what llvm-mca says of a loop on a processor.

    Raises:
        InputError: it fails, its answer cannot be read, or the processor does not have an instruction.
    """
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
    for entry in region["ResourcePressureView"]["ResourcePressureInfo"]:
        name = names[entry["ResourceIndex"]]
        pressure[entry["InstructionIndex"], units.index(name)] += entry["ResourceUsage"] / names.count(name)
    return pressure


def _assembly_text(instruction: Instruction) -> str:
    """Return an instruction as an assembler reads it; jumps go to a label outside."""
    operands = list(instruction.operands)
    if instruction.target is not None or any("<" in operand for operand in operands[-1:]):
        operands[-1] = ".Lloop"
    return str(replace(instruction, operands=tuple(operands)))
