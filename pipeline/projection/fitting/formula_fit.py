"""Fitting the free parameters of any model to a table of measurements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError, UsageError
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, Ensemble, stream
from pipeline.projection.expressions.symbolic import compiled, derivative, is_linear
from pipeline.projection.expressions.symbolic_model import Model, bind, limited, symbol
from pipeline.projection.fitting.bounded_least_squares import (
    identifiable,
    solve_linear,
    solve_nonlinear,
    spread_over_open,
)
from pipeline.projection.fitting.resampling import Curve, Measurements, Resampled, Solve, resample

_TRIED, _SEARCHES = 4000, 6
_DECADES = 3.0  # standard deviation of the sizes tried


@dataclass(frozen=True)
class Parameter:
    """A free parameter, in SI units; without a start, values of many sizes are tried."""

    name: str
    _: KW_ONLY
    lower: float = 0.0
    upper: float = np.inf
    start: float | None = 1.0


def _starting_values(
    curve: Curve, parameters: Sequence[Parameter], observed: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return float64[k], where a search begins: the values stated, or the best of many that were tried.

    The best of those tried are searched from, and the best end is taken, so that a formula with several
    minima is fitted in the deepest found.
    """
    if all(p.start is not None for p in parameters):
        return np.array([p.start for p in parameters], dtype=np.float64)

    def cost(rows: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            found = np.sum(((curve(rows) - observed) * weights) ** 2, axis=1)
        return np.where(np.isfinite(found), found, np.inf)

    random = stream(*(p.name for p in parameters), observed.tobytes())
    bounds = np.array([p.lower for p in parameters]), np.array([p.upper for p in parameters])
    tried = np.column_stack([_tried(p, random) for p in parameters])
    order = np.argsort(cost(tried))[:_SEARCHES]
    starts = [row for row in tried[order] if np.isfinite(cost(row[None])).all()]
    if not starts:
        return np.asarray(tried[0])
    ends = [solve_nonlinear(curve, row, bounds, observed[None], weights[None])[0] for row in starts]
    return np.asarray(ends[int(np.argmin(cost(np.stack(ends))))])


def _tried(parameter: Parameter, random: np.random.Generator) -> FloatArray:
    """Return values of a parameter: all sizes and, if it has both, both signs; even ones between bounds."""
    if parameter.start is not None:
        return np.full(_TRIED, parameter.start)
    if np.isfinite(parameter.lower) and np.isfinite(parameter.upper):
        return random.uniform(parameter.lower, parameter.upper, _TRIED)
    sizes = 10.0 ** random.normal(0.0, _DECADES, _TRIED)
    signs = np.where((parameter.lower < 0) & (random.random(_TRIED) < 0.5), -1.0, 1.0)
    return np.clip(signs * sizes, parameter.lower, parameter.upper)


_NONLINEAR_DRAWS = 200
_SAME = 1e-3  # relative, of curves and of parameters


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model and how good it is."""

    # the formula with joint draws bound; its ``<name>.scatter`` makes intervals those of new data
    model: Model
    quality: Resampled
    identified: BoolArray  # bool[k], False if the data do not determine a parameter


def _formula(model: Model, parameters: Sequence[str], data: Measurements) -> tuple[bool, Curve, Curve]:
    """Return whether a model is linear in its parameters, its curve in them, and its slopes.

    Slopes are derivatives float64[n, k] at parameters float64[k]. Values that are bound to the model already
    enter at their estimate.
    """
    bound = {n: e.estimate[k] for e in model.ensembles for k, n in enumerate(e.names)}
    names = [*parameters, *data.inputs, *bound]
    slopes = [derivative(model.expression, name) for name in parameters]
    linear = is_linear(model.expression, parameters)
    given, count = (*data.inputs.values(), *bound.values()), len(data.values)
    evaluate, differentiate = compiled([model.expression], names), compiled(slopes, names)

    def curve(rows: FloatArray) -> FloatArray:
        (values,) = evaluate([*(column[:, None] for column in rows.T), *given])
        return np.broadcast_to(values, (len(rows), count))

    def slopes_at(row: FloatArray) -> FloatArray:
        return np.column_stack([np.broadcast_to(slope, count) for slope in differentiate([*row, *given])])

    return linear, curve, slopes_at


def fit(name: str, model: Model, parameters: Sequence[Parameter], data: Measurements) -> Fit:
    """Return the model fitted to n measurements by least squares.

    A formula that is linear in its parameters is solved in closed form, any other from the starting values.
    The scatter becomes the symbol ``<name>.scatter``; every other symbol of the model is a parameter or an
    input of `data`. ModelError if the data cannot determine the parameters.
    """
    _check_symbols(model, parameters, data.inputs)
    names = [p.name for p in parameters]
    linear, curve, slopes = _formula(model, names, data)
    weights = data.point_weights(data.values)
    lower, upper = (np.array([getattr(p, field) for p in parameters]) for field in ("lower", "upper"))
    linear = linear and bool(np.isinf(upper).all())
    start = np.ones(len(names)) if linear else _starting_values(curve, parameters, data.values, weights)
    if not np.isfinite(curve(start[None])).all():
        hint = "remove those measurements, or change the starting values"
        raise ModelError("the formula has no finite value at some measured inputs", hint=hint)
    solve: Solve = partial(solve_nonlinear, curve, start, (lower, upper))
    if linear:
        solve = partial(solve_linear, slopes(start), lower)

    def identified(found: Resampled) -> BoolArray:
        return identifiable(slopes(found.estimate), found.weights)

    def opened(found: Resampled) -> FloatArray:
        random = stream(name, "open", data.values.tobytes())
        if linear:
            return spread_over_open(found.draws, slopes(start), found.weights, lower, random)
        starts = np.column_stack([_tried(replace(p, start=None), random) for p in parameters])
        return _ends_of_others(curve, starts, (lower, upper), found)

    draws = QUANTITY_DRAWS if linear else _NONLINEAR_DRAWS
    return fit_curve(name, model, names, (solve, curve), data, identified, opened, draws=draws)


def _ends_of_others(
    curve: Curve, starts: FloatArray, bounds: tuple[FloatArray, FloatArray], found: Resampled
) -> FloatArray:
    """Return draws float64[draw, k] with the curves of those found, as searches from elsewhere reach them.

    So what the data leave open varies; ModelError if no search ends elsewhere.
    """
    ends = []
    with np.errstate(all="ignore"):
        starts = starts[np.isfinite(curve(starts)).all(axis=1)]
        for draw, start in zip(found.draws, starts, strict=False):
            target = curve(draw[None])
            try:
                end = solve_nonlinear(curve, start, bounds, target, found.weights[None])
            except ValueError:  # no finite slope there
                continue
            alike = np.allclose(curve(end), target, rtol=_SAME, atol=0.0)
            if alike and not np.allclose(end[0], draw, rtol=_SAME, atol=0.0):
                ends.append(end[0])
    if not ends:
        hint = "measure at more values of the inputs, or state lower and upper bounds"
        raise ModelError("how far the parameters are open was not found", hint=hint)
    return np.resize(ends, found.draws.shape)  # the same ends again where a search failed


def fit_curve(
    name: str,
    model: Model,
    names: Sequence[str],
    curve: tuple[Solve, Curve],
    data: Measurements,
    identified: Callable[[Resampled], BoolArray],
    opened: Callable[[Resampled], FloatArray] | None = None,
    *,
    draws: int = QUANTITY_DRAWS,
) -> Fit:
    """Return a model fitted to n measurements by a solver of its own; the other arguments are those of `fit`.

    The curve is the solver and the values of the formula, as `resample` takes them; `identified` returns
    bool[k], False for parameters that the data leave open, and `opened` draws over which these vary.
    """
    quality = resample(*curve, data, key=name, draws=draws)
    known = identified(quality)
    if opened is not None and not known.all():
        quality = replace(quality, draws=opened(quality))
    return assemble(name, model, names, identified=known, quality=quality, data=data)


def assemble(
    name: str,
    model: Model,
    names: Sequence[str],
    *,
    identified: BoolArray,
    quality: Resampled,
    data: Measurements,
    rivals: bool = False,
) -> Fit:
    """Return the fit that resampling makes: scatter attached, draws bound, doubts put into words."""
    loose = [parameter for parameter, known in zip(names, identified, strict=True) if not known]
    found = [f"{name}: the data do not determine {', '.join(loose)}"] if loose else []
    if quality.lack.notice:
        found.append(f"{name}: {quality.lack.notice}")
    notices = tuple(found)
    scatter, relative = f"{name}.scatter", data.weights == "relative"
    neutral = 1.0 if relative else 0.0
    drawn = neutral + quality.scatter
    ensemble = Ensemble(
        names=(*names, scatter),
        estimate=np.append(quality.estimate, neutral),
        draws=np.column_stack([quality.draws, np.maximum(drawn, 0.0) if relative else drawn]),
        notices=notices,
        rivals=rivals,
    )
    noisy = model * symbol(scatter) if relative else model + symbol(scatter, model.dimension)
    for column, values in data.inputs.items():
        basis = f"{name} was fitted for {column}"
        noisy = limited(noisy, column, float(values.min()), float(values.max()), basis)
    return Fit(bind(noisy, ensemble), quality, identified)


def _check_symbols(model: Model, parameters: Sequence[Parameter], data: Mapping[str, FloatArray]) -> None:
    known = {p.name for p in parameters} | set(data)
    missing = sorted(set(model.inputs) - known)
    if missing:
        hint = "add a column, or make it a parameter to fit"
        raise UsageError(f"no measurements of {', '.join(missing)}", hint=hint)
    useless = sorted({p.name for p in parameters} - set(model.symbols))
    if useless:
        raise UsageError(f"{', '.join(useless)} is not in the formula", hint="remove it from the parameters")
