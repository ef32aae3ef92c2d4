"""`pipeline campaign`: measure a program at several scales, from a description to profiles."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.app import app
from pipeline.cli.options import INCOMPLETE, Json
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, write_output, write_summary

CAMPAIGN = "campaign.toml"
PLAN_ROWS = 30

campaign_app = typer.Typer(
    help="Measure a program at several scales: describe, plan, submit and watch its runs.",
    no_args_is_help=True,
)
app.add_typer(campaign_app, name="campaign")

File = Annotated[Path, typer.Argument(metavar="[FILE]", help="Description of the campaign.")]
Output = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="File to write; '-' for standard output.")
]
Results = Annotated[
    Path | None,
    typer.Option(
        "--results",
        metavar="OUT",
        help="Results directory of `pipeline run` whose models give the cost of scales not measured yet.",
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Number of runs to show.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print scripts and commands; start nothing.")]
Failed = Annotated[bool, typer.Option("--failed", help="Start runs that failed again.")]
Watch = Annotated[bool, typer.Option("--watch", help="Show it again until no run is queued or running.")]
Interval = Annotated[
    float, typer.Option("--interval", metavar="SECONDS", min=0.1, help="Time between two looks of --watch.")
]


@campaign_app.command("init")
def init_command(output: Output = CAMPAIGN) -> None:
    """Write a commented description of a campaign, to be edited."""
    from ingest.errors import UsageError
    from pipeline.stages.campaign import template

    if output != STANDARD_OUTPUT and Path(output).exists():
        raise UsageError("exists already", where=output, hint="choose another file with -o")
    write_output(output, template())


@campaign_app.command("plan")
def plan_command(
    file: File = Path(CAMPAIGN), results: Results = None, limit: Limit = PLAN_ROWS, json: Json = None
) -> None:
    """Show the runs in their order, and what they cost.

    The order is drawn once and stored. Costs come from the first runs, or from the models of --results.
    """
    from pipeline.report.terminal import console
    from pipeline.report.terminal.campaign import show_plan
    from pipeline.stages.campaign import progress_summary
    from pipeline.stages.submit import plan_campaign

    summary = progress_summary(plan_campaign(file, results))
    if not write_summary(json, summary):
        show_plan(console(), summary, limit)


@campaign_app.command("submit")
def submit_command(file: File = Path(CAMPAIGN), dry_run: DryRun = False, failed: Failed = False) -> None:
    """Start the runs that are not done and not under way; none is made twice.

    Slurm and PBS get jobs; without a scheduler the runs are made here, one at a time. Exit code 3: some
    runs failed.
    """
    from pipeline.report.terminal import console
    from pipeline.report.terminal.campaign import show_status
    from pipeline.stages import submit
    from pipeline.stages.campaign import progress_summary

    if dry_run:
        write_output(STANDARD_OUTPUT, "\n".join(submit.dry_run(file, failed=failed)))
        return
    progress = submit.submit_campaign(file, show_notice, failed=failed)
    show_status(console(), progress_summary(progress))
    if progress.count("failed"):
        raise typer.Exit(INCOMPLETE)


@campaign_app.command("status")
def status_command(
    file: File = Path(CAMPAIGN), watch: Watch = False, interval: Interval = 5.0, json: Json = None
) -> None:
    """Show how far the runs are, and the last lines of the logs of those that failed."""
    from pipeline.report.terminal import console
    from pipeline.report.terminal.campaign import show_status
    from pipeline.stages.campaign import progress_summary, read_progress

    screen = console()
    while True:
        progress = read_progress(file)
        summary = progress_summary(progress)
        if not write_summary(json, summary):
            if watch and sys.stdout.isatty():
                screen.clear()
            show_status(screen, summary)
        if not watch or not progress.count("submitted") + progress.count("running"):
            return
        time.sleep(interval)
