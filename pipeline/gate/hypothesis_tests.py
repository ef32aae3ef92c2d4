"""All tests of one check, made together so that they share one probability of a false alarm."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.gate.check_result import Ground
from pipeline.gate.estimates import Estimates, holm
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.matching import Matched
from pipeline.gate.ratios import Changes, Trends, estimate_changes
from pipeline.gate.repetition_noise import LogMeans, robust_log_means
from pipeline.gate.rules import RuleTests, allowed_factors
from pipeline.gate.run_factors import paired_means
from pipeline.gate.target_forecast import Forecasts, as_estimates, predicted_ratio
from pipeline.questions.runtime.estimate import Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class TestFamily:
    """The tests of the K kernels that matter, and of the rules.

    Attributes:
        rows: int64[K], the kernels among those matched.
        log_factor: float64[K], logarithm of the factor each may change by.
        changes: what the common points say.
        predicted: the ratios of the predictions at the targets, float64[K, Q], NaN if unknown.
        estimates: per ground the log ratios beyond the common factor, float64[K, T]: P points, their mean,
            one rise, and Q ratios of predictions, which count only if no common point can be compared.
        whole: the same log ratios with the common factor.
        worse: per ground adjusted p-values of "worse", float64[K, T], NaN if not tested: worse than the
            common factor explains, and slower than before at all.
        relative: the same of the first half alone.
        better: the same as `worse` of "better", adjusted among themselves: an improvement fails no check.
        rules: float64[n], adjusted p-values of the rules, in one family with `worse`.
        tests: number of tests that `worse` and `rules` hold.
        detectable: float64[K], smallest factor found with probability `POWER` at the largest common scale,
            or at all common points if single ones do not count; NaN if nothing can be tested.
        detectable_everywhere: the same of a change by that factor at all common points.
    """

    rows: IntArray
    log_factor: FloatArray
    changes: Changes
    predicted: Estimate
    estimates: Mapping[Ground, Estimates]
    whole: Mapping[Ground, Estimates]
    worse: Mapping[Ground, FloatArray]
    relative: Mapping[Ground, FloatArray]
    better: Mapping[Ground, FloatArray]
    rules: FloatArray
    tests: int
    detectable: FloatArray
    detectable_everywhere: FloatArray


def run_tests(
    matched: Matched,
    forecasts: Forecasts,
    rules: RuleTests,
    options: CheckOptions,
    *,
    paired: bool = False,
    at_points: bool = True,
) -> TestFamily:
    """Run all tests of a check.

    Args:
        matched: the two studies.
        forecasts: of the matched kernels.
        rules: tests that need no baseline.
        options: factors, share floor and level.
        paired: whether the runs of both studies were interleaved.
        at_points: whether single points count by themselves; not if a single run may have been disturbed.

    Raises:
        InputError: paired runs have no counterpart.
    """
    material = material_tests(matched, forecasts, options.share_floor)
    rows = np.flatnonzero(np.hstack(list(material.values())).any(axis=1))
    log_factor = np.log(allowed_factors([matched.candidate.kernels[i] for i in rows.tolist()], options))
    before, now = _means(matched, rows, paired)
    changes = estimate_changes(before, now, matched.scale, matched.is_callpath[rows])
    forecasts = forecasts.take(rows)
    predicted = predicted_ratio(forecasts)
    models = as_estimates(predicted, forecasts)
    measured = changes.measured.known.any(axis=1, keepdims=True)
    models = replace(models, log_ratio=np.where(measured, np.nan, models.log_ratio))
    common = _common_error(matched)[rows]
    beyond = _widened(_by_ground(changes.excess, changes.beyond, models), common)
    whole = _widened(_by_ground(changes.measured, changes.whole, models), common)
    asked = {ground: where[rows] for ground, where in material.items()}
    asked[Ground.MEASURED] &= at_points
    ahead_whole = _at_last_target(predicted, changes.measured, matched.scale)
    shared = changes.shared.log_factor[np.argsort(matched.scale)[-1:]]
    ahead_beyond = ahead_whole - shared.sum()  # 0 without a common point
    relative = _p_values(beyond, log_factor, asked, ahead_beyond)
    worse, of_rules = _adjusted(
        _both(relative, _p_values(whole, 0.0 * log_factor, asked, ahead_whole)), rules.p
    )
    inverse, inverse_whole = (
        {ground: one.inverse for ground, one in view.items()} for view in (beyond, whole)
    )
    better = _both(
        _p_values(inverse, log_factor, asked, -ahead_beyond),
        _p_values(inverse_whole, 0.0 * log_factor, asked, -ahead_whole),
    )
    tests = sum(int(np.isfinite(p).sum()) for p in (*worse.values(), of_rules))
    level = options.false_alarms / max(tests, 1)
    at_largest = (
        _at_largest(beyond[Ground.MEASURED], matched.scale) if at_points else beyond[Ground.EVERYWHERE]
    )
    return TestFamily(
        rows=rows,
        log_factor=log_factor,
        changes=changes,
        predicted=predicted,
        estimates=beyond,
        whole=whole,
        worse=worse,
        relative=_adjusted(relative, rules.p)[0],
        better=_adjusted(better, np.zeros(0))[0],
        rules=of_rules,
        tests=tests,
        detectable=at_largest.detectable(log_factor, level),
        detectable_everywhere=beyond[Ground.EVERYWHERE].detectable(log_factor, level),
    )


def _means(matched: Matched, rows: IntArray, paired: bool) -> tuple[LogMeans, LogMeans]:
    """Reduce the repetitions of both studies at the common points."""
    both = ((matched.baseline, matched.base_at), (matched.candidate, matched.candidate_at))
    if paired:
        at = matched.base_at, matched.candidate_at
        return paired_means(matched.baseline, matched.candidate, rows, at)
    before, now = robust_log_means(
        *(study.values[rows][:, at] for study, at in both),
        rounding=[study.rounding[rows][:, at] for study, at in both if study.rounding is not None],
    )
    return before, now


def _common_error(matched: Matched) -> FloatArray:
    """What the values of kernels have wrong at all points alike, both studies together: float64[kernels]."""
    errors = [one.common_error for one in (matched.baseline, matched.candidate)]
    zero = np.zeros(len(matched.candidate.kernels))
    return np.hypot(*(zero if error is None else error for error in errors))


def _widened(estimates: dict[Ground, Estimates], error: FloatArray) -> dict[Ground, Estimates]:
    """Widen what compares measured values; growth is free of the error, and predictions have it already."""
    free = (Ground.GROWTH, Ground.MODELS)
    return {ground: one if ground in free else one.widened(error) for ground, one in estimates.items()}


def _by_ground(points: Estimates, trends: Trends, models: Estimates) -> dict[Ground, Estimates]:
    return {
        Ground.MEASURED: points,
        Ground.EVERYWHERE: trends.mean,
        Ground.GROWTH: trends.rise,
        Ground.MODELS: models,
    }


def _both(one: Mapping[Ground, FloatArray], two: Mapping[Ground, FloatArray]) -> dict[Ground, FloatArray]:
    """P-values of "both are true": the larger one (intersection-union test); NaN if the first is."""
    return {
        ground: np.where(np.isfinite(p), np.fmax(p, np.nan_to_num(two[ground], nan=1.0)), np.nan)
        for ground, p in one.items()
    }


def material_tests(matched: Matched, forecasts: Forecasts, floor: float) -> dict[Ground, BoolArray]:
    """Which tests concern a share of the total that matters, bool[matched kernels, T] per ground.

    A kernel that is negligible at a point may jump there by any factor without harm. At a target the lower
    end of a prediction counts, or the share at the largest common scale.
    """
    measured = (
        np.maximum(
            matched.baseline.share[:, matched.base_at], matched.candidate.share[:, matched.candidate_at]
        )
        >= floor
    )
    target = np.maximum(forecasts.baseline.least_share, forecasts.candidate.least_share) >= floor
    if len(matched.scale):
        target |= measured[:, [int(np.argmax(matched.scale))]]
    return {
        Ground.MEASURED: measured,
        Ground.EVERYWHERE: np.asarray(measured.any(axis=1, keepdims=True)),
        Ground.GROWTH: target[:, -1:],
        Ground.MODELS: target,
    }


def _at_last_target(predicted: Estimate, measured: Estimates, scale: FloatArray) -> FloatArray:
    """Log ratio of predictions at the last target, or of what was measured last, float64[K]."""
    ahead = np.log(predicted.value[:, -1])
    return np.where(np.isfinite(ahead), ahead, _at_largest(measured, scale).log_ratio[:, 0])


def _p_values(
    estimates: Mapping[Ground, Estimates],
    log_factor: FloatArray,
    asked: Mapping[Ground, BoolArray],
    ahead: FloatArray,
) -> dict[Ground, FloatArray]:
    """P-values of "above the factor"; growth counts only if the log ratio ahead, float64[K], is, too."""
    p = {ground: np.where(asked[ground], one.above(log_factor), np.nan) for ground, one in estimates.items()}
    p[Ground.GROWTH][~(ahead > log_factor)] = np.nan
    return p


def _adjusted(
    p: Mapping[Ground, FloatArray], more: FloatArray
) -> tuple[dict[Ground, FloatArray], FloatArray]:
    """Adjust p-values of all grounds and some more as one family."""
    parts = [*p.values(), more]
    adjusted = holm(np.concatenate([part.reshape(-1) for part in parts]))
    ends = np.cumsum([part.size for part in parts[:-1]])
    *split, rest = np.split(adjusted, ends)
    return {g: part.reshape(p[g].shape) for g, part in zip(p, split, strict=True)}, rest


def _at_largest(measured: Estimates, scale: FloatArray) -> Estimates:
    """Each kernel's estimate at its largest scale, T = 1."""
    known = measured.known
    if not known.shape[1]:
        return Estimates.unknown(len(known))
    column = np.where(known, scale, -np.inf).argmax(axis=1)[:, None]
    parts = (measured.log_ratio, measured.error, measured.degrees)
    return Estimates(*(np.take_along_axis(part, column, axis=1) for part in parts))
