"""`pipeline run` and `pipeline model`: from a directory of profiles to models, with or without results."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import (
    INCOMPLETE,
    LEVELS,
    By,
    Config,
    Format,
    From,
    Given,
    Json,
    Limit,
    On,
    chosen_places,
    command,
    refuse_beside,
    switch,
    valued,
)
from pipeline.cli.output import (
    present,
    reading_progress,
    show_doubts,
    show_notice,
    show_notices,
    show_skipped,
    write_table,
)
from pipeline.config.options import Options, load_options


@command("run", Options)
def run(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of runs, such as app.p4.r1/.")],
    given: Given,
    from_machine: From = None,
    on: On = None,
    config: Config = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
    table_format: Format = "table",
    group_by: Annotated[
        str | None,
        valued(
            "--group-by",
            "NAME",
            "One study per value of this metadata of the runs, such as machine, side by side.",
        ),
    ] = None,
    details: Annotated[
        bool, switch("--details", "Also print ranking, crossovers, remarks and POP efficiencies.")
    ] = False,
) -> None:
    """Read profiles, write a Score-P filter, model every kernel and rank future bottlenecks."""
    from pipeline.columns.kernel_tables import ranking_table
    from pipeline.columns.scales import answer_table
    from pipeline.report.render.console import console, show_sentence
    from pipeline.report.terminal.answer import GROWING_SHOWN, show_answer, show_next_step
    from pipeline.report.terminal.results import show_efficiency, show_result
    from pipeline.stages.run import run

    options = load_options(config, directory, **given)
    if group_by is not None:
        refuse_beside(
            "--group-by", {"--json": json, "--on": on, "--from": from_machine, "--details": details}
        )
        _show_groups(directory, options, group_by, table_format)
        return
    places = chosen_places(from_machine, on)  # mistakes are said before the work
    result = run(directory, options, reading_progress, show_notice)
    show_doubts(result.damaged, result.notices)
    summary = result.summary
    level, name = LEVELS[by], directory.resolve().name
    if places is not None:
        from pipeline.stages.projected_results import project_results

        found = project_results(options.out, places, options.at, options.min_efficiency)
        summary = found.summary
        name += f" on {places[1].machine.path.stem}"
        show_notices(found.rests_on)
    main_table = ranking_table if details else answer_table
    if present(
        json,
        table_format,
        summary,
        lambda: main_table(summary, by=level, limit=limit),
        lambda screen: show_answer(screen, summary, name=name, by=level, limit=min(limit, GROWING_SHOWN)),
    ):
        screen = console()
        show_next_step(screen, summary, options.out)
        show_sentence(screen, f"Filter: {result.filter_effect}")
        if details:
            screen.print()
            show_result(screen, summary, by=level, limit=limit)
            show_efficiency(screen, summary)
        state = "inputs unchanged, nothing recomputed" if result.reused else "written"
        screen.print(f"Results in {options.out}/ ({state})", soft_wrap=True, markup=False)
    if options.strict and result.damaged:
        raise typer.Exit(INCOMPLETE)


def _show_groups(directory: Path, options: Options, name: str, table_format: str) -> None:
    """Make a study per value of some metadata and show them side by side."""
    from pipeline.columns.scales import groups_table
    from pipeline.report.render.console import console
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.stages.run_groups import run_groups

    results = run_groups(directory, options, name, reading_progress, show_notice)
    damaged = {entry["path"]: entry for result in results.values() for entry in result.damaged}
    show_skipped(list(damaged.values()))
    for value, result in results.items():
        show_notices(f"{name} = {value}: {notice}" for notice in result.notices)
    summaries = {value: result.summary for value, result in results.items()}
    if not write_table(table_format, lambda: groups_table(name, summaries)):
        screen = console()
        show_table(screen, groups_table(name, summaries))
        folders = f"Results of each in a folder of {options.out}/"
        screen.print(folders, soft_wrap=True, markup=False)
    if options.strict and damaged:
        raise typer.Exit(INCOMPLETE)


@command("model", Options)
def model(
    path: Annotated[Path, typer.Argument(metavar="FILE|DIR", help="A series file or a directory of runs.")],
    given: Given,
    config: Config = None,
    json: Json = None,
    by: By = "callpath",
    limit: Limit = 30,
    table_format: Format = "table",
) -> None:
    """Fit and show models without writing a results directory."""
    from ingest.locate import locate
    from pipeline.columns.kernel_tables import models_table
    from pipeline.report.render.console import console
    from pipeline.report.terminal.results import show_models, show_predictions
    from pipeline.stages.ingest import ingest, skipped_entry, with_parameter
    from pipeline.stages.model import summary_of_models
    from pipeline.stages.overhead import true_times
    from pipeline.stages.selection import focused, selected

    options = load_options(config, path, **given)
    located = locate(path, options.runs, options.table)
    read = ingest(located, options.metric, options.processes, reading_progress)
    read = selected(with_parameter(true_times(read, options)), options)
    show_doubts([skipped_entry(entry) for entry in read.damaged], read.experiment.notices)
    summary = focused(summary_of_models(read, options), options.focus, options.without)
    level = LEVELS[by]
    shown = present(
        json,
        table_format,
        summary,
        lambda: models_table(summary, by=level, limit=limit),
        lambda screen: show_models(screen, summary, by=level, limit=limit),
    )
    if shown and options.at and len({row["metric"] for row in summary["kernels"]}) == 1:
        show_predictions(console(), summary, by=level, limit=limit)
    if options.strict and read.damaged:
        raise typer.Exit(INCOMPLETE)
