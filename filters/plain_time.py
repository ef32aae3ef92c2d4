"""The plain time of measured call paths: what they would take if nothing were recorded.

The cost of a visit falls partly into the visited region and partly into its caller, so that one profile
shows it twice: no leaf can take less per visit than the first part, no caller less per visit of its callees
than the second. What a caller takes beyond that is its own work (docs/explanations/filters.md).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from filters.cost import INSIDE, EventCost, child_visits
from filters.evidence import RunEvidence
from filters.scorep_format.matcher import filterable
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.profile import RegionTable
from ingest.region_class import USEFUL, regions_in

CLEAR, CLEAR_LEAF = 2.0, 3.0  # times the usual cost from which a call path's time is not in doubt
ENOUGH_VISITS = 1000  # of a call path, to see the cost of a visit in it
CHEAPEST, LEAST_OF_CALLERS = 0.1, 0.05  # quantiles over leaves and callers, weighted with visits
LEAST_PLAUSIBLE, PLAUSIBLE = 0.25, 2.0  # times the expected cost, between which time per visit is cost
MOST_OUTSIDE = 1.4  # of the cost inside the region, that the least one in callers can be
MARGIN = 0.15  # of the cost of a visit and two callees, that a visit may take beyond the usual cost
TRIVIAL = 0.65e-9  # plain seconds per visit of what is mostly overhead, learned (benchmarks/overhead)
TRUST = 0.6  # weight of what callers show beside visits times `TRIVIAL`, in logarithms; learned
LEVEL_SPREAD = 0.74  # of the logarithm of that estimate over true plain time; learned
SCALE_SPREAD = 0.2  # the same from one scale of a program to another
LEAVES_SPREAD = 0.2  # of the logarithm of the cost that the cheapest leaves show
USUAL_SPREAD = 0.1  # of the logarithm of the usual cost
KNOWN_SPREAD = 0.05  # of the logarithm of a plain time that was measured
UNEVEN = 0.02  # relative error of the cost from one caller to the next; learned
HOPELESS = 1e9  # overhead over plain time of a call path, from which it does not matter
LEAST_LEFT = 0.1  # of a time that is not in doubt, whatever a single run shows
LEAST_TRUST = 0.1  # of visits times `TRIVIAL`, which callers show at least
TAIL = 1.645  # standard deviations to either end of a 90 % interval
_GRID = 4000


@dataclass(frozen=True, eq=False, kw_only=True)
class Visited:
    """Runs of one program on one call tree: n call paths, R runs, sums over CPU locations.

    Attributes:
        tree: the call tree.
        regions: the regions of the call paths.
        visits: float64[n, R].
        time: float64[n, R], exclusive time in core-seconds, as measured.
    """

    tree: CallTree
    regions: RegionTable
    visits: FloatArray
    time: FloatArray

    @cached_property
    def computing(self) -> BoolArray:
        """bool[n], the call paths that compute; the others communicate or wait."""
        return regions_in(self.regions, USEFUL)[self.tree.region]

    @cached_property
    def callee_visits(self) -> FloatArray:
        """float64[n, R], visits of the direct callees."""
        return child_visits(self.tree, self.visits)

    @cached_property
    def events(self) -> FloatArray:
        """float64[n, R], how many visits' cost lies in each call path's exclusive time."""
        return INSIDE * self.visits + (1 - INSIDE) * self.callee_visits

    @property
    def measured(self) -> FloatArray:
        """float64[R], the measured computing time."""
        total: FloatArray = self.time[self.computing].sum(axis=0)
        return total


@dataclass(frozen=True)
class KnownPlain:
    """A plain computing time that is known from elsewhere.

    Attributes:
        total: core-seconds.
        spread: standard deviation of its logarithm.
    """

    total: float
    spread: float = KNOWN_SPREAD


def visited(run: RunEvidence) -> Visited:
    """Take a single run."""
    return Visited(tree=run.tree, regions=run.regions, visits=run.visits[:, None], time=run.time[:, None])


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
        runs: measured without a filter, or with one.
        cost: the cost of a visit.
        known: float64[R], plain computing time in core-seconds, NaN for runs of which it is unknown.
        known_spread: standard deviation of the logarithm of known times.
    """
    known = np.full(runs.time.shape[1], np.nan) if known is None else known
    shown = show_times(runs, cost)
    guess, inside = shown.total, runs.events[runs.computing].sum(axis=0)
    total, low, high = (guess.copy() for _ in range(3))
    level, narrower = _level(guess, known)
    for r in np.flatnonzero((inside > 0) & (guess > 0)).tolist():
        measured = float(runs.measured[r])
        if np.isfinite(known[r]):
            total[r] = min(float(known[r]), measured)
            low[r], high[r] = (total[r] * np.exp(side * TAIL * known_spread) for side in (-1, 1))
            high[r] = min(high[r], measured)
        else:
            middle = min(float(guess[r]) * np.exp(level), measured)
            doubt = max(float(shown.deviation[r]) * narrower, KNOWN_SPREAD)
            total[r], low[r], high[r] = _posterior(measured, float(inside[r]), middle, doubt, cost)
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


@dataclass(frozen=True, eq=False)
class Shown:
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


def show_times(runs: Visited, cost: EventCost) -> Shown:
    """Guess each call path's plain time from what it shows by itself.

    A call path with clearly more than the cost of its events keeps its time less that cost. Any other caller
    has what exceeds the least cost of its callees' visits and the usual cost of its own: per event the median
    over all runs, so that the noise of a single run does not count. Any other leaf has nothing, since it is
    part of its caller if nothing is recorded. The sum over all that is not clear is combined with what as
    many visits take in other programs.
    """
    inside, outside = usual_costs(runs, cost)
    taken = inside * runs.visits + outside * runs.callee_visits
    margin = MARGIN * (inside + 2 * outside) * runs.visits
    calls, events = runs.callee_visits > 0, runs.visits + runs.callee_visits
    rate = np.divide(runs.time - taken - margin, events, out=np.full(events.shape, np.nan), where=calls)
    excess = np.maximum(_median(rate), 0.0)[:, None] * events
    ratio = np.divide(runs.time, taken, out=np.full(events.shape, np.nan), where=taken > 0)
    clear = _median(ratio) > np.where(calls.any(axis=1), CLEAR, CLEAR_LEAF)
    doubted = (runs.computing & ~clear)[:, None]
    trivial = TRIVIAL * np.where(doubted, runs.visits, 0.0)
    excess = np.where(doubted, np.maximum(excess, LEAST_TRUST * trivial), 0.0)
    shown, expected = excess.sum(), trivial.sum()
    itself = np.where(doubted, excess, np.maximum(runs.time - taken, LEAST_LEFT * runs.time)).sum(axis=1)
    excess *= (expected / shown) ** (1 - TRUST) if shown > 0 else 1.0
    callpath = np.where(
        doubted, np.minimum(excess, runs.time), np.maximum(runs.time - taken, LEAST_LEFT * runs.time)
    )
    callpath = np.where(runs.computing[:, None], callpath, runs.time)
    total = callpath[runs.computing].sum(axis=0)
    of_level = LEVEL_SPREAD * np.where(doubted, callpath, 0.0).sum(axis=0)
    of_cost = USUAL_SPREAD * taken[runs.computing & clear].sum(axis=0)
    error = np.hypot(of_level, of_cost)
    deviation = np.divide(error, total, out=np.zeros(len(total)), where=total > 0)
    return Shown(callpath, total, deviation, itself)


def calibrate_by_leaves(runs: Visited, default: EventCost | None = None) -> EventCost:
    """Find the cost of a visit from the cheapest leaf regions, which show the part of it inside them.

    They bound it from above: if they take longer than expected, half of that (in logarithms) is put down to
    their own work. Without leaves that are visited often the default stays.
    """
    default = default or EventCost()
    leaves = _often_visited_leaves(runs)
    if not leaves.any():
        return default
    visits = runs.visits[leaves]
    cheapest = weighted_quantile(runs.time[leaves] / visits, visits, CHEAPEST)
    ratio = cheapest / (INSIDE * default.recorded)
    if not LEAST_PLAUSIBLE <= ratio <= PLAUSIBLE:
        return default
    factor = min(ratio, ratio**0.5)
    return EventCost(
        default.recorded * factor, default.filtered * factor, LEAVES_SPREAD, "the cheapest leaf regions"
    )


def usual_costs(runs: Visited, cost: EventCost) -> tuple[FloatArray, FloatArray]:
    """Return the usual cost of a visit inside the region and the least one in its caller, float64[R].

    They are the median over leaves that are visited often and take no more than twice the cheapest of them,
    and a low quantile over callers; each is the given cost if nothing takes as little. The second is at most
    1.4 times the first, so that few callers, all with work of their own, do not pass for the cost.
    """
    expected_inside, expected_outside = INSIDE * cost.recorded, (1 - INSIDE) * cost.recorded
    leaves, callers = (
        _often_visited_leaves(runs),
        runs.computing[:, None] & (runs.callee_visits >= ENOUGH_VISITS),
    )
    inside, outside = (np.empty(runs.time.shape[1]) for _ in range(2))
    for r in range(len(inside)):
        leaf, caller = leaves[:, r], callers[:, r]
        visits, callees, time = runs.visits[:, r], runs.callee_visits[:, r], runs.time[:, r]
        own = time[leaf] / visits[leaf]
        inside[r] = _plausible_quantile(own, visits[leaf], 0.5, expected_inside)
        beside = (time[caller] - inside[r] * visits[caller]) / callees[caller]
        least = _plausible_quantile(beside, callees[caller], LEAST_OF_CALLERS, expected_outside)
        outside[r] = min(least, MOST_OUTSIDE * inside[r])
    return inside, outside


def _often_visited_leaves(runs: Visited) -> BoolArray:
    often: BoolArray = runs.computing[:, None] & (runs.callee_visits == 0) & (runs.visits >= ENOUGH_VISITS)
    return often


def _plausible_quantile(values: FloatArray, weight: FloatArray, share: float, expected: float) -> float:
    """A weighted quantile of the values that can be a cost; the expected cost if there is none."""
    usable = (values >= LEAST_PLAUSIBLE * expected) & (values <= PLAUSIBLE * expected)
    if not usable.any():
        return expected
    cheapest = weighted_quantile(values[usable], weight[usable], CHEAPEST)
    usable &= values <= PLAUSIBLE * cheapest
    return weighted_quantile(values[usable], weight[usable], share)


def weighted_quantile(values: FloatArray, weight: FloatArray, share: float) -> float:
    """Return the smallest value up to which a share of the weight lies."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])


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
