"""How busy accelerators are, at measured and at other points of a study."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import Experiment
from pipeline.models.fit import fit
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.runtime.estimate import Estimate, from_prediction, from_repetitions


@dataclass(frozen=True, eq=False)
class DeviceUse:
    """What the accelerators of an experiment do: busy and idle time of a device, modelled one by one."""

    experiment: Experiment

    @cached_property
    def parts(self) -> FloatArray | None:
        """Seconds of a device, busy and idle, float64[2, P, R]; None if idle time was not measured."""
        values = np.full((2, *self.experiment.shape), np.nan)
        for run in self.experiment.runs:
            if run.device_time.size:
                *busy, idle = run.device_time.mean(axis=1)
                values[:, run.point, run.repetition] = sum(busy), idle
        return values if np.nansum(values[1]) > 0 else None

    def busy_share(self, points: FloatArray, measured: BoolArray) -> Estimate:
        """Return which part of the time of a device kernels and copies take.

        It cannot pass 1, whatever the models say far outside of the measurements.

        Args:
            points: float64[Q, D].
            measured: bool[Q], which of them to take from the measurements; the others are predicted.

        Returns:
            Q shares; NaN if idle time was not measured.
        """
        if self.parts is None:
            return Estimate(*np.full((3, len(points)), np.nan))
        _, place = self.experiment.measured_at(points)
        found = _share(*(from_repetitions(part).take(place) for part in self.parts))
        if measured.all():
            return found
        ahead = _share(*(from_prediction(model.predict(points)) for model in self._models))
        return found.where(measured, ahead)

    @cached_property
    def _models(self) -> tuple[ScalingModels, ScalingModels]:
        assert self.parts is not None
        models = fit(self.experiment.parameters, self.experiment.points, self.parts)
        return models.take([0]), models.take([1])


def _share(busy: Estimate, idle: Estimate) -> Estimate:
    """Return busy over busy and idle time; the ends of the interval are those of idle over busy."""
    ratio = idle.over(busy)
    value, lower, upper = (1 / (1 + end) for end in (ratio.value, ratio.upper, ratio.lower))
    with np.errstate(divide="ignore"):  # an end may lie infinitely far away
        return Estimate(value, np.log(value / lower), np.log(upper / value))
