"""`pipeline inspect`: what is in a profile or a directory of runs."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.options import Config, Format, command, refuse_beside, switch, valued
from pipeline.cli.output import (
    STANDARD_OUTPUT,
    TABLE,
    reading_progress,
    show_notice,
    show_notices,
    show_skipped,
    write_output,
    write_table,
)

REFUSED = 2  # exit code if `pipeline run` would refuse the runs


@command("inspect", outputs=())
def inspect(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A profile, a series file or a directory of runs.")
    ],
    config: Config = None,
    totals: Annotated[bool, switch("--totals", "Show the sum of every metric, too.")] = False,
    propose: Annotated[
        bool, switch("--propose", "Write a list of the runs with guessed parameters, for pipeline.toml.")
    ] = False,
    output: Annotated[
        str | None,
        valued("-o --output", "FILE", r"File of --propose to write, '-' for standard output \[default: -]."),
    ] = None,
    table_format: Format = "table",
) -> None:
    """Show what is read, end with OK or a list of problems, and propose parameters if names give none."""
    from ingest.errors import UsageError
    from pipeline.columns.measured_runs import inspection_table
    from pipeline.config.options import load_options
    from pipeline.report.render.console import console
    from pipeline.report.terminal.inspection import show_inspection
    from pipeline.stages.inspect import inspect_path

    if propose:
        given = {"--totals": totals, "--config": config, "--format": table_format != TABLE}
        refuse_beside("--propose", given)
        _propose(path, output or STANDARD_OUTPUT)
        return
    if output is not None:
        raise UsageError("only --propose writes a file", where="--output", hint="add --propose")
    options = load_options(config, path)
    found = inspect_path(
        path,
        options.runs,
        table=options.table,
        totals=totals,
        processes=options.processes,
        progress=reading_progress,
    )
    if not write_table(table_format, lambda: inspection_table(found)):
        show_inspection(console(), found)
    show_skipped(found["skipped"])
    if not found["usable"]:
        raise typer.Exit(REFUSED)


def _propose(directory: Path, output: str) -> None:
    """Write a proposal, and what is doubtful about it to standard error."""
    from pipeline.columns.measured_runs import verdict
    from pipeline.stages.inspect import inspect_path
    from pipeline.stages.proposed_runs import proposal_toml, propose_runs

    proposed = propose_runs(directory)
    write_output(output, proposal_toml(directory, proposed))
    show_notices(f"guessed: {remark}" for remark in proposed.remarks)
    for line in verdict(inspect_path(directory, proposed.runs, progress=reading_progress)):
        show_notice(line)
