"""What the user configured for single kernels: ceilings that need no baseline, factors, and waivers."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.errors import UsageError
from pipeline.gate.check_result import Finding, Ground, KernelResult, Ruling
from pipeline.gate.estimates import Estimates
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_groups import GroupFactors, group_factors
from pipeline.gate.kernel_values import KernelId, KernelValues, Scope
from pipeline.gate.repetition_noise import (
    CERTAIN,
    LogMeans,
    Noise,
    Shared,
    log_means,
    moderated_noise,
    shared_factor,
)
from pipeline.gate.target_forecast import Forecast
from pipeline.models.forms import term_values
from pipeline.models.formulas import term_text
from pipeline.models.options import NO_EXPONENT, Exponent
from pipeline.statistics import fit_lines
from pipeline.wording.quantities import figure, given_percent, percent, point_text, value_text

MEDIAN_OF_SQUARE = 0.4549364  # of a standard normal variable
ENOUGH_KERNELS = 10  # needed to estimate what all kernels have in common


@dataclass(frozen=True, eq=False, kw_only=True)
class Trends:
    """What the log ratios of K kernels at P points say beyond single points."""

    mean: Estimates  # over all common points, T = 1; unknown with fewer than two
    rise: Estimates  # from the smallest to the largest common scale, T = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What the measurements say about K kernels."""

    measured: Estimates  # the ratio at every common point, T = P
    whole: Trends
    excess: Estimates  # what the ratio exceeds the common factor by, T = P
    beyond: Trends  # trends of the excess
    noise: Noise  # noise of single repetitions
    shared: Shared  # what all kernels have in common at the points
    groups: GroupFactors  # what some have in common at all points beyond that; none if nothing was asked
    # float64[P], variance between the two studies over what repetitions explain, at least 1
    between: FloatArray


def estimate_changes(
    baseline: LogMeans,
    candidate: LogMeans,
    scale: FloatArray,
    independent: BoolArray | None = None,
    kernels: Sequence[KernelId] = (),
) -> Changes:
    """Estimate all changes of K kernels at P points with their errors.

    Noise is learnt from the kernels that are not sums of others, `independent`: bool[K], None for all.
    `kernels` are named, the total first, if a machine may have slowed down groups of them.
    """
    alone = np.ones(len(baseline.mean), dtype=bool) if independent is None else independent
    noise = _noise(baseline.squares + candidate.squares, baseline.degrees + candidate.degrees, alone)
    change = candidate.mean - baseline.mean
    both = (baseline.count > 0) & (candidate.count > 0) & (noise.degrees > 0)
    variance = np.full(change.shape, np.nan)
    variance[both] = noise.variance[both] * (1 / baseline.count[both] + 1 / candidate.count[both])
    for study in (baseline, candidate):
        variance += 0.0 if study.rounding is None else study.rounding**2
    between = _between_studies(change[alone], variance[alone])
    measured = Estimates(change, np.sqrt(variance * between), noise.degrees)
    shared = shared_factor(change[alone], (variance * between)[alone], by_points=bool(kernels))
    error = variance * between + np.where(shared.log_factor != 0, shared.variance, 0.0)
    excess = replace(measured, log_ratio=measured.log_ratio - shared.log_factor, error=np.sqrt(error))
    mean = mean_over_points(excess, noise.limit) if change.shape[1] > 1 else excess
    share = np.nan_to_num(np.exp(baseline.mean - baseline.mean[:1]))
    groups = group_factors(mean, kernels, alone, share)
    excess = replace(
        excess, log_ratio=excess.log_ratio - groups.shift, error=np.sqrt(error + groups.variance[:, None])
    )
    whole, beyond = (_trends(one, noise.limit, np.log(scale)) for one in (measured, excess))
    return Changes(
        measured=measured,
        whole=whole,
        excess=excess,
        beyond=beyond,
        noise=noise,
        shared=shared,
        groups=groups,
        between=between,
    )


def _trends(measured: Estimates, limit: FloatArray, x: FloatArray) -> Trends:
    """Estimate what several points say together; arguments are those of `trend`."""
    rise, misfit = trend(measured, limit, x)
    # A rise that rests on one point off the line is an outlier, or a step that the points themselves show.
    rise = replace(rise, error=rise.error * np.sqrt(misfit)[:, None])
    return Trends(mean=mean_over_points(measured, limit), rise=rise)


def mean_over_points(measured: Estimates, limit: FloatArray) -> Estimates:
    """Weighted mean of the log ratios per kernel, T = 1; unknown with fewer than two points.

    Its error is widened by what the points differ, so that a jump at one of them does not count for all.
    """
    known = measured.known
    weight, y = np.zeros(known.shape), np.where(known, measured.log_ratio, 0.0)
    weight[known] = measured.error[known] ** -2.0
    count, total = known.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
    usable = count > 1
    mean = np.full(usable.shape, np.nan)
    np.divide((weight * y).sum(axis=1, keepdims=True), total, out=mean, where=usable)
    squares = (weight * (y - np.nan_to_num(mean)) ** 2).sum(axis=1, keepdims=True)
    misfit = np.maximum(squares / np.maximum(count - 1, 1), 1.0)
    error = np.full(usable.shape, np.nan)
    np.divide(misfit, total, out=error, where=usable)
    return Estimates(mean, np.sqrt(error), _satterthwaite(weight, measured.degrees, limit)[:, None])


def _noise(squares: FloatArray, degrees: FloatArray, alone: BoolArray) -> Noise:
    """Estimate noise from kernels that are not sums; sums get theirs without contributing."""
    learnt = moderated_noise(squares[alone], degrees[alone])
    if alone.all():
        return learnt
    everything = moderated_noise(squares, degrees)
    variance, freedom, limit = everything.variance, everything.degrees, everything.limit
    variance[alone], freedom[alone], limit[alone] = learnt.variance, learnt.degrees, learnt.limit
    return Noise(variance, freedom, limit)


def _between_studies(change: FloatArray, variance: FloatArray) -> FloatArray:
    """Find how much more kernels differ between the studies than repetitions explain.

    Repetitions of one job share its nodes and its hour; another job differs by more. Most kernels do not
    change, so the median of their squared deviations estimates the excess, as in genomic control (Devlin and
    Roeder, Biometrics 55, 1999). The common shift is taken out first: it may be a change rather than noise.

    The factor, float64[P], is that on all variances.
    """
    points = change.shape[1]
    between = np.ones(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        if known.sum() >= ENOUGH_KERNELS:
            middle = np.median(change[known, p])
            square = (change[known, p] - middle) ** 2 / variance[known, p]
            between[p] = max(1.0, float(np.median(square)) / MEDIAN_OF_SQUARE)
    return between


def trend(measured: Estimates, limit: FloatArray, x: FloatArray) -> tuple[Estimates, FloatArray]:
    """Fit log ratio = a + b log(scale) per kernel by weighted least squares.

    The rise b (max x - min x) needs no straight line to be a valid test: if the true ratio nowhere rises, b
    is negative on average (Chebyshev's sum inequality).

    Of K kernels at P points, whose logarithmic scale is x, float64[P]. Returns the rise, and the misfit of
    the line, float64[K]: mean squared residual over what noise explains, at least 1.
    """
    known = measured.known
    seen, count = known.any(axis=1, keepdims=True), known.sum(axis=1, keepdims=True)
    weight, y = np.zeros(known.shape), np.where(known, measured.log_ratio, 0.0)
    weight[known] = measured.error[known] ** -2.0
    middle, width = (float(x.mean()), float(np.ptp(x)) or 1.0) if len(x) else (0.0, 1.0)
    term = (x - middle) / width
    line = fit_lines(term[:, None], y, np.where(seen, weight, 1.0))
    inertia = np.where(line.usable & seen, line.total * line.spread, np.nan)
    degrees = _satterthwaite(weight, measured.degrees, limit)[:, None]

    lowest = np.where(known, term, np.inf).min(axis=1, initial=np.inf, keepdims=True)
    highest = np.where(known, term, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
    reach = np.where(seen, highest - lowest, np.nan)
    rise = Estimates(line.slope * reach, reach / np.sqrt(inertia), degrees)

    residual = y - line.level - line.slope * (term - line.center)
    squares = (weight * residual**2).sum(axis=1, keepdims=True)
    misfit = np.maximum(squares / np.maximum(count - 2, 1), 1.0)
    return rise, misfit[:, 0]


def _satterthwaite(weight: FloatArray, degrees: FloatArray, limit: FloatArray) -> FloatArray:
    """Degrees of freedom of weighted means over points, float64[K].

    Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics Bulletin 2,
    1946; at most the degrees behind the whole kernel, since its points borrow from one another.
    """
    part = np.divide(1.0, degrees, out=np.zeros(degrees.shape), where=(degrees > 0) & (weight > 0))
    share = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    loss = (share**2 * part).sum(axis=1)
    freedom = np.divide(1.0, loss, out=np.zeros(len(loss)), where=loss > 0)
    capped: FloatArray = np.minimum(np.minimum(freedom, limit), CERTAIN)
    return capped


_SMALLEST = float(np.finfo(np.float64).tiny)
MATERIAL_RISE = 1.1  # a kernel may outgrow its ceiling by this factor over the measured range


@dataclass(frozen=True, eq=False)
class RuleTests(Rows):
    """n tests of rules, each of one kernel."""

    row: IntArray  # int64[n], the kernel in the candidate
    rule: tuple[KernelRule, ...]  # the rule of each
    ground: tuple[Ground, ...]  # growth or share, of each
    excess: Estimates  # n estimates of the logarithm of what exceeds the rule, float64[n, 1] each

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
    """Test all ceilings on growth and share."""
    material: BoolArray = candidate.share.max(axis=1) >= options.share_floor
    level, limit = _log_levels(candidate, material)
    tests = []
    for rule in options.kernels:
        matching = _matching(candidate, rule) & material
        for ground, excess in _excess(candidate, rule, level, limit):
            rows = np.flatnonzero(matching & excess.known[:, 0])
            if len(rows):
                part = RuleTests(rows, (rule,) * len(rows), (ground,) * len(rows), excess.take(rows))
                tests.append(part)
    none = RuleTests(np.zeros(0, dtype=np.int64), (), (), Estimates.unknown(0))
    return RuleTests.joined(tests) if tests else none


def _matching(candidate: KernelValues, rule: KernelRule) -> BoolArray:
    """Return which kernels a rule is about, bool[K], without regions that are a single call path."""
    single = candidate.only_callpaths()
    matching = np.array(
        [
            kernel.matches(rule.match) and not (kernel.level is Scope.REGION and kernel.region in single)
            for kernel in candidate.kernels
        ]
    )
    if not matching.any():
        hint = "`pipeline bottlenecks --tree` lists the names"
        raise UsageError(f"'{rule.match}' matches no kernel", where=rule.place, hint=hint)
    return matching


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
        share - np.log(max(ceiling, _SMALLEST)), level.error[:, largest], level.degrees[:, largest]
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
