"""Commands that write a stored result: `report` as a page, `export` for other tools or for a proposal."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import (
    At,
    ChosenMachines,
    Given,
    JobOptions,
    Metric,
    Out,
    chosen_efficiency,
    command,
    shared,
)
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, show_written, write_output
from pipeline.config.options import Options
from pipeline.report.export import EXPORTS, export_format

if TYPE_CHECKING:
    from pipeline.config.job_options import DescribedJob

_PROPOSAL = "proposal"
Format = StrEnum("Format", [(name, name) for name in (*(one.name for one in EXPORTS), _PROPOSAL)])  # type: ignore[misc]


@command("report", Options)
def report(
    out: Out,
    given: Given,
    at: At = None,
    machines: ChosenMachines = ChosenMachines(),
    output: Annotated[
        str | None,
        shared("--out", ": a page beside report.html, which stays as it is, '-' for standard output"),
    ] = None,
) -> None:
    """Write report.html again: for other targets or another machine."""
    from ingest.errors import UsageError
    from pipeline.stages.report import report_stored, stored_page

    efficiency = chosen_efficiency(out, given)
    if machines.on is not None:
        from pipeline.stages.projected_results import project_results

        if output is None:
            hint = "give -o FILE: report.html stays that of the machine measured on"
            raise UsageError("a report on another machine needs a file", where="--on", hint=hint)
        found = project_results(out, machines.both, at or (), efficiency)
        write_output(output, found.page)
        return
    if output is not None:
        write_output(output, stored_page(out, at or (), efficiency, machines.from_machine))
        return
    path = report_stored(out, at or (), show_notice, efficiency, measured_on=machines.from_machine)
    typer.echo(f"Report in {path}")


@command("export")
def export(
    out: Out,
    to: Annotated[
        Format,
        shared(
            "--to",
            ": measurements for Extra-P, models as CSV, the call tree for Hatchet, or figure, table and "
            "sentences for a computing-time proposal",
        ),
    ],
    output: Annotated[
        str,
        shared(
            "--out",
            ": a file, '-' for standard output. Of a proposal: the figure (.pdf, .svg, .png) or a directory, "
            "'-' for the sentences alone",
        ),
    ] = STANDARD_OUTPUT,
    at: At = None,
    metric: Metric = None,
    job: JobOptions = JobOptions(),
) -> None:
    """Write results for other tools or a computing-time proposal."""
    from ingest.errors import UsageError
    from pipeline.questions.analysis import look_ahead
    from pipeline.stages.model import require_additive, target_points
    from pipeline.store.results import read_analysis

    if to == _PROPOSAL:
        efficiency = chosen_efficiency(out, {"min_efficiency": job.efficiency})
        _export_proposal(out, at or (), efficiency, output, job.read)
        return
    if asked := [name for name, value in vars(job).items() if value is not None]:
        option = f"--{asked[0].replace('_', '-')}"
        raise UsageError(f"{to} has no jobs", where=option, hint="use --to proposal")
    form = export_format(to)
    if at and not form.predicts:
        raise UsageError(f"{to} has no predictions", where="--at", hint="omit it, or use --to csv")
    analysis = read_analysis(out, metric)
    if form.adds_up:
        require_additive(analysis)
    targets = target_points(analysis, at or ())
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    write_output(output, form.write(analysis, outlook, targets))


def _export_proposal(
    out: Path, at: Sequence[Mapping[str, float]], min_efficiency: float, output: str, job: "DescribedJob"
) -> None:
    from pipeline.stages.computing_time_proposal import proposal_text, write_proposal

    if output == STANDARD_OUTPUT:
        write_output(output, proposal_text(out, at, min_efficiency, job))
        return
    for path in write_proposal(out, at, min_efficiency, Path(output), job):
        show_written(path)
