"""`pipeline export`: a stored result for other tools."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At


@app.command("export")
def export_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    to: Annotated[str, typer.Option("--to", help="extrap-jsonl, csv or hatchet-json.")],
    output: Annotated[
        str, typer.Option("-o", "--output", help="File to write, '-' for standard output.")
    ] = "-",
    at: At = None,
) -> None:
    """Write measurements or models in a format that other tools read."""
    from pipeline.config.targets import parse_at
    from pipeline.models.analysis import look_ahead
    from pipeline.report.export import export
    from pipeline.stages.model import target_points
    from pipeline.store.atomic import write_text
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    outlook = look_ahead(analysis, analysis.callpaths, target_points(analysis, parse_at(at or [])))
    text = export(analysis, outlook, to)
    if output == "-":
        typer.echo(text, nl=False)
    else:
        write_text(Path(output), text)
