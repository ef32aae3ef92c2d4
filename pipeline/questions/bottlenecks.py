"""Future bottlenecks: shares now and at the target scale, and where kernels overtake others.

Only what the measurements support is said: nothing is concluded from a model that misses them, nor from a
time below the instrumentation overhead; start-up and shut-down are not compared with the program's work.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.models.prediction import in_parts

CROSSOVER_SCALES = 400  # between which crossovers are looked for
FOLLOWERS = 10  # the kernels largest at the horizon that may overtake a leader
GROWING = 0.9  # probability from which a kernel is called growing
NOTEWORTHY_SHARE = 0.01  # of the total: kernels below it are not called bottlenecks
CROSSING_SHARE = 0.02  # of the total: two kernels that pass each other below it are nobody's concern


@dataclass(frozen=True)
class Crossover:
    """One kernel becomes larger than another.

    Attributes:
        overtakes: index of the kernel that grows past the other.
        overtaken: index of the other, which is the largest of all somewhere in the range.
        at: value of the scaled parameter where both models are equal.
        measured: whether that lies within the measured range.
    """

    overtakes: int
    overtaken: int
    at: float
    measured: bool


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
    def comparable(self) -> BoolArray:
        """Which kernels can be said to overtake others, bool[K]."""
        return self.conclusive & ~self.start_up


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


def crossovers(
    predict: Callable[[FloatArray], FloatArray], first: float, last: float, horizon: float, standing: Standing
) -> tuple[Crossover, ...]:
    """Find where kernels overtake the kernels that lead.

    A leader is a kernel that is the largest of all at some scale between the smallest measured one and
    the horizon. Every other kernel that matters at the horizon is followed past each leader if that
    leader has a share of at least `CROSSING_SHARE`. Start-up and shut-down do not take part, and both kernels
    need models that something can be concluded from.

    Args:
        predict: model values, float64[K, Q] for scales float64[Q].
        first: smallest measured scale, positive.
        last: largest measured scale.
        horizon: largest scale requested, at least `last`.
        standing: what limits what can be said about the kernels.

    Returns:
        Crossovers ordered by scale.
    """
    horizon = max(horizon, last)
    if not 0 < first < horizon:
        return ()
    scales = np.geomspace(first, horizon, CROSSOVER_SCALES)
    kernels = len(predict(scales[:1]))
    if not kernels or standing.start_up.all():
        return ()
    parts = in_parts(scales, kernels)
    leaders, largest_at_horizon, total = _overview(map(predict, parts), standing.start_up)
    leaders = leaders[standing.comparable[leaders]]
    candidates = np.unique(np.concatenate([leaders, largest_at_horizon]))
    values = np.concatenate([predict(part)[candidates] for part in parts], axis=1)
    found = []
    for leader in leaders.tolist():
        leading = values[np.searchsorted(candidates, leader)]
        gap = values - leading
        matters = leading >= CROSSING_SHARE * total
        overtakes = (gap[:, :-1] <= 0) & (gap[:, 1:] > 0) & matters[:-1]
        rows, columns = np.nonzero(overtakes & standing.comparable[candidates, None])
        before, after = gap[rows, columns], gap[rows, columns + 1]
        at = scales[columns] * (scales[columns + 1] / scales[columns]) ** (-before / (after - before))
        found += [
            Crossover(int(candidates[row]), leader, float(scale), measured=bool(scale <= last))
            for row, scale in zip(rows.tolist(), at.tolist(), strict=True)
        ]
    return tuple(sorted(found, key=lambda c: (c.at, c.overtakes, c.overtaken)))


def _overview(parts: Iterable[FloatArray], start_up: BoolArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the kernels that lead somewhere, those largest at the last scale, and the total per scale."""
    leaders, totals = [], []
    for values in parts:
        work = np.where(start_up[:, None], -np.inf, values)
        leaders.append(work.argmax(axis=0))
        totals.append(values.sum(axis=0))
    followers = np.argsort(-work[:, -1], kind="stable")[:FOLLOWERS]
    return np.unique(np.concatenate(leaders)), followers, np.concatenate(totals)


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
