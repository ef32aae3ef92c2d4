"""What the user configured for single kernels: ceilings that need no baseline, factors, and waivers."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.gate.check_result import Finding, Ground, KernelResult, Ruling
from pipeline.gate.estimates import Estimates
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import KernelId, KernelValues, Scope
from pipeline.gate.ratios import trend
from pipeline.gate.repetition_noise import log_means, moderated_noise
from pipeline.gate.target_forecast import Forecast
from pipeline.models.exponents import NO_EXPONENT, Exponent
from pipeline.models.forms import term_values
from pipeline.models.formulas import term_text
from pipeline.wording.quantities import figure, given_percent, percent, point_text, value_text

SMALLEST = float(np.finfo(np.float64).tiny)
MATERIAL_RISE = 1.1  # a kernel may outgrow its ceiling by this factor over the measured range


@dataclass(frozen=True, eq=False)
class RuleTests:
    """n tests of rules, each of one kernel.

    Attributes:
        row: int64[n], the kernel in the candidate.
        rule: the rule of each.
        ground: growth or share, of each.
        excess: n estimates of the logarithm of what exceeds the rule, float64[n, 1] each.
    """

    row: IntArray
    rule: tuple[KernelRule, ...]
    ground: tuple[Ground, ...]
    excess: Estimates

    @property
    def p(self) -> FloatArray:
        """P-values of "the kernel exceeds its rule", float64[n]."""
        return self.excess.above(np.zeros(len(self.row)))[:, 0]


def allowed_factors(kernels: Sequence[KernelId], options: CheckOptions) -> FloatArray:
    """Return the factor that each kernel may change by, float64[K]; the last rule that matches decides."""
    factors = np.full(len(kernels), options.factor)
    for rule in options.kernels:
        if rule.factor is not None:
            factors[[kernel.matches(rule.match) for kernel in kernels]] = rule.factor
    return factors


def rule_tests(candidate: KernelValues, options: CheckOptions) -> RuleTests:
    """Test all ceilings on growth and share.

    Raises:
        UsageError: if a rule matches no kernel, since it then guards nothing.
    """
    material: BoolArray = candidate.share.max(axis=1) >= options.share_floor
    level, limit = _log_levels(candidate, material)
    tests: list[tuple[int, KernelRule, Ground]] = []
    table: list[tuple[float, float, float]] = []
    for rule in options.kernels:
        rows = _matching(candidate, rule)
        for ground, excess in _excess(candidate, rule, level, limit):
            for row in rows:
                if material[row] and excess.known[row, 0]:
                    tests.append((row, rule, ground))
                    table.append((excess.log_ratio[row, 0], excess.error[row, 0], excess.degrees[row, 0]))
    columns = np.array(table, dtype=np.float64).reshape(-1, 3)
    return RuleTests(
        np.array([row for row, _, _ in tests], dtype=np.int64),
        tuple(rule for _, rule, _ in tests),
        tuple(ground for _, _, ground in tests),
        Estimates(columns[:, :1], columns[:, 1:2], columns[:, 2:]),
    )


def _matching(candidate: KernelValues, rule: KernelRule) -> list[int]:
    """Rows of the kernels that a rule is about, without regions that are a single call path."""
    single = candidate.only_callpaths()
    rows = [
        row
        for row, kernel in enumerate(candidate.kernels)
        if kernel.matches(rule.match) and not (kernel.level is Scope.REGION and kernel.region in single)
    ]
    if not rows:
        raise UsageError(
            f"'{rule.match}' matches no kernel", where=rule.place, hint="`pipeline tree` lists the names"
        )
    return rows


def _log_levels(candidate: KernelValues, material: BoolArray) -> tuple[Estimates, FloatArray]:
    """Mean logarithms with errors, float64[K, P]; noise is learnt from the kernels that matter.

    Returns:
        The levels, and the degrees of freedom behind all points of each kernel, float64[K].
    """
    logs = log_means(candidate.values)
    contributes = material[:, None]
    noise = moderated_noise(
        np.where(contributes, logs.squares, 0.0), np.where(contributes, logs.degrees, 0.0)
    )
    variance = np.full(logs.mean.shape, np.nan)
    np.divide(noise.variance, logs.count, out=variance, where=(logs.count > 0) & (noise.degrees > 0))
    return Estimates(logs.mean, np.sqrt(variance), noise.degrees), noise.limit


def _excess(
    candidate: KernelValues, rule: KernelRule, level: Estimates, limit: FloatArray
) -> list[tuple[Ground, Estimates]]:
    """Logarithm of what exceeds a rule, for all kernels, per ceiling of the rule."""
    found = []
    if rule.growth is not None:
        found.append((Ground.GROWTH_RULE, _excess_growth(candidate, rule.growth, level, limit)))
    if rule.share is not None:
        found.append((Ground.SHARE_RULE, _excess_share(candidate, rule.share, level)))
    return found


def _excess_share(candidate: KernelValues, ceiling: float, level: Estimates) -> Estimates:
    """Share at the largest scale over a ceiling, as logarithm."""
    largest = [int(np.argmax(candidate.scale))]
    share = np.full((len(candidate.kernels), 1), np.nan)
    np.log(candidate.share[:, largest], out=share, where=candidate.share[:, largest] > 0)
    return Estimates(
        share - np.log(max(ceiling, SMALLEST)), level.error[:, largest], level.degrees[:, largest]
    )


def _excess_growth(
    candidate: KernelValues, growth: Exponent, level: Estimates, limit: FloatArray
) -> Estimates:
    """By how much kernels outgrow a ceiling g: the rise of log(value / g) over the measured range.

    What grows like c0 + c1 g with neither below zero never rises against g, so any rise is too much.
    """
    scale = candidate.scale
    ceiling = term_values([(growth,)], scale[:, None])[:, 0]
    usable = ceiling > 0  # a logarithm is 0 at p = 1, where nothing can be compared with it
    relative = level.log_ratio - np.log(np.where(usable, ceiling, np.nan))
    error = np.where(usable, level.error, np.nan)
    rise, _ = trend(Estimates(relative, error, level.degrees), limit, np.log(scale))
    return replace(rise, log_ratio=rise.log_ratio - np.log(MATERIAL_RISE))


def rule_evidence(tests: RuleTests, adjusted: FloatArray, parameter: str, n: int) -> Finding:
    """Put the n-th rule, which is broken, into a sentence."""
    rule, p = tests.rule[n], float(adjusted[n])
    place = f" ({rule.place})" if rule.place else ""
    excess = float(np.exp(tests.excess.log_ratio[n, 0]))
    if tests.ground[n] is Ground.GROWTH_RULE:
        assert rule.growth is not None
        allowed = "constant" if rule.growth == NO_EXPONENT else term_text((parameter,), (rule.growth,))
        text = (
            f"grows faster than {allowed}, the ceiling for '{rule.match}'{place}: "
            f"by a factor of {figure(excess * MATERIAL_RISE)} over the measured range"
        )
    else:
        assert rule.share is not None
        text = (
            f"takes {percent(rule.share * excess)} of the total at the largest scale; "
            f"the ceiling for '{rule.match}' is {given_percent(rule.share)}{place}"
        )
    return Finding(tests.ground[n], text, p)


def total_evidence(candidate: KernelValues, ahead: Forecast, options: CheckOptions) -> list[Finding]:
    """Check the rules for the whole: parallel efficiency at every point, total at the last target."""
    found = []
    if options.parallel_efficiency is not None:
        efficiency = candidate.parallel_efficiency
        for at in np.flatnonzero(efficiency < options.parallel_efficiency).tolist():
            point = {candidate.parameter: float(candidate.scale[at])}
            text = (
                f"parallel efficiency {percent(efficiency[at])} at {point_text(point)}; "
                f"at least {given_percent(options.parallel_efficiency)} is required"
            )
            found.append(Finding(Ground.EFFICIENCY_RULE, text))
    if options.total is not None and ahead.prediction.lower[0, -1] > options.total:
        p = ahead.prediction
        value, lower = (figure(v, 4) for v in (p.value[0, -1], p.lower[0, -1]))
        text = (
            f"{value} {candidate.unit} predicted at the last target (at least {lower}); "
            f"at most {value_text(options.total)} {candidate.unit} are allowed"
        )
        found.append(Finding(Ground.TOTAL_RULE, text))
    return found


def waive(
    kernels: Sequence[KernelResult], waivers: Sequence[Waiver], today: datetime.date
) -> tuple[list[KernelResult], list[str]]:
    """Apply waivers to regressions; return notices of waivers that have expired or match nothing."""
    out, used = list(kernels), set[int]()
    for i, result in enumerate(out):
        if result.verdict is not Ruling.REGRESSION:
            continue
        for n, waiver in enumerate(waivers):
            if not result.kernel.matches(waiver.match):
                continue
            used.add(n)
            if waiver.until >= today:
                advice = f"waived until {waiver.until}: {waiver.reason}"
                out[i] = replace(result, verdict=Ruling.WAIVED, advice=advice)
    notices = []
    for n, waiver in enumerate(waivers):
        place = waiver.place or waiver.match
        if waiver.until < today:
            notices.append(f"{place}: the waiver expired on {waiver.until}")
        elif n not in used:
            notices.append(f"{place}: the waiver of '{waiver.match}' matches no regression")
    return out, notices
