"""From tests to verdicts: one per kernel, with the evidence in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from pipeline.gate.check_result import (
    Cause,
    Caveat,
    Finding,
    Ground,
    KernelResult,
    PointRatio,
    Ruling,
    StudySide,
    result_of,
)
from pipeline.gate.estimates import Estimates, holm
from pipeline.gate.gate_options import CheckOptions
from pipeline.gate.kernel_values import KernelValues, Matched, Scope, regions_of
from pipeline.gate.repetition_noise import LogMeans, paired_means, robust_log_means, value_spread
from pipeline.gate.rules import Changes, RuleTests, Trends, allowed_factors, estimate_changes
from pipeline.gate.target_forecast import Forecast, Forecasts, as_estimates, predicted_ratio
from pipeline.questions.runtime.estimate import Estimate
from pipeline.wording.quantities import figure, growth_text, percent, point_text, times, value_text


@dataclass(frozen=True, eq=False, kw_only=True)
class TestFamily:
    """The tests of the K kernels that matter, and of the rules."""

    rows: IntArray  # int64[K], the kernels among those matched
    log_factor: FloatArray  # float64[K], logarithm of the factor each may change by
    changes: Changes  # what the common points say
    predicted: Estimate  # the ratios of the predictions at the targets, float64[K, Q], NaN if unknown
    # per ground the log ratios beyond the common factor, float64[K, T]: P points, their mean, one rise, and Q
    # ratios of predictions, which count only if no common point can be compared
    estimates: Mapping[Ground, Estimates]
    whole: Mapping[Ground, Estimates]  # the same log ratios with the common factor
    # per ground adjusted p-values of "worse", float64[K, T], NaN if not tested: worse than the common factor
    # explains, and slower than before at all
    worse: Mapping[Ground, FloatArray]
    relative: Mapping[Ground, FloatArray]  # the same of the first half alone
    # the same as `worse` of "better", adjusted among themselves: an improvement fails no check
    better: Mapping[Ground, FloatArray]
    rules: FloatArray  # float64[n], adjusted p-values of the rules, in one family with `worse`
    tests: int  # number of tests that `worse` and `rules` hold
    # float64[K], smallest factor found with probability `POWER` at the largest common scale, or at all common
    # points if single ones do not count; NaN if nothing can be tested
    detectable: FloatArray
    detectable_everywhere: FloatArray  # the same of a change by that factor at all common points


def run_tests(
    matched: Matched,
    forecasts: Forecasts,
    rules: RuleTests,
    options: CheckOptions,
    *,
    paired: bool = False,
    at_points: bool = True,
) -> TestFamily:
    """Run all tests of a check; single points do not count if one run may have been disturbed."""
    material = _material_tests(matched, forecasts, options.share_floor)
    rows = np.flatnonzero(np.hstack(list(material.values())).any(axis=1))
    kernels = [matched.candidate.kernels[i] for i in rows.tolist()]
    log_factor = np.log(allowed_factors(kernels, options))
    before, now = _means(matched, rows, paired)
    changes = estimate_changes(
        before, now, matched.scale, matched.is_callpath[rows], () if paired else kernels
    )
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
    shared = changes.shared.log_factor + changes.groups.shift
    ahead_beyond = ahead_whole - shared[:, np.argsort(matched.scale)[-1:]].sum(axis=1)
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


def without_disturbed(
    matched: Matched, family: TestFamily, level: float
) -> tuple[TestFamily, tuple[Caveat, ...]]:
    """Leave out changes at points where several functions are slower in some runs and none in another.

    A program is slow in all of its runs. The caveat says so.
    """
    hits, own = family.worse[Ground.MEASURED] <= level, matched.is_callpath[family.rows]
    change = family.changes.measured.log_ratio
    runs = matched.candidate.values[family.rows][:, matched.candidate_at]
    before = matched.baseline.mean[family.rows][:, matched.base_at]
    clear = change / 2 > _CLEAR * value_spread(matched.baseline.values[family.rows])[:, None]
    usual = (runs < (before * np.exp(change / 2))[:, :, None]) & clear[:, :, None]
    several = (usual & (hits & own[:, None])[:, :, None]).sum(axis=0) >= _SEVERAL
    disturbed = hits & (usual & several).any(axis=2)
    if not disturbed.any():
        return family, ()
    where = "; ".join(map(point_text, matched.candidate.named(matched.points[disturbed.any(axis=0)])))
    text = f"several functions are slower in some runs at {where} and as before in others"
    hint = "disturbed runs, or a program that is slow at times: measure there again"
    worse, relative = (
        {**tests, Ground.MEASURED: np.where(disturbed, 1.0, tests[Ground.MEASURED])}
        for tests in (family.worse, family.relative)
    )
    said = Caveat(Cause.NOISE, f"{text}: {hint}", text)
    return replace(family, worse=worse, relative=relative), (said,)


def _means(matched: Matched, rows: IntArray, paired: bool) -> tuple[LogMeans, LogMeans]:
    """Reduce the repetitions of both studies at the common points."""
    if paired:
        return paired_means(matched, rows)
    before, now = robust_log_means(
        *(study.values[rows][:, at] for study, at in matched.sides),
        rounding=[study.rounding[rows][:, at] for study, at in matched.sides if study.rounding is not None],
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


def _material_tests(matched: Matched, forecasts: Forecasts, floor: float) -> dict[Ground, BoolArray]:
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


_SEVERAL = 2  # functions, that one run does not spare by chance
_CLEAR = 2.5  # standard deviations of single values, half a change that one value shows
ENOUGH_REPETITIONS = 3
_MOST_REPETITIONS = 100  # nobody measures more often to settle a doubt
_LARGEST_FACTOR = 1000.0  # beyond, the size of a hidden change says nothing
_MOST_LOCATED = 3  # call paths named for a region
_ROUNDING = 0.005  # of the logarithm of a ratio, below which two ratios are shown as one
_LEAST_PART = 0.1  # of the largest change: call paths that changed by less are not named

Points = Sequence[Mapping[str, float]]


def side_of(study: KernelValues, ahead: Forecast, row: int, at: int) -> StudySide:
    """Describe one kernel of one study; `at` is the index of the point that counts as the largest."""
    p = ahead.prediction
    predicted = zip(p.value[row].tolist(), p.lower[row].tolist(), p.upper[row].tolist(), strict=True)
    return StudySide(
        value=float(study.mean[row, at]),
        share=float(study.share[row, at]),
        growth=ahead.formulas[row]().growth,
        formula=ahead.formulas[row]().text(),
        predicted=tuple(predicted),
    )


def matched_verdicts(
    matched: Matched, forecasts: Forecasts, family: TestFamily, options: CheckOptions
) -> list[KernelResult]:
    """Decide about the kernels that both studies have; rules and waivers come after."""
    level = 1 - 2 * options.false_alarms / max(family.tests, 1)
    points = matched.baseline.named(matched.points)
    targets = matched.baseline.named(forecasts.targets)
    measured = changes_of(family.changes.measured, points, level)
    ratios = family.predicted
    everywhere = changes_of(family.changes.whole.mean, ({},), level)
    predicted = _changes(targets, ratios.value, ratios.lower, ratios.upper)
    base_at, candidate_at = matched.largest
    places = {Ground.MEASURED: points, Ground.EVERYWHERE: ({},), Ground.GROWTH: ({},), Ground.MODELS: targets}
    results = []
    for k, row in enumerate(family.rows.tolist()):
        result = replace(
            result_of(matched.candidate, row),
            baseline=side_of(matched.baseline, forecasts.baseline, row, base_at),
            candidate=side_of(matched.candidate, forecasts.candidate, row, candidate_at),
            measured=measured[k],
            target=predicted[k],
            detectable=float(family.detectable[k]) if np.isfinite(family.detectable[k]) else None,
        )
        tested = {Ground.MEASURED: measured[k], Ground.EVERYWHERE: everywhere[k]}
        results.append(_decided(result, matched, family, k, places, tested, options))
    return _settled_by_regions(results)


def changes_of(estimates: Estimates, points: Points, level: float) -> list[tuple[PointRatio, ...]]:
    """Return per kernel the ratios that are known, with two-sided intervals of a level."""
    lower, upper = estimates.interval(level)
    with np.errstate(over="ignore"):
        ratio = np.exp(estimates.log_ratio)
    return _changes(points, ratio, lower, upper)


def _changes(
    points: Points, ratio: FloatArray, lower: FloatArray, upper: FloatArray
) -> list[tuple[PointRatio, ...]]:
    known = np.isfinite(ratio) & np.isfinite(lower) & np.isfinite(upper)
    return [
        tuple(
            PointRatio(point, float(ratio[k, i]), float(lower[k, i]), float(upper[k, i]))
            for i, point in enumerate(points)
            if known[k, i]
        )
        for k in range(len(ratio))
    ]


def _decided(
    result: KernelResult,
    matched: Matched,
    family: TestFamily,
    k: int,
    places: Mapping[Ground, Points],
    tested: Mapping[Ground, Sequence[PointRatio]],
    options: CheckOptions,
) -> KernelResult:
    """Return the result of the k-th kernel of the family with its verdict."""
    for verdict, adjusted in ((Ruling.REGRESSION, family.worse), (Ruling.IMPROVEMENT, family.better)):
        if evidence := _evidence(result, family, k, adjusted, places, tested, options.false_alarms):
            return replace(result, verdict=verdict, evidence=evidence)
    if evidence := _appeared(matched, int(family.rows[k]), options):
        advice = "write a new baseline if this is intended"
        return replace(result, verdict=Ruling.REGRESSION, evidence=evidence, advice=advice)
    if advice := _masked(family, k, options.false_alarms):
        return replace(result, verdict=Ruling.INCONCLUSIVE, advice=advice, masked=True)
    if advice := _what_is_missing(result, matched, family, k, options):
        return replace(result, verdict=Ruling.INCONCLUSIVE, advice=advice)
    return result


def _evidence(
    result: KernelResult,
    family: TestFamily,
    k: int,
    adjusted: Mapping[Ground, FloatArray],
    places: Mapping[Ground, Points],
    tested: Mapping[Ground, Sequence[PointRatio]],
    level: float,
) -> tuple[Finding, ...]:
    """Put the significant tests of one kernel and direction into sentences, the strongest of each ground."""
    found = []
    for ground, at in places.items():
        p, log_ratio = adjusted[ground][k], family.whole[ground].log_ratio[k]
        hits = np.flatnonzero(p <= level)
        if len(hits):
            strongest = int(hits[np.lexsort((-np.abs(log_ratio[hits]), p[hits]))[0]])
            text = _sentence(ground, float(np.exp(log_ratio[strongest])), at[strongest], len(hits), result)
            beyond = float(family.estimates[ground].log_ratio[k, strongest])
            if abs(beyond - log_ratio[strongest]) > _ROUNDING:
                text += f"; {times(float(np.exp(beyond)))} what all kernels share"
            change = _shown(tested.get(ground, ()), [at[hit] for hit in hits.tolist()], at[strongest])
            found.append(Finding(ground, text, float(p[strongest]), change))
    if any(one.ground is Ground.MEASURED for one in found):  # single points say the same with a place
        found = [one for one in found if one.ground is not Ground.EVERYWHERE]
    return tuple(sorted(found, key=lambda e: e.p or 0.0))


def _shown(
    tested: Sequence[PointRatio], significant: Points, strongest: Mapping[str, float]
) -> PointRatio | None:
    """Return the largest point if its change is significant, else the strongest: what is shown must be so."""
    if tested and tested[-1].at in significant:
        return tested[-1]
    return next((change for change in tested if change.at == strongest), None)


def _appeared(matched: Matched, row: int, options: CheckOptions) -> tuple[Finding, ...]:
    """Say if a kernel takes a large share at a point where it took nothing: there is no ratio to test."""
    before = matched.baseline.values[row, matched.base_at]
    share = matched.candidate.share[row, matched.candidate_at]
    absent = np.isfinite(before).any(axis=1) & (np.nan_to_num(before).max(axis=1) == 0)
    if not (absent & (share >= options.new_share)).any():
        return ()
    at = int(np.where(absent, share, -1.0).argmax())
    (point,) = matched.candidate.named(matched.points[[at]])
    text = f"takes {percent(share[at])} of the total at {point_text(point)}, and took nothing there"
    return (Finding(Ground.NEW, text),)


def _masked(family: TestFamily, k: int, level: float) -> str:
    """Return what to do about a kernel slower only relative to others that got faster; else nothing."""
    for ground, p in family.relative.items():
        hits = np.flatnonzero(p[k] <= level)
        if len(hits):
            beyond = float(np.exp(family.estimates[ground].log_ratio[k, hits].max()))
            return (
                f"no slower than before, but {times(beyond)} slower than what all kernels "
                "share: if the machine was faster, this kernel got slower; run both programs in turn"
            )
    return ""


def _sentence(ground: Ground, ratio: float, at: Mapping[str, float], hits: int, result: KernelResult) -> str:
    assert result.baseline is not None and result.candidate is not None
    before, after = growth_text(result.baseline.growth), growth_text(result.candidate.growth)
    growth = f"growth: {after}, as before" if before == after else f"growth: {before} before, {after} now"
    place = point_text(at)
    if ground is Ground.MEASURED:
        points = "point" if hits == 2 else "points"
        others = f", also significant at {hits - 1} other {points}" if hits > 1 else ""
        return f"measured {times(ratio)} the baseline at {place}{others}"
    if ground is Ground.EVERYWHERE:
        return f"measured {times(ratio)} the baseline over all points"
    if ground is Ground.GROWTH:
        way, change = ("worse", "grows") if ratio > 1 else ("better", "shrinks")
        factor = figure(max(ratio, 1 / ratio))
        text = f"the ratio to the baseline {change} by a factor of {factor} over the measured range"
        return f"scales {way}: {text} ({growth}){''.join(map(_ahead, result.target[-1:]))}"
    return f"predicted {times(ratio)} the baseline at {place} by the models alone ({growth})"


def _ahead(predicted: PointRatio) -> str:
    return f"; predicted {times(predicted.ratio)} the baseline at {point_text(predicted.at)}"


def _what_is_missing(
    result: KernelResult, matched: Matched, family: TestFamily, k: int, options: CheckOptions
) -> str:
    """Return what would settle a kernel about which nothing can be decided; empty if there is no doubt."""
    if not len(matched.points):
        return "no point was measured in both studies: measure the points of the baseline again"
    if result.detectable is None:
        return (
            "without repetitions the noise is unknown: "
            f"measure every point at least {ENOUGH_REPETITIONS} times in both studies"
        )
    share = max(side.share for side in (result.baseline, result.candidate) if side is not None)
    if not hides_regression(result.detectable, share, options):
        return ""
    spread = np.sqrt(family.changes.noise.variance[k] * family.changes.between)
    noise = float(spread[family.changes.measured.known[k]].max())
    needed = _repetitions_needed(result.detectable, matched, float(np.exp(family.log_factor[k])), options)
    hidden = f"noise of {percent(noise)} hides "
    if result.detectable > _LARGEST_FACTOR:
        hidden += f"even changes by a factor of {value_text(_LARGEST_FACTOR)}"
    else:
        hidden += f"changes below a factor of {figure(result.detectable)}"
    if needed > _MOST_REPETITIONS:
        return f"{hidden}: more repetitions will not help, a quieter machine or longer runs may"
    return (
        f"{hidden}: about {needed} repetitions per point in both studies would "
        f"reveal a factor of {value_text(options.resolution)}"
    )


def hides_regression(detectable: float, share: float, options: CheckOptions) -> bool:
    """Say whether a check could miss a factor above the resolution that would make the total worse."""
    hidden = (detectable - 1.0) * share
    return detectable > options.resolution and hidden > options.factor - 1.0


def _repetitions_needed(detectable: float, matched: Matched, factor: float, options: CheckOptions) -> int:
    """Repetitions per point in both studies with which the resolution would be found."""
    counts = [
        np.isfinite(study.values[0]).sum(axis=1).max(initial=1)
        for study in (matched.baseline, matched.candidate)
    ]
    now = 2.0 / (1.0 / counts[0] + 1.0 / counts[1])
    margin = np.log(max(options.resolution / factor, 1.01))
    return int(np.ceil(now * (np.log(detectable / factor) / margin) ** 2))


def _settled_by_regions(results: Sequence[KernelResult]) -> list[KernelResult]:
    """Call paths too noisy by themselves count as unchanged if their region as a whole was decided."""
    decided = {
        r.kernel.region
        for r in results
        if r.kernel.level is Scope.REGION and r.verdict is not Ruling.INCONCLUSIVE
    }
    return [
        replace(r, verdict=Ruling.UNCHANGED)
        if r.verdict is Ruling.INCONCLUSIVE
        and r.kernel.level is Scope.CALLPATH
        and r.kernel.region in decided
        else r
        for r in results
    ]


def new_kernels(matched: Matched, options: CheckOptions) -> list[KernelResult]:
    """Report kernels that the baseline does not have; a new region fails the check from `new_share` on.

    A new call path of a known region is only reported: its region is compared as a whole.
    """
    known = regions_of((*matched.baseline.kernels, *matched.vanished.kernels))
    floor = max(options.share_floor, matched.baseline.smallest_share)
    results = []
    for row, side, most in _alone(matched.new, matched.candidate, floor, known):
        text = f"takes up to {percent(most)} of the total and is not in the baseline"
        verdict, advice = Ruling.NEW, ""
        if matched.new.kernels[row].region in known:
            text += ", a new call path of a known region"
        elif most >= options.new_share:
            verdict, advice = Ruling.REGRESSION, "write a new baseline if this is intended"
        found = result_of(matched.new, row, verdict, Finding(Ground.NEW, text))
        results.append(replace(found, candidate=side, advice=advice))
    return results


def vanished_kernels(matched: Matched, options: CheckOptions) -> list[KernelResult]:
    """Report kernels that only the baseline has; they fail nothing."""
    known = regions_of((*matched.candidate.kernels, *matched.new.kernels))
    results = []
    for row, side, most in _alone(matched.vanished, matched.baseline, options.share_floor, known):
        text = f"took up to {percent(most)} of the total and no longer occurs"
        found = result_of(matched.vanished, row, Ruling.VANISHED, Finding(Ground.NEW, text))
        results.append(replace(found, baseline=side))
    return results


def _alone(
    part: KernelValues, whole: KernelValues, floor: float, known: set[str]
) -> Iterator[tuple[int, StudySide, float]]:
    """Yield the rows of one study only that reach the floor, at the largest scale, and their largest share.

    A region stands for its call paths, unless the other study knows it.
    """
    share, at = whole.share_of(part.mean), int(np.argmax(whole.scale))
    regions = {k.region for k in part.kernels if k.level is Scope.REGION} - known
    for row in np.flatnonzero((share >= floor).any(axis=1)).tolist():
        kernel = part.kernels[row]
        if (kernel.level is Scope.REGION) == (kernel.region in regions):
            side = StudySide(value=float(part.mean[row, at]), share=float(share[row, at]))
            yield row, side, float(share[row].max())


def with_located(results: Sequence[KernelResult]) -> list[KernelResult]:
    """Name the call paths, or new regions, that the regressions of regions and of the total come from."""
    parts = {r.kernel: _cost(r) for r in results if r.kernel.level is Scope.CALLPATH or r.baseline is None}

    def located(result: KernelResult) -> KernelResult:
        kernel, whole = result.kernel, result.kernel.level is Scope.TOTAL
        if result.verdict is not Ruling.REGRESSION or kernel in parts:
            return result
        costs = [(c, part.callpath) for part, c in parts.items() if whole or part.region == kernel.region]
        costs = sorted((cost for cost in costs if cost[0] > 0), reverse=True)
        named = tuple(path for cost, path in costs if cost >= _LEAST_PART * costs[0][0])
        return replace(result, located=named[:_MOST_LOCATED])

    return [located(result) for result in results]


def _cost(result: KernelResult) -> float:
    """What a change costs: at the largest scale, or at the last target if it is sure to cost more there."""
    ratios = [*(one.ratio for one in result.measured[-1:]), *(one.lower for one in result.target[-1:])]
    value = result.candidate.value if result.candidate else 0.0
    return value * max((ratio - 1.0 for ratio in ratios), default=1.0)
