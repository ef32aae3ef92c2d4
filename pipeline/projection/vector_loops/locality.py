"""Locality of a loop from the bandwidth it was seen to reach: the bandwidth table read backwards.

The paper assigns levels by hand from observed bandwidths (section 4.1). The table has cells of equal value,
so the answer need not be unique; all that fit are returned.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError

_EQUAL = 1e-6


@dataclass(frozen=True)
class Locality:
    """A cell of the bandwidth table: levels of spatial and temporal locality, and its bandwidth in B/s."""

    spatial: int
    temporal: int
    bandwidth: float


def nearest_localities(table: FloatArray, observed: float) -> tuple[Locality, ...]:
    """Return the cells whose bandwidth is nearest to what was observed, by ratio; ties all.

    Args:
        table: float64[temporal, spatial], bandwidths for the loop's MV score, B/s.
        observed: the loop's bandwidth, B/s.

    Raises:
        UsageError: where it is not positive.
    """
    if not observed > 0:
        raise UsageError(f"an observed bandwidth of {observed:g} B/s", hint="give a positive number")
    distance = np.abs(np.log(table / observed))
    cells = np.argwhere(distance <= distance.min() + _EQUAL)
    return tuple(Locality(int(sl), int(tl), float(table[tl, sl])) for tl, sl in cells)


def share_of_peak(table: FloatArray, observed: float) -> float:
    """Return an observed bandwidth as a fraction of the highest of its MV score."""
    return observed / float(table.max())
