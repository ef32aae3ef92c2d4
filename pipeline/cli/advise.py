"""`pipeline advise`: what to measure next."""

from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import At, Format, Json, Out
from pipeline.cli.output import require_table_alone, write_summary, write_table


@app.command("advise")
def advise_command(
    out: Out,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            metavar="COST",
            help="What may be spent, such as 500core-h or 3000core-s; without a unit, core-seconds. "
            "Default: as much as the study has cost so far.",
        ),
    ] = None,
    at: At = None,
    json: Json = None,
    table_format: Format = "table",
) -> None:
    """Plan the measurements that narrow the prediction at the target most per core-second."""
    from pipeline.config.budget import parse_budget
    from pipeline.config.targets import parse_at
    from pipeline.report.summary import advice_summary
    from pipeline.report.tables.measurements import advice_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.advice import show_advice
    from pipeline.stages.advise import advise_analysis, cost_so_far
    from pipeline.stages.model import target_points
    from pipeline.store.results import read_analysis
    from pipeline.wording.quantities import point_text

    require_table_alone(table_format, {"--json": json})
    analysis = read_analysis(out)
    targets = target_points(analysis, parse_at(at or []))
    spend = cost_so_far(analysis) if budget is None else parse_budget(budget, unit="core-s", where="--budget")
    plans = [advise_analysis(analysis, target, spend) for target in targets]
    names, kernels = analysis.experiment.parameters, analysis.callpaths.kernels
    points = [dict(zip(names, target, strict=True)) for target in targets.tolist()]
    summaries = [advice_summary(plan, names, kernels) for plan in plans]
    several = [{"target": point, "plan": plan} for point, plan in zip(points, summaries, strict=True)]
    if write_summary(json, several if len(plans) > 1 else summaries[0]):
        return
    if write_table(table_format, lambda: advice_table(list(zip(points, summaries, strict=True)), names)):
        return
    screen = console()
    for point, plan in zip(points, plans, strict=True):
        if len(plans) > 1:
            screen.print(f"For {point_text(point)}", soft_wrap=True, markup=False)
        show_advice(screen, plan, names, kernels)
