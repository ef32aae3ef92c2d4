"""The cost of an event: what measuring a visit takes, and where it shows in a profile.

The cost of a visit falls partly into the visited region and partly into its caller, so that one profile
shows it twice: no leaf takes less per visit than the first part, no caller less per visit of its callees than
the second (docs/explanations/true-times.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from filters.evidence import RunEvidence
from ingest.arrays import BoolArray, FloatArray, weighted_quantile
from ingest.calltree import CallTree
from ingest.errors import UsageError
from ingest.number_text import figure, percent, value_text
from ingest.profile import RegionTable
from ingest.region_class import USEFUL_WORK, regions_in

INSIDE = 0.42  # share of the cost of a visit inside the visited region, on two machines


@dataclass(frozen=True)
class EventCost:
    """Seconds of CPU time that measuring takes per visit (enter and leave together).

    What recording costs was measured with Score-P 4 and GCC on a 2-core x86-64 machine: two programs with 8
    and 233 million visits lost 0.09 and 0.10 microseconds per visit. A rejected visit took 0.01 to 0.03 of
    that there, 0.5 to 0.7 in OpenFOAM with MPI, 0.86 in the paper's case.
    """

    recorded: float = 100e-9  # for a visit that is recorded
    # for a visit that the filter rejects at run time: the call of the hook and the optimisations that it
    # prevents; the median, see `HOOK_SPREAD`. A region filtered at compile time costs nothing
    filtered: float = 10e-9
    spread: float = 0.5  # standard deviation of the logarithm of `recorded`: how well it is known
    source: str = "default"

    def __post_init__(self) -> None:
        if not 0.0 <= self.filtered <= self.recorded or self.recorded == 0.0 or self.spread <= 0.0:
            hint = "recording a visit costs time, at least as much as filtering it at run time"
            raise UsageError(
                f"invalid event cost {value_text(self.recorded)} s, filtered {value_text(self.filtered)} s",
                hint=hint,
            )


# of the logarithm of the cost of a rejected visit, which is at most that of a recorded one: from a hundredth
# of it, where the hook tests a flag, to all of it, where it searches a table or keeps much from being inlined
HOOK_SPREAD = 1.45


@dataclass(frozen=True, eq=False, kw_only=True)
class Visited:
    """Visits and exclusive core-seconds as measured, float64[n, R]: R runs of one program on n call paths."""

    tree: CallTree
    regions: RegionTable
    visits: FloatArray
    time: FloatArray

    def run(self, number: int) -> "Visited":
        """Return one of the runs."""
        one = slice(number, number + 1)
        return replace(self, visits=self.visits[:, one], time=self.time[:, one])

    @cached_property
    def computing(self) -> BoolArray:
        """bool[n], the call paths that compute; the others communicate or wait."""
        return regions_in(self.regions, USEFUL_WORK)[self.tree.region]

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
        return np.asarray(self.time[self.computing].sum(axis=0))

    @property
    def events_computing(self) -> FloatArray:
        """float64[R], how many visits' cost lies in the computing time."""
        return np.asarray(self.events[self.computing].sum(axis=0))


def visited(run: RunEvidence) -> Visited:
    """Take a single run."""
    return Visited(tree=run.tree, regions=run.regions, visits=run.visits[:, None], time=run.time[:, None])


def calibrated(recorded: float, spread: float, source: str) -> EventCost:
    """Return a cost of visits; the cost of one that is filtered at run time follows in proportion."""
    default = EventCost()
    return EventCost(recorded, default.filtered * recorded / default.recorded, spread, source)


ENOUGH_VISITS = 1000  # of a call path, to see the cost of a visit in it
_CHEAPEST, _LEAST_OF_CALLERS = 0.1, 0.05  # quantiles over leaves and callers, weighted with visits
_MANY_CALLEES = 4  # times the visits of a caller, so that its own visits hardly count
_ELSEWHERE = EventCost()  # what a visit costs on other machines
# Of the cost, what the cheapest leaves and callers take under Score-P: LULESH and Quicksilver, unfiltered
_SHOWN_INSIDE, _SHOWN_OUTSIDE = 0.42, 0.43
_SHOWN_SPREAD = 0.11  # of the logarithm of either share; learned
_LEAVES_TRIVIAL, _CALLERS_TRIVIAL = 0.5, 0.75  # probabilities that the cheapest do no work; learned
_MOST_WORK = 100.0  # times the cost, that the cheapest may have of it, every order of magnitude as likely
_LEAST_PLAUSIBLE, _PLAUSIBLE = 0.25, 1.4  # times the expected cost, between which time per visit is cost
_MOST_OUTSIDE = 1.4  # of the cost inside the region, that the least one in callers can be
_LEAST_CHEAP, _MOST_CHEAP = 0.7, 1.15  # of the expected least cost, between which the cheapest have no work
_SHORTEST = 1e-9  # seconds per visit, that measuring one takes at least
_MISLEADING = 1e-3  # density of times that have nothing to do with the cost, as those of recursion
_STEPS = 241


def most_visited(runs: Sequence[RunEvidence]) -> Visited:
    """Return the run that shows the cost of a visit best: the one with the most."""
    return visited(max(runs, key=lambda run: float(run.visits.sum())))


def usual_cost(runs: Visited, shown: tuple[float, float] = (_SHOWN_INSIDE, _SHOWN_OUTSIDE)) -> EventCost:
    """Find the cost of a visit from the cheapest leaves and callers of all runs.

    The default without any that are visited often. `shown` are the shares of the cost that the cheapest
    leaves and callers take: a property of the measurement system.
    """
    leaf, caller = _cheapest_leaves(runs), _cheapest_callers(runs)
    if not (np.isfinite(leaf) or np.isfinite(caller)):
        return _ELSEWHERE
    steps = np.linspace(-5, 5, _STEPS)  # standard deviations
    logs = np.log(_ELSEWHERE.recorded) + steps * _ELSEWHERE.spread
    density = -0.5 * steps**2
    for least, share, trivial in ((leaf, shown[0], _LEAVES_TRIVIAL), (caller, shown[1], _CALLERS_TRIVIAL)):
        if np.isfinite(least):
            density = density + np.log(_likelihood(least, share * np.exp(logs), trivial))
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    mean = float((weight * logs).sum())
    spread = float(np.sqrt((weight * (logs - mean) ** 2).sum()))
    return calibrated(float(np.exp(mean)), max(spread, _SHOWN_SPREAD), "the cheapest leaves and callers")


# Times the usual cost, or less than it by as much, that a visit takes with what optimisation saves beside. In
# 47 pairs of LULESH, miniFE and Quicksilver 0.9 to 1.3, once 2.5; in `benchmarks/overhead` never more than 3
_FARTHEST = 3.0


def contradiction(cost: float, usual: EventCost) -> str:
    """Say why seconds per visit cannot be its cost, so that something else took time; empty if they can.

    They are farther from what the profile shows as usual than in any program.
    """
    times = max(cost / usual.recorded, 1e-9)
    if abs(np.log(times)) <= np.hypot(np.log(_FARTHEST), 2 * usual.spread):
        return ""
    of = f"{figure(times, 2)} times" if times > 1 else f"{percent(times)} of"
    return f"{figure(1e9 * cost)} ns a visit is {of} its usual cost ({figure(1e9 * usual.recorded)} ns)"


def _likelihood(shown: float, cost: FloatArray, trivial: float) -> FloatArray:
    """Density of the logarithm of the least time per visit, if a part of a visit costs float64[G].

    It is that cost, or with some work of its own, of any size.
    """
    alone = np.exp(-0.5 * (np.log(shown / cost) / _SHOWN_SPREAD) ** 2) / (_SHOWN_SPREAD * np.sqrt(2 * np.pi))
    above = shown > cost * (1 + _SHOWN_SPREAD)
    work = np.where(above, shown / np.where(above, shown - cost, 1.0), 0.0) / np.log(
        _MOST_WORK / _SHOWN_SPREAD
    )
    return np.asarray(trivial * alone + (1 - trivial) * np.minimum(work, 1.0) + _MISLEADING)


def _cheapest_leaves(runs: Visited) -> float:
    """Seconds per visit of the cheapest leaves of all runs; NaN without any visited often."""
    leaves = _often_visited_leaves(runs)
    leaves &= runs.time > _SHORTEST * runs.visits
    if not leaves.any():
        return float("nan")
    visits = runs.visits[leaves]
    return weighted_quantile(runs.time[leaves] / visits, visits, _CHEAPEST)


def _cheapest_callers(runs: Visited) -> float:
    """Seconds per visit of a callee in the callers that take least; NaN without any visited often."""
    often = runs.computing[:, None] & (runs.callee_visits >= ENOUGH_VISITS)
    often &= runs.callee_visits >= _MANY_CALLEES * runs.visits
    if not often.any():
        return float("nan")
    callees = runs.callee_visits[often]
    beside = runs.time[often] - _SHOWN_INSIDE * _ELSEWHERE.recorded * runs.visits[often]
    known = beside > _SHORTEST * callees
    if not known.any():
        return float("nan")
    return weighted_quantile(beside[known] / callees[known], callees[known], _LEAST_OF_CALLERS)


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
        least = _plausible_quantile(beside, callees[caller], _LEAST_OF_CALLERS, expected_outside)
        outside[r] = min(least, _MOST_OUTSIDE * inside[r])
    return inside, outside


def least_costs(runs: Visited, cost: EventCost) -> tuple[FloatArray, FloatArray]:
    """Return the least cost of a visit inside the region and in its caller, float64[R].

    Low quantiles over leaves and callers, unless these take so much that they must have work of their own.
    """
    leaves = _often_visited_leaves(runs) & (runs.time > _SHORTEST * runs.visits)
    callers = runs.computing[:, None] & (runs.callee_visits >= ENOUGH_VISITS)
    callers &= runs.callee_visits >= _MANY_CALLEES * runs.visits
    inside, outside = (
        np.full(runs.time.shape[1], share * cost.recorded) for share in (_SHOWN_INSIDE, _SHOWN_OUTSIDE)
    )
    for r in range(len(inside)):
        leaf, caller = leaves[:, r], callers[:, r]
        visits, callees, time = runs.visits[:, r], runs.callee_visits[:, r], runs.time[:, r]
        if leaf.any():
            least = weighted_quantile(time[leaf] / visits[leaf], visits[leaf], _LEAST_OF_CALLERS)
            inside[r] = min(least, _MOST_CHEAP * inside[r])
        if caller.any():
            beside = (time[caller] - inside[r] * visits[caller]) / callees[caller]
            least = weighted_quantile(beside, callees[caller], _LEAST_OF_CALLERS)
            outside[r] = np.clip(least, _LEAST_CHEAP * outside[r], _MOST_CHEAP * outside[r])
    return inside, outside


def _often_visited_leaves(runs: Visited) -> BoolArray:
    return np.asarray(runs.computing[:, None] & (runs.callee_visits == 0) & (runs.visits >= ENOUGH_VISITS))


def _plausible_quantile(values: FloatArray, weight: FloatArray, share: float, expected: float) -> float:
    """A weighted quantile of the values that can be a cost; the expected cost if there is none."""
    usable = (values >= _LEAST_PLAUSIBLE * expected) & (values <= _PLAUSIBLE * expected)
    return weighted_quantile(values[usable], weight[usable], share) if usable.any() else expected
