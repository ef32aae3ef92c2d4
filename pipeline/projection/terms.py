"""Terms: the named functions of machine and application files, such as ``FF(V)`` or ``message(x)``.

A term names a family of models and states its parameters, in one row or in a table over a further input, or
the data to fit them to; or it is an expression in other terms. A new family is a function in a file of its
own and one row in `FAMILIES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError
from pipeline.projection.cache_kernel import cache_kernel, fit_cache_kernel
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.files import Table, flattened
from pipeline.projection.fit import Fit
from pipeline.projection.measured import ModelReader, measured_term
from pipeline.projection.model import Limit, Model, bind, choose, join, limited, log2, substitute, symbol
from pipeline.projection.network import (
    allreduce,
    fit_allreduce,
    fit_latency_bandwidth,
    latency_bandwidth,
    loggp,
)
from pipeline.projection.parse import Names, parse
from pipeline.projection.ports.term import port_term
from pipeline.projection.resampling import Weights
from pipeline.projection.symbolic import real_symbol
from pipeline.projection.units import TIME, Dimension, Quantity, parse_quantity
from pipeline.projection.vector_loops.term import vector_loop_term


@dataclass(frozen=True)
class Family:
    """A kind of model that files know by name.

    Attributes:
        build: makes the model whose parameters are the symbols ``<name>.<parameter>``.
        inputs: the symbols that are its arguments, in that order.
        defaults: parameters that need not be given, SI units.
        fit: fits name, inputs and times with the weights given; None if the family cannot be fitted.
    """

    build: Callable[[str], Model]
    inputs: tuple[str, ...]
    defaults: Mapping[str, float] = field(default_factory=dict)
    fit: Callable[[str, Mapping[str, FloatArray], FloatArray, Weights], Fit] | None = None


def _fit_cache_kernel(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_cache_kernel(name, data["V"], times, weights=weights)


def _fit_messages(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_latency_bandwidth(name, data["x"], times, weights=weights)


def _fit_allreduce(name: str, data: Mapping[str, FloatArray], times: FloatArray, weights: Weights) -> Fit:
    return fit_allreduce(name, data["P"], times, weights=weights)


FAMILIES: Mapping[str, Family] = {
    "cache_kernel": Family(cache_kernel, ("V",), fit=_fit_cache_kernel),
    "latency_bandwidth": Family(latency_bandwidth, ("x",), fit=_fit_messages),
    "loggp": Family(loggp, ("x",), {"congestion": 1.0}),
    "allreduce": Family(allreduce, ("P",), {"base": 2.0}, _fit_allreduce),
}
OTHER_MODELS = ("measured", "ports", "vector_loop")
"""Models that read keys of their own."""


@dataclass(frozen=True, eq=False)
class Term:
    """A model to be called with other models in the place of its inputs."""

    name: str
    inputs: tuple[str, ...]
    model: Model

    def __call__(self, *arguments: Model) -> Model:
        """Return the model with the arguments put in.

        Raises:
            UsageError: their number or units are wrong.
        """
        if len(arguments) != len(self.inputs):
            expected = f"the arguments {', '.join(self.inputs)}" if self.inputs else "no arguments"
            raise UsageError(f"{self.name}() takes {expected}; {len(arguments)} given")
        return substitute(self.model, dict(zip(self.inputs, arguments, strict=True)))


def read_term(table: Table, name: str, names: Names, stored: ModelReader) -> Term:
    """Return the term that a table of a file states.

    Args:
        table: what the file says.
        name: the term's name with its prefix; its symbols begin with it.
        names: what expressions in it may use.
        stored: reads the scaling models of a results directory.

    Raises:
        InputError: keys are missing or unknown, or a file that it names cannot be read.
        UsageError: a value or an expression is invalid.
    """
    if "expression" in table:
        return _expression(table, name, names)
    model = table.text("model")
    if model == "measured":
        return Term(name, *measured_term(table, name, stored))
    if model == "ports":
        return Term(name, (), port_term(table, name))
    if model == "vector_loop":
        return Term(name, (), vector_loop_term(table, name, names))
    if model not in FAMILIES:
        hint = f"models are {', '.join([*FAMILIES, *OTHER_MODELS])}"
        raise InputError(f"no model '{model}'", where=table.where, hint=hint)
    return Term(name, FAMILIES[model].inputs, _of_family(FAMILIES[model], table, name))


def _expression(table: Table, name: str, names: Names) -> Term:
    table.check_keys(("expression", "inputs"))
    units = table.table("inputs")
    inputs = {
        key: symbol(key, parse_quantity(f"1 {unit}", where=units.at(key)).dimension)
        for key, unit in units.content.items()
    }
    return Term(name, tuple(inputs), parse(table.text("expression"), {**names, **inputs}, where=table.where))


def _of_family(family: Family, table: Table, name: str) -> Model:
    if "data" in table:
        return _fitted(family, table, name)
    if "rows" in table:
        return _tabulated(family, table, name)
    model = family.build(name)
    given = flattened({key: value for key, value in table.content.items() if key != "model"})
    return bind(model, _quantities(model, family, given, table, name))


def _quantities(
    model: Model, family: Family, given: Mapping[str, Any], table: Table, name: str
) -> dict[str, Quantity]:
    """Return the value of every parameter by its symbol."""
    symbols = {s.removeprefix(f"{name}."): s for s in model.symbols if s.startswith(f"{name}.")}
    Table(given, table.path, table.name).check_keys(list(symbols))
    found = {}
    for key, parameter in symbols.items():
        if key not in given and key not in family.defaults:
            raise InputError(f"'{key}' is missing", where=table.where, hint=f'write {key} = "value unit"')
        value = given.get(key, family.defaults.get(key))
        found[parameter] = _quantity(value, key, model.symbols[parameter], table)
    return found


def _quantity(value: object, key: str, dimension: Dimension, table: Table) -> Quantity:
    quantity = parse_quantity(value, where=table.at(key))
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{key}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=table.where, hint="correct its unit")
    return quantity


def _tabulated(family: Family, table: Table, name: str) -> Model:
    """Return a family whose parameters depend on a further input by a table, linear in its logarithm."""
    table.check_keys(("model", "by", "rows"))
    by = table.text("by")
    rows = sorted(table.rows("rows"), key=lambda row: _position(row, by))
    at = [_position(row, by) for row in rows]
    if not rows or len(set(at)) < len(at):
        hint = f"give one row per {by}"
        raise InputError(f"the rows have to differ in '{by}'", where=table.where, hint=hint)
    model = family.build(name)
    bound = [_row(model, family, row, by, name) for row in rows]
    parameters = {parameter: _interpolated(parameter, symbol(by), at, bound) for parameter in bound[0]}
    basis = f"{name} was measured at {by} ="
    limit = Limit(expression=real_symbol(by), lower=at[0], upper=at[-1], basis=basis, points=tuple(at))
    whole = substitute(model, parameters)
    return limited(join(whole.expression, whole.dimension, whole, symbol(by)), limit)


def _position(row: Table, by: str) -> float:
    value = row.content.get(by)
    if not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise InputError(f"a row has no positive '{by}'", where=row.where, hint=f"write {by} = 1024")
    return float(value)


def _row(model: Model, family: Family, row: Table, by: str, name: str) -> dict[str, Model]:
    """Return every parameter as a symbol of this row, bound to its value."""
    suffix = f"{by}{_position(row, by):.15g}"
    given = flattened({key: value for key, value in row.content.items() if key != by})
    found = {}
    for parameter, quantity in _quantities(model, family, given, row, name).items():
        own = f"{parameter}.{suffix}"
        found[parameter] = bind(symbol(own, quantity.dimension), {own: quantity})
    return found


def _interpolated(parameter: str, by: Model, at: list[float], rows: list[dict[str, Model]]) -> Model:
    value = rows[-1][parameter]
    for k in range(len(at) - 2, -1, -1):
        left, right = rows[k][parameter], rows[k + 1][parameter]
        share = log2(by / at[k]) / float(np.log2(at[k + 1] / at[k]))
        between = left + (right - left) * share
        value = choose(by, at[k], left, choose(by, at[k + 1], between, value))
    return value


def _fitted(family: Family, table: Table, name: str) -> Model:
    """Return a family fitted to a CSV file beside the file that names it."""
    table.check_keys(("model", "data", "where", "time", "weights"))
    if family.fit is None:
        hint = "give its parameters"
        raise InputError("this model cannot be fitted to data", where=table.where, hint=hint)
    weights = table.text("weights", "relative")
    if weights not in ("relative", "equal"):
        raise InputError(f"invalid weights '{weights}'", where=table.where, hint="choose relative or equal")
    columns = read_columns(table.file("data"))
    rows = columns.matching(table.table("where").content)
    symbols = family.build(name).symbols
    data = {key: columns.numbers(key, symbols[key], rows) for key in family.inputs}
    times = columns.numbers(table.text("time", "time"), TIME, rows)
    return family.fit(name, data, times, "equal" if weights == "equal" else "relative").model
