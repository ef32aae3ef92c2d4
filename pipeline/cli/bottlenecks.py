"""`pipeline bottlenecks`: the ranked table of a stored result."""

from pipeline.cli.app import app
from pipeline.cli.options import (
    LEVELS,
    At,
    By,
    Format,
    From,
    Json,
    Limit,
    Metric,
    On,
    Out,
    chosen_efficiency,
    chosen_places,
)
from pipeline.cli.output import require_table_alone, show_notices, write_summary, write_table


@app.command("bottlenecks")
def bottlenecks_command(
    out: Out,
    at: At = None,
    from_machine: From = None,
    on: On = None,
    metric: Metric = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
    table_format: Format = "table",
) -> None:
    """Rank kernels at the target scale: growth, share of the total, crossovers."""
    from ingest.errors import UsageError
    from pipeline.config.targets import parse_at
    from pipeline.report.tables.study import ranking_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_result
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    require_table_alone(table_format, {"--json": json})
    efficiency = chosen_efficiency(out, {})
    targets = parse_at(at or [])
    places = chosen_places(from_machine, on)
    if places is None:
        summary = stored_summary(read_study(out), targets, efficiency, metric)
    else:
        from pipeline.stages.project_study import project_results

        if metric not in (None, "time"):
            what, hint = f"'{metric}' cannot be projected", "leave it out: time can"
            raise UsageError(what, where="--metric", hint=hint)
        found = project_results(out, places, targets, efficiency)
        summary = found.there.summary
        show_notices(found.rests_on)
    level = LEVELS[by]
    if not (
        write_summary(json, summary)
        or write_table(table_format, lambda: ranking_table(summary, by=level, limit=limit))
    ):
        show_result(console(), summary, by=level, limit=limit)
