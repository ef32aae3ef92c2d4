"""The plain time of measured call paths: what they would take if nothing were recorded.

What a caller takes beyond the least cost of its callees' visits is its own work (`filters.event_cost`). How
it is done, how well, and when not to trust it: docs/explanations/true-times.md. Numbers called learned are
those of `python -m benchmarks.overhead learn`.

T = P + c E for clear and for doubtful call paths: measured time, plain time, cost of a visit, visits. The
clear ones have P if c is known; of the doubtful ones, nearly all of whose time is visits, P says what c is
and c what P is. Both are common to all runs of a program, but for what differs from one scale or run to the
next, so that a plain time that is known at one scale tells the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.event_cost import INSIDE, EventCost, Visited, least_costs, usual_costs
from filters.evidence import filterable
from filters.known_plain import RUN_SPREAD, TAIL, KnownPlain
from ingest.arrays import BoolArray, FloatArray, IntArray

_SCATTER = ((0.5, 0.4), (1.0, 0.4), (2.0, 0.2))  # times these spreads, and how probable; learned
_WRONG, _ANY = 0.05, 0.2  # probability that a known time is of something else, density of its logarithm then
_FUNCTIONS_WORK, _STEEP = 0.09, 3.0  # of the cost of a visit, from which what is shown is work; learned
_MOST_OF_WORK, _LEAST_OF_WORK = 0.75, 0.1  # probabilities of work far above that share and far below it
_IS_WORK = 0.8  # of what exceeds the least cost, the rest is that single call paths cost more; learned
_MOST_SAVED = 1.1  # logarithm of how much more than visits cost optimisation saves, at most; learned
_MOST_HIDDEN = 0.9  # the same for visits whose cost overlaps with work; learned
_LEAST_CLEAR = 0.05  # of clear time that is left, whatever visits cost
_LEAST = 1e-9  # of doubtful time; less is nothing
_NOTHING = 1e-30  # core-seconds
_STEPS, _NODES = 160, 6
_NORMAL = np.array([-1.64, -1.04, -0.67, -0.39, -0.13, 0.13, 0.39, 0.67, 1.04, 1.64])  # middles of tenths
_NEGLIGIBLE = 1e-6  # weight over the largest one


@dataclass(frozen=True, eq=False, kw_only=True)
class RunTimes:
    """The times of R runs in core-seconds, read in one way, and the events whose cost lies in them."""

    weight: float  # how probable it is
    clear: FloatArray  # float64[R], of call paths that clearly exceed the cost of their events
    clear_events: FloatArray
    doubtful: FloatArray  # float64[R], of those that are mostly overhead
    doubtful_events: FloatArray
    shown: FloatArray  # float64[R], what those show of their plain time if most of them do no work
    excess: FloatArray  # float64[R], the same if they do: what exceeds the least cost of visits


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """What is known before of a program."""

    cost: EventCost  # of a visit
    core_spread: float = 0.05  # of the logarithm of the cost in one program over its usual one; learned
    level_spread: float = 0.6  # of the logarithm of the plain time over what is shown without work; learned
    work_spread: float = 0.8  # the same with work; learned
    scale_spread: float = 0.22  # of what is shown, from one scale of a program to another; learned
    saved: float = 0.12  # probability that optimisation across calls saves more than visits cost; learned
    hidden: float = 0.1  # that visits cost less, since the processor works on meanwhile; learned


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainPosterior:
    """K plausible answers for R runs."""

    weight: FloatArray  # float64[K], how probable each is; they add up to 1
    plain: FloatArray  # float64[K, R], logarithms of plain computing times
    spread: FloatArray  # float64[K, R], their standard deviations from one scale and run to the next
    cost: FloatArray  # float64[K, R], seconds per event of the measured time

    def times(self, *shares: float) -> tuple[FloatArray, ...]:
        """Return the plain times below which shares of the weight lie, float64[R] each."""
        return tuple(np.exp(found) for found in self._quantiles(self.plain, self.spread, shares))

    def costs(self, *shares: float) -> tuple[FloatArray, ...]:
        """Return the costs of an event below which shares of the weight lie, float64[R] each."""
        return self._quantiles(self.cost, np.zeros_like(self.cost), shares)

    def common_spread(self) -> float:
        """Return the standard deviation of what all runs have too much or too little."""
        mean = self.plain.mean(axis=1)
        return float(np.sqrt(max(self.weight @ mean**2 - (self.weight @ mean) ** 2, 0.0)))

    def own_spread(self) -> float:
        """Return the typical standard deviation of what a single scale has beside that."""
        return float(np.sqrt((self.weight @ self.spread**2).mean()))

    def _quantiles(
        self, centre: FloatArray, spread: FloatArray, shares: Sequence[float]
    ) -> tuple[FloatArray, ...]:
        found = np.empty((len(shares), centre.shape[1]))
        offset = _NORMAL if spread.any() else np.zeros(1)
        weight = np.repeat(self.weight, len(offset)) / len(offset)
        for r in range(centre.shape[1]):
            values = (centre[:, r, None] + spread[:, r, None] * offset).ravel()
            order = np.argsort(values)
            reached = np.cumsum(weight[order]) - 0.5 * weight[order]
            found[:, r] = np.interp(shares, reached, values[order])
        return tuple(found)


def posterior(
    readings: Sequence[RunTimes], beliefs: Beliefs, known: KnownPlain | None = None
) -> PlainPosterior:
    """Weigh all that can be by what is believed and by what is known of the R runs of one or more readings.

    What is known of several runs of one scale counts once.
    """
    weight, plain, doubt = (
        np.concatenate(part) for part in zip(*(_plausible(one, beliefs) for one in readings), strict=True)
    )
    scatter, probable = np.array(_SCATTER).T
    weight = (weight[:, None] + np.log(probable)).ravel()
    plain, doubt = (np.repeat(part, len(scatter), axis=0) for part in (plain, doubt))
    each = np.tile(scatter, len(doubt) // len(scatter))[:, None]
    spread = each * np.hypot(beliefs.scale_spread * doubt, RUN_SPREAD)
    weight, plain, spread = _likely(weight, plain, spread)
    if known is not None:
        weight, plain, spread = _likely(_weighed(weight, plain, spread, known), plain, spread)
    one = readings[0]
    events = np.maximum(one.clear_events + one.doubtful_events, 1.0)
    cost = np.maximum(one.clear + one.doubtful - np.exp(plain), 0.0) / events
    if known is not None:
        told = np.isfinite(known.total)
        plain = np.where(told, np.log(np.where(told, known.total, 1.0)), plain)
        spread = np.where(told, known.spread, spread)
    return PlainPosterior(weight=np.exp(weight), plain=plain, spread=spread, cost=cost)


def _likely(weight: FloatArray, *values: FloatArray) -> tuple[FloatArray, ...]:
    """Leave out what is next to impossible; logarithms of weights that add up to 1, and the values."""
    kept = weight > weight.max() + np.log(_NEGLIGIBLE)
    weight = weight[kept] - weight.max()
    return weight - np.log(np.exp(weight).sum()), *(one[kept] for one in values)


def _weighed(weight: FloatArray, plain: FloatArray, spread: FloatArray, known: KnownPlain) -> FloatArray:
    """Multiply by the likelihood of the known plain times of every scale."""
    for point in np.unique(known.point[np.isfinite(known.total)]).tolist():
        runs = (known.point == point) & np.isfinite(known.total)
        time = np.log(known.total[runs]).mean()
        expected = plain[:, runs].mean(axis=1)
        error = np.hypot(spread[:, runs].mean(axis=1), known.spread[runs].mean())
        weight = weight + np.log((1 - _WRONG) * _normal(time - expected, error) + _WRONG * _ANY)
    return weight


def _plausible(run: RunTimes, beliefs: Beliefs) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of weights, float64[K], and of plain times, float64[K, R]; what share of these is in doubt.

    What optimisation saves beyond the cost of visits goes with all visits, and is found in clear call paths.
    """
    doubtful, costlier, weight, doubt = _of_doubtful(run, beliefs)
    told = float(run.doubtful_events.sum() / max((run.doubtful_events + run.clear_events).sum(), 1.0))
    costlier = told * costlier  # the fewer, the less they tell
    spread = np.hypot(beliefs.core_spread, beliefs.cost.spread)
    step = (np.arange(_NODES) + 0.5) / _NODES
    factor = np.exp(np.concatenate([spread * _NORMAL, -_MOST_HIDDEN * step, np.zeros(_NODES)]))
    saved = np.concatenate([np.zeros(len(_NORMAL) + _NODES), np.expm1(_MOST_SAVED * step)])
    count = np.array([len(_NORMAL), _NODES, _NODES])
    share = np.array([1 - beliefs.saved - beliefs.hidden, beliefs.hidden, beliefs.saved]) / count
    share = np.repeat(share, count)
    every = run.clear_events + run.doubtful_events
    events = factor[:, None] * run.clear_events + saved[:, None] * every
    spent = beliefs.cost.recorded * np.exp(costlier)[:, None, None] * events
    clear = np.maximum(run.clear - spent, _LEAST_CLEAR * run.clear)
    total = np.maximum(doubtful[:, None, :] + clear, _NOTHING)
    weight = np.log(run.weight) + weight[:, None] + np.log(share)
    runs = total.shape[-1]
    return weight.ravel(), np.log(total).reshape(-1, runs), (doubt[:, None, :] / total).reshape(-1, runs)


def _of_doubtful(run: RunTimes, beliefs: Beliefs) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Plain times of doubtful call paths, how much costlier than usual visits then are, weights, and doubts.

    All runs have more or less of what is shown in common: the odds P / (T - P) of every run times a factor.
    Where P is small, that is a factor of P, where T - P is small, one of the cost.
    """
    time, everything = run.doubtful, float(run.doubtful.sum())
    if not (run.doubtful_events.sum() > 0 and everything > _LEAST * run.clear.sum() and run.shown.any()):
        return time[None, :], np.zeros(1), np.zeros(1), np.zeros((1, len(time)))
    share = time / everything
    time = np.maximum(time, _NOTHING)
    shown = np.maximum(run.shown, _LEAST * time)
    usual = beliefs.cost.recorded * np.maximum(run.doubtful_events, 1.0)
    odds = np.log(shown) - np.log(np.maximum(time - shown, _LEAST * time))
    spread = float(np.hypot(beliefs.core_spread, beliefs.cost.spread))
    first = -6 * max(beliefs.level_spread, beliefs.work_spread)
    last = max(float(np.log(time / usual).max()), 0.0) + 2 + 6 * spread - float(odds.min())
    odds = odds + np.linspace(first, max(last, -first), _STEPS)[:, None]
    kept, lost = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
    costlier = (np.log(time / usual) + lost) @ share
    level = (np.log(time / shown) + kept) @ share
    density = np.log(_level_density(level, run, share, beliefs)) + np.log(
        _cost_density(costlier, spread, beliefs)
    )
    weight = density - density.max()
    return time * np.exp(kept), costlier, weight - np.log(np.exp(weight).sum()), time * np.exp(kept + lost)


def _level_density(level: FloatArray, run: RunTimes, share: FloatArray, beliefs: Beliefs) -> FloatArray:
    """Density of the logarithm of the plain time of doubtful call paths over what they show.

    They do no work, and then it is what compilers leave of them, or they do, and then it is what their time
    exceeds the cost of visits by. The more that is, the more probable is the second.
    """
    relative = float(run.excess.sum()) / (beliefs.cost.recorded * max(float(run.doubtful_events.sum()), 1.0))
    certain = 1.0 / (1.0 + (_FUNCTIONS_WORK / max(relative, _LEAST)) ** _STEEP)
    works = _LEAST_OF_WORK + (_MOST_OF_WORK - _LEAST_OF_WORK) * certain
    least = np.maximum(_LEAST * run.doubtful, _NOTHING)
    beyond = level - np.log(np.maximum(_IS_WORK * run.excess, least) / np.maximum(run.shown, least)) @ share
    usual, working = _normal(level, beliefs.level_spread), _normal(beyond, beliefs.work_spread)
    return np.asarray((1.0 - works) * usual + works * working + 1e-12)


def _cost_density(costlier: FloatArray, spread: float, beliefs: Beliefs) -> FloatArray:
    """Density of the logarithm of a cost over the usual one: log-normal, with a tail upwards."""
    tail = (
        np.exp(-2 * np.maximum(costlier, 0.0) / _MOST_SAVED + np.minimum(costlier, 0.0) / spread)
        / _MOST_SAVED
    )
    return np.asarray((1 - beliefs.saved) * _normal(costlier, spread) + beliefs.saved * tail + 1e-12)


def _normal(deviation: FloatArray, spread: FloatArray | float) -> FloatArray:
    return np.asarray(np.exp(-0.5 * (deviation / spread) ** 2) / (spread * np.sqrt(2 * np.pi)))


_CLEAR = 2.0  # times the usual cost, from which a caller's time is not in doubt
_NO_WORK, _WORK = 1.4, 2.25  # times the usual cost, up to which a leaf may have no work and from which it has
_MARGIN = 0.15  # of the cost of a visit and two callees, that a visit may take beyond the usual cost
TRIVIAL = 0.8e-9  # plain seconds per visit of what is mostly overhead; learned
_TRUST = 0.6  # weight of what callers show beside visits times `TRIVIAL`, in logarithms; learned
_LEAST_TRUST = 0.1  # of visits times `TRIVIAL`, which callers show at least
_LEAST_LEFT = 0.1  # of a time that is not in doubt, whatever a single run shows
_MOST_LEFT = 0.9  # of a time that is in doubt


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """One way to read the times of n call paths in R runs."""

    weight: float  # how probable it is
    works: FloatArray  # float64[n], how probable it is of each call path that it is not mostly overhead
    # bool[n], the call paths that have their time less the cost of their events; the other ones that compute
    # are mostly overhead
    clear: BoolArray
    callpath: FloatArray  # float64[n, R], plain core-seconds; communication has its measured time here
    # float64[n], core-seconds of all runs that a call path shows, whatever other programs do
    itself: FloatArray
    excess: FloatArray  # float64[n, R], what exceeds the least cost of the visits

    def times(self, runs: Visited) -> RunTimes:
        """Sum up the call paths that are clear and those that are not."""
        clear, doubtful = runs.computing & self.clear, runs.computing & ~self.clear
        return RunTimes(
            weight=self.weight,
            clear=runs.time[clear].sum(axis=0),
            clear_events=runs.events[clear].sum(axis=0),
            doubtful=runs.time[doubtful].sum(axis=0),
            doubtful_events=runs.events[doubtful].sum(axis=0),
            shown=self.callpath[doubtful].sum(axis=0),
            excess=self.excess[doubtful].sum(axis=0),
        )


_ALIKE = 0.25  # of the logarithm of how much less a program waits, from one of its runs to another
_UNEVEN = 0.02  # relative error of the cost from one caller to the next
_HOPELESS = 1e9  # overhead over plain time of a call path, from which it does not matter


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainTimes:
    """Estimates of the computing time without measurement: n call paths, R runs."""

    # float64[n, R], exclusive core-seconds; communication has its measured time here, unless plain times of
    # whole runs are known
    callpath: FloatArray
    total: FloatArray  # float64[R], computing time in core-seconds
    # low, high: float64[R], it lies between them with a probability of 90 %
    low: FloatArray
    high: FloatArray
    cost: FloatArray  # float64[R], seconds that measuring takes per visit
    cost_range: tuple[FloatArray, FloatArray]  # float64[R] each, the ends of its 90 % interval
    measurable: BoolArray  # bool[n], the call paths whose time exceeds what the correction leaves uncertain
    # float64[n], standard deviation of the logarithm of what all runs of a call path have wrong
    deviation: FloatArray
    total_deviation: float  # the same of the totals


def estimate_plain_times(runs: Visited, cost: EventCost, known: KnownPlain | None = None) -> PlainTimes:
    """Split the measured computing times T into plain times P, the cost of their events, and disturbances.

    The call paths of all runs are read (`read_times`), and what is plausible of their sums is weighed by all
    that is known of the runs (`filters.plain_time`).
    """
    readings = read_times(runs, cost)
    found = posterior([reading.times(runs) for reading in readings], Beliefs(cost=cost), known)
    measured, inside = runs.measured, runs.events_computing
    untouched = (inside <= 0) | (measured <= 0)
    low, less, more, high = found.times(0.05, 0.25, 0.75, 0.95)
    low, total, high = (np.where(untouched, measured, time) for time in (low, np.sqrt(less * more), high))
    if known is not None:
        told = np.isfinite(known.total) & ~untouched
        total, low, high = (
            np.where(told, known.total * np.exp(side * TAIL * known.spread), time)
            for side, time in ((0, total), (-1, low), (1, high))
        )
    low, total, high = (np.minimum(time, measured) for time in (low, total, high))
    costs = found.costs(0.05, 0.5, 0.95)
    beside, of_beside = _beside(runs, total, known)
    works, with_work, without = readings[0].works, readings[0], readings[-1]
    shown = works[:, None] * with_work.callpath + (1.0 - works)[:, None] * without.callpath
    itself = works * with_work.itself + (1.0 - works) * without.itself
    callpath = _brought_to(total, shown, runs, costs[1])
    callpath = np.where(runs.computing[:, None], callpath, callpath * beside)
    deviation = _deviations(runs, callpath, costs[1], (costs[0], costs[2]), found.common_spread())
    taken = (costs[1] * runs.events).sum(axis=1)
    stated = known is not None and bool(known.stated.all())
    return PlainTimes(
        callpath=callpath,
        total=total,
        low=low,
        high=high,
        cost=costs[1],
        cost_range=(costs[0], costs[2]),
        measurable=(_UNEVEN * taken < itself) | ~runs.computing,
        deviation=np.where(runs.computing, deviation, of_beside),
        total_deviation=0.0 if stated else float(np.hypot(found.common_spread(), found.own_spread())),
    )


def _beside(runs: Visited, total: FloatArray, known: KnownPlain | None) -> tuple[FloatArray, float]:
    """By what the times of call paths that do not compute are multiplied, float64[R], and how unsure that is.

    Processes wait for others that record visits. Runs whose whole plain time is known show how much less they
    wait without measurement; other runs of the program are assumed to be alike.
    """
    measured = runs.time[~runs.computing].sum(axis=0)
    factor = np.ones(len(total))
    if known is None or not (stated := np.isfinite(known.whole) & (measured > 0)).any():
        return factor, 0.0
    left = np.maximum(known.whole - total, 0.0)
    factor[:] = min(float(left[stated].sum() / measured[stated].sum()), 1.0)
    factor[stated] = left[stated] / measured[stated]
    alike = stated.all() or not (factor[~stated] < 1.0).any()
    return factor, 0.0 if alike else _ALIKE


def _brought_to(total: FloatArray, shown: FloatArray, runs: Visited, cost: FloatArray) -> FloatArray:
    """Bring the computing call paths to the estimated sums, float64[n, R]; none gets more than was measured.

    What events hardly touch is not in doubt, so the difference goes to the others first: in proportion to
    what they show, at most what their events cost. What is left goes to all. What a run took beyond that,
    because it was disturbed, all have in proportion.
    """
    computes = runs.computing[:, None]
    plain = np.where(computes, shown, 0.0)
    undisturbed = np.maximum(runs.measured - cost * runs.events_computing, total)
    plain = _moved(plain, undisturbed, np.minimum(plain, cost * runs.events), runs.time)
    plain = _moved(plain, undisturbed, plain, runs.time)
    plain = _moved(plain, undisturbed, np.where(computes, runs.time - plain, 0.0), runs.time)
    slow = np.divide(total, undisturbed, out=np.ones(len(total)), where=undisturbed > 0)
    return np.where(computes, plain * slow, runs.time)


def _moved(plain: FloatArray, total: FloatArray, weight: FloatArray, most: FloatArray) -> FloatArray:
    """Distribute what is missing in the sums, float64[R], by weight, between zero and the most."""
    missing, room = total - plain.sum(axis=0), weight.sum(axis=0)
    factor = np.divide(missing, room, out=np.zeros(len(room)), where=room > 0)
    return np.asarray(np.clip(plain + weight * factor, 0.0, most))


def _deviations(
    runs: Visited, callpath: FloatArray, cost: FloatArray, ends: tuple[FloatArray, FloatArray], level: float
) -> FloatArray:
    """What may be wrong with a call path in common to all runs, float64[n].

    It has its part in the error of the mean cost, in that of the cost from one caller to the next, and in
    that of the level.
    """
    low, high = ends
    of_cost = float(np.median(np.log(np.divide(high, low, out=np.ones(len(low)), where=low > 0)))) / (
        2 * TAIL
    )
    taken, plain = (cost * runs.events).sum(axis=1), callpath.sum(axis=1)
    doubt = np.divide(taken, plain, out=np.full(len(plain), _HOPELESS), where=plain > taken / _HOPELESS)
    doubt[taken == 0] = 0.0
    return np.asarray(np.hypot(np.hypot(of_cost, _UNEVEN) * doubt, level * np.minimum(doubt, 1.0)))


def measurable_callers(runs: Visited, plain: FloatArray, cost: FloatArray, candidates: BoolArray) -> IntArray:
    """Return where each of n call paths can be measured: itself or its nearest measurable caller, int64[n].

    A visit can be measured if more plain time, float64[n, R], is spent in and below it than its own
    measurement adds to it, at a cost of float64[R] seconds. What is shorter (an accessor) is a part of its
    caller to anyone who measures; what cannot be filtered is measured in any case. Nothing else speaks
    against the candidates, bool[n].
    """
    inclusive = runs.tree.inclusive(plain).sum(axis=1)
    long = inclusive > (INSIDE * cost * runs.visits).sum(axis=1)
    fixed = ~filterable(runs.regions)[runs.tree.region] | runs.tree.roots
    return runs.tree.nearest((long & candidates) | fixed)


# What call paths show of their plain time beyond the usual cost of their visits.
#
# Numbers called learned are those of `python -m benchmarks.overhead learn`.


def read_times(runs: Visited, cost: EventCost) -> Sequence[Reading]:
    """Separate call paths that clearly exceed the cost of their events from those that are mostly overhead.

    A doubtful caller has what exceeds the least cost of its callees' visits and the usual cost of its own:
    per event the median over all runs, so that the noise of a single run does not count. A doubtful leaf has
    nothing, since it is part of its caller if nothing is recorded. Leaves between are accessors that take a
    little longer, or have work of their own: two readings, unless they are clear.
    """
    least_inside, least_outside = least_costs(runs, cost)
    beyond = np.maximum(runs.time - least_inside * runs.visits - least_outside * runs.callee_visits, 0.0)
    inside, outside = usual_costs(runs, cost)
    taken = inside * runs.visits + outside * runs.callee_visits
    margin = _MARGIN * (inside + 2 * outside) * runs.visits
    calls, events = runs.callee_visits > 0, runs.visits + runs.callee_visits
    unknown = np.full(events.shape, np.nan)
    rate = np.divide(runs.time - taken - margin, events, out=unknown.copy(), where=calls)
    excess = np.maximum(_median(rate), 0.0)[:, None] * events
    ratio = _median(np.divide(runs.time, taken, out=unknown.copy(), where=taken > 0))
    works = np.where(
        calls.any(axis=1), ratio > _CLEAR, np.clip((ratio - _NO_WORK) / (_WORK - _NO_WORK), 0.0, 1.0)
    )
    works = np.where(runs.computing, works, 0.0)
    time = np.where((works > 0) & (works < 1), runs.time.sum(axis=1), 0.0)
    probability = float((works * time).sum() / time.sum()) if time.any() else 1.0
    found = [(probability, works > 0), (1.0 - probability, works >= 1)]
    readings = []
    for weight, clear in found:
        if weight > 0:
            callpath, itself = _shown(runs, taken, excess, clear)
            readings.append(
                Reading(
                    weight=weight, works=works, clear=clear, callpath=callpath, itself=itself, excess=beyond
                )
            )
    return readings


def _shown(
    runs: Visited, taken: FloatArray, excess: FloatArray, clear: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Combine the sum of what doubtful call paths show with what as many visits take in other programs."""
    doubtful = (runs.computing & ~clear)[:, None]
    trivial = TRIVIAL * np.where(doubtful, runs.visits, 0.0)
    excess = np.maximum(np.where(doubtful, excess, 0.0), _LEAST_TRUST * trivial)
    shown, expected = excess.sum(), trivial.sum()
    scale = (expected / shown) ** (1 - _TRUST) if shown > 0 else 1.0
    left = np.maximum(runs.time - taken, _LEAST_LEFT * runs.time)
    callpath = np.where(doubtful, np.minimum(scale * excess, _MOST_LEFT * runs.time), left)
    callpath = np.where(runs.computing[:, None], callpath, runs.time)
    return callpath, np.where(doubtful, excess, left).sum(axis=1)


def _median(rate: FloatArray) -> FloatArray:
    """Median over runs, float64[n]; 0 if none is known."""
    seen = np.isfinite(rate).any(axis=1)
    found = np.zeros(len(rate))
    found[seen] = np.nanmedian(rate[seen], axis=1)
    return found
