"""How much work runs do, in units of the rate that they state: what makes ``ns/day`` of times."""

from collections.abc import Callable

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from ingest.run_settings import described_as
from ingest.work_rates import RATE, UNITS_OF_WORK, WorkRate, work_rate
from pipeline.models.kernels import mean_over_repetitions

EQUAL = 0.02  # relative difference of rates that are printed with three digits, over times with fewer


def stated_rate(experiment: Experiment) -> WorkRate | None:
    """Return the rate that all runs state; None if there is none, or they state different ones."""
    stated = {described_as(run.attributes, RATE) for run in experiment.runs}
    return work_rate(stated.pop()) if len(stated) == 1 else None


def units_of_work(
    experiment: Experiment,
    column: int,
    locations: Callable[[FloatArray], FloatArray],
    points: FloatArray,
) -> FloatArray:
    """Return how many units a run does at points, or a step of it if values are those of steps.

    Elsewhere than measured it is known if the runs that differ only in what scales do equally many, or
    equally many on each location.

    Args:
        column: of the parameter that scales.
        locations: gives the number of locations at points.
        points: float64[Q, D].

    Returns:
        float64[Q], NaN where it is unknown.
    """
    work = _measured_work(experiment)
    measured, place = experiment.measured_at(points)
    others, there = (np.delete(found, column, axis=1) for found in (experiment.points, points))
    shares = work / locations(experiment.points)
    here = locations(points)
    found = np.where(measured, work[place], np.nan)
    for row in np.flatnonzero(~measured):
        same = (others == there[row]).all(axis=1)
        if _alike(work[same]):
            found[row] = work[same].mean()
        elif _alike(shares[same]):
            found[row] = shares[same].mean() * here[row]
    return found


def _measured_work(experiment: Experiment) -> FloatArray:
    """Return the units at the P points, means over the repetitions; 1 where none are stated."""
    work = np.full(experiment.shape, np.nan)
    for run in experiment.runs:
        work[run.point, run.repetition] = float(run.attributes.get(UNITS_OF_WORK, 1.0))
    return mean_over_repetitions(work if experiment.per is None else work / experiment.per.visits)


def _alike(values: FloatArray) -> bool:
    return bool(values.size and np.isfinite(values).all() and values.max() <= (1 + EQUAL) * values.min())
