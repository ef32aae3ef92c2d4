"""How much work runs did by their own counts, steps or visits, and whether it makes them no series."""

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.experiment import VISITS, Experiment
from ingest.run_settings import WORK, stated_count
from ingest.scaling import process_parameter

_TWICE = 2.0  # as many steps, which nobody makes by chance
BY_DESIGN = 0.8  # of the variance of a count's logarithm, that parameters explain
_RANK = 1e-9  # of the largest singular value, from which parameters differ


def visits_of(experiment: Experiment, callpaths: IntArray) -> FloatArray:
    """Return how often each run visited call paths, float64[P, R]; NaN where there was no run.

    It is the largest number of its locations, summed over the call paths.
    """
    most = experiment.values[VISITS].max
    return np.where(np.isfinite(most).any(axis=0), np.nansum(most[callpaths], axis=0), np.nan)


def stated_counts(experiment: Experiment, name: str) -> FloatArray:
    """Return how many steps, iterations or the like each run states, float64[P, R]; NaN for those without."""
    return experiment.of_runs(lambda run: stated_count(run.attributes, name))


def unequal_steps(experiment: Experiment) -> bool:
    """Return whether runs made such different numbers of steps that they are no series as they are.

    All of them state steps, of which some made `_TWICE` as many as others: at one point, or over the numbers
    of processes, and not as a power of the parameters, as weak scaling to the same end would.
    """
    counts = stated_counts(experiment, WORK[0])
    measured = [counts[run.point, run.repetition] for run in experiment.runs]
    if not measured or not np.max(measured) >= _TWICE * np.min(measured):
        return False
    of_point = [row[np.isfinite(row)] for row in counts]
    if any(row.max() >= _TWICE * row.min() for row in of_point if len(row)):
        return True
    logs = np.log([row.mean() for row in of_point])
    left = float((power_law_residuals(experiment.points, logs) ** 2).sum())
    steady = len(set(logs.tolist())) > 2 and left < (1 - BY_DESIGN) * float(((logs - logs.mean()) ** 2).sum())
    return bool(process_parameter(experiment)) and not steady


def power_law_residuals(points: FloatArray, logs: FloatArray, *, left_out: bool = False) -> FloatArray:
    """How far logarithms, float64[P], are off a power law of the parameters, each left out in turn or not."""
    design = np.column_stack([np.ones(len(points)), np.log(points)])
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    basis = basis[:, sizes > _RANK * sizes[0]]
    residuals: FloatArray = logs - basis @ (basis.T @ logs)
    if left_out:
        residuals /= np.maximum(1 - (basis**2).sum(axis=1), _RANK)
    return residuals
