"""`pipeline bottlenecks`: the ranked table of a stored result."""

from pipeline.cli.app import app
from pipeline.cli.options import LEVELS, At, By, Json, Limit, Metric, Out, chosen_efficiency
from pipeline.cli.output import write_summary


@app.command("bottlenecks")
def bottlenecks_command(
    out: Out,
    at: At = None,
    metric: Metric = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Rank kernels at the target scale: growth, share of the total, crossovers."""
    from pipeline.config.targets import parse_at
    from pipeline.report.terminal import console
    from pipeline.report.terminal.results import show_result
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    efficiency = chosen_efficiency(out, {})
    summary = stored_summary(read_study(out), parse_at(at or []), efficiency, metric)
    if not write_summary(json, summary):
        show_result(console(), summary, by=LEVELS[by], limit=limit)
