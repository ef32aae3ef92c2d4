"""The one way expressions become numbers: compiled once to numpy, called with broadcastable arrays."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray
from pipeline.projection.symbolic import Expression, real_symbol, replace, sympy

Compiled: TypeAlias = Callable[[Sequence[npt.ArrayLike]], list[FloatArray]]


def compiled(expressions: Sequence[Expression], names: Sequence[str]) -> Compiled:
    """Return a function that evaluates all expressions at values of the named symbols (SI units).

    What has no finite value comes out as NaN or infinity, without a warning.
    """
    plain = [real_symbol(f"x{k}") for k in range(len(names))]
    by = dict(zip(map(real_symbol, names), plain, strict=True))
    # Dotted names would be replaced by lambdify itself, which takes seconds where there are large maxima.
    renamed = [replace(expression, by) for expression in expressions]
    function = sympy.lambdify(plain, renamed, modules=["numpy"], cse=True)

    def call(values: Sequence[npt.ArrayLike]) -> list[FloatArray]:
        with np.errstate(all="ignore"):
            found = function(*(np.asarray(value, dtype=np.float64) for value in values))
        return [np.asarray(result, dtype=np.float64) for result in found]

    return call
