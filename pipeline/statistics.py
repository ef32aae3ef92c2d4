"""Statistics of models and gate: quantiles of normal and Student mixtures, empirical Bayes, least squares."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.reduction import SmallFloatArray

TWO_SIDED = 1.645  # standard deviations to either end of a 90 % interval
NORMAL_90 = 1.6448536  # the same, exactly
OF_MEDIAN_DEVIATION = 1.4826  # standard deviation of normal values over their median absolute deviation
_NEGLIGIBLE = 1e-3  # weight below which a component moves no requested quantile
_MARGIN = 0.15  # of the largest scale, by which quantiles may lie outside those of the components
_SECANTS, _STEPS = 3, 14  # of the inversion of all, and of those whose logit is off by more than
_NEAR = 3e-2
_LEAST = 1e-6  # probability that counts
_SHARPEST = 1e15  # inverse scale, on the way from the least to the largest quantile: squares are finite
_FAR_OUT = 10  # from where on series of the gamma function's relatives are exact to 1e-12
_LARGEST = 1e150  # value whose square is finite
_MOST_STEPS, _MANY_DEGREES, _FAR = 40, 1e4, 0.9999  # of Newton's method, and where it is exact


def mixture_quantiles(
    center: FloatArray,
    scale: FloatArray,
    weight: FloatArray,
    count: IntArray,
    degrees: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Return quantiles of K x Q mixtures of Student t distributions, R components in all.

    Where one component counts, they are its own. Else the distribution functions are inverted between the
    least and the largest quantile of the components, on an asinh scale: rivals may be decades apart.

    Args:
        center: float64[R, Q], those of the first mixture, then those of the second ...
        scale: float64[R, Q], not below 0.
        weight: float64[R], sums to 1 over a mixture, with one component above `_NEGLIGIBLE` in each.
        count: int64[K], components of each mixture, at least one.
        degrees: float64[K], degrees of freedom.
        probability: float64[n], between 0 and 1.

    Returns:
        float64[n, K, Q].
    """
    result = np.empty((len(probability), len(count), center.shape[1]))
    if not result.size:
        return result
    mixture, first = np.repeat(np.arange(len(count)), count), np.cumsum(count) - count
    counts = weight > _NEGLIGIBLE
    several = np.add.reduceat(counts.astype(np.int64), first) > 1
    if several.all() and counts.all():
        return _of_several(center, scale, weight, mixture, degrees, probability)
    some = counts & several[mixture]
    result[:, several] = _of_several(
        center[some],
        scale[some],
        weight[some],
        (np.cumsum(several) - 1)[mixture[some]],
        degrees[several],
        probability,
    )
    best = weight == np.maximum.reduceat(weight, first)[mixture]
    rows = np.flatnonzero(best & ~several[mixture])
    alone, place = np.unique(mixture[rows], return_index=True)
    rows = rows[place]
    reach = student_quantiles(degrees[alone], probability)[:, :, None]
    result[:, alone] = center[rows] + scale[rows] * reach
    return result


def student_quantiles(degrees: FloatArray, probability: FloatArray) -> FloatArray:
    """Return quantiles of Student's t distributions, float64[n, K]; few degrees of freedom differ."""
    different, which = np.unique(degrees, return_inverse=True)
    found = [[_student_quantile(d, p) for d in different.tolist()] for p in probability.tolist()]
    return np.array(found).reshape(len(probability), -1)[:, which]


@lru_cache(maxsize=1 << 16)
def _student_quantile(degrees: float, probability: float) -> float:
    """Return a quantile to about 1e-11, by Newton's method from the middle on, where the density falls.

    Whoever only reads results need not import scipy, which takes as long as all else; it does what is rare.
    """
    level = abs(2 * probability - 1)
    if not (1 <= degrees <= _MANY_DEGREES and level < _FAR):
        from scipy.special import stdtrit

        return float(stdtrit(degrees, probability))
    half, found = degrees / 2, 0.0
    peak = 2 * math.exp(math.lgamma(half + 0.5) - math.lgamma(half)) / math.sqrt(math.pi * degrees)
    for _ in range(_MOST_STEPS):
        squared = found * found
        density = peak * (1 + squared / degrees) ** (-half - 0.5)
        step = (level - _incomplete_beta(squared / (degrees + squared), 0.5, half)) / density
        found += step
        if abs(step) <= 1e-12 * found:
            break
    return math.copysign(found, probability - 0.5)


def student_below(degrees: FloatArray, value: FloatArray) -> FloatArray:
    """Return the probabilities of Student's t distributions below values, of one shape."""
    squared = np.minimum(np.abs(value), _LARGEST) ** 2
    pairs = zip((squared / (degrees + squared)).ravel().tolist(), (degrees / 2).ravel().tolist(), strict=True)
    level = np.reshape([_incomplete_beta(x, 0.5, half) for x, half in pairs], np.shape(value))
    return np.asarray((1 + np.sign(value) * level) / 2)


def normal_below(value: FloatArray) -> FloatArray:
    """Return the probabilities of the normal distribution below values, of any shape."""
    return np.reshape([0.5 * math.erfc(-v) for v in (value / math.sqrt(2)).ravel().tolist()], np.shape(value))


def from_odds(logarithm: FloatArray | float) -> FloatArray:
    """Return probabilities from logarithms of their odds."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -np.asarray(logarithm))))


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function by its continued fraction (DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    if x == 0:
        return 0.0
    fraction = 1.0
    for m in range(50 + int(3 * math.sqrt(max(a, b))), 0, -1):
        fraction = 1 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / fraction
        fraction = 1 - (a + m - 1) * (a + b + m - 1) * x / ((a + 2 * m - 2) * (a + 2 * m - 1)) / fraction
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / (a * fraction)


@lru_cache
def deviations(level: float) -> float:
    """Return how many standard deviations an interval of a level below 1 reaches to either side."""
    return NormalDist().inv_cdf((1 + level) / 2)


@dataclass(frozen=True, eq=False)
class _Mixtures:
    """Distribution functions of mixtures: the components of one behind those of another on the last axis.

    What is looked up many times is in single precision, relative to a place amid each mixture.
    """

    count: IntArray  # components of each
    first: IntArray  # where they begin
    center: SmallFloatArray
    sharpness: SmallFloatArray  # 1 / (scale * root of the degrees of freedom)
    degrees: SmallFloatArray  # as `_student` wants them
    half: SmallFloatArray  # of the weight

    def below(self, place: FloatArray) -> FloatArray:
        """Return the probability below a place of each."""
        standard = np.repeat(place.astype(np.float32), self.count, axis=-1)
        standard -= self.center
        standard *= self.sharpness
        part = _student(standard, self.degrees)
        part *= self.half
        return 0.5 + np.add.reduceat(part, self.first, axis=-1).astype(np.float64)

    def take(self, row: IntArray, column: IntArray) -> "_Mixtures":
        """Return some of mixtures with two axes as mixtures with one."""
        count = self.count[column]
        first = np.cumsum(count) - count
        own = np.arange(count.sum()) + np.repeat(self.first[column] - first, count)
        placed = own + np.repeat(row * len(self.half), count)
        center, sharpness = self.center.ravel()[placed], self.sharpness.ravel()[placed]
        return _Mixtures(count, first, center, sharpness, self.degrees[own], self.half[own])


def _of_several(
    center: FloatArray,
    scale: FloatArray,
    share: FloatArray,
    kernel: IntArray,
    degrees: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Return the quantiles if more than one component counts; `kernel`, int64[R], tells whose each is.

    Logits of mixtures of like components are nearly straight: a few steps of the secant find most quantiles
    from the mean of those of the components, by their densities. Inside, points stand before kernels: what is
    next to each other in memory is added and looked up.
    """
    if not center.size:
        return np.zeros((len(probability), len(degrees), center.shape[1]))
    first = np.searchsorted(kernel, np.arange(len(degrees)))
    share = share / np.add.reduceat(share, first)[kernel]
    middle, scale = np.ascontiguousarray(center.T), np.ascontiguousarray(scale.T)
    smallest = np.maximum.reduceat(np.abs(middle), first, axis=1) * 1e-12 + 1e-300
    spread = np.maximum(scale, smallest[:, kernel])
    reach = student_quantiles(degrees, probability)[:, None]
    ends = middle + spread * reach[..., kernel]
    low, high = np.minimum.reduceat(ends, first, axis=2), np.maximum.reduceat(ends, first, axis=2)
    part = share / spread
    density = np.add.reduceat(part, first, axis=1)
    # neither depends on the probabilities: a value alone is that with its interval
    amid = np.add.reduceat(part * middle, first, axis=1) / density
    reached = np.maximum.reduceat(spread, first, axis=1)
    margin, place = _MARGIN * reached, amid + reach / density
    reached += np.maximum.reduceat(middle, first, axis=1) - np.minimum.reduceat(middle, first, axis=1)
    count = np.diff(np.append(first, len(kernel)))
    length = np.repeat(reached, count, axis=1)
    mixtures = _Mixtures(
        count,
        first,
        ((middle - np.repeat(amid, count, axis=1)) / length).astype(np.float32),
        np.minimum(length / (spread * np.sqrt(degrees)[kernel]), _SHARPEST).astype(np.float32),
        (degrees * ((8 * degrees + 1) / (8 * degrees + 3)) ** 2).astype(np.float32)[kernel],
        (share / 2).astype(np.float32),
    )
    chance = probability[:, None, None]
    slope = reached * density * _student_density(reach, degrees) / (chance * (1 - chance))
    low, high, place = ((end - amid) / reached for end in (low - margin, high + margin, place))
    low, high, place, off = _by_secants(mixtures.below, low, high, place, slope, chance)
    some = np.nonzero(np.abs(off) > _NEAR)
    unit = np.minimum.reduceat(spread, first, axis=1)
    found, left = amid + reached * place, mixtures.take(*some[1:])
    unit, amid, reached = (of_all[some[1:]] for of_all in (unit, amid, reached))
    begin, end = (np.arcsinh((bound[some] * reached + amid) / unit) for bound in (low, high))

    def below(wanted: FloatArray) -> FloatArray:
        return left.below((wanted - amid) / reached)

    found[some] = _invert(below, begin, end, unit, probability[some[0]])
    return np.asarray(found.transpose(0, 2, 1))


def _by_secants(
    below: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    place: FloatArray,
    slope: FloatArray,
    probability: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Solve below(x) = probability from a place between low and high, given the slope of its logit there.

    Returns narrower ends, what comes next, and how far the logit was off at the last place: as many times
    farther as it was steeper on the way, since the last step may cross what is steep.
    """
    odds = np.log(probability / (1 - probability))
    before, steepest = (place, np.zeros(place.shape)), slope.copy()
    for step in range(_SECANTS):
        value = np.clip(below(place), _LEAST, 1 - _LEAST)
        off = np.log(value / (1 - value)) - odds
        moved, rise = place - before[0], off - before[1]
        np.divide(rise, moved, out=slope, where=(step > 0) & (rise * moved > 0))
        before, steepest = (place, off), np.maximum(steepest, slope)
        low, high = np.where(off < 0, place, low), np.where(off < 0, high, place)
        wanted = place - off / slope
        place = np.where((wanted > low) & (wanted < high), wanted, (low + high) / 2)
    return low, high, np.clip(wanted, low, high), off * steepest / slope


def _invert(
    below: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    unit: FloatArray,
    probability: FloatArray,
) -> FloatArray:
    """Solve below(x) = probability for x = unit * sinh(u), u between low and high.

    Every other step halves the bracket, the others follow the secant: fast where the function is smooth,
    and sure where it has steps.
    """
    before, after = below(unit * np.sinh(low)), below(unit * np.sinh(high))
    for step in range(_STEPS):
        share = np.clip(_crossing(before, after, probability), 0.02, 0.98) if step % 2 else 0.5
        middle = low + share * (high - low)
        value = below(unit * np.sinh(middle))
        over = value >= probability
        low, high = np.where(over, low, middle), np.where(over, middle, high)
        before, after = np.where(over, before, value), np.where(over, value, after)
    left, right = unit * np.sinh(low), unit * np.sinh(high)
    return left + np.clip(_crossing(before, after, probability), 0, 1) * (right - left)


def _crossing(before: FloatArray, after: FloatArray, probability: FloatArray) -> FloatArray:
    """Where between two values a straight line reaches a probability, as a share of the way."""
    rise = after - before
    return np.where(rise > 0, (probability - before) / np.where(rise > 0, rise, 1.0), 0.5)


# a, b, c of (1 + tanh(z (a + b z^2 + c z^4))) / 2, the normal distribution function to 2e-5
_OF_NORMAL = np.array([0.7977178, 0.03679828, -0.00031581], dtype=np.float32)
_SIGN = np.uint32(1 << 31)  # bit of a number in single precision
_FARTHEST = np.float32(60.0)  # z^2, behind which it is 0 or 1


def _student(value: SmallFloatArray, corrected: SmallFloatArray) -> SmallFloatArray:
    """Return twice the Student t distribution function less 1, to about 0.004 from 2 degrees of freedom on.

    By a normal approximation that is exact in the limit (Wallace, "Bounds on normal approximations to
    Student's and the chi-square distributions", 1959) in single precision, many times faster than the
    incomplete beta function. Values are over the root of the degrees of freedom; those corrected are given.
    """
    squared = value * value
    np.log1p(squared, out=squared)
    squared *= corrected
    np.minimum(squared, _FARTHEST, out=squared)
    found = squared * _OF_NORMAL[2]
    found += _OF_NORMAL[1]
    found *= squared
    found += _OF_NORMAL[0]
    root = np.sqrt(squared, out=squared).view(np.uint32)
    root |= value.view(np.uint32) & _SIGN  # np.copysign takes three times as long
    found *= squared
    return np.asarray(np.tanh(found, out=found))


def _student_density(value: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return the density of the Student t distribution to 2 % from 2 degrees of freedom on."""
    peak = (1 - 0.25 / degrees) / np.sqrt(2 * np.pi)
    return np.asarray(peak * (1 + value**2 / degrees) ** (-(degrees + 1) / 2))


MOST_DEGREES = 1e4  # beyond, the variances are as good as known


@dataclass(frozen=True)
class PooledVariance:
    """A scaled inverse chi-squared distribution of variances over kernels: typically s0^2, worth d0
    observations.
    """

    variance: float
    degrees: float


def pool_variances(
    variances: FloatArray, degrees: FloatArray, most_degrees: float | None = None
) -> PooledVariance:
    """Estimate the distribution that the variances of the kernels come from.

    The method of moments on their logarithms (Smyth, "Linear models and empirical Bayes methods for assessing
    differential expression", 2004, section 6.2): log s^2 - digamma(d/2) + log(d/2) has the mean and variance
    of log F, whose trigamma part beyond trigamma(d/2) is due to differences between the kernels.

    Args:
        variances: float64[K], above 0.
        degrees: float64[K], d of each, above 0.
        most_degrees: largest number of observations that the pool is worth to a kernel; None: no more than
            the other kernels' own degrees of freedom.
    """
    half, which = np.unique(degrees / 2, return_inverse=True)
    logs = np.log(variances) - np.array([_digamma(x) - math.log(x) for x in half.tolist()])[which]
    center = float(logs.mean())
    known = float(np.array([_zeta(2, x) for x in half.tolist()])[which].mean())
    between = float(logs.var(ddof=1)) - known if len(logs) > 1 else 0.0
    if most_degrees is None:
        most_degrees = min(max(len(variances) - 1, 1) * float(degrees.mean()), MOST_DEGREES)
    half_prior = most_degrees / 2
    if between > _zeta(2, half_prior):
        half_prior = _inverse_trigamma(between)
    return PooledVariance(math.exp(center + _digamma(half_prior)) / half_prior, 2 * half_prior)


def _digamma(x: float) -> float:
    """Return the derivative of log gamma by its asymptotic series, far out (DLMF 5.5.2, 5.11.2)."""
    far = x + _FAR_OUT
    square = 1 / far**2
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return math.log(far) - 0.5 / far - series - sum(1 / (x + n) for n in range(_FAR_OUT))


@lru_cache(maxsize=1 << 12)
def _zeta(power: int, x: float) -> float:
    """Return Hurwitz's zeta function, with 2 the second derivative of log gamma (DLMF 25.11.5)."""
    far = x + _FAR_OUT
    square, series = 1 / far**2, 1.0
    for n, divisor in ((5, 40), (3, 42), (1, 60)):
        series = 1 - (power + n) * (power + n + 1) * square / divisor * series
    begun: float = sum((x + n) ** -power for n in range(_FAR_OUT))
    return begun + far**-power * (far / (power - 1) + 0.5 + power / (12 * far) * series)


def _inverse_trigamma(value: float) -> float:
    """Solve trigamma(x) = value by Newton's method on 1 / trigamma, which is nearly straight."""
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = _zeta(2, x)
        step = trigamma * (1 - trigamma / value) / (-2 * _zeta(3, x))
        x += step
        if abs(step) < 1e-10 * x:
            break
    return x


@dataclass(frozen=True, eq=False, kw_only=True)
class LineFits:
    """Fits of a + b t for K kernels and H terms t, each term centred and scaled over the points first.

    The leading axis of what does not depend on the values is 1 if all kernels share their weights.
    """

    term: FloatArray
    total: FloatArray  # float64[1 or K, 1], sum of the weights
    center: FloatArray  # float64[1 or K, H], weighted mean of each term
    spread: FloatArray  # float64[1 or K, H], weighted variance of each term
    level: FloatArray  # float64[K, 1], weighted mean of the values
    slope: FloatArray  # float64[K, H], 0 if the term does not vary

    @property
    def usable(self) -> BoolArray:
        """bool[1 or K, H], whether the weighted points distinguish the term from a constant."""
        return self.spread > 0


def scaled_terms(terms: FloatArray) -> FloatArray:
    """Centre and scale float64[P, H] over the points; a term that does not vary becomes 0."""
    centred = terms - terms.mean(axis=0)
    largest = np.abs(centred).max(axis=0)
    varies = largest > 1e-12 * np.abs(terms).max(axis=0)
    return np.asarray(centred * (varies / np.where(varies, largest, 1.0)))


def fit_lines(term: FloatArray, values: FloatArray, weights: FloatArray) -> LineFits:
    """Fit a + b t by weighted least squares.

    Args:
        term: float64[P, H], from `scaled_terms`.
        values: float64[K, P].
        weights: float64[1 or K, P], not below 0, with a positive sum.
    """
    total = weights.sum(axis=1, keepdims=True)
    share = weights / total
    center = share @ term
    spread = share @ (term * term) - center**2
    spread = np.where(spread > 1e-13, spread, 0.0)
    level = (share * values).sum(axis=1, keepdims=True)
    together = (share * (values - level)) @ term
    slope = np.where(spread > 0, together / np.where(spread > 0, spread, 1.0), 0.0)
    return LineFits(term=term, total=total, center=center, spread=spread, level=level, slope=slope)


def solve_weighted(
    design: FloatArray, weight: FloatArray, values: FloatArray, active: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Fit many small designs by weighted least squares.

    Args:
        design: float64[..., C, P], the columns, scaled to about 1.
        weight: float64[..., P], not below 0.
        values: float64[..., P].
        active: bool[..., C], the columns that take part; the coefficients of the others are 0.

    Returns:
        The coefficients float64[..., C], and the inverse of the normal matrix float64[..., C, C]: times the
        variance of a value of weight 1 it is the covariance of the coefficients.
    """
    largest = weight.max(axis=-1)
    largest = np.where(largest > 0, largest, 1.0)[..., None]
    weighted = design * (weight / largest)[..., None, :]
    both = active[..., :, None] & active[..., None, :]
    normal = np.where(both, weighted @ design.swapaxes(-1, -2), 0.0)
    normal += np.eye(design.shape[-2]) * ~active[..., None]
    right = (weighted @ values[..., None])[..., 0] * active
    coefficients, inverse = _solve_symmetric(normal, right)
    return coefficients * active, inverse * both / largest[..., None]


def _solve_symmetric(matrix: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve many small positive definite systems by Gauss-Jordan elimination, vectorised over the systems.

    Args:
        matrix: float64[..., C, C], scaled to about 1 on the diagonal. A pivot that cancels (a column that the
            others explain) drops that column: its solution and its rows of the inverse are 0.
        right: float64[..., C].

    Returns:
        The solutions float64[..., C] and the inverses float64[..., C, C].
    """
    size = matrix.shape[-1]
    work = np.concatenate([matrix, right[..., None]], axis=-1)
    original = np.einsum("...cc->...c", matrix).copy()
    dropped = np.zeros(original.shape, dtype=bool)
    for c in range(size):
        pivot, column = work[..., c, c].copy(), work[..., c].copy()
        dropped[..., c] = pivot <= 1e-13 * original[..., c]
        over = np.where(dropped[..., c], 0.0, 1 / np.where(dropped[..., c], 1.0, pivot))
        row = work[..., c, :] * over[..., None]
        work -= column[..., None] * row[..., None, :]
        work[..., c, :] = row
        work[..., c] = column * -over[..., None]  # the inverse grows where the matrix is done with
        work[..., c, c] = over
    kept = ~dropped
    inverse = work[..., :-1] * (kept[..., :, None] & kept[..., None, :])
    return work[..., -1] * kept, inverse
