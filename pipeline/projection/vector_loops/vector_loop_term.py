"""A vector loop as a term of application files.

    [terms.loop14]
    model = "vector_loop"
    mv = "11"                       or, from a compiler's report:
    report = "build.log"
    lines = "momtum.c:120-164"
    sl = 1                          levels of spatial and temporal locality
    tl = 2
    vflops = "12 * i * j * k"       operations of one execution in the application's inputs: vflops,
    vloads = "5 * i * j * k"        vloads, vstores, sflops, sloads, sstores
    avl = 32                        average vector length, or the trip count that gives it:
    trip = "i"
    strategy = "pred"               or pred_novl, pred_lb, pred_hb; docs/explanations/ has the other choices
    measured = "12.3 ms"            time of one execution, to compare the strategies with

The term is called without arguments and gives seconds on the machine: ``steps * loop14()``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingest.errors import InputError, PipelineError
from pipeline.projection.expressions.parse import Names, parse
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.expressions.toml_tables import TomlTable
from pipeline.projection.expressions.units import TIME, stated
from pipeline.projection.vector_loops.compiler_reports import mv_score, read_openmp, read_records
from pipeline.projection.vector_loops.vector_loop import (
    STRATEGIES,
    Conventions,
    Values,
    VectorLoop,
    average_vector_length,
    loop_time,
    machine_values,
)


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
        table: the term's table.
        name: what the term is called.
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
