"""Figures for JSON: readable and stable."""

import sys

import numpy as np
import numpy.typing as npt

SIGNIFICANT = 10  # digits: more than any measurement has, few enough to be read


def numbers(values: npt.ArrayLike) -> list[float | int]:
    """Round a row of values to ten significant digits and make whole numbers integers.

    Infinite values become the largest number there is, since JSON has no other.

    Raises:
        ValueError: where one is NaN.
    """
    row = np.asarray(values, dtype=np.float64)
    if np.isnan(row).any():
        raise ValueError("no figure of a report may be NaN")
    rounded = [float(f"{value:.{SIGNIFICANT}g}") for value in row.tolist()]
    finite: list[float] = np.clip(rounded, -sys.float_info.max, sys.float_info.max).tolist()
    return [int(v) if v.is_integer() and abs(v) < 2**53 else v for v in finite]


def number(value: float) -> float | int:
    """Round one value, as `numbers` does."""
    return numbers([value])[0]
