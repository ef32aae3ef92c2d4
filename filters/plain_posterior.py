"""How probable plain computing times are, given a measured time, its events and what call paths show.

T = P + c E for clear and for doubtful call paths. Of the clear ones c decides. Of the doubtful ones P does,
if events are nearly all of their time, and then it tells c. What is compiled without calls may save more than
the visits cost, so c of the clear ones has a tail upwards. Numbers called learned are those of `python -m
benchmarks.overhead learn`.
"""

from dataclasses import dataclass

import numpy as np

from filters.event_cost import EventCost
from ingest.arrays import FloatArray

LEVEL_SPREAD = 0.66  # of the logarithm of what doubtful call paths show over their plain time; learned
CORE_SPREAD = 0.15  # of the logarithm of what a visit costs in one program over its usual cost; learned
SAVED = 0.12  # probability that optimisation across calls saves more than the visits cost; learned
MOST_SAVED = 1.1  # logarithm of how much more, at most; learned
BESIDE = 0.8  # probability that what is doubtful beside heavy kernels has work of any size; learned
HIDDEN, MOST_HIDDEN = 0.1, 0.9  # the same for visits whose cost overlaps with work; learned
LEAST_LEFT = 0.05  # of clear time that is left, whatever visits cost
LEAST_SHOWN = 1e-9  # of doubtful time; less is nothing
_STEPS, _NODES = 400, 8
_NORMAL = np.array([-1.64, -1.04, -0.67, -0.39, -0.13, 0.13, 0.39, 0.67, 1.04, 1.64])  # middles of tenths


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The times of one run in core-seconds, and the events whose cost lies in them.

    Attributes:
        clear, clear_events: of clear call paths.
        doubtful, doubtful_events: of those that are mostly overhead.
        shown: what those show of their plain time.
    """

    clear: float
    clear_events: float
    doubtful: float
    doubtful_events: float
    shown: float


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """What is known before of a program.

    Attributes:
        cost: of a visit.
        level_spread: spread of the logarithm of what doubtful call paths show over their plain time.
        core_spread: the same of the cost of a visit, from one part of the program to another.
        saved: probability that optimisation across calls saves more than visits cost.
        beside: probability that doubtful call paths beside clear ones have work of any size.
        hidden: probability that visits cost less, since the processor works on meanwhile.
    """

    cost: EventCost
    level_spread: float = LEVEL_SPREAD
    core_spread: float = CORE_SPREAD
    saved: float = SAVED
    hidden: float = HIDDEN
    beside: float = BESIDE


@dataclass(frozen=True, eq=False)
class Sample:
    """Values with weights that add up to 1, float64[S] each."""

    values: FloatArray
    weights: FloatArray

    def quantiles(self, *shares: float) -> tuple[float, ...]:
        """Return the values below which shares of the weight lie."""
        order = np.argsort(self.values)
        reached = np.cumsum(self.weights[order])
        return tuple(np.interp(np.array(shares) * reached[-1], reached, self.values[order]).tolist())


def plain_times(run: Measured, beliefs: Beliefs) -> Sample:
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
    total = doubtful[:, None] + np.maximum(run.clear - spent, LEAST_LEFT * run.clear)
    return Sample(total.ravel(), (weight[:, None] * share).ravel())


def _of_doubtful(run: Measured, beliefs: Beliefs) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Plain times of doubtful call paths, costs of a visit that go with them, and weights."""
    usual, spread = beliefs.cost.recorded, beliefs.cost.spread
    time, events = run.doubtful, run.doubtful_events
    if not (events > 0 and run.shown > LEAST_SHOWN * time > 0):
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


def _shown_density(plain: FloatArray, run: Measured, beliefs: Beliefs) -> FloatArray:
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
    tail = np.exp(-2 * np.maximum(more, 0.0) / MOST_SAVED + np.minimum(more, 0.0) / spread) / MOST_SAVED
    return np.asarray((1 - saved) * core + saved * tail + 1e-12)


def _more_than_usual(beliefs: Beliefs, spread: float) -> tuple[FloatArray, FloatArray]:
    """Logarithms of what a visit takes of clear time over its usual cost, with their probabilities."""
    step = (np.arange(_NODES) + 0.5) / _NODES
    parts = (
        (np.hypot(beliefs.core_spread, spread) * _NORMAL, 1 - beliefs.saved - beliefs.hidden),
        (MOST_SAVED * step, beliefs.saved),
        (-MOST_HIDDEN * step, beliefs.hidden),
    )
    more = np.concatenate([nodes for nodes, _ in parts])
    return more, np.concatenate([np.full(len(nodes), share / len(nodes)) for nodes, share in parts])
