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
    avl = 32                        average vector length, or the trip count that makes it:
    trip = "i"
    strategy = "pred"               pred_novl, pred_lb, pred_hb; see docs/vector-loops.md for other choices

The term is called without arguments and gives seconds on the machine: ``steps * loop14()``.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ingest.errors import InputError, PipelineError
from pipeline.projection.model import Model
from pipeline.projection.parse import Function, Names, parse
from pipeline.projection.toml_tables import Table, check_keys, text_at
from pipeline.projection.vector_loops.formula import Conventions, loop_time
from pipeline.projection.vector_loops.loop import VectorLoop, average_vector_length
from pipeline.projection.vector_loops.machine import Values, machine_values
from pipeline.projection.vector_loops.reports import mv_score, read_openmp, read_records

_COUNTS = {
    "vflops": "vector_flops",
    "vloads": "vector_loads",
    "vstores": "vector_stores",
    "sflops": "scalar_flops",
    "sloads": "scalar_loads",
    "sstores": "scalar_stores",
}
_CHOICES = {
    "strategy": ("pred", "pred_novl", "pred_lb", "pred_hb"),
    "scalar_bandwidth": ("loop", "scalar"),
    "references": ("elements", "instructions"),
    "overlap": (False, True),
}
_OTHER = ("model", "mv", "report", "lines", "source", "sl", "tl", "avl", "trip", "note")
_LINES = re.compile(r"(?P<file>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")


def vector_loop_term(
    table: Table, name: str, where: str, folder: Path, names: Names
) -> tuple[tuple[str, ...], Model]:
    """Return the inputs (none) and the time of a term that states ``model = "vector_loop"``.

    Args:
        table: the term's table.
        name: what the term is called.
        where: what to call the table in errors.
        folder: what paths in it are relative to.
        names: what its expressions may use: application inputs, and the machine's values under ``mach``.

    Raises:
        InputError: where a key is missing or unknown, or a report cannot be read.
        UsageError: where an expression cannot be meant, or the machine has no bandwidth table.
    """
    check_keys(table, (*_COUNTS, *_CHOICES, *_OTHER), where)
    try:
        machine = machine_values(names)
        loop = read_loop(table, name, where, folder, names, machine)
        return (), loop_time(loop, machine, _conventions(table, where)).total
    except PipelineError as error:
        if error.where.startswith(where):
            raise
        raise type(error)(error.what, where=where, hint=error.hint) from error


def read_loop(table: Table, name: str, where: str, folder: Path, names: Names, machine: Values) -> VectorLoop:
    """Return the loop that a term's table describes; arguments and errors as `vector_loop_term`."""
    counts = {
        field: _expression(table[key], f"{where}: {key}", names)
        for key, field in _COUNTS.items()
        if key in table
    }
    length = _expression(table["avl"], f"{where}: avl", names) if "avl" in table else None
    if "trip" in table:
        trips = _expression(table["trip"], f"{where}: trip", names)
        length = average_vector_length(trips, machine("vector_length"))
    score = _score(table, where, folder)
    return VectorLoop(
        name=name,
        score=score,
        spatial=_level(table, "sl", where),
        temporal=_level(table, "tl", where),
        **counts,
        vector_length=length,
    )


def _expression(given: object, where: str, names: Mapping[str, Model | Function]) -> Model:
    return parse(str(given), names, where=where)


def _level(table: Table, key: str, where: str) -> int:
    level = table.get(key)
    if isinstance(level, bool) or level not in (0, 1, 2):
        raise InputError(f"'{key}' is missing or no level", where=where, hint=f"write {key} = 0, 1 or 2")
    return int(level)


def _score(table: Table, where: str, folder: Path) -> str:
    if "mv" in table:
        return text_at(table, "mv", where)
    if "report" not in table:
        raise InputError("'mv' is missing", where=where, hint='write mv = "11", or report and lines')
    lines = _LINES.fullmatch(text_at(table, "lines", where))
    if lines is None:
        raise InputError(
            "'lines' has to name file and lines", where=where, hint='write lines = "momtum.c:120-164"'
        )
    records = read_records(folder / text_at(table, "report", where))
    if "source" in table:
        records += read_openmp(folder / text_at(table, "source", where))
    first = int(lines["first"])
    return mv_score(records, lines["file"], first, int(lines["last"] or first))


def _conventions(table: Table, where: str) -> Conventions:
    chosen: dict[str, Any] = {key: table[key] for key in _CHOICES if key in table}
    for key, value in chosen.items():
        if value not in _CHOICES[key]:
            known = ", ".join(map(str, _CHOICES[key]))
            raise InputError(f"{key} = {value!r}", where=where, hint=f"choose one of {known}")
    return Conventions(**chosen)
