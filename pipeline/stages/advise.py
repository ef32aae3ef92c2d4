"""The advise stage: which further measurements are worth their cost."""

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.scaling import Scaling
from pipeline.models.analysis import Analysis
from pipeline.models.planning.advice import Advice, advise, repetition_noise
from pipeline.models.planning.candidates import candidate_points

TIMES = ("effort", "time")


def advise_analysis(analysis: Analysis, at: FloatArray, budget: float) -> list[Advice]:
    """Plan further measurements for a sharper prediction of the total at a target.

    Args:
        analysis: the modelled experiment.
        at: float64[D], the target.
        budget: core-seconds to spend.

    Raises:
        UsageError: the models are not of time, or budget or target is invalid.
    """
    kernels, models = analysis.callpaths.kernels, analysis.callpaths.models
    if kernels.metric not in TIMES:
        raise UsageError(
            f"the models are of {kernels.metric}, so the cost of a run is unknown",
            hint="run `pipeline run` with --metric time",
        )
    points = candidate_points(analysis.experiment.points, at)
    cost = models.predict(points).value.sum(axis=0) * _cores(analysis, points)
    noise = repetition_noise(kernels.values)
    return advise(models, analysis.experiment.points, at, budget, noise=noise, candidates=points, cost=cost)


def _cores(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return the cores that a modelled second stands for; under weak scaling a second is one location's."""
    if analysis.decision.scaling is not Scaling.WEAK:
        return np.ones(len(points))
    experiment = analysis.experiment
    column = experiment.parameters.index(analysis.parameter)
    scale = np.array([experiment.points[run.point, column] for run in experiment.runs])
    per_unit = np.median([len(run.process) for run in experiment.runs] / scale)
    cores: FloatArray = points[:, column] * per_unit
    return cores
