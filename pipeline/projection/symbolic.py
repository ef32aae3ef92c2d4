"""The one door to sympy, an optional dependency: every module of this stage takes it from here.

The command line imports this stage only when it runs it, so a missing sympy costs nobody else anything.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from ingest.errors import UsageError

try:
    import sympy
except ImportError as missing:
    raise UsageError(
        "projection needs the package sympy, which is not installed",
        hint="install it with: pip install 'callpath-pipeline[symbolic]'",
    ) from missing

__all__ = ["Expression", "is_number", "real_symbol", "replace", "sympy"]

Expression: TypeAlias = Any
"""A `sympy.Expr`; sympy carries no types."""


def real_symbol(name: str) -> Expression:
    """Return the symbol of that (dotted) name, declared real, without which `Max` and `floor` stall."""
    return sympy.Symbol(name, real=True)


def replace(expression: Expression, by: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with nodes replaced, leaving `Max` and `Min` as they are.

    sympy's own `xreplace` tries to order the arguments of every `Max` it rebuilds, which takes seconds for
    the dozen arguments of a port model and gains nothing.
    """
    done = dict(by)
    for node in sympy.postorder_traversal(expression):
        if node in done:
            continue
        arguments = [done[argument] for argument in node.args]
        done[node] = _rebuild(node, arguments) if arguments != list(node.args) else node
    return done[expression]


def _rebuild(node: Expression, arguments: list[Expression]) -> Expression:
    if isinstance(node, sympy.Max | sympy.Min):
        return node.func(*arguments, evaluate=False)
    return node.func(*arguments)


def is_number(expression: Expression) -> bool:
    """Return whether the expression has no symbols left."""
    return bool(expression.is_number)
