"""Why a region is kept or dropped, in lines for a person."""

from collections.abc import Iterable

import numpy as np

from filters.decision import Decision
from filters.paper_rule import RuleOutcome
from filters.patterns import compile_pattern
from filters.prediction import Prediction
from filters.reasons import Reason
from ingest.arrays import BoolArray, IntArray
from ingest.cpp_names import short_name
from ingest.errors import UsageError

_CALLPATHS = 5


def explain(decision: Decision, prediction: Prediction, asked: str) -> tuple[str, ...]:
    """Explain the decision about regions by what they did in the last run.

    Args:
        decision: what is kept.
        prediction: its effect on the last run.
        asked: a displayed or mangled name, a function's name without its parameters, or a pattern.

    Raises:
        UsageError: where no called region has that name.
    """
    found = np.flatnonzero(_named(decision, asked))
    if not len(found):
        hint = "give a name as the evidence file has it, or a pattern such as '*solve*'"
        raise UsageError(f"no called, filterable region is named '{asked}'", where="--explain", hint=hint)
    return tuple(line for i in found.tolist() for line in _region(decision, prediction, i))


def _named(decision: Decision, asked: str) -> BoolArray:
    table, pattern = decision.regions.table, compile_pattern(asked)
    hits = [
        asked in (name, mangled, short_name(name)) or pattern.matches(name) or pattern.matches(mangled)
        for name, mangled in zip(table.name, table.mangled, strict=True)
    ]
    return np.array(hits, dtype=np.bool_) & decision.regions.called


def _region(decision: Decision, prediction: Prediction, i: int) -> Iterable[str]:
    last = len(decision.runs) - 1
    run, reason = decision.runs[last], Reason(int(decision.reason[i]))
    nodes = np.flatnonzero(decision.regions.of_callpaths(last, run) == i)
    visits, time = float(run.visits[nodes].sum()), float(run.time[nodes].sum())
    plain, total = float(prediction.plain.callpath[nodes].sum()), prediction.plain.total
    yield f"{decision.regions.table.name[i]}: {'kept' if reason.keeps else 'dropped'}, {reason.sentence}"
    each = f", {1e6 * time / visits:.4g} us each" if visits > 0 else ""
    yield f"  {visits:.4g} visits, {time:.4g} core-s measured{each}, about {plain:.4g} core-s unmeasured"
    cost = prediction.plain.cost[0] * visits
    share = f" ({cost / total:.2%} of the plain computing time)" if total > 0 else ""
    yield f"  recording its visits takes about {cost:.4g} core-s{share}"
    if decision.outcomes:
        yield from _thresholds(decision.outcomes[last])
    yield from _callpaths(decision, nodes)


def _thresholds(outcome: RuleOutcome) -> Iterable[str]:
    yield (
        f"  the rule keeps call paths from {1e6 * outcome.time_per_visit:.4g} us per visit, has those from "
        f"{outcome.total_time:.4g} core-s represented, by ones of up to {outcome.visits:.4g} visits"
    )


def _callpaths(decision: Decision, nodes: IntArray) -> Iterable[str]:
    """Tell the call paths with the most time one by one."""
    last = len(decision.runs) - 1
    run, recorded = decision.runs[last], decision.recorded(last)
    home = run.tree.nearest(recorded)
    largest = nodes[np.argsort(-run.time[nodes], kind="stable")]
    for node in largest[:_CALLPATHS].tolist():
        path = " > ".join(short_name(run.regions.name[run.tree.region[step]]) for step in run.tree.path(node))
        told = _told(decision, node, int(home[node]))
        yield f"  {path}: {run.visits[node]:.4g} visits, {run.time[node]:.4g} core-s; {told}"
    if len(nodes) > _CALLPATHS:
        yield f"  and {len(nodes) - _CALLPATHS} more call paths"


def _told(decision: Decision, node: int, home: int) -> str:
    """Say what becomes of one call path."""
    last = len(decision.runs) - 1
    run, reason = decision.runs[last], Reason(int(decision.callpaths[last][node]))
    if home == node:
        return reason.sentence if reason.keeps else "recorded because its region is kept elsewhere"
    heir = short_name(run.regions.name[run.tree.region[home]]) if home >= 0 else "nobody"
    anchor = int(decision.outcomes[last].represented_by[node]) if decision.outcomes else -1
    stand_in = short_name(run.regions.name[run.tree.region[anchor]]) if anchor >= 0 else ""
    return f"its time is told of {heir}" + (f", represented by {stand_in}" if stand_in else "")
