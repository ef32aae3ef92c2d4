"""How far a mean may lie from the truth, and how far models stray beyond the points they were made from."""

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from pipeline.models.multi_parameter.added_term import WeightedMeans
from pipeline.models.observations import Observations
from pipeline.models.posterior import DETRENDED
from pipeline.models.scaling_models import ScalingModels
from pipeline.statistics.student import TWO_SIDED

BELIEF = 20.0
"""How many residuals the noise known from repetitions is worth when a kernel's misfit is estimated."""

_LEAST_NOISE = 2e-4  # relative; below it rounding and clock resolution rule
_UNKNOWN_NOISE = 0.02  # relative, of single repetitions: only a start, the misfit sets the scale
_SIGNIFICANT = 3.0  # standard errors by which residuals must exceed the noise to count as misfit
_POOL = 10.0  # degrees of freedom that the other kernels are worth


def relative_variance(data: Observations, floor: float) -> FloatArray:
    """Variance of one repetition relative to its expected square, float64[K].

    Pooled over points, and shrunk towards the median of all kernels.

    Args:
        data: the measurements, each kernel scaled to 1 at its largest mean.
        floor: share of a kernel's largest value that stands in for smaller ones, so that values near zero
            do not rule the fit.
    """
    size = squared_size(data, floor)
    degrees = np.maximum(data.count - 1, 0).sum(axis=1)
    squares = (data.squares / size).sum(axis=1)
    known = degrees > 0
    if not known.any():
        return np.full(len(size), _UNKNOWN_NOISE**2)
    pool = float(np.median(squares[known] / degrees[known]))
    shrunk = (_POOL * pool + squares) / (_POOL + degrees)
    least: FloatArray = np.maximum(shrunk, _LEAST_NOISE**2)
    return least


def squared_size(data: Observations, floor: float) -> FloatArray:
    """Return y^2 + floor^2, float64[K, P]."""
    size: FloatArray = data.mean**2 + floor**2
    return size


def inverse_variances(data: Observations, floor: float) -> FloatArray:
    """Weights of the means, float64[K, P], 0 where nothing was measured."""
    relative = relative_variance(data, floor)[:, None]
    weights: FloatArray = data.count / (relative * squared_size(data, floor))
    return weights


def size_ratio(mean: FloatArray, fitted: FloatArray, floor: float) -> FloatArray:
    """What weights from means scaled to 1 must be multiplied with to become weights from fitted values.

    At most a factor 4 either way, so that a model that does not fit cannot silence a point.
    """
    ratio: FloatArray = np.clip((mean**2 + floor**2) / (fitted**2 + floor**2), 0.25, 4.0)
    return ratio


def pooled_misfit(chi2: FloatArray, degrees: FloatArray, repeats: float) -> float:
    """How much larger residuals are than the noise says, as a ratio of variances: the median of all kernels.

    Args:
        chi2: float64[K], weighted squares left by each kernel's best model.
        degrees: float64[K], points less coefficients.
        repeats: degrees of freedom that the noise rests on. With some, residuals cannot be smaller for good,
            and are larger only if chance does not explain it; with none, they alone count.
    """
    fitted = degrees > 0
    if not fitted.any():
        return 1.0
    ratio = float(np.median(chi2[fitted] / degrees[fitted]))
    if not repeats:
        return max(ratio, 1e-4)
    return ratio if ratio > significant(degrees[fitted].sum(), repeats) else 1.0


def significant(degrees: FloatArray, repeats: float) -> FloatArray:
    """Return the ratio of variances from which residuals show misfit, for these degrees of freedom."""
    ratio: FloatArray = 1 + _SIGNIFICANT * np.sqrt(2 / degrees + 2 / repeats)
    return ratio


def drift(
    data: WeightedMeans, variance: FloatArray, misfit: float, repeats: float, doublings: float
) -> FloatArray:
    """Relative variance that a prediction gains with every doubling beyond the points, float64[K].

    As with one parameter, what the repetitions do not explain is taken for a random walk over the doublings,
    of which a fitted trend leaves 1 / `DETRENDED`.

    Args:
        data: K kernels.
        variance: float64[K], of a mean of weight 1 by the chosen model.
        misfit: of all kernels, from `pooled_misfit`.
        repeats: degrees of freedom that the noise rests on.
        doublings: that the points span, in all parameters together.
    """
    if doublings == 0:
        return np.ones(len(variance))
    if repeats:
        shown = (misfit > 1) | (variance > significant(BELIEF + data.count[:, 0, 0], repeats))
        variance = np.where(shown, np.maximum(variance - 1, 0.0), 0.0)
    largest = np.abs(data.mean).argmax(axis=1)[:, None]
    weight = np.take_along_axis(data.weight, largest, axis=1)[:, 0]
    relative: FloatArray = DETRENDED / doublings * variance / np.where(weight > 0, weight, np.inf)
    return relative


_FEWEST_VALUES = 3  # of every parameter that must be left inside
_FEWEST_POINTS = 6


def inside(points: FloatArray) -> BoolArray:
    """Tell which points float64[P, D] have no varying parameter at its largest value, bool[P].

    None if too few are left to make models from.
    """
    largest = points.max(axis=0)
    varies = points.min(axis=0) < largest
    inner: BoolArray = np.logical_and.reduce((points < largest) | ~varies, axis=1)
    values = [len(np.unique(column[inner])) for column in points.T[varies]]
    if inner.sum() < _FEWEST_POINTS or min(values, default=0) < _FEWEST_VALUES:
        return np.zeros(len(points), dtype=bool)
    return inner


def shown_drift(models: ScalingModels, hidden: Observations) -> float:
    """Relative variance per doubling by which kernels stray from models made without the points hidden.

    What the models' own intervals and the noise of the hidden means explain is taken off. The mean of all
    kernels: too few measurements are hidden to say whose behaviour strays and whose does not.

    Args:
        models: of K kernels.
        hidden: the same kernels at points beyond those of the models.
    """
    prediction = models.predict(hidden.points)
    size = np.where(prediction.value != 0, np.abs(prediction.value), 1.0)
    expected = ((prediction.upper - prediction.lower) / (2 * TWO_SIDED) / size) ** 2
    error = np.clip((hidden.mean - prediction.value) / size, -1.0, 1.0)
    repeated = np.maximum(hidden.count - 1, 1) * np.maximum(hidden.count, 1)
    noise = hidden.squares / repeated / size / size
    doublings = np.log2(np.maximum(hidden.points / models.last, 1.0)).sum(axis=1)
    counted = hidden.measured & (doublings > 0) & (prediction.value != 0)
    total = np.where(counted, (error**2 - expected - noise) / np.maximum(doublings, 1e-9), 0.0).sum(axis=1)
    each = total / np.maximum(counted.sum(axis=1), 1)
    known = counted.any(axis=1)
    return max(float(each[known].mean()), 0.0) if known.any() else 0.0
