"""Symbolic expressions, and the one way they become numbers: compiled once to numpy, called with arrays.

sympy is imported here only. It takes most of a second, which the command line spends when it projects and
never otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray
from ingest.errors import extra

with extra("project"):
    import sympy

__all__ = ["Compiled", "Expression", "compiled", "real_symbol", "replace", "sympy"]

Expression: TypeAlias = Any
"""A `sympy.Expr`; sympy carries no types."""
Compiled: TypeAlias = Callable[[Sequence[npt.ArrayLike]], list[FloatArray]]
"""Values of all expressions for the values of the symbols, which broadcast against each other."""

_LARGEST, _SMALLEST = sympy.Function("largest"), sympy.Function("smallest")
_CALLS = {
    "largest": lambda *parts: reduce(np.maximum, parts),
    "smallest": lambda *parts: reduce(np.minimum, parts),
}


def real_symbol(name: str) -> Expression:
    """Return the symbol of that (dotted) name, declared real, without which `Max` and `floor` stall."""
    return sympy.Symbol(name, real=True)


def replace(expression: Expression, by: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with nodes replaced, leaving `Max` and `Min` as they are.

    sympy's own `xreplace` tries to order the arguments of every `Max` it rebuilds, which takes seconds for
    the dozen arguments of a port model and gains nothing.
    """

    def rebuilt(node: Expression, arguments: list[Expression]) -> Expression:
        kept = {"evaluate": False} if isinstance(node, sympy.Max | sympy.Min) else {}
        return node if arguments == list(node.args) else node.func(*arguments, **kept)

    return _rebuilt(expression, by, rebuilt)


def _rebuilt(
    expression: Expression,
    by: Mapping[Expression, Expression],
    rebuilt: Callable[[Expression, list[Expression]], Expression],
) -> Expression:
    """Return the expression with nodes replaced, every other one made anew of its new arguments."""
    done = dict(by)
    for node in sympy.postorder_traversal(expression):
        if node not in done:
            done[node] = rebuilt(node, [done[argument] for argument in node.args])
    return done[expression]


def compiled(expressions: Sequence[Expression], names: Sequence[str]) -> Compiled:
    """Return a function that evaluates all expressions at values of the named symbols (SI units).

    What has no finite value comes out as NaN or infinity, without a warning.
    """
    plain = [real_symbol(f"x{k}") for k in range(len(names))]
    by = dict(zip(map(real_symbol, names), plain, strict=True))
    inert = [_rebuilt(expression, by, _inert) for expression in expressions]
    function = sympy.lambdify(plain, inert, modules=[_CALLS, "numpy"], cse=True)

    def call(values: Sequence[npt.ArrayLike]) -> list[FloatArray]:
        with np.errstate(all="ignore"):
            found = function(*(np.asarray(value, dtype=np.float64) for value in values))
        return [np.asarray(result, dtype=np.float64) for result in found]

    return call


def _inert(node: Expression, arguments: list[Expression]) -> Expression:
    """Return a node with Max and Min as functions unknown to sympy.

    lambdify renames dotted symbols and shares common parts; whenever it rebuilds a maximum, sympy tries to
    order the arguments, which takes seconds for a port model and gains nothing.
    """
    kinds = {sympy.Max: _LARGEST, sympy.Min: _SMALLEST}
    return kinds.get(node.func, node.func)(*arguments) if arguments else node
