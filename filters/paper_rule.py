"""The rule of paper 001 (section 3.1): which call paths to keep, from one run."""

from dataclasses import dataclass

import numpy as np

from filters.evidence import RunEvidence
from filters.options import PaperRule
from filters.reasons import Reason
from ingest.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleOutcome:
    """What the rule says of one run.

    Attributes:
        reason: int64[call path], values of `Reason`; call paths that no filter can touch may have one, too.
        represented_by: int64[call path], for the call paths with much total time that are not kept for their
            time per visit: the nearest call path upwards, itself first, with few enough visits; -1 for
                others.
        time_per_visit: the smallest time per visit, in seconds, that is kept; infinite where none is.
        total_time: the smallest total time, in core-seconds, that must be represented; infinite where none
            is.
        visits: the most visits of a call path that may represent itself.
    """

    reason: IntArray
    represented_by: IntArray
    time_per_visit: float
    total_time: float
    visits: float


def apply_paper_rule(run: RunEvidence, filterable: BoolArray, rule: PaperRule) -> RuleOutcome:
    """Decide the call paths of a run.

    1. Of the m filterable call paths that were visited, the ceil(m / 4) with the longest exclusive time per
       visit are kept, ties included.
    2. Of the ceil(m / 4) with the most exclusive time, those not kept yet are represented by the nearest call
       path upwards, itself first, whose visits are not above the median of the m; it is kept.
    3. The entry points of the tree and all prefixes of what is kept are kept.

    Exclusive time is what the paper's tool uses: time is told once, where it is spent; inclusive time would
    keep the callers of everything and never a small kernel. Call paths that no filter can touch (MPI,
    OpenMP) are not counted, but they can represent others: they are measured anyway.

    Args:
        run: the evidence.
        filterable: bool[call path], which of them a filter can touch.
        rule: the numbers.
    """
    counted = np.flatnonzero(filterable & (run.visits > 0))
    visits, time = run.visits[counted], run.time[counted]
    limit = float(np.quantile(visits, rule.visits)) if len(counted) else np.inf
    shortest, least = _threshold(time / visits, rule.per_visit), _threshold(time, rule.total)
    long = counted[time / visits >= shortest]
    heavy = np.setdiff1d(counted[time >= least], long)
    anchor = np.full(len(run.tree), -1, dtype=np.int64)
    anchor[heavy] = run.tree.nearest((run.visits <= limit) | run.tree.roots)[heavy]
    reason = np.full(len(run.tree), Reason.DROPPED, dtype=np.int64)
    kept = run.tree.roots.copy()
    kept[long] = True
    kept[anchor[heavy]] = True
    reason[run.tree.with_callers(kept)] = Reason.PREFIX
    reason[anchor[heavy]] = Reason.TOTAL_TIME
    reason[long] = Reason.TIME_PER_VISIT
    return RuleOutcome(
        reason=reason, represented_by=anchor, time_per_visit=shortest, total_time=least, visits=limit
    )


def _threshold(values: FloatArray, share: float) -> float:
    """Return the smallest of the ceil(share m) largest of m values; never zero, infinite where none is."""
    count = min(len(values), int(np.ceil(share * len(values) - 1e-9)))
    if count == 0:
        return np.inf
    smallest = float(np.partition(values, len(values) - count)[len(values) - count])
    return max(smallest, float(np.nextafter(0.0, 1.0)))
