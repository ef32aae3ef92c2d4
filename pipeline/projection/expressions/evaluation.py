"""Predictions: models evaluated at given inputs over the joint draws of everything uncertain.

Sensitivities, how much a prediction changes with each of its symbols, are derivatives of the expression.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError, UsageError
from pipeline.models.prediction import LEVEL
from pipeline.projection.expressions.ensembles import columns
from pipeline.projection.expressions.symbolic import compiled, derivative
from pipeline.projection.expressions.symbolic_model import Model, ValidRange

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class DrawnPrediction:
    """What a model says at m configurations, in SI units."""

    # float64[m], with every uncertain symbol at its best value; the median of rival formulas
    value: FloatArray
    lower: FloatArray  # float64[m], lower end of the interval
    upper: FloatArray  # float64[m], upper end of the interval
    # float64[draw, m], what the interval was taken from; joint among models predicted together
    draws: FloatArray

    def at(self, k: int) -> "DrawnPrediction":
        """Return the prediction at one of the configurations, counted from 0.

        A model that depends on none of the inputs has one value for all of them.
        """
        first = min(k, len(self.value) - 1)
        here = slice(first, first + 1)
        return DrawnPrediction(self.value[here], self.lower[here], self.upper[here], self.draws[:, here])


def predict(
    models: Mapping[Key, Model], at: Mapping[str, npt.ArrayLike], *, level: float = LEVEL
) -> dict[Key, DrawnPrediction]:
    """Return the predictions of all models, evaluated on the same draws.

    Values of the inputs are in SI units, numbers or sequences of one length m. The share `level` of the draws
    lies inside the interval, with equal tails outside.
    """
    bound, inputs = _symbol_values(models, at)
    names = (*bound, *inputs)
    count = max((len(values) for values in inputs.values()), default=1)
    rows = next((len(draws) for _, draws in bound.values()), 1)
    at_estimate = [bound[n][0] for n in bound] + list(inputs.values())
    over_draws = [bound[n][1][:, None] for n in bound] + list(inputs.values())
    evaluate = compiled([model.expression for model in models.values()], names)
    values, draws = evaluate(at_estimate), evaluate(over_draws)
    found = {}
    for (name, model), value, drawn in zip(models.items(), values, draws, strict=True):
        table = np.broadcast_to(drawn, (rows, count))
        middle = None if any(e.rivals for e in model.ensembles) else np.broadcast_to(value, (count,))
        found[name] = _summary(name, middle, table, level)
    return found


def _symbol_values(
    models: Mapping[Key, Model], at: Mapping[str, npt.ArrayLike]
) -> tuple[dict[str, tuple[float, FloatArray]], dict[str, FloatArray]]:
    """Return estimate and draws of every symbol that is bound, and the values of the inputs."""
    bound = columns([ensemble for model in models.values() for ensemble in model.ensembles])
    wanted = {name for model in models.values() for name in model.symbols} - set(bound)
    missing = sorted(wanted - set(at))
    if missing:
        raise UsageError(f"no value for {', '.join(missing)}", hint=f"give one, such as --at {missing[0]}=8")
    given = {name: np.atleast_1d(at[name]) for name in sorted(wanted)}
    lengths = {len(values) for values in given.values()} - {1}
    if len(lengths) > 1:
        raise UsageError(
            "the inputs are sequences of different lengths", hint="give all of them the same length"
        )
    return bound, given


def _summary(name: object, value: FloatArray | None, draws: FloatArray, level: float) -> DrawnPrediction:
    if not np.isfinite(draws).all() or not (value is None or np.isfinite(value).all()):
        shown = ".".join(dict.fromkeys(name)) if isinstance(name, tuple) else name
        hint = "check for inputs that are zero or negative"
        raise ModelError(f"'{shown}' has no finite value at these inputs", hint=hint)
    lower, middle, upper = np.quantile(draws, [(1 - level) / 2, 0.5, (1 + level) / 2], axis=0)
    best: FloatArray = middle if value is None else value
    return DrawnPrediction(best, np.minimum(lower, best), np.maximum(upper, best), draws)


def broken_limits(models: Mapping[Key, Model], at: Mapping[str, npt.ArrayLike]) -> tuple[str, ...]:
    """Return a sentence for every range that the inputs (SI units) leave, each once."""
    sentences = (_broken(limit, np.atleast_1d(value)) for limit, value in _values_in_limits(models, at))
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))


def _values_in_limits(
    models: Mapping[Key, Model], at: Mapping[str, npt.ArrayLike]
) -> Iterator[tuple[ValidRange, FloatArray]]:
    """Return every range once, and what is at the inputs of which it is the range."""
    limits = tuple(dict.fromkeys(limit for model in models.values() for limit in model.limits))
    bound, inputs = _symbol_values(models, at)
    evaluate = compiled([limit.expression for limit in limits], (*bound, *inputs))
    values = evaluate([*(estimate for estimate, _ in bound.values()), *inputs.values()])
    return zip(limits, values, strict=True)


def inside_tables(model: Model, at: Mapping[str, npt.ArrayLike]) -> BoolArray:
    """Return at which of m configurations (SI units) a model is known: no table is left, bool[m]."""
    found = np.ones(max((np.size(value) for value in at.values()), default=1), dtype=np.bool_)
    for limit, value in _values_in_limits({"": model}, at):
        found &= (value >= limit.lower) & (value <= limit.upper) | (not limit.points)
    return found


def _broken(limit: ValidRange, value: FloatArray) -> str:
    outside = (value < limit.lower) | (value > limit.upper)
    if limit.points:
        known = ", ".join(f"{point:g}" for point in limit.points)
        if outside.any():
            raise UsageError(
                f"{limit.basis} {known}, not {value[outside][0]:g}",
                hint="choose a value in between, add a row, or take another variant of the machine",
            )
        between = value[~np.isin(value, limit.points)]
        return f"{limit.basis} {known}; {between[0]:g} is interpolated" if len(between) else ""
    if not outside.any():
        return ""
    if limit.where:
        raise UsageError(f"{limit.basis}, not {value[outside][0]:g}", where=limit.where, hint="correct it")
    return f"{limit.basis} from {limit.lower:.4g} to {limit.upper:.4g}, here {value[outside][0]:.4g}"


@dataclass(frozen=True)
class Sensitivity:
    """How the total responds to a value: per cent for one per cent, and per unit."""

    name: str
    elasticity: float
    derivative: float


@dataclass(frozen=True)
class Sensitivities:
    """Sensitivities, the strongest first."""

    sensitivities: tuple[Sensitivity, ...]


def sensitivities(model: Model, at: Mapping[str, float]) -> tuple[Sensitivity, ...]:
    """Return the response to every symbol, bound machine values included, at SI inputs, strongest first."""
    bound, inputs = _symbol_values({"": model}, at)
    values = {name: estimate for name, (estimate, _) in bound.items()}
    values |= {name: float(value[0]) for name, value in inputs.items()}
    names = sorted(model.symbols)
    slopes = [derivative(model.expression, name) for name in names]
    evaluate = compiled([model.expression, *slopes], list(values))
    value, *found = map(float, evaluate(list(values.values())))
    each = [Sensitivity(n, s * values[n] / value, s) for n, s in zip(names, found, strict=True)]
    return tuple(sorted(each, key=lambda s: (-abs(s.elasticity), s.name)))
