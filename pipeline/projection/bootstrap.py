"""From the scatter of data around a fitted curve to joint draws of its parameters.

All fits of this stage get their uncertainty here, so that an interval means the same everywhere. Covariance
matrices would not do: `max` and `min` have kinks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import ModelError
from pipeline.projection.ensemble import DRAWS, stream

Weights: TypeAlias = Literal["relative", "equal"]
Solve: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Best parameters float64[row, k] for targets and weights float64[row, n]; weight 0 leaves a point out."""
Curve: TypeAlias = Callable[[FloatArray], FloatArray]
"""Values float64[row, n] of the fitted formula for parameters float64[row, k]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled:
    """A fit and its joint draws.

    Attributes:
        estimate: float64[k], the best parameters.
        draws: float64[draw, k], parameters refitted to simulated data.
        scatter: float64[draw], deviation of one new measurement from the curve, relative to it for relative
            weights, in the unit of the data for equal weights.
        sigma: standard deviation of the data around the curve, in the same sense.
        mean_residual: mean of |residual| / |measured|, the paper's relative residual.
        leave_one_out: float64[n], relative error at each point when fitted without it; NaN where that fails.
        widened: factor >= 1 by which `scatter` was widened because left-out points fell outside too often.
    """

    estimate: FloatArray
    draws: FloatArray
    scatter: FloatArray
    sigma: float
    mean_residual: float
    leave_one_out: FloatArray
    widened: float


def point_weights(observed: FloatArray, weights: Weights) -> FloatArray:
    """Return float64[n], what residuals are multiplied with: 1 / measured value, or 1.

    Raises:
        ModelError: where relative weights are asked for values that are not positive.
    """
    if weights == "equal":
        return np.ones_like(observed)
    if (observed <= 0).any():
        raise ModelError("relative weights need positive measurements", hint="use weights = 'equal'")
    return 1.0 / observed


def resample(
    solve: Solve, curve: Curve, observed: FloatArray, weights: Weights, *, key: str, draws: int = DRAWS
) -> Resampled:
    """Return the fit of `observed` (float64[n]) with joint draws of its parameters.

    New data are simulated around the fitted curve and fitted again. Their scale is drawn from its own
    distribution (chi-squared with n - k degrees of freedom), which for a linear formula gives exactly
    Student's intervals; resampling the residuals themselves would be too narrow for a handful of points.

    Args:
        solve: the fitter.
        curve: the formula.
        observed: the measurements.
        weights: ``relative`` where scatter grows with the value, ``equal`` where it does not.
        key: names the random stream, together with the data.
        draws: how many.

    Raises:
        ModelError: where there are not more measurements than parameters.
    """
    weight = point_weights(observed, weights)
    estimate = solve(observed[None], weight[None])[0]
    fitted = curve(estimate[None])[0]
    freedom = _freedom(len(observed), len(estimate))
    scale = np.abs(fitted) if weights == "relative" else np.ones_like(fitted)
    sigma = float(np.sqrt(np.sum(((observed - fitted) * weight) ** 2) / freedom))
    random = stream(key, observed.tobytes())
    sigmas = sigma * np.sqrt(freedom / random.chisquare(freedom, draws))
    noise = sigmas[:, None] * random.standard_normal((draws, len(observed)))
    refitted = solve(fitted + scale * noise, np.broadcast_to(weight, noise.shape))
    left_out = _leave_one_out(solve, curve, observed, weight)
    error = left_out * observed * weight
    widened = _widening(error, sigma)
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
    error: FloatArray = (observed - predicted) / size
    return error


def _widening(error: FloatArray, sigma: float) -> float:
    """Return how much wider the scatter has to be for nine left-out points in ten to fall inside.

    Only where fewer than three in four do: a milder shortfall is chance.
    """
    from scipy.stats import t

    known = np.abs(error[np.isfinite(error)])
    half_width = sigma * float(t.ppf(0.95, max(len(known) - 1, 1)))
    if len(known) == 0 or half_width == 0 or np.mean(known <= half_width) >= 0.75:
        return 1.0
    return max(1.0, float(np.quantile(known, 0.9)) / half_width)
