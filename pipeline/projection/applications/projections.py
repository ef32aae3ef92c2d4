"""Projections: an application evaluated on a machine, with breakdown and intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

import numpy as np

from ingest.errors import PipelineError, UsageError, located
from ingest.record_codec import NO_ENTRY, entry
from ingest.toml_table import TomlTable
from ingest.units import TIME_DIMENSION, Dimension, unit_text
from pipeline.models.prediction import LEVEL
from pipeline.projection.applications.application_file import ApplicationFile, input_values
from pipeline.projection.expressions.evaluation import DrawnPrediction, broken_limits, predict
from pipeline.projection.expressions.expression_text import parse, text_of
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.expressions.symbolic_model import Model, constant, symbol
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import Machine, load_machine
from pipeline.projection.rooflines.region_verdicts import RegionVerdict
from pipeline.projection.rooflines.rooflines import Roofline
from pipeline.projection.terms.terms import Term, read_term
from pipeline.wording.quantities import value_text

if TYPE_CHECKING:
    from pipeline.projection.rooflines.bandwidth_projection import BandwidthProjection
    from pipeline.projection.terms.measured_term import ModelReader

_TOTAL = ("total", "total")
_SPEEDUP = ("speedup", "speedup")


@dataclass(frozen=True, kw_only=True)
class ProjectedValue:
    """A value of a breakdown with its interval.

    SI units. The path names groups from the outermost inwards; a total of another dimension has no shares.
    """

    path: tuple[str, ...]
    value: float
    lower: float
    upper: float
    dimension: Dimension = field(metadata=entry("unit", made=unit_text))
    share: Annotated[float | None, "of the total"] = None


@dataclass(frozen=True)
class Variant:
    """Another variant of the machine."""

    name: str
    total: ProjectedValue | None
    # (usual total - this total) / usual total, with its interval: what the machine loses against it
    loss: ProjectedValue | None
    reason: Annotated[str, "why there is no total"] = ""


@dataclass(frozen=True)
class MeasuredTotal:
    """What was measured, and the relative error of the projection."""

    value: float
    error: float


@dataclass(frozen=True)
class Reference:
    """The machine that a profile was measured on, and the seconds there."""

    machine: str
    value: float


@dataclass(frozen=True)
class GroupVerdict:
    """What limits a group of regions where it was measured."""

    group: str
    limited_by: str
    sentence: str


def _group_verdicts(verdicts: Mapping[str, RegionVerdict]) -> tuple[GroupVerdict, ...]:
    return tuple(GroupVerdict(name, one.bound.value, one.sentence) for name, one in verdicts.items())


@dataclass(frozen=True, kw_only=True)
class ApplicationProjection:
    """An application on a machine: total, parts, definitions, other variants."""

    document_name: ClassVar[str] = "projection"
    title: str
    machine: str
    variant: str
    level: Annotated[float, "of the intervals"]
    at: Mapping[str, float]  # every input in SI units
    total: ProjectedValue
    # the breakdown; a group is the sum of its parts, and so is the whole unless its total is stated otherwise
    parts: tuple[ProjectedValue, ...] = field(metadata=entry("breakdown"))
    definitions: tuple[ProjectedValue, ...]
    variants: tuple[Variant, ...]  # totals of the machine's other variants, all on the same draws
    measured: MeasuredTotal | None
    # reference, speedup, verdicts, roofline: of a projection by bandwidth ratios
    reference: Reference | None
    speedup: ProjectedValue | None
    verdicts: Mapping[str, RegionVerdict] = field(metadata=entry(made=_group_verdicts))
    roofline: Roofline | None
    notices: tuple[str, ...]
    formula: str = field(metadata=NO_ENTRY)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Projections over an input with several values."""

    swept: str
    projections: tuple[ApplicationProjection, ...]


@dataclass(frozen=True, eq=False)
class Composition:
    """An application put together with a machine."""

    definitions: Mapping[str, Model]
    # the breakdown by path; a shorter path is the sum of those that begin with it
    parts: Mapping[tuple[str, ...], Model]
    total: Model
    adds_up: bool = True  # whether the total is the sum of the outermost parts
    bandwidth: "BandwidthProjection | None" = None


_Path: TypeAlias = tuple[str, ...]


def compose(
    application: ApplicationFile,
    machine: Mapping[str, Model | Term],
    stored: "ModelReader",
    *,
    target: Machine | None = None,
) -> Composition:
    """Return the application's expressions as models over its inputs, with the machine's values bound.

    Loops need the machine itself, the target.
    """
    if application.bandwidth is not None:
        return _by_bandwidth(application, application.bandwidth, machine, stored)
    names: dict[str, Model | Term] = {
        **machine,
        **{name: symbol(name, entry.dimension) for name, entry in application.inputs.items()},
    }
    missing = {"mach.": f"add it to {target.path}"} if target else {}

    def loop(table: TomlTable, name: str) -> Term:
        from pipeline.projection.applications.loop_term import loop_term

        if target is None:
            raise table.error("ports", "needs a machine", "choose one with --on")
        return loop_term(table, name, names, target, missing)

    for name, table in application.terms.items():
        names[name] = loop(table, name) if "ports" in table else read_term(table, name, names, stored)

    def read(text: str, key: str) -> Model:
        return parse(text, names, where=f"{application.path}: {key}", missing=missing)

    def part(stated: str | TomlTable, key: str) -> Model:
        if isinstance(stated, str):
            return read(stated, key)
        stated.check_keys(("ports", "elements", "threads"))
        own = loop(stated.without("elements", "threads"), key)
        return own(read(stated.text("elements"), key), read(stated.text("threads", "mach.cores"), key))

    definitions = {}
    for name, text in application.define.items():
        definitions[name] = names[name] = read(text, name)
    parts = _with_sums({path: part(text, ".".join(path)) for path, text in application.parts.items()})
    if application.total is None:
        return Composition(definitions, parts, _sum_of(application, parts))
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


def _sum_of(application: ApplicationFile, parts: Mapping[tuple[str, ...], Model]) -> Model:
    with located(f"{application.path}: total", hint="give all parts the same unit, or write total = ..."):
        return reduce(add, (model for path, model in parts.items() if len(path) == 1))


def _by_bandwidth(
    application: ApplicationFile, table: TomlTable, machine: Mapping[str, Model | Term], stored: "ModelReader"
) -> Composition:
    from pipeline.projection.rooflines.bandwidth_projection import bandwidth_projection

    reference = load_machine(beside(application.path, table.text("reference")))
    names = {**machine, **machine_names(reference, "ref", stored)}
    found = bandwidth_projection(table, reference, names)
    parts: dict[tuple[str, ...], Model] = {(name,): model for name, model in found.parts.items()}
    return Composition({}, parts, found.total, adds_up=False, bandwidth=found)


def adding_up(
    values: Mapping[_Path, float], variances: Mapping[_Path, float], total: float | None
) -> dict[_Path, float]:
    """Return the values of all parts, moved so that every group is the sum of its parts.

    What is missing is given to the innermost parts in proportion to their variance, so that what is known
    well hardly moves. A shorter path is the group of those that begin with it; variances are of the innermost
    parts at least. The outermost parts add up to the total; without one, each keeps its value.
    """
    innermost = [path for path in values if not any(_within(other, path) for other in values)]
    kept = {path: value for path, value in values.items() if len(path) == 1}
    moved: dict[_Path, float] = {}
    for group, target in (kept if total is None else {(): total}).items():
        parts = [path for path in innermost if path[: len(group)] == group]
        moved |= _moved(parts, values, variances, target)
    return {
        path: moved[path] if path in moved else sum(moved[part] for part in innermost if _within(part, path))
        for path in values
    }


def _within(path: _Path, group: _Path) -> bool:
    return len(path) > len(group) and path[: len(group)] == group


def _moved(
    parts: Sequence[_Path], values: Mapping[_Path, float], variances: Mapping[_Path, float], target: float
) -> dict[_Path, float]:
    missing = target - sum(values[part] for part in parts)
    spread = sum(variances[part] for part in parts)
    if not spread:
        return {part: values[part] for part in parts}
    return {part: values[part] + missing * variances[part] / spread for part in parts}


def sweep(
    application: ApplicationFile,
    machine: Machine,
    points: Sequence[Mapping[str, float | str]],
    stored: "ModelReader",
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> tuple[ApplicationProjection, ...]:
    """Return what an application does on a machine at each of several points, all on the same draws.

    Inputs are numbers in the unit that the application states, or texts with a unit.
    """
    inputs = [input_values(application, at) for at in points]
    composed = _composed(application, machine, stored, machine.choose(variant))
    models = _models(composed)
    together = {name: [point[name] for point in inputs] for name in inputs[0]}
    with located(str(application.path)):
        found = predict(models, together, level=level)
    projections = tuple(
        _projection(composed, point, {key: p.at(k) for key, p in found.items()}, models, level)
        for k, point in enumerate(inputs)
    )
    for one, at in zip(projections, points, strict=True):
        if one.total.dimension == TIME_DIMENSION and one.total.value < 0:
            here = ", ".join(f"{name} = {value}" for name, value in at.items()) or "the usual inputs"
            what = f"the total is {value_text(one.total.value)} s at {here}"
            raise UsageError(what, where=str(application.path), hint="choose other inputs, or correct a part")
    return projections


@dataclass(frozen=True, eq=False, kw_only=True)
class _Composed:
    """An application put together with a machine and with its other variants."""

    application: ApplicationFile
    machine: Machine
    variant: str
    whole: Composition
    others: Mapping[str, Model]
    failed: tuple[Variant, ...]


def _projection(
    composed: _Composed,
    inputs: Mapping[str, float],
    found: Mapping[tuple[str, ...], DrawnPrediction],
    models: Mapping[tuple[str, ...], Model],
    level: float,
) -> ApplicationProjection:
    """Return the projection at one point from the predictions of all models there."""
    application, machine, whole = composed.application, composed.machine, composed.whole
    lines = {key: _line(key[1:], found[key], model) for key, model in models.items()}
    total = lines[_TOTAL]
    parts = _adding_up(whole, found, total)
    measured, profile = application.measured.get(machine.path.stem), whole.bandwidth
    notices = [*whole.total.notices, *broken_limits({"total": whole.total}, inputs)]
    if whole.bandwidth:
        notices += whole.bandwidth.notices
    return ApplicationProjection(
        title=application.title,
        machine=machine.name,
        variant=composed.variant,
        at=inputs,
        level=level,
        total=total,
        parts=tuple(_part(lines["part", *path], value, total) for path, value in parts.items()),
        definitions=tuple(lines["definition", name] for name in whole.definitions),
        variants=(*(_variant(name, composed, lines, inputs) for name in composed.others), *composed.failed),
        measured=None if measured is None else MeasuredTotal(measured, total.value / measured - 1),
        reference=Reference(profile.machine, profile.reference) if profile else None,
        speedup=lines.get(_SPEEDUP),
        verdicts=profile.verdicts if profile else {},
        roofline=profile.roofline if profile else None,
        notices=tuple(notices),
        formula=text_of(whole.total.expression),
    )


def _variant(
    name: str,
    composed: _Composed,
    lines: Mapping[tuple[str, ...], ProjectedValue],
    inputs: Mapping[str, float],
) -> Variant:
    """Return the total under another variant, or why it has none at these inputs."""
    try:
        broken_limits({name: composed.others[name]}, inputs)
    except PipelineError as error:
        return Variant(name, None, None, error.what)
    return Variant(name, lines["variant", name], lines["loss", name])


def _models(composed: _Composed) -> dict[tuple[str, ...], Model]:
    """Return everything to evaluate on the same draws, by what it is and its path."""
    whole = composed.whole
    models: dict[tuple[str, ...], Model] = {_TOTAL: whole.total}
    models |= {("part", *path): model for path, model in whole.parts.items()}
    models |= {("definition", name): model for name, model in whole.definitions.items()}
    for name, model in composed.others.items():
        models["variant", name] = model
        models["loss", name] = (whole.total - model) / whole.total
    if whole.bandwidth:
        models[_SPEEDUP] = constant(whole.bandwidth.reference, TIME_DIMENSION) / whole.total
    return models


def _composed(
    application: ApplicationFile, machine: Machine, stored: "ModelReader", chosen: str
) -> _Composed:
    names = machine_names(machine, "mach", stored, variant=chosen)
    totals: dict[str, Model] = {}
    failed = []
    for name in machine.variants:
        if name == chosen:
            continue
        try:
            other = machine_names(machine, "mach", stored, variant=name, read=names)
            totals[name] = composition(application, machine, other, stored).total
        except PipelineError as error:
            failed.append(Variant(name, None, None, error.what))
    return _Composed(
        application=application,
        machine=machine,
        variant=chosen,
        whole=composition(application, machine, names, stored),
        others=totals,
        failed=tuple(failed),
    )


def composition(
    application: ApplicationFile, machine: Machine, names: Mapping[str, Model | Term], stored: "ModelReader"
) -> Composition:
    """Return an application on a machine; UsageError if that has inputs which the application lacks."""
    whole = compose(application, names, stored, target=machine)
    lacking = sorted(set(whole.total.inputs) - set(application.inputs))
    if lacking:
        what = f"{machine.path} depends on '{lacking[0]}', which is not an input here"
        raise UsageError(what, where=str(application.path), hint=f"add {lacking[0]} to [inputs]")
    return whole


def _line(path: tuple[str, ...], found: DrawnPrediction, model: Model) -> ProjectedValue:
    value, lower, upper = (float(end[0]) for end in (found.value, found.lower, found.upper))
    return ProjectedValue(path=path, value=value, lower=lower, upper=upper, dimension=model.dimension)


def _adding_up(
    whole: Composition, found: Mapping[tuple[str, ...], DrawnPrediction], total: ProjectedValue
) -> dict[tuple[str, ...], float]:
    """Return the value of every part; medians of rival formulas are moved until they add up."""
    values = {path: float(found["part", *path].value[0]) for path in whole.parts}
    if not any(ensemble.rivals for ensemble in whole.total.ensembles):
        return values
    variances = {path: float(np.var(found["part", *path].draws)) for path in whole.parts}
    return adding_up(values, variances, total.value if whole.adds_up else None)


def _part(line: ProjectedValue, value: float, total: ProjectedValue) -> ProjectedValue:
    """Return a part at the value with which all add up, and its share of the total."""
    share = value / total.value if line.dimension == total.dimension and total.value else None
    return replace(line, value=value, lower=min(line.lower, value), upper=max(line.upper, value), share=share)
