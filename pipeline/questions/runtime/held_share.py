"""What runs hold of their nodes beyond the cores that they use: it is paid for, and does not scale."""

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment
from pipeline.models.kernels import mean_over_repetitions


def held_share(
    experiment: Experiment, points: FloatArray, used: FloatArray, node_cores: float | None = None
) -> FloatArray:
    """Return cores held over cores used, float64[Q] from 1 on.

    Elsewhere than measured, nodes are as full as those of the largest run if it had several; if it had one
    node, nodes are filled.

    Args:
        experiment: the measurements; what a series held is not known, and taken to be what it used.
        points: float64[Q, D].
        used: float64[Q], cores used there; NaN if unknown.
        node_cores: cores of a node that is held as a whole, wherever it is; by default as runs held theirs.
    """
    if node_cores is not None:
        return np.asarray(whole_nodes(used, node_cores) * node_cores / used)
    if experiment.is_series:
        return np.ones(len(points))
    cores, held = (mean_over_repetitions(experiment.cores(held=held)) for held in (False, True))
    share = np.divide(held, cores, out=np.ones(len(cores)), where=cores > 0)
    largest = max((run.cores for run in experiment.runs), key=lambda of: of.used)
    elsewhere = np.full(len(points), largest.held / largest.used if largest.used else 1.0)
    if largest.nodes == 1 and largest.held > largest.used:
        elsewhere = np.ceil(used / largest.held) * largest.held / used
    measured, place = experiment.measured_at(points)
    return np.where(measured, share[place], np.nan_to_num(elsewhere, nan=1.0))


def whole_nodes(used: FloatArray, node_cores: float) -> FloatArray:
    """Return the number of nodes that cores need, float64[Q]; NaN if these are unknown."""
    return np.asarray(np.ceil(used / node_cores))


def node_cores_of(experiment: Experiment) -> float | None:
    """Return the cores of a node, if all runs held as many per node; else None."""
    found = {run.cores.held / run.cores.nodes if run.cores.nodes else None for run in experiment.runs}
    return found.pop() if len(found) == 1 else None
