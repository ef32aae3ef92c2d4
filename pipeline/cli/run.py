"""Commands that read profiles: `run`, with or without results, and `inspect` without models."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import (
    ChosenMachines,
    Config,
    Given,
    KernelPresentation,
    Presentation,
    command,
    refuse_beside,
    shared,
    switch,
)
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    TABLE,
    reading_progress,
    show_doubts,
    show_notice,
    show_notices,
    show_skipped,
    write_output,
    write_summary,
)
from pipeline.config.options import Options, load_options
from pipeline.wording.exit_codes import ExitCode

if TYPE_CHECKING:
    from rich.console import Console


_OF_RESULTS = ("out", "exclude_metrics", "engine", "scheduler")


@command("run", Options)
def run(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Directory of runs, such as app.p4.r1/, or a table.")
    ],
    given: Given,
    machines: ChosenMachines = ChosenMachines(),
    config: Config = None,
    shown: KernelPresentation = KernelPresentation(),
    group_by: Annotated[str | None, shared("--group-by", ": a study per value")] = None,
    details: Annotated[bool, switch("--details", "Show more: ranking, crossovers, POP.")] = False,
    no_results: Annotated[bool, switch("--no-results", "Show models alone, write no results.")] = False,
) -> None:
    """Read profiles and answer how far the program scales, and why."""
    from ingest.record_codec import document
    from pipeline.columns.kernel_tables import ranking_table
    from pipeline.columns.scales import answer_table
    from pipeline.report.render.console import console, show_sentence
    from pipeline.report.terminal.answer import GROWING_SHOWN, show_answer, show_more, show_next_step
    from pipeline.report.terminal.results import show_efficiency, show_result
    from pipeline.stages.run import run
    from pipeline.store.results import FILTER

    options = load_options(config, directory, **given)
    elsewhere = {"--on": machines.on, "--from": machines.from_machine, "--details": details}
    if no_results:
        stored = {f"--{one.replace('_', '-')}": given[one] for one in _OF_RESULTS}
        refuse_beside("--no-results", elsewhere | stored | {"--group-by": group_by})
        _show_models(directory, options, shown)
        return
    if group_by is not None:
        refuse_beside("--group-by", elsewhere)
        _show_groups(directory, options, group_by, shown)
        return
    places = machines.places  # mistakes are said before the work
    result = run(directory, options, reading_progress, show_notice)
    show_doubts(result.damaged, result.notices)
    summary, name = result.summary, directory.resolve().name
    if places is not None:
        from pipeline.stages.projected_results import project_results

        found = project_results(options.out, places, options.at, options.min_efficiency)
        summary = found.summary
        name += f" on {places[1].machine.path.stem}"
        show_notices(found.rests_on)
    main_table, rows = ranking_table if details else answer_table, shown.rows
    most = min(shown.limit, GROWING_SHOWN)
    if shown.present(
        document(summary),
        lambda: main_table(summary, **rows),
        lambda screen: show_answer(screen, summary, name=name, by=rows["by"], limit=most),
    ):
        screen = console()
        show_next_step(screen, summary)
        if details:
            show_more(screen, summary, rows["by"])
            screen.print()
            show_result(screen, summary, **rows)
            show_efficiency(screen, summary)
        state = "inputs unchanged, nothing recomputed" if result.reused else "written"
        way_on = [f"Results in {options.out}/ ({state})", f"pipeline bottlenecks {options.out}"]
        negligible = "overhead <" in result.filter_effect  # there is nothing to filter
        if details or ((options.out / FILTER).exists() and not negligible):
            way_on.append(f"filter: {result.filter_effect}")
        show_sentence(screen, " | ".join(way_on))
    if options.strict and result.damaged:
        raise typer.Exit(ExitCode.INCONCLUSIVE)


def _show_groups(directory: Path, options: Options, name: str, shown: Presentation) -> None:
    """Make a study per value of some metadata and show them side by side."""
    from ingest.record_codec import document
    from pipeline.columns.scales import groups_table
    from pipeline.report.render.console import show_sentence
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.stages.run import RunGroups, run_groups

    results = run_groups(directory, options, name, reading_progress, show_notice)
    damaged = {entry["path"]: entry for result in results.values() for entry in result.damaged}
    show_skipped(list(damaged.values()))
    for value, result in results.items():
        show_notices(f"{name} = {value}: {notice}" for notice in result.notices)
    summaries = {value: result.summary for value, result in results.items()}
    table = groups_table(name, summaries)

    def draw(screen: "Console") -> None:
        show_table(screen, table)
        show_sentence(screen, f"Results of each in a folder of {options.out}/")

    content = RunGroups(by=name, studies=document(summaries))
    shown.present(content, lambda: table, draw)
    if options.strict and damaged:
        raise typer.Exit(ExitCode.INCONCLUSIVE)


def _show_models(path: Path, options: Options, shown: KernelPresentation) -> None:
    """Fit and show models without a results directory."""
    from ingest.locate import locate
    from pipeline.columns.kernel_tables import models_table
    from pipeline.report.render.console import console
    from pipeline.report.terminal.results import show_models, show_predictions, show_total
    from pipeline.stages.ingest import ingest, skipped_entry, with_parameter
    from pipeline.stages.model import summary_of_models
    from pipeline.stages.overhead import true_times
    from pipeline.stages.selection import focused, selected

    located = locate(path, options.runs, options.table, options.parameter)
    read = ingest(located, options.metric, options.processes, reading_progress)
    read = selected(with_parameter(true_times(read, options)), options)
    show_doubts([skipped_entry(entry) for entry in read.damaged], read.experiment.notices)
    summary = focused(summary_of_models(read, options, shown.most), options.focus, options.without)
    for_people = shown.present_rows(summary, models_table, show_models)
    if for_people and options.at and len({row["metric"] for row in summary.kernels}) == 1:
        show_total(console(), summary, by=shown.rows["by"])
        show_predictions(console(), summary, **shown.rows)
    if options.strict and read.damaged:
        raise typer.Exit(ExitCode.INCONCLUSIVE)


@command("inspect", outputs=("--json",))
def inspect(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A profile, a series file, a directory of runs or results.")
    ],
    config: Config = None,
    totals: Annotated[bool, switch("--totals", "Show the sum of every metric, too.")] = False,
    details: Annotated[bool, switch("--details", "Show more: every run on a line of its own.")] = False,
    propose: Annotated[
        bool, switch("--propose", "Write a list of the runs with guessed parameters, for pipeline.toml.")
    ] = False,
    output: Annotated[
        str | None, shared("--out", r": the list of --propose, '-' for standard output \[default: -]")
    ] = None,
    shown: Presentation = Presentation(),
) -> None:
    """Show what is read, and OK or every problem; propose parameters if names give none."""
    from ingest.errors import UsageError
    from pipeline.columns.measured_runs import inspection_table
    from pipeline.report.terminal.measurements import show_inspection
    from pipeline.stages.inspect import holds_only_results, inspect_path, intact_result

    given = {
        "--totals": totals,
        "--details": details,
        "--config": config,
        "--format": shown.table_format != TABLE,
    }
    if holds_only_results(path):
        refuse_beside("results", {"--propose": propose, "--out": output, **given})
        intact = intact_result(path)
        if not write_summary(shown.json, intact):
            typer.echo(str(intact))
        return
    if propose:
        refuse_beside("--propose", {"--json": shown.json, **given})
        _propose(path, output or STANDARD_OUTPUT)
        return
    if output is not None:
        raise UsageError("only --propose writes a file", where="--out", hint="add --propose")
    found = inspect_path(path, load_options(config, path), totals=totals, progress=reading_progress)
    shown.present(
        found, lambda: inspection_table(found), lambda screen: show_inspection(screen, found, details=details)
    )
    show_skipped(list(map(vars, found.skipped)))
    if not found.usable:
        raise typer.Exit(ExitCode.BAD_INPUT)


def _propose(directory: Path, output: str) -> None:
    """Write a proposal, and what is doubtful about it to standard error."""
    from pipeline.columns.measured_runs import verdict
    from pipeline.stages.inspect import inspect_path, proposal_toml, propose_runs

    proposed = propose_runs(directory)
    write_output(output, proposal_toml(directory, proposed))
    show_notices(f"guessed: {remark}" for remark in proposed.remarks)
    for line in verdict(inspect_path(directory, Options(runs=proposed.runs), progress=reading_progress)):
        show_notice(line)
