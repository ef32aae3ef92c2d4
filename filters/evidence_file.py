"""The file beside a filter: the evidence behind its decision, as plain data for JSON."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from filters.budget import BudgetOutcome
from filters.decision import Decision, Reason
from filters.explanation import DroppedRegion, dropped_regions
from filters.overhead import FilterEffect, prediction_json
from filters.paper_rule import PaperDecision
from ingest.arrays import IntArray


def evidence_json(
    decision: Decision, predictions: Sequence[FilterEffect] = (), budget: BudgetOutcome | None = None
) -> dict[str, Any]:
    """Return the evidence of a decision.

    ``regions`` has one entry per called region, in the order of the displayed names: visits, exclusive time
    in core-seconds and seconds per visit of the last run, the reason, how many call paths lead to it, how
    many are kept by themselves and how many only because the region is kept elsewhere; with several runs,
    ``runs`` names those in which a call path of it is kept; ``why`` of a region that is dropped although the
    rule keeps it has what its visits cost and show. With predictions there are ``predictions``, one
    per run, ``plain_time`` of each region, and in ``given_up`` the dropped regions with the most time; with a
    budget there is ``budget``.
    """
    evidence: dict[str, Any] = {
        "method": decision.method,
        "runs": [run.source for run in decision.runs],
        "notices": list(decision.notices),
        "regions": _regions(decision, predictions[-1] if predictions else None),
    }
    if predictions:
        evidence["predictions"] = [prediction_json(prediction) for prediction in predictions]
        evidence["given_up"] = [_dropped(region) for region in dropped_regions(decision, predictions[-1])]
    if budget is not None:
        evidence["budget"] = _budget(budget)
    return evidence


def _dropped(region: DroppedRegion) -> dict[str, Any]:
    return {
        "region": region.region,
        "share": region.share,
        "visits": region.visits,
        "told_of": region.attributed_to,
    }


def _budget(outcome: BudgetOutcome) -> dict[str, Any]:
    return {
        "overhead": outcome.budget.overhead,
        "applied": outcome.applied.value,
        "met": outcome.met,
        "predicted": list(outcome.overhead),
        "value": outcome.packing.value,
        "bound": outcome.packing.bound,
        "gap": outcome.packing.gap,
    }


def _regions(decision: Decision, prediction: FilterEffect | None) -> list[dict[str, Any]]:
    last = len(decision.runs) - 1
    run, regions = decision.runs[last], decision.regions
    visits, time = regions.total(last, run, run.visits), regions.total(last, run, run.time)
    counts = [_callpath_counts(decision, i) for i in range(len(decision.runs))]
    entries = []
    for i in np.flatnonzero(regions.called).tolist():
        entry = _region(decision, i, float(visits[i]), float(time[i]), [count[:, i] for count in counts])
        entries.append(entry)
    if prediction is not None:
        plain = regions.total(last, run, prediction.plain.callpath)[regions.called]
        for entry, value in zip(entries, plain.tolist(), strict=True):
            entry["plain_time"] = value
    return entries


def _callpath_counts(decision: Decision, run: int) -> IntArray:
    """Count each region's call paths in a run: int64[3, R]: all, kept by themselves, kept by overlap."""
    evidence, regions = decision.runs[run], decision.regions
    by_itself = (decision.callpaths[run] >= Reason.PREFIX).astype(np.float64)
    overlapped = decision.overlapped(run).astype(np.float64)
    rows = [np.ones(len(evidence.tree)), by_itself, overlapped]
    return np.array([regions.total(run, evidence, row) for row in rows]).astype(np.int64)


def _why(decision: Decision, i: int, reason: Reason) -> str:
    if isinstance(decision, PaperDecision) and decision.guard and reason is Reason.OUT_OF_PROPORTION:
        return f"{reason.sentence}: {decision.guard.sentence(i)}"
    return reason.sentence


def _region(decision: Decision, i: int, visits: float, time: float, counts: list[IntArray]) -> dict[str, Any]:
    table, reason = decision.regions.table, Reason(int(decision.reason[i]))
    entry: dict[str, Any] = {
        "region": table.name[i],
        "mangled": table.mangled[i],
        "paradigm": table.paradigm[i],
        "file": table.file[i],
        "kept": reason.keeps,
        "reason": reason.name.lower(),
        "why": _why(decision, i, reason),
        "visits": visits,
        "time": time,
        "time_per_visit": time / visits if visits > 0 else None,
        "callpaths": int(counts[-1][0]),
        "callpaths_kept": int(counts[-1][1]) if reason.keeps else 0,
        "callpaths_overlapped": int(counts[-1][2]),
    }
    if len(counts) > 1:
        entry["runs"] = [decision.runs[j].source for j, count in enumerate(counts) if count[1] > 0]
    return entry
