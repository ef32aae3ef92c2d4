"""The advise stage: which further measurements are worth their cost."""

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.scaling import Scaling
from pipeline.models.kernels import total_kernel
from pipeline.models.total import predict_total
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning.advice import Advice, advise, repetition_noise
from pipeline.questions.planning.designs import candidate_points

TIMES = ("effort", "time")


def advise_analysis(analysis: Analysis, at: FloatArray, budget: float) -> list[Advice]:
    """Plan measurements within core-seconds for a sharper prediction of the total at a target, float64[D].

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
    cost = run_costs(analysis, points)
    noise = repetition_noise(kernels.values)
    return advise(models, analysis.experiment.points, at, budget, noise=noise, candidates=points, cost=cost)


def run_costs(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return the predicted core-seconds of a run at each point, float64[P], from models of time."""
    cost: FloatArray = analysis.callpaths.models.expected(points).sum(axis=0) * _cores(analysis, points)
    return cost


def next_measurements(analysis: Analysis, at: FloatArray) -> list[Advice]:
    """Plan as many further measurements as the study has cost so far, and at least one of the next doubling.

    The plan for a target, float64[D], is empty if nothing narrows the interval of the total there, or if the
    models are not of time.
    """
    kernels, experiment = analysis.callpaths.kernels, analysis.experiment
    if kernels.metric not in TIMES or not (experiment.runs or analysis.decision.scaling is not Scaling.WEAK):
        return []
    budget = cost_so_far(analysis)
    return advise_analysis(analysis, at, budget) if budget > 0 else []


def cost_so_far(analysis: Analysis) -> float:
    """Return the core-seconds that the study took, and at least those of the next doubling of its scale."""
    experiment = analysis.experiment
    totals = total_kernel(analysis.callpaths.kernels).values[0]
    spent = float(np.nansum(totals.sum(axis=1) * _cores(analysis, experiment.points)))
    next_doubling = experiment.points[analysis.largest].copy()
    next_doubling[analysis.column] *= 2
    doubled = predict_total(analysis.callpaths.models, next_doubling[None]).value[0]
    return max(spent, float((doubled * _cores(analysis, next_doubling[None]))[0]))


def _cores(analysis: Analysis, points: FloatArray) -> FloatArray:
    """Return the core-seconds of a run that a modelled second stands for.

    Under weak scaling a second is one location's; if values are per visit of a region, it is one visit's.
    """
    experiment = analysis.experiment
    visits = 1.0 if experiment.per is None else experiment.per.of_a_run
    if analysis.decision.scaling is not Scaling.WEAK:
        return np.full(len(points), visits)
    scale = np.array([experiment.points[run.point, analysis.column] for run in experiment.runs])
    per_unit = np.median([len(run.process) for run in experiment.runs] / scale)
    cores: FloatArray = points[:, analysis.column] * per_unit * visits
    return cores
