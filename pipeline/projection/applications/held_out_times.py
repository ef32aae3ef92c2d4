"""Measurements held out of an application: its terms are fitted without them, and predict them.

Beside the data of fitted terms these are its measured wall times, which nothing is fitted to.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, UsageError
from ingest.run_conditions import OPERATORS, read_condition
from ingest.toml_table import TomlTable
from ingest.units import NONE, TIME_DIMENSION
from pipeline.projection.applications.application_file import ApplicationFile, input_values
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.fitting.measured_columns import MeasuredColumns, read_columns, rows_meeting
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.terms.measured_term import ModelReader
from pipeline.projection.terms.terms import held_out_rows, is_fitted, read_term
from pipeline.questions.held_out import HeldOutComparison, HeldOutKernel, HeldOutPoint
from pipeline.wording.quantities import Figure, point_json

_OPTION = "--hold-out"


def without(
    application: ApplicationFile, machine: Machine, conditions: Sequence[str]
) -> tuple[ApplicationFile, Machine]:
    """Return both with terms that are fitted without the measurements that meet any of some conditions."""
    for text in conditions:
        try:
            read_condition(text)
        except UsageError as error:
            hint = f"write 'P > 512': a column of the data, {' '.join(OPERATORS)}, and a number in SI units"
            raise UsageError(f"'{text}' is no condition", where=_OPTION, hint=hint) from error

    def kept(terms: Mapping[str, TomlTable]) -> Mapping[str, TomlTable]:
        return {
            name: replace(table, content={**table.content, "without": [*conditions]})
            if is_fitted(table)
            else table
            for name, table in terms.items()
        }

    return replace(application, terms=kept(application.terms)), replace(machine, terms=kept(machine.terms))


def held_out_times(
    application: ApplicationFile,
    machine: Machine,
    total: Model,
    at: Mapping[str, float | str],
    conditions: Sequence[str],
    stored: ModelReader,
) -> HeldOutComparison:
    """Compare what was held out with what is predicted without it.

    Both, and `total` of them, are as of `without`; `at` are inputs that the table of measured wall times
    lacks.
    """
    terms = tuple(_of_terms(application, machine, stored))
    points = tuple(_of_total(application, total, at, conditions))
    if not terms and not points:
        what = f"no measurement that can be held out has {' or '.join(conditions)}"
        hint = 'conditions are on columns of data files, and of measured = "times.csv"'
        every = {**machine.terms, **application.terms}
        if ports := [name for name, table in every.items() if table.content.get("model") == "ports"]:
            hint = f"variants of fitted port models ({', '.join(ports)}) cannot be; {hint}"
        raise UsageError(what, where=_OPTION, hint=hint)
    return HeldOutComparison(conditions=tuple(conditions), unit="s", points=points, kernels=terms)


def _of_terms(application: ApplicationFile, machine: Machine, stored: ModelReader) -> Iterator[HeldOutKernel]:
    """Yield how fitted terms predict what they are fitted without."""
    named = {f"mach.{name}": table for name, table in machine.terms.items()} | {**application.terms}
    for name, table in named.items():
        if not is_fitted(table):
            continue
        term = read_term(table, name, {}, stored)
        rows = held_out_rows(table, term)
        if not len(rows.values):
            continue
        found = predict({name: term.model}, rows.inputs)[name]
        inside = (found.lower <= rows.values) & (rows.values <= found.upper)
        yield HeldOutKernel(
            callpath=(name,),
            mean_error=float(np.abs(found.value / rows.values - 1).mean()),
            points=len(rows.values),
            inside=int(inside.sum()),
        )


def _of_total(
    application: ApplicationFile, total: Model, at: Mapping[str, float | str], conditions: Sequence[str]
) -> Iterator[HeldOutPoint]:
    """Yield how the total predicts measured wall times, repetitions together."""
    if application.measured_times is None:
        return
    columns = read_columns(application.measured_times)
    every = np.ones(len(columns.texts("time")), dtype=np.bool_)
    every_time = columns.numbers("time", TIME_DIMENSION, positive=True)
    rows = rows_meeting(columns, every, conditions)
    if not rows.any():
        return
    names = [name for name in application.inputs if name in columns.cells]
    lacking = [name for name in application.inputs if name in total.symbols and name not in (*names, *at)]
    if lacking:
        hint = f"add it, or say what it was with --at {','.join(f'{name}=8' for name in lacking)}"
        raise InputError(f"no column '{lacking[0]}', an input of the total", where=columns.where, hint=hint)
    values = np.stack([_values(application, columns, name) for name in names], axis=1)[rows]
    times = every_time[rows]
    points, place = np.unique(values, axis=0, return_inverse=True)
    given = input_values(application, {**dict.fromkeys(names, 1.0), **at})
    measured = np.bincount(place.ravel(), times) / np.bincount(place.ravel())
    found = predict({"total": total}, {**given, **dict(zip(names, points.T, strict=True))})["total"]
    for q in range(len(points)):
        here = found.at(q)
        value, lower, upper = (float(end[0]) for end in (here.value, here.lower, here.upper))
        yield HeldOutPoint(
            at=point_json(names, points[q]),
            measured=float(measured[q]),
            predicted=Figure.of(value, lower, upper),
            relative_error=value / float(measured[q]) - 1,
            inside=lower <= float(measured[q]) <= upper,
        )


def _values(application: ApplicationFile, columns: MeasuredColumns, name: str) -> FloatArray:
    """Return a column of an input in SI units; numbers without a unit are in that of the application."""
    entry, dimension = application.inputs[name], columns.units[name][1]
    if dimension == NONE:
        return columns.numbers(name, NONE) * entry.factor
    return columns.numbers(name, entry.dimension)
