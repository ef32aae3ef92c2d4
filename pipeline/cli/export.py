"""`pipeline export`: a stored result for other tools."""

from typing import Annotated, Literal

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Out
from pipeline.cli.output import STANDARD_OUTPUT, write_output


@app.command("export")
def export_command(
    out: Out,
    to: Annotated[
        Literal["extrap-jsonl", "csv", "hatchet-json"],
        typer.Option("--to", help="Measurements for Extra-P, models as CSV, or the call tree for Hatchet."),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File to write, '-' for standard output.")
    ] = STANDARD_OUTPUT,
    at: At = None,
) -> None:
    """Write measurements or models in another tool's format."""
    from ingest.errors import UsageError
    from pipeline.config.targets import parse_at
    from pipeline.models.analysis import look_ahead
    from pipeline.report.export import export
    from pipeline.stages.model import target_points
    from pipeline.store.results import read_analysis

    if at and to != "csv":
        raise UsageError(f"{to} has no predictions", where="--at", hint="omit it, or use --to csv")
    analysis = read_analysis(out)
    targets = target_points(analysis, parse_at(at or []))
    outlook = look_ahead(analysis, analysis.callpaths, targets)
    write_output(output, export(analysis, outlook, to, targets))
