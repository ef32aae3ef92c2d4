"""Overhead, dilation and coverage with and without a filter, and the plain time they are compared with."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from filters.cost import INSIDE, EventCost, events_within
from filters.evidence import RunEvidence
from filters.options import Application
from filters.scorep_format.matcher import by_hand, filterable
from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.region_class import USEFUL, regions_in

TRIVIAL = 0.8e-9
CLEAR = 2.0
MEASURABLE = 0.5
_PRIOR_SPREAD = 1.5
_GRID = 4000
_TAILS = (0.05, 0.95)


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


def measurable(run: RunEvidence, cost: EventCost, baseline: float | None = None) -> BoolArray:
    """Tell of which regions of a run events take no more than half of the measured time, bool[region].

    The others tell more about the measurement than about the program.
    """
    plain = estimate_plain_time(run, cost, baseline)
    count = len(run.regions)
    time = np.bincount(run.tree.region, run.time, count)
    events = np.bincount(run.tree.region, events_within(run) * plain.cost[0], count)
    return np.asarray(events <= MEASURABLE * time)


@dataclass(frozen=True)
class Dilation:
    """Measured over plain computing time, with the range that the uncertainty of the plain time leaves."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Prediction:
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
        """Return measured over plain computing time; without a filter if `applied` is None."""
        plain = self.plain
        pairs = zip((plain.total, plain.low, plain.high), plain.cost, strict=True)
        value, high, low = (
            1.0 + (self._overhead(applied, cost) / time if time > 0 else 0.0) for time, cost in pairs
        )
        return Dilation(value, low, high)

    def recorded_visits(self, applied: Application | None) -> float:
        """Return how many visits are recorded; without a filter if `applied` is None."""
        if applied is None:
            return self.visits
        return self.recorded + (self.by_hand if applied is Application.COMPILE_TIME else 0.0)

    def _overhead(self, applied: Application | None, cost: float) -> float:
        hooks = self.visits - self.recorded if applied is Application.RUN_TIME else 0.0
        return cost * self.recorded_visits(applied) + self.filtered_cost * hooks


def estimate_plain_time(run: RunEvidence, cost: EventCost, baseline: float | None = None) -> PlainTime:
    """Split the measured computing time T into plain time P and the cost of the events in it.

    With E visits whose cost lies in computing time, c = (T - P) / E. Two things are known of P. First, c is
    near the given cost (log-normal, `EventCost.spread`). Second, P is near what the call paths show one by
    one (log-normal, spread 1.5): a call path with more than `CLEAR` times the cost of its events keeps its
    time less that cost; any other is mostly measurement, and its visits count as trivial work of `TRIVIAL`
    seconds, two or three cycles. (Two programs whose accessors were all instrumented took 0.5 and 1.0 ns per
    visit without.) If events cost little of T, the first decides; if they are nearly all of T, the difference
    T - c E says nothing, and the second decides.

    Args:
        run: measured without a filter.
        cost: the cost of a visit.
        baseline: the duration of the run in seconds without instrumentation, if known; it fixes P.

    Raises:
        UsageError: if the baseline leaves no time to compute.
    """
    computes = regions_in(run.regions, USEFUL)[run.tree.region]
    events = events_within(run)
    shown = np.where(computes, _shown(run, cost.recorded * events), run.time)
    measured, guess = float(run.time[computes].sum()), float(shown[computes].sum())
    inside = float(events[computes].sum())
    if inside == 0.0 or guess == 0.0:
        total = low = high = guess
    elif baseline is not None:
        total = low = high = _by_baseline(run, baseline, measured, inside)
    else:
        total, low, high = _posterior(measured, inside, guess, cost)
    costs = [(measured - plain) / inside if inside > 0 else cost.recorded for plain in (total, low, high)]
    callpath = _spread(shown, run.time, computes, total - guess)
    attributed = _attributed(run, callpath, costs[0])
    return PlainTime(
        callpath=callpath,
        computing=computes,
        attributed=attributed,
        total=total,
        low=low,
        high=high,
        cost=(costs[0], costs[1], costs[2]),
    )


def _shown(run: RunEvidence, taken: FloatArray) -> FloatArray:
    """Guess each call path's plain time from itself, given what its events take: float64[call path]."""
    trivial = np.minimum(TRIVIAL * run.visits, run.time)
    return np.where(run.time > CLEAR * taken, run.time - taken, trivial)


def _attributed(run: RunEvidence, plain: FloatArray, cost: float) -> FloatArray:
    """Move the time of visits that are too short to the nearest callers whose visits are long enough.

    A visit is long enough if more plain time is spent in and below it than its own measurement adds to it.
    What is shorter (an accessor) is a part of its caller to anyone who measures. What cannot be filtered
    counts as long enough.
    """
    inclusive = run.tree.inclusive(plain[:, None])[:, 0]
    long = (inclusive > INSIDE * cost * run.visits) | ~filterable(run.regions)[run.tree.region]
    home = run.tree.nearest(long | run.tree.roots)
    return np.bincount(home, plain, len(run.tree)).astype(np.float64)


def _by_baseline(run: RunEvidence, baseline: float, measured: float, events: float) -> float:
    lost = (run.wall - baseline) * events / run.busiest
    if not 0.0 < lost < measured:
        what = (
            f"a run of {run.wall:.4g} s ({measured:.4g} core-s of computing) cannot take only {baseline:g} s"
        )
        raise UsageError(what, where=run.source, hint="give the time of the same run without instrumentation")
    return measured - lost


def _posterior(measured: float, events: float, guess: float, cost: EventCost) -> tuple[float, float, float]:
    """Return mode and tails of ln P, on a grid of ln(P / (T - P)) that is fine at both ends."""
    expected = np.log(measured) - np.log(cost.recorded * events)
    first = np.log(guess) - np.log(measured) - 4 * _PRIOR_SPREAD
    odds = np.linspace(first, max(expected, 0.0) + 2 + 6 * cost.spread, _GRID)
    kept, lost = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)  # ln P / T and ln (T - P) / T
    from_cost = (lost + expected) / cost.spread
    from_shape = (kept + np.log(measured) - np.log(guess)) / _PRIOR_SPREAD
    density = -0.5 * (from_cost**2 + from_shape**2)
    cumulative = np.cumsum(np.exp(density - density.max() + lost))
    plain = measured * np.exp(kept)
    low, high = np.interp(np.array(_TAILS) * cumulative[-1], cumulative, plain)
    best = float(plain[density.argmax()])
    return best, min(float(low), best), max(float(high), best)


def _spread(shown: FloatArray, time: FloatArray, computes: BoolArray, rest: float) -> FloatArray:
    """Bring the computing call paths to the estimated sum: in proportion to what each can give or take."""
    room = np.where(computes, time - shown if rest > 0 else shown, 0.0)
    return np.asarray(shown + (rest / room.sum() if room.sum() > 0 else 0.0) * room)


def predict(
    run: RunEvidence, recorded: BoolArray, cost: EventCost | None = None, baseline: float | None = None
) -> Prediction:
    """Predict what a filter does to a run.

    Args:
        run: measured without a filter.
        recorded: bool[call path], what is recorded under the filter.
        cost: the cost of a visit; the default if not given.
        baseline: the duration of the run in seconds without instrumentation, if known.

    Raises:
        UsageError: if the baseline is impossible.
    """
    cost = cost or EventCost()
    plain = estimate_plain_time(run, cost, baseline)
    counted = plain.attributed * plain.computing
    total = float(counted.sum())
    gapless = run.tree.nearest(~recorded) < 0
    coverage, whole = (
        min(1.0, float(counted[part].sum()) / total) if total > 0 else 1.0 for part in (recorded, gapless)
    )
    visits, left = float(run.visits.sum()), float(run.visits[recorded].sum())
    at_hooks = min(cost.filtered, plain.cost[0])
    return Prediction(
        source=run.source,
        visits=visits,
        recorded=left,
        by_hand=float(run.visits[~recorded & by_hand(run.regions)[run.tree.region]].sum()),
        coverage=coverage,
        whole=whole,
        plain=plain,
        filtered_cost=at_hooks,
    )


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as plain data: visits, core-seconds, and dilations with their ranges."""
    plain = prediction.plain
    stages = {"unfiltered": None, "run_time": Application.RUN_TIME, "compile_time": Application.COMPILE_TIME}
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
        "overhead": {name: prediction.overhead(applied) for name, applied in stages.items()},
        "dilation": {name: vars(prediction.dilation(applied)) for name, applied in stages.items()},
    }
