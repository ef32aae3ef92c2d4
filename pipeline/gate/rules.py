"""Rules that need no baseline: ceilings on growth, share, efficiency and total."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.gate.change_tests import Estimates, trend
from pipeline.gate.decision import Evidence, Ground
from pipeline.gate.forecast import Forecast
from pipeline.gate.log_ratios import log_means
from pipeline.gate.noise import moderated_noise
from pipeline.gate.options import CheckOptions, KernelRule
from pipeline.gate.snapshot import KernelId, Level, Snapshot, lone_callpaths
from pipeline.models.kernels import matches
from pipeline.models.normal_form import factor_text, term_values

MATERIAL_RISE = 1.1  # a kernel that outgrows its ceiling by less over the measured range is left alone


@dataclass(frozen=True, eq=False)
class RuleTests:
    """n tests of rules, each of one kernel.

    Attributes:
        row: int64[n], the kernel in the candidate.
        rule: the rule of each.
        ground: what kind of rule.
        estimate: n estimates against 0, float64[n, 1] each.
    """

    row: IntArray
    rule: tuple[KernelRule, ...]
    ground: tuple[Ground, ...]
    estimate: Estimates

    @property
    def p(self) -> FloatArray:
        """P-values, float64[n]."""
        return self.estimate.above(np.zeros(len(self.row)))[:, 0]


def names(pattern: str, kernel: KernelId) -> bool:
    """Tell whether a pattern names a kernel; ``*/name`` names the region as well as its call paths."""
    if kernel.level is Level.TOTAL:
        return pattern == "total"
    bare = kernel.level is Level.REGION and pattern.startswith("*/")
    return matches(kernel.callpath, pattern.removeprefix("*/") if bare else pattern)


def rule_tests(candidate: Snapshot, options: CheckOptions) -> RuleTests:
    """Test all ceilings on growth and share.

    Raises:
        UsageError: where a rule names no kernel, since it then guards nothing.
    """
    logs = log_means(candidate.values)
    material: BoolArray = candidate.share.max(axis=1) >= options.share_floor
    degrees = np.where(material[:, None], np.maximum(logs.count - 1, 0), 0).astype(np.float64)
    noise = moderated_noise(np.where(material[:, None], logs.squares, 0.0), degrees)
    variance = np.full(logs.mean.shape, np.nan)
    np.divide(noise.variance, logs.count, out=variance, where=(logs.count > 0) & (noise.degrees > 0))
    level = Estimates(logs.mean, np.sqrt(variance), noise.degrees)
    rows: list[int] = []
    rules: list[KernelRule] = []
    grounds: list[Ground] = []
    estimates: list[tuple[float, float, float]] = []
    lone = lone_callpaths(candidate)
    for rule in options.kernels:
        found = [
            i
            for i, kernel in enumerate(candidate.kernels)
            if names(rule.match, kernel)
            and not (kernel.level is Level.REGION and kernel.callpath[-1] in lone)
        ]
        if not found:
            raise UsageError(
                f"'{rule.match}' names no kernel", where=rule.place, hint="see the names with `pipeline tree`"
            )
        for ground, estimate in _estimates(candidate, rule, level, noise.limit, material):
            kept = [i for i in found if material[i] and np.isfinite(estimate.error[i, 0])]
            rows += kept
            rules += [rule] * len(kept)
            grounds += [ground] * len(kept)
            estimates += [
                (estimate.log_ratio[i, 0], estimate.error[i, 0], estimate.degrees[i, 0]) for i in kept
            ]
    table = np.array(estimates, dtype=np.float64).reshape(-1, 3)
    return RuleTests(
        np.array(rows, dtype=np.int64),
        tuple(rules),
        tuple(grounds),
        Estimates(table[:, :1], table[:, 1:2], table[:, 2:]),
    )


def _estimates(
    candidate: Snapshot, rule: KernelRule, level: Estimates, limit: FloatArray, material: BoolArray
) -> list[tuple[Ground, Estimates]]:
    found = []
    if rule.growth is not None:
        found.append((Ground.GROWTH_RULE, _beyond_growth(candidate, rule, level, limit)))
    if rule.share is not None:
        largest = int(np.argmax(candidate.scale))
        share = np.full((len(material), 1), np.nan)
        np.log(candidate.share[:, [largest]], out=share, where=candidate.share[:, [largest]] > 0)
        excess = share - np.log(max(rule.share, 1e-300))
        column = [largest]
        found.append((Ground.SHARE_RULE, Estimates(excess, level.error[:, column], level.degrees[:, column])))
    return found


def _beyond_growth(candidate: Snapshot, rule: KernelRule, level: Estimates, limit: FloatArray) -> Estimates:
    """By how much kernels outgrow a ceiling g: the rise of log(value / g) over the measured range.

    What grows like c0 + c1 g with nothing below zero never rises against g, so any rise is too much.
    """
    assert rule.growth is not None
    scale = candidate.scale
    ceiling = term_values([(rule.growth,)], np.maximum(scale, 1e-300)[:, None])[:, 0]
    usable = ceiling > 0  # a logarithm says nothing at p = 1
    against = level.log_ratio - np.log(np.where(usable, ceiling, np.nan))
    error = np.where(usable, level.error, np.nan)
    rise, _, _ = trend(Estimates(against, error, level.degrees), limit, np.log(scale), np.log(scale[-1:]))
    return Estimates(rise.log_ratio - np.log(MATERIAL_RISE), rise.error, rise.degrees)


def rule_evidence(tests: RuleTests, adjusted: FloatArray, candidate: Snapshot, n: int) -> Evidence:
    """Put a broken rule into a sentence."""
    rule, p = tests.rule[n], float(adjusted[n])
    name = candidate.parameter
    place = f" ({rule.place})" if rule.place else ""
    excess = float(np.exp(tests.estimate.log_ratio[n, 0]))
    if tests.ground[n] is Ground.GROWTH_RULE:
        assert rule.growth is not None
        allowed = factor_text(name, rule.growth) or "constant"
        text = (
            f"grows faster than {allowed}, the most that '{rule.match}' may{place}: "
            f"{excess * MATERIAL_RISE:.3g} times as much over the measured range"
        )
    else:
        assert rule.share is not None
        text = (
            f"takes {100 * rule.share * excess:.3g} % of the total at the largest scale, "
            f"'{rule.match}' may take {100 * rule.share:.3g} %{place}"
        )
    return Evidence(tests.ground[n], text, p)


def total_evidence(candidate: Snapshot, ahead: Forecast, options: CheckOptions) -> list[Evidence]:
    """Check the ceilings on the whole: parallel efficiency at every point, total at the last target."""
    found = []
    if options.parallel_efficiency is not None:
        efficiency = candidate.parallel_efficiency
        for at in np.flatnonzero(np.nan_to_num(efficiency, nan=1.0) < options.parallel_efficiency).tolist():
            text = (
                f"parallel efficiency {100 * efficiency[at]:.0f} % at {candidate.parameter} = "
                f"{candidate.scale[at]:g}, at least {100 * options.parallel_efficiency:.0f} % is asked for"
            )
            found.append(Evidence(Ground.EFFICIENCY_RULE, text))
    if options.total is not None and ahead.prediction.lower[0, -1] > options.total:
        value, lower = ahead.prediction.value[0, -1], ahead.prediction.lower[0, -1]
        text = (
            f"{value:.4g} {candidate.unit} predicted at the last target (at least {lower:.4g}), "
            f"{options.total:.4g} {candidate.unit} are allowed"
        )
        found.append(Evidence(Ground.TOTAL_RULE, text))
    return found
