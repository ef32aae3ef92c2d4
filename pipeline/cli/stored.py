"""Commands that show a stored result: `predict`, `bottlenecks`, `tree`, `advise` and `verify`."""

from typing import Annotated

import typer

from pipeline.cli.options import (
    LEVELS,
    At,
    By,
    Format,
    From,
    Given,
    Json,
    Limit,
    Metric,
    On,
    Out,
    chosen_efficiency,
    chosen_places,
    command,
    valued,
)
from pipeline.cli.output import present, show_notices, write_summary, write_table
from pipeline.config.options import Options


@command("predict", Options)
def predict(
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
    from pipeline.columns.kernel_tables import predictions_table
    from pipeline.config.option_readers import parse_at
    from pipeline.report.terminal.results import show_predictions
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    efficiency = chosen_efficiency(out, given)
    summary = stored_summary(read_study(out), parse_at(at or []), efficiency, metric, others=json is not None)
    level = LEVELS[by]
    present(
        json,
        table_format,
        summary,
        lambda: predictions_table(summary, by=level, limit=limit),
        lambda screen: show_predictions(screen, summary, by=level, limit=limit),
    )


@command("bottlenecks")
def bottlenecks(
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
    from pipeline.columns.kernel_tables import ranking_table
    from pipeline.config.option_readers import parse_at
    from pipeline.report.terminal.results import show_result
    from pipeline.stages.model import stored_summary
    from pipeline.store.results import read_study

    efficiency = chosen_efficiency(out, {})
    targets = parse_at(at or [])
    places = chosen_places(from_machine, on)
    if places is None:
        summary = stored_summary(read_study(out), targets, efficiency, metric)
    else:
        from pipeline.stages.projected_results import project_results

        if metric not in (None, "time"):
            what, hint = f"'{metric}' cannot be projected", "leave it out: time can"
            raise UsageError(what, where="--metric", hint=hint)
        found = project_results(out, places, targets, efficiency)
        summary = found.summary
        show_notices(found.rests_on)
    level = LEVELS[by]
    present(
        json,
        table_format,
        summary,
        lambda: ranking_table(summary, by=level, limit=limit),
        lambda screen: show_result(screen, summary, by=level, limit=limit),
    )


@command("tree")
def tree(
    out: Out,
    at: At = None,
    metric: Metric = None,
    least: Annotated[
        str, valued("--least", "SHARE", "Hide call paths below this inclusive share, such as 1% or 0.01.")
    ] = "1%",
    json: Json = None,
    table_format: Format = "table",
) -> None:
    """Show the call tree with shares and growth, measured at the largest scale or predicted (--at)."""
    from pipeline.columns.shown_tree import tree_table
    from pipeline.config.option_readers import parse_at, read_option_share
    from pipeline.report.render.console import console
    from pipeline.report.terminal.results import show_tree
    from pipeline.stages.model import summary_of, tree_point, tree_values
    from pipeline.store.results import read_analysis

    share = read_option_share("--least", least)
    analysis, targets = read_analysis(out, metric), parse_at(at or [])
    if write_summary(json, summary_of(analysis, targets) if json else {}):
        return
    shown = [[target] for target in targets] or [[]]
    trees = [(tree_point(analysis, at), *tree_values(analysis, at)) for at in shown]
    if write_table(table_format, lambda: tree_table(analysis, [tree[:2] for tree in trees], share)):
        return
    for _, values, origin in trees:
        show_tree(console(), analysis, values, origin, share)


@command("advise")
def advise(
    out: Out,
    budget: Annotated[
        str | None,
        valued(
            "--budget",
            "COST",
            "What may be spent, such as 500core-h or 3000core-s; without a unit, core-seconds. "
            "Default: as much as the study has cost so far.",
        ),
    ] = None,
    at: At = None,
    json: Json = None,
    table_format: Format = "table",
) -> None:
    """Plan the measurements that narrow the prediction at the target most per core-second."""
    from pipeline.columns.measured_runs import advice_table
    from pipeline.config.option_readers import parse_at, parse_budget
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.report.summary import advice_summary
    from pipeline.stages.advise import advise_analysis, cost_so_far
    from pipeline.stages.model import target_points
    from pipeline.store.results import read_analysis

    analysis = read_analysis(out)
    targets = target_points(analysis, parse_at(at or []))
    spend = cost_so_far(analysis) if budget is None else parse_budget(budget, unit="core-s", where="--budget")
    plans = [advise_analysis(analysis, target, spend) for target in targets]
    names, kernels = analysis.experiment.parameters, analysis.callpaths.kernels
    points = [dict(zip(names, target, strict=True)) for target in targets.tolist()]
    summaries = [advice_summary(plan, names, kernels) for plan in plans]
    several = [{"target": point, "plan": plan} for point, plan in zip(points, summaries, strict=True)]
    table = advice_table(list(zip(points, summaries, strict=True)), names, several=len(plans) > 1)
    present(
        json,
        table_format,
        several if len(plans) > 1 else summaries[0],
        lambda: table,
        lambda screen: show_table(screen, table),
    )


@command("verify")
def verify(out: Out) -> None:
    """Check every file of a results directory against the digests in run.json."""
    from pipeline.store.generation import StoredResult, read_result

    stored = read_result(out, StoredResult.require_intact)
    typer.echo(f"OK: {len(stored.digests)} files in {out} are as they were written")
