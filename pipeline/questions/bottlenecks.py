"""Future bottlenecks: shares now and at the target scale, and what is remarkable about kernels.

Only what the measurements support is said: nothing is concluded from a model that misses them, nor from a
time below the instrumentation overhead; start-up and shut-down are not compared with the program's work.
"""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.growth import GROWING

NOTEWORTHY_SHARE = 0.01  # of the total: kernels below it are not called bottlenecks


@dataclass(frozen=True, eq=False, kw_only=True)
class Standing:
    """What limits what can be said about K kernels, bool[K] each; the names are those of flags.

    Attributes:
        unreliable: the model misses measurements by far.
        not_measurable: the time is below what the correction for overhead leaves uncertain.
        start_up: start-up and shut-down and the measurement system, which are not the program's work.
    """

    unreliable: BoolArray
    not_measurable: BoolArray
    start_up: BoolArray

    @property
    def conclusive(self) -> BoolArray:
        """Which kernels have a model that something can be concluded from, bool[K]."""
        return ~(self.unreliable | self.not_measurable)

    @property
    def apart(self) -> BoolArray:
        """Which kernels are compared with no other: not the program's work, or not measurable, bool[K]."""
        return self.start_up | self.not_measurable


def shares(values: FloatArray) -> FloatArray:
    """Return each kernel's share of its column's total, float64[K, Q] both; NaN counts as zero."""
    known = np.nan_to_num(values, nan=0.0)
    total = known.sum(axis=0)
    share = np.zeros(known.shape)
    np.divide(known, total, out=share, where=total > 0)
    return share


def ranking(at_target: FloatArray, measured: FloatArray, start_up: BoolArray) -> IntArray:
    """Return kernel indices, the largest at the target scale first; measured values decide ties.

    Start-up and shut-down, bool[K], follow behind the kernels.
    """
    return np.lexsort((-np.nan_to_num(measured), -np.nan_to_num(at_target), start_up))


def flags(
    growing: FloatArray,
    rising: FloatArray,
    share_measured: FloatArray,
    share_target: FloatArray,
    standing: Standing,
) -> list[list[str]]:
    """Name what is remarkable about each kernel, and what limits that.

    Args:
        growing: float64[K], probability that the kernel grows with scale.
        rising: float64[K], its value at the target over its value at the largest measured scale.
        share_measured: float64[K], share at the largest measured scale; NaN without a total.
        share_target: float64[K], share at the target scale; the same.
        standing: what limits what can be said about the kernels.

    Returns:
        Per kernel some of ``growing``, ``coming_bottleneck``, ``dominant_measured``, ``dominant_at_target``,
        and of ``unreliable``, ``not_measurable``, ``start_up``.
    """
    is_growing = (growing >= GROWING) & (rising > 1.0) & standing.conclusive
    future = is_growing & (share_target >= NOTEWORTHY_SHARE) & (share_target > share_measured)
    named = {
        "growing": is_growing,
        "coming_bottleneck": future & ~standing.start_up,
        "dominant_measured": _largest(np.where(standing.start_up, 0.0, share_measured)),
        "dominant_at_target": _largest(np.where(standing.start_up, 0.0, share_target)) & standing.conclusive,
        **vars(standing),
    }
    return [[name for name, on in named.items() if on[k]] for k in range(len(growing))]


def _largest(share: FloatArray) -> BoolArray:
    marks = np.zeros(len(share), dtype=np.bool_)
    known = np.nan_to_num(share)
    if len(share) and known.max() > 0:
        marks[int(known.argmax())] = True
    return marks
