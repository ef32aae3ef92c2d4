"""The cells of columns as arrays: numbers, texts, and times in seconds."""

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import InputError
from ingest.reading.csv_files import NO_VALUE, Frame
from ingest.tables.cells import TWO_PARTS, number, seconds_of
from ingest.tables.headings import TIME_UNITS
from ingest.tables.time_columns import TimeColumn

if TYPE_CHECKING:
    import pandas as pd

BadCells = list[tuple[int, str]]
"""Rows, and what is wrong with one of their cells."""


def codes_of(column: "pd.Series[Any]") -> tuple[IntArray, list[str]]:
    """Number the different texts of a column; -1 for none."""
    import pandas as pd

    codes, found = pd.factorize(column)
    texts = [str(text).strip() for text in found]
    known = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    place = np.array([-1 if text in NO_VALUE else known[text] for text in texts] + [-1], dtype=np.int64)
    return place[codes], list(known)


def texts_of(column: "pd.Series[Any]") -> "np.ndarray[Any, Any]":
    """Return a column as texts, empty if there is none."""
    codes, texts = codes_of(column)
    return np.array([*texts, ""], dtype=object)[codes]


def numbers_of(
    frame: Frame,
    name: str,
    bad: BadCells,
    *,
    needed: bool = True,
    read: Callable[[str], float] = number,
) -> FloatArray:
    """Return a column as numbers, NaN if there is none; what is not one goes to `bad`, and gaps if needed.

    Args:
        read: makes a number of a text, or raises ValueError.
    """
    import pandas as pd

    column = frame.table[name]
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        found = column.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        codes = np.arange(len(found))
        values, odd = found, dict.fromkeys(np.flatnonzero(np.isinf(found)).tolist(), "inf")
    else:
        codes, texts = pd.factorize(column)
        values, odd = np.full(len(texts) + 1, np.nan), {}
        for i, text in enumerate(texts):
            try:
                values[i] = read(str(text))
            except ValueError:
                odd[i] = str(text)
            else:
                if math.isinf(values[i]):
                    odd[i] = str(text)
    for code, text in odd.items():
        rows = np.flatnonzero(codes == code)
        values[code] = np.nan
        bad.extend((row, f"'{name}' is not a number: '{text[:40]}'") for row in rows.tolist())
    result: FloatArray = values[codes]
    missing = np.isnan(result) & ~np.isin(codes, list(odd)) & needed
    bad.extend((row, f"'{name}' has no value") for row in np.flatnonzero(missing).tolist())
    return result


def seconds_in(
    frame: Frame, column: TimeColumn, bad: BadCells, units: FloatArray | None = None
) -> FloatArray:
    """Return times in seconds, NaN if there is none; of a rate, those of one unit of work.

    Args:
        units: seconds per unit of each row, if a column states them.

    Raises:
        InputError: cells may be minutes and seconds as well as hours and minutes.
    """
    unit = 1.0 if column.seconds is None else column.seconds
    ambiguous: list[str] = []

    def read(text: str) -> float:
        try:
            return number(text)
        except ValueError:
            if column.rate or units is not None:
                raise
            ambiguous.append(text if TWO_PARTS.fullmatch(text) and not column.form else "")
            return seconds_of(text, column.form) / unit

    values = numbers_of(frame, column.header, bad, read=read)
    if ambiguous and all(ambiguous):
        raise InputError(
            f"'{column.header}': {ambiguous[0]} may be minutes and seconds or hours and minutes",
            where=frame.source,
            hint=f"call the column '{column.header} [mm:ss]' or '{column.header} [hh:mm]'",
        )
    if not column.rate:
        return (unit if units is None else units) * values
    bad.extend((row, f"'{column.header}' is 0") for row in np.flatnonzero(values == 0).tolist())
    return unit / np.where(values == 0, np.nan, values)


def units_of(frame: Frame, header: str) -> FloatArray:
    """Return the seconds per unit that a column states for each row.

    Raises:
        InputError: a row has none, or one that is not a unit of time.
    """
    codes, texts = codes_of(frame.table[header])
    found = np.array([*(TIME_UNITS.get(text.strip("[]()").lower(), math.nan) for text in texts), math.nan])[
        codes
    ]
    if wrong := np.flatnonzero(np.isnan(found)).tolist():
        text = [*texts, ""][codes[wrong[0]]]
        what = f"{frame.place(wrong[0])}: the unit '{text}' is not known"
        raise InputError(what, where=frame.source, hint="known: s, ms, us, ns, min, h")
    return found


def parameter_in(frame: Frame, name: str) -> FloatArray:
    """Return the values of a parameter.

    Raises:
        InputError: a row has none, or what is not a number.
    """
    bad: BadCells = []
    found = numbers_of(frame, name, bad)
    if bad:
        row, what = bad[0]
        raise InputError(
            f"{frame.place(row)}: the parameter {what}",
            where=frame.source,
            hint="give each row a number, or name the column under metadata in [table]",
        )
    return found


def is_numeric(texts: Iterable[str]) -> bool:
    """Return whether all texts that are not empty are numbers."""
    try:
        found = [number(text) for text in dict.fromkeys(texts) if text]
    except ValueError:
        return False
    return any(map(math.isfinite, found))
