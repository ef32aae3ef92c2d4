"""The guard of the paper's rule: what is kept for a rare call path must not cost more than it shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.budget import region_shares
from filters.cost import EventCost
from filters.decision import Reason
from filters.evidence import RunEvidence
from filters.options import Budget
from filters.plain_time import KnownPlain
from filters.regions import FilterRegions
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_list
from ingest.number_text import count, percent

NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Guard:
    """What recording R regions in all their call paths costs and shows.

    Attributes:
        dropped: bool[R], regions that the rule keeps, but out of proportion.
        cost: float64[R], of recording all visits, as a share of the plain computing time; the largest of any
            run.
        shown: float64[R], plain time in the region and a tenth of that below it, as such a share.
        callpaths: int64[R], call paths of the last run that the rule keeps by themselves.
        qualified: float64[R], their visits.
        visits: float64[R], visits of all call paths of the last run.
    """

    dropped: BoolArray
    cost: FloatArray
    shown: FloatArray
    callpaths: IntArray
    qualified: FloatArray
    visits: FloatArray

    def sentence(self, i: int) -> str:
        """Say what the rule keeps of region i, and what all its visits cost and show."""
        kept = f"{_counted(self.callpaths[i], 'call path')} of {_counted(self.qualified[i], 'visit')}"
        others = self.visits[i] - self.qualified[i]
        beside = f"; its other call paths have {_counted(others, 'visit')}" if others else ""
        return (
            f"the rule keeps {kept}{beside}; recording all of them "
            f"takes {percent(self.cost[i])} of the plain computing time and shows {percent(self.shown[i])}"
        )


def _counted(number: float, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def guard(
    regions: FilterRegions,
    runs: Sequence[RunEvidence],
    callpaths: Sequence[IntArray],
    reason: IntArray,
    cost: EventCost,
    known: KnownPlain | None = None,
) -> Guard:
    """Find the regions whose visits, in all call paths, take longer than what they show.

    A region shows its own plain time, with that of callees too short to measure, and a tenth of what else is
    spent below it, as in the budget rule (`filters.budget`). Of several runs its largest cost and the largest
    time that it shows count. What costs less than `NEGLIGIBLE` of the plain computing time stays.

    Args:
        regions: the R regions.
        runs: what the rule decided from.
        callpaths: per run, int64[call path], what the rule says of each.
        reason: int64[R], what the rule says of each region.
        cost: the cost of a visit.
        known: plain computing time of the last run, if it is known.
    """
    shares = region_shares(regions, runs, cost, known)
    taken = shares.recording.max(axis=1, initial=0.0)
    shown = (shares.own + Budget.structure * shares.below).max(axis=1, initial=0.0)
    last = len(runs) - 1
    qualifies = (callpaths[last] >= Reason.PREFIX).astype(np.float64)
    return Guard(
        dropped=(reason >= Reason.PREFIX) & (taken > np.maximum(shown, NEGLIGIBLE)),
        cost=taken,
        shown=shown,
        callpaths=regions.total(last, runs[last], qualifies).astype(np.int64),
        qualified=regions.total(last, runs[last], qualifies * runs[last].visits),
        visits=regions.total(last, runs[last], runs[last].visits),
    )


def guard_notices(regions: FilterRegions, reason: IntArray) -> tuple[str, ...]:
    """Name the regions that the guard drops in the end."""
    dropped = np.flatnonzero(reason == Reason.OUT_OF_PROPORTION).tolist()
    if not dropped:
        return ()
    names = short_list([regions.table.name[i] for i in dropped])
    return (
        "dropped although the rule of the paper keeps them, since recording all their visits costs more than "
        f"they show: {names}; --paper-exact keeps them",
    )
