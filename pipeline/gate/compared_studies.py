"""Two studies in which the same functions have the same call paths, and what either predicts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.gate.kernel_values import KernelId, KernelValues, wall_times
from pipeline.gate.matching import Matched, match
from pipeline.gate.recording import recording
from pipeline.gate.renames import Recognised, recognise
from pipeline.gate.target_forecast import Forecasts, forecast, forecast_recognised, predicted_ratio
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction


def recognised(baseline: KernelValues, candidate: KernelValues, floor: float) -> Recognised:
    """Find renamed, extracted and inlined functions above a share of the total.

    There are none if the studies recorded different functions: what was not recorded was not inlined.
    """
    if recording(match(baseline, candidate)).partial:
        return Recognised(baseline, candidate, ())
    return recognise(baseline, candidate, floor)


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """K kernels of A and B at S points, NaN where a study lacks a kernel or predicts nothing.

    Attributes:
        points: float64[S, D].
        a, b: predictions float64[K, S] with 90 % intervals, as `pipeline predict` says them.
        ratio: B over A, value and ends of its 90 % interval float64[K, S].
        seconds: wall time per unit of the metric of A and of B, float64[2, S]; NaN if unknown or no time.
    """

    points: FloatArray
    a: Prediction
    b: Prediction
    ratio: Prediction
    seconds: FloatArray


@dataclass(frozen=True, eq=False)
class ComparedStudies:
    """A and B.

    Attributes:
        same: A as the baseline with the names of B, B as the candidate.
        measured: A and B as they were measured.
        models: how both are fitted.
    """

    same: Recognised
    measured: tuple[KernelValues, KernelValues]
    models: ModelOptions

    @classmethod
    def of(cls, a: KernelValues, b: KernelValues, models: ModelOptions, floor: float) -> "ComparedStudies":
        """Recognise what is called something else in B, above a share of the total."""
        return cls(recognised(a, b, floor), (a, b), models)

    @property
    def sides(self) -> tuple[KernelValues, KernelValues]:
        """A and B with the call paths of B."""
        return self.same.baseline, self.same.candidate

    @property
    def matched(self) -> Matched:
        """The kernels and points that both have."""
        return match(*self.sides)

    def predictions(self, points: FloatArray) -> Forecasts:
        """Predict all kernels of either study at points float64[S, D]; they are not matched."""
        a, b = (
            forecast_recognised(side, own, forecast(own, points, self.models), points, self.models)
            for side, own in zip(self.sides, self.measured, strict=True)
        )
        return Forecasts(baseline=a, candidate=b, targets=points)

    def curves(self, kernels: Sequence[KernelId], points: FloatArray) -> Curves:
        """Predict kernels of either study at points float64[S, D]."""
        ahead = self.predictions(points)
        known = [set(side.kernels) for side in (ahead.baseline, ahead.candidate)]
        both = [row for row, kernel in enumerate(kernels) if all(kernel in some for some in known)]
        ratio = np.full((3, len(kernels), len(points)), np.nan)
        matched = Forecasts(
            baseline=ahead.baseline.of([kernels[row] for row in both]),
            candidate=ahead.candidate.of([kernels[row] for row in both]),
            targets=points,
        )
        found = predicted_ratio(matched)
        ratio[:, both] = np.stack([found.value, found.lower, found.upper])
        a, b = (_of(kernels, side.kernels, side.prediction) for side in (ahead.baseline, ahead.candidate))
        seconds = np.array([[_seconds(side, point) for point in points] for side in self.measured])
        return Curves(points=points, a=a, b=b, ratio=Prediction(*ratio), seconds=seconds)


def _seconds(study: KernelValues, point: FloatArray) -> float:
    return float(wall_times(study, np.ones(len(study.kernels)), point).seconds[0])


def _of(kernels: Sequence[KernelId], known: Sequence[KernelId], prediction: Prediction) -> Prediction:
    """Take the predictions of kernels, NaN for those that are not known."""
    row_of = {kernel: row for row, kernel in enumerate(known)}
    rows = np.array([row_of.get(kernel, -1) for kernel in kernels], dtype=np.int64)
    ends = (prediction.value, prediction.lower, prediction.upper)
    return Prediction(*(np.where(rows[:, None] >= 0, of_all[rows], np.nan) for of_all in ends))
