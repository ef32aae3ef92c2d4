"""A kernel with a cache: T(V) = b1 min(s, V) + b2 max(0, V - s) (paper 004, Eq. 1).

A kernel works on V sites; the first s of them, which the cache holds, cost b1 seconds each, the others b2.
The break s makes the sum of squares nonsmooth, so it is found by variable projection: for every candidate s
the best b1, b2 >= 0 follow in closed form, and only s is searched.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from ingest.units import TIME_DIMENSION
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS
from pipeline.projection.expressions.symbolic_model import Model, maximum, minimum, symbol
from pipeline.projection.fitting.bounded_least_squares import nonnegative_pair
from pipeline.projection.fitting.formula_fit import Fit, fit_curve
from pipeline.projection.fitting.resampling import Measurements, Resampled
from pipeline.projection.terms.families import TermFamily

_CANDIDATES = 120
_GOLDEN = (np.sqrt(5.0) - 1) / 2
_REFINEMENTS = 45
_SIGMAS = 3.0
_VAGUE = 0.5


def cache_kernel(name: str) -> Model:
    """Return the time of a kernel over V sites, in the symbols ``<name>.b1``, ``.b2`` and ``.s``."""
    sites, held = symbol("V"), symbol(f"{name}.s")
    near, far = symbol(f"{name}.b1", TIME_DIMENSION), symbol(f"{name}.b2", TIME_DIMENSION)
    return near * minimum(held, sites) + far * maximum(0, sites - held)


def fit_cache_kernel(name: str, data: Measurements, *, draws: int = QUANTITY_DRAWS) -> Fit:
    """Return the kernel fitted to measured times by V.

    Relative weights are the default: with equal ones the largest volumes alone decide and s is lost. s counts
    as identified only if b2 / b1 differs from 1 by three standard deviations, also for noise in proportion to
    the times, and if the standard deviation of s is at most half of s. ModelError if there are fewer than
    four measurements or three different V.
    """
    sites = data.inputs["V"]
    if (sites <= 0).any():
        raise ModelError(f"{name}: V has to be positive", hint="remove the other measurements")
    if len(np.unique(sites)) < 3:
        raise ModelError(f"{name}: b1, b2 and s need at least three different V", hint="measure more sizes")
    return fit_curve(
        name,
        cache_kernel(name),
        [f"{name}.b1", f"{name}.b2", f"{name}.s"],
        (partial(solve_cache_kernel, sites), partial(_curve, sites)),
        data,
        partial(_identified, data),
        draws=draws,
    )


def _parts(sites: FloatArray, held: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.minimum(held[..., None], sites), np.maximum(0.0, sites - held[..., None])


def _curve(sites: FloatArray, parameters: FloatArray) -> FloatArray:
    near, far = _parts(sites, parameters[:, 2])
    return parameters[:, :1] * near + parameters[:, 1:2] * far


def solve_cache_kernel(sites: FloatArray, targets: FloatArray, weights: FloatArray) -> FloatArray:
    """Return float64[row, 3], the best b1, b2, s of every row, by variable projection.

    V is float64[n], targets in seconds and weights, factors on the residuals, float64[row, n].
    """
    candidates = np.unique(np.append(sites, np.geomspace(sites.min(), sites.max(), _CANDIDATES)))
    near, far = _parts(sites, candidates)
    squared = weights**2
    costs = nonnegative_pair(
        squared @ (near**2).T, squared @ (near * far).T, squared @ (far**2).T,
        (squared * targets) @ near.T, (squared * targets) @ far.T,
    )[2]  # fmt: skip
    best = np.argmin(costs, axis=1)
    low = candidates[np.maximum(best - 1, 0)]
    high = candidates[np.minimum(best + 1, len(candidates) - 1)]
    at_break = partial(_at_break, sites, targets, weights)
    held = _golden_section(lambda candidate: at_break(candidate)[2], low, high)
    first, second, _ = at_break(held)
    return np.column_stack([first, second, held])


def _at_break(
    sites: FloatArray, targets: FloatArray, weights: FloatArray, held: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    near, far = _parts(sites, held)
    a, b, y = near * weights, far * weights, targets * weights
    sums = [np.sum(left * right, axis=1) for left, right in ((a, a), (a, b), (b, b), (a, y), (b, y))]
    first, second, _ = nonnegative_pair(*sums)
    rest = y - first[:, None] * a - second[:, None] * b
    return first, second, np.sum(rest**2, axis=1)


def _golden_section(
    cost: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return float64[row], the minimum of every row's cost between its two ends."""
    for _ in range(_REFINEMENTS):
        width = _GOLDEN * (high - low)
        left, right = high - width, low + width
        keep_left = cost(left) <= cost(right)
        low, high = np.where(keep_left, low, left), np.where(keep_left, right, high)
    return (low + high) / 2


def _identified(data: Measurements, quality: Resampled) -> BoolArray:
    """Return bool[3]: whether the data determine b1, b2 and s."""
    sites, seconds, weights = data.inputs["V"], data.values, quality.weights
    first, second, held = quality.estimate
    ends = (held <= sites.min()) | (held >= sites.max())
    if first == 0 or second == 0 or ends:
        return np.array([first > 0, second > 0, False])
    basis = np.column_stack(_parts(sites, np.array(held)))
    curve = basis @ quality.estimate[:2]
    gradient = np.array([-second / first**2, 1 / first])
    steps = gradient @ np.linalg.pinv(basis * weights[:, None]) * weights
    alike = float(np.sqrt(np.sum((steps / weights) ** 2))) * quality.sigma
    spread = float(np.sqrt(np.sum((seconds / curve - 1) ** 2) / (len(sites) - 3)))
    proportional = float(np.sqrt(np.sum((steps * curve) ** 2))) * spread
    distinct = abs(second / first - 1) >= _SIGMAS * max(alike, proportional)
    sharp = float(np.std(quality.draws[:, 2])) <= _VAGUE * held
    return np.array([True, True, bool(distinct and sharp)])


FAMILIES = {"cache_kernel": TermFamily(build=cache_kernel, inputs=("V",), fit=fit_cache_kernel)}
