"""The cost of an event: what measuring a visit takes, where it shows in a profile, and its calibration.

The cost of a visit falls partly into the visited region and partly into its caller, so that one profile
shows it twice: no leaf takes less per visit than the first part, no caller less per visit of its callees than
the second (docs/explanations/true-times.md).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from filters.evidence import RunEvidence
from ingest.arrays import BoolArray, FloatArray
from ingest.calltree import CallTree
from ingest.errors import UsageError
from ingest.number_text import count, figure, value_text
from ingest.profile import RegionTable
from ingest.region_class import USEFUL, regions_in

INSIDE = 0.42  # share of the cost of a visit inside the visited region, on two machines
ENOUGH_VISITS = 1000  # of a call path, to see the cost of a visit in it
CHEAPEST, LEAST_OF_CALLERS = 0.1, 0.05  # quantiles over leaves and callers, weighted with visits
LEAST_PLAUSIBLE, PLAUSIBLE = 0.25, 2.0  # times the expected cost, between which time per visit is cost
MOST_OUTSIDE = 1.4  # of the cost inside the region, that the least one in callers can be
LEAVES_SPREAD = 0.2  # of the logarithm of the cost that the cheapest leaves show


@dataclass(frozen=True)
class EventCost:
    """Seconds of CPU time that measuring takes per visit (enter and leave together).

    The defaults were measured with Score-P 4 and GCC on a 2-core x86-64 machine: two programs with 8 and 233
    million visits lost 0.09 and 0.10 microseconds per visit, the second one 1.4 nanoseconds per visit when
    everything was filtered at run time.

    Attributes:
        recorded: for a visit that is recorded.
        filtered: for a visit that the filter rejects at run time: the call of the hook and the optimisations
            that it prevents. A region filtered at compile time costs nothing.
        spread: standard deviation of the logarithm of `recorded`: how well it is known.
        source: where the numbers come from.
    """

    recorded: float = 100e-9
    filtered: float = 1.4e-9
    spread: float = 0.3
    source: str = "default"

    def __post_init__(self) -> None:
        """Refuse impossible costs."""
        if not 0.0 <= self.filtered <= self.recorded or self.recorded == 0.0 or self.spread <= 0.0:
            hint = "recording a visit costs time, at least as much as filtering it at run time"
            raise UsageError(
                f"invalid event cost {value_text(self.recorded)} s, filtered {value_text(self.filtered)} s",
                hint=hint,
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Visited:
    """Runs of one program on one call tree: n call paths, R runs, sums over CPU locations.

    Attributes:
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
        called = self.tree.parent >= 0
        found = np.zeros(self.visits.shape)
        np.add.at(found, self.tree.parent[called], self.visits[called])
        return found

    @cached_property
    def events(self) -> FloatArray:
        """float64[n, R], how many visits' cost lies in each call path's exclusive time.

        Of the cost of a visit, the share `INSIDE` falls between the time stamps of the visited region and
        counts as its own time; the rest falls into its caller's. (Seen on tiny functions: they never take
        less than 28 ns if a visit costs 100 ns, and 37 to 44 ns in the mean.)
        """
        return INSIDE * self.visits + (1 - INSIDE) * self.callee_visits

    @property
    def measured(self) -> FloatArray:
        """float64[R], the measured computing time."""
        total: FloatArray = self.time[self.computing].sum(axis=0)
        return total

    @property
    def events_computing(self) -> FloatArray:
        """float64[R], how many visits' cost lies in the computing time."""
        total: FloatArray = self.events[self.computing].sum(axis=0)
        return total


def visited(run: RunEvidence) -> Visited:
    """Take a single run."""
    return Visited(tree=run.tree, regions=run.regions, visits=run.visits[:, None], time=run.time[:, None])


def plain_by_baseline(run: RunEvidence, baseline: float) -> float:
    """Return the plain computing time in core-seconds, given how long the same run takes uninstrumented.

    What the run took longer is attributed to the visits of its busiest CPU location.

    Raises:
        UsageError: the baseline leaves no time to compute, or is not shorter than the run.
    """
    if baseline <= 0.0 or run.wall <= baseline or run.busiest == 0.0:
        what = f"the baseline of {value_text(baseline)} s is not shorter than the instrumented run of"
        what += f" {figure(run.wall)} s"
        hint = "measure both on the same machine with the same input, or give the event cost instead"
        raise UsageError(what, where=run.source, hint=hint)
    runs = visited(run)
    measured = float(runs.measured[0])
    lost = (run.wall - baseline) * float(runs.events_computing[0]) / run.busiest
    if not lost < measured:
        what = f"a run of {figure(run.wall)} s ({figure(measured)} core-s of computing) cannot take only"
        what += f" {value_text(baseline)} s"
        raise UsageError(what, where=run.source, hint="give the time of the same run without instrumentation")
    return measured - lost


def calibrate_by_pair(full: RunEvidence, reduced: RunEvidence) -> tuple[float, EventCost]:
    """Find plain computing time, in core-seconds, and the cost of a visit from two measurements of a run.

    The second has fewer regions instrumented, at compile time; if they were filtered at run time instead, the
    plain time contains the cost of the filtered visits, about a hundredth.

    Raises:
        UsageError: unless the second has fewer visits and less computing time.
    """
    one, two = (
        (float(runs.measured[0]), float(runs.events_computing[0])) for runs in map(visited, (full, reduced))
    )
    plain, cost = solve_pair(
        one, two, reduced.source, "give the full measurement first, then the reduced one"
    )
    return plain, calibrated(cost, 0.1, f"calibrated by {full.source} and {reduced.source}")


def solve_pair(
    full: tuple[float, float], reduced: tuple[float, float], where: str, hint: str
) -> tuple[float, float]:
    """Solve T1 = P + c E1 and T2 = P + c E2 for plain time P, at least 0, and cost c.

    Args:
        full, reduced: computing time T in core-seconds and the events E whose cost lies in it.

    Raises:
        UsageError: unless the second has fewer events and less time.
    """
    time, events = full[0] - reduced[0], full[1] - reduced[1]
    if not (events > 0 and time > 0):
        what = f"no event cost can be derived: {count(events)} fewer visits took {figure(time)} core-s less"
        raise UsageError(what, where=where, hint=hint)
    cost = time / events
    return max(reduced[0] - cost * reduced[1], 0.0), cost


def calibrated(recorded: float, spread: float, source: str) -> EventCost:
    """Return a cost of visits; the cost of one that is filtered at run time follows in proportion."""
    default = EventCost()
    return EventCost(recorded, default.filtered * recorded / default.recorded, spread, source)


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
