"""`pipeline run`: from a directory of profiles to a filter, models and future bottlenecks."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
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
    declared_options,
)
from pipeline.cli.output import (
    reading_progress,
    require_table_alone,
    show_notice,
    show_notices,
    show_skipped,
    write_summary,
    write_table,
)
from pipeline.config.options import Options, load_options


@app.command("run")
@declared_options("run", Options)
def run_command(
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
        typer.Option(
            "--group-by",
            metavar="NAME",
            help="One study per value of this metadata of the runs, such as machine, side by side.",
        ),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print ranking, crossovers, remarks and POP efficiencies.")
    ] = False,
) -> None:
    """Read profiles, write a Score-P filter, model every kernel and rank future bottlenecks."""
    from ingest.errors import UsageError
    from pipeline.report.tables.study import answer_table, ranking_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.answer import GROWING_SHOWN, show_answer, show_next_step
    from pipeline.report.terminal.results import show_efficiency, show_result
    from pipeline.report.terminal.sentences import show_sentence
    from pipeline.stages.run import run

    require_table_alone(table_format, {"--json": json})
    options = load_options(config, directory, **given)
    if group_by is not None:
        for flag, given_too in (
            ("--json", json),
            ("--on", on),
            ("--from", from_machine),
            ("--details", details),
        ):
            if given_too:
                raise UsageError("cannot be combined with --group-by", where=flag, hint="omit one of them")
        _show_groups(directory, options, group_by, table_format)
        return
    places = chosen_places(from_machine, on)  # mistakes are said before the work
    result = run(directory, options, reading_progress, show_notice)
    show_skipped(result.damaged)
    show_notices(result.notices)
    summary = result.summary
    if places is not None:
        from pipeline.stages.project_study import project_results

        found = project_results(options.out, places, options.at, options.min_efficiency)
        summary = found.there.summary
        show_notices(found.rests_on)
    main_table = ranking_table if details else answer_table
    if not (
        write_summary(json, summary)
        or write_table(table_format, lambda: main_table(summary, by=LEVELS[by], limit=limit))
    ):
        screen = console()
        level, name = LEVELS[by], directory.resolve().name
        if places is not None:
            name += f" on {places[1].machine.path.stem}"
        show_answer(screen, summary, name=name, by=level, limit=min(limit, GROWING_SHOWN))
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
    from pipeline.report.tables.groups import groups_table
    from pipeline.report.terminal import console
    from pipeline.report.terminal.tables import show_data_table
    from pipeline.stages.groups import run_groups

    results = run_groups(directory, options, name, reading_progress, show_notice)
    damaged = {entry["path"]: entry for result in results.values() for entry in result.damaged}
    show_skipped(list(damaged.values()))
    for value, result in results.items():
        show_notices(f"{name} = {value}: {notice}" for notice in result.notices)
    summaries = {value: result.summary for value, result in results.items()}
    if not write_table(table_format, lambda: groups_table(name, summaries)):
        screen = console()
        show_data_table(screen, groups_table(name, summaries))
        folders = f"Results of each in a folder of {options.out}/"
        screen.print(folders, soft_wrap=True, markup=False)
    if options.strict and damaged:
        raise typer.Exit(INCOMPLETE)
