"""What the measuring programs print, as samples, and the figure that several samples stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError

Samples: TypeAlias = Mapping[tuple[str, int], FloatArray]
"""By name and size (bytes or ranks; 0 if the figure has none): float64[round], SI units."""

LEAST_SPREAD = 0.01  # no figure is known better than that from one run


@dataclass(frozen=True)
class Figure:
    """A measured value in SI units and its relative standard deviation."""

    value: float
    relative_sd: float


def read_samples(printed: str) -> Samples:
    """Return the samples that a measuring program has printed, one ``name [size] value`` per line.

    Raises:
        InputError: a line is not of that form, or a value is not positive.
    """
    found: dict[tuple[str, int], list[float]] = {}
    for line in printed.splitlines():
        name, *rest = line.split()
        try:
            size, value = (int(rest[0]) if len(rest) > 1 else 0), float(rest[-1])
        except (ValueError, IndexError):
            size, value = 0, 0.0
        if not (len(rest) in (1, 2) and 0 < value < np.inf):
            raise InputError(f"the measuring program printed '{line}'", hint="measure again")
        found.setdefault((name, size), []).append(value)
    return {key: np.array(values) for key, values in found.items()}


def rate(samples: FloatArray) -> Figure:
    """Return the figure of samples that are the better the larger they are.

    What disturbs a measurement only makes it slower: the value is the upper quartile, and its standard
    deviation the distance from there to the best (about right for 15 normal samples), at least 1 %.

    Args:
        samples: float64[round].
    """
    return _figure(float(np.quantile(samples, 0.75)), float(samples.max()))


def time(samples: FloatArray) -> Figure:
    """Return the figure of samples that are the better the smaller they are: as `rate`, the lower quartile.

    Args:
        samples: float64[round].
    """
    return _figure(float(np.quantile(samples, 0.25)), float(samples.min()))


def _figure(value: float, best: float) -> Figure:
    return Figure(value, max(abs(best / value - 1), LEAST_SPREAD))
