"""The check itself: from two studies to the verdicts and the outcome."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.gate.forecast import Forecast, Forecasts, forecast, target_points
from pipeline.gate.hypothesis_tests import run_tests
from pipeline.gate.matching import Matched, incomparable, match
from pipeline.gate.measurements import Measurements
from pipeline.gate.options import CheckOptions
from pipeline.gate.recording import heir_results, recording, recording_reason
from pipeline.gate.result import CheckResult, Evidence, KernelResult, Outcome, Verdict, plain_number
from pipeline.gate.rules import RuleTests, rule_evidence, rule_tests, total_evidence, waive
from pipeline.gate.verdicts import matched_verdicts, new_kernels, side_of, vanished_kernels, with_located
from pipeline.models.options import ModelOptions
from pipeline.statistics.multiple_testing import holm

COMMON_SHIFT = 1.05  # a median change of all kernels beyond this factor is reported


@dataclass(frozen=True, eq=False)
class _Study:
    """The candidate, its forecast at the targets float64[Q, D], and the tests of the rules."""

    candidate: Measurements
    ahead: Forecast
    targets: FloatArray
    rules: RuleTests


@dataclass(frozen=True, eq=False, kw_only=True)
class _Compared:
    """Verdicts before rules and waivers.

    Attributes:
        kernels: one per kernel that matters.
        rules: adjusted p-values of the rules.
        tests: number of tests that share the false-alarm level.
        points: float64[P, D], the points compared.
        below_share_floor: number of kernels ignored.
        notices: what else should be known.
    """

    kernels: tuple[KernelResult, ...] = ()
    rules: FloatArray
    tests: int
    points: FloatArray
    below_share_floor: int = 0
    notices: tuple[str, ...] = ()


def check(
    candidate: Measurements,
    baseline: Measurements | None,
    options: CheckOptions,
    models: ModelOptions,
    today: datetime.date,
) -> CheckResult:
    """Compare a study with a baseline and with the rules.

    Args:
        candidate: the study to check.
        baseline: what it is compared with; None checks the rules only.
        options: factors, levels, rules and waivers.
        models: how to fit both sides.
        today: waivers must still hold on this day.

    Raises:
        UsageError: if a target has an unknown parameter, a rule matches no kernel, or there is nothing to
            check.
        InputError: if the studies are of different kinds.
    """
    targets = target_points(candidate, options.targets)
    study = _Study(candidate, forecast(candidate, targets, models), targets, rule_tests(candidate, options))
    if baseline is not None:
        compared = _compare(study, match(baseline, candidate), options, models)
        reasons = incomparable(baseline, candidate)
        reasons += recording_reason(baseline.origin, candidate.origin)
    elif options.kernels or options.parallel_efficiency is not None or options.total is not None:
        rules = holm(study.rules.p)
        compared = _Compared(rules=rules, tests=len(rules), points=candidate.points)
        reasons = ()
    else:
        raise UsageError(
            "nothing to check",
            where="check",
            hint="give --baseline FILE, or write rules in [check] of pipeline.toml",
        )
    kernels, notices = waive(_with_rules(compared, study, options), options.waivers, today)
    return CheckResult(
        outcome=_outcome(kernels, reasons),
        kernels=tuple(sorted(kernels, key=lambda result: result.importance)),
        reasons=reasons,
        notices=(*compared.notices, *notices),
        points=candidate.named(compared.points),
        targets=candidate.named(targets),
        unit=candidate.unit,
        tests=compared.tests,
        below_share_floor=compared.below_share_floor,
    )


def _compare(study: _Study, matched: Matched, options: CheckOptions, models: ModelOptions) -> _Compared:
    """Compare a study with its baseline."""
    candidate, recorded = study.candidate, recording(matched)
    everything, matched = matched, recorded.comparable(matched)
    row_of = {kernel: row for row, kernel in enumerate(candidate.kernels)}
    rows: IntArray = np.array([row_of[kernel] for kernel in matched.candidate.kernels], dtype=np.int64)
    forecasts = Forecasts(
        baseline=forecast(matched.baseline, study.targets, models),
        candidate=study.ahead.take(rows),
        targets=study.targets,
        scale=study.targets[:, candidate.parameters.index(candidate.parameter)],
    )
    family = run_tests(matched, forecasts, study.rules, options)
    kernels = matched_verdicts(matched, forecasts, family, options)
    kernels += new_kernels(everything, options) + vanished_kernels(everything, options)
    kernels = [recorded.marked(result) for result in kernels]
    kernels += heir_results(everything, recorded, options.share_floor)
    return _Compared(
        kernels=tuple(with_located(kernels)),
        rules=family.rules,
        tests=family.tests,
        points=matched.points,
        below_share_floor=len(matched.candidate.kernels) - len(family.rows),
        notices=() if recorded.partial else _common_shift(matched, family.changes.common),
    )


def _outcome(kernels: Sequence[KernelResult], reasons: Sequence[str]) -> Outcome:
    if reasons:
        return Outcome.INCONCLUSIVE
    verdicts = {result.verdict for result in kernels}
    if Verdict.REGRESSION in verdicts:
        return Outcome.REGRESSED
    return Outcome.INCONCLUSIVE if Verdict.INCONCLUSIVE in verdicts else Outcome.PASSED


def _with_rules(compared: _Compared, study: _Study, options: CheckOptions) -> list[KernelResult]:
    """Add what rules say to the results of their kernels."""
    candidate, tests = study.candidate, study.rules
    found: dict[int, list[Evidence]] = {row: [] for row in tests.row.tolist()}
    for n, row in enumerate(tests.row.tolist()):
        if compared.rules[n] <= options.false_alarms:
            found[row].append(rule_evidence(tests, compared.rules, candidate.parameter, n))
    if of_total := total_evidence(candidate, study.ahead, options):
        found.setdefault(0, []).extend(of_total)
    results = {result.kernel: result for result in compared.kernels}
    largest = int(np.argmax(candidate.scale))
    for row, evidence in found.items():
        kernel = candidate.kernels[row]
        result = results.get(kernel) or KernelResult(
            kernel=kernel,
            verdict=Verdict.UNCHANGED,
            candidate=side_of(candidate, study.ahead, row, largest),
            file=candidate.files[row],
            line=int(candidate.lines[row]),
        )
        if evidence:
            others = result.evidence if result.verdict is Verdict.REGRESSION else ()
            result = replace(result, verdict=Verdict.REGRESSION, evidence=(*evidence, *others), advice="")
        results[kernel] = result
    return list(results.values())


def _common_shift(matched: Matched, common: FloatArray) -> tuple[str, ...]:
    """Report if most kernels changed together: the cause is the machine or the build, not one kernel.

    Args:
        matched: the two studies.
        common: float64[P], median log ratio of the kernels at the common points.
    """
    if not len(common) or float(np.abs(common).max()) <= np.log(COMMON_SHIFT):
        return ()
    at = int(np.abs(common).argmax())
    way = "more" if common[at] > 0 else "less"
    factor = plain_number(float(np.exp(common[at])))
    return (
        f"half of all kernels changed by a factor of {factor} or {way} at "
        f"{matched.candidate.parameter} = {matched.scale[at]:g}: that points to the machine, the compiler or "
        f"its options rather than to single kernels",
    )
