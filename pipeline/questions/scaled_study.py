"""A study whose kernels take a multiple of their time: of measurements, predictions and totals alike."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import Experiment, RunRecord
from ingest.region_class import CLASSES, region_classes
from pipeline.models.kernels import region_kernels
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import added, agreeing, predict_total
from pipeline.questions.analysis import Analysis, Level

Factors: TypeAlias = Callable[[FloatArray], FloatArray]
"""Of all kernels at points float64[Q, D], float64[K, Q], from 0 on."""


@dataclass(frozen=True, eq=False)
class ScaledPredictions:
    """Predicts kernels that take a multiple of their time.

    The total is that of all kernels times what the sum of the kernels becomes; its interval is as much wider
    or narrower, relative to the value, as that of the added kernels. So factors of 1 change nothing.

    Attributes:
        models: of the kernels as they are.
        factors: what their times are multiplied by.
    """

    models: ScalingModels
    factors: Factors

    def predict(self, points: FloatArray, level: float) -> Prediction:
        """Predict all kernels."""
        return _times(self.models.predict(points, level), self.factors(points))

    def total(self, points: FloatArray, level: float, kernels: IntArray) -> Prediction | None:
        """Predict the sum of all kernels; None for some of them."""
        if len(kernels) != len(self.models):
            return None
        parts, whole = self.models.predict(points, level), predict_total(self.models, points, level)
        before, after = added(self.models, parts), added(self.models, _times(parts, self.factors(points)))
        value = whole.value * _ratio(after.value, before.value)
        lower, upper = (
            value
            * np.maximum(_ratio(end, whole.value), 0.0) ** _ratio(_width(after, name), _width(before, name))
            for name, end in (("lower", whole.lower), ("upper", whole.upper))
        )
        return Prediction(value, lower, upper)

    def with_common_error(self, error: FloatArray | None, of_sum: float | None) -> "ScaledPredictions":
        """Predict from models with another error that all measurements share."""
        return ScaledPredictions(self.models.with_common_error(error, of_sum), self.factors)


def _times(prediction: Prediction, factors: FloatArray) -> Prediction:
    return Prediction(prediction.value * factors, prediction.lower * factors, prediction.upper * factors)


def _width(prediction: Prediction, end: str) -> FloatArray:
    """Return how far an end lies from the value, relative to it."""
    return np.abs(_ratio(getattr(prediction, end), prediction.value) - 1)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 1 where nothing is divided by."""
    usable = below > 0
    return np.asarray(np.where(usable, above / np.where(usable, below, 1.0), 1.0))


def scaled_study(analysis: Analysis, factors: Factors) -> Analysis:
    """Return a study whose call paths take a multiple of their time; its metric adds up.

    Regions take what their call paths do. Back-tests remain those of the study as it is.
    """
    kernels, models = analysis.callpaths.kernels, analysis.callpaths.models
    here = factors(analysis.experiment.points)
    of_nodes = np.ones((len(analysis.experiment.tree), here.shape[1]))
    of_nodes[kernels.node] = here
    kernels = replace(kernels, values=kernels.values * here[..., None])
    fine = models.predicted_by(ScaledPredictions(models, factors))
    coarse = analysis.regions.models
    group = analysis.rows_of(analysis.regions)

    def of_regions(points: FloatArray) -> FloatArray:
        value = models.expected(points)
        before, after = (np.zeros((len(coarse), len(points))) for _ in range(2))
        np.add.at(before, group, value)
        np.add.at(after, group, value * factors(points))
        return _ratio(after, before)

    regions = coarse.predicted_by(ScaledPredictions(coarse, of_regions))
    return replace(
        analysis,
        experiment=experiment_times(analysis.experiment, analysis.metric, of_nodes),
        callpaths=Level(kernels, fine),
        regions=Level(region_kernels(kernels), agreeing(regions, fine)),
    )


def experiment_times(experiment: Experiment, metric: str, factors: FloatArray) -> Experiment:
    """Multiply the measured times of an experiment.

    Args:
        metric: name of the times.
        factors: float64[call path, P].
    """
    if metric not in experiment.values:
        return experiment
    times = experiment.values[metric]
    values = times.each(lambda array: array * factors[..., None])
    does = region_classes(experiment.regions)[experiment.tree.region]
    runs = tuple(_run_times(run, does, times.sum, values.sum) for run in experiment.runs)
    return replace(experiment, values={**experiment.values, metric: values}, runs=runs, held_out=None)


def _run_times(run: RunRecord, does: IntArray, before: FloatArray, after: FloatArray) -> RunRecord:
    """Scale what the locations spent on each class by what became of its call paths.

    Args:
        does: int64[call path], what each does: places in `CLASSES`.
        before: float64[call path, P, R], measured.
    """
    old, new = (np.nan_to_num(times[:, run.point, run.repetition]) for times in (before, after))
    class_time = np.array(run.class_time, copy=True)
    for row, found in enumerate(run.classes):
        nodes = does == CLASSES.index(found)
        if old[nodes].sum() > 0:
            class_time[row] *= new[nodes].sum() / old[nodes].sum()
    return replace(run, class_time=class_time)
