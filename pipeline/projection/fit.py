"""Fitting the free parameters of any model to a table of measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError, UsageError
from pipeline.projection.binding import bind, limited
from pipeline.projection.bootstrap import Resampled, Solve, Weights, point_weights, resample
from pipeline.projection.ensemble import DRAWS, Ensemble
from pipeline.projection.formula import Formula, formula, told_apart
from pipeline.projection.lack_of_fit import LackOfFit, lack_of_fit
from pipeline.projection.model import Limit, Model, symbol
from pipeline.projection.predict import LEVEL
from pipeline.projection.solvers import solve_linear, solve_nonlinear
from pipeline.projection.symbolic import real_symbol

_NONLINEAR_DRAWS = 200


@dataclass(frozen=True)
class Parameter:
    """A free parameter: its symbol, bounds and starting value in SI units."""

    name: str
    lower: float = 0.0
    upper: float = np.inf
    start: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A fitted parameter with its interval, SI units; `identified` is False where the data do not tell it."""

    name: str
    value: float
    lower: float
    upper: float
    identified: bool = True


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how good it is.

    Attributes:
        model: the formula with joint draws bound; its ``<name>.scatter`` makes intervals those of new data.
        parameters: one entry a parameter.
        quality: residuals, draws, leave-one-out errors.
        lack: the test whether repetitions scatter less than the points around the curve.
    """

    model: Model
    parameters: tuple[Fitted, ...]
    quality: Resampled
    lack: LackOfFit


def fit(
    name: str,
    model: Model,
    parameters: Sequence[Parameter],
    data: Mapping[str, FloatArray],
    observed: FloatArray,
    *,
    weights: Weights = "relative",
) -> Fit:
    """Return the model fitted to n measurements by least squares.

    A formula that is linear in its parameters is solved in closed form, any other from the starting values.

    Args:
        name: what the fit is called; its scatter becomes the symbol ``<name>.scatter``.
        model: the formula; every symbol is a parameter or a column of `data`.
        parameters: what to fit, k of them.
        data: float64[n] for every input, SI units.
        observed: float64[n], SI units.
        weights: see `resample`.

    Raises:
        UsageError: where a symbol is neither parameter nor data.
        ModelError: where the data cannot determine the parameters.
    """
    _check_symbols(model, parameters, data)
    names = [p.name for p in parameters]
    form = formula(model, names, data, len(observed))
    solve, draws = _solver(form, parameters)
    quality = resample(solve, form.curve, observed, weights, key=name, draws=draws)
    known = told_apart(form.slopes(quality.estimate), point_weights(observed, weights))
    fitted = form.curve(quality.estimate[None])[0]
    lack = lack_of_fit(data, observed, fitted, weights, len(names))
    return assemble(
        name, model, names, identified=known, quality=quality, data=data, lack=lack, weights=weights
    )


def _solver(form: Formula, parameters: Sequence[Parameter]) -> tuple[Solve, int]:
    start, lower, upper = (
        np.array([getattr(p, field) for p in parameters]) for field in ("start", "lower", "upper")
    )
    if not np.isfinite(form.curve(start[None])).all():
        hint = "remove those measurements, or change the starting values"
        raise ModelError("the formula has no finite value at some measured inputs", hint=hint)
    if form.linear and np.isinf(upper).all():
        return partial(solve_linear, form.slopes(start), lower), DRAWS
    return partial(solve_nonlinear, form.curve, start, (lower, upper)), _NONLINEAR_DRAWS


def assemble(
    name: str,
    model: Model,
    names: Sequence[str],
    *,
    identified: BoolArray,
    quality: Resampled,
    data: Mapping[str, FloatArray],
    lack: LackOfFit,
    weights: Weights,
) -> Fit:
    """Return the fit that a fitter's draws make: scatter attached, draws bound, doubts put into words.

    Args:
        name: what the fit is called.
        model: the formula fitted.
        names: the parameters in the order of `quality.estimate`.
        identified: bool[k], False where the data do not tell a parameter.
        quality: what `resample` returned.
        data: float64[n] of every input.
        lack: the verdict on the formula.
        weights: the weights of the fit.
    """
    notices = _notices(name, names, identified, quality, lack)
    scatter = f"{name}.scatter"
    neutral = 1.0 if weights == "relative" else 0.0
    drawn = neutral + quality.scatter
    ensemble = Ensemble(
        names=(*names, scatter),
        estimate=np.append(quality.estimate, neutral),
        draws=np.column_stack([quality.draws, np.maximum(drawn, 0.0) if weights == "relative" else drawn]),
        notices=notices,
    )
    noisy = model * symbol(scatter) if weights == "relative" else model + symbol(scatter, model.dimension)
    for column, values in data.items():
        says = f"{name} was fitted to {column}"
        limit = Limit(
            expression=real_symbol(column), lower=float(values.min()), upper=float(values.max()), says=says
        )
        noisy = limited(noisy, limit)
    return Fit(bind(noisy, ensemble), _fitted(names, identified, quality), quality, lack)


def _fitted(names: Sequence[str], identified: BoolArray, quality: Resampled) -> tuple[Fitted, ...]:
    low, high = np.quantile(quality.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return tuple(
        Fitted(name=n, value=float(v), lower=float(a), upper=float(b), identified=bool(i))
        for n, v, a, b, i in zip(names, quality.estimate, low, high, identified, strict=True)
    )


def _notices(
    name: str, names: Sequence[str], identified: BoolArray, quality: Resampled, lack: LackOfFit
) -> tuple[str, ...]:
    loose = [parameter for parameter, known in zip(names, identified, strict=True) if not known]
    found = [f"{name}: the data do not tell {', '.join(loose)}"] if loose else []
    if lack.poor:
        found.append(f"{name}: the formula does not fit its data ({lack.says})")
    if quality.widened > 1:
        found.append(f"{name}: interval widened {quality.widened:.2g} times after leaving out points in turn")
    return tuple(found)


def _check_symbols(model: Model, parameters: Sequence[Parameter], data: Mapping[str, FloatArray]) -> None:
    known = {p.name for p in parameters} | set(data)
    missing = sorted(set(model.inputs) - known)
    if missing:
        raise UsageError(
            f"nothing is measured for {', '.join(missing)}",
            hint="add a column, or make it a parameter to fit",
        )
    useless = sorted({p.name for p in parameters} - set(model.symbols))
    if useless:
        raise UsageError(f"{', '.join(useless)} is not in the formula", hint="take it out of the parameters")
