"""`project`: an application file put on a machine and evaluated, with its breakdown and intervals."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import PipelineError, UsageError
from pipeline.projection.application import (
    Application,
    Composition,
    Input,
    beside,
    compose,
    load_application,
)
from pipeline.projection.bandwidth import BandwidthProjection
from pipeline.projection.machine import Machine, load_machine, machine_names
from pipeline.projection.model import Model, constant
from pipeline.projection.predict import LEVEL, Prediction, broken_limits, predict
from pipeline.projection.quantity import parse_quantity
from pipeline.projection.shipped import shipped
from pipeline.projection.terms import Term
from pipeline.projection.units import NONE, TIME, Dimension

_TOTAL = ("total", "total")
_SPEEDUP = ("speedup", "speedup")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A value with its interval, SI units.

    Attributes:
        path: names from the outermost group inwards.
        value: best value.
        lower: lower end of the interval.
        upper: upper end.
        dimension: what it measures.
        share: of the total, where it measures the same; else None.
    """

    path: tuple[str, ...]
    value: float
    lower: float
    upper: float
    dimension: Dimension
    share: float | None = None


@dataclass(frozen=True)
class Variant:
    """The total under another variant of the machine.

    Attributes:
        name: such as ``ideal``.
        total: its total.
        loss: (usual total - this total) / usual total, with its interval: what the machine loses against it.
        reason: why there is no total, where there is none.
    """

    name: str
    total: Line | None
    loss: Line | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Projection:
    """What an application does on a machine.

    Attributes:
        title: the application.
        machine: the machine's name.
        variant: the machine's variant.
        at: every input in SI units.
        level: probability of the intervals.
        total: the whole.
        parts: the breakdown.
        definitions: intermediate quantities.
        variants: totals of the machine's other variants, all on the same draws.
        measured: the measured total, if the application states one for this machine.
        profile: what a bandwidth projection is made from, if it is one.
        speedup: over the machine its profile was measured on, if it is one.
        notices: what a reader has to know, a sentence each.
        formula: the total as text.
    """

    title: str
    machine: str
    variant: str
    at: Mapping[str, float]
    level: float
    total: Line
    parts: tuple[Line, ...]
    definitions: tuple[Line, ...]
    variants: tuple[Variant, ...]
    measured: float | None
    profile: BandwidthProjection | None
    speedup: Line | None
    notices: tuple[str, ...]
    formula: str


def project(
    model_file: str | Path,
    machine: str | Path | None = None,
    at: Mapping[str, float | str] | None = None,
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> Projection:
    """Return what an application does on a machine.

    Args:
        model_file: the application's file, or the name of a shipped one.
        machine: the machine's file or name; the one the application names where None.
        at: inputs by name: numbers in the unit the file states, or texts with a unit.
        variant: which of the machine's variants.
        level: probability of the intervals.

    Raises:
        UsageError, InputError, ModelError: one line for every mistake in files or inputs.
    """
    application = load_application(model_file)
    target = _machine(application, machine)
    inputs = _inputs(application, at or {})
    chosen = target.choose(variant)
    names = machine_names(target, "mach", chosen)
    whole = _composition(application, target, names)
    others, failed = _others(application, target, names, chosen, inputs)
    models = _models(whole, others)
    found = predict(models, inputs, level=level)
    lines = {key: _line(key[1:], found[key], model) for key, model in models.items()}
    total = lines[_TOTAL]
    return Projection(
        title=application.title,
        machine=target.name,
        variant=chosen,
        at=inputs,
        level=level,
        total=total,
        parts=tuple(_with_share(lines["part", *path], total) for path in whole.parts),
        definitions=tuple(lines["definition", name] for name in whole.definitions),
        variants=(*(Variant(n, lines["variant", n], lines["loss", n]) for n in others), *failed),
        measured=application.measured.get(target.path.stem),
        profile=whole.bandwidth,
        speedup=lines.get(_SPEEDUP),
        notices=_notices(whole, inputs),
        formula=str(whole.total.expression),
    )


def _models(whole: Composition, others: Mapping[str, Model]) -> dict[tuple[str, ...], Model]:
    """Return everything to evaluate on the same draws, by what it is and its path."""
    models: dict[tuple[str, ...], Model] = {_TOTAL: whole.total}
    models |= {("part", *path): model for path, model in whole.parts.items()}
    models |= {("definition", name): model for name, model in whole.definitions.items()}
    for name, model in others.items():
        models["variant", name] = model
        models["loss", name] = (whole.total - model) / whole.total
    if whole.bandwidth:
        models[_SPEEDUP] = constant(whole.bandwidth.reference, TIME) / whole.total
    return models


def _notices(whole: Composition, inputs: Mapping[str, float]) -> tuple[str, ...]:
    told = [*whole.total.notices, *broken_limits({"total": whole.total}, inputs)]
    if whole.bandwidth:
        told += whole.bandwidth.notices
    return tuple(told)


def _machine(application: Application, asked: str | Path | None) -> Machine:
    if asked is None and application.machine is None:
        hint = f"choose one with --on: a file, or one of {', '.join(shipped('machines'))}"
        raise UsageError("no machine to project to", where=str(application.path), hint=hint)
    return load_machine(asked or beside(application.path, str(application.machine)))


def _composition(
    application: Application, machine: Machine, names: Mapping[str, Model | Term]
) -> Composition:
    whole = compose(application, names, {"mach.": f"add it to {machine.path}"})
    lacking = sorted(set(whole.total.inputs) - set(application.inputs))
    if lacking:
        what = f"{machine.path} depends on '{lacking[0]}', which is no input here"
        raise UsageError(what, where=str(application.path), hint=f"add {lacking[0]} to [inputs]")
    return whole


def _inputs(application: Application, at: Mapping[str, float | str]) -> dict[str, float]:
    """Return every input in SI units."""
    for name in at:
        if name not in application.inputs:
            hint = f"inputs are {', '.join(application.inputs) or 'none'}"
            raise UsageError(f"no input '{name}'", where=str(application.path), hint=hint)
    found = {name: _value(entry, at.get(name)) for name, entry in application.inputs.items()}
    missing = [name for name, value in found.items() if value is None]
    if missing:
        told = ", ".join(f"{n} ({application.inputs[n].meaning or 'no default'})" for n in missing)
        example = ",".join(f"{name}=8" for name in missing)
        raise UsageError(
            f"no value for {told}", where=str(application.path), hint=f"give it with --at {example}"
        )
    return {name: value for name, value in found.items() if value is not None}


def _value(entry: Input, given: float | str | None) -> float | None:
    if given is None:
        return entry.default
    where = f"--at {entry.name}"
    quantity = parse_quantity(given, where=where)
    if quantity.dimension == NONE and quantity.factor == 1.0:
        return quantity.value * entry.factor
    if quantity.dimension != entry.dimension:
        what = f"unit mismatch: '{entry.name}' is in {entry.dimension}, the value in {quantity.dimension}"
        raise UsageError(what, where=where, hint="correct its unit")
    return quantity.value


def _others(
    application: Application,
    machine: Machine,
    names: Mapping[str, Model | Term],
    chosen: str,
    inputs: Mapping[str, float],
) -> tuple[dict[str, Model], list[Variant]]:
    """Return the totals of the machine's other variants, and why some have none here."""
    totals: dict[str, Model] = {}
    failed = []
    for name in (machine.variant, *machine.variants):
        if name == chosen:
            continue
        try:
            total = _composition(application, machine, machine_names(machine, "mach", name, names)).total
            broken_limits({name: total}, inputs)
            totals[name] = total
        except PipelineError as error:
            failed.append(Variant(name, None, None, error.what))
    return totals, failed


def _line(path: tuple[str, ...], found: Prediction, model: Model) -> Line:
    value, lower, upper = (float(end[0]) for end in (found.value, found.lower, found.upper))
    return Line(path=path, value=value, lower=lower, upper=upper, dimension=model.dimension)


def _with_share(line: Line, total: Line) -> Line:
    alike = line.dimension == total.dimension and total.value
    return replace(line, share=line.value / total.value) if alike else line
