"""The budget rule: the most valuable regions whose recording takes no more than a share of the run."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from filters.decision import Decision, Motive, decision_notices, override
from filters.event_cost import EventCost, most_visited, usual_cost
from filters.evidence import FilterRegions, RunEvidence, by_hand, unite_regions
from filters.filter_effect import estimate_plain_time
from filters.filter_options import Application, Budget, Overrides
from filters.known_plain import KnownPlain
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.cpp_names import short_name
from ingest.number_text import percent
from ingest.record_codec import NO_ENTRY, entry

_BLOCK = 0.5  # of the computing time, from which a region is worth being divided
_NEXT_TO_NOTHING = 0.95  # of the overhead at run time, that compiling anew leaves
_LEAST_BELOW = 0.01  # of its own time, that is spent below a region whose callees could divide it
_NEXT_BUDGETS = (2.0, 5.0, 10.0)  # times the budget, that are looked at
_WORTH_MORE = 0.1  # of the computing time, that a larger budget has to show
_COUNTS = 0.1  # of the longest run's computing time: shorter runs must not meet the budget


@dataclass(frozen=True, eq=False)
class Packing:
    """A choice of items."""

    taken: BoolArray  # bool[item]
    value: float  # of the items taken
    bound: float  # no choice within the capacity has a larger value

    @property
    def gap(self) -> float:
        """The largest share of the best value that may be missing."""
        return max(0.0, 1.0 - self.value / self.bound) if self.bound > 0 else 0.0


def pack(value: FloatArray, weight: FloatArray, capacity: float) -> Packing:
    """Fill a knapsack in the order of value per weight, float64[item] each, skipping what no longer fits.

    The bound is that of the continuous problem (Dantzig 1957), in which the first item that does not fit is
    taken in part. The choice misses less than the value of that item; if one item alone is worth more than
    the choice, it is taken instead, so that at least half of the best value is reached in any case. Nothing
    fits into a negative capacity.
    """
    fits = np.flatnonzero(weight <= capacity)
    density = np.log(value[fits]) - np.log(np.maximum(weight[fits], np.finfo(np.float64).tiny))
    order = fits[np.lexsort((fits, -value[fits], -density))]
    taken = np.zeros(len(value), dtype=np.bool_)
    bound, rest, pending = _continuous(value[order], weight[order], capacity), capacity, order
    while len(pending):
        count = int(np.searchsorted(np.cumsum(weight[pending]), rest, side="right"))
        taken[pending[:count]] = True
        rest = max(rest - float(weight[pending[:count]].sum()), 0.0)
        pending = pending[count + 1 :]
        pending = pending[weight[pending] <= rest]
    if len(fits) and value[fits].max() > value[taken].sum():
        taken[:] = False
        taken[fits[value[fits].argmax()]] = True
    return Packing(taken, float(value[taken].sum()), bound)


def _continuous(value: FloatArray, weight: FloatArray, capacity: float) -> float:
    """Return the best value of the continuous problem, given the items in the order of their density."""
    filled = np.cumsum(weight)
    whole = int(np.searchsorted(filled, capacity, side="right"))
    best = float(value[:whole].sum())
    if whole < len(value):
        before = filled[whole - 1] if whole else 0.0
        best += float(value[whole] * (capacity - before) / weight[whole])
    return best


def _share(budget: Budget) -> float:
    return budget.overhead


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetOutcome:
    """How an overhead budget was spent."""

    document_name: ClassVar[str] = "budget"
    budget: Budget = field(metadata=entry("overhead", made=_share))
    applied: Application  # where the filter must be applied so that the budget holds
    met: bool  # whether the overhead stays within the budget in the runs that count
    predicted: tuple[float, ...]  # per run, the overhead as a share of the plain computing time
    counts: BoolArray = field(metadata=NO_ENTRY)  # bool[J], the runs that must meet the budget
    # value, bound, gap: of the choice among the regions that are worth their cost, see `Packing`
    value: float
    bound: float
    gap: float
    taken: BoolArray = field(metadata=NO_ENTRY)  # bool[R], that choice

    @property
    def largest(self) -> float:
        """The largest overhead of a run that counts."""
        return float(np.array(self.predicted)[self.counts].max())


@dataclass(frozen=True, eq=False, kw_only=True)
class Shares:
    """Of R regions in J runs; every number is a share of the run's plain computing time."""

    own: FloatArray  # float64[R, J], plain time in the region, with that of callees too short to measure
    below: FloatArray  # float64[R, J], plain time below it, with communication; recursion counts once
    recording: FloatArray  # float64[R, J], cost of recording its visits
    hooks: FloatArray  # float64[R, J], cost of its visits if they are filtered at run time
    fixed: FloatArray  # float64[J], cost of what cannot be filtered
    by_hand: BoolArray  # bool[R], regions that are recorded whatever a filter at compile time says
    # bool[J], the last run, and those with at least a tenth of the longest one's plain time: what is short is
    # costly to measure and decides nothing
    counts: BoolArray

    def weight(self, applied: Application) -> FloatArray:
        """Return what recording a region adds to the overhead, float64[R, J]."""
        return self.recording - self.hooks if applied is Application.RUN_TIME else self.recording

    def overhead(self, kept: BoolArray, applied: Application) -> FloatArray:
        """Return the overhead of recording the kept regions, float64[J]."""
        hooks = self.hooks.sum(axis=0) if applied is Application.RUN_TIME else 0.0
        recorded = kept | self.by_hand if applied is Application.COMPILE_TIME else kept
        return np.asarray(self.fixed + hooks + self.weight(applied)[recorded].sum(axis=0))


def decide_by_budget(
    runs: Sequence[RunEvidence],
    budget: Budget,
    *,
    overrides: Overrides | None = None,
    cost: EventCost | None = None,
    known: KnownPlain | None = None,
    with_growing: bool = False,
) -> tuple[Decision, BudgetOutcome]:
    """Select regions within an overhead budget, from runs of the same program, measured without a filter.

    A region is worth its plain exclusive time, with that of callees whose visits are too short to measure,
    and a tenth (`Budget.structure`) of what else is spent below it. With these values a knapsack is filled.
    Each of several runs that count (`Shares`) must stay within the budget: a region weighs the largest share
    that it takes of it in any of them, and is worth its largest share of any run, so that what is large at
    one scale only is not lost. `overrides` are kept or dropped whatever it costs, and `with_growing` what
    grows.
    """
    regions = unite_regions(runs)
    shares = region_shares(regions, runs, cost or usual_cost(most_visited(runs)), known)
    asked = overrides or Overrides()
    asked = asked if with_growing else replace(asked, growing=())
    undecided = np.where(regions.called, Motive.TOO_COSTLY, Motive.NEVER_CALLED).astype(np.int64)
    forced = override(regions, undecided, asked)
    must = forced >= Motive.PREFIX
    applied = budget.applied or _application(shares, must, budget)
    worth = np.where(
        (forced == Motive.TOO_COSTLY)[:, None], shares.own + budget.structure * shares.below, 0.0
    )
    packing = _pack(shares, worth, must, budget.overhead, applied)
    if budget.applied is None and applied is Application.RUN_TIME:
        anew = _pack(shares, worth, must, budget.overhead, Application.COMPILE_TIME)
        if anew.value >= packing.value + _WORTH_MORE:  # hooks would take the place of regions that lead
            applied, packing = Application.COMPILE_TIME, anew
    mostly_own = (shares.own >= budget.structure * shares.below).any(axis=1)  # else the time below it
    reason = np.where(packing.taken, np.where(mostly_own, Motive.TIME, Motive.STRUCTURE), forced)
    overhead = shares.overhead(reason >= Motive.PREFIX, applied)
    outcome = BudgetOutcome(
        budget=budget,
        applied=applied,
        met=bool((overhead <= budget.overhead)[shares.counts].all()),
        predicted=tuple(overhead.tolist()),
        counts=shares.counts,
        value=packing.value,
        bound=packing.bound,
        gap=packing.gap,
        taken=packing.taken,
    )
    method = f"overhead budget of {percent(budget.overhead)}, filter applied at {applied.value}"
    notices = (
        *decision_notices(regions, reason),
        *_budget_notices(outcome, shares, runs),
        *_worth_more(regions, shares, worth, must, outcome),
    )
    callpaths = _callpath_reasons(regions, runs, reason, worth > 0.0)
    decision = Decision(
        regions=regions, runs=tuple(runs), callpaths=callpaths, reason=reason, method=method, notices=notices
    )
    return decision, outcome


def region_shares(
    regions: FilterRegions, runs: Sequence[RunEvidence], cost: EventCost, known: KnownPlain | None
) -> Shares:
    """Collect what each region costs and is worth; the known plain time is that of the last run."""
    own, below, recording, hooks, fixed, totals = [], [], [], [], [], []
    for i, run in enumerate(runs):
        plain = estimate_plain_time(run, cost, known if i == len(runs) - 1 else None)
        share = 1.0 / plain.total if plain.total > 0 else 0.0
        entry = regions.of_callpaths(i, run)
        visits = regions.total(i, run, run.visits)
        own_time = regions.total(i, run, plain.attributed)
        inclusive = run.tree.inclusive(plain.attributed[:, None])[:, 0]
        whole = regions.total(i, run, inclusive * run.tree.outermost(entry))
        totals.append(plain.total)
        own.append(own_time * share)
        below.append(np.maximum(whole - own_time, 0.0) * share)
        recording.append(visits * plain.cost[0] * share)
        hooks.append(visits * min(cost.filtered, plain.cost[0]) * share)
        fixed.append(float(run.visits[entry < 0].sum()) * plain.cost[0] * share)
    counts = np.array(totals) >= _COUNTS * max(totals)
    counts[-1] = True
    return Shares(
        own=np.stack(own, axis=1),
        below=np.stack(below, axis=1),
        recording=np.stack(recording, axis=1),
        hooks=np.stack(hooks, axis=1),
        fixed=np.array(fixed),
        by_hand=by_hand(regions.table),
        counts=counts,
    )


def _application(shares: Shares, forced: BoolArray, budget: Budget) -> Application:
    """Return run time if the budget allows for its hooks, or if compiling anew would save next to nothing."""
    hooks, without = (shares.overhead(forced, one)[shares.counts] for one in Application)
    enough = (hooks <= budget.overhead).all() or (without >= _NEXT_TO_NOTHING * hooks).all()
    return Application.RUN_TIME if enough else Application.COMPILE_TIME


def _pack(
    shares: Shares, worth: FloatArray, forced: BoolArray, limit: float, applied: Application
) -> Packing:
    """Fill the knapsack; weights are shares of what the forced regions leave of the budget."""
    left = (limit - shares.overhead(forced, applied))[shares.counts]
    items = np.flatnonzero(worth.any(axis=1))
    value = worth[items].max(axis=1, initial=0.0)
    if (left <= 0.0).any():
        packing = pack(value, np.ones(len(items)), 0.0)
    else:
        weight = shares.weight(applied)[items][:, shares.counts] / left
        packing = pack(value, weight.max(axis=1, initial=0.0), 1.0)
    taken = np.zeros(len(worth), dtype=np.bool_)
    taken[items] = packing.taken
    return Packing(taken, packing.value, packing.bound)


def _callpath_reasons(
    regions: FilterRegions, runs: Sequence[RunEvidence], reason: IntArray, worthy: BoolArray
) -> tuple[IntArray, ...]:
    """Give call paths the reason of their region, in those runs in which it would have been selected."""
    found = []
    for i, run in enumerate(runs):
        entry = regions.of_callpaths(i, run)
        free = np.isin(reason, (Motive.TIME, Motive.STRUCTURE)) & ~worthy[:, i]
        by_run = np.append(np.where(free, Motive.TOO_COSTLY, reason), Motive.DROPPED)
        found.append(by_run[entry])
    return tuple(found)


def _worth_more(
    regions: FilterRegions, shares: Shares, worth: FloatArray, forced: BoolArray, outcome: BudgetOutcome
) -> tuple[str, ...]:
    """Say which region stays one block, and which larger budget would divide it."""
    own, limit = shares.own[:, -1], outcome.budget.overhead
    kept = forced | outcome.taken
    if not outcome.met or own.sum() <= 0:
        return ()
    block = int(np.where(kept, own, 0.0).argmax())
    found, now = [], float(own[kept].sum())
    divisible = shares.below[block, -1] > _LEAST_BELOW * own[block]
    if divisible and own[block] >= _BLOCK * own.sum():
        share = percent(float(own[block] / own.sum()))
        name = short_name(regions.table.name[block])
        found.append(f"{name} stays one block with {share} of the computing time")
    for step in _NEXT_BUDGETS:
        packing = _pack(shares, worth, forced, step * limit, outcome.applied)
        more = float(own[forced | packing.taken].sum())
        if more >= now + _WORTH_MORE * own.sum():
            there, here = (percent(part / float(own.sum())) for part in (more, now))
            found.append(
                f"--max-overhead {percent(step * limit)} would measure {there} of the computing time in the "
                f"regions where it is spent, instead of {here}"
            )
            break
    return tuple(found)


def _budget_notices(outcome: BudgetOutcome, shares: Shares, runs: Sequence[RunEvidence]) -> tuple[str, ...]:
    limit, notices = outcome.budget.overhead, []
    if not outcome.met:
        notices.append(
            f"the overhead budget of {percent(limit)} cannot be met: what must be recorded (MPI and "
            f"protected regions) takes {percent(outcome.largest)}"
        )
    short = zip(runs, outcome.predicted, shares.counts.tolist(), strict=True)
    notices += [
        f"{run.source}: overhead {percent(there)}, above the budget, which is that of the longer runs"
        for run, there, counts in short
        if not counts and there > limit
    ]
    if outcome.budget.applied is None and outcome.applied is Application.COMPILE_TIME:
        hooks = float((shares.fixed + shares.hooks.sum(axis=0))[shares.counts].max())
        notices.append(
            f"the filter has to be applied at compile time: at run time the hooks alone take "
            f"{percent(hooks)} of the plain computing time"
        )
    return tuple(notices)
