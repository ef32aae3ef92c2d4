"""What is decided about a check as a whole: completeness, what all kernels share, noise."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray
from pipeline.gate.common_factor import CommonChange
from pipeline.gate.matching import Matched
from pipeline.gate.measurements import KernelValues, Scope
from pipeline.gate.options import CheckOptions
from pipeline.gate.result import (
    Cause,
    Caveat,
    Common,
    Finding,
    Ground,
    KernelResult,
    Ruling,
)
from pipeline.gate.verdicts import ENOUGH_REPETITIONS, changes_of
from pipeline.wording.quantities import given_percent, percent, point_text, times

FEWEST_REPETITIONS = 2
MOST_NAMED = 3  # kernels in a sentence
LEVEL = 0.9  # of the intervals of the common factor
INTERLEAVE = "run both programs in turn and give the other runs with --paired-with DIR"


def incomplete(baseline: KernelValues, missing: FloatArray, allowed: bool) -> list[Caveat]:
    """Return a reason per point of the baseline, float64[M, D], that was not measured."""
    if allowed:
        return []
    return [
        Caveat(
            Cause.MISSING,
            f"{point_text(point)} of the baseline was not measured: measure it, or pass --allow-missing",
        )
        for point in baseline.named(missing)
    ]


def unrepeated(baseline: KernelValues, candidate: KernelValues) -> list[Caveat]:
    """Return a reason for a study all of whose points were measured once: a slow run cannot be recognised."""
    return [
        Caveat(
            Cause.NOISE,
            f"every point of {study} was measured once: measure each at least {ENOUGH_REPETITIONS} times",
        )
        for study, one in (("the baseline", baseline), ("this study", candidate))
        if int(np.isfinite(one.values).any(axis=0).sum(axis=1).max(initial=0)) < FEWEST_REPETITIONS
    ]


def common_result(matched: Matched, change: CommonChange, options: CheckOptions) -> Common:
    """Put the test of what all kernels share into a verdict and a sentence."""
    points = matched.candidate.named(matched.points)
    by_point = changes_of(change.points, points, LEVEL)[0]
    mean = next(iter(changes_of(change.mean, ({},), LEVEL)[0]), None)
    for verdict, p, sign in (
        (Ruling.REGRESSION, change.slower, 1.0),
        (Ruling.IMPROVEMENT, change.faster, -1.0),
    ):
        hits = np.flatnonzero(p <= options.false_alarms)
        if len(hits):
            text = _sentence(change, points, hits, sign)
            return Common(verdict=verdict, mean=mean, points=by_point, paired=change.paired, text=text)
    return Common(verdict=Ruling.UNCHANGED, mean=mean, points=by_point, paired=change.paired)


def _sentence(change: CommonChange, points: Sequence[dict[str, float]], hits: np.ndarray, sign: float) -> str:
    logs = np.concatenate([change.mean.log_ratio[0], change.points.log_ratio[0]])
    strongest = 0 if hits[0] == 0 else int(hits[np.argmax(sign * logs[hits])])
    place = " over all points" if strongest == 0 else f" at {point_text(points[strongest - 1])}"
    factor = times(float(np.exp(logs[strongest])))
    text = f"all kernels together take {factor} the baseline{place}"
    if change.paired:
        return f"{text}, in runs beside those of the baseline: the program, not the machine"
    return f"{text}: machine or build, cannot tell which; {INTERLEAVE}"


def with_common(results: Sequence[KernelResult], common: Common, options: CheckOptions) -> list[KernelResult]:
    """Make the total a regression if all kernels got slower, by the program or whatever the cause may be."""
    if common.verdict is not Ruling.REGRESSION or not (common.paired or options.common == "fail"):
        return list(results)
    evidence = Finding(Ground.COMMON, common.text)

    def failed(result: KernelResult) -> KernelResult:
        others = result.evidence if result.verdict is Ruling.REGRESSION else ()
        return replace(result, verdict=Ruling.REGRESSION, evidence=(evidence, *others), advice="")

    return [failed(one) if one.kernel.level is Scope.TOTAL else one for one in results]


def too_noisy(kernels: Sequence[KernelResult], options: CheckOptions) -> list[str]:
    """Return why noise makes a check inconclusive as a whole; empty if what can be told is enough."""
    doubtful = [one for one in kernels if one.verdict is Ruling.INCONCLUSIVE]
    masked = [one for one in doubtful if one.masked]
    if masked:
        return [
            f"{len(masked)} kernels got slower only beside the others, which all got faster: {INTERLEAVE}"
        ]
    if any(one.kernel.level is Scope.TOTAL for one in doubtful):
        return ["the total is too noisy to judge"]
    share = sum(one.share for one in doubtful if one.kernel.level is Scope.CALLPATH)
    if share <= options.most_noisy:
        return []
    return [
        f"kernels with {percent(share)} of the total are too noisy to judge; "
        f"at most {given_percent(options.most_noisy)} may be"
    ]
