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
    KernelResult,
    Outcome,
    Ruling,
    result_of,
)
from pipeline.gate.common_factor import CommonChange, between_runs, common_change
from pipeline.gate.compared_studies import recognised
from pipeline.gate.estimates import holm
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.hypothesis_tests import TestFamily, run_tests
from pipeline.gate.kernel_values import KernelValues
from pipeline.gate.matching import Matched, incomparable, match, over_the_same
from pipeline.gate.overall_verdict import (
    common_result,
    incomplete,
    lacking_power,
    noise_of_the_other,
    power_of,
    too_noisy,
    unrepeated,
    with_common,
)
from pipeline.gate.recording import heir_results, recording, recording_reason
from pipeline.gate.rules import RuleTests, rule_evidence, rule_tests, total_evidence, waive
from pipeline.gate.run_factors import Typical, paired_factor, typical_runs
from pipeline.gate.target_forecast import Forecast, Forecasts, forecast, forecast_recognised, target_points
from pipeline.gate.verdicts import matched_verdicts, new_kernels, side_of, vanished_kernels, with_located
from pipeline.models.options import ModelOptions
from pipeline.questions.expected_growth import JudgedExpectation, Judgement
from pipeline.wording.quantities import point_text


class Against(Enum):
    """What a study is compared with."""

    BASELINE = "a baseline, measured some other day"
    PAIRED = "runs beside its own: those with the same number ran one after the other"
    HISTORY = "earlier results, each of which counts as one repetition"


@dataclass(frozen=True, eq=False)
class _Study:
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
    kind: Against = Against.BASELINE,
    skipped: Sequence[str] = (),
    expectations: Sequence[JudgedExpectation] = (),
) -> CheckResult:
    """Compare a study with a baseline and with the rules.

    Args:
        candidate: the study to check.
        baseline: what it is compared with; None checks the rules only.
        options: factors, levels, rules and waivers.
        models: how to fit both sides.
        today: waivers must still hold on this day.
        kind: what the baseline is.
        skipped: input that could not be read and makes the check inconclusive, one sentence each.
        expectations: what the models say about them.

    Raises:
        UsageError: if a target has an unknown parameter, a rule matches no kernel, or there is nothing to
            check.
        InputError: if the studies are of different kinds, or paired runs have no counterpart.
    """
    if baseline is not None:
        baseline, candidate = over_the_same(baseline, candidate)
    targets = target_points(candidate, options.targets)
    typical = typical_runs(candidate, options.share_floor)
    ahead = forecast(candidate, targets, models)
    study = _Study(typical, ahead, targets, rule_tests(candidate, options))
    reasons = [Caveat(Cause.SKIPPED, text) for text in skipped]
    if baseline is not None:
        compared, rules = _compare(study, baseline, options, models, kind)
        reasons += [] if options.allow_missing else incomplete(compared.missing)
        reasons += [] if kind is Against.HISTORY else unrepeated(baseline, candidate)
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
    study: _Study, baseline: KernelValues, options: CheckOptions, models: ModelOptions, kind: Against
) -> tuple[CheckResult, FloatArray]:
    """Compare a study with its baseline, before rules and waivers.

    Returns:
        The result so far, and the adjusted p-values of the rules.
    """
    same = recognised(baseline, study.candidate.measured, options.share_floor)
    before, candidate = typical_runs(same.baseline, options.share_floor), study.candidate
    if same.candidate is not candidate.measured:
        candidate = typical_runs(same.candidate, options.share_floor)
    paired = kind is Against.PAIRED
    matched = (
        match(before.measured, candidate.measured)
        if paired
        else match(before.measurements, candidate.measurements)
    )
    recorded = recording(matched)
    everything, matched = matched, recorded.comparable(matched)
    known = (
        (same.baseline, baseline, forecast(baseline, study.targets, models)),
        (same.candidate, study.candidate.measured, study.ahead),
    )
    ahead = [forecast_recognised(*of_study, study.targets, models) for of_study in known]
    forecasts = Forecasts(
        baseline=ahead[0].of(matched.baseline.kernels),
        candidate=ahead[1].of(matched.candidate.kernels),
        targets=study.targets,
    )
    once = () if kind is not Against.BASELINE else noise_of_the_other(baseline, study.candidate.measured)
    family = run_tests(matched, forecasts, study.rules, options, paired=paired, at_points=not once)
    change = _common(matched, family, before, candidate, options, paired)
    common = None if recorded.partial else common_result(matched, change, options)
    kernels = matched_verdicts(matched, forecasts, family, options)
    kernels += new_kernels(everything, options) + vanished_kernels(everything, options)
    kernels = [recorded.marked(result) for result in kernels]
    kernels += heir_results(everything, recorded, options.share_floor)
    missing = baseline.named(np.delete(baseline.points, matched.base_at, axis=0))
    result = CheckResult(
        outcome=Outcome.PASSED,
        kernels=tuple(with_located(kernels if common is None else with_common(kernels, common, options))),
        tests=family.tests,
        points=baseline.named(matched.points),
        below_share_floor=len(matched.candidate.kernels) - len(family.rows),
        missing=missing,
        common=common,
        power=power_of(matched, family, change, options),
        renames=same.renames,
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
    if common is None or not common.text or common.is_doubt(options.common):
        return ()
    failed = common.verdict is Ruling.REGRESSION and (common.paired or options.common == "fail")
    return () if failed else (common.text,)


def _doubts(compared: CheckResult, kernels: Sequence[KernelResult], options: CheckOptions) -> list[Caveat]:
    """Return why the check as a whole is inconclusive though the studies can be compared."""
    found = []
    common = compared.common
    if common and common.is_doubt(options.common):
        found.append(Caveat(Cause.COMMON, common.text))
    found += [Caveat(Cause.POWER, text) for text in lacking_power(compared.power, options.detect)]
    found += [Caveat(Cause.NOISE, text) for text in too_noisy(kernels, options)]
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
    kernels: Sequence[KernelResult], rules: FloatArray, study: _Study, options: CheckOptions
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
