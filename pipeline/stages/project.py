"""Projections of applications: files, stored models, what stands behind a result, what is shipped, plots."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import UsageError
from pipeline.models.prediction import LEVEL
from pipeline.projection.applications.application_file import ApplicationFile, input_values, load_application
from pipeline.projection.applications.projections import ApplicationProjection, Composition, Sweep, compose
from pipeline.projection.applications.projections import sweep as sweep_application
from pipeline.projection.expressions.evaluation import Sensitivities, sensitivities
from pipeline.projection.expressions.expression_text import Language, export
from pipeline.projection.expressions.shipped_files import beside, shipped
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import Machine, load_machine

if TYPE_CHECKING:
    from pipeline.config.application_inputs import Inputs
    from pipeline.projection.applications.application_times import AskedTimes
    from pipeline.projection.terms.measured_term import Level, StoredModels
    from pipeline.questions.held_out import HeldOutComparison


def project(
    application: str | Path,
    machine: str | Path | None = None,
    at: Mapping[str, float | str] | None = None,
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> ApplicationProjection:
    """Return what an application does on a machine.

    The machine is by default the one that the application names. Inputs are numbers in the unit that the
    application states, or texts with a unit.
    """
    return sweep(application, machine, [at or {}], variant=variant, level=level)[0]


def sweep(
    application: str | Path,
    machine: str | Path | None,
    points: Sequence[Mapping[str, float | str]],
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> tuple[ApplicationProjection, ...]:
    """Return what an application does on a machine at each of several points; else as `project`."""
    program, target = files(application, machine)
    found = sweep_application(program, target, points, stored_models, variant=variant, level=level)
    if program.counters is None:
        return found
    said: tuple[str, ...] = ("[counters] is compared at single inputs: give one value of each with --at",)
    from pipeline.projection.applications.counted_loops import compared_counts

    if len(found) == 1:
        said = compared_counts(program, target, stored_models, found[0].at, found[0].variant)
    return tuple(replace(one, notices=(*one.notices, *said)) for one in found)


def files(application: str | Path, machine: str | Path | None) -> tuple[ApplicationFile, Machine]:
    """Return an application and the machine to project it to; by default the application's own."""
    program = load_application(application)
    if machine is not None:
        return program, load_machine(machine)
    if program.machine is None:
        hint = f"choose one with --on: a file, or one of {', '.join(shipped('machine'))}"
        raise UsageError("no machine to project to", where=str(program.path), hint=hint)
    return program, load_machine(beside(program.path, program.machine))


def asked_times(
    program: ApplicationFile, target: Machine, at: "Inputs", node_cores: float | None = None
) -> "AskedTimes":
    """Return the wall times of an application over what is swept, or what counts processes.

    It goes without a value of the scale as far as its terms reach, with one up to it, with several to those.
    Nodes of `node_cores` are paid for as a whole, by default those of the machine.
    """
    from pipeline.projection.applications.application_times import application_times

    return application_times(program, target, _whole(program, target).total, at.values, at.swept, node_cores)


def crossovers_of(
    program: ApplicationFile, target: Machine, at: "Inputs", variant: str | None = None
) -> tuple[str, ...]:
    """Say where parts of an application pass each other over what is swept."""
    from pipeline.projection.applications.application_times import part_crossovers

    points = [input_values(program, given) for given in at.values]
    return tuple(part_crossovers(_whole(program, target, variant), points, at.swept))


def held_out_of(
    program: ApplicationFile, target: Machine, at: "Inputs", conditions: Sequence[str]
) -> "HeldOutComparison":
    """Fit the terms of an application without the measurements that meet conditions, and compare."""
    from pipeline.projection.applications.held_out_times import held_out_times, without

    both = without(program, target, conditions)
    return held_out_times(*both, _whole(*both).total, at.values[0], conditions, stored_models)


def sensitivities_of(
    program: ApplicationFile, target: Machine, at: Mapping[str, float | str], *, variant: str | None = None
) -> Sensitivities:
    """Return how the total responds to every input and machine value."""
    return Sensitivities(sensitivities(_whole(program, target, variant).total, input_values(program, at)))


def export_application(
    application: str | Path, machine: str | Path | None, language: Language, *, variant: str | None = None
) -> str:
    """Return an application's total on a machine as source text."""
    program, target = files(application, machine)
    title = f"{program.title} on {target.name}, SI units"
    return export(_whole(program, target, variant).total, language, name=program.path.stem, title=title)


def _whole(program: ApplicationFile, target: Machine, variant: str | None = None) -> Composition:
    names = machine_names(target, "mach", stored_models, variant=variant)
    return compose(program, names, stored_models, target=target)


def stored_models(directory: Path, level: "Level") -> "StoredModels":
    """Return the scaling models of a results directory, of its regions or of its call paths."""
    from pipeline.projection.terms.measured_term import StoredModels
    from pipeline.store.results import read_models

    return StoredModels(*read_models(directory, level == "callpath"))


def projection_image(form: str, sweep: Sweep) -> bytes:
    """Return a plot of a sweep or, if nothing is swept, the roofline of its one projection, if it has one."""
    from pipeline.report.plots import image, roofline_figure, sweep_figure

    if sweep.swept:
        return image(sweep_figure(sweep), form)
    roofline = sweep.projections[0].roofline
    if roofline is None:
        hint = (
            "sweep an input, such as --at P=64:4096:x2; a projection by bandwidth ratios has a roofline "
            "if its reference machine states a peak"
        )
        raise UsageError("nothing is swept, and this projection has no roofline", where="--out", hint=hint)
    return image(roofline_figure(roofline), form)
