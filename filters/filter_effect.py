"""What a filter does to the cost of measuring: overhead, dilation and coverage, predicted and measured."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypedDict

import numpy as np

from filters.event_cost import EventCost, usual_cost, visited
from filters.evidence import RunEvidence, by_hand
from filters.filter_options import Application
from filters.known_plain import HOOK_SPREAD, TAIL, KnownPlain, plain_by_pair, plain_by_run_time
from filters.plain_time import estimate_plain_times, measurable_callers
from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError

_MEASURABLE = 0.5


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainTime:
    """An estimate of the computing time (without communication) if nothing were measured.

    Attributes:
        callpath: float64[call path], exclusive core-seconds; communication has its measured time here.
        computing: bool[call path], whether it counts as computing.
        attributed: float64[call path], the same, visits too short to measure attributed to callers.
        total: computing time in core-seconds, the most probable value.
        low, high: it lies between them with a probability of 90 %.
        cost: seconds per visit that explain the rest of the measured time, for `total`, `low` and `high`.
    """

    callpath: FloatArray
    computing: BoolArray
    attributed: FloatArray
    total: float
    low: float
    high: float
    cost: tuple[float, float, float]


def measurable(run: RunEvidence, plain: PlainTime) -> BoolArray:
    """Tell of which regions of a run events take no more than half of the measured time, bool[region].

    The others tell more about the measurement than about the program.
    """
    count = len(run.regions)
    time = np.bincount(run.tree.region, run.time, count)
    events = np.bincount(run.tree.region, visited(run).events[:, 0] * plain.cost[0], count)
    return np.asarray(events <= _MEASURABLE * time)


@dataclass(frozen=True)
class Dilation:
    """Measured over plain computing time, with the range that the uncertainty of the plain time leaves."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterEffect:
    """The effect of a filter on one run.

    Attributes:
        source: the profile it was made from.
        visits: recorded without the filter, all CPU locations.
        recorded: recorded under the filter at run time.
        by_hand: of the others, those of regions instrumented by hand: at compile time they are recorded.
        coverage: the share of the plain computing time that is attributed to the region it is spent in (or to
            the caller, if its visits are too short); the rest is attributed to the nearest recorded callers.
        whole: the share for which all regions of the call path are recorded.
        plain: the time without measurement.
        filtered_cost: seconds per visit that is filtered at run time.
    """

    source: str
    visits: float
    recorded: float
    by_hand: float
    coverage: float
    whole: float
    plain: PlainTime
    filtered_cost: float

    def overhead(self, applied: Application | None) -> float:
        """Return the core-seconds that measuring takes; without a filter if `applied` is None."""
        return self._overhead(applied, self.plain.cost[0])

    def dilation(self, applied: Application | None) -> Dilation:
        """Return measured over plain computing time; without a filter if `applied` is None.

        What a hook costs is less sure than what recording does, so that the range at run time is wider.
        """
        plain = self.plain
        pairs = zip((plain.total, plain.low, plain.high), plain.cost, strict=True)
        value, high, low = (
            1.0 + (self._overhead(applied, cost) / time if time > 0 else 0.0) for time, cost in pairs
        )
        hooks = self.filtered_cost * self._hooks(applied) / plain.total if plain.total > 0 else 0.0
        less, more = (hooks * float(np.expm1(side * TAIL * HOOK_SPREAD)) for side in (-1, 1))
        return Dilation(
            value, value - float(np.hypot(value - low, less)), value + float(np.hypot(high - value, more))
        )

    def recorded_visits(self, applied: Application | None) -> float:
        """Return how many visits are recorded; without a filter if `applied` is None."""
        if applied is None:
            return self.visits
        return self.recorded + (self.by_hand if applied is Application.COMPILE_TIME else 0.0)

    def _hooks(self, applied: Application | None) -> float:
        return self.visits - self.recorded if applied is Application.RUN_TIME else 0.0

    def _overhead(self, applied: Application | None, cost: float) -> float:
        return cost * self.recorded_visits(applied) + self.filtered_cost * self._hooks(applied)


def estimate_plain_time(run: RunEvidence, cost: EventCost, known: KnownPlain | None = None) -> PlainTime:
    """Split the measured computing time of a run into plain time and the cost of the events in it."""
    runs = visited(run)
    found = estimate_plain_times(runs, cost, known)
    everything = np.ones(len(run.tree), dtype=np.bool_)
    home = measurable_callers(runs, found.callpath, found.cost, everything)
    inside, measured = float(runs.events_computing[0]), float(runs.measured[0])
    total, low, high = (float(ends[0]) for ends in (found.total, found.low, found.high))
    costs = [(measured - plain) / inside if inside > 0 else cost.recorded for plain in (total, low, high)]
    return PlainTime(
        callpath=found.callpath[:, 0],
        computing=runs.computing,
        attributed=np.bincount(home, found.callpath[:, 0], len(run.tree)).astype(np.float64),
        total=total,
        low=low,
        high=high,
        cost=(costs[0], costs[1], costs[2]),
    )


def predict(
    run: RunEvidence, recorded: BoolArray, cost: EventCost | None = None, known: KnownPlain | None = None
) -> FilterEffect:
    """Predict what a filter does to a run.

    Args:
        recorded: bool[call path], what is recorded under the filter.
    """
    cost = cost or usual_cost(visited(run))
    plain = estimate_plain_time(run, cost, known)
    counted = plain.attributed * plain.computing
    total = float(counted.sum())
    gapless = run.tree.nearest(~recorded) < 0
    coverage, whole = (
        min(1.0, float(counted[part].sum()) / total) if total > 0 else 1.0 for part in (recorded, gapless)
    )
    visits, left = float(run.visits.sum()), float(run.visits[recorded].sum())
    at_hooks = min(cost.filtered, plain.cost[0])
    return FilterEffect(
        source=run.source,
        visits=visits,
        recorded=left,
        by_hand=float(run.visits[~recorded & by_hand(run.regions)[run.tree.region]].sum()),
        coverage=coverage,
        whole=whole,
        plain=plain,
        filtered_cost=at_hooks,
    )


class StagesJson(TypedDict):
    """A figure without a filter, and with it applied at run time and at compile time."""

    unfiltered: float
    run_time: float
    compile_time: float


class DilationJson(TypedDict):
    """Measured over plain computing time, with its range."""

    value: float
    low: float
    high: float


class DilationsJson(TypedDict):
    """The same as of `StagesJson`, of dilations."""

    unfiltered: DilationJson
    run_time: DilationJson
    compile_time: DilationJson


class PredictedVisitsJson(TypedDict):
    """Visits that are recorded."""

    unfiltered: float
    filtered: float
    filtered_at_compile_time: float


class EventCostJson(TypedDict):
    """Seconds per visit."""

    recorded: float
    filtered_at_run_time: float


class PredictionJson(TypedDict):
    """The predicted effect of a filter on a run."""

    source: str
    visits: PredictedVisitsJson
    coverage: Annotated[float, "share of the plain computing time in regions that are kept"]
    whole_callpaths: Annotated[float, "share of it whose call paths are kept whole"]
    event_cost: EventCostJson
    plain_computing_time: Annotated[DilationJson, "core-seconds"]
    overhead: Annotated[StagesJson, "core-seconds"]
    dilation: DilationsJson


def _stages(of: Callable[[Application | None], float]) -> StagesJson:
    return {
        "unfiltered": of(None),
        "run_time": of(Application.RUN_TIME),
        "compile_time": of(Application.COMPILE_TIME),
    }


def _range(dilation: Dilation) -> DilationJson:
    return {"value": dilation.value, "low": dilation.low, "high": dilation.high}


def prediction_json(prediction: FilterEffect) -> PredictionJson:
    """Return a prediction as plain data: visits, core-seconds, and dilations with their ranges."""
    plain = prediction.plain
    return {
        "source": prediction.source,
        "visits": {
            "unfiltered": prediction.visits,
            "filtered": prediction.recorded,
            "filtered_at_compile_time": prediction.recorded_visits(Application.COMPILE_TIME),
        },
        "coverage": prediction.coverage,
        "whole_callpaths": prediction.whole,
        "event_cost": {"recorded": plain.cost[0], "filtered_at_run_time": prediction.filtered_cost},
        "plain_computing_time": {"value": plain.total, "low": plain.low, "high": plain.high},
        "overhead": _stages(prediction.overhead),
        "dilation": {
            "unfiltered": _range(prediction.dilation(None)),
            "run_time": _range(prediction.dilation(Application.RUN_TIME)),
            "compile_time": _range(prediction.dilation(Application.COMPILE_TIME)),
        },
    }


@dataclass(frozen=True, kw_only=True)
class MeasuredEffect:
    """Dilation without and with a filter, and the cost of a visit.

    Attributes:
        event_cost: seconds that recording a visit takes, the slope of computing time over visits; None if the
            two profiles show none.
        plain: computing time without measurement in core-seconds: from the run time that was given, otherwise
            solved for together with the cost; None if neither is possible.
        given: whether a run time was given.
        without, under: computing time over the plain one, of the profile without the filter and of the one
            under it; None unless a run time was given: what is solved for measures neither.
        applied: where the filter was applied; None if nothing shows it.
    """

    event_cost: float | None
    plain: float | None
    given: bool
    without: float | None
    under: float | None
    applied: Application | None


def measured_effect(
    full: RunEvidence,
    reduced: RunEvidence,
    prediction: FilterEffect,
    *,
    applied: Application | None = None,
    baseline: float | None = None,
) -> MeasuredEffect:
    """Compare a run without a filter with the same run under it.

    Args:
        applied: where the filter was applied; if not given, where the prediction is nearer to the dilation
            that the baseline shows.
        baseline: seconds that the run takes without instrumentation.
    """
    one, two = visited(full), visited(reduced)
    without = under = event_cost = None
    plain = 0.0
    if baseline is not None:
        seconds, wall = np.array([baseline]), np.array([full.wall])
        plain = float(plain_by_run_time(one, seconds, wall, "--baseline-time").total[0])
        without, under = (float(run.measured[0]) / plain if plain > 0 else None for run in (one, two))
        if applied is None and under is not None:
            applied = _nearer(prediction, under)
    try:
        rejected = EventCost().filtered if applied is Application.RUN_TIME else 0.0
        solved, cost = plain_by_pair(one, two, reduced.source, rejected=rejected)
    except UsageError:  # the second run has more visits or took longer
        pass
    else:
        event_cost = cost.recorded
        plain = plain if baseline is not None else float(solved.total[0])
    return MeasuredEffect(
        event_cost=event_cost,
        plain=plain or None,
        given=baseline is not None,
        without=without,
        under=under,
        applied=applied,
    )


def _nearer(prediction: FilterEffect, measured: float) -> Application:
    return min(Application, key=lambda applied: abs(prediction.dilation(applied).value - measured))
