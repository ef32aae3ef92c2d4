"""The estimator under test: one function, so that another can take its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from filters.cost import EventCost
from filters.evidence import RunEvidence
from filters.overhead import estimate_plain_time


@dataclass(frozen=True)
class Estimate:
    """Plain computing time in core-seconds, and the interval that holds it with a probability of 90 %."""

    value: float
    low: float
    high: float


def estimate(series: Sequence[Sequence[RunEvidence]]) -> list[Estimate]:
    """Estimate the plain time of every scale of a series, from its fully instrumented runs alone.

    Args:
        series: the repetitions of each scale.
    """
    plain = [estimate_plain_time(repetitions[0], EventCost()) for repetitions in series]
    return [Estimate(time.total, time.low, time.high) for time in plain]
