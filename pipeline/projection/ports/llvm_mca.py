"""LLVM's llvm-mca as a subprocess: cycles and port pressure of a loop by LLVM's own simulation.

It is not needed: the shipped instruction tables hold what it states of single instructions. Its answer is
read as JSON, and whatever is not as expected is one error.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError
from pipeline.projection.ports.assembly import Instruction
from pipeline.projection.ports.processors import Processor

NAMES = ("llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca")
_WRONG = (KeyError, TypeError, ValueError, IndexError)
INSTALL = "install LLVM 19 or newer (Debian and Ubuntu: apt install llvm-19), or give --llvm-mca PATH"
_OLDEST = 16
_SKIPPING = 19  # the first version that can leave out what it does not know
_ITERATIONS = (100, 200)
_SECONDS = 120
_TRIPLES = {"x86-64": "x86_64", "aarch64": "aarch64"}


@dataclass(frozen=True)
class LlvmMca:
    """An installed llvm-mca.

    Attributes:
        path: the program.
        version: such as ``19.1.7``.
    """

    path: Path
    version: str

    @property
    def major(self) -> int:
        """The first number of the version."""
        return int(self.version.split(".")[0])


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulated:
    """What llvm-mca says of a loop.

    Attributes:
        cycles: per pass through the loop, in steady state.
        ports: names of the units as LLVM has them.
        pressure: float64[port], cycles for which each is busy per pass.
        left_out: instructions that it does not know.
    """

    cycles: float
    ports: tuple[str, ...]
    pressure: FloatArray
    left_out: tuple[str, ...]


@lru_cache
def find_llvm_mca(path: str | None = None) -> LlvmMca | None:
    """Return the newest llvm-mca on the path, None if there is none.

    Args:
        path: the program to use instead.

    Raises:
        UsageError: that program is not an llvm-mca.
    """
    names = NAMES if path is None else (path,)
    for name in names:
        found = shutil.which(name)
        if found and (version := _version(found)):
            return LlvmMca(Path(found), version)
    if path is not None:
        raise UsageError("is not an llvm-mca that runs", where=path, hint=INSTALL)
    return None


def _version(program: str) -> str | None:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"LLVM version (\d[\d.]*)", done.stdout)
    return found[1] if found else None


def too_old(tool: LlvmMca, processor: Processor) -> str | None:
    """Return in a sentence why this version cannot answer for a processor, None if it can."""
    needed = max(processor.since, _OLDEST)
    if tool.major >= needed:
        return None
    return f"llvm-mca {tool.version} is too old for {processor.name}, which needs {needed} or newer"


def simulate_loop(tool: LlvmMca, processor: Processor, body: Sequence[Instruction]) -> Simulated:
    """Return what llvm-mca says of a loop on a processor.

    Raises:
        InputError: it fails, or its answer cannot be read.
    """
    text = "\n".join([*map(assembly_text, body), ""])
    answers = [_answer(tool, processor, text, iterations) for iterations in _ITERATIONS]
    try:
        regions = [answer["CodeRegions"][0] for answer, _ in answers]
        first, last = (region["SummaryView"]["TotalCycles"] for region in regions)
        ports = tuple(str(name) for name in answers[-1][0]["TargetInfo"]["Resources"])
        pressure = np.zeros(len(ports))
        whole = len(regions[-1]["Instructions"])
        for entry in regions[-1]["ResourcePressureView"]["ResourcePressureInfo"]:
            if entry["InstructionIndex"] == whole:
                pressure[entry["ResourceIndex"]] += entry["ResourceUsage"]
        cycles = (float(last) - float(first)) / (_ITERATIONS[1] - _ITERATIONS[0])
    except _WRONG as error:
        raise _unreadable(tool, error) from error
    return Simulated(cycles=cycles, ports=ports, pressure=pressure, left_out=answers[-1][1])


def _answer(
    tool: LlvmMca, processor: Processor, text: str, iterations: int
) -> tuple[dict[str, Any], tuple[str, ...]]:
    command = [str(tool.path), f"-mtriple={_TRIPLES[processor.isa]}", f"-mcpu={processor.llvm}", "--json"]
    command += [f"--iterations={iterations}"]
    if tool.major >= _SKIPPING:
        command.append("--skip-unsupported-instructions=any")
    try:
        done = subprocess.run(
            [*command, "-"], input=text, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"cannot be run: {error}", where=str(tool.path), hint=INSTALL) from error
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if "error" in line), "no reason given")
        raise InputError(f"llvm-mca fails: {said.strip()}", where=str(tool.path), hint=INSTALL)
    left_out = re.findall(r"^note: instruction: \t(.*)$", done.stderr, re.M)
    lines = text.splitlines()
    wrong = dict.fromkeys(int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: error", done.stderr, re.M))
    left_out += [lines[n - 1] for n in wrong if 0 < n <= len(lines)]
    try:
        return json.loads(done.stdout), tuple(
            dict.fromkeys(line.replace("\t", " ").strip() for line in left_out)
        )
    except ValueError as error:
        raise _unreadable(tool, error) from error


def _unreadable(tool: LlvmMca, error: Exception) -> InputError:
    what = f"the answer of llvm-mca {tool.version} cannot be read: {error!r}"
    return InputError(what, where=str(tool.path), hint="use LLVM 19 to 21, or move it out of the way")


def assembly_text(instruction: Instruction) -> str:
    """Return an instruction as an assembler reads it; jumps go to a label outside."""
    operands = list(instruction.operands)
    if instruction.target is not None or any("<" in operand for operand in operands[-1:]):
        operands[-1] = ".Lloop"
    return f"{instruction.mnemonic} {', '.join(operands)}".strip()
