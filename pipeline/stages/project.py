"""Projections: the files named on the command line, stored models, what is shipped, and plots."""

import json
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from ingest.errors import UsageError
from pipeline.projection.applications.application import Application, load_application
from pipeline.projection.applications.projections import Projection
from pipeline.projection.applications.projections import project as project_application
from pipeline.projection.applications.projections import sweep as sweep_application
from pipeline.projection.expressions.evaluation import LEVEL
from pipeline.projection.expressions.toml_tables import beside, shipped
from pipeline.projection.machines.machine_values import Machine, load_machine
from pipeline.projection.terms.measured_term import Level, StoredModels
from pipeline.report.roofline_plot import FORMS, write_roofline
from pipeline.report.sweep_plot import write_sweep
from pipeline.store.arrow import read_table
from pipeline.store.atomic import write_bytes
from pipeline.store.generation import StoredResult, damaged, read_result
from pipeline.store.models import from_table
from pipeline.store.results import DAMAGE, MODELS, REGION_MODELS, SUMMARY


def project(
    application: str | Path,
    machine: str | Path | None = None,
    at: Mapping[str, float | str] | None = None,
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> Projection:
    """Return what an application does on a machine.

    Args:
        application: its file, or the name of a shipped one.
        machine: its file, or the name of a shipped one; by default the one that the application names.
        at: inputs by name: numbers in the unit that the application states, or texts with a unit.
        variant: which of the machine's variants, by default the usual one.
        level: probability of the intervals.

    Raises:
        UsageError, InputError, ModelError: one line for every mistake in files or inputs.
    """
    program = load_application(application)
    target = target_machine(program, machine)
    return project_application(program, target, at or {}, stored_models, variant=variant, level=level)


def sweep(
    application: str | Path,
    machine: str | Path | None,
    points: Sequence[Mapping[str, float | str]],
    *,
    variant: str | None = None,
    level: float = LEVEL,
) -> tuple[Projection, ...]:
    """Return what an application does on a machine at each of several points; arguments as of `project`.

    Raises:
        UsageError, InputError, ModelError: one line for every mistake in files or inputs.
    """
    program = load_application(application)
    target = target_machine(program, machine)
    return sweep_application(program, target, points, stored_models, variant=variant, level=level)


def target_machine(application: Application, machine: str | Path | None) -> Machine:
    """Return the machine of that file or name or, if none is given, the application's own.

    Raises:
        UsageError, InputError: neither names one, or its file is invalid.
    """
    if machine is not None:
        return load_machine(machine)
    if application.machine is None:
        hint = f"choose one with --on: a file, or one of {', '.join(shipped('machine'))}"
        raise UsageError("no machine to project to", where=str(application.path), hint=hint)
    return load_machine(beside(application.path, application.machine))


def stored_models(directory: Path, level: Level) -> StoredModels:
    """Return the scaling models of a results directory, of its regions or of its call paths.

    Raises:
        InputError: the directory does not hold them.
    """
    return read_result(directory, lambda stored: _models(stored, level))


def _models(stored: StoredResult, level: Level) -> StoredModels:
    contents = stored.read(MODELS if level == "callpath" else REGION_MODELS), stored.read(SUMMARY)
    try:
        table = read_table(contents[0])
        models = from_table(table)
        callpaths = tuple(tuple(names) for names in table["callpath"].to_pylist())
        unit = json.loads(contents[1])["total"]["unit"]
    except DAMAGE as error:
        raise damaged(stored.directory, str(error)) from error
    return StoredModels(models, callpaths, str(unit))


def shipped_applications() -> tuple[Application, ...]:
    """Return the applications that come with the package, by name."""
    return tuple(load_application(name) for name in shipped("application"))


def shipped_machines() -> tuple[Machine, ...]:
    """Return the machines that come with the package, by name."""
    return tuple(load_machine(name) for name in shipped("machine"))


def draw_projection(path: Path, projections: Sequence[Projection], swept: str) -> None:
    """Write a plot of a sweep or, if nothing is swept, the roofline of a projection.

    Args:
        path: a .png or .svg file.
        projections: one, or one per value of the input that is swept.
        swept: that input, or empty.

    Raises:
        UsageError: there is nothing to draw, the file is neither PNG nor SVG, or it cannot be written.
    """
    form = path.suffix.lstrip(".")
    if form not in FORMS:
        raise UsageError(f"'{path}' is neither .png nor .svg", where="--output")
    write_bytes(path, projection_image(form, projections, swept))


def projection_image(form: str, projections: Sequence[Projection], swept: str) -> bytes:
    """Return the bytes of the PNG or SVG file that `draw_projection` writes.

    Raises:
        UsageError: there is nothing to draw.
    """
    image = BytesIO()
    if swept:
        write_sweep(image, form, projections, swept)
        return image.getvalue()
    profile = projections[0].profile
    if profile is None or profile.roofline is None:
        hint = (
            "sweep an input, such as --at P=64:4096:x2; a projection by bandwidth ratios has a roofline "
            "if its reference machine states a peak"
        )
        raise UsageError("nothing is swept, and this projection has no roofline", where="--output", hint=hint)
    write_roofline(image, form, profile.roofline)
    return image.getvalue()
