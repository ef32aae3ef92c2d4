"""Tables without what is no measurement: numbers of rows, empty columns and rows, units in rows, sums."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import BoolArray
from ingest.errors import InputError
from ingest.reading.csv_files import NO_VALUE, Frame, is_unnamed
from ingest.tables.cells import is_number
from ingest.tables.column_values import codes_of
from ingest.tables.headings import MOST_LETTERS, NAMES, TIME_UNITS, read_headings
from ingest.usual_names import letters

if TYPE_CHECKING:
    import pandas as pd

MOST_SUMMARIES = 6  # rows at the end that sum up the others


def tidy(frame: Frame) -> Frame:
    """Leave out columns and rows that hold nothing, and take a row of units into the headings.

    Raises:
        InputError: a column with values has no name, or an index of a DataFrame would be lost.
    """
    table = frame.table
    if table.columns.nlevels > 1 or any(name is not None for name in table.index.names):
        what = "the table has an index with names, or columns of several levels"
        raise InputError(what, where=frame.source, hint="use reset_index(), and columns of one level")
    unnamed = [place for place, name in enumerate(table.columns) if is_unnamed(str(name))]
    numbers = (
        [[str(row + first) for row in range(len(table))] for first in (0, 1)] if unnamed[:1] == [0] else []
    )
    for place in unnamed:
        cells = table.iloc[:, place]
        if not _empty(cells).all() and (place or list(map(str, cells)) not in numbers):
            what = f"the column {place + 1} has no name"
            raise InputError(what, where=frame.source, hint="name it in the first line")
    table = table.iloc[:, [i for i in range(table.shape[1]) if i not in unnamed]].reset_index(drop=True)
    table.columns = list(map(str, table.columns))
    kept = np.ones(len(table), dtype=np.bool_)
    if table.shape[1] and _empty(table.iloc[:, 0]).any():
        kept = ~np.all([_empty(table.iloc[:, place]) for place in range(table.shape[1])], axis=0)
    if units := _units(table):
        kept[0] = False
        table.columns = [f"{name} [{units[name]}]" if units[name] else name for name in table.columns]
    if kept.all():
        return replace(frame, table=table)
    return _only(replace(frame, table=table), np.flatnonzero(kept).tolist())


def without_summary(frame: Frame, parameters: Collection[str]) -> tuple[Frame, tuple[str, ...]]:
    """Leave out rows at the end that are averages or sums of those above, and say so.

    In such a row no parameter has a number, and a cell says what it is.
    """
    names: list[str] = []
    for row in range(len(frame.table) - 1, 0, -1)[:MOST_SUMMARIES]:
        cells = {name: str(frame.table[name].iat[row]).strip() for name in frame.table.columns}
        words = read_headings([text for text in cells.values() if len(text) < MOST_LETTERS])
        said = [h.header for h in words if h.statistic or h.total or h.means("sums")]
        if not said or not parameters or any(is_number(cells[name]) for name in parameters):
            break
        names.insert(0, said[0])
    if not names:
        return frame, ()
    what = f"row{'s' if len(names) > 1 else ''} {', '.join(names)}: left out"
    return replace(frame, table=frame.table.iloc[: -len(names)]), (what,)


def without_odd_rows(frame: Frame, repetition: str) -> tuple[Frame, tuple[str, ...]]:
    """Leave out rows of runs that failed, as a column of states has it, and those of averages; say so.

    Args:
        repetition: the column that numbers the runs of a point, empty without: an average has no number.
    """
    states = [h.header for h in read_headings(list(map(str, frame.table.columns))) if h.means("states")]
    found: dict[int, str] = {}
    for name in filter(None, (*states, repetition)):
        codes, texts = codes_of(frame.table[name])
        failed = [name != repetition and letters(text) in NAMES["failed"] for text in texts]
        means = [name == repetition and bool(read_headings([text])[0].statistic) for text in texts]
        left = np.array([*map(any, zip(failed, means, strict=True)), False])[codes]
        found |= {row: f"{name} = {texts[codes[row]]}" for row in np.flatnonzero(left).tolist()}
    if not found or len(found) == len(frame.table):
        return frame, ()
    rows = [row for row in range(len(frame.table)) if row not in found]
    counted = Counter(found.values())
    said = tuple(f"{n} row{'s' if n > 1 else ''} with {what}: left out" for what, n in counted.items())
    return _only(frame, rows), said


def _only(frame: Frame, rows: list[int]) -> Frame:
    """Return some rows, which know their places in the file."""
    table = frame.table.iloc[rows].reset_index(drop=True)
    return replace(frame, table=table, place=lambda row: frame.place(rows[row]))


def _empty(cells: "pd.Series[Any]") -> BoolArray:
    texts = cells.isin(NO_VALUE) if cells.dtype.kind not in "fiub" else False
    found: BoolArray = np.asarray(cells.isna() | texts)
    return found


def _units(table: "pd.DataFrame") -> dict[str, str]:
    """Return the units that stand below the headings, such as ``[s]`` below ``time``; nothing if none do."""
    first = (str(table.iloc[0, place]).strip() for place in range(table.shape[1]))
    cells = dict(zip(table.columns, first, strict=True)) if len(table) > 1 else {}
    units = {name: "" if cell in NO_VALUE else cell.strip("[]() ") for name, cell in cells.items()}
    known = any(unit.lower() in TIME_UNITS for unit in units.values())
    return units if known and not any(map(is_number, cells.values())) else {}
