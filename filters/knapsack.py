"""The 0/1 knapsack, by density, with a bound on how far the choice is from the best one."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Packing:
    """A choice of items.

    Attributes:
        taken: bool[item].
        value: of the items taken.
        bound: no choice within the capacity has a larger value.
    """

    taken: BoolArray
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """The largest share of the best value that may be missing."""
        return max(0.0, 1.0 - self.value / self.bound) if self.bound > 0 else 0.0


def pack(value: FloatArray, weight: FloatArray, capacity: float) -> Packing:
    """Fill a knapsack in the order of value per weight, skipping what no longer fits.

    The bound is that of the continuous problem (Dantzig 1957), in which the first item that does not fit is
    taken in part. The choice misses less than the value of that item; if one item alone is worth more than
    the choice, it is taken instead, so that at least half of the best value is reached in any case.

    Args:
        value: float64[item], positive.
        weight: float64[item], not negative.
        capacity: the largest sum of weights; nothing fits if it is negative.
    """
    fits = np.flatnonzero(weight <= capacity)
    density = np.log(value[fits]) - np.log(np.maximum(weight[fits], np.finfo(np.float64).tiny))
    order = fits[np.lexsort((fits, -value[fits], -density))]
    taken = np.zeros(len(value), dtype=np.bool_)
    bound, rest, pending = _continuous(value[order], weight[order], capacity), capacity, order
    while len(pending):
        count = int(np.searchsorted(np.cumsum(weight[pending]), rest, side="right"))
        taken[pending[:count]] = True
        rest = max(rest - float(weight[pending[:count]].sum()), 0.0)
        pending = pending[count + 1 :]
        pending = pending[weight[pending] <= rest]
    if len(fits) and value[fits].max() > value[taken].sum():
        taken[:] = False
        taken[fits[value[fits].argmax()]] = True
    return Packing(taken, float(value[taken].sum()), bound)


def _continuous(value: FloatArray, weight: FloatArray, capacity: float) -> float:
    """Return the best value of the continuous problem, given the items in the order of their density."""
    filled = np.cumsum(weight)
    whole = int(np.searchsorted(filled, capacity, side="right"))
    best = float(value[:whole].sum())
    if whole < len(value):
        before = filled[whole - 1] if whole else 0.0
        best += float(value[whole] * (capacity - before) / weight[whole])
    return best
