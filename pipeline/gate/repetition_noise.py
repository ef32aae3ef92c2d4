"""Few repetitions of many kernels: means in which outlying values count for little, and their noise.

Noise of run times is multiplicative, so everything here is in logarithms. Single variances from 3 or 5
repetitions are so uncertain that tests built on them either miss changes or raise false alarms. As in the
analysis of gene expression, each is shrunk towards the common one, by as much as the data say that they
agree: Smyth, "Linear models and empirical Bayes methods for assessing differential expression", Statistical
Applications in Genetics and Molecular Biology 3, 2004, sections 4 and 6.2.

Run times are disturbed upwards: by other jobs, a slow node, a late page fault. Disturbed values are found by
spreads that one value cannot move: medians of the differences between repetitions, as in Rousseeuw and Croux,
"Alternatives to the median absolute deviation", Journal of the American Statistical Association 88, 1993.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from scipy.special import ndtri

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from pipeline.gate.estimates import Estimates, holm
from pipeline.gate.kernel_values import KernelValues, Matched, Scope
from pipeline.models.kernels import is_time
from pipeline.statistics import pool_variances
from pipeline.wording.quantities import point_text, times

LEAST_NOISE = 1e-3  # relative noise below this is due to the resolution of timers or to chance
_PROFILE_PRIOR = 20.0  # degrees of freedom of the prior that the noise of all points is alike
_ROUNDS = 3  # alternations between the noise of kernels and of points; converged by then
FEWEST_VARIANCES = 3  # variances needed to estimate how much they differ
CERTAIN = 1e6  # degrees of freedom of a variance that is as good as known
_MEDIAN_DIFFERENCE = 0.9538726  # median of |a - b| for two standard normal variables
_PRECISE = 3.0  # kernels with a spread up to this many times the lower quartile say what all have in common
_REACH = 3.5  # spreads from the center up to which a value counts in full
_MOST_OUTLYING = 1 / 3  # of the values of a kernel in one study: beyond, that is how it behaves


@dataclass(frozen=True, eq=False)
class LogMeans:
    """Repetitions of K kernels at P points, in natural logarithms."""

    mean: FloatArray  # float64[K, P], mean over repetitions, NaN if none is above zero
    count: FloatArray  # float64[K, P], repetitions above zero; less if some count for little
    squares: FloatArray  # float64[K, P], sum of squared deviations from the mean
    degrees: FloatArray  # float64[K, P], degrees of freedom of `squares`
    # float64[K, P], standard deviation of what the resolution of values has wrong in the mean, or None
    rounding: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance of the logarithm of one repetition."""

    variance: FloatArray  # float64[K, P]
    degrees: FloatArray  # float64[K, P], degrees of freedom behind it; 0 if it is unknown
    limit: FloatArray  # float64[K], degrees of freedom behind all points of a kernel together


def _natural_logs(values: FloatArray) -> FloatArray:
    """Return natural logarithms; NaN for values that are unknown or not above zero."""
    logs = np.full(values.shape, np.nan)
    np.log(values, out=logs, where=np.isfinite(values) & (np.nan_to_num(values) > 0))
    return logs


def log_means(values: FloatArray) -> LogMeans:
    """Reduce repetitions, float64[K, P, R]; values not above zero have no logarithm and are left out."""
    logs = _natural_logs(values)
    return _reduced(logs, np.isfinite(logs).astype(np.float64))


def moderated_noise(squares: FloatArray, degrees: FloatArray) -> Noise:
    """Estimate noise from sums of squared deviations of logarithms, float64[K, P], and their degrees."""
    known = degrees.sum(axis=1)
    profile, pooled = np.ones(squares.shape[1]), np.zeros(len(squares))
    for _ in range(_ROUNDS):
        pooled = np.maximum(_divide((squares / profile).sum(axis=1), known), LEAST_NOISE**2)
        relative = (squares / pooled[:, None]).sum(axis=0)
        profile = (relative + _PROFILE_PRIOR) / (degrees.sum(axis=0) + _PROFILE_PRIOR)
    center, weight = common_variance(pooled, known)
    kernel = _divide(weight * center + known * pooled, weight + known)
    limit = np.minimum(weight + known, float(known.sum()))

    expected = kernel[:, None] * profile
    ratio = np.maximum(_divide(squares, degrees * expected), 1e-12)
    _, agreement = common_variance(ratio.reshape(-1), degrees.reshape(-1))
    variance = _divide(agreement * expected + squares, agreement + degrees)
    freedom = np.minimum(agreement + degrees, limit[:, None])
    return Noise(np.maximum(variance, LEAST_NOISE**2), freedom, limit)


def common_variance(variance: FloatArray, degrees: FloatArray) -> tuple[float, float]:
    """Pool n independent variances: return the common one, and how many further degrees it gives each.

    `CERTAIN` if the variances differ by no more than chance, 0 if there are too few to know.
    """
    seen = degrees > 0
    if not seen.any():
        return 0.0, 0.0
    pooled = pool_variances(variance[seen], degrees[seen], CERTAIN)
    return pooled.variance, pooled.degrees if seen.sum() >= FEWEST_VARIANCES else 0.0


def _divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 0 where the divisor is 0."""
    out = np.zeros(np.broadcast_shapes(above.shape, below.shape))
    np.divide(above, below, out=out, where=below > 0)
    return out


def _precise_kernels(spread: FloatArray) -> BoolArray:
    """Return which kernels, float64[K] spreads or errors, are precise enough to show what all share."""
    known = np.isfinite(spread)
    if not known.any():
        return known
    precise: BoolArray = known & (
        spread <= _PRECISE * np.maximum(np.quantile(spread[known], 0.25), LEAST_NOISE)
    )
    return precise


def robust_log_means(*studies: FloatArray, rounding: Sequence[FloatArray] = ()) -> tuple[LogMeans, ...]:
    """Reduce repetitions to means of logarithms in which outlying values count for little.

    The center of a point starts at its lower repetitions, since up to half of them may be disturbed and
    upwards only. A kernel many of whose values lie far out is noisy rather than disturbed: they all count.

    Args:
        studies: float64[K, P, R] each, the same kernels and points.
        rounding: float64[K, P] each, what their resolution has wrong in the logarithms; nothing by default.
    """
    logs = [_natural_logs(values) for values in studies]
    scale = _spread(np.concatenate([_differences(one) for one in logs], axis=2))
    for error in rounding:  # a value one step from the others is no outlier
        scale = np.hypot(scale, error)
    means = (_reduced(one, _repetition_weights(one, scale)) for one in logs)
    return tuple(
        replace(one, rounding=error) for one, error in zip_longest(means, rounding, fillvalue=None) if one
    )


def _reduced(logs: FloatArray, weight: FloatArray) -> LogMeans:
    whole, squares = weight.sum(axis=2), (weight**2).sum(axis=2)
    mean, count = np.full(whole.shape, np.nan), np.zeros(whole.shape)
    np.divide((weight * np.nan_to_num(logs)).sum(axis=2), whole, out=mean, where=whole > 0)
    np.divide(whole**2, squares, out=count, where=squares > 0)
    deviation = np.where(weight > 0, logs - mean[:, :, None], 0.0)
    return LogMeans(mean, count, (weight * deviation**2).sum(axis=2), np.maximum(count - 1.0, 0.0))


def _repetition_weights(logs: FloatArray, scale: FloatArray) -> FloatArray:
    """Weight of every repetition, 0 to 1, 0 for NaN; scale: standard deviations, float64[K, P]."""
    known = np.isfinite(logs)
    center = _low_center(logs, scale)
    weight = known.astype(np.float64)
    for _ in range(_ROUNDS):
        distance = np.abs(logs - center[:, :, None]) / scale[:, :, None]
        weight = np.where(known, np.minimum(1.0, (_REACH / np.maximum(distance, _REACH)) ** 4), 0.0)
        whole = weight.sum(axis=2)
        moved = (weight * np.nan_to_num(logs)).sum(axis=2)
        np.divide(moved, whole, out=center, where=whole > 0)
    out = ((weight < 0.5) & known).sum(axis=(1, 2)) > _MOST_OUTLYING * known.sum(axis=(1, 2))
    weight[out] = known[out]
    return weight


def _low_center(logs: FloatArray, scale: FloatArray) -> FloatArray:
    """Estimate the level of undisturbed repetitions from one of the lowest, float64[K, P]."""
    count = np.isfinite(logs).sum(axis=2)
    rank = np.maximum(count - 1, 0) // 4
    lowest = np.take_along_axis(np.sort(logs, axis=2), rank[:, :, None], axis=2)[:, :, 0]
    expected = ndtri((rank + 0.625) / (count + 0.25))  # Blom's approximation to the mean order statistic
    center: FloatArray = lowest - expected * scale
    return center


def _differences(logs: FloatArray) -> FloatArray:
    """Return the absolute differences of all pairs of repetitions, float64[K, P, R (R - 1) / 2]."""
    first, second = np.triu_indices(logs.shape[2], 1)
    difference: FloatArray = np.abs(logs[:, :, first] - logs[:, :, second])
    return difference


def _spread(difference: FloatArray) -> FloatArray:
    """Standard deviation of single values per kernel and point, float64[K, P], from their differences.

    A kernel's noise counts over all points, and a point's over all kernels.
    """
    kernel = np.maximum(_known_median(_flat(difference), 1) / _MEDIAN_DIFFERENCE, LEAST_NOISE)
    relative = _known_median(difference, 2) / _MEDIAN_DIFFERENCE / kernel[:, None]
    profile = np.nan_to_num(_known_median(relative, 0), nan=1.0)
    scale = np.nan_to_num(kernel[:, None] * profile, nan=LEAST_NOISE)
    return np.maximum(scale, LEAST_NOISE)


def _kernel_spread(logs: FloatArray) -> FloatArray:
    """Standard deviation of single values per kernel, float64[K]; NaN without repetitions."""
    spread: FloatArray = _known_median(_flat(_differences(logs)), 1) / _MEDIAN_DIFFERENCE
    return spread


def value_spread(values: FloatArray) -> FloatArray:
    """Standard deviation of the logarithm of single values, float64[K], from those of K kernels."""
    return _kernel_spread(_natural_logs(values))


def _known_median(values: FloatArray, axis: int) -> FloatArray:
    """Median of what is known along an axis; NaN if nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=axis, keepdims=True)
    if not values.shape[axis]:
        return np.full(np.delete(values.shape, axis), np.nan)
    ordered = np.sort(np.where(known, values, np.inf), axis=axis)
    pair = [np.take_along_axis(ordered, np.maximum(count - 1 + up, 0) // 2, axis=axis) for up in (0, 1)]
    median = np.where(count > 0, (pair[0] + pair[1]) / 2, np.nan)
    return np.squeeze(median, axis=axis)


def _flat(values: FloatArray) -> FloatArray:
    """Put points and repetitions into one row per kernel."""
    return values.reshape(len(values), int(np.prod(values.shape[1:])))


_FEWEST_VALUES = 4  # distinct ones, that are not multiples of one step by chance
_SMALLEST_STEP = 1e-6  # of the largest value; less does not matter
_FEW_DIGITS = 2  # that times are written with if a digit matters
_FINEST = 10  # parts of the smallest difference, that may be the step
_TOLERANCE = 0.01  # of the step, by which a multiple may be off after arithmetic
FEWEST_KERNELS = 10  # needed to separate the factor of every run from the noise of its kernels
_OUTLYING_SPREADS = 5.0  # of the factors of runs
_OUTLYING_FACTOR = 1.2
_MOST_NAMED = 3  # outlying runs named in a notice
_FEWEST_PAIRS = 2  # with which pairs say how much they differ


@dataclass(frozen=True, eq=False)
class RunFactors:
    """What every run does to all of its kernels, relative to the typical run of its point."""

    # float64[P, R], natural logarithm; 0 for a typical run and if noise hides it, NaN if there was no run
    log_factor: FloatArray
    outlying: BoolArray  # bool[P, R], runs far from the other repetitions of their point
    spread: float  # standard deviation of the logarithm over typical runs; NaN without repetitions
    degrees: float  # degrees of freedom behind `spread`


def run_factors(values: FloatArray, independent: BoolArray) -> RunFactors:
    """Estimate the factors of all runs of a study.

    With fewer than `FEWEST_KERNELS` only outlying runs have a factor other than 1: by how much the kernel
    that is disturbed least departs from its repetitions. Values are float64[K, P, R], NaN if not measured;
    `independent`, bool[K], are the kernels that matter and are not sums of others.
    """
    logs = _natural_logs(values[independent])
    measured = np.isfinite(logs).any(axis=0)
    residual = logs - _known_median(logs, 2)[:, :, None]
    chosen = residual[_precise_kernels(_kernel_spread(logs))]
    many = len(chosen) >= FEWEST_KERNELS
    common = _known_median(chosen, 0) if many else _least_disturbed(residual)
    common = np.where(measured, common, np.nan)
    spread = float(_kernel_spread(common[None])[0])
    scale = np.full((1, len(common)), np.fmax(spread, LEAST_NOISE))
    weight = _repetition_weights(common[None], scale)[0]
    level = (weight * np.nan_to_num(common)).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-300)
    factor = common - level[:, None]
    outlying = np.abs(np.nan_to_num(factor)) > max(_OUTLYING_SPREADS * spread, np.log(_OUTLYING_FACTOR))
    degrees = float(np.maximum(weight.sum(axis=1) - 1, 0).sum())
    return RunFactors(factor if many else np.where(outlying, factor, common * 0), outlying, spread, degrees)


def _least_disturbed(residual: FloatArray) -> FloatArray:
    """Of all kernels' residuals, float64[K, P, R], the one nearest to 0 if their signs agree, else 0."""
    if len(residual) < 2:
        return np.zeros(residual.shape[1:])
    low, high = (np.nan_to_num(f(residual, axis=0)) for f in (np.fmin.reduce, np.fmax.reduce))
    smallest = np.minimum(np.abs(low), np.abs(high))
    return np.where(low > 0, smallest, 0.0) - np.where(high < 0, smallest, 0.0)


@dataclass(frozen=True, eq=False)
class Typical:
    """A study as if every run had been a typical one of its point."""

    measurements: KernelValues  # the values without the factors of the runs
    measured: KernelValues  # the values as measured
    runs: RunFactors

    def notices(self, study: str) -> tuple[str, ...]:
        """Name the outlying runs of a study in one sentence; empty if there are none."""
        where = np.argwhere(self.runs.outlying).tolist()
        if not where:
            return ()
        points = self.measured.named(self.measured.points)
        numbers = self.measured.repetitions
        named = [
            f"{point_text(points[p])} repetition {r + 1 if numbers is None else numbers[p, r]} "
            f"({times(float(np.exp(self.runs.log_factor[p, r])))})"
            for p, r in where[:_MOST_NAMED]
        ]
        more = f" and {len(where) - _MOST_NAMED} more" if len(where) > _MOST_NAMED else ""
        return (
            f"runs of {study} that were slow or fast in all kernels, compared without that factor: "
            f"{', '.join(named)}{more}",
        )


def typical_runs(study: KernelValues, share_floor: float) -> Typical:
    """Take the factors of the runs out of all values of a study; the noise of small kernels says nothing."""
    large = (study.share >= share_floor).any(axis=1)
    alone = np.array([kernel.level is Scope.CALLPATH for kernel in study.kernels], dtype=bool)
    runs = run_factors(study.values, alone & large)
    values = study.values * np.exp(-np.nan_to_num(runs.log_factor))
    rounded = replace(study, rounding=rounding_errors(study))
    return Typical(replace(rounded, values=values), rounded, runs)


def paired_means(matched: Matched, rows: IntArray) -> tuple[LogMeans, LogMeans]:
    """Reduce pairs of runs of some kernels, int64[K]: zeros for the baseline, log ratios for the candidate.

    Their noise is that of one run.
    """
    difference = _run_differences(matched, rows)
    factor = np.nan_to_num(run_factors(np.exp(difference), matched.is_callpath[rows]).log_factor)
    (each,) = robust_log_means(np.exp(difference - factor))
    nothing = np.zeros(each.mean.shape)
    one, two = matched.baseline.rounding, matched.candidate.rounding
    rounding = None
    if one is not None and two is not None:
        rounding = np.hypot(one[rows][:, matched.base_at], two[rows][:, matched.candidate_at])
    return (
        LogMeans(nothing, each.count, nothing, nothing),
        LogMeans(each.mean, each.count, each.squares / 2, each.degrees, rounding),
    )


def paired_factor(matched: Matched, rows: IntArray) -> Estimates:
    """Estimate the factor that kernels share from pairs of runs, as measured, float64[1, P].

    The kernels, int64[K], matter and are not sums of others.
    """
    difference = _run_differences(matched, rows)
    chosen = difference[_precise_kernels(_kernel_spread(difference))]
    (factor,) = robust_log_means(np.exp(_known_median(chosen, 0))[None])
    degrees = float(factor.degrees.sum())
    error = np.full(factor.mean.shape, np.nan)
    squares = np.full(factor.mean.shape, float(factor.squares.sum()))
    np.divide(squares, degrees * factor.count, out=error, where=(factor.count > 0) & (degrees > 0))
    return Estimates(factor.mean, np.sqrt(error), np.full(error.shape, degrees))


def _run_differences(matched: Matched, rows: IntArray) -> FloatArray:
    """Log ratios of pairs of runs, float64[K, P, pairs], NaN where a point has fewer pairs."""
    baseline, candidate, at = matched.baseline, matched.candidate, (matched.base_at, matched.candidate_at)
    pairs = [
        _pairs(one, two)
        for one, two in zip(_numbers(baseline)[at[0]], _numbers(candidate)[at[1]], strict=True)
    ]
    most = max((len(one) for one in pairs), default=0)
    if most < _FEWEST_PAIRS:
        raise InputError(
            "the runs cannot be paired",
            hint="run both programs in turn and number the repetitions alike, as app.p8.r1, app.p8.r2, ...",
        )
    first, second = _natural_logs(baseline.values[rows]), _natural_logs(candidate.values[rows])
    difference = np.full((len(rows), len(pairs), most), np.nan)
    for p, one in enumerate(pairs):
        ratio = second[:, at[1][p], one[:, 1]] - first[:, at[0][p], one[:, 0]]
        difference[:, p, : len(one)] = ratio
    return difference


def _numbers(study: KernelValues) -> IntArray:
    """Number of every repetition, int64[P, R], -1 if there is no run; by their order if they have none."""
    measured = np.isfinite(study.values).any(axis=0)
    order = np.cumsum(measured, axis=1)
    return np.where(measured, order if study.repetitions is None else study.repetitions, -1)


def _pairs(first: IntArray, second: IntArray) -> IntArray:
    """Indices of the repetitions with the same number, int64[pairs, 2]."""
    where = {number: r for r, number in enumerate(second.tolist()) if number >= 0}
    found = [(r, where[number]) for r, number in enumerate(first.tolist()) if number in where]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


# The resolution of values: what timers and logs round to is an error that repetitions need not show.
#
# Rounded to multiples of a step q, the mean of repetitions that scatter by less than q is wrong by up to q/2,
# as evenly distributed: q²/12 is the variance, however many repetitions there are. That is so if repetitions
# of a call path are equal now and then, which values that are not rounded never are.


def rounding_errors(study: KernelValues) -> FloatArray:
    """Return the standard deviation of the logarithm of every mean due to resolution, float64[K, P].

    A sum has an error of each of its call paths.
    """
    paths = study.rows_of(Scope.CALLPATH)
    values = study.values[paths]
    steps = np.array([step_of(of_point) for of_point in np.moveaxis(values, 1, 0)])
    steps = np.broadcast_to(steps, values.shape[:2])
    if is_time(study.metric, study.unit):
        steps = np.maximum(steps, np.maximum(_steps_of_repeated(values), _steps_of_digits(values)))
    variance = _sums(study, paths, steps**2) / 12
    value = np.maximum(study.mean, np.sqrt(12 * variance))
    return np.asarray(np.sqrt(np.divide(variance, value**2, out=np.zeros(value.shape), where=value > 0)))


def step_of(values: FloatArray) -> float:
    """Find the step of which all values, float64[K, R], are multiples; 0 if there is none that matters."""
    apart = np.diff(np.sort(values, axis=1), axis=1)
    if not ((apart == 0).any(axis=1) & (apart > 0).any(axis=1)).any():
        return 0.0
    return _divisor(values)


def _divisor(values: FloatArray) -> float:
    known = np.unique(values[np.isfinite(values) & (values > 0)])
    if not len(known):
        return 0.0
    least = _SMALLEST_STEP * known[-1]
    distinct = known[np.append(True, np.diff(known) > least)]
    if len(distinct) < _FEWEST_VALUES:
        return 0.0
    gap = min(float(np.diff(distinct).min()), float(distinct[0]))
    for parts in range(1, _FINEST + 1):
        step = gap / parts
        if step > least and (np.abs(distinct / step - np.round(distinct / step)) < _TOLERANCE).all():
            return step
    return 0.0


def _steps_of_repeated(values: FloatArray) -> FloatArray:
    """Return the step of times that do not scatter at all, float64[K, P]; 0 for those that do."""
    repeated = (np.diff(np.sort(values, axis=2), axis=2) == 0).any(axis=2)
    steps = [_divisor(values[rows, p]) for p, rows in enumerate(repeated.T)]
    return np.where(repeated, steps, 0.0)


def _steps_of_digits(values: FloatArray) -> FloatArray:
    """Return the last of the digits to which all times are written, float64[K, P]; 0 if they are many."""
    size = np.floor(np.log10(np.maximum(np.nan_to_num(values), 1e-300)))
    for digits in range(1, _FEW_DIGITS + 1):
        last = 10.0 ** (size - digits + 1)
        if (np.abs(values / last - np.round(values / last))[values > 0] < _TOLERANCE).all():
            steps: FloatArray = np.where(values > 0, last, 0.0).max(axis=2)
            return steps
    return np.zeros(values.shape[:2])


def _sums(study: KernelValues, paths: IntArray, squares: FloatArray) -> FloatArray:
    """Add squares of call paths, float64[paths, P], to those of every kernel, float64[K, P]."""
    number = {name: n for n, name in enumerate(dict.fromkeys(kernel.region for kernel in study.kernels))}
    region = np.array([number[kernel.region] for kernel in study.kernels], dtype=np.int64)
    of_region = np.zeros((len(number), *squares.shape[1:]))
    np.add.at(of_region, region[paths], squares)
    found = of_region[region]
    found[study.rows_of(Scope.TOTAL)], found[paths] = squares.sum(axis=0), squares
    return found


_AGREEING = 2 / 3  # more than this share of the kernels must have moved along
_MUCH_MORE = 3.0  # variance between points over that between runs, about the 5 % level of Fisher's F
_BEYOND_CHANCE = 2.0  # standard errors from which a factor is taken out
_MEDIAN_VARIANCE = 1.5707963  # of the median of n normal values, times n


@dataclass(frozen=True, eq=False)
class Shared:
    """The factor that kernels share at P points."""

    log_factor: FloatArray  # float64[P], natural logarithm; 0 at points where the kernels do not agree
    variance: FloatArray  # float64[P], of the median log ratio, by the noise of single kernels


def shared_factor(change: FloatArray, variance: FloatArray, *, by_points: bool = False) -> Shared:
    """Find the factor that more than two thirds of the kernels share at a point.

    A kernel agrees if its change is nearer to the factor than to none; the factor must be beyond chance. Of
    an even number of kernels the middle one that changed less decides, so that a change of one of two kernels
    is not taken for the machine.

    `change` are log ratios float64[K, P] with their variances. `by_points`: those of a single kernel, as of a
    column of run times, are asked as several kernels are: what they share is the machine's, the rest its own.
    """
    points = change.shape[1]
    if by_points and len(change) == 1 and points > 1:
        alike = shared_factor(change.T, variance.T)
        return Shared(np.repeat(alike.log_factor, points), np.repeat(alike.variance, points))
    factor, spread = np.zeros(points), np.zeros(points)
    for p in range(points):
        known = np.isfinite(change[:, p]) & np.isfinite(variance[:, p])
        chosen = known.copy()
        chosen[known] = _precise_kernels(np.sqrt(variance[known, p]))
        one = np.sort(change[chosen, p])
        if len(one) < 2:
            continue
        ends = one[[(len(one) - 1) // 2, len(one) // 2]]
        middle = ends[np.abs(ends).argmin()]
        independent = len(one) if len(one) >= FEWEST_KERNELS else 1.0  # else they share the noise of runs
        spread[p] = _MEDIAN_VARIANCE * float(variance[chosen, p].mean()) / independent
        agree = (np.abs(one - middle) < np.abs(one)).mean() > _AGREEING
        factor[p] = middle if agree and abs(middle) > _BEYOND_CHANCE * np.sqrt(spread[p]) else 0.0
    return Shared(factor, spread)


@dataclass(frozen=True, eq=False, kw_only=True)
class CommonChange:
    """The change that kernels share, with its errors between runs."""

    points: Estimates  # estimates at the P common points, float64[1, P]
    mean: Estimates  # the mean over the points, float64[1, 1]
    # `slower` and `faster`: float64[1 + P], adjusted p-values of the mean, then the points; NaN if not tested
    slower: FloatArray
    faster: FloatArray
    paired: bool  # whether the runs were paired, so that the machine is no explanation


def common_change(
    shared: Shared, machine: Estimates, limits: tuple[float, float], *, paired: bool
) -> CommonChange:
    """Test what the kernels share: its mean and single points against their limits.

    `machine` is the factor by runs, float64[1, P], of which only the errors are used without pairs.
    """
    error = np.sqrt(np.maximum(np.nan_to_num(machine.error) ** 2 + shared.variance, LEAST_NOISE**2))
    factor = machine.log_ratio if paired else shared.log_factor[None]
    points = Estimates(
        np.where(shared.log_factor != 0, factor, 0.0), np.where(machine.known, error, np.nan), machine.degrees
    )
    mean = _mean_over_points(points)
    slower, faster = (
        holm(np.concatenate([_p_values(one, limits[0], paired), _p_values(two, limits[1], paired)]))
        for one, two in ((mean, points), (mean.inverse, points.inverse))
    )
    return CommonChange(points=points, mean=mean, slower=slower, faster=faster, paired=paired)


def _p_values(one: Estimates, limit: float, paired: bool) -> FloatArray:
    """P-values of "above the limit"; of pairs, whose machine is the same, "above 1" if they are above it."""
    p: FloatArray = one.above(np.zeros(1) if paired else np.log([limit]))[0]
    if not paired:
        return p
    p[one.known[0] & (one.log_ratio[0] <= np.log(limit))] = 1.0
    return p


def _mean_over_points(points: Estimates) -> Estimates:
    """Mean over the points; its error is that between runs, or between points if they differ by much more."""
    known = points.known[0]
    count = int(known.sum())
    if not count:
        return Estimates.unknown(1)
    value, error, degrees = (a[0, known] for a in (points.log_ratio, points.error, points.degrees))
    inside, freedom = float((error**2).mean()) / count, float(degrees.min())
    between = float(value.var(ddof=1)) / count if count > 1 else 0.0
    if between > _MUCH_MORE * inside:
        inside, freedom = between, float(count - 1)
    return Estimates(*(np.full((1, 1), v) for v in (float(value.mean()), np.sqrt(inside), freedom)))


def between_runs(
    baseline: RunFactors, candidate: RunFactors, base_at: IntArray, candidate_at: IntArray
) -> Estimates:
    """Errors of the factor between the typical runs of two studies at P common points, float64[1, P]."""
    degrees = baseline.degrees + candidate.degrees
    squares = sum(np.nan_to_num(one.spread) ** 2 * one.degrees for one in (baseline, candidate))
    variance = float(squares) / degrees if degrees else np.nan
    counts = _counted(baseline)[base_at], _counted(candidate)[candidate_at]
    with np.errstate(divide="ignore"):
        error = np.sqrt(variance * (1 / counts[0] + 1 / counts[1]))
    error = np.where(np.isfinite(error), error, np.nan)
    return Estimates(np.zeros((1, len(error))), error[None], np.full((1, len(error)), degrees))


def _counted(runs: RunFactors) -> FloatArray:
    """Number of runs at every point that are not outlying, float64[P]."""
    usual: BoolArray = np.isfinite(runs.log_factor) & ~runs.outlying
    count: FloatArray = usual.sum(axis=1).astype(np.float64)
    return count
