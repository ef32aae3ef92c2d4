"""The data of one kernel's plot: what was measured, and the model with its interval."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.analysis import Analysis, Level

CURVE_POINTS = 120


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A kernel along the scaled parameter, the other parameters at their largest values.

    Attributes:
        title: the kernel and its model.
        parameter: what is on the horizontal axis.
        unit: what is on the vertical axis.
        measured_at: float64[n], scale of each measured value, one entry a repetition.
        measured: float64[n], the measured values.
        scale: float64[Q], where the model is evaluated.
        value: float64[Q].
        lower: float64[Q], lower end of the 90 % interval.
        upper: float64[Q].
    """

    title: str
    parameter: str
    unit: str
    measured_at: FloatArray
    measured: FloatArray
    scale: FloatArray
    value: FloatArray
    lower: FloatArray
    upper: FloatArray


def curve_of(analysis: Analysis, level: Level, kernel: int, title: str, horizon: float) -> Curve:
    """Evaluate a kernel's model from the smallest measured scale to the horizon.

    Args:
        analysis: the modelled experiment.
        level: its call paths or its regions.
        kernel: which of them.
        title: what to call it.
        horizon: largest scale to show.
    """
    experiment = analysis.experiment
    column = experiment.parameters.index(analysis.parameter)
    largest = experiment.points.max(axis=0)
    others = np.delete(experiment.points, column, axis=1)
    shown = (others == np.delete(largest, column)).all(axis=1)
    values = level.kernels.values[kernel][shown]
    at = np.repeat(experiment.points[shown, column][:, None], values.shape[1], axis=1)
    known = np.isfinite(values)
    first = float(experiment.points[:, column].min())
    scale = np.geomspace(first, max(horizon, first), CURVE_POINTS)
    points = np.repeat(largest[None, :], len(scale), axis=0)
    points[:, column] = scale
    prediction = level.models.take([kernel]).predict(points)
    return Curve(
        title=title,
        parameter=analysis.parameter,
        unit=f"{level.kernels.metric} [{level.kernels.unit}]",
        measured_at=at[known],
        measured=values[known],
        scale=scale,
        value=prediction.value[0],
        lower=prediction.lower[0],
        upper=prediction.upper[0],
    )
