"""The plain time of measured call paths: what they would take if nothing were recorded.

What a caller takes beyond the least cost of its callees' visits is its own work (`filters.event_cost`). How
it is done, how well, and when not to trust it: docs/explanations/true-times.md. Numbers called learned are
those of `python -m benchmarks.overhead learn`.
"""

from dataclasses import dataclass

import numpy as np

from filters.event_cost import INSIDE, EventCost, Visited, usual_costs
from filters.evidence import filterable
from ingest.arrays import BoolArray, FloatArray, IntArray

CLEAR, CLEAR_LEAF = 2.0, 3.0  # times the usual cost from which a call path's time is not in doubt
MARGIN = 0.15  # of the cost of a visit and two callees, that a visit may take beyond the usual cost
TRIVIAL = 0.65e-9  # plain seconds per visit of what is mostly overhead; learned
TRUST = 0.6  # weight of what callers show beside visits times `TRIVIAL`, in logarithms; learned
LEVEL_SPREAD = 0.74  # of the logarithm of that estimate over true plain time; learned
SCALE_SPREAD = 0.2  # the same from one scale of a program to another; learned
USUAL_SPREAD = 0.1  # of the logarithm of the usual cost
KNOWN_SPREAD = 0.05  # of the logarithm of a plain time that was measured
UNEVEN = 0.02  # relative error of the cost from one caller to the next
HOPELESS = 1e9  # overhead over plain time of a call path, from which it does not matter
LEAST_LEFT = 0.1  # of a time that is not in doubt, whatever a single run shows
LEAST_TRUST = 0.1  # of visits times `TRIVIAL`, which callers show at least
TAIL = 1.645  # standard deviations to either end of a 90 % interval
_GRID = 4000


@dataclass(frozen=True)
class KnownPlain:
    """A plain computing time that is known from elsewhere.

    Attributes:
        total: core-seconds.
        spread: standard deviation of its logarithm.
    """

    total: float
    spread: float = KNOWN_SPREAD


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainTimes:
    """Estimates of the computing time without measurement: n call paths, R runs.

    Attributes:
        callpath: float64[n, R], exclusive core-seconds; communication has its measured time here.
        total: float64[R], computing time in core-seconds.
        low, high: float64[R], it lies between them with a probability of 90 %.
        cost: float64[R], seconds per visit that explain the rest of the measured time.
        measurable: bool[n], the call paths whose time exceeds what the correction leaves uncertain.
        deviation: float64[n], standard deviation of the logarithm of what all runs of a call path have wrong.
        total_deviation: the same of the totals.
    """

    callpath: FloatArray
    total: FloatArray
    low: FloatArray
    high: FloatArray
    cost: FloatArray
    measurable: BoolArray
    deviation: FloatArray
    total_deviation: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Doubts:
    """Call paths whose time is mostly overhead, and what they show beyond it.

    Attributes:
        doubtful: bool[n].
        taken: float64[n, R], the usual cost of the visits in every call path, in core-seconds.
        excess: float64[n, R], core-seconds beyond it; zero for what is not doubtful.
        trivial: float64[n, R], what as many visits take in other programs; zero for what is not doubtful.
    """

    doubtful: BoolArray
    taken: FloatArray
    excess: FloatArray
    trivial: FloatArray


@dataclass(frozen=True, eq=False)
class ShownTimes:
    """What call paths show of their plain time.

    Attributes:
        callpath: float64[n, R] in core-seconds; communication has its measured time here.
        total: float64[R], of all that compute.
        deviation: float64[R], standard deviation of the logarithm of the total.
        itself: float64[n], core-seconds of all runs that a call path shows, whatever other programs do.
    """

    callpath: FloatArray
    total: FloatArray
    deviation: FloatArray
    itself: FloatArray


def doubts(runs: Visited, cost: EventCost) -> Doubts:
    """Separate call paths that clearly exceed the cost of their events from those that are mostly overhead.

    A doubtful caller has what exceeds the least cost of its callees' visits and the usual cost of its own:
    per event the median over all runs, so that the noise of a single run does not count. A doubtful leaf has
    nothing, since it is part of its caller if nothing is recorded.
    """
    inside, outside = usual_costs(runs, cost)
    taken = inside * runs.visits + outside * runs.callee_visits
    margin = MARGIN * (inside + 2 * outside) * runs.visits
    calls, events = runs.callee_visits > 0, runs.visits + runs.callee_visits
    unknown = np.full(events.shape, np.nan)
    rate = np.divide(runs.time - taken - margin, events, out=unknown.copy(), where=calls)
    ratio = np.divide(runs.time, taken, out=unknown.copy(), where=taken > 0)
    clear = _median(ratio) > np.where(calls.any(axis=1), CLEAR, CLEAR_LEAF)
    doubtful = runs.computing & ~clear
    trivial = TRIVIAL * np.where(doubtful[:, None], runs.visits, 0.0)
    excess = np.where(doubtful[:, None], np.maximum(_median(rate), 0.0)[:, None] * events, 0.0)
    return Doubts(
        doubtful=doubtful, taken=taken, excess=np.maximum(excess, LEAST_TRUST * trivial), trivial=trivial
    )


def show_times(runs: Visited, cost: EventCost) -> ShownTimes:
    """Guess each call path's plain time from what it shows by itself.

    What is not doubtful keeps its time less the cost. The sum of what doubtful call paths show is combined
    with what as many visits take in other programs; their shares of it stay.
    """
    found = doubts(runs, cost)
    clear = np.maximum(runs.time - found.taken, LEAST_LEFT * runs.time)
    shown, expected = found.excess.sum(), found.trivial.sum()
    scale = (expected / shown) ** (1 - TRUST) if shown > 0 else 1.0
    doubtful = found.doubtful[:, None]
    callpath = np.where(doubtful, np.minimum(scale * found.excess, runs.time), clear)
    callpath = np.where(runs.computing[:, None], callpath, runs.time)
    total = callpath[runs.computing].sum(axis=0)
    of_level = LEVEL_SPREAD * callpath[found.doubtful].sum(axis=0)
    of_cost = USUAL_SPREAD * found.taken[runs.computing & ~found.doubtful].sum(axis=0)
    error = np.hypot(of_level, of_cost)
    return ShownTimes(
        callpath,
        total,
        np.divide(error, total, out=np.zeros(len(total)), where=total > 0),
        np.where(doubtful, found.excess, clear).sum(axis=1),
    )


def estimate_plain_times(
    runs: Visited, cost: EventCost, known: FloatArray | None = None, known_spread: float = KNOWN_SPREAD
) -> PlainTimes:
    """Split the measured computing times T into plain times P and the cost of the events in them.

    With E visits whose cost lies in computing time, c = (T - P) / E. Two things are known of P. First, c is
    near the given cost (log-normal, `EventCost.spread`). Second, P is near what the call paths show one by
    one (`show_times`; log-normal, `LEVEL_SPREAD` where they are mostly overhead). If events cost little of
    T, the first decides; if they are nearly all of T, the difference T - c E says nothing, and the second
    decides. What all runs of a program show too much or too little is common to them, so that a plain time
    that is known for one of them corrects the others.

    Args:
        known: float64[R], plain computing time in core-seconds, NaN for runs of which it is unknown.
    """
    known = np.full(runs.time.shape[1], np.nan) if known is None else known
    shown = show_times(runs, cost)
    inside = runs.events_computing
    total, low, high = _totals(runs.measured, inside, shown, cost, known, known_spread)
    left = runs.measured - total
    costs = np.divide(left, inside, out=np.full(len(left), cost.recorded), where=inside > 0)
    callpath = _brought_to(total, shown.callpath, runs, costs)
    deviation, common = _deviations(runs, callpath, costs, low, high)
    taken = (costs * runs.events).sum(axis=1)
    measurable = (UNEVEN * taken < shown.itself) | ~runs.computing
    return PlainTimes(
        callpath=callpath,
        total=total,
        low=low,
        high=high,
        cost=costs,
        measurable=measurable,
        deviation=np.where(runs.computing, deviation, 0.0),
        total_deviation=common,
    )


def _totals(
    measured: FloatArray,
    events: FloatArray,
    shown: ShownTimes,
    cost: EventCost,
    known: FloatArray,
    known_spread: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Plain computing times with the ends of their 90 % intervals, float64[R] each."""
    total, low, high = (shown.total.copy() for _ in range(3))
    level, narrower = _level(shown.total, known)
    for r in np.flatnonzero((events > 0) & (shown.total > 0)).tolist():
        most = float(measured[r])
        if np.isfinite(known[r]):
            total[r] = min(float(known[r]), most)
            low[r], high[r] = (total[r] * np.exp(side * TAIL * known_spread) for side in (-1, 1))
            high[r] = min(high[r], most)
        else:
            middle = min(float(shown.total[r]) * np.exp(level), most)
            doubt = max(float(shown.deviation[r]) * narrower, KNOWN_SPREAD)
            total[r], low[r], high[r] = _posterior(most, float(events[r]), middle, doubt, cost)
    return total, low, high


def _median(rate: FloatArray) -> FloatArray:
    """Median over runs, float64[n]; 0 if none is known."""
    seen = np.isfinite(rate).any(axis=1)
    found = np.zeros(len(rate))
    found[seen] = np.nanmedian(rate[seen], axis=1)
    return found


def _level(guess: FloatArray, known: FloatArray) -> tuple[float, float]:
    """What guesses lack, in logarithms, judged by the runs whose plain time is known.

    Returns:
        What they lack, and the part of their deviation that is left.
    """
    usable = np.isfinite(known) & (guess > 0)
    if not usable.any():
        return 0.0, 1.0
    lack = np.log(known[usable] / guess[usable]).mean()
    left = SCALE_SPREAD * (1.0 + 1.0 / usable.sum()) ** 0.5
    return float(lack), float(left) / LEVEL_SPREAD


def _posterior(
    measured: float, events: float, guess: float, spread: float, cost: EventCost
) -> tuple[float, float, float]:
    """Return mode and tails of ln P, on a grid of ln(P / (T - P)) that is fine at both ends."""
    expected = np.log(measured) - np.log(cost.recorded * events)
    first = np.log(guess) - np.log(measured) - 6 * spread
    odds = np.linspace(first, max(expected, 0.0) + 2 + 6 * cost.spread, _GRID)
    kept, lost = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)  # ln P / T and ln (T - P) / T
    from_cost = (lost + expected) / cost.spread
    from_shape = (kept + np.log(measured) - np.log(guess)) / spread
    density = -0.5 * (from_cost**2 + from_shape**2)
    cumulative = np.cumsum(np.exp(density - density.max() + lost))
    plain = measured * np.exp(kept)
    low, high = np.interp(np.array([0.05, 0.95]) * cumulative[-1], cumulative, plain)
    best = float(plain[density.argmax()])
    return best, min(float(low), best), max(float(high), best)


def _brought_to(total: FloatArray, shown: FloatArray, runs: Visited, cost: FloatArray) -> FloatArray:
    """Bring the computing call paths to the estimated sums, float64[n, R]; none gets more than was measured.

    What events hardly touch is not in doubt, so the difference goes to the others first: in proportion to
    what they show, at most what their events cost. What is left goes to all.
    """
    computes = runs.computing[:, None]
    plain = np.where(computes, shown, 0.0)
    plain = _moved(plain, total, np.minimum(plain, cost * runs.events), runs.time)
    plain = _moved(plain, total, plain, runs.time)
    plain = _moved(plain, total, np.where(computes, runs.time - plain, 0.0), runs.time)
    return np.where(computes, plain, runs.time)


def _moved(plain: FloatArray, total: FloatArray, weight: FloatArray, most: FloatArray) -> FloatArray:
    """Distribute what is missing in the sums, float64[R], by weight, between zero and the most."""
    missing, room = total - plain.sum(axis=0), weight.sum(axis=0)
    factor = np.divide(missing, room, out=np.zeros(len(room)), where=room > 0)
    return np.asarray(np.clip(plain + weight * factor, 0.0, most))


def _deviations(
    runs: Visited, callpath: FloatArray, cost: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, float]:
    """What may be wrong in common to all runs: of each call path, float64[n], and of the totals.

    A call path has its part in the error of the mean cost, in that of the cost from one caller to the next,
    and in that of the level.
    """
    computed = runs.measured
    level, of_cost = (
        float(np.max(np.log(np.divide(*ends, out=np.ones(len(low)), where=ends[1] > 0)), initial=0.0))
        / (2 * TAIL)
        for ends in ((high, low), (computed - low, computed - high))
    )
    taken, plain = (cost * runs.events).sum(axis=1), callpath.sum(axis=1)
    doubt = np.divide(taken, plain, out=np.full(len(plain), HOPELESS), where=plain > taken / HOPELESS)
    doubt[taken == 0] = 0.0
    parts = (np.hypot(of_cost, UNEVEN) * doubt, level * np.minimum(doubt, 1.0))
    return np.hypot(*parts), level


def measurable_callers(runs: Visited, plain: FloatArray, cost: FloatArray, candidates: BoolArray) -> IntArray:
    """Return where each call path can be measured: itself or its nearest measurable caller, int64[n].

    A visit can be measured if more plain time is spent in and below it than its own measurement adds to it.
    What is shorter (an accessor) is a part of its caller to anyone who measures; what cannot be filtered is
    measured in any case.

    Args:
        runs: n call paths, R runs.
        plain: float64[n, R], plain exclusive times.
        cost: float64[R], seconds per visit.
        candidates: bool[n], the call paths that nothing else speaks against.
    """
    inclusive = runs.tree.inclusive(plain).sum(axis=1)
    long = inclusive > (INSIDE * cost * runs.visits).sum(axis=1)
    fixed = ~filterable(runs.regions)[runs.tree.region] | runs.tree.roots
    return runs.tree.nearest((long & candidates) | fixed)
