"""Compositions: an application put together with a machine, as models over the application's inputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

from ingest.errors import UsageError
from pipeline.projection.application import Application
from pipeline.projection.bandwidth import BandwidthProjection, bandwidth_projection
from pipeline.projection.files import Table, beside
from pipeline.projection.machine import load_machine, machine_names
from pipeline.projection.measured import ModelReader
from pipeline.projection.model import Model, symbol
from pipeline.projection.parse import parse
from pipeline.projection.terms import Term, read_term


@dataclass(frozen=True, eq=False)
class Composition:
    """An application put together with a machine.

    Attributes:
        definitions: intermediate quantities by name.
        parts: the breakdown by path; a shorter path is the sum of those that begin with it.
        total: the whole.
        adds_up: whether the total is the sum of the outermost parts.
        bandwidth: the projection by bandwidth ratios, if the application is one.
    """

    definitions: Mapping[str, Model]
    parts: Mapping[tuple[str, ...], Model]
    total: Model
    adds_up: bool = True
    bandwidth: BandwidthProjection | None = None


def compose(
    application: Application,
    machine: Mapping[str, Model | Term],
    stored: ModelReader,
    *,
    missing: Mapping[str, str] | None = None,
) -> Composition:
    """Return the application's expressions as models over its inputs, with the machine's values bound.

    Args:
        application: the program.
        machine: what `machine_names` returned, of one or more machines.
        stored: reads the scaling models of a results directory.
        missing: hints for unknown names, by how they begin.

    Raises:
        UsageError, InputError: an expression or a term is invalid.
    """
    if application.bandwidth is not None:
        return _by_bandwidth(application, application.bandwidth, machine, stored)
    names: dict[str, Model | Term] = {
        **machine,
        **{name: symbol(name, entry.dimension) for name, entry in application.inputs.items()},
    }
    for name, table in application.terms.items():
        names[name] = read_term(table, name, names, stored)

    def read(text: str, key: str) -> Model:
        return parse(text, names, where=f"{application.path}: {key}", missing=missing)

    definitions = {}
    for name, text in application.define.items():
        definitions[name] = names[name] = read(text, name)
    parts = _with_sums({path: read(text, ".".join(path)) for path, text in application.parts.items()})
    if application.total is None:
        return Composition(definitions, parts, _sum(application, parts))
    names |= {".".join(path): model for path, model in parts.items()}
    return Composition(definitions, parts, read(application.total, "total"), adds_up=False)


def _with_sums(parts: Mapping[tuple[str, ...], Model]) -> dict[tuple[str, ...], Model]:
    """Return the parts and, before them, the sums of those whose paths begin alike."""
    found: dict[tuple[str, ...], Model] = {}
    for path, model in parts.items():
        for length in range(1, len(path)):
            above = path[:length]
            found[above] = found[above] + model if above in found else model
        found[path] = model
    return found


def _sum(application: Application, parts: Mapping[tuple[str, ...], Model]) -> Model:
    try:
        return reduce(add, (model for path, model in parts.items() if len(path) == 1))
    except UsageError as error:
        where, hint = f"{application.path}: total", "give all parts the same unit, or write total = ..."
        raise UsageError(error.what, where=where, hint=error.hint or hint) from error


def _by_bandwidth(
    application: Application, table: Table, machine: Mapping[str, Model | Term], stored: ModelReader
) -> Composition:
    reference = load_machine(beside(application.path, table.text("reference")))
    names = {**machine, **machine_names(reference, "ref", stored)}
    found = bandwidth_projection(table, reference, names)
    parts: dict[tuple[str, ...], Model] = {(name,): model for name, model in found.parts.items()}
    return Composition({}, parts, found.total, adds_up=False, bandwidth=found)
