"""`pipeline baseline`: record how a program scales today, for later checks."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Config, Given, declared_options
from pipeline.cli.output import reading_progress, show_notices, show_skipped
from pipeline.config.options import Options, load_options

Machine = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="Name of the machine; studies of different machines are not compared.",
    ),
]


@app.command("baseline")
@declared_options("baseline", Options)
def baseline_command(
    path: Annotated[
        Path, typer.Argument(metavar="DIR|OUT|FILE", help="Runs, a results directory or a series file.")
    ],
    given: Given,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Baseline file to write.")
    ] = Path("baseline.json"),
    machine: Machine = None,
    config: Config = None,
) -> None:
    """Write measured values, models and noise of every kernel to a file for `pipeline check`."""
    from pipeline.stages.check import read_study, write_baseline

    options = load_options(config, path if path.is_dir() else None, **given)
    study = read_study(path, options, machine or "", reading_progress)
    show_skipped(study.damaged)
    show_notices(study.notices)
    configuration = {"scaling": options.scaling, "metric": options.metric}
    count = write_baseline(output, study, options, configuration)
    points = len(study.measurements.points)
    typer.echo(f"Baseline of {count} kernels at {points} points in {output}")
