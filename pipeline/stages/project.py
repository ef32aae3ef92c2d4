"""Projections: the files named on the command line, the stored models they use, and what is shipped."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from ingest.errors import UsageError
from pipeline.projection.application import Application, load_application
from pipeline.projection.composition import compose
from pipeline.projection.export import Language, export
from pipeline.projection.files import beside, shipped
from pipeline.projection.machine import Machine, load_machine, machine_names
from pipeline.projection.measured import Level, StoredModels
from pipeline.projection.predict import LEVEL
from pipeline.projection.project import Projection
from pipeline.projection.project import project as project_application
from pipeline.report.roofline_plot import FORMS, write_roofline
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
    target = _target(program, machine)
    return project_application(program, target, at or {}, stored_models, variant=variant, level=level)


def _target(application: Application, machine: str | Path | None) -> Machine:
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


def export_application(
    application: str | Path, machine: str | Path, language: Language, *, variant: str | None = None
) -> str:
    """Return an application's total on a machine as source text; files as `project` takes them.

    Raises:
        UsageError, InputError: as `project` does.
    """
    program, target = load_application(application), load_machine(machine)
    names = machine_names(target, "mach", stored_models, variant=variant)
    total = compose(program, names, stored_models, missing={"mach.": f"add it to {target.path}"}).total
    title = f"{program.title} on {target.name}, SI units"
    return export(total, language, name=program.path.stem, title=title)


def shipped_applications() -> tuple[Application, ...]:
    """Return the applications that come with the package, by name."""
    return tuple(load_application(name) for name in shipped("application"))


def shipped_machines() -> tuple[Machine, ...]:
    """Return the machines that come with the package, by name."""
    return tuple(load_machine(name) for name in shipped("machine"))


def draw_roofline(path: Path, projection: Projection) -> None:
    """Write the roofline of a projection.

    Raises:
        UsageError: the projection has none, the file is neither PNG nor SVG, or it cannot be written.
    """
    form = path.suffix.lstrip(".")
    if form not in FORMS:
        raise UsageError(f"'{path}' is neither .png nor .svg", where="--roofline")
    write_bytes(path, roofline_image(form, projection))


def roofline_image(form: str, projection: Projection) -> bytes:
    """Return the bytes of a PNG or SVG file.

    Raises:
        UsageError: the projection has no roofline.
    """
    found = projection.profile.roofline if projection.profile else None
    if found is None:
        hint = "only a projection by bandwidth ratios has one, and its reference machine needs a peak"
        raise UsageError("this projection has no roofline", where="--roofline", hint=hint)
    image = BytesIO()
    write_roofline(image, form, found)
    return image.getvalue()
