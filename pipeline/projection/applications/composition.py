"""Compositions: an application put together with a machine, as models over the application's inputs.

Parts add up, although the median of a sum is not the sum of the medians of its parts: see `adding_up`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

from ingest.errors import located
from ingest.toml_table import TomlTable
from pipeline.projection.applications.application import ApplicationFile
from pipeline.projection.expressions.expression_text import parse
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.expressions.symbolic_model import Model, symbol
from pipeline.projection.machines.machine_values import load_machine, machine_names
from pipeline.projection.rooflines.bandwidth_projection import BandwidthProjection, bandwidth_projection
from pipeline.projection.terms.measured_term import ModelReader
from pipeline.projection.terms.terms import Term, read_term


@dataclass(frozen=True, eq=False)
class Composition:
    """An application put together with a machine.

    Attributes:
        parts: the breakdown by path; a shorter path is the sum of those that begin with it.
        adds_up: whether the total is the sum of the outermost parts.
    """

    definitions: Mapping[str, Model]
    parts: Mapping[tuple[str, ...], Model]
    total: Model
    adds_up: bool = True
    bandwidth: BandwidthProjection | None = None


def compose(
    application: ApplicationFile,
    machine: Mapping[str, Model | Term],
    stored: ModelReader,
    *,
    missing: Mapping[str, str] | None = None,
) -> Composition:
    """Return the application's expressions as models over its inputs, with the machine's values bound.

    Args:
        machine: what `machine_names` returned, of one or more machines.

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


def _sum(application: ApplicationFile, parts: Mapping[tuple[str, ...], Model]) -> Model:
    with located(f"{application.path}: total", hint="give all parts the same unit, or write total = ..."):
        return reduce(add, (model for path, model in parts.items() if len(path) == 1))


def _by_bandwidth(
    application: ApplicationFile, table: TomlTable, machine: Mapping[str, Model | Term], stored: ModelReader
) -> Composition:
    reference = load_machine(beside(application.path, table.text("reference")))
    names = {**machine, **machine_names(reference, "ref", stored)}
    found = bandwidth_projection(table, reference, names)
    parts: dict[tuple[str, ...], Model] = {(name,): model for name, model in found.parts.items()}
    return Composition({}, parts, found.total, adds_up=False, bandwidth=found)


Path: TypeAlias = tuple[str, ...]


def adding_up(
    values: Mapping[Path, float], variances: Mapping[Path, float], total: float | None
) -> dict[Path, float]:
    """Return the values of all parts, moved so that every group is the sum of its parts.

    What is missing is given to the innermost parts in proportion to their variance, so that what is known
    well hardly moves.

    Args:
        values: by path; a shorter path is the group of those that begin with it.
        variances: of the innermost parts at least.
        total: what the outermost parts have to add up to; None if they need not, then each keeps its value.
    """
    innermost = [path for path in values if not any(_within(other, path) for other in values)]
    kept = {path: value for path, value in values.items() if len(path) == 1}
    moved: dict[Path, float] = {}
    for group, target in (kept if total is None else {(): total}).items():
        parts = [path for path in innermost if path[: len(group)] == group]
        moved |= _moved(parts, values, variances, target)
    return {
        path: moved[path] if path in moved else sum(moved[part] for part in innermost if _within(part, path))
        for path in values
    }


def _within(path: Path, group: Path) -> bool:
    return len(path) > len(group) and path[: len(group)] == group


def _moved(
    parts: Sequence[Path], values: Mapping[Path, float], variances: Mapping[Path, float], target: float
) -> dict[Path, float]:
    missing = target - sum(values[part] for part in parts)
    spread = sum(variances[part] for part in parts)
    if not spread:
        return {part: values[part] for part in parts}
    return {part: values[part] + missing * variances[part] / spread for part in parts}
