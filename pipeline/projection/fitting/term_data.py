"""The measurements that a term is fitted to: its keys ``data``, ``where``, ``time`` and ``weights``.

They are explained in docs/explanations/projection.md. Files are found beside the file that names them.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ingest.arrays import BoolArray
from ingest.errors import InputError
from ingest.toml_table import TomlTable
from ingest.units import TIME_DIMENSION, Dimension, parse_quantity
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.fitting.measured_columns import (
    ALLREDUCES,
    MeasuredColumns,
    read_benchmark,
    read_columns,
)
from pipeline.projection.fitting.resampling import Measurements, Weights

DATA_KEYS = ("data", "where", "time", "weights")

_SMALL = "8"  # bytes: what programs sum most often, one number
_ROW_HINT = 'write data = "file.csv", a list of files, or rows such as { n = 8, time = "2.1 ms" }'


def read_measurements(
    table: TomlTable,
    inputs: Mapping[str, Dimension],
    dimension: Dimension = TIME_DIMENSION,
    *,
    benchmarks: Collection[str] = (),
) -> Measurements:
    """Return the measurements that a term names.

    Args:
        benchmarks: which benchmarks to take of output that holds several; all if none is named.

    Raises:
        InputError: a file cannot be read, or lacks a column or the rows that are asked for.
    """
    weights = _weights(table)
    parts = _parts(table)
    for part in parts:
        _check_benchmarks(part, benchmarks)
    columns = _joined(parts, table)
    missing = sorted(set(inputs) - set(columns.cells))
    if missing:
        have = ", ".join(columns.cells)
        hint = f'columns here: {have}; state it with data = [{{ file = "...", {missing[0]} = 256 }}]'
        raise InputError(f"no column '{missing[0]}'", where=columns.where, hint=hint)
    rows = _chosen(columns, table, inputs, benchmarks)
    return Measurements(
        {name: columns.numbers(name, unit, rows) for name, unit in inputs.items()},
        columns.numbers(table.text("time", "time"), dimension, rows),
        weights,
    )


def _check_benchmarks(columns: MeasuredColumns, benchmarks: Collection[str]) -> None:
    """Refuse output that has nothing to fit to: a file that is named is not left out in silence."""
    if not benchmarks or "benchmark" not in columns.cells:
        return
    kinds = sorted(set(columns.texts("benchmark")))
    if not set(kinds) & set(benchmarks):
        what = f"none of {', '.join(benchmarks)} in this output: only {', '.join(kinds)}"
        raise InputError(what, where=columns.where, hint="name another file")


def _weights(table: TomlTable) -> Weights:
    weights = table.text("weights", "relative")
    if weights not in ("relative", "equal"):
        raise table.error("weights", f"invalid weights '{weights}'", "choose relative or equal")
    return "equal" if weights == "equal" else "relative"


def _parts(table: TomlTable) -> list[MeasuredColumns]:
    given = table.content["data"]
    entries = given if isinstance(given, list) else [given]
    if not entries or not all(isinstance(entry, str | dict) for entry in entries):
        raise table.error("data", "holds neither files nor rows", _ROW_HINT)
    rows = [table.inside(e, "data", n) for n, e in enumerate(entries) if isinstance(e, dict)]
    stated = [row for row in rows if "file" not in row]
    return [
        *(_of_file(table, entry) for entry in entries if isinstance(entry, str)),
        *(_of_file(table, row.text("file"), row) for row in rows if "file" in row),
        *([_of_rows(stated)] if stated else []),
    ]


def _of_file(table: TomlTable, name: str, stated: TomlTable | None = None) -> MeasuredColumns:
    path = beside(table.path, name)
    columns = read_benchmark(path) or read_columns(path)
    if stated is None:
        return columns
    count = len(next(iter(columns.cells.values())))
    row = _of_rows([stated.without("file")])
    cells = {name: texts * count for name, texts in row.cells.items()}
    return MeasuredColumns(columns.where, {**columns.cells, **cells}, {**columns.units, **row.units})


def _of_rows(rows: Sequence[TomlTable]) -> MeasuredColumns:
    """Return stated measurements as columns in SI units."""
    names = list(rows[0].content)
    for row in rows:
        row.check_keys(names)
        lacking = [name for name in names if name not in row]
        if lacking:
            raise row.error(lacking[0], "is missing", "give every row the same keys")
    read = {
        name: [parse_quantity(row.content[name], where=row.place(name)) for row in rows] for name in names
    }
    for name, quantities in read.items():
        if len({quantity.dimension for quantity in quantities}) > 1:
            hint = "give all its values the same unit"
            raise rows[0].error(name, "has several units", hint)
    return MeasuredColumns(
        rows[0].where,
        {name: tuple(f"{q.value:.15g}" for q in quantities) for name, quantities in read.items()},
        {name: (1.0, quantities[0].dimension) for name, quantities in read.items()},
    )


def _joined(parts: Sequence[MeasuredColumns], table: TomlTable) -> MeasuredColumns:
    """Return all rows of parts that have the same columns, in the units of the first."""
    first = parts[0]
    for part in parts[1:]:
        differing = set(first.cells) ^ set(part.cells)
        differing |= {name for name in first.units if first.units[name] != part.units.get(name)}
        if differing:
            what = f"{first.where} and {part.where} differ in column '{min(differing)}'"
            raise InputError(what, where=table.where, hint="give all files the same columns and units")
    cells = {name: tuple(cell for part in parts for cell in part.cells[name]) for name in first.cells}
    return MeasuredColumns(", ".join(dict.fromkeys(part.where for part in parts)), cells, first.units)


def _chosen(
    columns: MeasuredColumns, table: TomlTable, inputs: Collection[str], benchmarks: Collection[str]
) -> BoolArray:
    """Return bool[row], True for the rows to fit to.

    An allreduce is that of 8 bytes unless `where` says otherwise.
    """
    conditions = table.table("where").content
    rows = columns.matching(conditions)
    if "benchmark" not in columns.cells:
        return rows
    kinds, sizes = np.array(columns.texts("benchmark")), np.array(columns.texts("x"))
    if benchmarks:
        rows &= np.isin(kinds, list(benchmarks))
    found = sorted(set(kinds[rows].tolist()))
    if not found:
        what = f"no rows of {', '.join(benchmarks)} are left"
        raise InputError(what, where=columns.where, hint="check the condition")
    if len(found) > 1:
        what = f"several benchmarks in this output: {', '.join(found)}"
        hint = f'choose one with where = {{ benchmark = "{found[0]}" }}'
        raise InputError(what, where=columns.where, hint=hint)
    if found[0] in ALLREDUCES and "x" not in conditions and "x" not in inputs:
        small: BoolArray = rows & (sizes == _SMALL)
        if not small.any():
            hint = f"choose a size, such as where = {{ x = {sizes[rows][0]} }}"
            raise InputError(f"no allreduce of {_SMALL} bytes", where=columns.where, hint=hint)
        return small
    return rows
