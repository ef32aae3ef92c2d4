"""`pipeline model`: models only, from any input format."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import (
    INCOMPLETE,
    At,
    By,
    Config,
    Jobs,
    Json,
    Limit,
    MetricName,
    PriorName,
    ScalingChoice,
    Strict,
    level_of,
    tell,
    tell_skipped,
    write_summary,
)
from pipeline.cli.progress import watch_reading


@app.command("model")
def model_command(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A series file or a directory of runs.")],
    config: Config = None,
    scaling: ScalingChoice = None,
    metric: MetricName = None,
    at: At = None,
    prior: PriorName = None,
    jobs: Jobs = None,
    strict: Strict = None,
    json: Json = None,
    by: By = "callpath",
    limit: Limit = 30,
) -> None:
    """Fit and show models without writing a results directory."""
    from pipeline.config.options import load_options, parse_at
    from pipeline.report.terminal import console, show_models
    from pipeline.stages.ingest import ingest, locate, skipped_entry
    from pipeline.stages.model import summary_of_models

    level = level_of(by)
    options = load_options(
        config,
        path if path.is_dir() else None,
        scaling=scaling,
        metric=metric,
        at=parse_at(at) if at else None,
        prior=prior,
        jobs=jobs,
        strict=strict,
    )
    read = ingest(locate(path, options.runs), options.metric, options.processes, watch_reading)
    tell_skipped([skipped_entry(entry) for entry in read.damaged])
    tell(read.experiment.notices)
    summary = summary_of_models(read, options)
    if not write_summary(json, summary):
        show_models(console(), summary, by=level, limit=limit)
    if options.strict and read.damaged:
        raise typer.Exit(INCOMPLETE)
