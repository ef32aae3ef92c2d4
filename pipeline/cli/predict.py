"""`pipeline predict`: predictions of stored models."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import At, By, Json, Limit, level_of, write_summary


@app.command("predict")
def predict_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Results directory of `pipeline run`.")],
    at: At = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Predict every kernel at the points given, with intervals."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console, show_predictions
    from pipeline.stages.model import summary_of
    from pipeline.store.results import read_analysis

    level = level_of(by)
    summary = summary_of(read_analysis(out), parse_at(at or []))
    if not write_summary(json, summary):
        show_predictions(console(), summary, by=level, limit=limit)
