"""`pipeline baseline`: record how a program scales today, for later checks."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import Config, From, Given, On, chosen_places, declared_options
from pipeline.cli.output import STANDARD_OUTPUT, reading_progress, show_notices, show_skipped, write_output
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
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Baseline file to write, '-' for standard output."
        ),
    ] = "baseline.json",
    from_machine: From = None,
    on: On = None,
    machine: Machine = None,
    config: Config = None,
) -> None:
    """Write measured values, models and noise of every kernel to a file for `pipeline check`."""
    from pipeline.stages.check import baseline_text, read_study
    from pipeline.store.atomic import write_text

    options = load_options(config, path if path.is_dir() else None, **given)
    study = read_study(path, options, machine or "", reading_progress, chosen_places(from_machine, on))
    show_skipped(study.damaged)
    show_notices(study.notices)
    configuration = {"scaling": options.scaling, "metric": options.metric}
    text, count = baseline_text(study, options, configuration)
    if output == STANDARD_OUTPUT:
        write_output(output, text)
    else:
        write_text(Path(output), text)
        points = len(study.measurements.points)
        typer.echo(f"Baseline of {count} kernels at {points} points in {output}")
