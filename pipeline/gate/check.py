"""The check itself: from two studies to decisions and an outcome."""

import datetime
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.gate.decision import CheckResult, Decision, Evidence, Outcome, Verdict
from pipeline.gate.family import test_family
from pipeline.gate.forecast import Forecast, forecast, take_forecast
from pipeline.gate.multiple import holm
from pipeline.gate.options import CheckOptions
from pipeline.gate.pairing import Pair, incomparable, pair
from pipeline.gate.presence import located, new_kernels, vanished_kernels
from pipeline.gate.rules import RuleTests, rule_evidence, rule_tests, total_evidence
from pipeline.gate.snapshot import Snapshot
from pipeline.gate.verdicts import decide, describe, point_of, side_of, waive
from pipeline.models.options import ModelOptions

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
    ahead = forecast(candidate, targets, models)
    tests = rule_tests(candidate, options)
    if baseline is None:
        if not (options.kernels or options.parallel_efficiency is not None or options.total is not None):
            raise UsageError(
                "nothing to check", where="check", mend="give --baseline FILE, or rules in [check]"
            )
        return _finish(candidate, ahead, targets, options, tests, today, None)
    both = pair(baseline, candidate)
    return _finish(candidate, ahead, targets, options, tests, today, (both, models))


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
                raise UsageError(f"no parameter '{name}'", where="targets", mend=f"parameters here: {known}")
            row[candidate.parameters.index(name)] = value
    return targets


def _finish(
    candidate: Snapshot,
    ahead: Forecast,
    targets: FloatArray,
    options: CheckOptions,
    tests: RuleTests,
    today: datetime.date,
    against: tuple[Pair, ModelOptions] | None,
) -> CheckResult:
    decisions: list[Decision] = []
    reasons: tuple[str, ...] = ()
    notices: list[str] = []
    points: FloatArray = candidate.points
    small = 0
    if against is None:
        adjusted, count = holm(tests.p), len(tests.row)
    else:
        both, models = against
        base = forecast(both.baseline, targets, models)
        rows = {k: i for i, k in enumerate(candidate.kernels)}
        mine = take_forecast(ahead, np.array([rows[k] for k in both.candidate.kernels], dtype=np.int64))
        column = candidate.parameters.index(candidate.parameter)
        family = test_family(both, base, mine, targets[:, column], tests, options)
        decisions = decide(both, base, mine, family, targets, options)
        decisions += new_kernels(both, options) + vanished_kernels(both, options)
        decisions = [located(d, decisions) for d in decisions]
        reasons = incomparable(both.baseline, both.candidate)
        notices += _common_shift(both, family.changes.common)
        points, small = both.points, len(both.candidate.kernels) - len(family.rows)
        adjusted, count = family.rules, family.tests
    decisions = _with_rules(decisions, candidate, ahead, tests, adjusted, options)
    decisions, told = waive(decisions, options.waivers, today)
    return CheckResult(
        _outcome(decisions, reasons),
        tuple(sorted(decisions, key=_importance)),
        reasons,
        (*notices, *told),
        tuple(point_of(candidate.parameters, row) for row in points),
        tuple(point_of(candidate.parameters, row) for row in targets),
        candidate.unit,
        count,
        small,
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


def _with_rules(
    decisions: Sequence[Decision],
    candidate: Snapshot,
    ahead: Forecast,
    tests: RuleTests,
    adjusted: FloatArray,
    options: CheckOptions,
) -> list[Decision]:
    """Add what rules say to the decisions of their kernels."""
    said: dict[int, list[Evidence]] = {i: [] for i in tests.row.tolist()}
    for n, row in enumerate(tests.row.tolist()):
        if adjusted[n] <= options.false_alarms:
            said[row].append(rule_evidence(tests, adjusted, candidate, n))
    if whole := total_evidence(candidate, ahead, options):
        said.setdefault(0, []).extend(whole)
    out = {d.kernel: d for d in decisions}
    at = int(np.argmax(candidate.scale))
    for row, evidence in said.items():
        kernel = candidate.kernels[row]
        decision = out.get(kernel) or Decision(
            kernel,
            Verdict.UNCHANGED,
            candidate=side_of(candidate, ahead, row, at),
            file=candidate.files[row],
            line=int(candidate.lines[row]),
        )
        if evidence:
            kept = decision.evidence if decision.verdict is Verdict.REGRESSION else ()
            decision = replace(decision, verdict=Verdict.REGRESSION, evidence=(*evidence, *kept), advice="")
        out[kernel] = decision
    return list(out.values())


def _common_shift(both: Pair, common: FloatArray) -> list[str]:
    """Tell where most kernels moved together: that is the machine or the build rather than one kernel."""
    if not len(common) or float(np.abs(common).max()) <= np.log(COMMON_SHIFT):
        return []
    at = int(np.abs(common).argmax())
    return [
        f"half of all kernels changed by {np.exp(common[at]):.3g} or more at "
        f"{both.candidate.parameter} = {both.scale[at]:g}: that points to the machine, the compiler or its "
        f"options rather than to single kernels"
    ]
