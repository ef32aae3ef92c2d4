"""`Model`: a symbolic expression over named inputs, machine values and fitted parameters.

A family of models is a function that returns such a model; composing is arithmetic on models, projecting
binds other values to the same symbols, predicting evaluates the expression over the ensembles. Every
operation checks dimensions, so a sum of seconds and bytes is refused where it is written.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import TypeAlias

from ingest.errors import UsageError
from ingest.units import CORE_TIME, NONE, TIME_DIMENSION, Dimension, Quantity
from pipeline.projection.expressions.ensembles import Ensemble, from_quantities
from pipeline.projection.expressions.symbolic import Expression, combined, number, real_symbol, replace

_PER_PROCESS = "divide core-seconds by the processes, as in work / (P * unit.core)"


@dataclass(frozen=True, kw_only=True)
class ValidRange:
    """The range that a part of a model was made for, such as the sizes it was fitted to."""

    expression: Expression
    lower: float  # smallest value, SI units
    upper: float  # largest value, SI units
    basis: str  # what the range comes from, such as ``"FF was fitted for V"``
    # the only known values if it is a table; between them it is interpolated, outside refused
    points: tuple[float, ...] = ()
    where: str = ""  # the place of an input that nothing outside is meant for, which is refused


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """An expression, what it measures, and what is known of its symbols."""

    expression: Expression  # in SI units
    dimension: Dimension = NONE
    symbols: Mapping[str, Dimension] = field(default_factory=dict)  # the dimension of every free symbol
    ensembles: tuple[Ensemble, ...] = ()  # joint draws of the symbols that are bound; the others are inputs
    limits: tuple[ValidRange, ...] = ()  # the ranges its parts were made for

    @property
    def inputs(self) -> tuple[str, ...]:
        """The symbols that no ensemble binds, in alphabetical order."""
        bound = {name for ensemble in self.ensembles for name in ensemble.names}
        return tuple(sorted(set(self.symbols) - bound))

    @property
    def notices(self) -> tuple[str, ...]:
        """The notices of the bound values, each once."""
        return tuple(dict.fromkeys(notice for e in self.ensembles for notice in e.notices))

    def __add__(self, other: "Operand") -> "Model":
        return _alike(self, as_model(other), "add", lambda a, b: a + b)

    def __sub__(self, other: "Operand") -> "Model":
        return _alike(self, as_model(other), "subtract", lambda a, b: a - b)

    def __mul__(self, other: "Operand") -> "Model":
        right = as_model(other)
        return join(self.expression * right.expression, self.dimension * right.dimension, self, right)

    def __truediv__(self, other: "Operand") -> "Model":
        right = as_model(other)
        if right.expression.is_zero:
            raise UsageError("division by zero", hint="correct the expression")
        return join(self.expression / right.expression, self.dimension / right.dimension, self, right)

    def __pow__(self, other: "Operand") -> "Model":
        exponent = as_model(other)
        if exponent.dimension != NONE:
            what = f"unit mismatch: an exponent has to be a plain number, not {exponent.dimension}"
            raise UsageError(what)
        if self.dimension == NONE:
            dimension = NONE
        elif exponent.expression.is_number:
            dimension = self.dimension ** Fraction(exponent.expression.value).limit_denominator(1000)
        else:
            raise UsageError(f"unit mismatch: {self.dimension} can only be raised to a number")
        if self.expression.is_number and exponent.expression.is_number:
            return constant(_number_power(self.expression.value, exponent.expression.value), dimension)
        return join(self.expression**exponent.expression, dimension, self, exponent)

    def __neg__(self) -> "Model":
        return join(-self.expression, self.dimension, self)

    def __radd__(self, other: "Operand") -> "Model":
        return as_model(other) + self

    def __rsub__(self, other: "Operand") -> "Model":
        return as_model(other) - self

    def __rmul__(self, other: "Operand") -> "Model":
        return as_model(other) * self

    def __rtruediv__(self, other: "Operand") -> "Model":
        return as_model(other) / self


Operand: TypeAlias = Model | float | int


def symbol(name: str, dimension: Dimension = NONE) -> Model:
    """Return the model that is one free symbol; names may be dotted (``mach.bw_node``)."""
    return Model(expression=real_symbol(name), dimension=dimension, symbols={name: dimension})


def constant(value: float, dimension: Dimension = NONE) -> Model:
    """Return the model that is one number, in SI units; UsageError if it is not finite."""
    if not math.isfinite(value):
        raise UsageError(f"{value} is not a finite number", hint="correct the expression")
    return Model(expression=number(value), dimension=dimension)


def as_model(operand: Operand) -> Model:
    """Return the operand itself, or the constant of that value."""
    return operand if isinstance(operand, Model) else constant(operand)


def maximum(first: Operand, *others: Operand) -> Model:
    """Return the largest of several models of one dimension."""
    return _extreme("max", (first, *others))


def minimum(first: Operand, *others: Operand) -> Model:
    """Return the smallest of several models of one dimension."""
    return _extreme("min", (first, *others))


def _extreme(kind: str, operands: tuple[Operand, ...]) -> Model:
    return reduce(lambda a, b: _alike(a, b, "compare", partial(combined, kind)), map(as_model, operands))


def floor(operand: Operand) -> Model:
    """Return the largest whole number not above a dimensionless model."""
    return _count_only(as_model(operand), "floor", partial(combined, "floor"))


def ceiling(operand: Operand) -> Model:
    """Return the smallest whole number not below a dimensionless model."""
    return _count_only(as_model(operand), "ceil", partial(combined, "ceil"))


def log(operand: Operand) -> Model:
    """Return the natural logarithm of a dimensionless model."""
    return _count_only(as_model(operand), "log", partial(combined, "log"))


def log2(operand: Operand) -> Model:
    """Return the binary logarithm of a dimensionless model."""
    return _count_only(as_model(operand), "log2", lambda x: combined("log", x) / combined("log", number(2)))


def sqrt(operand: Operand) -> Model:
    """Return the square root of a model."""
    return as_model(operand) ** constant(0.5)


def choose(tested: Operand, bound: Operand, small: Operand, large: Operand) -> Model:
    """Return `small` where `tested` does not exceed `bound`, else `large`."""
    a, b = as_model(small), as_model(large)
    x, y = as_model(tested), as_model(bound)
    compared = _alike(x, y, "compare", lambda first, _: first)
    dimension = _alike(a, b, "choose between", lambda first, _: first).dimension
    parts = (model.expression for model in (x, y, a, b))
    return join(combined("choose", *parts), dimension, compared, a, b)


def join(expression: Expression, dimension: Dimension, *parts: Model) -> Model:
    """Return an expression of parts with all that they know; UsageError if a symbol has two dimensions."""
    symbols: dict[str, Dimension] = {}
    for name, found in (item for part in parts for item in part.symbols.items()):
        if symbols.setdefault(name, found) != found:
            raise UsageError(
                f"'{name}' is used in {symbols[name]} and in {found}", hint="rename one of the two"
            )
    ensembles = tuple(dict.fromkeys(ensemble for part in parts for ensemble in part.ensembles))
    limits = tuple(dict.fromkeys(limit for part in parts for limit in part.limits))
    return Model(
        expression=expression, dimension=dimension, symbols=symbols, ensembles=ensembles, limits=limits
    )


def fits(model: Model, dimension: Dimension) -> bool:
    """Return whether a model has that dimension; zero has every dimension."""
    return model.dimension == dimension or model.expression.is_zero


def _alike(a: Model, b: Model, verb: str, combine: Callable[[Expression, Expression], Expression]) -> Model:
    dimension = b.dimension if a.expression.is_zero else a.dimension
    if not fits(b, dimension):
        hint = _PER_PROCESS if {a.dimension, b.dimension} == {TIME_DIMENSION, CORE_TIME} else ""
        raise UsageError(f"unit mismatch: cannot {verb} {a.dimension} and {b.dimension}", hint=hint)
    return join(combine(a.expression, b.expression), dimension, a, b)


def _count_only(model: Model, function: str, apply: Callable[[Expression], Expression]) -> Model:
    if model.dimension != NONE:
        raise UsageError(f"unit mismatch: {function}() takes a plain number, not {model.dimension}")
    return join(apply(model.expression), NONE, model)


def _number_power(base: float, exponent: float) -> float:
    """Return base**exponent as a float, refused where it is not finite."""
    try:
        return float(base**exponent)
    except (OverflowError, ZeroDivisionError, TypeError) as error:
        raise UsageError("a power of two numbers is not finite", hint="correct it") from error


def substitute(model: Model, values: Mapping[str, Operand]) -> Model:
    """Return the model with symbols replaced by models of their dimensions; unknown names are ignored."""
    given = {name: as_model(value) for name, value in values.items() if name in model.symbols}
    for name, value in given.items():
        if not fits(value, model.symbols[name]):
            raise _mismatch(name, model.symbols[name], value.dimension)
    by = {real_symbol(name): value.expression for name, value in given.items()}
    rest = {name: dimension for name, dimension in model.symbols.items() if name not in given}
    limits = tuple(dataclasses.replace(x, expression=replace(x.expression, by)) for x in model.limits)
    outer = dataclasses.replace(model, expression=replace(model.expression, by), symbols=rest, limits=limits)
    return join(outer.expression, outer.dimension, outer, *given.values())


def _mismatch(name: str, expected: Dimension, found: Dimension) -> UsageError:
    return UsageError(f"unit mismatch: '{name}' is in {expected}, the value given for it in {found}")


def limited(
    model: Model, name: str, lower: float, upper: float, basis: str, points: tuple[float, ...] = ()
) -> Model:
    """Return the model with one more limit, the range of a symbol; arguments as in `ValidRange`."""
    limit = ValidRange(expression=real_symbol(name), lower=lower, upper=upper, basis=basis, points=points)
    return dataclasses.replace(model, limits=(*model.limits, limit))


def bind(model: Model, values: Mapping[str, Quantity | float] | Ensemble) -> Model:
    """Return the model with values, or joint draws, bound to its symbols; unknown names are ignored."""
    if isinstance(values, Ensemble):
        drawn = Model(expression=model.expression, ensembles=(values,))
        return join(model.expression, model.dimension, model, drawn)
    given = {}
    for name, value in values.items():
        if name not in model.symbols:
            continue
        own = model.symbols[name]
        found = value if isinstance(value, Quantity) else Quantity(value=float(value), dimension=own)
        if found.dimension != own:
            raise _mismatch(name, own, found.dimension)
        given[name] = found
    return bind(model, from_quantities(given)) if given else model
