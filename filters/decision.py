"""From decided call paths to decided regions: a filter speaks of regions only."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.evidence import RunEvidence
from filters.matching import filterable as can_filter
from filters.options import PaperRule
from filters.paper_rule import RuleOutcome, apply_paper_rule
from filters.reasons import Reason
from filters.regions import FilterRegions, unite_regions
from filters.wishes import Wishes, wished
from ingest.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Decision:
    """Which regions are measured, and why.

    Attributes:
        regions: the R regions that a filter can speak of.
        runs: what it was decided from.
        callpaths: per run, int64[call path], the `Reason` of every call path by itself.
        reason: int64[R], the `Reason` of every region.
        method: the rule and its numbers, in one line.
        notices: what a user should know, a sentence each.
        outcomes: per run, the thresholds of the paper's rule, where that was used.
    """

    regions: FilterRegions
    runs: tuple[RunEvidence, ...]
    callpaths: tuple[IntArray, ...]
    reason: IntArray
    method: str
    notices: tuple[str, ...] = ()
    outcomes: tuple[RuleOutcome, ...] = ()

    @property
    def kept(self) -> BoolArray:
        """bool[R], the regions that are measured."""
        return self.reason >= Reason.PREFIX

    def recorded_regions(self, run: int) -> BoolArray:
        """Return the regions of a run's own table that are recorded; MPI and the like always are."""
        entry = self.regions.of_run[run]
        return (entry < 0) | self.kept[entry] if len(self.regions) else entry < 0

    def recorded(self, run: int) -> BoolArray:
        """Return the call paths of a run that are recorded, bool[call path]."""
        return self.recorded_regions(run)[self.runs[run].tree.region]

    def overlapped(self, run: int) -> BoolArray:
        """Return the call paths that are recorded only because their region is kept elsewhere."""
        filterable = self.regions.of_callpaths(run, self.runs[run]) >= 0
        return filterable & self.recorded(run) & (self.callpaths[run] < Reason.PREFIX)


def decide_by_paper(
    runs: Sequence[RunEvidence], rule: PaperRule | None = None, wishes: Wishes | None = None
) -> Decision:
    """Decide by the rule of the paper.

    A region is kept if one of its call paths is kept in one of the runs.

    Args:
        runs: one or more runs of the same program, the largest scale last.
        rule: the numbers of the rule; the paper's where not given.
        wishes: what to protect or to drop whatever the rule says.
    """
    rule = rule or PaperRule()
    regions = unite_regions(runs)
    outcomes = [apply_paper_rule(run, can_filter(run.regions)[run.tree.region], rule) for run in runs]
    callpaths = tuple(outcome.reason for outcome in outcomes)
    reason = wished(regions, region_reasons(regions, runs, callpaths), wishes or Wishes())
    method = f"paper rule: top {rule.per_visit:.0%} of time per visit, top {rule.total:.0%} of total time"
    method += f", visits up to the {rule.visits:.0%} quantile, all prefixes"
    told = notices(regions, reason)
    return Decision(
        regions=regions,
        runs=tuple(runs),
        callpaths=callpaths,
        reason=reason,
        method=method,
        notices=told,
        outcomes=tuple(outcomes),
    )


def region_reasons(
    regions: FilterRegions, runs: Sequence[RunEvidence], callpaths: Sequence[IntArray]
) -> IntArray:
    """Give each region the strongest reason of its call paths in all runs, int64[R]."""
    reason = np.full(len(regions), Reason.NEVER_CALLED, dtype=np.int64)
    reason[regions.called] = Reason.DROPPED
    for i, (run, found) in enumerate(zip(runs, callpaths, strict=True)):
        entry = regions.of_callpaths(i, run)
        touched = entry >= 0
        np.maximum.at(reason, entry[touched], found[touched])
    return reason


def notices(regions: FilterRegions, reason: IntArray) -> tuple[str, ...]:
    """Say what is odd about a decision."""
    found = []
    if not (regions.called & ~regions.pinned).any():
        found.append(
            "no region of this profile was instrumented by the compiler, so there is nothing to filter: "
            "MPI, OpenMP and user regions are always measured"
        )
    elif (reason[regions.called] >= Reason.PREFIX).all():
        found.append("every filterable region is kept, so the filter excludes nothing")
    return tuple(found)
