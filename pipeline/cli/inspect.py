"""`pipeline inspect`: what is in a profile or a directory of runs."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Config
from pipeline.cli.output import show_skipped


@app.command("inspect")
def inspect_command(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A profile, a series file or a directory of runs.")
    ],
    config: Config = None,
    totals: Annotated[
        bool, typer.Option("--totals", help="Read the values too and show the sum of every metric.")
    ] = False,
) -> None:
    """Show runs, parameters, metrics and size of the call tree, and what is skipped and why."""
    from pipeline.config.options import load_options
    from pipeline.report.terminal import console
    from pipeline.report.terminal.inspection import show_inspection
    from pipeline.stages.inspect import inspect_path

    options = load_options(config, path if path.is_dir() else None)
    found = inspect_path(path, options.runs, totals=totals)
    show_inspection(console(), found)
    show_skipped(found["skipped"])
