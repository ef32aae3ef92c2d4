"""`pipeline predict`: predictions of stored models."""

from pipeline.cli.app import app
from pipeline.cli.options import LEVELS, At, By, Json, Limit, Out
from pipeline.cli.output import write_summary


@app.command("predict")
def predict_command(out: Out, at: At = None, json: Json = None, by: By = "region", limit: Limit = 15) -> None:
    """Predict every kernel at the target points, with intervals."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_predictions
    from pipeline.stages.model import summary_of
    from pipeline.store.results import read_analysis

    summary = summary_of(read_analysis(out), parse_at(at or []))
    if not write_summary(json, summary):
        show_predictions(console(), summary, by=LEVELS[by], limit=limit)
