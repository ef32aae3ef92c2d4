"""The check itself: from two studies to the verdicts and the outcome."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.gate.check_result import (
    Cause,
    Caveat,
    CheckResult,
    Common,
    Finding,
    Ground,
    KernelResult,
    Outcome,
    Power,
    Ruling,
    result_of,
)
from pipeline.gate.compared_studies import ComparedStudies, heir_results, recording, recording_reason
from pipeline.gate.estimates import holm
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_groups import COMMUNICATION, GroupFactors
from pipeline.gate.kernel_values import KernelValues, Matched, Scope, incomparable, match, over_the_same
from pipeline.gate.repetition_noise import (
    CommonChange,
    Typical,
    between_runs,
    common_change,
    paired_factor,
    typical_runs,
)
from pipeline.gate.rules import RuleTests, rule_evidence, rule_tests, total_evidence, waive
from pipeline.gate.target_forecast import Forecast, forecast, modelled
from pipeline.gate.verdicts import (
    ENOUGH_REPETITIONS,
    TestFamily,
    changes_of,
    hides_regression,
    matched_verdicts,
    new_kernels,
    run_tests,
    side_of,
    vanished_kernels,
    with_located,
    without_disturbed,
)
from pipeline.gate.waiting import SlowLocation, excused_by, slow_location
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import LEVEL
from pipeline.questions.expected_growth import JudgedExpectation, Judgement
from pipeline.wording.quantities import counted, figure, given_percent, percent, point_text, times, value_text

_MOST_NAMED = 3  # kernels in a sentence
_INTERLEAVE = "run both programs in turn and give the other runs with --paired-with DIR"
_FEW_STEPS = 100.0  # of a timer or counter: fewer are coarse
_AS_COUNTED = (
    2.0  # the noise is that of counted events if it is so many times theirs, or more than one over it
)
_SEEN = 1.5  # times the excess that is allowed: a change so large must be seen in coarse values
_COVERED = 0.8  # share of the total at the largest common scale that the largest kernels take


class BaselineKind(Enum):
    """What a study is compared with."""

    BASELINE = "a baseline, measured some other day"
    PAIRED = "runs of both programs in turn: those with the same number ran in sequence"
    HISTORY = "earlier results, each of which counts as one repetition"


@dataclass(frozen=True, eq=False)
class _Candidate:
    """The candidate, its forecast at the targets float64[Q, D], and the tests of the rules."""

    candidate: Typical
    ahead: Forecast
    targets: FloatArray
    rules: RuleTests


def check(
    candidate: KernelValues,
    baseline: KernelValues | None,
    options: CheckOptions,
    models: ModelOptions,
    today: datetime.date,
    *,
    kind: BaselineKind = BaselineKind.BASELINE,
    skipped: Sequence[str] = (),
    expectations: Sequence[JudgedExpectation] = (),
) -> CheckResult:
    """Compare a study with a baseline, if there is one, and with the rules; waivers must hold `today`.

    What was `skipped`, one sentence each, makes the check inconclusive. UsageError if a target has an unknown
    parameter, a rule matches no kernel, or there is nothing to check.
    """
    if baseline is not None:
        baseline, candidate = over_the_same(baseline, candidate)
    targets = candidate.targets(options.targets)
    candidate = modelled(candidate, models)
    typical = typical_runs(candidate, options.share_floor)
    ahead = forecast(candidate, targets, models)
    study = _Candidate(typical, ahead, targets, rule_tests(candidate, options))
    reasons = [Caveat(Cause.SKIPPED, text) for text in skipped]
    if baseline is not None:
        compared, rules = _compare(study, baseline, options, models, kind)
        reasons += [] if options.allow_missing else _incomplete(compared.missing)
        reasons += [] if kind is BaselineKind.HISTORY else _unrepeated(baseline, candidate)
        reasons += compared.reasons
        differences = incomparable(baseline, candidate)
        differences += recording_reason(baseline.origin, candidate.origin)
        reasons = [*(Caveat(Cause.INCOMPARABLE, text) for text in differences), *reasons]
    elif expectations or options.has_rules:
        rules = holm(study.rules.p)
        points = candidate.named(candidate.points)
        compared = CheckResult(outcome=Outcome.PASSED, kernels=(), tests=len(rules), points=points)
    else:
        raise UsageError(
            "nothing to check",
            where="check",
            hint="give --baseline FILE, or write rules in [check] of pipeline.toml",
        )
    kernels, notices = waive(_with_rules(compared.kernels, rules, study, options), options.waivers, today)
    reasons += _doubts(compared, kernels, options)
    return replace(
        compared,
        outcome=_outcome(kernels, reasons, expectations if options.expect else ()),
        kernels=tuple(sorted(kernels, key=lambda result: result.importance)),
        reasons=tuple(reasons),
        notices=(*compared.notices, *_of_common(compared.common, options), *notices),
        targets=candidate.named(targets),
        unit=candidate.unit,
        expectations=tuple(expectations),
    )


def _compare(
    study: _Candidate, baseline: KernelValues, options: CheckOptions, models: ModelOptions, kind: BaselineKind
) -> tuple[CheckResult, FloatArray]:
    """Compare a study with its baseline, before rules and waivers; return p-values of the rules, too."""
    same = ComparedStudies.of(baseline, study.candidate.measured, models, options.share_floor)
    before, candidate = typical_runs(same.baseline, options.share_floor), study.candidate
    if same.candidate is not candidate.measured:
        candidate = typical_runs(same.candidate, options.share_floor)
    paired = kind is BaselineKind.PAIRED
    matched = (
        match(before.measured, candidate.measured)
        if paired
        else match(before.measurements, candidate.measurements)
    )
    recorded = recording(matched)
    everything, matched = matched, recorded.comparable(matched)
    forecasts = same.predictions(study.targets).of(matched.candidate.kernels)
    once = (
        () if kind is not BaselineKind.BASELINE else _noise_of_the_other(baseline, study.candidate.measured)
    )
    family = run_tests(matched, forecasts, study.rules, options, paired=paired, at_points=not once)
    family, disturbed = without_disturbed(matched, family, options.false_alarms)
    change = _common(matched, family, before, candidate, options, paired)
    common = None if recorded.partial else _common_result(matched, change, options)
    kernels = matched_verdicts(matched, forecasts, family, options)
    if common is not None and not paired:
        slow = slow_location(matched, family.rows, family.changes.measured)
        kernels, excused = (kernels, False) if slow is None else excused_by(slow, kernels)
        common = _of_groups(common, family.changes.groups, slow, excused, options)
    kernels += new_kernels(everything, options) + vanished_kernels(everything, options)
    kernels = [recorded.marked(result) for result in kernels]
    kernels += heir_results(everything, recorded, options.share_floor)
    missing = baseline.named(np.delete(baseline.points, matched.base_at, axis=0))
    result = CheckResult(
        outcome=Outcome.PASSED,
        kernels=tuple(
            with_located(kernels if common is None else _with_common(kernels, common, options.common))
        ),
        tests=family.tests,
        points=baseline.named(matched.points),
        below_share_floor=len(matched.candidate.kernels) - len(family.rows),
        missing=missing,
        common=common,
        power=_power_of(matched, family, change, options),
        renames=same.renames,
        reasons=(*_too_coarse(matched, family, options), *disturbed),
        notices=(
            *before.notices("the baseline"),
            *candidate.notices("this study"),
            *once,
            *(_allowed(missing) if missing and options.allow_missing else ()),
        ),
    )
    return result, family.rules


def _common(
    matched: Matched,
    family: TestFamily,
    before: Typical,
    candidate: Typical,
    options: CheckOptions,
    paired: bool,
) -> CommonChange:
    """Test what all kernels share."""
    if paired:
        machine = paired_factor(matched, family.rows[matched.is_callpath[family.rows]])
    else:
        machine = between_runs(before.runs, candidate.runs, matched.base_at, matched.candidate_at)
    limits = (options.common_factor, options.factor)
    return common_change(family.changes.shared, machine, limits, paired=paired)


def _allowed(missing: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Name the points of the baseline that may be missing, and are."""
    return (f"not measured, which is allowed: {'; '.join(map(point_text, missing))} of the baseline",)


def _of_common(common: Common | None, options: CheckOptions) -> tuple[str, ...]:
    """Return what all kernels share if nothing else says it."""
    if common is None or not common.text:
        return ()
    said = common.is_doubt(options.common) or common.fails(options.common)
    return () if said else (common.text,)


def _doubts(compared: CheckResult, kernels: Sequence[KernelResult], options: CheckOptions) -> list[Caveat]:
    """Return why the check as a whole is inconclusive though the studies can be compared."""
    found = []
    common = compared.common
    if common and common.is_doubt(options.common):
        found.append(Caveat(Cause.COMMON, common.text, common.headline))
    found += [Caveat(Cause.POWER, text) for text in _lacking_power(compared.power, options.detect)]
    found += [Caveat(Cause.NOISE, text) for text in _too_noisy(kernels, options)]
    return found


def _outcome(
    kernels: Sequence[KernelResult], reasons: Sequence[Caveat], expectations: Sequence[JudgedExpectation]
) -> Outcome:
    if any(reason.cause is Cause.INCOMPARABLE for reason in reasons):
        return Outcome.INCONCLUSIVE
    if any(result.verdict is Ruling.REGRESSION for result in kernels):
        return Outcome.REGRESSED
    if any(one.judgement is Judgement.EXCEEDED for one in expectations):
        return Outcome.EXCEEDED
    return Outcome.INCONCLUSIVE if reasons else Outcome.PASSED


def _with_rules(
    kernels: Sequence[KernelResult], rules: FloatArray, study: _Candidate, options: CheckOptions
) -> list[KernelResult]:
    """Add what rules say, by their adjusted p-values, to the results of their kernels."""
    candidate, tests = study.candidate.measurements, study.rules
    found: dict[int, list[Finding]] = {row: [] for row in tests.row.tolist()}
    for n, row in enumerate(tests.row.tolist()):
        if rules[n] <= options.false_alarms:
            found[row].append(rule_evidence(tests, rules, candidate.parameter, n))
    if of_total := total_evidence(candidate, study.ahead, options):
        found.setdefault(0, []).extend(of_total)
    results = {result.kernel: result for result in kernels}
    largest = int(np.argmax(candidate.scale))
    for row, evidence in found.items():
        kernel = candidate.kernels[row]
        if kernel not in results:
            side = side_of(candidate, study.ahead, row, largest)
            results[kernel] = replace(result_of(candidate, row), candidate=side)
        if evidence:
            results[kernel] = results[kernel].failed_by(*evidence)
    return list(results.values())


# What is decided about a check as a whole: completeness, what all kernels share, noise, and its power.
#
# The power of a check is how small a change may be that it finds in 9 of 10 cases.


def _incomplete(missing: Sequence[Mapping[str, float]]) -> list[Caveat]:
    """Return a reason per point of the baseline that was not measured."""
    return [
        Caveat(
            Cause.MISSING,
            f"{point_text(point)} of the baseline was not measured: measure it, or pass --allow-missing",
        )
        for point in missing
    ]


def _unrepeated(baseline: KernelValues, candidate: KernelValues) -> list[Caveat]:
    """Return why nothing says how noisy values are: both studies measured every point once."""
    if not (baseline.measured_once and candidate.measured_once):
        return []
    need = f"measure one of them at least {ENOUGH_REPETITIONS} times"
    return [Caveat(Cause.NOISE, f"every point of both studies was measured once: {need}")]


def _noise_of_the_other(baseline: KernelValues, candidate: KernelValues) -> tuple[str, ...]:
    """Say which study was measured once, so that the noise is that of the other; empty if both repeat."""
    names = {"the baseline": baseline.measured_once, "this study": candidate.measured_once}
    if sum(names.values()) != 1:
        return ()
    (one,) = (name for name, once in names.items() if once)
    return (
        f"every point of {one} was measured once: its noise is taken to be that of the other study, and only "
        "changes at several points count, since a single run may have been disturbed",
    )


def _common_result(matched: Matched, change: CommonChange, options: CheckOptions) -> Common:
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


def _of_groups(
    common: Common, groups: GroupFactors, slow: SlowLocation | None, excused: bool, options: CheckOptions
) -> Common:
    """Add the groups that are slower than what all kernels share, and a slow location that matters."""
    p = holm(groups.factor.above(np.log(np.full(len(groups.names), options.common_factor)))[:, 0])
    found = {
        name: f"takes {times(float(np.exp(log_ratio)))} the baseline at all scales"
        for name, log_ratio, one in zip(groups.names, groups.factor.log_ratio[:, 0], p, strict=True)
        if one <= options.false_alarms
    }
    where, cause, advice = "", "machine or placement", _INTERLEAVE
    if slow is not None and (excused or slow.behind > options.common_factor - 1):
        found[COMMUNICATION] = f"takes {times(slow.waiting)} the baseline"
        where = f", {slow.text}"
        if not slow.seen:
            cause, advice = "machine, placement or program", f"values of every location would tell; {advice}"
    if not found:
        return common
    of_all = f"{common.text}; " if common.verdict is Ruling.REGRESSION else ""
    texts = ", ".join(f"all {name} {text}" for name, text in found.items())
    return replace(
        common,
        verdict=Ruling.REGRESSION,
        text=f"{of_all}{texts}{where}: {cause}, cannot tell which; {advice}",
        headline=f"all {' and '.join(found)} slower{where}: {cause}, cannot tell",
    )


def _sentence(change: CommonChange, points: Sequence[dict[str, float]], hits: np.ndarray, sign: float) -> str:
    logs = np.concatenate([change.mean.log_ratio[0], change.points.log_ratio[0]])
    strongest = 0 if hits[0] == 0 else int(hits[np.argmax(sign * logs[hits])])
    place = " over all points" if strongest == 0 else f" at {point_text(points[strongest - 1])}"
    factor = times(float(np.exp(logs[strongest])))
    text = f"all kernels together take {factor} the baseline{place}"
    if change.paired:
        return f"{text}, in runs beside those of the baseline: the program, not the machine"
    return f"{text}: machine or build, cannot tell which; {_INTERLEAVE}"


def _with_common(
    results: Sequence[KernelResult], common: Common | None, policy: str
) -> Sequence[KernelResult]:
    """Make the total a regression if all kernels got slower, by the program or whatever the cause may be."""
    if common is None or not common.fails(policy):
        return results
    reason = Finding(Ground.COMMON, common.text)
    return [one.failed_by(reason) if one.kernel.level is Scope.TOTAL else one for one in results]


def _too_noisy(kernels: Sequence[KernelResult], options: CheckOptions) -> list[str]:
    """Return why noise makes a check inconclusive as a whole; empty if enough kernels can be judged."""
    doubtful = [one for one in kernels if one.verdict is Ruling.INCONCLUSIVE]
    masked = [one for one in doubtful if one.masked]
    if masked:
        return [
            f"{counted(len({one.kernel.region for one in masked}), 'function')} got slower only beside the "
            f"others, which all got faster: {_INTERLEAVE}"
        ]
    if total := [one.advice for one in doubtful if one.kernel.level is Scope.TOTAL]:
        return [": ".join(filter(None, ("the total is too noisy to judge", *total)))]
    share = sum(one.share for one in doubtful if one.kernel.level is Scope.CALLPATH)
    if share <= options.most_noisy:
        return []
    return [
        f"kernels with {percent(share)} of the total are too noisy to judge; "
        f"at most {given_percent(options.most_noisy)} may be"
    ]


def _power_of(
    matched: Matched, family: TestFamily, common: CommonChange, options: CheckOptions
) -> Power | None:
    """Return what was detectable at the largest common scale and at all; None without a common point."""
    if not len(matched.points):
        return None
    at = matched.largest[1]
    kernels = [matched.candidate.kernels[row] for row in family.rows.tolist()]
    share = matched.candidate.share[family.rows, at]
    single = np.flatnonzero([k.level is Scope.CALLPATH for k in kernels])
    order = single[np.argsort(-share[single], kind="stable")]
    part = np.cumsum(share[order])
    largest = order[: int(np.searchsorted(part, _COVERED * part[-1]) + 1)] if len(order) else order
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
        common_factor=_common_factor(common, options),
        has_common=len(single) > 1,
        noisy=len(rough),
        noisy_factor=_worst(family.detectable[rough]),
        asked=options.detect or options.resolution,
    )


def _too_coarse(matched: Matched, family: TestFamily, options: CheckOptions) -> tuple[Caveat, ...]:
    """Say in which call paths few steps of their values hide what should be seen; nothing without any.

    Counted events and samples vary by the root of their number, and steps of a timer hide what lies between.
    """
    rounding = [one.rounding[family.rows][:, at] for one, at in matched.sides if one.rounding is not None]
    if not rounding or not len(matched.points):
        return ()
    steps = 1 / (np.sqrt(12) * np.maximum(np.maximum.reduce(rounding), 1e-12))
    counted_as = np.median(steps * family.changes.noise.variance, axis=1)
    coarse = (np.median(steps, axis=1) < _FEW_STEPS) | (np.abs(np.log(counted_as)) < np.log(_AS_COUNTED))
    seen = np.fmin(family.detectable, family.detectable_everywhere)
    hidden = coarse & (seen > 1 + _SEEN * np.expm1(family.log_factor)) & matched.is_callpath[family.rows]
    rows = family.rows[hidden]
    if not len(rows):
        return ()
    share = float(matched.candidate.share[rows, matched.largest[1]].sum())
    text = (
        f"values of few steps hide changes below a factor of {figure(float(seen[hidden].max()))} in "
        f"{counted(len(rows), 'call path')} ({percent(share)} of the total)"
    )
    return (Caveat(Cause.POWER, f"{text}: measure longer runs or with a finer clock", text),)


def _worst(factors: np.ndarray) -> float | None:
    return float(factors.max()) if len(factors) and np.isfinite(factors).all() else None


def _common_factor(common: CommonChange, options: CheckOptions) -> float | None:
    """Smallest factor of all kernels together, at all points, that is found."""
    if not common.mean.known[0, 0]:
        return None
    level = options.false_alarms / (1 + int(common.points.known.sum()))
    return float(common.mean.detectable(np.log([options.common_factor]), level)[0])


def _lacking_power(power: Power | None, detect: float | None) -> Sequence[str]:
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
