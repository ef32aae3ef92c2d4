"""Free parameters of a formula, and where the search for the best of them begins."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.ensemble import stream
from pipeline.projection.least_squares import solve_nonlinear

_TRIED, _SEARCHES = 4000, 6
_DECADES = 3.0  # standard deviation of the sizes tried


@dataclass(frozen=True)
class Parameter:
    """A free parameter, in SI units.

    Attributes:
        name: its symbol.
        lower: bound.
        upper: bound.
        start: where to begin a search; None if values of many sizes are to be tried.
    """

    name: str
    _: KW_ONLY
    lower: float = 0.0
    upper: float = np.inf
    start: float | None = 1.0


def starting_values(
    curve: Callable[[FloatArray], FloatArray],
    parameters: Sequence[Parameter],
    observed: FloatArray,
    weights: FloatArray,
) -> FloatArray:
    """Return float64[k], where a search begins: the values stated, or the best of many that were tried.

    The best of those tried are searched from, and the best end is taken, so that a formula with several
    minima is fitted in the deepest found.

    Args:
        curve: values float64[row, n] of the formula for parameters float64[row, k].
        parameters: k of them.
        observed: float64[n].
        weights: float64[n], factors on the residuals.
    """
    if all(p.start is not None for p in parameters):
        return np.array([p.start for p in parameters], dtype=np.float64)

    def cost(rows: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            found = np.sum(((curve(rows) - observed) * weights) ** 2, axis=1)
        return np.where(np.isfinite(found), found, np.inf)

    random = stream(*(p.name for p in parameters), observed.tobytes())
    bounds = np.array([p.lower for p in parameters]), np.array([p.upper for p in parameters])
    tried = np.column_stack([_tried(p, random) for p in parameters])
    order = np.argsort(cost(tried))[:_SEARCHES]
    starts = [row for row in tried[order] if np.isfinite(cost(row[None])).all()]
    if not starts:
        first: FloatArray = tried[0]
        return first
    ends = [solve_nonlinear(curve, row, bounds, observed[None], weights[None])[0] for row in starts]
    best: FloatArray = ends[int(np.argmin(cost(np.stack(ends))))]
    return best


def _tried(parameter: Parameter, random: np.random.Generator) -> FloatArray:
    """Return values of a parameter: all sizes and, if it has both, both signs; even ones between bounds."""
    if parameter.start is not None:
        return np.full(_TRIED, parameter.start)
    if np.isfinite(parameter.lower) and np.isfinite(parameter.upper):
        return random.uniform(parameter.lower, parameter.upper, _TRIED)
    sizes = 10.0 ** random.normal(0.0, _DECADES, _TRIED)
    signs = np.where((parameter.lower < 0) & (random.random(_TRIED) < 0.5), -1.0, 1.0)
    return np.clip(signs * sizes, parameter.lower, parameter.upper)
