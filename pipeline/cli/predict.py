"""`pipeline predict`: predictions of stored models."""

from pipeline.cli.app import app
from pipeline.cli.options import (
    LEVELS,
    At,
    By,
    Format,
    Given,
    Json,
    Limit,
    Metric,
    Out,
    chosen_efficiency,
    declared_options,
)
from pipeline.cli.output import require_table_alone, write_summary, write_table
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
    table_format: Format = "table",
) -> None:
    """Predict every kernel at the target points, with intervals."""
    from pipeline.config.targets import parse_at
    from pipeline.report.tables.study import predictions_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_predictions
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    require_table_alone(table_format, {"--json": json})
    efficiency = chosen_efficiency(out, given)
    summary = stored_summary(read_study(out), parse_at(at or []), efficiency, metric, others=json is not None)
    level = LEVELS[by]
    if not (
        write_summary(json, summary)
        or write_table(table_format, lambda: predictions_table(summary, by=level, limit=limit))
    ):
        show_predictions(console(), summary, by=level, limit=limit)
