"""From tests to verdicts: one decision a kernel, with the evidence in words."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray
from pipeline.gate.change_tests import Estimates
from pipeline.gate.decision import Change, Decision, Evidence, Ground, Side, Verdict
from pipeline.gate.family import Family
from pipeline.gate.forecast import Forecast
from pipeline.gate.options import CheckOptions, Waiver
from pipeline.gate.pairing import Pair
from pipeline.gate.rules import names
from pipeline.gate.snapshot import KernelId, Level, Snapshot

ENOUGH_REPETITIONS = 3


def point_of(parameters: Sequence[str], row: FloatArray) -> dict[str, float]:
    """Return a point as a mapping."""
    return dict(zip(parameters, row.tolist(), strict=True))


def point_text(point: Mapping[str, float]) -> str:
    """Return ``p = 8, n = 32``."""
    return ", ".join(f"{name} = {value:g}" for name, value in point.items())


def side_of(snapshot: Snapshot, ahead: Forecast, row: int, at: int) -> Side:
    """Describe one kernel of one study; `at` is the point that counts as the largest."""
    p = ahead.prediction
    predicted = zip(p.value[row].tolist(), p.lower[row].tolist(), p.upper[row].tolist(), strict=True)
    return Side(
        value=float(snapshot.mean[row, at]),
        share=float(snapshot.share[row, at]),
        growth=ahead.models.growth(row),
        formula=ahead.models.formula(row),
        predicted=tuple(predicted),
    )


def decide(
    both: Pair,
    base: Forecast,
    ahead: Forecast,
    family: Family,
    targets: FloatArray,
    options: CheckOptions,
) -> list[Decision]:
    """Decide about the kernels that matter; rules, waivers and new kernels come after.

    Args:
        both: the two studies.
        base, ahead: their forecasts, kernel by kernel of the pair.
        family: the tests.
        targets: float64[Q, D].
        options: level and resolution.
    """
    names_of, level = both.baseline.parameters, 1 - 2 * options.false_alarms / max(family.tests, 1)
    points = [point_of(names_of, row) for row in both.points]
    ends = [point_of(names_of, row) for row in targets]
    measured = _changes(family.changes.measured, points, level)
    target = _changes(family.changes.target, ends, level)
    last = _largest(both)
    decisions = []
    for k, row in enumerate(family.rows.tolist()):
        decision = Decision(
            kernel=both.candidate.kernels[row],
            verdict=Verdict.UNCHANGED,
            baseline=side_of(both.baseline, base, row, last[0]),
            candidate=side_of(both.candidate, ahead, row, last[1]),
            measured=measured[k],
            target=target[k],
            file=both.candidate.files[row],
            line=int(both.candidate.lines[row]),
            detectable=float(family.detectable[k]) if np.isfinite(family.detectable[k]) else None,
        )
        decisions.append(_judged(decision, both, family, k, points, ends, options))
    return covered(decisions)


def _largest(both: Pair) -> tuple[int, int]:
    """Index of the largest common scale in either study, of the largest at all where none is common."""
    if len(both.scale):
        largest = int(np.argmax(both.scale))
        return int(both.base_at[largest]), int(both.candidate_at[largest])
    return int(np.argmax(both.baseline.scale)), int(np.argmax(both.candidate.scale))


def _changes(
    estimates: Estimates, points: Sequence[Mapping[str, float]], level: float
) -> list[tuple[Change, ...]]:
    lower, upper = estimates.interval(level)
    known = np.isfinite(lower) & np.isfinite(upper)
    with np.errstate(over="ignore"):
        ratio = np.exp(estimates.log_ratio)
    return [
        tuple(
            Change(point, float(ratio[k, i]), float(lower[k, i]), float(upper[k, i]))
            for i, point in enumerate(points)
            if known[k, i]
        )
        for k in range(len(ratio))
    ]


def _judged(
    decision: Decision,
    both: Pair,
    family: Family,
    k: int,
    points: Sequence[Mapping[str, float]],
    ends: Sequence[Mapping[str, float]],
    options: CheckOptions,
) -> Decision:
    worse = evidence_of(family, k, points, ends, decision, options.false_alarms, worse=True)
    if worse:
        return replace(decision, verdict=Verdict.REGRESSION, evidence=worse)
    better = evidence_of(family, k, points, ends, decision, options.false_alarms, worse=False)
    if better:
        return replace(decision, verdict=Verdict.IMPROVEMENT, evidence=better)
    doubt = _doubt(decision, both, family, k, options)
    return replace(decision, verdict=Verdict.INCONCLUSIVE, advice=doubt) if doubt else decision


def evidence_of(
    family: Family,
    k: int,
    points: Sequence[Mapping[str, float]],
    ends: Sequence[Mapping[str, float]],
    decision: Decision,
    level: float,
    *,
    worse: bool,
) -> tuple[Evidence, ...]:
    """Put the significant tests of one kernel and direction into sentences, the strongest of each kind."""
    p = np.nan_to_num((family.worse if worse else family.better)[k], nan=1.0)
    ratios = np.concatenate(
        [
            family.changes.measured.log_ratio[k],
            family.changes.rise.log_ratio[k],
            family.changes.target.log_ratio[k],
            family.models.log_ratio[k],
        ]
    )
    count, ahead = len(points), len(ends)
    kinds = {
        Ground.MEASURED: range(count),
        Ground.GROWTH: range(count, count + 1),
        Ground.TARGET: range(count + 1, count + 1 + ahead),
        Ground.MODELS: range(count + 1 + ahead, count + 1 + 2 * ahead),
    }
    found = []
    for ground, columns in kinds.items():
        hits = [i for i in columns if p[i] <= level]
        if hits:
            strongest = min(hits, key=lambda i: (float(p[i]), -abs(float(ratios[i]))))
            at = [*points, {}, *ends, *ends][strongest]
            text = _sentence(ground, float(np.exp(ratios[strongest])), at, len(hits), decision)
            found.append(Evidence(ground, text, float(p[strongest])))
    return tuple(sorted(found, key=lambda e: e.p if e.p is not None else 0.0))


def _sentence(ground: Ground, ratio: float, at: Mapping[str, float], hits: int, decision: Decision) -> str:
    assert decision.baseline is not None and decision.candidate is not None
    before, after = decision.baseline.growth, decision.candidate.growth
    grew = f"models: {_growth(before)} before, {_growth(after)} now"
    if ground is Ground.MEASURED:
        others = f", and beyond doubt at {hits - 1} more points" if hits > 1 else ""
        return f"measured {ratio:.3g} times the baseline at {point_text(at)}{others}"
    if ground is Ground.GROWTH:
        way = "worse" if ratio > 1 else "better"
        return f"scales {way}: the ratio to the baseline changes {ratio:.3g}-fold over the range ({grew})"
    if ground is Ground.TARGET:
        return f"heads for {ratio:.3g} times the baseline at {point_text(at)} ({grew})"
    return f"predicted {ratio:.3g} times the baseline at {point_text(at)}, by models alone ({grew})"


def _growth(text: str) -> str:
    return "constant" if text == "1" else text


def _doubt(decision: Decision, both: Pair, family: Family, k: int, options: CheckOptions) -> str:
    """Say what would settle a kernel about which nothing can be said; empty where there is no doubt."""
    if not len(both.points):
        return "no point was measured in both studies: measure the baseline's points again"
    if decision.detectable is None:
        return (
            "no repetitions, so noise is unknown: "
            f"measure every point at least {ENOUGH_REPETITIONS} times in both studies"
        )
    share = max(s.share for s in (decision.baseline, decision.candidate) if s is not None)
    if not is_blind(decision.detectable, share, options):
        return ""
    spread = np.sqrt(family.changes.noise.variance[k] * family.changes.spread)
    noise = float(np.nanmax(np.where(np.isfinite(family.changes.measured.error[k]), spread, np.nan)))
    needed = _repetitions_needed(decision.detectable, both, float(np.exp(family.log_factor[k])), options)
    return (
        f"noise of {100 * noise:.2g} % hides factors below {decision.detectable:.3g}: "
        f"about {needed} repetitions a point in both studies would show {options.resolution:g}"
    )


def is_blind(detectable: float, share: float, options: CheckOptions) -> bool:
    """Tell whether a check could miss a factor beyond the resolution that would make the total worse."""
    hidden = (detectable - 1.0) * share
    return detectable > options.resolution and hidden > options.factor - 1.0


def _repetitions_needed(detectable: float, both: Pair, factor: float, options: CheckOptions) -> int:
    counts = [np.isfinite(s.values[0]).sum(axis=1).max(initial=1) for s in (both.baseline, both.candidate)]
    now = 2.0 / (1.0 / max(counts[0], 1) + 1.0 / max(counts[1], 1))
    wanted = np.log(max(options.resolution / factor, 1.01))
    return int(np.ceil(now * (np.log(detectable / factor) / wanted) ** 2))


def covered(decisions: Sequence[Decision]) -> list[Decision]:
    """Call paths too noisy by themselves count as unchanged where their region as a whole could be judged."""
    judged = {
        d.kernel.callpath[-1]
        for d in decisions
        if d.kernel.level is Level.REGION and d.verdict is not Verdict.INCONCLUSIVE
    }
    return [
        replace(d, verdict=Verdict.UNCHANGED)
        if d.verdict is Verdict.INCONCLUSIVE
        and d.kernel.level is Level.CALLPATH
        and d.kernel.callpath[-1] in judged
        else d
        for d in decisions
    ]


def waive(
    decisions: Sequence[Decision], waivers: Sequence[Waiver], today: datetime.date
) -> tuple[list[Decision], list[str]]:
    """Apply waivers to regressions; those that expired or hit nothing are told."""
    out, used, notices = list(decisions), set[int](), []
    for i, decision in enumerate(out):
        if decision.verdict is not Verdict.REGRESSION:
            continue
        for n, waiver in enumerate(waivers):
            if not names(waiver.match, decision.kernel):
                continue
            used.add(n)
            if waiver.until >= today:
                advice = f"waived until {waiver.until}: {waiver.reason}"
                out[i] = replace(decision, verdict=Verdict.WAIVED, advice=advice)
    for n, waiver in enumerate(waivers):
        if waiver.until < today:
            notices.append(f"{waiver.place or waiver.match}: the waiver ended on {waiver.until}")
        elif n not in used:
            notices.append(
                f"{waiver.place or waiver.match}: the waiver of '{waiver.match}' meets no regression"
            )
    return out, notices


def describe(kernel: KernelId) -> str:
    """Return a kernel's names joined for sentences and identifiers."""
    return "/".join(kernel.callpath)
