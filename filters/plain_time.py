"""How long a run takes where nothing is measured, as far as a profile can tell."""

from dataclasses import dataclass

import numpy as np

from filters.cost import INSIDE, EventCost, events_within
from filters.evidence import RunEvidence
from filters.matching import filterable
from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.region_class import USEFUL, regions_in

TRIVIAL = 0.8e-9
CLEAR = 2.0
_PRIOR_SPREAD = 1.5
_GRID = 4000
_TAILS = (0.05, 0.95)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainTime:
    """An estimate of computing time (without communication) where nothing is measured.

    Attributes:
        callpath: float64[call path], exclusive core-seconds; communication has its measured time here.
        computing: bool[call path], whether it counts as computing.
        told: float64[call path], the same time where visits too short to be told are told of their callers.
        total: computing time in core-seconds, the most probable value.
        low, high: between them it lies with a probability of 90 %.
        cost: seconds a visit that explain the rest of the measured time, for `total`, `low` and `high`.
    """

    callpath: FloatArray
    computing: BoolArray
    told: FloatArray
    total: float
    low: float
    high: float
    cost: tuple[float, float, float]


def estimate_plain_time(run: RunEvidence, cost: EventCost, baseline: float | None = None) -> PlainTime:
    """Split the measured computing time T into plain time P and the cost of the events in it.

    With E visits whose cost lies in computing time, c = (T - P) / E. Two things are known of P. First, c is
    near the given cost (log-normal, `EventCost.spread`). Second, P is near what the call paths show one by
    one (log-normal, spread 1.5): a call path with more than `CLEAR` times the cost of its events keeps its
    time less that cost; any other is mostly measurement, and its visits are taken for trivial work of
    `TRIVIAL` seconds, two or three cycles. (Two programs whose accessors were all instrumented took 0.5 and
    1.0 ns a visit without.) Where events cost little of T the first decides; where they are nearly all of T
    the difference T - c E tells nothing and the second does.

    Args:
        run: measured without a filter.
        cost: the cost of a visit.
        baseline: the duration of the run in seconds without instrumentation, where known; it settles P.

    Raises:
        UsageError: where the baseline leaves no time to compute.
    """
    computes = regions_in(run.regions, USEFUL)[run.tree.region]
    events = events_within(run)
    shown = np.where(computes, _shown(run, cost.recorded * events), run.time)
    measured, guess = float(run.time[computes].sum()), float(shown[computes].sum())
    inside = float(events[computes].sum())
    if inside == 0.0 or guess == 0.0:
        total = low = high = guess
    elif baseline is not None:
        total = low = high = _settled(run, baseline, measured, inside)
    else:
        total, low, high = _posterior(measured, inside, guess, cost)
    costs = [(measured - plain) / inside if inside > 0 else cost.recorded for plain in (total, low, high)]
    callpath = _spread(shown, run.time, computes, total - guess)
    told = _told(run, callpath, costs[0])
    return PlainTime(
        callpath=callpath,
        computing=computes,
        told=told,
        total=total,
        low=low,
        high=high,
        cost=(costs[0], costs[1], costs[2]),
    )


def _shown(run: RunEvidence, taken: FloatArray) -> FloatArray:
    """Guess each call path's plain time from itself, given what its events take: float64[call path]."""
    trivial = np.minimum(TRIVIAL * run.visits, run.time)
    return np.where(run.time > CLEAR * taken, run.time - taken, trivial)


def _told(run: RunEvidence, plain: FloatArray, cost: float) -> FloatArray:
    """Move the time of visits that are too short to the nearest callers whose visits are long enough.

    A visit can be told where more plain time is spent in and below it than its own measurement adds to it.
    What is shorter (an accessor) is a part of its caller to anyone who measures. What no filter touches is
    told.
    """
    inclusive = run.tree.inclusive(plain[:, None])[:, 0]
    long = (inclusive > INSIDE * cost * run.visits) | ~filterable(run.regions)[run.tree.region]
    home = run.tree.nearest(long | run.tree.roots)
    return np.bincount(home, plain, len(run.tree)).astype(np.float64)


def _settled(run: RunEvidence, baseline: float, measured: float, events: float) -> float:
    lost = (run.wall - baseline) * events / run.busiest
    if not 0.0 < lost < measured:
        what = f"a run of {run.wall:.4g} s with {measured:.4g} core-s of computing cannot take {baseline:g} s"
        raise UsageError(what, where=run.source, hint="give the duration of the same run, uninstrumented")
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
