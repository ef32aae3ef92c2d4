"""The back-test of a study: predict the total at the largest measured scale from the smaller ones."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from pipeline.models.back_test import enough
from pipeline.models.fit import fit
from pipeline.models.kernels import Kernels, mean_over_repetitions, sum_groups, total_kernel
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total

LARGEST = 128  # kernels that are modelled one by one


@dataclass(frozen=True, kw_only=True)
class BackTest:
    """What a study without its largest scale predicts for the total there, in the unit of the kernels.

    Attributes:
        point: the largest measured point, D values.
        extrapolation: its scale over the largest that was left.
        value, lower, upper: the prediction with its 90 % interval.
        measured: the total that was measured.
    """

    point: tuple[float, ...]
    extrapolation: float
    value: float
    lower: float
    upper: float
    measured: float

    @property
    def relative_error(self) -> float:
        """Prediction less measurement, over the measurement."""
        return self.value / self.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measurement lies in the interval."""
        return self.lower <= self.measured <= self.upper


def back_test_total(
    experiment: Experiment, kernels: Kernels, column: int, largest: int, options: ModelOptions
) -> BackTest | None:
    """Fit without the largest scale and predict the total there.

    To bound the cost, the kernels beyond the `LARGEST` of most effort count as one.

    Args:
        experiment: the aligned runs.
        kernels: the kernels that add up to the total.
        column: index of the parameter that scales.
        largest: index of the largest measured point.
        options: how the study is fitted.

    Returns:
        The comparison; None if too few scales are left, or the total at the largest is not positive.
    """
    points = experiment.points
    scale = points[:, column]
    left = scale < scale.max()
    varies: FloatArray = points.min(axis=0) < points.max(axis=0)
    measured = float(mean_over_repetitions(total_kernel(kernels).values)[0, largest])
    if not left.any() or not enough(points[left], np.asarray(varies)) or not measured > 0:
        return None
    values = _largest(kernels.values)
    models = fit(experiment.parameters, points[left], values[:, left], options, parts=True)
    found = predict_total(models, points[largest][None])
    value, lower, upper = (float(part[0, 0]) for part in (found.value, found.lower, found.upper))
    return BackTest(
        point=tuple(points[largest].tolist()),
        extrapolation=float(scale.max() / scale[left].max()),
        value=value,
        lower=lower,
        upper=upper,
        measured=measured,
    )


def _largest(values: FloatArray) -> FloatArray:
    """Sum all but the largest kernels into one: float64[at most LARGEST + 1, P, R] from float64[K, P, R]."""
    if len(values) <= LARGEST + 1:
        return values
    order = np.argsort(-np.abs(np.nan_to_num(values)).max(axis=(1, 2)), kind="stable")
    group = np.empty(len(values), dtype=np.int64)
    group[order] = np.minimum(np.arange(len(values)), LARGEST)
    return sum_groups(values, group, LARGEST + 1)
