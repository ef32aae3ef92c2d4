"""`pipeline predict`: predictions of stored models."""

from pipeline.cli.app import app
from pipeline.cli.options import (
    LEVELS,
    At,
    By,
    Given,
    Json,
    Limit,
    Metric,
    Out,
    chosen_efficiency,
    declared_options,
)
from pipeline.cli.output import write_summary
from pipeline.config.options import Options


@app.command("predict")
@declared_options("predict", Options)
def predict_command(
    out: Out,
    given: Given,
    at: At = None,
    metric: Metric = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Predict every kernel at the target points, with intervals."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_predictions
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    efficiency = chosen_efficiency(out, given)
    summary = stored_summary(read_study(out), parse_at(at or []), efficiency, metric, others=json is not None)
    if not write_summary(json, summary):
        show_predictions(console(), summary, by=LEVELS[by], limit=limit)
