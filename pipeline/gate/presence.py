"""Kernels that only one of two studies has, and the call paths that a region's change comes from."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray
from pipeline.gate.decision import Decision, Evidence, Ground, Side, Verdict
from pipeline.gate.options import CheckOptions
from pipeline.gate.pairing import Pair
from pipeline.gate.snapshot import Level, Snapshot

LOCATED = 3  # call paths named for a region


def new_kernels(both: Pair, options: CheckOptions) -> list[Decision]:
    """Kernels that the baseline does not have; a new region fails the check from `new_share` on.

    A new call path of a region that was there before is told only: its region is compared as a whole.
    """
    known = {
        k.callpath[-1] for k in (*both.baseline.kernels, *both.vanished.kernels) if k.level is not Level.TOTAL
    }
    floor = max(options.share_floor, both.baseline.smallest_share)
    found = []
    for kernel, row in _alone(both.new, both.candidate, floor, known):
        largest = float(_share_of(both.candidate, both.new)[row].max())
        moved = kernel in known
        fails = largest >= options.new_share and not moved
        text = f"takes up to {100 * largest:.3g} % of the total and is not in the baseline"
        text += ", a new way to call a known region" if moved else ""
        found.append(
            replace(
                _one_sided(both.new, both.candidate, row, text),
                verdict=Verdict.REGRESSION if fails else Verdict.NEW,
                advice="write a new baseline if it is meant to be there" if fails else "",
            )
        )
    return found


def vanished_kernels(both: Pair, options: CheckOptions) -> list[Decision]:
    """Kernels that only the baseline has; they fail nothing."""
    known = {
        k.callpath[-1] for k in (*both.candidate.kernels, *both.new.kernels) if k.level is not Level.TOTAL
    }
    found = []
    for _, row in _alone(both.vanished, both.baseline, options.share_floor, known):
        largest = float(_share_of(both.baseline, both.vanished)[row].max())
        text = f"took up to {100 * largest:.3g} % of the total and is gone"
        decision = _one_sided(both.vanished, both.baseline, row, text)
        found.append(replace(decision, baseline=decision.candidate, candidate=None))
    return found


def _regions(*studies: Snapshot) -> set[str]:
    return {k.callpath[-1] for study in studies for k in study.kernels if k.level is not Level.TOTAL}


def _alone(study: Snapshot, whole: Snapshot, floor: float, known: set[str]) -> list[tuple[str, int]]:
    """Region name and row of what one side alone has; a region that is told stands for its call paths."""
    regions = {k.callpath[-1] for k in study.kernels if k.level is Level.REGION}
    told = regions - known
    large = np.flatnonzero((_share_of(whole, study) >= floor).any(axis=1)).tolist()
    names = [(study.kernels[row], row) for row in large]
    return [
        (kernel.callpath[-1], row)
        for kernel, row in names
        if (kernel.level is Level.REGION) == (kernel.callpath[-1] in told)
    ]


def _one_sided(study: Snapshot, whole: Snapshot, row: int, text: str) -> Decision:
    at = int(np.argmax(whole.scale))
    return Decision(
        kernel=study.kernels[row],
        verdict=Verdict.VANISHED,
        evidence=(Evidence(Ground.NEW, text),),
        candidate=Side(value=float(study.mean[row, at]), share=float(_share_of(whole, study)[row, at])),
        file=study.files[row],
        line=int(study.lines[row]),
    )


def _share_of(whole: Snapshot, part: Snapshot) -> FloatArray:
    total = whole.mean[:1]
    return np.divide(part.mean, total, out=np.zeros(part.mean.shape), where=total > 0)


def located(decision: Decision, decisions: Sequence[Decision]) -> Decision:
    """Name the call paths that a region's or the total's regression comes from."""
    if decision.verdict is not Verdict.REGRESSION or decision.kernel.level is Level.CALLPATH:
        return decision
    region = decision.kernel.callpath[-1] if decision.kernel.level is Level.REGION else None
    parts = [
        (_cost(d), d.kernel.callpath)
        for d in decisions
        if d.kernel.level is Level.CALLPATH and region in (None, d.kernel.callpath[-1])
    ]
    worst = sorted((p for p in parts if p[0] > 0), reverse=True)[:LOCATED]
    return replace(decision, located=tuple(path for _, path in worst))


def _cost(decision: Decision) -> float:
    """What a change costs: at the last target where it is carried on, at the largest scale otherwise."""
    ratio = (*decision.measured[-1:], *decision.target[-1:])
    value = decision.candidate.value if decision.candidate else 0.0
    return value * max((r.ratio - 1.0 for r in ratio), default=1.0)
