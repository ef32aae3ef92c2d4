"""The budget rule: the most telling regions whose measurement takes no more than a share of the run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.cost import EventCost
from filters.decision import Decision, notices
from filters.evidence import RunEvidence
from filters.knapsack import Packing, pack
from filters.plain_time import estimate_plain_time
from filters.prediction import Application
from filters.reasons import Reason
from filters.regions import FilterRegions, unite_regions
from filters.shares import Shares, shares_of
from filters.wishes import Wishes, wished
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError


@dataclass(frozen=True)
class Budget:
    """How much measuring may cost.

    Attributes:
        overhead: the largest overhead as a share of the plain computing time, such as 0.05.
        applied: where the filter will be applied; None: at run time where the budget allows for the hooks
            that stay in the code, otherwise at compile time.
        structure: what a second below a region is worth against a second in it: the region is a part of the
            call paths of all that is measured below it.
    """

    overhead: float
    applied: Application | None = None
    structure: float = 0.1

    def __post_init__(self) -> None:
        """Refuse budgets that are none."""
        if not self.overhead > 0.0:
            raise UsageError(f"a budget of {self.overhead:.4g}", hint="give a positive share, such as 5%")


@dataclass(frozen=True, eq=False)
class BudgetOutcome:
    """How the budget was spent.

    Attributes:
        budget: as asked.
        applied: where the filter must be applied for the budget to hold.
        overhead: per run, the predicted overhead as a share of the plain computing time.
        packing: the choice among the regions that are worth their cost, with its bound.
    """

    budget: Budget
    applied: Application
    overhead: tuple[float, ...]
    packing: Packing

    @property
    def met(self) -> bool:
        """Whether the overhead stays within the budget in every run."""
        return max(self.overhead) <= self.budget.overhead


def decide_by_budget(
    runs: Sequence[RunEvidence],
    budget: Budget,
    *,
    wishes: Wishes | None = None,
    cost: EventCost | None = None,
    baseline: float | None = None,
) -> tuple[Decision, BudgetOutcome]:
    """Choose regions within a budget.

    A region is worth its plain exclusive time, with that of callees whose visits are too short to be told,
    and a tenth (`Budget.structure`) of what else is spent below it. With these values a knapsack is filled.
    Each of several runs must stay within the budget: a region weighs what it takes of it where it takes
    most, and is worth its largest share of any run, so that what is large at one scale only is not lost.

    Args:
        runs: one or more runs of the same program, measured without a filter.
        budget: how much measuring may cost.
        wishes: what to protect or to drop whatever it costs or tells.
        cost: the cost of a visit; the default where not given.
        baseline: duration in seconds of the last run without instrumentation, where known.

    Raises:
        UsageError: where the baseline cannot be.
    """
    regions = unite_regions(runs)
    shares = _shares(regions, runs, cost or EventCost(), baseline)
    forced = wished(regions, _undecided(regions), wishes or Wishes())
    must = forced >= Reason.PREFIX
    applied = budget.applied or _application(shares, must, budget)
    worth = np.where(
        (forced == Reason.TOO_COSTLY)[:, None], shares.own + budget.structure * shares.below, 0.0
    )
    packing = _pack(shares, worth, must, budget.overhead, applied)
    reason = _reasons(shares, budget, forced, packing.taken)
    overhead = shares.overhead(reason >= Reason.PREFIX, applied)
    outcome = BudgetOutcome(budget, applied, tuple(overhead.tolist()), packing)
    method = f"budget: overhead up to {budget.overhead:.3g} of plain computing time at {applied.value}"
    told = (*notices(regions, reason), *_budget_notices(outcome, shares))
    callpaths = _callpath_reasons(regions, runs, reason, worth > 0.0)
    return Decision(
        regions=regions, runs=tuple(runs), callpaths=callpaths, reason=reason, method=method, notices=told
    ), outcome


def _shares(
    regions: FilterRegions, runs: Sequence[RunEvidence], cost: EventCost, baseline: float | None
) -> Shares:
    known = [None] * (len(runs) - 1) + [baseline]
    plains = [estimate_plain_time(run, cost, duration) for run, duration in zip(runs, known, strict=True)]
    return shares_of(regions, runs, plains, cost)


def _undecided(regions: FilterRegions) -> IntArray:
    return np.where(regions.called, Reason.TOO_COSTLY, Reason.NEVER_CALLED).astype(np.int64)


def _application(shares: Shares, forced: BoolArray, budget: Budget) -> Application:
    hooks = shares.overhead(forced, Application.RUN_TIME)
    return Application.RUN_TIME if (hooks <= budget.overhead).all() else Application.COMPILE_TIME


def _pack(
    shares: Shares, worth: FloatArray, forced: BoolArray, limit: float, applied: Application
) -> Packing:
    """Fill the knapsack; weights are shares of what the forced regions leave of the budget."""
    left = limit - shares.overhead(forced, applied)
    items = np.flatnonzero(worth.any(axis=1))
    value = worth[items].max(axis=1, initial=0.0)
    if (left <= 0.0).any():
        packing = pack(value, np.ones(len(items)), 0.0)
    else:
        packing = pack(value, (shares.weight(applied)[items] / left).max(axis=1, initial=0.0), 1.0)
    taken = np.zeros(len(worth), dtype=np.bool_)
    taken[items] = packing.taken
    return Packing(taken, packing.value, packing.bound)


def _reasons(shares: Shares, budget: Budget, forced: IntArray, taken: BoolArray) -> IntArray:
    """Give what was chosen the reason that weighs more: its own time or what is spent below it."""
    mostly_own = (shares.own >= budget.structure * shares.below).any(axis=1)
    return np.where(taken, np.where(mostly_own, Reason.TIME, Reason.STRUCTURE), forced)


def _callpath_reasons(
    regions: FilterRegions, runs: Sequence[RunEvidence], reason: IntArray, worthy: BoolArray
) -> tuple[IntArray, ...]:
    """Give call paths the reason of their region, in those runs in which it would have been chosen."""
    found = []
    for i, run in enumerate(runs):
        entry = regions.of_callpaths(i, run)
        free = np.isin(reason, (Reason.TIME, Reason.STRUCTURE)) & ~worthy[:, i]
        by_run = np.append(np.where(free, Reason.TOO_COSTLY, reason), Reason.DROPPED)
        found.append(by_run[entry])
    return tuple(found)


def _budget_notices(outcome: BudgetOutcome, shares: Shares) -> tuple[str, ...]:
    limit, notices = outcome.budget.overhead, []
    if not outcome.met:
        notices.append(
            f"the budget of {limit:.3g} cannot be met: what must be measured, MPI and all that is protected, "
            f"takes {max(outcome.overhead):.3g}"
        )
    if outcome.budget.applied is None and outcome.applied is Application.COMPILE_TIME:
        hooks = float((shares.fixed + shares.hooks.sum(axis=0)).max())
        notices.append(
            f"the budget holds only where the filter is applied at compile time: at run time the hooks alone "
            f"take {hooks:.3g} of the plain time"
        )
    return tuple(notices)
