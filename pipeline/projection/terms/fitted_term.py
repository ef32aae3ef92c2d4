"""Terms whose formula a file states, fitted to measurements in the unit of the formula."""

import math
from dataclasses import replace

from ingest.errors import UsageError, located
from ingest.toml_table import TomlTable
from ingest.units import Dimension, parse_quantity
from pipeline.projection.expressions.expression_text import parse
from pipeline.projection.expressions.symbolic_model import Model, symbol
from pipeline.projection.fitting.formula_fit import Parameter, fit
from pipeline.projection.fitting.measured_columns import DATA_KEYS, read_measurements
from pipeline.projection.terms.families import input_dimensions

_KEYS = ("model", "formula", "inputs", "parameters", *DATA_KEYS)
_PARAMETER_KEYS = ("unit", "lower", "upper", "start")


def fitted_term(table: TomlTable, name: str) -> tuple[tuple[str, ...], Model]:
    """Return inputs and model of a term that states ``model = "fitted"``."""
    table.check_keys(_KEYS)
    inputs, stated = input_dimensions(table), table.table("parameters")
    read = {key: _parameter(stated, key) for key in stated.content}
    if "data" not in table or not read:
        lacking, hint = (
            ("data", 'write data = "sweep.csv"') if read else ("parameters", 'write parameters = { a = "s" }')
        )
        raise table.error(lacking, "is missing", hint)
    clash = sorted(set(inputs) & set(read))
    if clash:
        raise UsageError(f"'{clash[0]}' is an input and a parameter", where=table.where, hint="rename one")
    names = {key: symbol(key, dimension) for key, dimension in inputs.items()}
    free = {key: symbol(f"{name}.{key}", dimension) for key, (_, dimension) in read.items()}
    formula = parse(table.text("formula"), {**names, **free}, where=table.place("formula"))
    data = read_measurements(table, inputs, formula.dimension)
    parameters = [replace(parameter, name=f"{name}.{key}") for key, (parameter, _) in read.items()]
    with located(table.where):
        found = fit(name, formula, parameters, data)
    return tuple(inputs), found.model


def _parameter(stated: TomlTable, key: str) -> tuple[Parameter, Dimension]:
    """Return a parameter by its own name, bounds in SI units, and its dimension."""
    given = stated.content[key]
    table = stated.inside(given if isinstance(given, dict) else {"unit": given}, key)
    table.check_keys(_PARAMETER_KEYS)
    unit = parse_quantity(f"1 {table.text('unit', '1')}", where=table.place("unit"))
    lower = table.number("lower", 0.0) * unit.factor
    upper = table.number("upper", math.inf, most=math.inf) * unit.factor
    start = table.number("start") * unit.factor if "start" in table else None
    if not lower < upper:
        raise UsageError(
            f"no value between {lower:g} and {upper:g}", where=table.where, hint="correct the bounds"
        )
    return Parameter(key, lower=lower, upper=upper, start=start), unit.dimension
