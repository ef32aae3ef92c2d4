"""The evidence behind a decision, region by region, as plain data for JSON."""

from typing import Any

import numpy as np

from filters.decision import Decision
from filters.reasons import Reason
from ingest.arrays import FloatArray, IntArray


def evidence_json(decision: Decision) -> dict[str, Any]:
    """Return the evidence of a decision.

    ``regions`` has one entry a called region, in the order of the displayed names: visits, exclusive time in
    core-seconds and seconds per visit of the last run, the reason, how many call paths lead to it, how many
    are kept for themselves and how many only because the region is kept elsewhere; where there are several
    runs, ``runs`` names those in which a call path of it is kept.
    """
    last = len(decision.runs) - 1
    run = decision.runs[last]
    visits = decision.regions.total(last, run, run.visits)
    time = decision.regions.total(last, run, run.time)
    counts = [_callpath_counts(decision, i) for i in range(len(decision.runs))]
    rows = [
        _region(decision, i, float(visits[i]), float(time[i]), [count[:, i] for count in counts])
        for i in np.flatnonzero(decision.regions.called).tolist()
    ]
    return {
        "method": decision.method,
        "runs": [run.source for run in decision.runs],
        "notices": list(decision.notices),
        "regions": rows,
    }


def _callpath_counts(decision: Decision, run: int) -> IntArray:
    """Count each region's call paths in a run: int64[3, R]: all, kept by themselves, kept by overlap."""
    evidence, regions = decision.runs[run], decision.regions
    by_itself: FloatArray = (decision.callpaths[run] >= Reason.PREFIX).astype(np.float64)
    overlapped: FloatArray = decision.overlapped(run).astype(np.float64)
    rows = [np.ones(len(evidence.tree)), by_itself, overlapped]
    return np.array([regions.total(run, evidence, row) for row in rows]).astype(np.int64)


def _region(decision: Decision, i: int, visits: float, time: float, counts: list[IntArray]) -> dict[str, Any]:
    table, reason = decision.regions.table, Reason(int(decision.reason[i]))
    entry: dict[str, Any] = {
        "region": table.name[i],
        "mangled": table.mangled[i],
        "paradigm": table.paradigm[i],
        "file": table.file[i],
        "kept": reason.keeps,
        "reason": reason.name.lower(),
        "why": reason.sentence,
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
