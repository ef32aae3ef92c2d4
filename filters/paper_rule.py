"""The rule of paper 001 (section 3.1): which call paths to keep, and the regions that follow from them.

Its guard: what is kept for a rare call path must not cost more than it shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.decision import Decision, Motive, decision_notices, override, region_reasons
from filters.event_cost import EventCost, most_visited, usual_cost
from filters.evidence import FilterRegions, RunEvidence, unite_regions
from filters.evidence import filterable as can_filter
from filters.filter_options import Budget, Overrides, PaperRule
from filters.known_plain import KnownPlain
from filters.overhead_budget import region_shares
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_list
from ingest.number_text import count, percent

NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False, kw_only=True)
class Guard:
    """What recording R regions in all their call paths costs and shows."""

    dropped: BoolArray  # bool[R], regions that the rule keeps, but out of proportion
    # float64[R], of recording all visits, as a share of the plain computing time; the largest of any run
    cost: FloatArray
    shown: FloatArray  # float64[R], plain time in the region and a tenth of that below it, as such a share
    callpaths: IntArray  # int64[R], call paths of the last run that the rule keeps by themselves
    qualified: FloatArray  # float64[R], their visits
    visits: FloatArray  # float64[R], visits of all call paths of the last run

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


def _guard(
    regions: FilterRegions,
    runs: Sequence[RunEvidence],
    callpaths: Sequence[IntArray],
    reason: IntArray,
    cost: EventCost,
    known: KnownPlain | None = None,
) -> Guard:
    """Find the regions whose visits, in all call paths, take longer than what they show.

    A region shows its own plain time, with that of callees too short to measure, and a tenth of what else is
    spent below it, as in the budget rule (`filters.overhead_budget`). Of several runs its largest cost and
    the largest time that it shows count. What costs less than `NEGLIGIBLE` of the plain computing time stays.
    The rule says `reason` int64[R] of regions, and of call paths `callpaths`, int64[call path] per run.
    """
    shares = region_shares(regions, runs, cost, known)
    taken = shares.recording.max(axis=1, initial=0.0)
    shown = (shares.own + Budget.structure * shares.below).max(axis=1, initial=0.0)
    last = len(runs) - 1
    qualifies = (callpaths[last] >= Motive.PREFIX).astype(np.float64)
    return Guard(
        dropped=(reason >= Motive.PREFIX) & (taken > np.maximum(shown, NEGLIGIBLE)),
        cost=taken,
        shown=shown,
        callpaths=regions.total(last, runs[last], qualifies).astype(np.int64),
        qualified=regions.total(last, runs[last], qualifies * runs[last].visits),
        visits=regions.total(last, runs[last], runs[last].visits),
    )


def _guard_notices(regions: FilterRegions, reason: IntArray) -> tuple[str, ...]:
    """Name the regions that the guard drops in the end."""
    dropped = np.flatnonzero(reason == Motive.OUT_OF_PROPORTION).tolist()
    if not dropped:
        return ()
    names = short_list([regions.table.name[i] for i in dropped])
    return (
        "dropped although the rule of the paper keeps them, since recording all their visits costs more than "
        f"they show: {names}; --paper-exact keeps them",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleOutcome:
    """What the rule says about one run."""

    # int64[call path], values of `Motive`; call paths that cannot be filtered may have one, too
    reason: IntArray
    # int64[call path], for the call paths with much total time that are not kept for their time per visit:
    # the nearest caller, itself first, with few enough visits; -1 for others
    represented_by: IntArray
    time_per_visit: float  # the smallest time per visit, in seconds, that is kept; infinite if none is
    # the smallest total time, in core-seconds, that must be represented; infinite if none must
    total_time: float
    visits: float  # the most visits of a call path that may represent itself


@dataclass(frozen=True, eq=False, kw_only=True)
class PaperDecision(Decision):
    """A decision by the rule of the paper."""

    outcomes: tuple[RuleOutcome, ...]  # per run, what the rule says about it
    # what the kept regions cost and show in all their call paths; None for the letter of the paper
    guard: Guard | None


def decide_by_paper(
    runs: Sequence[RunEvidence],
    rule: PaperRule | None = None,
    overrides: Overrides | None = None,
    *,
    cost: EventCost | None = None,
    known: KnownPlain | None = None,
) -> PaperDecision:
    """Decide by the rule of the paper from one or more runs of the same program, the largest scale last.

    A region is kept if one of its call paths is kept in one of the runs, and if recording all its visits
    costs no more than they show (`_guard`; not with `PaperRule.paper_exact`). The callers of a region
    that is dropped for its cost stay: its time is attributed to them.
    """
    rule = rule or PaperRule()
    regions = unite_regions(runs)
    outcomes = [apply_paper_rule(run, can_filter(run.regions)[run.tree.region], rule) for run in runs]
    callpaths = tuple(outcome.reason for outcome in outcomes)
    by_rule = region_reasons(regions, runs, callpaths)
    found = None
    if not rule.paper_exact:
        found = _guard(regions, runs, callpaths, by_rule, cost or usual_cost(most_visited(runs)), known)
        by_rule = np.where(found.dropped, int(Motive.OUT_OF_PROPORTION), by_rule)
    reason = override(regions, by_rule, overrides or Overrides())
    method = (
        f"paper rule: top {100 * rule.per_visit:.0f} % by time per visit, top {100 * rule.total:.0f} % by "
    )
    method += f"total time, visits up to the {100 * rule.visits:.0f} % quantile, all callers of what is kept"
    method += "" if rule.paper_exact else "; nothing that costs more than it shows"
    return PaperDecision(
        regions=regions,
        runs=tuple(runs),
        callpaths=callpaths,
        reason=reason,
        method=method,
        notices=(*decision_notices(regions, reason), *_guard_notices(regions, reason)),
        outcomes=tuple(outcomes),
        guard=found,
    )


def apply_paper_rule(run: RunEvidence, filterable: BoolArray, rule: PaperRule) -> RuleOutcome:
    """Decide the call paths of a run, of which `filterable`, bool[call path], can be filtered.

    1. Of the m filterable call paths that were visited, the ceil(m / 4) with the longest exclusive time per
       visit are kept, ties included.
    2. Of the ceil(m / 4) with the most exclusive time, those not kept yet are represented by the nearest call
       path towards the root, itself first, whose visits are not above the median of the m; it is kept.
    3. The entry points of the tree and all prefixes of what is kept are kept.

    Exclusive time is what the paper's tool uses: it counts time once, where it is spent; inclusive time would
    keep the callers of everything and never a small kernel. Call paths that cannot be filtered (MPI, OpenMP)
    are not counted, but they can represent others: they are measured anyway.
    """
    counted = np.flatnonzero(filterable & (run.visits > 0))
    visits, time = run.visits[counted], run.time[counted]
    limit = float(np.quantile(visits, rule.visits)) if len(counted) else np.inf
    shortest, least = _threshold(time / visits, rule.per_visit), _threshold(time, rule.total)
    long = counted[time / visits >= shortest]
    heavy = np.setdiff1d(counted[time >= least], long)
    anchor = np.full(len(run.tree), -1)
    anchor[heavy] = run.tree.nearest((run.visits <= limit) | run.tree.roots)[heavy]
    reason = np.full(len(run.tree), int(Motive.DROPPED))
    kept = run.tree.roots.copy()
    kept[long] = True
    kept[anchor[heavy]] = True
    reason[run.tree.with_callers(kept)] = Motive.PREFIX
    reason[anchor[heavy]] = Motive.TOTAL_TIME
    reason[long] = Motive.TIME_PER_VISIT
    return RuleOutcome(
        reason=reason, represented_by=anchor, time_per_visit=shortest, total_time=least, visits=limit
    )


def _threshold(values: FloatArray, share: float) -> float:
    """Return the smallest of the ceil(share m) largest of m values; never zero, infinite if there is none."""
    count = min(len(values), int(np.ceil(share * len(values) - 1e-9)))
    if count == 0:
        return np.inf
    smallest = float(np.partition(values, len(values) - count)[len(values) - count])
    return max(smallest, float(np.nextafter(0.0, 1.0)))
