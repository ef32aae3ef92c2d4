"""Expressions as trees: built of numbers and symbols, differentiated, and evaluated by numpy over arrays.

Equal expressions are one object, so that a part that occurs twice is computed once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from ingest.arrays import FloatArray

Compiled: TypeAlias = Callable[[Sequence[npt.ArrayLike]], list[FloatArray]]
"""Values of all expressions for the values of the symbols, which broadcast against each other."""

_COMPUTED: Mapping[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "neg": np.negative,
    "max": np.maximum,
    "min": np.minimum,
    "floor": np.floor,
    "ceil": np.ceil,
    "log": np.log,
    "choose": lambda tested, bound, small, large: np.where(tested <= bound, small, large),
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, weakref_slot=True)
class Expression:
    """A number, a symbol, or an operation on other expressions; made by the functions of this module."""

    # ``number``, ``symbol``, or what is done: an operator, ``neg``, ``max``, ``min``, ``floor``, ``ceil``,
    # ``log`` (natural), ``choose`` (the third part if the first is at most the second, else the fourth)
    kind: str
    parts: tuple["Expression", ...] = ()
    value: float = 0.0  # of a number
    name: str = ""  # of a symbol; may be dotted

    @property
    def is_number(self) -> bool:
        """Whether it is one number."""
        return self.kind == "number"

    @property
    def is_zero(self) -> bool:
        """Whether it is the number 0."""
        return self.is_number and self.value == 0

    def __add__(self, other: "Expression") -> "Expression":
        return combined("+", self, other)

    def __sub__(self, other: "Expression") -> "Expression":
        return combined("-", self, other)

    def __mul__(self, other: "Expression") -> "Expression":
        return combined("*", self, other)

    def __truediv__(self, other: "Expression") -> "Expression":
        return combined("/", self, other)

    def __pow__(self, other: "Expression") -> "Expression":
        return combined("**", self, other)

    def __neg__(self) -> "Expression":
        return combined("neg", self)


_made: WeakValueDictionary[tuple[str, tuple[Expression, ...], float, str], Expression] = WeakValueDictionary()


def _unique(kind: str, parts: tuple[Expression, ...] = (), value: float = 0.0, name: str = "") -> Expression:
    key = kind, parts, value, name
    found = _made.get(key)
    if found is None:
        found = _made[key] = Expression(kind=kind, parts=parts, value=value, name=name)
    return found


def real_symbol(name: str) -> Expression:
    """Return the symbol of that (dotted) name."""
    return _unique("symbol", name=name)


def number(value: float) -> Expression:
    """Return the number as an expression."""
    return _unique("number", value=float(value) + 0.0)


ZERO, ONE = number(0), number(1)


def combined(kind: str, *parts: Expression) -> Expression:
    """Return an operation on expressions, a number if all are numbers; adding 0 and the like is left out."""
    if all(part.is_number for part in parts):
        with np.errstate(all="ignore"):
            return number(float(_COMPUTED[kind](*(part.value for part in parts))))
    return _neutral(kind, *parts) or _unique(kind, parts)


def _neutral(kind: str, first: Expression, second: Expression = ONE, *_: Expression) -> Expression | None:
    """Return what an operation leaves as it is, if it does."""
    found: Expression | None = None
    match kind:
        case "+" | "-" if second.is_zero:
            found = first
        case "*" | "/" | "**" if second is ONE:
            found = first
        case "+" | "-" if first.is_zero:
            found = second if kind == "+" else -second
        case "*" if first is ONE:
            found = second
        case "*" | "/" if first.is_zero or (kind == "*" and second.is_zero):
            found = ZERO
        case "**" if second.is_zero:
            found = ONE
        case "neg" if first.kind == "neg":
            found = first.parts[0]
    return found


def nodes(*expressions: Expression) -> list[Expression]:
    """Return all parts of expressions and themselves, each once and after its own parts."""
    found: dict[Expression, None] = {}
    waiting = [(expression, False) for expression in reversed(expressions)]
    while waiting:
        node, seen = waiting.pop()
        if node in found:
            continue
        if seen:
            found[node] = None
        else:
            waiting.append((node, True))
            waiting += [(part, False) for part in reversed(node.parts)]
    return list(found)


def replace(expression: Expression, by: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with parts replaced."""
    done = dict(by)
    for node in nodes(expression):
        if node not in done:
            parts = tuple(done[part] for part in node.parts)
            done[node] = node if parts == node.parts else combined(node.kind, *parts)
    return done[expression]


def derivative(expression: Expression, name: str) -> Expression:
    """Return the derivative by a symbol; floor and ceiling are constant, and so is what `choose` compares."""
    slopes: dict[Expression, Expression] = {}
    for node in nodes(expression):
        slopes[node] = ONE if node.name == name and node.kind == "symbol" else _slope(node, slopes)
    return slopes[expression]


def _slope(node: Expression, slopes: Mapping[Expression, Expression]) -> Expression:
    inner = [slopes[part] for part in node.parts]
    if all(slope.is_zero for slope in inner) or node.kind in ("floor", "ceil"):
        return ZERO
    if node.kind in ("+", "-", "neg"):
        return combined(node.kind, *inner)
    return _SLOPES[node.kind](node, *node.parts, *inner)


def _power_slope(
    node: Expression, base: Expression, exponent: Expression, by_base: Expression, by_exponent: Expression
) -> Expression:
    found = exponent * base ** (exponent - ONE) * by_base
    return found if by_exponent.is_zero else found + node * combined("log", base) * by_exponent


_SLOPES: Mapping[str, Callable[..., Expression]] = {
    "*": lambda _, a, b, by_a, by_b: by_a * b + a * by_b,
    "/": lambda node, _, b, by_a, by_b: (by_a - node * by_b) / b,
    "**": _power_slope,
    "log": lambda _, a, by_a: by_a / a,
    "max": lambda _, a, b, by_a, by_b: combined("choose", b, a, by_a, by_b),
    "min": lambda _, a, b, by_a, by_b: combined("choose", a, b, by_a, by_b),
    "choose": lambda _, x, bound, *parts: combined("choose", x, bound, *parts[-2:]),
}
"""The derivative of an operation from itself, its parts, and their derivatives."""


def is_linear(expression: Expression, names: Sequence[str]) -> bool:
    """Return whether an expression is a sum of multiples of the named symbols alone."""
    degrees: dict[Expression, float] = {}
    for node in nodes(expression):
        inner = [degrees[part] for part in node.parts]
        if node.kind == "symbol":
            degree = 1.0 if node.name in names else 0.0
        elif not any(inner):
            degree = 0.0
        elif node.kind in ("+", "-", "neg"):
            degree = 1.0 if all(d == 1 for d in inner) else np.inf
        elif node.kind == "*" or (node.kind == "/" and not inner[1]):
            degree = sum(inner)
        elif node.kind == "choose" and not any(inner[:2]):
            free = [part for part, d in zip(node.parts[2:], inner[2:], strict=True) if d != 1]
            degree = 1.0 if all(part.is_zero for part in free) else np.inf
        else:
            degree = np.inf
        degrees[node] = degree
    return degrees[expression] == 1


def compiled(expressions: Sequence[Expression], names: Sequence[str]) -> Compiled:
    """Return a function that evaluates all expressions at values of the named symbols (SI units).

    What has no finite value comes out as NaN or infinity, without a warning.
    """
    ordered = nodes(*expressions)
    place = {node: k for k, node in enumerate(ordered)}
    wanted = [place[expression] for expression in expressions]
    kept = set(wanted)
    steps = [(node, tuple(place[part] for part in node.parts)) for node in ordered]
    last = {part: k for k, (_, parts) in enumerate(steps) for part in parts if part not in kept}
    unused: list[list[int]] = [[] for _ in steps]
    for part, k in last.items():
        unused[k].append(part)
    column = {name: k for k, name in enumerate(names)}

    def call(values: Sequence[npt.ArrayLike]) -> list[FloatArray]:
        given = [np.asarray(value, dtype=np.float64) for value in values]
        found: list[npt.ArrayLike] = []
        with np.errstate(all="ignore"):
            for (node, parts), done in zip(steps, unused, strict=True):
                if node.kind == "symbol":
                    found.append(given[column[node.name]])
                elif node.kind == "number":
                    found.append(node.value)
                else:
                    found.append(_COMPUTED[node.kind](*(found[part] for part in parts)))
                for part in done:
                    found[part] = 0.0
        return [np.asarray(found[k], dtype=np.float64) for k in wanted]

    return call
