"""Which rows of tables are of the same run, and which call path each is of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.callpaths import CallPath
from ingest.calltree import CallTree, CallTreeBuilder
from ingest.errors import InputError
from ingest.series import MAX_NAMES, split_callpath
from ingest.tables.table_rows import TIME, TableRows

MOST_APART = 1.5  # ratio of times of repetitions of which a number only says which run it is
MOST_DIFFERENT = 0.9  # of the runs, that have other values of such a number


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberedRows:
    """N rows of all tables together, with the run and the call path of each.

    Attributes:
        file: int64[N], index into `rows`.
        index: int64[N], number of the row in its table.
        points: float64[P, D], the points, sorted by the first parameter, then the next.
        run: int64[N], index of the run.
        point_of: int64[run], index of its point.
        repetition: int64[run], from 1 at each point.
        node: int64[N], call path.
        tree: the call paths of all runs, in preorder.
    """

    rows: tuple[TableRows, ...]
    file: IntArray
    index: IntArray
    points: FloatArray
    run: IntArray
    point_of: IntArray
    repetition: IntArray
    node: IntArray
    tree: CallTree
    names: tuple[str, ...]

    def column(self, name: str) -> FloatArray:
        """Return a metric or another column of numbers of all rows, NaN for tables without it."""
        return np.concatenate(
            [
                rows.values[name] if name in rows.values else np.full(len(rows.row), np.nan)
                for rows in self.rows
            ]
        )

    def place(self, row: int) -> str:
        """Return where a row stands, with its file if there are several."""
        rows = self.rows[self.file[row]]
        text = rows.frame.place(int(rows.row[self.index[row]]))
        return text if len(self.rows) == 1 else f"{rows.frame.source}, {text}"


def number_rows(tables: Sequence[TableRows], separator: str, source: str) -> NumberedRows:
    """Find the runs: rows with the same parameters and repetition are of one.

    Args:
        separator: of the regions in a call path; empty if nothing separates them.

    Raises:
        InputError: a kernel stands twice in a run, or call paths are too long.
    """
    parameters = tables[0].parameters
    columns = [[rows.parameters.index(name) for name in parameters] for rows in tables]
    points, point = _unique_rows(
        np.concatenate([rows.points[:, order] for rows, order in zip(tables, columns, strict=True)])
    )
    builder = CallTreeBuilder()
    nodes = []
    for rows in tables:
        used = np.bincount(rows.kernel, minlength=len(rows.kernels)) > 0
        added = [builder.add(_path(k, separator)) if used[i] else -1 for i, k in enumerate(rows.kernels)]
        nodes.append(np.array(added)[rows.kernel])
    place, tree, names = builder.build()
    if int(tree.depth.sum()) > MAX_NAMES:
        raise InputError("its call paths are too long for memory", where=source, hint="shorten them")
    node = place[np.concatenate(nodes)]
    file = np.repeat(np.arange(len(tables)), [len(rows.row) for rows in tables])
    index = np.concatenate([np.arange(len(rows.row)) for rows in tables])
    rank = np.concatenate(
        [np.zeros(len(rows.row), np.int64) if rows.rank is None else rows.rank for rows in tables]
    )
    label = _apart(tables, point, _labels(tables, point, node, rank), node, rank)
    key, run = np.unique(point * (int(label.max()) + 1) + label, return_inverse=True)
    of_point = key // (int(label.max()) + 1)
    starts = np.searchsorted(of_point, of_point)
    found = NumberedRows(
        rows=tuple(tables),
        file=file,
        index=index,
        points=points,
        run=run,
        point_of=of_point,
        repetition=np.arange(len(key)) - starts + 1,
        node=node,
        tree=tree,
        names=names,
    )
    _refuse_twice(found, rank)
    return found


def _unique_rows(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different rows in their order, and which each is; much faster than `np.unique` of rows."""
    code = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        found, of_column = np.unique(column, return_inverse=True)
        code = np.unique(code * len(found) + of_column, return_inverse=True)[1]
    first = np.full(int(code.max()) + 1, len(code))
    np.minimum.at(first, code, np.arange(len(code)))
    return values[first], code


def _path(kernel: str | CallPath, separator: str) -> CallPath:
    if isinstance(kernel, tuple):
        return kernel
    if separator == "->":
        return split_callpath(kernel)
    if not separator:
        return (kernel,)
    return tuple(filter(None, (name.strip() for name in kernel.split(separator)))) or (kernel,)


def _labels(tables: Sequence[TableRows], point: IntArray, node: IntArray, rank: IntArray) -> IntArray:
    """Number what distinguishes the runs of a point: as stated, or by the order in which kernels repeat."""
    if all(rows.repetition is not None for rows in tables):
        texts = np.concatenate([rows.repetition for rows in tables])
        found = dict.fromkeys(texts.tolist())
        ordered = sorted(
            found, key=lambda text: (not text.isdecimal(), int(f"0{text}"[:18]) if text.isdecimal() else 0)
        )
        number = {text: i for i, text in enumerate(ordered)}
        return np.array([number[text] for text in texts.tolist()], dtype=np.int64)
    order = np.lexsort([np.arange(len(point)), rank, node, point])
    keys = np.column_stack([point, node, rank])[order]
    first = np.append(True, (np.diff(keys, axis=0) != 0).any(axis=1))
    starts = np.flatnonzero(first)
    label = np.empty(len(point), dtype=np.int64)
    label[order] = np.arange(len(point)) - starts[np.cumsum(first) - 1]
    return label


def _apart(
    tables: Sequence[TableRows], point: IntArray, label: IntArray, node: IntArray, rank: IntArray
) -> IntArray:
    """Number runs apart that have the same repetition but are described differently, such as by machines."""
    for name in dict.fromkeys(name for rows in tables for name in rows.described):
        key = np.column_stack([point, label, node, rank])
        order = np.lexsort(key.T[::-1])
        same = np.flatnonzero((np.diff(key[order], axis=0) == 0).all(axis=1))
        if not len(same):
            break
        texts = column_of(tables, name)
        if (texts[order[same]] != texts[order[same + 1]]).any():
            codes = np.unique(texts, return_inverse=True)[1]
            label = np.unique(codes * (int(label.max()) + 1) + label, return_inverse=True)[1]
    return label


def column_of(tables: Sequence[TableRows], name: str) -> "np.ndarray[Any, Any]":
    """Return the texts of a column that describes runs or is not known, empty for tables without it."""
    return np.concatenate(
        [
            rows.described.get(name, rows.unknown.get(name, np.full(len(rows.row), "", dtype=object)))
            for rows in tables
        ]
    )


def _refuse_twice(table: NumberedRows, rank: IntArray) -> None:
    """Refuse two rows of one kernel in one run, or numbers that vary between what seem to be repetitions."""
    stated = all(rows.repetition is not None for rows in table.rows)
    keys = [table.point_of[table.run], table.node, rank] + ([table.run] if stated else [])
    order = np.lexsort([np.arange(len(rank)), *reversed(keys)])
    same = np.flatnonzero((np.diff(np.column_stack(keys)[order], axis=0) == 0).all(axis=1))
    if not len(same):
        return
    first, second = int(order[same[0]]), int(order[same[0] + 1])
    varied = _varied(table, order[same], order[same + 1])
    if not stated and not varied:
        return
    kernel = table.rows[table.file[second]].kernels[
        table.rows[table.file[second]].kernel[table.index[second]]
    ]
    hint = "number the runs in a column called repetition"
    if varied:
        hint = f"they differ in '{varied}': name it under parameters, metadata or repetition in [table]"
    raise InputError(
        f"{table.place(second)}: '{kernel}' stands there again for the same run as in {table.place(first)}"
        if stated
        else f"{table.place(second)}: the same parameters and kernel '{kernel}' as in {table.place(first)}",
        where=table.rows[table.file[second]].frame.source,
        hint=hint,
    )


def _varied(table: NumberedRows, one: IntArray, two: IntArray) -> str:
    """Return the name of an unknown column of numbers that differs between rows of the same kernel.

    One that is different in nearly all runs although repetitions take as long says which run it is.
    """
    time, runs = table.column(TIME), len(table.point_of)
    with np.errstate(all="ignore"):
        alike = bool((np.abs(np.log(time[one] / time[two])) < np.log(MOST_APART)).all())
    for name in dict.fromkeys(name for rows in table.rows for name in rows.unknown):
        texts = column_of(table.rows, name)
        if (texts[one] != texts[two]).any() and not (
            alike and len(set(texts.tolist())) >= MOST_DIFFERENT * runs
        ):
            return name
    return ""


def bad_runs(table: NumberedRows) -> dict[int, str]:
    """Return for each run with an invalid cell what is wrong with the first of them."""
    found: dict[int, str] = {}
    start = 0
    for rows in table.rows:
        for row, what in rows.bad:
            run = int(table.run[start + row])
            if run not in found:
                found[run] = f"{rows.frame.place(int(rows.row[row]))}: {what}"
        start += len(rows.row)
    return found
