"""The plain time of measured call paths: what they would take if nothing were recorded.

What a caller takes beyond the least cost of its callees' visits is its own work (`filters.event_cost`). How
it is done, how well, and when not to trust it: docs/explanations/true-times.md. Numbers called learned are
those of `python -m benchmarks.overhead learn`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from filters.event_cost import INSIDE, EventCost, Visited, calibrated, usual_costs
from filters.evidence import filterable
from filters.known_plain import TAIL, KnownPlain
from ingest.arrays import BoolArray, FloatArray, IntArray

_LEVEL_SPREAD = 0.66  # of the logarithm of what doubtful call paths show over their plain time; learned
_CORE_SPREAD = 0.15  # of the logarithm of what a visit costs in one program over its usual cost; learned
_SAVED = 0.12  # probability that optimisation across calls saves more than the visits cost; learned
_MOST_SAVED = 1.1  # logarithm of how much more, at most; learned
_BESIDE = 0.8  # probability that what is doubtful beside heavy kernels has work of any size; learned
_HIDDEN, _MOST_HIDDEN = 0.1, 0.9  # the same for visits whose cost overlaps with work; learned
_LEAST_CLEAR = 0.05  # of clear time that is left, whatever visits cost
_LEAST_SHOWN = 1e-9  # of doubtful time; less is nothing
_STEPS, _NODES = 400, 8
_NORMAL = np.array([-1.64, -1.04, -0.67, -0.39, -0.13, 0.13, 0.39, 0.67, 1.04, 1.64])  # middles of tenths


@dataclass(frozen=True, kw_only=True)
class RunTimes:
    """The times of one run in core-seconds, and the events whose cost lies in them."""

    # clear, clear_events: of clear call paths
    clear: float
    clear_events: float
    # doubtful, doubtful_events: of those that are mostly overhead
    doubtful: float
    doubtful_events: float
    shown: float  # what those show of their plain time


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """What is known before of a program."""

    cost: EventCost  # of a visit
    # spread of the logarithm of what doubtful call paths show over their plain time
    level_spread: float = _LEVEL_SPREAD
    # the same of the cost of a visit, from one part of the program to another
    core_spread: float = _CORE_SPREAD
    saved: float = _SAVED  # probability that optimisation across calls saves more than visits cost
    hidden: float = _HIDDEN  # probability that visits cost less, since the processor works on meanwhile
    beside: float = _BESIDE  # probability that doubtful call paths beside clear ones have work of any size


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
    # bool[n], the call paths that have their time less the cost of their events; the other ones that compute
    # are mostly overhead
    clear: BoolArray
    callpath: FloatArray  # float64[n, R], plain core-seconds; communication has its measured time here
    # float64[n], core-seconds of all runs that a call path shows, whatever other programs do
    itself: FloatArray


_SCALE_SPREAD = 0.25  # of the logarithm of what a program lacks, from one of its scales to another; learned
_PRIOR_RUNS = 4  # of known plain time, that this is worth next to how those of a program differ
_RUN_COST_SPREAD = 0.15  # of the logarithm of the cost of a visit, from one run of a program to another
_LEAST_OF_KNOWN = 0.05  # of a known plain time, that is in doubtful call paths
RUN_SPREAD = 0.06  # of the logarithm of a run time, from one run to the next
_NEVER = 1e-6  # weight of a reading that known times contradict
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
    cost: FloatArray  # float64[R], seconds per visit that explain the rest of the measured time
    measurable: BoolArray  # bool[n], the call paths whose time exceeds what the correction leaves uncertain
    # float64[n], standard deviation of the logarithm of what all runs of a call path have wrong
    deviation: FloatArray
    total_deviation: float  # the same of the totals

    @property
    def of_another_run(self) -> tuple[FloatArray, FloatArray]:
        """Ends of the 90 % intervals of what plain runs take, which scatter, too; float64[R] each."""
        below, above = np.log(self.total / self.low), np.log(self.high / self.total)
        wider = (np.hypot(side, TAIL * RUN_SPREAD) for side in (below, above))
        low, high = (np.exp(side) for side in wider)
        return self.total / low, self.total * high


def estimate_plain_times(runs: Visited, cost: EventCost, known: KnownPlain | None = None) -> PlainTimes:
    """Split the measured computing times T into plain times P, unless known, and the cost of their events.

    Each run by how probable its plain times are (`_plain_times`), given what its call paths show
    (`read_times`). What all runs of a program show too much or too little is common to them, and so is the
    cost of a visit: a plain time that is known for one of them corrects the others.
    """
    if known is None or not np.isfinite(known.total).any():
        readings = read_times(runs, cost)
        beliefs = [Beliefs(cost=cost)] * len(readings)
    else:
        cost = _informed(cost, runs, known)
        found = [_judged(reading, runs, cost, known) for reading in read_times(runs, cost)]
        readings, beliefs = [reading for reading, _ in found], [belief for _, belief in found]
    total, low, high = total_times(runs, readings, beliefs, known)
    beside, of_beside = _beside(runs, total, known)
    stated = known is not None and bool(known.stated.all())
    inside = runs.events_computing
    left = runs.measured - total
    costs = np.divide(left, inside, out=np.full(len(left), cost.recorded), where=inside > 0)
    weights = np.array([reading.weight for reading in readings])
    shown = np.average([reading.callpath for reading in readings], axis=0, weights=weights)
    itself = np.average([reading.itself for reading in readings], axis=0, weights=weights)
    callpath = _brought_to(total, shown, runs, costs)
    callpath = np.where(runs.computing[:, None], callpath, callpath * beside)
    deviation, common = _deviations(runs, callpath, costs, low, high)
    taken = (costs * runs.events).sum(axis=1)
    measurable = (_UNEVEN * taken < itself) | ~runs.computing
    return PlainTimes(
        callpath=callpath,
        total=total,
        low=low,
        high=high,
        cost=costs,
        measurable=measurable,
        deviation=np.where(runs.computing, deviation, of_beside),
        total_deviation=0.0 if stated else float(np.hypot(common, RUN_SPREAD)),
    )


def _informed(cost: EventCost, runs: Visited, known: KnownPlain) -> EventCost:
    """Combine a cost of visits with what runs of known plain time show, each by how sure it is."""
    taken, events = runs.measured - known.total, runs.events_computing
    usable = np.isfinite(taken) & (taken > 0) & (events > 0)
    error = known.spread[usable] * known.total[usable] / taken[usable]
    logs = np.append(np.log(taken[usable] / events[usable]), np.log(cost.recorded))
    elsewhere = np.hypot(cost.spread, _CORE_SPREAD)
    weight = np.append(1.0 / (error**2 + _RUN_COST_SPREAD**2), elsewhere**-2.0)
    mean = float((weight * logs).sum() / weight.sum())
    spread = float(np.hypot(weight.sum() ** -0.5, _RUN_COST_SPREAD))
    return calibrated(float(np.exp(mean)), spread, cost.source)


def _judged(reading: Reading, runs: Visited, cost: EventCost, known: KnownPlain) -> tuple[Reading, Beliefs]:
    """Correct what a reading shows by the runs whose plain time is known, and weigh it by how far it was off.

    What it lacks is common to all runs of a program, but for what differs from one scale to the next.
    """
    measured = [_measured(runs, reading, r) for r in np.flatnonzero(np.isfinite(known.total)).tolist()]
    clear, shown = np.array([(_left(one, cost), one.shown) for one in measured]).T
    total = known.total[np.isfinite(known.total)]
    too_much = np.log(np.maximum(clear / total, 1.0)).mean() / _SCALE_SPREAD
    if not (shown > 0).all():
        weight = reading.weight * float(np.exp(-0.5 * too_much**2))
        return replace(reading, weight=max(weight, _NEVER)), Beliefs(
            cost=cost, core_spread=_RUN_COST_SPREAD, saved=0.0, hidden=0.0, beside=0.0
        )
    lacks = np.log(np.maximum(total - clear, _LEAST_OF_KNOWN * total) / shown)
    count, lack = len(lacks), float(lacks.mean())
    scatter = (_PRIOR_RUNS * _SCALE_SPREAD**2 + ((lacks - lack) ** 2).sum()) / (_PRIOR_RUNS + count - 1)
    weight = reading.weight * float(np.exp(-0.5 * (too_much**2 + (lack / _LEVEL_SPREAD) ** 2)))
    doubtful = (runs.computing & ~reading.clear)[:, None]
    corrected = np.where(doubtful, np.minimum(reading.callpath * np.exp(lack), runs.time), reading.callpath)
    spread = float(np.sqrt(scatter * (1.0 + 1.0 / count)))
    return (
        replace(reading, weight=max(weight, _NEVER), callpath=corrected),
        Beliefs(
            cost=cost, level_spread=spread, core_spread=_RUN_COST_SPREAD, saved=0.0, hidden=0.0, beside=0.0
        ),
    )


def _left(run: RunTimes, cost: EventCost) -> float:
    """Clear time without the cost of its events."""
    return max(run.clear - cost.recorded * run.clear_events, 0.0)


def _measured(runs: Visited, reading: Reading, r: int) -> RunTimes:
    clear, doubtful = runs.computing & reading.clear, runs.computing & ~reading.clear
    return RunTimes(
        clear=float(runs.time[clear, r].sum()),
        clear_events=float(runs.events[clear, r].sum()),
        doubtful=float(runs.time[doubtful, r].sum()),
        doubtful_events=float(runs.events[doubtful, r].sum()),
        shown=float(reading.callpath[doubtful, r].sum()),
    )


def total_times(
    runs: Visited, readings: Sequence[Reading], beliefs: Sequence[Beliefs], known: KnownPlain | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Plain computing times with the ends of their 90 % intervals, float64[R] each."""
    total, low, high = (runs.measured.copy() for _ in range(3))
    for r in np.flatnonzero((runs.events_computing > 0) & (total > 0)).tolist():
        if known is not None and np.isfinite(known.total[r]):
            total[r] = min(float(known.total[r]), float(total[r]))
            low[r], high[r] = (total[r] * np.exp(side * TAIL * known.spread[r]) for side in (-1, 1))
        else:
            samples = [
                _plain_times(_measured(runs, reading, r), belief)
                for reading, belief in zip(readings, beliefs, strict=True)
            ]
            weights = [one.weights * reading.weight for one, reading in zip(samples, readings, strict=True)]
            sample = WeightedValues(np.concatenate([one.values for one in samples]), np.concatenate(weights))
            low[r], total[r], high[r] = sample.quantiles(0.05, 0.5, 0.95)
    most = runs.measured
    return np.minimum(total, most), np.minimum(low, most), np.minimum(high, most)


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
    return factor, 0.0 if alike else _SCALE_SPREAD


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
        float(np.median(np.log(np.divide(*ends, out=np.ones(len(low)), where=ends[1] > 0)))) / (2 * TAIL)
        for ends in ((high, low), (computed - low, computed - high))
    )
    taken, plain = (cost * runs.events).sum(axis=1), callpath.sum(axis=1)
    doubt = np.divide(taken, plain, out=np.full(len(plain), _HOPELESS), where=plain > taken / _HOPELESS)
    doubt[taken == 0] = 0.0
    parts = (np.hypot(of_cost, _UNEVEN) * doubt, level * np.minimum(doubt, 1.0))
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
    return [_reading(runs, taken, excess, weight, clear) for weight, clear in found if weight > 0]


def _reading(
    runs: Visited, taken: FloatArray, excess: FloatArray, weight: float, clear: BoolArray
) -> Reading:
    """Combine the sum of what doubtful call paths show with what as many visits take in other programs."""
    doubtful = (runs.computing & ~clear)[:, None]
    trivial = TRIVIAL * np.where(doubtful, runs.visits, 0.0)
    excess = np.maximum(np.where(doubtful, excess, 0.0), _LEAST_TRUST * trivial)
    shown, expected = excess.sum(), trivial.sum()
    scale = (expected / shown) ** (1 - _TRUST) if shown > 0 else 1.0
    left = np.maximum(runs.time - taken, _LEAST_LEFT * runs.time)
    callpath = np.where(doubtful, np.minimum(scale * excess, _MOST_LEFT * runs.time), left)
    return Reading(
        weight=weight,
        clear=clear,
        callpath=np.where(runs.computing[:, None], callpath, runs.time),
        itself=np.where(doubtful, excess, left).sum(axis=1),
    )


def _median(rate: FloatArray) -> FloatArray:
    """Median over runs, float64[n]; 0 if none is known."""
    seen = np.isfinite(rate).any(axis=1)
    found = np.zeros(len(rate))
    found[seen] = np.nanmedian(rate[seen], axis=1)
    return found


# How probable plain computing times are, given a measured time, its events and what call paths show.
#
# T = P + c E for clear and for doubtful call paths. Of the clear ones c decides. Of the doubtful ones P does,
# if events are nearly all of their time, and then it tells c. What is compiled without calls may save more
# than the visits cost, so c of the clear ones has a tail upwards. Numbers called learned are those of `python
# -m benchmarks.overhead learn`.


@dataclass(frozen=True, eq=False)
class WeightedValues:
    """Values with weights that add up to 1, float64[S] each."""

    values: FloatArray
    weights: FloatArray

    def quantiles(self, *shares: float) -> tuple[float, ...]:
        """Return the values below which shares of the weight lie."""
        order = np.argsort(self.values)
        reached = np.cumsum(self.weights[order])
        return tuple(np.interp(np.array(shares) * reached[-1], reached, self.values[order]).tolist())


def _plain_times(run: RunTimes, beliefs: Beliefs) -> WeightedValues:
    """Return plausible plain computing times of a run, in core-seconds.

    What optimisation saves beyond the cost of visits goes with all visits, and is found in clear call paths.
    """
    doubtful, cost, weight = _of_doubtful(run, beliefs)
    told = run.doubtful_events / max(run.doubtful_events + run.clear_events, 1.0)
    cost = beliefs.cost.recorded * (cost / beliefs.cost.recorded) ** told  # the fewer, the less they tell
    more, share = _more_than_usual(beliefs, (1.0 - told) * beliefs.cost.spread)
    factor = np.exp(more)
    events = np.minimum(factor, 1.0) * run.clear_events
    events += np.maximum(factor - 1.0, 0.0) * (run.clear_events + run.doubtful_events)
    spent = cost[:, None] * events
    total = doubtful[:, None] + np.maximum(run.clear - spent, _LEAST_CLEAR * run.clear)
    return WeightedValues(total.ravel(), (weight[:, None] * share).ravel())


def _of_doubtful(run: RunTimes, beliefs: Beliefs) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Plain times of doubtful call paths, costs of a visit that go with them, and weights."""
    usual, spread = beliefs.cost.recorded, beliefs.cost.spread
    time, events = run.doubtful, run.doubtful_events
    if not (events > 0 and run.shown > _LEAST_SHOWN * time > 0):
        return np.array([time]), np.array([usual]), np.ones(1)
    first = np.log(run.shown / time) - 6 * beliefs.level_spread
    last = max(np.log(time / (usual * events)), 0.0) + 2 + 6 * spread
    odds = np.linspace(first, last, _STEPS)  # ln P / (T - P), fine at both ends
    kept, lost = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
    plain, cost = time * np.exp(kept), time * np.exp(lost) / events
    spread = float(np.hypot(spread, beliefs.core_spread))
    of_cost = _cost_density(np.log(cost / usual), spread, beliefs.saved)
    density = np.log(_shown_density(plain, run, beliefs)) + np.log(of_cost) + lost
    weight = np.exp(density - density.max())
    return plain, cost, weight / weight.sum()


def _shown_density(plain: FloatArray, run: RunTimes, beliefs: Beliefs) -> FloatArray:
    """Density of the logarithm of the plain time of doubtful call paths, given what they show.

    Beside clear ones they may have work of any size: where kernels are heavy, what is short is not empty.
    """
    level, spread = np.log(plain / run.shown), beliefs.level_spread
    usual = np.exp(-0.5 * (level / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
    any_size = (level > 0) / max(np.log(run.doubtful / run.shown), 1.0)
    share = beliefs.beside * run.clear / (run.clear + run.doubtful)
    return np.asarray((1.0 - share) * usual + share * any_size + 1e-12)


def _cost_density(more: FloatArray, spread: float, saved: float) -> FloatArray:
    """Density of the logarithm of a cost over the usual one: log-normal, with a tail upwards."""
    core = np.exp(-0.5 * (more / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
    tail = np.exp(-2 * np.maximum(more, 0.0) / _MOST_SAVED + np.minimum(more, 0.0) / spread) / _MOST_SAVED
    return np.asarray((1 - saved) * core + saved * tail + 1e-12)


def _more_than_usual(beliefs: Beliefs, spread: float) -> tuple[FloatArray, FloatArray]:
    """Logarithms of what a visit takes of clear time over its usual cost, with their probabilities."""
    step = (np.arange(_NODES) + 0.5) / _NODES
    parts = (
        (np.hypot(beliefs.core_spread, spread) * _NORMAL, 1 - beliefs.saved - beliefs.hidden),
        (_MOST_SAVED * step, beliefs.saved),
        (-_MOST_HIDDEN * step, beliefs.hidden),
    )
    more = np.concatenate([nodes for nodes, _ in parts])
    return more, np.concatenate([np.full(len(nodes), share / len(nodes)) for nodes, share in parts])
