"""A model seen as a curve in its free parameters over a table of inputs, ready for numeric fitting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from pipeline.projection.evaluate import Compiled, compiled
from pipeline.projection.model import Model
from pipeline.projection.symbolic import real_symbol, sympy


@dataclass(frozen=True, eq=False, kw_only=True)
class Formula:
    """Values and slopes of a model at n measured points.

    Attributes:
        linear: whether the value is a linear combination of the parameters.
        count: the number of points n.
    """

    linear: bool
    count: int
    _values: Compiled
    _slopes: Compiled
    _given: tuple[FloatArray, ...]

    def curve(self, parameters: FloatArray) -> FloatArray:
        """Return float64[row, n], the values for parameters float64[row, k]."""
        columns = [column[:, None] for column in parameters.T]
        (values,) = self._values([*columns, *self._given])
        return np.broadcast_to(values, (len(parameters), self.count))

    def slopes(self, parameters: FloatArray) -> FloatArray:
        """Return float64[n, k], the derivatives by the parameters float64[k]."""
        found = self._slopes([*parameters, *self._given])
        return np.column_stack([np.broadcast_to(slope, self.count) for slope in found])


def formula(model: Model, parameters: Sequence[str], data: Mapping[str, FloatArray], count: int) -> Formula:
    """Return the model as a curve in its parameters; values bound to it already enter at their estimate."""
    bound = {n: e.estimate[k] for e in model.ensembles for k, n in enumerate(e.names)}
    names = [*parameters, *data, *bound]
    symbols = [real_symbol(name) for name in parameters]
    slopes = [sympy.diff(model.expression, symbol) for symbol in symbols]
    remainder = model.expression.subs(dict.fromkeys(symbols, 0))
    linear = remainder == 0 and not any(slope.has(*symbols) for slope in slopes)
    given = tuple(np.asarray(value, dtype=np.float64) for value in (*data.values(), *bound.values()))
    return Formula(
        linear=linear,
        count=count,
        _values=compiled([model.expression], names),
        _slopes=compiled(slopes, names),
        _given=given,
    )


def told_apart(slopes: FloatArray, weights: FloatArray) -> BoolArray:
    """Return bool[k]: False for parameters the data leave open, alone or in combination.

    Args:
        slopes: float64[n, k], derivatives at the best parameters.
        weights: float64[n], factors on the residuals.

    Raises:
        ModelError: where a slope is not finite.
    """
    weighted = slopes * weights[:, None]
    if not np.isfinite(weighted).all():
        raise ModelError(
            "the formula has no finite slope where it fits best", hint="change the starting values"
        )
    size = np.sqrt(np.sum(weighted**2, axis=0))
    _, values, directions = np.linalg.svd(weighted / np.where(size > 0, size, 1.0))
    padded = np.append(values, np.zeros(len(directions) - len(values)))
    blind = directions[padded <= 1e-8 * float(values.max())]
    seen: BoolArray = (size > 0) & ~(np.abs(blind) > 1e-6).any(axis=0)
    return seen
