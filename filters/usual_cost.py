"""What measuring a visit usually costs, as the cheapest leaves and callers of a profile show it.

The cheapest of either bound the cost from above. Whether they are nothing but cost, one profile does not
tell, so both are weighed with what visits cost elsewhere. Numbers called learned are those of `python -m
benchmarks.overhead learn`.
"""

from collections.abc import Sequence

import numpy as np

from filters.event_cost import INSIDE, EventCost, Visited, calibrated, visited
from filters.evidence import RunEvidence
from ingest.arrays import BoolArray, FloatArray

ENOUGH_VISITS = 1000  # of a call path, to see the cost of a visit in it
CHEAPEST, LEAST_OF_CALLERS = 0.1, 0.05  # quantiles over leaves and callers, weighted with visits
MANY_CALLEES = 4  # times the visits of a caller, so that its own visits hardly count
ELSEWHERE = EventCost()  # what a visit costs on other machines
SHOWN_INSIDE, SHOWN_OUTSIDE = 0.45, 0.47  # of the cost, what the cheapest leaves and callers take; learned
SHOWN_SPREAD = 0.12  # of the logarithm of either share; learned
LEAVES_TRIVIAL, CALLERS_TRIVIAL = 0.5, 0.75  # probabilities that the cheapest do no work; learned
MOST_WORK = 100.0  # times the cost, that the cheapest may have of it, every order of magnitude as likely
LEAST_PLAUSIBLE, PLAUSIBLE = 0.25, 1.4  # times the expected cost, between which time per visit is cost
MOST_OUTSIDE = 1.4  # of the cost inside the region, that the least one in callers can be
SHORTEST = 1e-9  # seconds per visit, that measuring one takes at least
_STEPS = 241


def most_visited(runs: Sequence[RunEvidence]) -> Visited:
    """Return the run that shows the cost of a visit best: the one with the most."""
    return visited(max(runs, key=lambda run: float(run.visits.sum())))


def usual_cost(runs: Visited) -> EventCost:
    """Find the cost of a visit from the cheapest leaves and callers of all runs.

    The default without any that are visited often.
    """
    leaf, caller = cheapest_leaves(runs), cheapest_callers(runs)
    if not (np.isfinite(leaf) or np.isfinite(caller)):
        return ELSEWHERE
    steps = np.linspace(-5, 5, _STEPS)  # standard deviations
    logs = np.log(ELSEWHERE.recorded) + steps * ELSEWHERE.spread
    density = -0.5 * steps**2
    for shown, share, trivial in (
        (leaf, SHOWN_INSIDE, LEAVES_TRIVIAL),
        (caller, SHOWN_OUTSIDE, CALLERS_TRIVIAL),
    ):
        if np.isfinite(shown):
            density = density + np.log(_likelihood(shown, share * np.exp(logs), trivial))
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    mean = float((weight * logs).sum())
    spread = float(np.sqrt((weight * (logs - mean) ** 2).sum()))
    return calibrated(float(np.exp(mean)), max(spread, SHOWN_SPREAD), "the cheapest leaves and callers")


def _likelihood(shown: float, cost: FloatArray, trivial: float) -> FloatArray:
    """Density of the logarithm of the least time per visit, if a part of a visit costs float64[G].

    It is that cost, or with some work of its own, of any size.
    """
    alone = np.exp(-0.5 * (np.log(shown / cost) / SHOWN_SPREAD) ** 2) / (SHOWN_SPREAD * np.sqrt(2 * np.pi))
    above = shown > cost * (1 + SHOWN_SPREAD)
    work = np.where(above, shown / np.where(above, shown - cost, 1.0), 0.0) / np.log(MOST_WORK / SHOWN_SPREAD)
    return np.asarray(trivial * alone + (1 - trivial) * np.minimum(work, 1.0) + 1e-9)


def cheapest_leaves(runs: Visited) -> float:
    """Seconds per visit of the cheapest leaves of all runs; NaN without any visited often."""
    leaves = _often_visited_leaves(runs)
    leaves &= runs.time > SHORTEST * runs.visits
    if not leaves.any():
        return float("nan")
    visits = runs.visits[leaves]
    return weighted_quantile(runs.time[leaves] / visits, visits, CHEAPEST)


def cheapest_callers(runs: Visited) -> float:
    """Seconds per visit of a callee in the callers that take least; NaN without any visited often."""
    often = runs.computing[:, None] & (runs.callee_visits >= ENOUGH_VISITS)
    often &= runs.callee_visits >= MANY_CALLEES * runs.visits
    if not often.any():
        return float("nan")
    callees = runs.callee_visits[often]
    beside = runs.time[often] - SHOWN_INSIDE * ELSEWHERE.recorded * runs.visits[often]
    known = beside > SHORTEST * callees
    if not known.any():
        return float("nan")
    return weighted_quantile(beside[known] / callees[known], callees[known], LEAST_OF_CALLERS)


def usual_costs(runs: Visited, cost: EventCost) -> tuple[FloatArray, FloatArray]:
    """Return the usual cost of a visit inside the region and the least one in its caller, float64[R].

    They are the median over leaves that are visited often and take about what is expected, and a low quantile
    over callers; each is the given cost if nothing takes as little. The second is at most 1.4 times the
    first, so that few callers, all with work of their own, do not pass for the cost.
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
    return weighted_quantile(values[usable], weight[usable], share) if usable.any() else expected


def weighted_quantile(values: FloatArray, weight: FloatArray, share: float) -> float:
    """Return the smallest value up to which a share of the weight lies."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])
