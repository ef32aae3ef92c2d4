"""How good a fit is: joint draws of its parameters, left-out points, and lack of fit.

All fits of this package get their uncertainty here, so that an interval means the same everywhere. Covariance
matrices would not do: `max` and `min` have kinks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.errors import ModelError
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, stream
from pipeline.wording.quantities import percent

Weights: TypeAlias = Literal["relative", "equal"]
Solve: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""Best parameters float64[row, k] for targets and weights float64[row, n]; weight 0 leaves a point out."""
Curve: TypeAlias = Callable[[FloatArray], FloatArray]
"""Values float64[row, n] of the fitted formula for parameters float64[row, k]."""

_SIGNIFICANT = 0.01
_WORTH_SAYING, _POOR = 0.02, 0.15
_IMPOSSIBLE = (
    0.4  # of a time: mean deviation that no scatter of times makes, a standard deviation of half of it
)
_ROUNDS, _SEARCHES, _STARTS = 30, 4, 4
_CONVERGED = 1e-7
_LEAST = 0.1  # of the measured value: a curve below it, or negative, weighs a point no more


@dataclass(frozen=True, eq=False)
class Measurements:
    """What a formula is fitted to, SI units."""

    inputs: Mapping[str, FloatArray]  # float64[n] by name; equal rows are repetitions
    values: FloatArray  # float64[n], what was measured
    weights: Weights = "relative"  # ``relative`` if scatter grows with the value, ``equal`` if it does not

    def point_weights(self, fitted: FloatArray) -> FloatArray:
        """Return factors on residuals around curves float64[..., n], of that shape: 1 / curve, or 1.

        Weights from what was measured would let low outliers weigh most. Sums of many times are predicted, so
        the curve is that of means: with weights from itself it is unbiased for noise of any shape. Relative
        weights need positive values.
        """
        if self.weights == "equal":
            return np.ones_like(fitted)
        if (self.values <= 0).any():
            raise ModelError("relative weights need positive measurements", hint="use weights = 'equal'")
        return 1.0 / np.maximum(fitted, _LEAST * self.values)

    def misfit(self, fitted: FloatArray) -> FloatArray:
        """Return how far curves float64[row, n] are off, float64[row].

        It is least for the curve that is the best with weights from itself (with relative weights it is the
        deviance of a gamma distribution), and tells which of several such curves is the likeliest.
        """
        if self.weights == "equal":
            return np.asarray(np.sum((self.values - fitted) ** 2, axis=-1))
        ratio = self.values * self.point_weights(fitted)
        return np.asarray(np.sum(ratio - 1 - np.log(ratio), axis=-1))

    def points(self) -> IntArray:
        """Return int64[n], which measurements are repetitions of one point."""
        rows = np.column_stack(list(self.inputs.values()) or [np.zeros(len(self.values))])
        return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1])


@dataclass(frozen=True, kw_only=True)
class LackOfFit:
    """Whether the formula fits, or points lie off it further, or neighbours more alike, than by scatter."""

    # of so much deviation if the formula were right, by the scatter of repetitions; NaN without them
    probability: float
    by_neighbours: float  # of neighbours that lie so much alike
    mean_deviation: float  # mean |relative deviation| of the points' means from the curve

    @property
    def poor(self) -> bool:
        """Whether the formula is wrong: certainly, and by more than is worth saying."""
        certain = self.probability < _SIGNIFICANT or self.by_neighbours < _SIGNIFICANT
        unrepeated = np.isnan(self.probability) and self.mean_deviation > _IMPOSSIBLE
        return bool((certain and self.mean_deviation > _WORTH_SAYING) or unrepeated)

    @property
    def notice(self) -> str:
        """What there is to say, if there is."""
        off = f"points lie {percent(self.mean_deviation)} off the curve on average"
        if not self.poor:
            is_open = np.isnan(self.probability) and self.mean_deviation > _POOR
            return f"{off}; repeat measurements to tell scatter from a wrong formula" if is_open else ""
        if self.probability < _SIGNIFICANT:
            off += ", far more than the scatter of the repetitions"
        elif self.by_neighbours < _SIGNIFICANT:
            off += ", neighbours on the same side"
        return f"the formula does not fit its data ({off})"


@dataclass(frozen=True, eq=False, kw_only=True)
class Resampled:
    """A fit and its joint draws."""

    estimate: FloatArray  # float64[k], the best parameters
    draws: FloatArray  # float64[draw, k], parameters refitted to simulated data
    # float64[draw], deviation of one new measurement from the curve, relative to it for relative weights, in
    # the unit of the data for equal weights
    scatter: FloatArray
    sigma: float  # standard deviation of the data around the curve, in the same sense
    weights: FloatArray  # float64[n], factors on the residuals
    left_out: FloatArray  # float64[n], what is predicted of each point when fitted without it
    lack: LackOfFit


def resample(
    solve: Solve, curve: Curve, data: Measurements, *, key: str, draws: int = QUANTITY_DRAWS
) -> Resampled:
    """Return the fit of n measurements with joint draws of its parameters.

    New data are simulated around the fitted curve and fitted again. Their scale is drawn from its own
    distribution (chi-squared with n - k degrees of freedom), which for a linear formula gives exactly
    Student's intervals; resampling the residuals themselves would be too narrow for a handful of points.
    `key` names the random stream, together with the data.
    """
    observed = data.values
    estimate = _estimate(solve, curve, data, observed[None])
    freedom = _freedom(len(observed), len(estimate))
    for _ in range(_SEARCHES):
        fitted = curve(estimate[None])[0]
        weight = data.point_weights(fitted)
        residual = (observed - fitted) * weight
        sigma = float(np.sqrt(np.sum(residual**2) / freedom))
        random = stream(key, observed.tobytes())
        sigmas = sigma * np.sqrt(freedom / random.chisquare(freedom, draws))
        simulated = fitted + sigmas[:, None] * random.standard_normal((draws, len(observed))) / weight
        refitted = solve(simulated, np.broadcast_to(weight, simulated.shape))
        around = curve(refitted)
        likely = around[np.argsort(data.misfit(around))[:_STARTS]]
        rival = _estimate(solve, curve, data, likely)
        found, known = data.misfit(np.stack([curve(rival[None])[0], fitted]))
        if found >= (1 - _CONVERGED) * known:
            break
        estimate = rival
    again, left_out = _left_out(solve, curve, observed, weight)
    by_neighbours = _probability_of_neighbours(
        data, fitted, (observed - again) * weight, (simulated - around) * weight
    )
    return Resampled(
        estimate=estimate,
        draws=refitted,
        scatter=sigmas * random.standard_normal(draws),
        sigma=sigma,
        weights=weight,
        left_out=left_out,
        lack=lack_of_fit(data, fitted, len(estimate), by_neighbours=by_neighbours),
    )


def _estimate(solve: Solve, curve: Curve, data: Measurements, curves: FloatArray) -> FloatArray:
    """Return float64[k], the best parameters: solved until the weights are those of the curve itself.

    Searches begin from the weights of the curves, float64[row, n]; the best end counts.
    """
    targets, weight = np.broadcast_to(data.values, curves.shape), data.point_weights(curves)
    ends: list[tuple[float, int, FloatArray]] = []
    for _ in range(_ROUNDS):
        found = solve(targets, weight)
        fitted = curve(found)
        before, weight = weight, data.point_weights(fitted)
        misfit = data.misfit(fitted)
        best = int(np.argmin(misfit))
        ends.append((float(misfit[best]), len(ends), found[best]))
        if np.allclose(weight, before, rtol=_CONVERGED, atol=0.0):
            break
    return min(ends)[2]


def _freedom(points: int, parameters: int) -> int:
    if points <= parameters:
        raise ModelError(
            f"{points} measurements cannot determine {parameters} parameters",
            hint=f"measure at least {parameters + 1} points",
        )
    return points - parameters


def _left_out(
    solve: Solve, curve: Curve, observed: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return what is predicted of n points if all are fitted with these very weights, and without each."""
    kept = np.concatenate([np.ones((1, len(observed))), 1.0 - np.eye(len(observed))])
    found = curve(solve(np.broadcast_to(observed, kept.shape), weight * kept))
    return found[0], np.asarray(np.diagonal(found[1:]))


def _probability_of_neighbours(
    data: Measurements, fitted: FloatArray, residual: FloatArray, simulated: FloatArray
) -> float:
    """Return how often neighbours would be off the curve so much alike if the formula were right.

    That is von Neumann's ratio of the points, in the order of every input and of the curve. Residuals are
    weighted, those simulated around the curve float64[draw, n].
    """
    point, every = data.points(), np.concatenate([residual[None], simulated])
    first = np.unique(point, return_index=True)[1]
    sums = np.stack([np.bincount(point, row) for row in every])
    squares = np.sum(sums**2, axis=1)
    unlike = np.full(len(every), np.inf)
    for values in (*data.inputs.values(), fitted):
        order = np.argsort(values[first], kind="stable")
        unlike = np.minimum(unlike, np.sum(np.diff(sums[:, order], axis=1) ** 2, axis=1))
    alike = (squares - unlike / 2) / np.maximum(np.sum(every**2, axis=1), np.finfo(float).tiny)
    return float(np.mean(alike[1:] >= alike[0]))


def lack_of_fit(
    data: Measurements, fitted: FloatArray, parameters: int, *, by_neighbours: float = 1.0
) -> LackOfFit:
    """Return the F test of lack of a fit float64[n], and the mean deviation."""
    observed, point = data.values, data.points()
    counts = np.bincount(point)
    means, curve = (np.bincount(point, values) / counts for values in (observed, fitted))
    weight = data.point_weights(fitted)
    lack = float(np.sum(((means[point] - fitted) * weight) ** 2))
    pure = float(np.sum(((observed - means[point]) * weight) ** 2))
    size = np.maximum(np.abs(curve), np.finfo(float).tiny)
    return LackOfFit(
        probability=_probability(lack, len(counts) - parameters, pure, len(observed) - len(counts)),
        by_neighbours=by_neighbours,
        mean_deviation=float(np.mean(np.abs(means - curve) / size)),
    )


def _probability(lack: float, lack_freedom: int, pure: float, pure_freedom: int) -> float:
    if lack_freedom < 1 or pure_freedom < 1:
        return float("nan")
    if pure == 0:
        return 0.0 if lack > 0 else float("nan")
    from scipy.stats import f

    return float(f.sf((lack / lack_freedom) / (pure / pure_freedom), lack_freedom, pure_freedom))
