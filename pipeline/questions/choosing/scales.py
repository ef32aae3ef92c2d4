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
    column, last = study.column, float(target[study.column])
    given, between = looked_at(study.analysis.experiment.points[:, column], last)
    node = _node(study, target)
    if node is not None:
        whole = np.maximum(np.round(between / node), 1.0) * node
        between = np.where(between > node, whole, between)
        between = between[between < last]
    return along_parameter(target, column, np.union1d(given, between))


def looked_at(measured: FloatArray, last: float) -> tuple[FloatArray, FloatArray]:
    """Return values of a parameter up to a last one: measured, doublings and the last; and those between."""
    known = np.unique(measured)
    first = min(float(known[0]), last)
    doublings = int(np.clip(np.floor(np.log2(last / first)), 0, MOST_STEPS))
    given = np.union1d(np.append(known[known <= last], last), first * 2.0 ** np.arange(doublings + 1))
    return given, scales_between(first, last, given) if last > first else given[:0]


def _node(study: RuntimeStudy, target: FloatArray) -> float | None:
    """Return the scale that fills a node; None if it is unknown, or cores do not grow with the scale."""
    one, two = study.locations(along_parameter(target, study.column, np.array([1.0, 2.0])))
    if study.node_cores is None or two != 2 * one or not np.isfinite(one):
        return None
    return float(study.node_cores / one)
