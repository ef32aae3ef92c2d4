"""What limits the kernels of a study, by the verdicts on their hardware counters."""

from collections.abc import Sequence

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.projection.study.place import RESOURCES, Resource
from pipeline.projection.verdict import Bound, Verdict

_LEVELS = {"DRAM": Resource.MEMORY, "L3": Resource.L3, "L2": Resource.L2, "L1": Resource.L1}


def limits_of(verdicts: Sequence[Verdict | None]) -> tuple[FloatArray, BoolArray]:
    """Return what limits K kernels.

    A verdict that leaves something open, such as a level that was not counted, tells nothing.

    Returns:
        float64[K, resource] with a 1 for what limits a kernel, and bool[K], whether its verdict tells.
    """
    limits: FloatArray = np.zeros((len(verdicts), len(RESOURCES)))
    for k, found in enumerate(verdicts):
        resource = None if found is None else _resource(found)
        if resource is not None:
            limits[k, RESOURCES.index(resource)] = 1.0
    return limits, np.asarray(limits.any(axis=1))


def _resource(found: Verdict) -> Resource | None:
    if found.doubts and not found.proportional:
        return None
    if found.bound is Bound.MEMORY:
        return _LEVELS[found.level]
    if found.bound is Bound.ARITHMETIC:
        return Resource.ARITHMETIC
    return Resource.LATENCY if found.bound is Bound.LATENCY and not found.not_judged else None
