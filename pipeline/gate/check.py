"""The check itself: from two studies to decisions and an outcome."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.gate.decision import CheckResult, Decision, Evidence, Outcome, Verdict
from pipeline.gate.family import test_family
from pipeline.gate.forecast import Forecast, forecast, take_forecast
from pipeline.gate.options import CheckOptions
from pipeline.gate.pairing import Pair, incomparable, pair
from pipeline.gate.presence import located, new_kernels, vanished_kernels
from pipeline.gate.rules import RuleTests, rule_evidence, rule_tests, total_evidence
from pipeline.gate.snapshot import Snapshot
from pipeline.gate.verdicts import decide, describe, point_of, side_of, waive
from pipeline.models.options import ModelOptions
from pipeline.statistics.multiple_testing import holm

DEFAULT_REACH = 4.0  # target where none is asked for: this many times the largest measured scale
COMMON_SHIFT = 1.05  # a median change of all kernels beyond this is told

ORDER = (
    Verdict.REGRESSION,
    Verdict.WAIVED,
    Verdict.INCONCLUSIVE,
    Verdict.NEW,
    Verdict.VANISHED,
    Verdict.IMPROVEMENT,
    Verdict.UNCHANGED,
)


@dataclass(frozen=True, eq=False)
class _Study:
    """The study to judge, its forecast at the targets float64[Q, D], and the tests of the rules."""

    candidate: Snapshot
    ahead: Forecast
    targets: FloatArray
    rules: RuleTests


@dataclass(frozen=True, eq=False, kw_only=True)
class _Found:
    """Decisions before rules and waivers, and what was tested.

    Attributes:
        decisions: one a kernel that matters.
        rules: adjusted p-values of the rules.
        tests: how many tests the false-alarm level was shared among.
        small: kernels left alone.
        points: float64[P, D], the points compared.
        notices: what else should be known.
    """

    decisions: tuple[Decision, ...]
    rules: FloatArray
    tests: int
    small: int
    points: FloatArray
    notices: tuple[str, ...] = ()


def check(
    candidate: Snapshot,
    baseline: Snapshot | None,
    options: CheckOptions,
    models: ModelOptions,
    today: datetime.date,
) -> CheckResult:
    """Compare a study with a baseline and with the rules.

    Args:
        candidate: the study to judge.
        baseline: what it is held against; None checks the rules only.
        options: factors, levels, rules and waivers.
        models: how to fit both sides.
        today: the day on which waivers must still hold.

    Raises:
        UsageError: for a target that names no parameter, a rule that names no kernel, or nothing to check.
        InputError: where the studies are of different kinds.
    """
    targets = target_points(candidate, options)
    study = _Study(candidate, forecast(candidate, targets, models), targets, rule_tests(candidate, options))
    if baseline is None:
        if not (options.kernels or options.parallel_efficiency is not None or options.total is not None):
            raise UsageError(
                "nothing to check", where="check", hint="give --baseline FILE, or rules in [check]"
            )
        found = _Found(
            decisions=(),
            rules=holm(study.rules.p),
            tests=len(study.rules.row),
            small=0,
            points=candidate.points,
        )
    else:
        found = _against(study, pair(baseline, candidate), options, models)
    decisions, told = waive(_with_rules(found, study, options), options.waivers, today)
    reasons = incomparable(baseline, candidate) if baseline is not None else ()
    return CheckResult(
        outcome=_outcome(decisions, reasons),
        decisions=tuple(sorted(decisions, key=_importance)),
        reasons=reasons,
        notices=(*found.notices, *told),
        points=tuple(point_of(candidate.parameters, row) for row in found.points),
        targets=tuple(point_of(candidate.parameters, row) for row in targets),
        unit=candidate.unit,
        tests=found.tests,
        small=found.small,
    )


def target_points(candidate: Snapshot, options: CheckOptions) -> FloatArray:
    """Return the targets, float64[Q, D]; parameters left out are at their largest measured value.

    Raises:
        UsageError: where a target names no parameter.
    """
    largest = candidate.points.max(axis=0)
    column = candidate.parameters.index(candidate.parameter)
    if not options.targets:
        targets: FloatArray = largest[None, :].copy()
        targets[0, column] *= DEFAULT_REACH
        return targets
    targets = np.repeat(largest[None, :], len(options.targets), axis=0)
    for row, point in zip(targets, options.targets, strict=True):
        for name, value in point.items():
            if name not in candidate.parameters:
                known = ", ".join(candidate.parameters)
                raise UsageError(f"no parameter '{name}'", where="targets", hint=f"parameters here: {known}")
            row[candidate.parameters.index(name)] = value
    return targets


def _against(study: _Study, both: Pair, options: CheckOptions, models: ModelOptions) -> _Found:
    """Hold a study against its baseline."""
    candidate, targets = study.candidate, study.targets
    base = forecast(both.baseline, targets, models)
    row_of = {kernel: row for row, kernel in enumerate(candidate.kernels)}
    rows = np.array([row_of[kernel] for kernel in both.candidate.kernels], dtype=np.int64)
    ahead = take_forecast(study.ahead, rows)
    scale = targets[:, candidate.parameters.index(candidate.parameter)]
    family = test_family(both, base, ahead, scale, study.rules, options)
    decisions = decide(both, base, ahead, family, targets, options)
    decisions += new_kernels(both, options) + vanished_kernels(both, options)
    return _Found(
        decisions=tuple(located(d, decisions) for d in decisions),
        rules=family.rules,
        tests=family.tests,
        small=len(both.candidate.kernels) - len(family.rows),
        points=both.points,
        notices=_common_shift(both, family.changes.common),
    )


def _outcome(decisions: Sequence[Decision], reasons: Sequence[str]) -> Outcome:
    if reasons:
        return Outcome.INCONCLUSIVE
    verdicts = {d.verdict for d in decisions}
    if Verdict.REGRESSION in verdicts:
        return Outcome.REGRESSED
    return Outcome.INCONCLUSIVE if Verdict.INCONCLUSIVE in verdicts else Outcome.PASSED


def _importance(decision: Decision) -> tuple[int, float, str]:
    """Sort by verdict, then by what the change costs at the last target or the largest scale."""
    size = max((s.value for s in (decision.baseline, decision.candidate) if s is not None), default=0.0)
    ratios = [c.ratio for c in (*decision.target[-1:], *decision.measured)]
    change = max((abs(r - 1.0) for r in ratios), default=0.0)
    return ORDER.index(decision.verdict), -size * min(change, 1e9), describe(decision.kernel)


def _with_rules(found: _Found, study: _Study, options: CheckOptions) -> list[Decision]:
    """Add what rules say to the decisions of their kernels."""
    candidate, tests = study.candidate, study.rules
    said: dict[int, list[Evidence]] = {row: [] for row in tests.row.tolist()}
    for n, row in enumerate(tests.row.tolist()):
        if found.rules[n] <= options.false_alarms:
            said[row].append(rule_evidence(tests, found.rules, candidate, n))
    if whole := total_evidence(candidate, study.ahead, options):
        said.setdefault(0, []).extend(whole)
    out = {d.kernel: d for d in found.decisions}
    at = int(np.argmax(candidate.scale))
    for row, evidence in said.items():
        kernel = candidate.kernels[row]
        decision = out.get(kernel) or Decision(
            kernel=kernel,
            verdict=Verdict.UNCHANGED,
            candidate=side_of(candidate, study.ahead, row, at),
            file=candidate.files[row],
            line=int(candidate.lines[row]),
        )
        if evidence:
            kept = decision.evidence if decision.verdict is Verdict.REGRESSION else ()
            decision = replace(decision, verdict=Verdict.REGRESSION, evidence=(*evidence, *kept), advice="")
        out[kernel] = decision
    return list(out.values())


def _common_shift(both: Pair, common: FloatArray) -> tuple[str, ...]:
    """Tell where most kernels moved together: that is the machine or the build rather than one kernel."""
    if not len(common) or float(np.abs(common).max()) <= np.log(COMMON_SHIFT):
        return ()
    at = int(np.abs(common).argmax())
    return (
        f"half of all kernels changed by {np.exp(common[at]):.3g} or more at "
        f"{both.candidate.parameter} = {both.scale[at]:g}: that points to the machine, the compiler or its "
        f"options rather than to single kernels",
    )
