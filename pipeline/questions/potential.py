"""What making a kernel twice as fast, perfectly scaling or balanced would gain at a point, in wall time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.region_class import USEFUL, region_class
from pipeline.models.kernels import Kernels, is_time, mean_over_repetitions, start_up
from pipeline.questions.analysis import Analysis, Level
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.pop import predicted_imbalance

TWICE, SCALING, BALANCED = "twice as fast", "perfect scaling", "balanced"
WAYS = (TWICE, SCALING, BALANCED)
Ends = tuple[FloatArray, FloatArray, FloatArray]
"""Values, lower and upper ends of 90 % intervals, each float64[K]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Potential:
    """Seconds of wall time that each of K kernels would gain at a point, 0 if nothing; NaN if it is unknown.

    Attributes:
        point: float64[D].
        wall: seconds of wall time there.
        kernels: int64[K], which kernels of the level, the largest gain first; without start-up and shut-down.
        gains: of each of `WAYS`, in the order of `kernels`.
    """

    point: FloatArray
    wall: float
    kernels: IntArray
    gains: dict[str, Ends]

    @property
    def best(self) -> list[str]:
        """The way that gains most of each kernel."""
        values = np.stack([np.nan_to_num(self.gains[way][0], nan=-1.0) for way in WAYS])
        return [WAYS[n] for n in values.argmax(axis=0).tolist()]


def potential(analysis: Analysis, level: Level, point: FloatArray) -> Potential | None:
    """Tell what kernels of a level would gain at a point, float64[D].

    A kernel that scales perfectly takes what it took at the smallest measured scale: in core-seconds under
    strong scaling, in seconds under weak scaling. A balanced one takes on all locations what it takes on the
    mean one; the ratio is that of the largest measured scale. No kernel gains more by it than all wait for.

    Returns:
        The gains; None if wall time is unknown, or there are too few scales to predict it from.
    """
    kernels = level.kernels
    if analysis.is_profile or not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        return None
    study = RuntimeStudy(analysis)
    figures = study.figures(point[None], np.array([False]))
    wall, total = float(figures.wall.value[0]), level.models.predict(point[None])
    locations = 1.0 if study.per_location else float(figures.locations[0])
    if not np.isfinite(wall) or not np.isfinite(locations):
        return None
    value, lower, upper = (end[:, 0] / locations for end in (total.value, total.lower, total.upper))
    ends = value, lower, upper
    before = _at_reference(study, level, point) / locations
    uneven = _unevenness(analysis, level)
    imbalance = predicted_imbalance(study, point[None])
    most = np.nan if imbalance is None else float(imbalance[0]) / locations
    gains = {
        TWICE: _each(ends, lambda end: end / 2),
        SCALING: _each(ends, lambda end: np.maximum(end - before, 0.0)),
        BALANCED: _each(ends, lambda end: np.minimum(end * uneven, most)),
    }
    best = np.nanmax(np.stack([values for values, _, _ in gains.values()]), axis=0)
    order = np.argsort(-best, kind="stable")
    order = order[~start_up(kernels)[order]]
    return Potential(
        point=point,
        wall=wall,
        kernels=order,
        gains={way: _each(found, lambda end: end[order]) for way, found in gains.items()},
    )


def _each(ends: Ends, change: Callable[[FloatArray], FloatArray]) -> Ends:
    value, lower, upper = (change(end) for end in ends)
    return value, lower, upper


def _at_reference(study: RuntimeStudy, level: Level, point: FloatArray) -> FloatArray:
    """Return what kernels took where the point is compared with, float64[K]; NaN if nothing scales."""
    if not study.scales:
        return np.full(len(level.kernels), np.nan)
    reference = study.references(point[None])
    measured, place = study.measured_at(reference)
    if measured[0]:
        return np.nan_to_num(level.kernels.mean[:, place[0]])
    return level.models.expected(reference)[:, 0]


def _unevenness(analysis: Analysis, level: Level) -> FloatArray:
    """Return by how much the longest location exceeds the mean one at the largest scale, float64[K].

    Of what computes, relative to the mean of all; imbalance of all else is only waited out there.
    """
    count, metric = len(level.kernels), analysis.metric
    if metric not in analysis.experiment.values:
        return np.zeros(count)
    times, row = analysis.experiment.values[metric], analysis.rows_of(level)
    longest, mean = (
        np.nan_to_num(mean_over_repetitions(part[:, analysis.largest])) for part in (times.max, times.mean)
    )
    excess = np.bincount(row, np.where(_useful(analysis.callpaths.kernels), longest - mean, 0.0), count)
    usual = np.bincount(row, mean, count)
    return np.divide(excess, usual, out=np.zeros(count), where=usual > 0)


def _useful(kernels: Kernels) -> BoolArray:
    pairs = zip(kernels.paradigms, kernels.regions, strict=True)
    return np.array([region_class(*pair) in USEFUL for pair in pairs], dtype=np.bool_)
