"""Application files: what a program does, as expressions over its inputs and a machine's values and terms.

The keys of such a file, docs/projection.md explains them:

title = "MILC su3_rmd"
machine = "power5plus"       the machine where none is asked for
[inputs]                     L = {meaning = "..."} has to be given; trajecs = 1 has a default
[terms.Amul]                 the program's own terms, such as measured scaling models
[define]                     V = "L ** 4", usable below
[parts]                      the breakdown; a table of parts is their sum
total = "T_ser + T_p2p"      where it is not simply the sum of the parts
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from ingest.errors import InputError, UsageError
from pipeline.projection.bandwidth import BandwidthProjection, bandwidth_projection
from pipeline.projection.machine import load_machine, machine_names
from pipeline.projection.model import Model, symbol
from pipeline.projection.parse import parse
from pipeline.projection.quantity import parse_quantity
from pipeline.projection.shipped import find
from pipeline.projection.terms import Place, Term, read_term
from pipeline.projection.toml_tables import Table, check_keys, flattened, read_toml, table_at, text_at
from pipeline.projection.units import TIME, Dimension

_KEYS = ("title", "source", "machine", "inputs", "terms", "define", "parts", "total", "measured", "bandwidth")


@dataclass(frozen=True, kw_only=True)
class Input:
    """Something the user sets.

    Attributes:
        name: its symbol.
        factor: what a plain number is multiplied with to be in SI units.
        dimension: what it measures.
        default: in SI units; None where it has to be given.
        meaning: for the reader.
    """

    name: str
    factor: float
    dimension: Dimension
    default: float | None
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Application:
    """A program as its file states it; expressions are still text."""

    title: str
    path: Path
    source: str
    machine: str | None
    inputs: Mapping[str, Input]
    terms: Mapping[str, Table]
    define: Mapping[str, str]
    parts: Mapping[tuple[str, ...], str]
    total: str | None
    measured: Mapping[str, float]
    bandwidth: Table | None


@dataclass(frozen=True, eq=False)
class Composition:
    """An application put together with a machine.

    Attributes:
        definitions: intermediate quantities by name.
        parts: the breakdown by path; a shorter path is the sum of those it begins.
        total: the whole.
        bandwidth: the projection from a profile, where the application is one.
    """

    definitions: Mapping[str, Model]
    parts: Mapping[tuple[str, ...], Model]
    total: Model
    bandwidth: BandwidthProjection | None = None


def load_application(name: str | Path) -> Application:
    """Return the application of that file or, where there is none, the shipped one of that name.

    Raises:
        UsageError: where there is neither, or a value cannot be meant.
        InputError: where the file is damaged.
    """
    path = find("examples", name)
    table, where = read_toml(path), str(path)
    check_keys(table, _KEYS, where)
    given = table_at(table, "inputs", where)
    terms = table_at(table, "terms", where)
    parts = table_at(table, "parts", where)
    if bool(parts) == ("bandwidth" in table):
        hint = 'write [parts] and name = "expression", or [bandwidth]'
        raise InputError("the file needs either [parts] or [bandwidth]", where=where, hint=hint)
    return Application(
        title=text_at(table, "title", where, path.stem),
        path=path,
        source=text_at(table, "source", where, ""),
        machine=text_at(table, "machine", where) if "machine" in table else None,
        inputs={name: _input(name, value, f"{where}: [inputs] {name}") for name, value in given.items()},
        terms={name: table_at(terms, name, f"{where}: [terms]") for name in terms},
        define=_texts(flattened(table_at(table, "define", where), ()), f"{where}: [define]"),
        parts=_paths(parts, f"{where}: [parts]"),
        total=text_at(table, "total", where) if "total" in table else None,
        measured={
            name: _seconds(value, f"{where}: [measured] {name}")
            for name, value in table_at(table, "measured", where).items()
        },
        bandwidth=table_at(table, "bandwidth", where) if "bandwidth" in table else None,
    )


def _seconds(given: object, where: str) -> float:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != TIME:
        raise UsageError("a measured total has to be a time", where=where, hint='write it like "12.3 s"')
    return quantity.value


def _input(name: str, given: object, where: str) -> Input:
    table = given if isinstance(given, dict) else {"value": given}
    check_keys(table, ("value", "unit", "meaning"), where)
    meaning = text_at(table, "meaning", where, "")
    if "value" not in table:
        unit = parse_quantity(f"1 {text_at(table, 'unit', where, '1')}", where=where)
        return Input(name=name, factor=unit.factor, dimension=unit.dimension, default=None, meaning=meaning)
    given_value = parse_quantity(table["value"], where=where)
    return Input(
        name=name,
        factor=given_value.factor,
        dimension=given_value.dimension,
        default=given_value.value,
        meaning=meaning,
    )


def _texts(table: Mapping[str, Any], where: str) -> dict[str, str]:
    for key, value in table.items():
        if not isinstance(value, str):
            raise InputError(f"'{key}' has to be an expression", where=where, hint=f'write {key} = "..."')
    return dict(table)


def _paths(table: Table, where: str, above: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= _paths(value, where, (*above, key))
        else:
            found[(*above, key)] = _texts({key: value}, where)[key]
    return found


def compose(
    application: Application, machine: Mapping[str, Model | Term], missing: Mapping[str, str]
) -> Composition:
    """Return the application's expressions as models over its inputs, with the machine's values bound.

    Args:
        application: the program.
        machine: what `machine_names` returned, of one or more machines.
        missing: how to hint an unknown name that begins so.

    Raises:
        UsageError, InputError: where an expression or a term cannot be meant.
    """
    if application.bandwidth is not None:
        return _of_profile(application, application.bandwidth, machine)
    where = str(application.path)
    names: dict[str, Model | Term] = {
        **machine,
        **{name: symbol(name, entry.dimension) for name, entry in application.inputs.items()},
    }
    for name, table in application.terms.items():
        place = Place(name, f"{where}: [terms.{name}]", application.path.parent)
        names[name] = read_term(table, place, names)
    definitions = {}
    for name, text in application.define.items():
        definitions[name] = names[name] = parse(text, names, where=f"{where}: {name}", missing=missing)
    parts: dict[tuple[str, ...], Model] = {}
    for path, text in application.parts.items():
        found = parse(text, names, where=f"{where}: {'.'.join(path)}", missing=missing)
        for length in range(1, len(path)):
            above = path[:length]
            parts[above] = parts[above] + found if above in parts else found
        parts[path] = found
    return Composition(definitions, parts, _total(application, parts, names, missing))


def _of_profile(application: Application, table: Table, machine: Mapping[str, Model | Term]) -> Composition:
    where = f"{application.path}: [bandwidth]"
    reference = load_machine(beside(application.path, text_at(table, "reference", where)))
    names = {**machine, **machine_names(reference, "ref")}
    place = Place("bandwidth", where, application.path.parent)
    found = bandwidth_projection(table, place, reference, names)
    return Composition({}, {(name,): model for name, model in found.parts.items()}, found.total, found)


def beside(path: Path, name: str) -> Path | str:
    """Return the file of that name beside another, or the name itself where there is none."""
    near = path.parent / name
    return near if near.is_file() else name


def _total(
    application: Application,
    parts: Mapping[tuple[str, ...], Model],
    names: Mapping[str, Model | Term],
    missing: Mapping[str, str],
) -> Model:
    where = f"{application.path}: total"
    if application.total is not None:
        named = {".".join(path): model for path, model in parts.items()}
        return parse(application.total, {**names, **named}, where=where, missing=missing)
    try:
        return reduce(add, (model for path, model in parts.items() if len(path) == 1))
    except UsageError as error:
        raise UsageError(error.what, where=where, hint="parts have to measure the same") from error
