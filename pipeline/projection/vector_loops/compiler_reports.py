"""The MV score of a loop from the compiler's report.

The paper reads Cray's loopmark listings. This reads what GCC writes with
``-fopt-info-loop-vec-optimized-missed`` (or ``-fopt-info-all``), what Clang writes with
``-fsave-optimization-record``, and OpenMP directives in the source, which take the place of multistreaming.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.toml_tables import read_text

_GCC = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):\d+: (?P<kind>optimized|missed):\s+(?P<message>.*)")
_CLANG_FIELD = re.compile(r"(?P<key>Pass|Name|DebugLoc): +(?P<value>.*)")
_CLANG_PLACE = re.compile(r"\{ File: '?(?P<file>.*?)'?, Line: (?P<line>\d+), Column: \d+ \}")
_OPENMP = re.compile(r"\s*(?:#\s*pragma\s+omp|[!cC*]\$omp)\b(?P<words>[^()]*)", re.IGNORECASE)
_SHARED = {"for", "do", "loop", "distribute", "taskloop"}


@dataclass(frozen=True, kw_only=True)
class LoopRecord:
    """What a report says about the loop at a line.

    Attributes:
        file: the source file as the report names it.
        line: of the loop.
        vectorised: whether it says that the loop was vectorised.
        streamed: whether it says that the loop is shared among threads.
        message: the compiler's words.
    """

    file: str
    line: int
    vectorised: bool
    streamed: bool
    message: str


def read_records(path: Path) -> tuple[LoopRecord, ...]:
    """Return what a compiler's report says about loops.

    Raises:
        InputError: the file cannot be read or says nothing about loops.
    """
    text = read_text(path)
    records = tuple(_from_clang(text) if text.lstrip().startswith("--- !") else _from_gcc(text))
    if not records:
        hint = "compile with -fopt-info-loop-vec-optimized-missed (GCC) or -fsave-optimization-record (Clang)"
        raise InputError("nothing about loops in this report", where=str(path), hint=hint)
    return records


def read_openmp(path: Path) -> tuple[LoopRecord, ...]:
    """Return the loops that OpenMP directives in a source file share among threads.

    Raises:
        InputError: the file cannot be read.
    """
    return tuple(_from_source(read_text(path), path.name))


def mv_score(records: Iterable[LoopRecord], file: str, first: int, last: int) -> str:
    """Return the MV score of a loop nest: its lines hold a shared loop, a vectorised loop, or both.

    Args:
        records: of its file and others.
        file: name of the source file, with as much of its path as makes it unique.
        first: first line of the nest.
        last: last line of the nest.

    Raises:
        UsageError: the records say nothing about these lines.
    """
    wanted = PurePosixPath(file).parts
    here = [r for r in records if first <= r.line <= last and _same_file(r.file, wanted)]
    if not here:
        what = f"no loop is reported in lines {first} to {last}"
        raise UsageError(what, where=file, hint="check the lines")
    return f"{int(any(r.streamed for r in here))}{int(any(r.vectorised for r in here))}"


def _same_file(named: str, wanted: tuple[str, ...]) -> bool:
    return PurePosixPath(named).parts[-len(wanted) :] == wanted


def _from_gcc(text: str) -> Iterator[LoopRecord]:
    for line in text.splitlines():
        match = _GCC.fullmatch(line)
        if match is None:
            continue
        message, done = match["message"], match["kind"] == "optimized"
        vectorised = done and message.startswith("loop vectorized using")
        streamed = done and message.startswith("parallelizing")
        if vectorised or streamed or message.startswith("couldn't vectorize loop"):
            yield LoopRecord(
                file=match["file"],
                line=int(match["line"]),
                vectorised=vectorised,
                streamed=streamed,
                message=message,
            )


def _from_clang(text: str) -> Iterator[LoopRecord]:
    for block in re.split(r"^--- !", text, flags=re.MULTILINE)[1:]:
        kind, _, rest = block.partition("\n")
        fields = {m["key"]: m["value"].strip() for m in map(_CLANG_FIELD.fullmatch, rest.splitlines()) if m}
        place = _CLANG_PLACE.fullmatch(fields.get("DebugLoc", ""))
        if (
            place is None
            or fields.get("Pass") != "loop-vectorize"
            or kind.strip() not in ("Passed", "Missed")
        ):
            continue
        vectorised = kind.strip() == "Passed" and fields.get("Name") == "Vectorized"
        yield LoopRecord(
            file=place["file"],
            line=int(place["line"]),
            vectorised=vectorised,
            streamed=False,
            message=fields.get("Name", ""),
        )


def _from_source(text: str, file: str) -> Iterator[LoopRecord]:
    for number, line in enumerate(text.splitlines(), 1):
        match = _OPENMP.match(line)
        if match and _SHARED & set(match["words"].lower().split()):
            yield LoopRecord(file=file, line=number, vectorised=False, streamed=True, message=line.strip())
