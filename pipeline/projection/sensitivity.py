"""Sensitivities: how much a prediction changes with each of its symbols, by symbolic differentiation."""

from collections.abc import Mapping
from dataclasses import dataclass

from ingest.errors import UsageError
from pipeline.projection.model import Model
from pipeline.projection.symbolic import Expression, compiled, real_symbol, replace, sympy


@dataclass(frozen=True)
class Sensitivity:
    """How a model responds to one symbol at one configuration.

    Attributes:
        name: the symbol.
        derivative: change of the value per unit of the symbol, SI units.
        elasticity: percent by which the value changes if the symbol grows by one percent.
    """

    name: str
    derivative: float
    elasticity: float


def derivative(model: Model, name: str) -> Expression:
    """Return dT/d(symbol) as a sympy expression, floor and ceiling taken as constant between their steps.

    Raises:
        UsageError: the model has no such symbol.
    """
    if name not in model.symbols:
        raise UsageError(f"the model has no symbol '{name}'", hint=f"it has {', '.join(model.symbols)}")
    steps = model.expression.atoms(sympy.floor, sympy.ceiling)
    constant = {step: sympy.Dummy(real=True) for step in steps}
    slope = sympy.diff(replace(model.expression, constant), real_symbol(name))
    return replace(slope, {dummy: step for step, dummy in constant.items()})


def sensitivities(model: Model, at: Mapping[str, float]) -> tuple[Sensitivity, ...]:
    """Return the response to every symbol, bound machine values included, the strongest first.

    Args:
        model: what is predicted.
        at: its inputs, SI units.

    Raises:
        UsageError: an input is missing.
    """
    bound = {name: float(e.estimate[k]) for e in model.ensembles for k, name in enumerate(e.names)}
    values = {**bound, **{name: float(value) for name, value in at.items() if name in model.symbols}}
    missing = sorted(set(model.symbols) - set(values))
    if missing:
        raise UsageError(f"no value for {', '.join(missing)}", hint=f"give one, such as {missing[0]} = 8")
    names = sorted(model.symbols)
    slopes = [derivative(model, name) for name in names]
    value, *found = (
        float(result) for result in compiled([model.expression, *slopes], list(values))(list(values.values()))
    )
    each = [Sensitivity(n, s, s * values[n] / value) for n, s in zip(names, found, strict=True)]
    return tuple(sorted(each, key=lambda s: (-abs(s.elasticity), s.name)))
