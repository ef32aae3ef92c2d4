"""What call paths show of their plain time beyond the usual cost of their visits.

Numbers called learned are those of `python -m benchmarks.overhead learn`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.event_cost import EventCost, Visited
from filters.usual_cost import usual_costs
from ingest.arrays import BoolArray, FloatArray

CLEAR = 2.0  # times the usual cost, from which a caller's time is not in doubt
NO_WORK, WORK = 1.4, 2.25  # times the usual cost, up to which a leaf may have no work and from which it has
MARGIN = 0.15  # of the cost of a visit and two callees, that a visit may take beyond the usual cost
TRIVIAL = 0.8e-9  # plain seconds per visit of what is mostly overhead; learned
TRUST = 0.6  # weight of what callers show beside visits times `TRIVIAL`, in logarithms; learned
LEAST_TRUST = 0.1  # of visits times `TRIVIAL`, which callers show at least
LEAST_LEFT = 0.1  # of a time that is not in doubt, whatever a single run shows
MOST_LEFT = 0.9  # of a time that is in doubt


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """One way to read the times of n call paths in R runs.

    Attributes:
        weight: how probable it is.
        clear: bool[n], the call paths that have their time less the cost of their events; the other ones that
            compute are mostly overhead.
        callpath: float64[n, R], plain core-seconds; communication has its measured time here.
        itself: float64[n], core-seconds of all runs that a call path shows, whatever other programs do.
    """

    weight: float
    clear: BoolArray
    callpath: FloatArray
    itself: FloatArray


def read_times(runs: Visited, cost: EventCost) -> Sequence[Reading]:
    """Separate call paths that clearly exceed the cost of their events from those that are mostly overhead.

    A doubtful caller has what exceeds the least cost of its callees' visits and the usual cost of its own:
    per event the median over all runs, so that the noise of a single run does not count. A doubtful leaf has
    nothing, since it is part of its caller if nothing is recorded. Leaves between are accessors that take a
    little longer, or have work of their own: two readings, unless they are clear.
    """
    inside, outside = usual_costs(runs, cost)
    taken = inside * runs.visits + outside * runs.callee_visits
    margin = MARGIN * (inside + 2 * outside) * runs.visits
    calls, events = runs.callee_visits > 0, runs.visits + runs.callee_visits
    unknown = np.full(events.shape, np.nan)
    rate = np.divide(runs.time - taken - margin, events, out=unknown.copy(), where=calls)
    excess = np.maximum(_median(rate), 0.0)[:, None] * events
    ratio = _median(np.divide(runs.time, taken, out=unknown.copy(), where=taken > 0))
    works = np.where(
        calls.any(axis=1), ratio > CLEAR, np.clip((ratio - NO_WORK) / (WORK - NO_WORK), 0.0, 1.0)
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
    excess = np.maximum(np.where(doubtful, excess, 0.0), LEAST_TRUST * trivial)
    shown, expected = excess.sum(), trivial.sum()
    scale = (expected / shown) ** (1 - TRUST) if shown > 0 else 1.0
    left = np.maximum(runs.time - taken, LEAST_LEFT * runs.time)
    callpath = np.where(doubtful, np.minimum(scale * excess, MOST_LEFT * runs.time), left)
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
