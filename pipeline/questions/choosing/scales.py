"""The scales that a job is looked at: measured ones, powers of two, whole nodes, and what lies between."""

import numpy as np

from ingest.arrays import FloatArray
from pipeline.questions.analysis import along_parameter
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import MOST_STEPS, scales_between


def job_points(study: RuntimeStudy, target: FloatArray) -> FloatArray:
    """Return the points of a job, float64[Q, D], ascending up to the scale of a target float64[D].

    Scales between powers of two are whole nodes from one node on, if the cores of a node are known.
    """
    column, measured = study.column, study.analysis.experiment.points
    known = np.unique(measured[:, column])
    last = float(target[column])
    first = min(float(known[0]), last)
    known = known[known <= last]
    doublings = int(np.clip(np.floor(np.log2(last / first)), 0, MOST_STEPS))
    given = np.union1d(np.append(known, last), first * 2.0 ** np.arange(doublings + 1))
    between = scales_between(first, last, given) if last > first else given[:0]
    node = _node(study, target)
    if node is not None:
        whole = np.maximum(np.round(between / node), 1.0) * node
        between = np.where(between > node, whole, between)
        between = between[between < last]
    return along_parameter(target, column, np.union1d(given, between))


def _node(study: RuntimeStudy, target: FloatArray) -> float | None:
    """Return the scale that fills a node; None if it is unknown, or cores do not grow with the scale."""
    one, two = study.locations(along_parameter(target, study.column, np.array([1.0, 2.0])))
    if study.node_cores is None or two != 2 * one or not np.isfinite(one):
        return None
    return float(study.node_cores / one)
