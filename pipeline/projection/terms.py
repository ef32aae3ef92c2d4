"""Terms: the named functions of machine and application files, such as ``FF(V)`` or ``message(x)``.

A term states a family and its parameters, or the data to fit them to, or an expression in other terms.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.errors import InputError, UsageError
from pipeline.projection.binding import bind, limited, substitute
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.families import FAMILIES, Family
from pipeline.projection.measured_terms import measured_term
from pipeline.projection.model import Limit, Model, choose, log2, symbol
from pipeline.projection.parse import Names, parse
from pipeline.projection.ports.term import port_term
from pipeline.projection.quantity import Quantity, parse_quantity
from pipeline.projection.symbolic import real_symbol
from pipeline.projection.toml_tables import (
    Table,
    check_keys,
    flattened,
    path_at,
    rows_at,
    table_at,
    text_at,
)
from pipeline.projection.units import TIME, parse_unit
from pipeline.projection.vector_loops.term import vector_loop_term


@dataclass(frozen=True, eq=False)
class Term:
    """A model to be called with other models in the place of its inputs."""

    name: str
    inputs: tuple[str, ...]
    model: Model

    def __call__(self, *arguments: Model) -> Model:
        """Return the model with the arguments put in.

        Raises:
            UsageError: where their number or units are wrong.
        """
        if len(arguments) != len(self.inputs):
            taken = ", ".join(self.inputs) or "nothing"
            raise UsageError(f"{self.name}() takes {taken}, not {len(arguments)} arguments")
        return substitute(self.model, dict(zip(self.inputs, arguments, strict=True)))


@dataclass(frozen=True)
class Place:
    """Where a term stands: its name with prefix, what to call it in errors, and its file's folder."""

    name: str
    where: str
    folder: Path


def read_term(table: Table, place: Place, names: Names) -> Term:
    """Return the term that a table of a file states.

    Args:
        table: what the file says.
        place: where it says so.
        names: what expressions in it may use.

    Raises:
        InputError: where keys are missing or unknown.
        UsageError: where a value or an expression cannot be meant.
    """
    if "expression" in table:
        return _expression(table, place, names)
    family = text_at(table, "model", place.where)
    if family == "measured":
        return Term(place.name, *measured_term(table, place.name, place.where, place.folder))
    if family == "ports":
        return Term(place.name, *port_term(table, place.name, place.where, place.folder))
    if family == "vector_loop":
        return Term(place.name, *vector_loop_term(table, place.name, place.where, place.folder, names))
    if family not in FAMILIES:
        known = ", ".join([*FAMILIES, "measured", "ports", "vector_loop"])
        raise InputError(f"no model '{family}'", where=place.where, hint=f"models are {known}")
    model = _of_family(FAMILIES[family], table, place)
    return Term(place.name, FAMILIES[family].inputs, model)


def _expression(table: Table, place: Place, names: Names) -> Term:
    check_keys(table, ("expression", "inputs"), place.where)
    inputs = {
        name: symbol(name, parse_unit(str(unit))[1])
        for name, unit in table_at(table, "inputs", place.where).items()
    }
    text = text_at(table, "expression", place.where)
    return Term(place.name, tuple(inputs), parse(text, {**names, **inputs}, where=place.where))


def _of_family(family: Family, table: Table, place: Place) -> Model:
    if "data" in table:
        return _fitted(family, table, place)
    if "rows" in table:
        return _tabulated(family, table, place)
    model = family.build(place.name)
    given = flattened({key: value for key, value in table.items() if key != "model"})
    return bind(model, _quantities(model, family, given, place))


def _quantities(model: Model, family: Family, given: Mapping[str, Any], place: Place) -> dict[str, Quantity]:
    parameters = [name for name in model.symbols if name.startswith(f"{place.name}.")]
    short = {name.removeprefix(f"{place.name}."): name for name in parameters}
    check_keys(given, list(short), place.where)
    found = {}
    for key, name in short.items():
        if key not in given and key not in family.defaults:
            raise InputError(f"'{key}' is missing", where=place.where, hint=f'write {key} = "value unit"')
        value = given.get(key, family.defaults.get(key))
        found[name] = _in(
            model.symbols[name], parse_quantity(value, where=f"{place.where}: {key}"), key, place
        )
    return found


def _in(dimension: object, quantity: Quantity, key: str, place: Place) -> Quantity:
    if quantity.dimension != dimension:
        what = f"unit mismatch: '{key}' has to be in {dimension}, it is in {quantity.dimension}"
        raise UsageError(what, where=place.where, hint="correct its unit")
    return quantity


def _tabulated(family: Family, table: Table, place: Place) -> Model:
    """Return a family whose parameters depend on a further input by a table, linear in its logarithm."""
    check_keys(table, ("model", "by", "rows"), place.where)
    by = text_at(table, "by", place.where)
    rows = sorted(rows_at(table, "rows", place.where), key=lambda row: _row_at(row, by, place))
    model = family.build(place.name)
    at = [_row_at(row, by, place) for row in rows]
    if not rows or len(set(at)) < len(at):
        hint = f"give every {by} one row"
        raise InputError(f"the rows have to differ in '{by}'", where=place.where, hint=hint)
    bound = [_row(model, family, row, by, place) for row in rows]
    parameters = {name: _interpolated(name, symbol(by), at, bound) for name in bound[0]}
    whole = substitute(model, parameters)
    limit = Limit(
        expression=real_symbol(by),
        lower=at[0],
        upper=at[-1],
        says=f"{place.name} was measured at {by} =",
        points=tuple(at),
    )
    return limited(whole, limit)


def _row_at(row: Table, by: str, place: Place) -> float:
    value = row.get(by)
    if not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise InputError(f"a row has no positive '{by}'", where=place.where, hint=f"write {by} = 1024")
    return float(value)


def _row(model: Model, family: Family, row: Table, by: str, place: Place) -> dict[str, Model]:
    here = f"{by}{_row_at(row, by, place):.15g}"
    given = flattened({key: value for key, value in row.items() if key != by})
    quantities = _quantities(model, family, given, place)
    return {
        name: bind(symbol(f"{name}.{here}", q.dimension), {f"{name}.{here}": q})
        for name, q in quantities.items()
    }


def _interpolated(name: str, by: Model, at: list[float], rows: list[dict[str, Model]]) -> Model:
    value = rows[-1][name]
    for k in range(len(at) - 2, -1, -1):
        left, right = rows[k][name], rows[k + 1][name]
        share = log2(by / at[k]) / float(np.log2(at[k + 1] / at[k]))
        between = left + (right - left) * share
        value = choose(by, at[k], left, choose(by, at[k + 1], between, value))
    return value


def _fitted(family: Family, table: Table, place: Place) -> Model:
    """Return a family fitted to a CSV file beside the file that names it."""
    check_keys(table, ("model", "data", "where", "time", "weights"), place.where)
    if family.fit is None:
        hint = "give its parameters"
        raise InputError("this model cannot be fitted from data", where=place.where, hint=hint)
    weights = text_at(table, "weights", place.where, "relative")
    if weights not in ("relative", "equal"):
        hint = "choose relative or equal"
        raise InputError(f"no weights '{weights}'", where=place.where, hint=hint)
    columns = read_columns(path_at(table, "data", place.where, place.folder))
    rows = columns.where(dict(table_at(table, "where", place.where)))
    model = family.build(place.name)
    data = {name: columns.numbers(name, model.symbols[name], rows) for name in family.inputs}
    times = columns.numbers(text_at(table, "time", place.where, "time"), TIME, rows)
    return family.fit(place.name, data, times, "equal" if weights == "equal" else "relative").model
