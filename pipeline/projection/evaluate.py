"""The one way expressions become numbers: compiled once to numpy, called with broadcastable arrays."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray
from pipeline.projection.symbolic import Expression, real_symbol, sympy

Compiled: TypeAlias = Callable[[Sequence[npt.ArrayLike]], list[FloatArray]]

_LARGEST, _SMALLEST = sympy.Function("largest"), sympy.Function("smallest")
_CALLS = {
    "largest": lambda *parts: reduce(np.maximum, parts),
    "smallest": lambda *parts: reduce(np.minimum, parts),
}


def compiled(expressions: Sequence[Expression], names: Sequence[str]) -> Compiled:
    """Return a function that evaluates all expressions at values of the named symbols (SI units).

    What has no finite value comes out as NaN or infinity, without a warning.
    """
    plain = [real_symbol(f"x{k}") for k in range(len(names))]
    by = dict(zip(map(real_symbol, names), plain, strict=True))
    inert = [_inert(expression, by) for expression in expressions]
    function = sympy.lambdify(plain, inert, modules=[_CALLS, "numpy"], cse=True)

    def call(values: Sequence[npt.ArrayLike]) -> list[FloatArray]:
        with np.errstate(all="ignore"):
            found = function(*(np.asarray(value, dtype=np.float64) for value in values))
        return [np.asarray(result, dtype=np.float64) for result in found]

    return call


def _inert(expression: Expression, by: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with symbols renamed, and Max and Min as functions sympy knows nothing about.

    lambdify renames dotted symbols and shares common parts; whenever it rebuilds a maximum, sympy tries to
    order the arguments, which takes seconds for a port model and gains nothing.
    """
    done = dict(by)
    for node in sympy.postorder_traversal(expression):
        if node not in done:
            kind = _LARGEST if isinstance(node, sympy.Max) else node.func
            kind = _SMALLEST if isinstance(node, sympy.Min) else kind
            done[node] = kind(*(done[argument] for argument in node.args)) if node.args else node
    return done[expression]
