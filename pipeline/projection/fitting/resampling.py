"""How good a fit is: joint draws of its parameters, errors at left-out points, and lack of fit.

All fits of this package get their uncertainty here, so that an interval means the same everywhere. Covariance
matrices would not do: `max` and `min` have kinks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import ModelError
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, stream

Weights: TypeAlias = Literal["relative", "equal"]
Solve: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Best parameters float64[row, k] for targets and weights float64[row, n]; weight 0 leaves a point out."""
Curve: TypeAlias = Callable[[FloatArray], FloatArray]
"""Values float64[row, n] of the fitted formula for parameters float64[row, k]."""

_SIGNIFICANT = 0.01
_WORTH_SAYING = 0.02
_POOR = 0.15
_ROUNDING = 1e-12  # relative; a scatter below it is the rounding of exact data


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled:
    """A fit and its joint draws."""

    estimate: FloatArray  # float64[k], the best parameters
    draws: FloatArray  # float64[draw, k], parameters refitted to simulated data
    # float64[draw], deviation of one new measurement from the curve, relative to it for relative weights, in
    # the unit of the data for equal weights
    scatter: FloatArray
    sigma: float  # standard deviation of the data around the curve, in the same sense
    mean_residual: float  # mean of |residual| / |measured|, the relative residual of paper 004
    # float64[n], relative error at each point when fitted without it; NaN for a measured 0
    leave_one_out: FloatArray
    # factor >= 1 by which `scatter` was widened because left-out points fell outside too often
    widened: float


@dataclass(frozen=True, eq=False)
class Measurements:
    """What a formula is fitted to, SI units."""

    inputs: Mapping[str, FloatArray]  # float64[n] by name; equal rows are repetitions
    values: FloatArray  # float64[n], what was measured
    weights: Weights = "relative"  # ``relative`` if scatter grows with the value, ``equal`` if it does not


def point_weights(observed: FloatArray, weights: Weights) -> FloatArray:
    """Return float64[n], factors on residuals: 1 / measured value, ModelError if not positive, or 1."""
    if weights == "equal":
        return np.ones_like(observed)
    if (observed <= 0).any():
        raise ModelError("relative weights need positive measurements", hint="use weights = 'equal'")
    return 1.0 / observed


def resample(
    solve: Solve, curve: Curve, data: Measurements, *, key: str, draws: int = QUANTITY_DRAWS
) -> Resampled:
    """Return the fit of n measurements with joint draws of its parameters.

    New data are simulated around the fitted curve and fitted again. Their scale is drawn from its own
    distribution (chi-squared with n - k degrees of freedom), which for a linear formula gives exactly
    Student's intervals; resampling the residuals themselves would be too narrow for a handful of points.
    `key` names the random stream, together with the data.
    """
    observed, weight = data.values, point_weights(data.values, data.weights)
    estimate = solve(observed[None], weight[None])[0]
    fitted = curve(estimate[None])[0]
    freedom = _freedom(len(observed), len(estimate))
    scale = np.abs(fitted) if data.weights == "relative" else np.ones_like(fitted)
    sigma = float(np.sqrt(np.sum(((observed - fitted) * weight) ** 2) / freedom))
    random = stream(key, observed.tobytes())
    sigmas = sigma * np.sqrt(freedom / random.chisquare(freedom, draws))
    noise = sigmas[:, None] * random.standard_normal((draws, len(observed)))
    refitted = solve(fitted + scale * noise, np.broadcast_to(weight, noise.shape))
    left_out = _leave_one_out(solve, curve, observed, weight)
    error = left_out * observed * weight
    exact = sigma <= _ROUNDING * np.mean(np.abs(observed) * weight)
    widened = 1.0 if exact else _widening(error, sigma)
    return Resampled(
        estimate=estimate,
        draws=refitted,
        scatter=widened * sigmas * random.standard_normal(draws),
        sigma=sigma,
        mean_residual=float(
            np.mean(np.abs(observed - fitted) / np.maximum(np.abs(observed), np.finfo(float).tiny))
        ),
        leave_one_out=left_out,
        widened=widened,
    )


def _freedom(points: int, parameters: int) -> int:
    if points <= parameters:
        raise ModelError(
            f"{points} measurements cannot determine {parameters} parameters",
            hint=f"measure at least {parameters + 1} points",
        )
    return points - parameters


def _leave_one_out(solve: Solve, curve: Curve, observed: FloatArray, weight: FloatArray) -> FloatArray:
    count = len(observed)
    kept = 1.0 - np.eye(count)
    parameters = solve(np.broadcast_to(observed, kept.shape), weight * kept)
    predicted = np.diagonal(curve(parameters))
    size = np.where(observed == 0, np.nan, observed)
    return (observed - predicted) / size


def _widening(error: FloatArray, sigma: float) -> float:
    """Return how much wider the scatter has to be for nine in ten left-out points to fall inside.

    1 if at least three in four do: a milder shortfall is chance.
    """
    from scipy.stats import t

    known = np.abs(error[np.isfinite(error)])
    half_width = sigma * float(t.ppf(0.95, len(known) - 1))
    if np.mean(known <= half_width) >= 0.75:
        return 1.0
    return max(1.0, float(np.quantile(known, 0.9)) / half_width)


@dataclass(frozen=True)
class LackOfFit:
    """Whether the formula fits: repetitions scatter by themselves, the rest is the formula's fault."""

    probability: float  # of so much deviation if the formula were right; NaN without repetitions
    mean_deviation: float  # mean |relative deviation| of the points' means from the curve
    poor: bool
    reason: str


def lack_of_fit(data: Measurements, fitted: FloatArray, parameters: int) -> LackOfFit:
    """Return the F test of lack of a fit float64[n], or the plain deviation if nothing is repeated.

    A deviation that is significant but below 2 % of the values is not a reason for distrust.
    """
    observed = data.values
    rows = np.column_stack(list(data.inputs.values()) or [np.zeros(len(observed))])
    _, point = np.unique(rows, axis=0, return_inverse=True)
    counts = np.bincount(point)
    means = np.bincount(point, observed) / counts
    curve = np.bincount(point, fitted) / counts
    size = np.maximum(np.abs(means), np.finfo(float).tiny)
    deviation = float(np.mean(np.abs(means - curve) / size))
    weight = point_weights(means, data.weights)
    lack = float(np.sum(counts * ((means - curve) * weight) ** 2))
    pure = float(np.sum(((observed - means[point]) * weight[point]) ** 2))
    probability = _probability(lack, len(counts) - parameters, pure, len(observed) - len(counts))
    off = f"points lie {100 * deviation:.1f} % off the curve on average"
    if probability < _SIGNIFICANT and deviation > _WORTH_SAYING:
        return LackOfFit(probability, deviation, True, f"{off}, far more than the scatter of the repetitions")
    return LackOfFit(probability, deviation, deviation > _POOR, off)


def _probability(lack: float, lack_freedom: int, pure: float, pure_freedom: int) -> float:
    if lack_freedom < 1 or pure_freedom < 1 or pure == 0:
        return float("nan")
    from scipy.stats import f

    return float(f.sf((lack / lack_freedom) / (pure / pure_freedom), lack_freedom, pure_freedom))
