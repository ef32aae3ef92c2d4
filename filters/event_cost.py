"""The cost of an event: what measuring a visit takes, and where it shows in a profile.

The cost of a visit falls partly into the visited region and partly into its caller, so that one profile
shows it twice: no leaf takes less per visit than the first part, no caller less per visit of its callees than
the second (docs/explanations/true-times.md).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from filters.evidence import RunEvidence
from ingest.arrays import BoolArray, FloatArray
from ingest.calltree import CallTree
from ingest.errors import UsageError
from ingest.number_text import value_text
from ingest.profile import RegionTable
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

    def run(self, number: int) -> "Visited":
        """Return one of the runs."""
        one = slice(number, number + 1)
        return replace(self, visits=self.visits[:, one], time=self.time[:, one])

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


def calibrated(recorded: float, spread: float, source: str) -> EventCost:
    """Return a cost of visits; the cost of one that is filtered at run time follows in proportion."""
    default = EventCost()
    return EventCost(recorded, default.filtered * recorded / default.recorded, spread, source)
