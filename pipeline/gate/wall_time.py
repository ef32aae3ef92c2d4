"""Wall time and efficiency of every kernel, from its values: what a history keeps beside them."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.gate.measurements import KernelValues
from pipeline.questions.runtime.figures import Comparison, is_time


@dataclass(frozen=True, eq=False)
class WallTimes:
    """What K kernels take at one point; NaN if it does not apply or is not available.

    Attributes:
        seconds: float64[K], effort over locations.
        efficiency: float64[K], relative to the smallest measured scale with the same other parameters: its
            effort over the effort here under strong scaling, its wall time over that here under weak scaling.
    """

    seconds: FloatArray
    efficiency: FloatArray


def wall_times(study: KernelValues, values: FloatArray, point: FloatArray) -> WallTimes:
    """Return wall times and efficiencies of values, float64[K], that were measured or predicted at a point.

    Args:
        study: the kernels and their smallest scales.
        values: of the study's metric.
        point: float64[D].
    """
    unknown = np.full(len(study.kernels), np.nan)
    if study.locations is None or not is_time(study.metric, study.unit):
        return WallTimes(unknown, unknown)
    effort, seconds = _effort_and_seconds(study, values, point)
    reference = _reference(study, point)
    if reference is None:
        return WallTimes(seconds, unknown)
    before = _effort_and_seconds(study, study.mean[:, reference], study.points[reference])
    if study.comparison is Comparison.STRONG:
        return WallTimes(seconds, _ratio(before[0], effort))
    if study.comparison is Comparison.WEAK:
        return WallTimes(seconds, _ratio(before[1], seconds))
    return WallTimes(seconds, unknown)


def _effort_and_seconds(
    study: KernelValues, values: FloatArray, point: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return values as effort of all locations and as seconds of one; NaN if their number is unknown."""
    assert study.locations is not None
    locations = float(study.locations(point[None, :])[0])
    if study.metric == "effort" or study.unit == "GPU-s":
        return values, values / locations
    return values * locations, values


def _reference(study: KernelValues, point: FloatArray) -> int | None:
    """Return the smallest measured scale with the same other parameters; None if there is none."""
    column = study.parameters.index(study.parameter)
    same = (np.delete(study.points, column, axis=1) == np.delete(point, column)).all(axis=1)
    rows = np.flatnonzero(same)
    return int(rows[study.scale[rows].argmin()]) if len(rows) else None


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
    return ratio
