"""How probable plain computing times are, given measured times, what call paths show, and all that is known.

T = P + c E for clear and for doubtful call paths: measured time, plain time, cost of a visit, visits. The
clear ones have P if c is known; of the doubtful ones, nearly all of whose time is visits, P says what c is
and c what P is. Both are common to all runs of a program, but for what differs from one scale or run to the
next, so that a plain time that is known at one scale tells the others (docs/explanations/true-times.md).
Numbers called learned are those of `python -m benchmarks.overhead learn`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.event_cost import EventCost
from filters.known_plain import RUN_SPREAD, KnownPlain
from ingest.arrays import FloatArray

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
