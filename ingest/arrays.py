"""Names for the array types that pass between the stages."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def places_in_groups(group: IntArray) -> IntArray:
    """Return the place of each element among those of its group, in their order, int64[n]."""
    order = np.argsort(group, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - np.searchsorted(group[order], group[order])
    return places
