"""`pipeline run`: from a directory of profiles to a filter, models and bottlenecks."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.arguments import (
    INCOMPLETE,
    By,
    Config,
    Json,
    Limit,
    level_of,
    tell,
    tell_skipped,
    write_summary,
)
from pipeline.cli.options import Given, declared_options
from pipeline.cli.progress import watch_reading
from pipeline.config.options import Options, load_options


@app.command("run")
@declared_options("run", Options)
def run_command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of runs, such as app.p4.r1/.")],
    given: Given,
    config: Config = None,
    json: Json = None,
    by: By = "region",
    limit: Limit = 15,
) -> None:
    """Read profiles, write a Score-P filter, model every kernel and rank the bottlenecks to come."""
    from pipeline.report.efficiency import show_efficiency
    from pipeline.report.terminal import console, show_result
    from pipeline.stages.run import run

    level = level_of(by)
    options = load_options(config, directory, **given)
    result = run(directory, options, watch_reading, lambda notice: tell([notice]))
    tell_skipped(result.damaged)
    tell(result.notices)
    if not write_summary(json, result.summary):
        screen = console()
        show_result(screen, result.summary, by=level, limit=limit)
        show_efficiency(screen, result.summary)
        screen.print(f"Filter: {result.filter_effect}", soft_wrap=True)
        kept = "unchanged, nothing was computed again" if result.reused else "written"
        screen.print(f"Results in {options.out}/ ({kept})", soft_wrap=True)
    if options.strict and result.damaged:
        raise typer.Exit(INCOMPLETE)
