"""`pipeline advise`: what to measure next."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Json, Out
from pipeline.cli.output import write_summary


@app.command("advise")
def advise_command(
    out: Out,
    budget: Annotated[float, typer.Option("--budget", metavar="CORE-S", help="Core-seconds to spend.")],
    at: At = None,
    json: Json = None,
) -> None:
    """Plan the measurements that narrow the prediction at the target most per core-second."""
    from pipeline.config.targets import parse_at
    from pipeline.report.summary import advice_summary
    from pipeline.report.terminal import console
    from pipeline.report.terminal.advice import show_advice
    from pipeline.stages.advise import advise_analysis
    from pipeline.stages.model import target_points
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    target = target_points(analysis, parse_at(at or []))[-1]
    plan = advise_analysis(analysis, target, budget)
    names, kernels = analysis.experiment.parameters, analysis.callpaths.kernels
    if not write_summary(json, advice_summary(plan, names, kernels)):
        show_advice(console(), plan, names, kernels)
