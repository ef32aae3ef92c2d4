"""A vector loop as a term of application files, ``model = "vector_loop"``: docs/explanations/vector-loops.md.

The MV score is read from the reports of GCC and Clang (the paper reads Cray's loopmark listings); OpenMP
directives in the source take the place of multistreaming.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ingest.errors import InputError, PipelineError, UsageError
from pipeline.projection.expressions.expression_text import Names, parse
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.expressions.toml_tables import TomlTable, read_text
from pipeline.projection.expressions.units import TIME, stated
from pipeline.projection.vector_loops.vector_loop import (
    STRATEGIES,
    Conventions,
    Values,
    VectorLoop,
    average_vector_length,
    loop_time,
    machine_values,
)

_GCC = re.compile(r"(?P<file>[^:]+):(?P<line>\d+):\d+: (?P<kind>optimized|missed):\s+(?P<message>.*)")
_CLANG_FIELD = re.compile(r"(?P<key>Pass|Name|DebugLoc): +(?P<value>.*)")
_CLANG_PLACE = re.compile(r"\{ File: '?(?P<file>.*?)'?, Line: (?P<line>\d+), Column: \d+ \}")
_OPENMP = re.compile(r"\s*(?:#\s*pragma\s+omp|[!cC*]\$omp)\b(?P<words>[^()]*)", re.IGNORECASE)
_SHARED = {"for", "do", "loop", "distribute", "taskloop"}


@dataclass(frozen=True, kw_only=True)
class LoopRecord:
    """What a report says about the loop at a line."""

    file: str
    line: int
    vectorised: bool
    streamed: bool


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
        file: name of the source file, with as much of its path as makes it unique.

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
                file=match["file"], line=int(match["line"]), vectorised=vectorised, streamed=streamed
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
        yield LoopRecord(file=place["file"], line=int(place["line"]), vectorised=vectorised, streamed=False)


def _from_source(text: str, file: str) -> Iterator[LoopRecord]:
    for number, line in enumerate(text.splitlines(), 1):
        match = _OPENMP.match(line)
        if match and _SHARED & set(match["words"].lower().split()):
            yield LoopRecord(file=file, line=number, vectorised=False, streamed=True)


@dataclass(frozen=True)
class StrategyTimes:
    """One execution of a vector loop: seconds by strategy, and as measured; None if it was not."""

    name: str
    predicted: Mapping[str, float]
    measured: float | None


def strategy_times(loop: VectorLoop, machine: Values) -> dict[str, Model]:
    """Return the time of a loop by each of the paper's strategies."""
    return {strategy: loop_time(loop, machine, Conventions(strategy)).total for strategy in STRATEGIES}


_COUNTS = {
    "vflops": "vector_flops",
    "vloads": "vector_loads",
    "vstores": "vector_stores",
    "sflops": "scalar_flops",
    "sloads": "scalar_loads",
    "sstores": "scalar_stores",
}
_CHOICES = {
    "strategy": STRATEGIES,
    "scalar_bandwidth": ("loop", "scalar"),
    "references": ("elements", "instructions"),
    "overlap": (False, True),
}
_OTHER = ("model", "mv", "report", "lines", "source", "sl", "tl", "avl", "trip", "measured", "note")
_LINES = re.compile(r"(?P<file>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")


def vector_loop_term(table: TomlTable, name: str, names: Names) -> Model:
    """Return the time of a term that states ``model = "vector_loop"``; it has no inputs.

    Args:
        names: what its expressions may use: application inputs, and the machine's values under ``mach``.

    Raises:
        InputError: a key is missing or unknown, or a report cannot be read.
        UsageError: an expression is invalid, or the machine has no bandwidth table.
    """
    table.check_keys((*_COUNTS, *_CHOICES, *_OTHER))
    try:
        machine = machine_values(names)
        loop = read_vector_loop(table, name, names, machine)
        return loop_time(loop, machine, _conventions(table)).total
    except PipelineError as error:
        if error.where.startswith(table.where):
            raise
        what = error.what if error.where in ("", name) else f"{error.where}: {error.what}"
        raise type(error)(what, where=table.where, hint=error.hint) from error


def measured_time(table: TomlTable) -> float | None:
    """Return the measured seconds of one execution that a term states, None if it states none.

    Raises:
        UsageError: it is not a positive time.
    """
    if "measured" not in table:
        return None
    wrong = "'measured' has to be a positive time", 'write it like "12.3 ms"'
    return stated(table.content["measured"], TIME, table.at("measured"), wrong, lambda value: value > 0)


def read_vector_loop(table: TomlTable, name: str, names: Names, machine: Values) -> VectorLoop:
    """Return the loop that a term describes; arguments as of `vector_loop_term`, with the machine's values.

    Raises:
        InputError, UsageError: as `vector_loop_term` does.
    """
    counts = {field: _expression(table, key, names) for key, field in _COUNTS.items() if key in table}
    length = _expression(table, "avl", names) if "avl" in table else None
    if "trip" in table:
        length = average_vector_length(_expression(table, "trip", names), machine("vector_length"))
    return VectorLoop(
        name=name,
        score=_score(table),
        spatial=_level(table, "sl"),
        temporal=_level(table, "tl"),
        **counts,
        vector_length=length,
    )


def _expression(table: TomlTable, key: str, names: Names) -> Model:
    return parse(str(table.content[key]), names, where=table.at(key))


def _level(table: TomlTable, key: str) -> int:
    level = table.content.get(key)
    if isinstance(level, bool) or level not in (0, 1, 2):
        hint = f"write {key} = 0, 1 or 2"
        raise InputError(f"'{key}' is missing or not a level", where=table.where, hint=hint)
    return int(level)


def _score(table: TomlTable) -> str:
    if "mv" in table:
        return table.text("mv")
    if "report" not in table:
        raise InputError("'mv' is missing", where=table.where, hint='write mv = "11", or report and lines')
    lines = _LINES.fullmatch(table.text("lines"))
    if lines is None:
        hint = 'write lines = "momtum.c:120-164"'
        raise InputError("'lines' has to be a file and line numbers", where=table.where, hint=hint)
    records = read_records(table.file("report"))
    if "source" in table:
        records += read_openmp(table.file("source"))
    first = int(lines["first"])
    return mv_score(records, lines["file"], first, int(lines["last"] or first))


def _conventions(table: TomlTable) -> Conventions:
    chosen: dict[str, Any] = {key: table.content[key] for key in _CHOICES if key in table}
    for key, value in chosen.items():
        if value not in _CHOICES[key]:
            choices = ", ".join(map(str, _CHOICES[key]))
            raise InputError(f"invalid {key} {value!r}", where=table.where, hint=f"choose one of {choices}")
    return Conventions(**chosen)
