"""`pipeline advise`: what to measure next."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At, Json


@app.command("advise")
def advise_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    budget: Annotated[float, typer.Option("--budget", help="Core-seconds to spend.")],
    at: At = None,
    json: Json = None,
) -> None:
    """Say which further measurements would narrow the prediction at the target most per core-second."""
    from pipeline.config.targets import parse_at
    from pipeline.report.advice_table import advice_json, show_advice
    from pipeline.report.terminal import console
    from pipeline.stages.advise import advise_analysis
    from pipeline.stages.model import target_points
    from pipeline.store.atomic import json_text, write_text
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    target = target_points(analysis, parse_at(at or []))[-1]
    plan = advise_analysis(analysis, target, budget)
    names, kernels = analysis.experiment.parameters, analysis.callpaths.kernels
    told = json_text(advice_json(plan, names, kernels))
    if json == "-":
        typer.echo(told, nl=False)
        return
    if json is not None:
        write_text(Path(json), told)
    show_advice(console(), plan, names, kernels)
