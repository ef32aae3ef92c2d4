"""Weighted least squares with bounds, for a whole block of data sets at once: linear and non-linear.

`pipeline.statistics` has no bounds and drops columns that the others explain; here
coefficients are times and bandwidths, which have bounds, and what the data leave open is spread evenly
(pseudo-inverse).
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError

_NEGLIGIBLE = 1e-10
_NOTHING = 1e-6  # of a direction: what is no part of it
_MOVES = 10  # for each direction, after which a draw has forgotten where it began


def solve_linear(
    design: FloatArray, lower: FloatArray, targets: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return float64[row, k], the best linear coefficients of every row, none below its lower bound.

    The design is float64[n, k]; targets and weights, factors on the residuals, are float64[row, n].
    """
    size = _lengths(design)
    scaled, bound = design / size, lower * size
    squared = weights**2
    gram = np.einsum("rn,nj,nk->rjk", squared, scaled, scaled)
    right = np.einsum("rn,nj,rn->rj", squared, scaled, targets)
    solution = _solved(gram, right)
    low = np.nonzero((solution < bound).any(axis=1))[0]
    if len(low):
        solution[low] = _bounded(gram[low], right[low], bound)
    return np.asarray(solution / size)


def _solved(gram: FloatArray, right: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("rjk,rk->rj", np.linalg.pinv(gram, rcond=_NEGLIGIBLE, hermitian=True), right))


def _bounded(gram: FloatArray, right: FloatArray, bound: FloatArray) -> FloatArray:
    """Return the best coefficients: those of the best choice of coefficients that lie at their bounds."""
    best, least = np.full(right.shape, np.nan), np.full(len(right), np.inf)
    limited = np.nonzero(np.isfinite(bound))[0].tolist()
    for count in range(1, len(limited) + 1):
        for fixed in map(list, combinations(limited, count)):
            free = [k for k in range(len(bound)) if k not in fixed]
            found = np.tile(np.where(np.isin(np.arange(len(bound)), fixed), bound, 0.0), (len(right), 1))
            rest = right - np.einsum("rjk,rk->rj", gram, found)
            found[:, free] = _solved(gram[:, free][:, :, free], rest[:, free])
            cost = np.einsum("rj,rjk,rk->r", found, gram, found) - 2 * np.sum(right * found, axis=1)
            better = (found >= bound).all(axis=1) & (cost < least)
            best[better], least[better] = found[better], cost[better]
    return best


def _lengths(columns: FloatArray) -> FloatArray:
    """Return float64[k], the length of every column, by which it is scaled; 1 for a column of zeros."""
    size: FloatArray = np.linalg.norm(columns, axis=0)
    return np.where(size > 0, size, 1.0)


def nonnegative_pair(
    aa: FloatArray, ab: FloatArray, bb: FloatArray, ay: FloatArray, by: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the best b1, b2 >= 0 of a curve b1 a + b2 b, and its cost less that of zero, in closed form.

    Given are weighted sums over the points, `aa` of a a and so on, of any shape.
    """
    tiny = np.finfo(float).tiny
    determinant = aa * bb - ab**2
    regular = determinant > 1e-12 * aa * bb
    safe = np.where(regular, determinant, 1.0)
    first = np.where(regular, (bb * ay - ab * by) / safe, -1.0)
    second = np.where(regular, (aa * by - ab * ay) / safe, -1.0)
    alone_first = np.maximum(ay / np.maximum(aa, tiny), 0.0)
    alone_second = np.maximum(by / np.maximum(bb, tiny), 0.0)
    inside = (first >= 0) & (second >= 0)
    prefer_first = alone_first * ay >= alone_second * by
    b1 = np.where(inside, first, np.where(prefer_first, alone_first, 0.0))
    b2 = np.where(inside, second, np.where(prefer_first, 0.0, alone_second))
    return b1, b2, -(b1 * ay + b2 * by)


def solve_nonlinear(
    curve: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    targets: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Return float64[row, k], the best parameters of every row within bounds, found from `start`.

    The curve returns values float64[row, n] for parameters float64[row, k]; the start also sets the scale of
    every parameter. Targets and weights, factors on the residuals, are float64[row, n].
    """
    from scipy.optimize import least_squares

    scale: FloatArray = np.where(start == 0, 1.0, np.abs(start))
    inside = np.clip(start, *bounds) / scale
    limits = (bounds[0] / scale, bounds[1] / scale)

    def solve(target: FloatArray, weight: FloatArray) -> FloatArray:
        def residual(x: FloatArray) -> FloatArray:
            deviation: FloatArray = curve((x * scale)[None])[0] - target
            return deviation * weight

        found = least_squares(residual, inside, bounds=limits)
        return np.asarray(found.x * scale)

    return np.array([solve(t, w) for t, w in zip(targets, weights, strict=True)])


def identifiable(slopes: FloatArray, weights: FloatArray) -> BoolArray:
    """Return bool[k], False for parameters that the data leave open, alone or in combination.

    Slopes, float64[n, k], are derivatives at the best parameters, which have to be finite; weights are
    factors on the residuals.
    """
    return np.asarray(~(np.abs(_left_open(slopes, weights)[0]) > _NOTHING).any(axis=0))


def _left_open(slopes: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions float64[direction, k] of scaled parameters that change no value, and the scales."""
    weighted = slopes * weights[:, None]
    if not np.isfinite(weighted).all():
        raise ModelError(
            "the formula has no finite slope where it fits best", hint="change the starting values"
        )
    size = _lengths(weighted)
    _, values, directions = np.linalg.svd(weighted / size)
    padded = np.append(values, np.zeros(len(directions) - len(values)))
    return directions[padded <= 1e-8 * float(values.max())], size


def spread_over_open(
    draws: FloatArray, design: FloatArray, weights: FloatArray, lower: FloatArray, random: np.random.Generator
) -> FloatArray:
    """Return draws float64[draw, k] of a linear formula, moved at random along what the data leave open.

    All that the bounds allow is as likely (hit and run); ModelError if they do not end it.
    """
    blind, size = _left_open(design, weights)
    along = np.where(np.abs(blind) > _NOTHING, blind, 0.0) / size
    for _ in range(_MOVES * len(along)):
        step = random.standard_normal((len(draws), len(along))) @ along
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (lower - draws) / step
        low = np.minimum(np.where(step > 0, ends, -np.inf).max(axis=1), 0.0)
        high = np.maximum(np.where(step < 0, ends, np.inf).min(axis=1), 0.0)
        if not np.isfinite([low, high]).all():
            raise ModelError(
                "the data leave parameters open without end",
                hint="measure at more values of the inputs, or leave out the parameters without effect",
            )
        draws = np.maximum(draws + (low + random.random(len(draws)) * (high - low))[:, None] * step, lower)
    return draws
