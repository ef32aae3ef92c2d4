"""`pipeline run`: from a directory of profiles to a filter, models and bottlenecks."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import (
    INCOMPLETE,
    At,
    By,
    Config,
    Engine,
    Jobs,
    Json,
    Limit,
    MetricName,
    PriorName,
    ScalingChoice,
    Scheduler,
    Strict,
    level_of,
    tell,
    tell_skipped,
    write_summary,
)
from pipeline.cli.progress import watch_reading


@app.command("run")
def run_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of runs, such as app.p4.r1/.")],
    out: Annotated[Path | None, typer.Option(help="Results directory (default: results).")] = None,
    config: Config = None,
    scaling: ScalingChoice = None,
    metric: MetricName = None,
    at: At = None,
    prior: PriorName = None,
    jobs: Jobs = None,
    engine: Engine = None,
    scheduler: Scheduler = None,
    strict: Strict = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Read profiles, write a Score-P filter, model every kernel and rank the bottlenecks to come."""
    from pipeline.config.options import load_options, parse_at
    from pipeline.report.efficiency import show_efficiency
    from pipeline.report.terminal import console, show_result
    from pipeline.stages.run import run

    level = level_of(by)
    options = load_options(
        config,
        directory,
        out=out,
        scaling=scaling,
        metric=metric,
        at=parse_at(at) if at else None,
        prior=prior,
        jobs=jobs,
        engine=engine,
        scheduler=scheduler,
        strict=strict,
    )
    result = run(directory, options, watch_reading, lambda notice: tell([notice]))
    tell_skipped(result.damaged)
    tell(result.notices)
    if not write_summary(json, result.summary):
        screen = console()
        show_result(screen, result.summary, by=level, limit=limit)
        show_efficiency(screen, result.summary)
        screen.print(f"Filter: {result.filter_effect}", soft_wrap=True)
        kept = "unchanged, nothing was computed again" if result.reused else "written"
        screen.print(f"Results in {options.out}/ ({kept})", soft_wrap=True)
    if options.strict and result.damaged:
        raise typer.Exit(INCOMPLETE)
