"""The cost of an event: what measuring a visit takes, where it shows in a profile, and its calibration."""

from dataclasses import dataclass

import numpy as np

from filters.evidence import RunEvidence
from ingest.arrays import FloatArray
from ingest.calltree import CallTree
from ingest.errors import UsageError
from ingest.region_class import USEFUL, regions_in

INSIDE = 0.42  # share of the cost of a visit inside the visited region, on two machines


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
                f"invalid event cost {self.recorded:g} s, filtered {self.filtered:g} s", hint=hint
            )


def child_visits(tree: CallTree, visits: FloatArray) -> FloatArray:
    """Sum the visits of the direct callees, float64[call path, ...]."""
    called = tree.parent >= 0
    found = np.zeros(visits.shape)
    np.add.at(found, tree.parent[called], visits[called])
    return found


def events_within(run: RunEvidence) -> FloatArray:
    """Return how many visits' cost lies in each call path's exclusive time, float64[call path].

    Of the cost of a visit, the share `INSIDE` falls between the time stamps of the visited region and
    counts as its own time; the rest falls into its caller's. (Seen on tiny functions: they never take less
    than 28 ns if a visit costs 100 ns, and 37 to 44 ns in the mean.)
    """
    return INSIDE * run.visits + (1 - INSIDE) * child_visits(run.tree, run.visits)


def plain_by_baseline(run: RunEvidence, baseline: float) -> float:
    """Return the plain computing time in core-seconds, given how long the same run takes uninstrumented.

    What the run took longer is attributed to the visits of its busiest CPU location.

    Args:
        run: measured without a filter.
        baseline: duration in seconds without instrumentation.

    Raises:
        UsageError: the baseline leaves no time to compute, or is not shorter than the run.
    """
    if baseline <= 0.0 or run.wall <= baseline or run.busiest == 0.0:
        what = f"the baseline of {baseline:g} s is not shorter than the instrumented run of {run.wall:.4g} s"
        hint = "measure both on the same machine with the same input, or give the event cost instead"
        raise UsageError(what, where=run.source, hint=hint)
    measured = computing_time(run)
    lost = (run.wall - baseline) * _events_computing(run) / run.busiest
    if not lost < measured:
        what = (
            f"a run of {run.wall:.4g} s ({measured:.4g} core-s of computing) cannot take only {baseline:g} s"
        )
        raise UsageError(what, where=run.source, hint="give the time of the same run without instrumentation")
    return measured - lost


def plain_by_pair(full: RunEvidence, reduced: RunEvidence) -> float:
    """Return the plain computing time in core-seconds from two measurements of a run.

    The second has fewer regions instrumented, at compile time.

    Raises:
        UsageError: unless the second has fewer visits and less computing time.
    """
    return _solved(full, reduced)[0]


def calibrate_by_pair(full: RunEvidence, reduced: RunEvidence) -> EventCost:
    """Find the cost of a visit from two measurements of a run, the second with fewer regions instrumented.

    It is the slope of computing time over visits. The second must have been filtered at compile time: at run
    time the slope would lack the cost of the filtered visits, about a hundredth.

    Raises:
        UsageError: unless the second has fewer visits and less computing time.
    """
    return calibrated(_solved(full, reduced)[1], 0.1, f"calibrated by {full.source} and {reduced.source}")


def _solved(full: RunEvidence, reduced: RunEvidence) -> tuple[float, float]:
    one, two = ((computing_time(run), _events_computing(run)) for run in (full, reduced))
    return solve_pair(one, two, reduced.source, "give the full measurement first, then the reduced one")


def solve_pair(
    full: tuple[float, float], reduced: tuple[float, float], where: str, hint: str
) -> tuple[float, float]:
    """Solve T1 = P + c E1 and T2 = P + c E2 for plain time P, at least 0, and cost c.

    Args:
        full, reduced: computing time T in core-seconds and the events E whose cost lies in it.
        where: the second measurement, for messages.
        hint: what to do if there is no solution.

    Raises:
        UsageError: unless the second has fewer events and less time.
    """
    time, events = full[0] - reduced[0], full[1] - reduced[1]
    if not (events > 0 and time > 0):
        what = f"no event cost can be derived: {events:,.0f} fewer visits took {time:.4g} core-s less"
        raise UsageError(what, where=where, hint=hint)
    cost = time / events
    return max(reduced[0] - cost * reduced[1], 0.0), cost


def calibrated(recorded: float, spread: float, source: str) -> EventCost:
    """Return a cost of visits; the cost of one that is filtered at run time follows in proportion."""
    default = EventCost()
    return EventCost(recorded, default.filtered * recorded / default.recorded, spread, source)


def computing_time(run: RunEvidence) -> float:
    """Return the measured time of useful computation (see `ingest.region_class`), in core-seconds."""
    return float(run.time[regions_in(run.regions, USEFUL)[run.tree.region]].sum())


def _events_computing(run: RunEvidence) -> float:
    """Return how many visits' cost lies in the computing time."""
    return float(events_within(run)[regions_in(run.regions, USEFUL)[run.tree.region]].sum())
