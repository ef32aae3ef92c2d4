"""Terms: the named functions of machine and application files, such as ``FF(V)`` or ``message(x)``.

A term names a family of models and states its parameters, in one row or in a table over a further input, or
the data to fit them to; or it is an expression in other terms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from math import log2 as log2_of
from typing import TYPE_CHECKING, TypeAlias

from ingest.errors import InputError, UsageError, located
from ingest.toml_table import TomlTable
from ingest.units import NONE, Dimension, Quantity, parse_quantity, require_dimension
from pipeline.projection.expressions.expression_text import Names, parse
from pipeline.projection.expressions.method_error import METHOD_ERROR, method_error, scatter
from pipeline.projection.expressions.symbolic_model import (
    Model,
    bind,
    choose,
    join,
    limited,
    log2,
    substitute,
    symbol,
)
from pipeline.projection.terms.families import TermFamily, input_dimensions

if TYPE_CHECKING:
    from pipeline.projection.fitting.resampling import Measurements
    from pipeline.projection.terms.measured_term import ModelReader

_MODULES: Mapping[str, str] = {
    "allreduce": "allreduces",
    "cache_kernel": "cache_kernel",
    "latency_bandwidth": "messages",
    "loggp": "messages",
}
"""In which module beside this one a family is; an application loads only those that it needs."""
_Found: TypeAlias = tuple[tuple[str, ...], Model]  # inputs and model of a term


def _fitted_formula(table: TomlTable, name: str, *_: object) -> _Found:
    from pipeline.projection.terms.fitted_term import fitted_term

    return fitted_term(table, name)


def _measured(table: TomlTable, name: str, _: Names, stored: "ModelReader") -> _Found:
    from pipeline.projection.terms.measured_term import measured_term

    return measured_term(table, name, stored)


def _ports(table: TomlTable, name: str, *_: object) -> _Found:
    from pipeline.projection.ports.port_fit import port_term

    return (), port_term(table, name)


def _loop(table: TomlTable, _: str, names: Names, __: "ModelReader") -> _Found:
    from pipeline.projection.terms.loops import loop_term

    return loop_term(table, names)


_OTHER_MODELS: Mapping[str, Callable[[TomlTable, str, Names, "ModelReader"], _Found]] = {
    "fitted": _fitted_formula,
    "loop": _loop,
    "measured": _measured,
    "ports": _ports,
}
"""Models that read keys of their own."""
_LOOP_ERROR = 0.3  # what paper 002 claims for its loops; docs/explanations/vector-loops.md has what it met


@dataclass(frozen=True, eq=False)
class Term:
    """A model to be called with other models in the place of its inputs."""

    name: str
    inputs: tuple[str, ...]
    model: Model

    def __call__(self, *arguments: Model) -> Model:
        """Return the model with the arguments put in."""
        if len(arguments) != len(self.inputs):
            expected = f"the arguments {', '.join(self.inputs)}" if self.inputs else "no arguments"
            raise UsageError(f"{self.name}() takes {expected}; {len(arguments)} given")
        return substitute(self.model, dict(zip(self.inputs, arguments, strict=True)))


def read_term(table: TomlTable, name: str, names: Names, stored: "ModelReader") -> Term:
    """Return the term of a table; InputError if keys are missing or unknown, or a file cannot be read."""
    error = method_error(table, _LOOP_ERROR if table.content.get("model") == "loop" else 0.0)
    exact = _read(table.without(METHOD_ERROR), name, names, stored)
    return replace(exact, model=exact.model * scatter(error)) if error else exact


def _read(table: TomlTable, name: str, names: Names, stored: "ModelReader") -> Term:
    if "expression" in table:
        return _expression(table, name, names)
    model = table.text("model")
    if model in _OTHER_MODELS:
        inputs, found = _OTHER_MODELS[model](table, name, names, stored)
        return Term(name, inputs, found)
    if model not in _MODULES:
        hint = f"models are {', '.join([*_MODULES, *_OTHER_MODELS])}"
        raise InputError(f"no model '{model}'", where=table.where, hint=hint)
    family = _family(model, table)
    return Term(name, family.inputs, _of_family(family, table.without("model", "ranks_per_node"), name))


def _family(model: str, table: TomlTable) -> TermFamily:
    if model == "allreduce" and "ranks_per_node" in table:
        from pipeline.projection.terms.allreduces import allreduce_on_nodes

        return allreduce_on_nodes(table)
    families: Mapping[str, TermFamily] = import_module(f"{__package__}.{_MODULES[model]}").FAMILIES
    return families[model]


def is_fitted(table: TomlTable) -> bool:
    """Tell whether a term is fitted to measurements, of which some can be held out."""
    return "data" in table and table.content.get("model") in ("fitted", *_MODULES)


def held_out_rows(table: TomlTable, term: Term) -> "Measurements":
    """Return the measurements that a fitted term leaves out by its ``without``."""
    from pipeline.projection.fitting.measured_columns import read_measurements

    model = table.text("model")
    benchmarks = _family(model, table).benchmarks if model in _MODULES else ()
    inputs = {name: term.model.symbols.get(name, NONE) for name in term.inputs}
    return read_measurements(table, inputs, term.model.dimension, benchmarks=benchmarks, held_out=True)


def _expression(table: TomlTable, name: str, names: Names) -> Term:
    table.check_keys(("expression", "inputs"))
    inputs = {key: symbol(key, dimension) for key, dimension in input_dimensions(table).items()}
    return Term(name, tuple(inputs), parse(table.text("expression"), {**names, **inputs}, where=table.where))


def _of_family(family: TermFamily, table: TomlTable, name: str) -> Model:
    if "data" in table:
        from pipeline.projection.fitting.measured_columns import DATA_KEYS, read_measurements

        table.check_keys((*DATA_KEYS, *family.stated))
        symbols = family.build(name).symbols
        given = {
            key: _quantity(table.content[key], key, symbols[f"{name}.{key}"], table).value
            for key in family.stated
            if key in table
        }
        inputs = {key: symbols[key] for key in family.inputs}
        data = read_measurements(table, inputs, benchmarks=family.benchmarks)
        with located(table.where):
            return family.fit(name, data, **given).model
    if "rows" in table:
        return _tabulated(family, table, name)
    model = family.build(name)
    return bind(model, _quantities(model, family, table.flattened(), name))


def _quantities(model: Model, family: TermFamily, given: TomlTable, name: str) -> dict[str, Quantity]:
    """Return the value of every parameter by its symbol."""
    symbols = {s.removeprefix(f"{name}."): s for s in model.symbols if s.startswith(f"{name}.")}
    given.check_keys(list(symbols))
    found = {}
    for key, parameter in symbols.items():
        if key not in given and key not in family.defaults:
            raise given.error(key, "is missing", f'write {key} = "value unit"')
        value = given.content.get(key, family.defaults.get(key))
        found[parameter] = _quantity(value, key, model.symbols[parameter], given)
    return found


def _quantity(value: object, key: str, dimension: Dimension, table: TomlTable) -> Quantity:
    return require_dimension(parse_quantity(value, where=table.place(key)), dimension, key, table.where)


def _tabulated(family: TermFamily, table: TomlTable, name: str) -> Model:
    """Return a family whose parameters depend on a further input by a table, linear in its logarithm."""
    table.check_keys(("by", "rows"))
    by = table.text("by")
    rows = sorted(table.tables("rows"), key=lambda row: _position(row, by))
    at = [_position(row, by) for row in rows]
    if not rows or len(set(at)) < len(at):
        hint = f"give one row per {by}"
        raise table.error("rows", f"have to differ in '{by}'", hint)
    model = family.build(name)
    bound = [_row(model, family, row, by, name) for row in rows]
    parameters = {parameter: _interpolated(parameter, symbol(by), at, bound) for parameter in bound[0]}
    whole = substitute(model, parameters)
    whole = join(whole.expression, whole.dimension, whole, symbol(by))
    return limited(whole, by, at[0], at[-1], f"{name} was measured at {by} =", tuple(at))


def _position(row: TomlTable, by: str) -> float:
    value = row.content.get(by)
    if not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise row.error(by, "is not a positive number", f"write {by} = 1024")
    return float(value)


def _row(model: Model, family: TermFamily, row: TomlTable, by: str, name: str) -> dict[str, Model]:
    """Return every parameter as a symbol of this row, bound to its value."""
    suffix = f"{by}{_position(row, by):.15g}"
    found = {}
    for parameter, quantity in _quantities(model, family, row.without(by).flattened(), name).items():
        own = f"{parameter}.{suffix}"
        found[parameter] = bind(symbol(own, quantity.dimension), {own: quantity})
    return found


def _interpolated(parameter: str, by: Model, at: list[float], rows: list[dict[str, Model]]) -> Model:
    value = rows[-1][parameter]
    for k in range(len(at) - 2, -1, -1):
        left, right = rows[k][parameter], rows[k + 1][parameter]
        share = log2(by / at[k]) / log2_of(at[k + 1] / at[k])
        between = left + (right - left) * share
        value = choose(by, at[k], left, choose(by, at[k + 1], between, value))
    return value
