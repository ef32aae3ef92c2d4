"""What `pipeline project` shows of an application: its parts, a sweep, sensitivities, or its formula."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.cli.output import STANDARD_OUTPUT, show_written, write_summary, write_table

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.projection.applications.application import Inputs
    from pipeline.report.tables.data_table import DataTable

DETAILS = ("sensitivities", "strategies", "ports", "models", "threads")


@dataclass(frozen=True)
class Targets:
    """Where results go: the values of ``--json``, ``--output`` and ``--format``."""

    json: str | None
    plot: str | None
    form: str


def project_application(
    application: str,
    machine: str | None,
    at: list[str],
    variant: str | None,
    *,
    show: str,
    export: str | None,
    targets: Targets,
) -> None:
    """Project an application and show or write what was asked for.

    Raises:
        UsageError: options contradict each other, or their values are invalid.
        InputError, ModelError: a file is damaged, or the model has no value.
    """
    from ingest.errors import UsageError
    from pipeline.projection.applications.application import read_inputs

    if export is not None:
        others = bool(at or targets.json or targets.plot or show != "parts")
        _export(application, machine, variant, export, others=others)
        return
    inputs = read_inputs(at)
    if show == "parts":
        _show_parts(application, machine, inputs, variant, targets)
        return
    if show not in DETAILS:
        hint = f"choose one of parts, {', '.join(DETAILS)}"
        raise UsageError(f"'{show}' is not known", where="--show", hint=hint)
    if inputs.swept or targets.plot is not None:
        raise UsageError(f"{show} are shown at one point", where="--show", hint="omit the sweep and --output")
    document, table = _details(show, application, machine, inputs, variant)
    if not (write_summary(targets.json, document) or write_table(targets.form, table)):
        from pipeline.report.terminal import console
        from pipeline.report.terminal.tables import show_data_table

        show_data_table(console(), table())


def _show_parts(
    application: str,
    machine: str | None,
    inputs: "Inputs",
    variant: str | None,
    targets: Targets,
) -> None:
    from pipeline.report.projection_table import projection_json, show_projection
    from pipeline.report.standard_output import write_standard_output
    from pipeline.report.sweep_table import show_sweep, sweep_json, sweep_table
    from pipeline.report.tables.projection import projection_table
    from pipeline.report.terminal import console
    from pipeline.stages.project import draw_projection, projection_image, sweep

    found = sweep(application, machine, inputs.values, variant=variant)
    plot = targets.plot
    if plot == STANDARD_OUTPUT:
        write_standard_output(projection_image("svg", found, inputs.swept))
        return
    if plot is not None:
        draw_projection(Path(plot), found, inputs.swept)
        show_written(plot)
    document: dict[str, Any]
    table: Callable[[], DataTable]
    draw: Callable[[Console], None]
    if inputs.swept:
        document = sweep_json(found, inputs.swept)
        table, draw = lambda: sweep_table(document), lambda out: show_sweep(out, found, inputs.swept)
    else:
        document = projection_json(found[0])
        table, draw = lambda: projection_table(document), lambda out: show_projection(out, found[0])
    if not (write_summary(targets.json, document) or write_table(targets.form, table)):
        draw(console())


def _export(
    application: str, machine: str | None, variant: str | None, language: str, *, others: bool
) -> None:
    from ingest.errors import UsageError
    from pipeline.projection.expressions.source_text import LANGUAGES
    from pipeline.stages.project_details import export_application

    chosen = next((name for name in LANGUAGES if name == language), None)
    if chosen is None:
        hint = f"choose one of {', '.join(LANGUAGES)}"
        raise UsageError(f"'{language}' is not known", where="--export", hint=hint)
    if others:
        hint = "omit other options than --on and --variant"
        raise UsageError("prints the formula, with its inputs as arguments", where="--export", hint=hint)
    print(export_application(application, machine, chosen, variant=variant).rstrip())


def _details(
    show: str, application: str, machine: str | None, inputs: "Inputs", variant: str | None
) -> tuple[dict[str, Any], "Callable[[], DataTable]"]:
    """Return what stands behind a projection as plain data, and what makes a table of it."""
    from pipeline.projection.ports.threads import model_comparisons, port_loads, thread_times
    from pipeline.report.tables import port_details, projection_details
    from pipeline.stages.project_details import files, sensitivities_of, strategies_of

    document: dict[str, Any]
    if show == "sensitivities":
        found = sensitivities_of(application, machine, inputs.values[0], variant=variant)
        document = projection_details.sensitivities_json(found)
        return document, lambda: projection_details.sensitivities_table(document)
    if show == "strategies":
        loops = strategies_of(application, machine, inputs.values[0], variant=variant)
        document = projection_details.strategies_json(loops)
        return document, lambda: projection_details.strategies_table(document)
    both = files(application, machine)
    if show == "ports":
        document = port_details.loads_json(port_loads(*both))
        return document, lambda: port_details.loads_table(document)
    if show == "models":
        document = port_details.comparisons_json(model_comparisons(*both))
        return document, lambda: port_details.comparisons_table(document)
    document = port_details.threads_json(thread_times(*both))
    return document, lambda: port_details.threads_table(document)
