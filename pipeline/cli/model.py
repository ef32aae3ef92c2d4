"""`pipeline model`: models only, from any input format."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import INCOMPLETE, LEVELS, By, Config, Format, Given, Json, Limit, declared_options
from pipeline.cli.output import (
    reading_progress,
    require_table_alone,
    show_notices,
    show_skipped,
    write_summary,
    write_table,
)
from pipeline.config.options import Options, load_options


@app.command("model")
@declared_options("model", Options)
def model_command(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A series file or a directory of runs.")],
    given: Given,
    config: Config = None,
    json: Json = None,
    by: By = "callpath",
    limit: Limit = 30,
    table_format: Format = "table",
) -> None:
    """Fit and show models without writing a results directory."""
    from pipeline.report.tables.study import models_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_models, show_predictions
    from pipeline.stages.ingest import ingest, locate, skipped_entry, with_parameter
    from pipeline.stages.model import summary_of_models
    from pipeline.stages.overhead import true_times
    from pipeline.stages.selection import focused, selected

    require_table_alone(table_format, {"--json": json})
    options = load_options(config, path if path.is_dir() else None, **given)
    located = locate(path, options.runs, options.table)
    read = ingest(located, options.metric, options.processes, reading_progress)
    read = selected(with_parameter(true_times(read, options)), options)
    show_skipped([skipped_entry(entry) for entry in read.damaged])
    show_notices(read.experiment.notices)
    summary = focused(summary_of_models(read, options), options.focus, options.without)
    level = LEVELS[by]
    if not (
        write_summary(json, summary)
        or write_table(table_format, lambda: models_table(summary, by=level, limit=limit))
    ):
        show_models(console(), summary, by=level, limit=limit)
        if options.at and len({row["metric"] for row in summary["kernels"]}) == 1:
            show_predictions(console(), summary, by=level, limit=limit)
    if options.strict and read.damaged:
        raise typer.Exit(INCOMPLETE)
