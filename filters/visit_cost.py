"""What a visit costs, as leaves and callers of a profile show it.

The cost of a visit falls partly into the visited region and partly into its caller, so that one profile
shows it twice: no leaf takes less per visit than the first part, no caller less per visit of its callees than
the second (docs/explanations/true-times.md).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from filters.cost import INSIDE, EventCost, calibrated, child_visits
from filters.evidence import RunEvidence
from ingest.arrays import BoolArray, FloatArray
from ingest.calltree import CallTree
from ingest.profile import RegionTable
from ingest.region_class import USEFUL, regions_in

ENOUGH_VISITS = 1000  # of a call path, to see the cost of a visit in it
CHEAPEST, LEAST_OF_CALLERS = 0.1, 0.05  # quantiles over leaves and callers, weighted with visits
LEAST_PLAUSIBLE, PLAUSIBLE = 0.25, 2.0  # times the expected cost, between which time per visit is cost
MOST_OUTSIDE = 1.4  # of the cost inside the region, that the least one in callers can be
LEAVES_SPREAD = 0.2  # of the logarithm of the cost that the cheapest leaves show


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


def visited(run: RunEvidence) -> Visited:
    """Take a single run."""
    return Visited(tree=run.tree, regions=run.regions, visits=run.visits[:, None], time=run.time[:, None])


def calibrate_by_leaves(runs: Visited) -> EventCost:
    """Find the cost of a visit from the cheapest leaf regions, which show the part of it inside them.

    They bound it from above: if they take longer than expected, half of that (in logarithms) is put down to
    their own work. Without leaves that are visited often the default stays.
    """
    default = EventCost()
    leaves = _often_visited_leaves(runs)
    if not leaves.any():
        return default
    visits = runs.visits[leaves]
    cheapest = weighted_quantile(runs.time[leaves] / visits, visits, CHEAPEST)
    ratio = cheapest / (INSIDE * default.recorded)
    if not LEAST_PLAUSIBLE <= ratio <= PLAUSIBLE:
        return default
    factor = min(ratio, ratio**0.5)
    return calibrated(default.recorded * factor, LEAVES_SPREAD, "the cheapest leaf regions")


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
