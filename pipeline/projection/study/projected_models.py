"""Scaling models of a study on another machine: predictions composed of those here and what changes there."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.projection.study.transfer import Transfer


@dataclass(frozen=True, eq=False, kw_only=True)
class ProjectedModels(ScalingModels):
    """Models of kernels on another machine.

    Formulas, growth and quality are those of the measured values, taken there; predictions are composed of
    the predictions here, of the numbers of calls and bytes, and of both machines at the very point.

    Attributes:
        here: all kernels as measured.
        transfer: takes them over.
        kernels: int64[K], which of all these are.
        known: predictions of all kernels and of their sum by level and points, made once.
    """

    here: ScalingModels
    transfer: Transfer
    kernels: IntArray
    known: dict[tuple[float, bytes], tuple[Prediction, Prediction]]

    def take(self, kernels: IntArray | Sequence[int]) -> "ProjectedModels":
        """Return the models of some kernels."""
        index = np.asarray(kernels, dtype=np.int64)
        taken = super().take(index)
        own = {f.name: getattr(taken, f.name) for f in fields(ScalingModels)}
        return ProjectedModels(
            **own, here=self.here, transfer=self.transfer, kernels=self.kernels[index], known=self.known
        )

    def predict(self, points: FloatArray, level: float = 0.9) -> Prediction:
        """Predict expected values there, arguments and result as of `ScalingModels.predict`."""
        found, _ = self._there(points, level)
        return Prediction(*(end[self.kernels] for end in (found.value, found.lower, found.upper)))

    def joint_total(self, points: FloatArray, level: float) -> Prediction | None:
        """Predict the sum of all kernels from joint draws; None for some of them."""
        return self._there(points, level)[1] if len(self.kernels) == len(self.here) else None

    def raised(self, lower: FloatArray, value: FloatArray, points: FloatArray) -> FloatArray:
        """Return the lower ends as they are: nodes there may be filled later than here."""
        return lower

    def _there(self, points: FloatArray, level: float) -> tuple[Prediction, Prediction]:
        points = np.asarray(points, dtype=np.float64).reshape(-1, len(self.parameters))
        key = (level, points.tobytes())
        if key not in self.known and self.transfer.stays:
            self.known[key] = self.here.predict(points, level), predict_total(self.here, points, level)
        elif key not in self.known:
            here, total = self.here.predict(points), predict_total(self.here, points, level)
            at_once = self.transfer.points_at_once
            parts = [slice(start, start + at_once) for start in range(0, len(points), at_once)]
            found = [
                self.transfer.there(points[part], _columns(here, part), _columns(total, part), level)
                for part in parts
            ]
            self.known[key] = (_side_by_side([one for one, _ in found]), _side_by_side([s for _, s in found]))
        return self.known[key]


def _columns(prediction: Prediction, part: slice) -> Prediction:
    return Prediction(*(end[:, part] for end in (prediction.value, prediction.lower, prediction.upper)))


def _side_by_side(parts: Sequence[Prediction]) -> Prediction:
    ends = zip(*((part.value, part.lower, part.upper) for part in parts), strict=True)
    return Prediction(*(np.concatenate(end, axis=1) for end in ends))


def projected_models(of_measured: ScalingModels, here: ScalingModels, transfer: Transfer) -> ProjectedModels:
    """Return the models of all kernels on another machine.

    Args:
        of_measured: fitted to the measured values taken there.
        here: fitted to them as they were measured.
        transfer: takes them over.
    """
    own = {f.name: getattr(of_measured, f.name) for f in fields(ScalingModels)}
    return ProjectedModels(**own, here=here, transfer=transfer, kernels=np.arange(len(here)), known={})
