"""What is decided about a check as a whole: completeness, what all kernels share, noise, and its power.

The power of a check is how small a change may be that it finds in 9 of 10 cases.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from pipeline.gate.check_result import Cause, Caveat, Common, Finding, Ground, KernelResult, Power, Ruling
from pipeline.gate.common_factor import CommonChange
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.hypothesis_tests import TestFamily
from pipeline.gate.kernel_values import KernelValues, Scope
from pipeline.gate.matching import Matched
from pipeline.gate.verdicts import ENOUGH_REPETITIONS, changes_of, hides_regression
from pipeline.wording.quantities import figure, given_percent, percent, point_text, times, value_text

MOST_NAMED = 3  # kernels in a sentence
LEVEL = 0.9  # of the intervals of the common factor
INTERLEAVE = "run both programs in turn and give the other runs with --paired-with DIR"
COVERED = 0.8  # share of the total at the largest common scale that the largest kernels take


def incomplete(missing: Sequence[Mapping[str, float]]) -> list[Caveat]:
    """Return a reason per point of the baseline that was not measured."""
    return [
        Caveat(
            Cause.MISSING,
            f"{point_text(point)} of the baseline was not measured: measure it, or pass --allow-missing",
        )
        for point in missing
    ]


def unrepeated(baseline: KernelValues, candidate: KernelValues) -> list[Caveat]:
    """Return why nothing says how noisy values are: both studies measured every point once."""
    if not (baseline.measured_once and candidate.measured_once):
        return []
    need = f"measure one of them at least {ENOUGH_REPETITIONS} times"
    return [Caveat(Cause.NOISE, f"every point of both studies was measured once: {need}")]


def noise_of_the_other(baseline: KernelValues, candidate: KernelValues) -> tuple[str, ...]:
    """Say which study was measured once, so that the noise is that of the other; empty if both repeat."""
    names = {"the baseline": baseline.measured_once, "this study": candidate.measured_once}
    if sum(names.values()) != 1:
        return ()
    (one,) = (name for name, once in names.items() if once)
    return (
        f"every point of {one} was measured once: its noise is taken to be that of the other study, and only "
        "changes at several points count, since a single run may have been disturbed",
    )


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
    reason = Finding(Ground.COMMON, common.text)
    return [one.failed_by(reason) if one.kernel.level is Scope.TOTAL else one for one in results]


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


def power_of(
    matched: Matched, family: TestFamily, common: CommonChange | None, options: CheckOptions
) -> Power | None:
    """Return what was detectable at the largest common scale and at all; None without a common point.

    Args:
        matched: the two studies.
        family: the tests.
        common: the test of what all kernels share; None if it was not made.
        options: the factors and the level.
    """
    if not len(matched.points):
        return None
    at = matched.largest[1]
    kernels = [matched.candidate.kernels[row] for row in family.rows.tolist()]
    share = matched.candidate.share[family.rows, at]
    single = np.flatnonzero([k.level is Scope.CALLPATH for k in kernels])
    order = single[np.argsort(-share[single], kind="stable")]
    part = np.cumsum(share[order])
    largest = order[: int(np.searchsorted(part, COVERED * part[-1]) + 1)] if len(order) else order
    noisy = np.array([hides_regression(family.detectable[n], share[n], options) for n in largest], dtype=bool)
    rough, largest = largest[noisy], largest[~noisy]
    total = [n for n, kernel in enumerate(kernels) if kernel.level is Scope.TOTAL]
    last = int(np.argmax(matched.scale))
    everywhere = np.fmin(family.detectable, family.detectable_everywhere)
    everywhere = everywhere if len(matched.points) > 1 else np.full(len(everywhere), np.nan)
    return Power(
        at=matched.candidate.named(matched.points[[last]])[0],
        points=len(matched.points),
        kernels=len(largest),
        share=float(share[largest].sum()),
        kernel_factor=_worst(family.detectable[largest]),
        kernel_everywhere=_worst(everywhere[largest]),
        total_factor=_worst(family.detectable[total]),
        total_everywhere=_worst(everywhere[total]),
        common_factor=_of_common(common, options),
        has_common=len(single) > 1,
        noisy=len(rough),
        noisy_factor=_worst(family.detectable[rough]),
    )


def _worst(factors: np.ndarray) -> float | None:
    return float(factors.max()) if len(factors) and np.isfinite(factors).all() else None


def _of_common(common: CommonChange | None, options: CheckOptions) -> float | None:
    """Smallest factor of all kernels together, at all points, that is found."""
    if common is None or not common.mean.known[0, 0]:
        return None
    level = options.false_alarms / (1 + int(common.points.known.sum()))
    return float(common.mean.detectable(np.log([options.common_factor]), level)[0])


def lacking_power(power: Power | None, detect: float | None) -> Sequence[str]:
    """Return why a change by the factor `detect` could have been missed, one sentence each; none if not."""
    if detect is None:
        return ()
    wished = value_text(detect)
    if power is None:
        return (
            f"no point was measured in both studies, so that a factor of {wished} could not have been seen",
        )
    found = []
    for what, factor in (
        (f"the {power.kernels} largest kernels that are not noisy", power.kernel_factor),
        (f"the {power.noisy} noisy ones of the largest kernels", power.noisy_factor if power.noisy else 1.0),
        ("the total", power.total_factor),
        ("all kernels together", power.common_factor if power.has_common else 1.0),
    ):
        if factor is None:
            found.append(f"without repetitions no factor is known to be seen in {what}")
        elif factor > detect:
            found.append(
                f"a factor of {wished} could have been missed: in {what} the check finds "
                f"{figure(factor)} and more"
            )
    return tuple(found)
