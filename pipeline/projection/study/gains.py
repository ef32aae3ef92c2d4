"""How much faster another machine is, by what, and what limits a program on either."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.models.prediction import LEVEL, Prediction
from pipeline.models.scaling_models import ScalingModels
from pipeline.projection.study.kernel_table import TYPICAL_MIX
from pipeline.projection.study.study_machine import RESOURCES, Resource, slowdowns
from pipeline.projection.study.transfer import Transfer


@dataclass(frozen=True, eq=False, kw_only=True)
class Gain:
    """By what a program is faster on another machine at Q points.

    Attributes:
        total: one row: time here over time there. What is not known of the time here counts on both sides, so
            the interval is that of the factor alone.
        by: float64[Q], the same of a process that one resource alone limits.
    """

    total: Prediction
    by: Mapping[Resource, FloatArray]


def gain(models: ScalingModels, transfer: Transfer, points: FloatArray) -> Gain:
    """Return the gain of a study, whose call paths are modelled here, at points float64[Q, D]."""
    value = models.predict(points).value
    one = value.sum(axis=0, keepdims=True)
    exact, together = (Prediction(known, known, known) for known in (value, one))
    _, there, _ = transfer.there(points, exact, together, LEVEL)
    found = [
        np.divide(one, end, out=np.full(one.shape, np.nan), where=end > 0)
        for end in (there.value, there.upper, there.lower)
    ]
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(points))[0]
    return Gain(
        total=Prediction(*found),
        by={resource: 1.0 / slower[RESOURCES.index(resource)] for resource in TYPICAL_MIX},
    )


def limits_on_both(transfer: Transfer, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities that each resource limits each kernel, here and there.

    The mix of a kernel is that at a machine halfway between the two; what is scarcer on one of them is more
    likely to limit there.

    Args:
        points: float64[1, D].

    Returns:
        Twice float64[K, resource].
    """
    slower = slowdowns(transfer.source, transfer.target, transfer.locations(points))[0, :, 0]
    both = (transfer.table.mix * slower**power for power in (-0.5, 0.5))
    here, there = (one / np.maximum(one.sum(axis=1, keepdims=True), 1e-300) for one in both)
    return here, there
