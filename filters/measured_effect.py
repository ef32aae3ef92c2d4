"""What a filter did to the cost of measuring, from a profile without it and one under it."""

from dataclasses import dataclass

from filters.cost import calibrate_by_pair, computing_time, plain_by_pair
from filters.evidence import RunEvidence
from filters.options import Application
from filters.overhead import FilterEffect
from ingest.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class MeasuredEffect:
    """Dilation without and with a filter, and the cost of a visit.

    Attributes:
        event_cost: seconds that recording a visit takes, the slope of computing time over visits; None if the
            two profiles show none.
        plain: the time without measurement in seconds: of the run if it was given, otherwise core-seconds of
            computing, solved for together with the cost; None if neither is possible.
        given: whether the plain time was given.
        without, under: dilation of the profile without the filter and of the one under it; None without a
            plain time.
        applied: where the filter was applied, as far as that shows.
    """

    event_cost: float | None
    plain: float | None
    given: bool
    without: float | None
    under: float | None
    applied: Application


def measured_effect(
    full: RunEvidence,
    reduced: RunEvidence,
    prediction: FilterEffect,
    *,
    applied: Application | None = None,
    baseline: float | None = None,
) -> MeasuredEffect:
    """Compare a run without a filter with the same run under it.

    Without a baseline, two equations T = P + c E give plain time and cost. They hold for a filter at compile
    time: what a visit takes that is rejected at run time would count as plain time.

    Args:
        full: measured without a filter.
        reduced: measured under it.
        prediction: what was predicted from `full`.
        applied: where the filter was applied; if not given, where the prediction is nearer to the dilation
            that the baseline shows, and at compile time without a baseline.
        baseline: duration of the run in seconds without instrumentation, if known.
    """
    cost = _slope(full, reduced)
    if baseline is not None:
        without, under = full.wall / baseline, reduced.wall / baseline
        at = applied or _nearer(prediction, under)
        return MeasuredEffect(
            event_cost=cost, plain=baseline, given=True, without=without, under=under, applied=at
        )
    plain = plain_by_pair(full, reduced) if cost is not None else 0.0
    known = plain > 0.0
    return MeasuredEffect(
        event_cost=cost,
        plain=plain if known else None,
        given=False,
        without=computing_time(full) / plain if known else None,
        under=computing_time(reduced) / plain if known else None,
        applied=applied or Application.COMPILE_TIME,
    )


def _slope(full: RunEvidence, reduced: RunEvidence) -> float | None:
    try:
        return calibrate_by_pair(full, reduced).recorded
    except UsageError:  # the second run has more visits or took longer
        return None


def _nearer(prediction: FilterEffect, measured: float) -> Application:
    return min(Application, key=lambda applied: abs(prediction.dilation(applied).value - measured))
