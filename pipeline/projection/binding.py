"""Putting values and other models in the place of a model's symbols."""

from collections.abc import Mapping
from dataclasses import replace as with_fields

from ingest.errors import UsageError
from pipeline.projection.ensemble import Ensemble, from_quantities
from pipeline.projection.model import Limit, Model, Operand, as_model, fits, join
from pipeline.projection.quantity import Quantity
from pipeline.projection.symbolic import Expression, real_symbol, replace, sympy


def substitute(model: Model, values: Mapping[str, Operand]) -> Model:
    """Return the model with symbols replaced by models of the same dimension; unknown names are ignored.

    Raises:
        UsageError: where a replacement measures something else than its symbol.
    """
    given = {name: as_model(value) for name, value in values.items() if name in model.symbols}
    for name, value in given.items():
        if not fits(value, model.symbols[name]):
            raise UsageError(f"'{name}' is in {model.symbols[name]}, what stands for it in {value.dimension}")
    by = {real_symbol(name): value.expression for name, value in given.items()}
    rest = {name: dimension for name, dimension in model.symbols.items() if name not in given}
    outer = Model(
        expression=replace(model.expression, by),
        dimension=model.dimension,
        symbols=rest,
        ensembles=model.ensembles,
        limits=_replaced(model, by),
    )
    return join(outer.expression, outer.dimension, outer, *given.values())


def rename(model: Model, names: Mapping[str, str]) -> Model:
    """Return the model with symbols renamed, their ensembles with them."""
    by = {real_symbol(old): real_symbol(new) for old, new in names.items()}
    symbols = {names.get(name, name): dimension for name, dimension in model.symbols.items()}
    ensembles = tuple(ensemble.renamed(names) for ensemble in model.ensembles)
    return Model(
        expression=replace(model.expression, by),
        dimension=model.dimension,
        symbols=symbols,
        ensembles=ensembles,
        limits=_replaced(model, by),
    )


def _replaced(model: Model, by: Mapping[Expression, Expression]) -> tuple[Limit, ...]:
    return tuple(with_fields(x, expression=replace(x.expression, by)) for x in model.limits)


def limited(model: Model, limit: Limit) -> Model:
    """Return the model with one more range it was made for."""
    return with_fields(model, limits=(*model.limits, limit))


def bind(model: Model, values: Mapping[str, Quantity | float] | Ensemble) -> Model:
    """Return the model with values, or joint draws, bound to its symbols; names it does not use are ignored.

    Raises:
        UsageError: where a value measures something else than its symbol.
    """
    if isinstance(values, Ensemble):
        return join(
            model.expression, model.dimension, model, Model(expression=sympy.Integer(0), ensembles=(values,))
        )
    used = {name: value for name, value in values.items() if name in model.symbols}
    given = {
        name: value
        if isinstance(value, Quantity)
        else Quantity(value=float(value), dimension=model.symbols[name])
        for name, value in used.items()
    }
    for name, quantity in given.items():
        if quantity.dimension != model.symbols[name]:
            raise UsageError(
                f"'{name}' has to be in {model.symbols[name]}, the value given is in {quantity.dimension}"
            )
    return bind(model, from_quantities(given)) if given else model
