"""`pipeline campaign`: measure a program at several scales, from a description to profiles."""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.errors import UsageError
from pipeline.cli.app import app
from pipeline.cli.options import Json, Limit, command, refuse_beside, shared, switch, valued
from pipeline.cli.output import STANDARD_OUTPUT, show_notice, write_output, write_summary
from pipeline.wording.exit_codes import ExitCode

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.campaign.run_costs import CampaignProgress
    from pipeline.columns.campaigns import ShownCampaign

_CAMPAIGN = "campaign.toml"
_PLAN_ROWS = 30

_campaign_app = typer.Typer(
    help="Measure a program at several scales, from a plan to an answer.", no_args_is_help=True
)
app.add_typer(_campaign_app, name="campaign")

File = Annotated[Path, typer.Argument(metavar="[FILE]", help="Description of the campaign.")]
Described = Annotated[Path, valued("--campaign", "FILE", "Description of the campaign.")]
Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Names of runs, as `campaign status` has them.")
]
Output = Annotated[str, shared("--out", ": the description, '-' for standard output")]
Results = Annotated[
    Path | None,
    valued(
        "--results",
        "OUT",
        "Results directory of `pipeline run` whose models give the cost of scales not measured yet.",
    ),
]
DryRun = Annotated[bool, switch("--dry-run", "Print scripts and commands; start nothing.")]
Failed = Annotated[bool, switch("--failed", "Start runs that failed again.")]
Rebuilt = Annotated[bool, switch("--rebuilt", "The program was built anew with the filter from the pilot.")]
Accept = Annotated[bool, switch("--accept-change", "Put all earlier runs away and make them anew.")]
Watch = Annotated[bool, switch("--watch", "Show it again until no run is queued or running.")]
Interval = Annotated[float, valued("--interval", "SECONDS", "Time between two looks at the runs.", min=0.1)]


@_campaign_app.callback()
def require_linux() -> None:
    """Refuse systems whose processes cannot be followed by their files in /proc."""
    if sys.platform != "linux":
        what, hint = "campaigns are made on Linux only", "their profiles and results can be read here"
        raise UsageError(what, where="pipeline campaign", hint=hint)


@command("init", group=_campaign_app)
def init(output: Output = _CAMPAIGN) -> None:
    """Write a commented description of a campaign, to be edited."""
    from pipeline.stages.campaign import template

    if output != STANDARD_OUTPUT and Path(output).exists():
        raise UsageError("exists already", where=output, hint="choose another file with -o")
    write_output(output, template())


@command("plan", group=_campaign_app)
def plan(
    file: File = Path(_CAMPAIGN), results: Results = None, limit: Limit = _PLAN_ROWS, json: Json = None
) -> None:
    """Show the runs in their order, and what they cost.

    The order is drawn once and stored. Costs come from the first runs, or from the models of --results.
    """
    from pipeline.report.terminal.campaigns import show_plan
    from pipeline.stages.campaign_submission import plan_campaign

    _present(plan_campaign(file, results), json, partial(show_plan, limit=limit))


@command("submit", group=_campaign_app)
def submit(
    file: File = Path(_CAMPAIGN),
    dry_run: DryRun = False,
    failed: Failed = False,
    accept: Accept = False,
    json: Json = None,
) -> None:
    """Start the runs that are not done and not under way; none is made twice.

    Slurm and PBS get jobs; without a scheduler the runs are made here, one at a time. Exit code 3: some
    runs failed.
    """
    from pipeline.report.terminal.campaigns import show_status
    from pipeline.stages.campaign_submission import dry_run as scripts
    from pipeline.stages.campaign_submission import every_retry, no_retry, submit_campaign

    retry = every_retry if failed else no_retry
    if dry_run:
        refuse_beside("--dry-run", {"--json": json})
        write_output(STANDARD_OUTPUT, "\n".join(scripts(file, retry)))
        return
    _accept(file, accept)
    progress = submit_campaign(file, show_notice, retry)
    _present(progress, json, show_status)
    if progress.count("failed"):
        raise typer.Exit(ExitCode.INCONCLUSIVE)


@command("status", group=_campaign_app)
def status(
    file: File = Path(_CAMPAIGN), watch: Watch = False, interval: Interval = 5.0, json: Json = None
) -> None:
    """Show how far the runs are, and the last lines of the logs of those that failed."""
    from pipeline.report.terminal.campaigns import show_status
    from pipeline.stages.campaign import read_progress

    def draw(screen: "Console", summary: "ShownCampaign") -> None:
        if watch and sys.stdout.isatty():
            screen.clear()
        show_status(screen, summary)

    while True:
        progress = read_progress(file)
        _present(progress, json, draw)
        if not watch or not progress.under_way:
            return
        time.sleep(interval)


@command("reset", group=_campaign_app)
def reset(runs: Runs, file: Described = Path(_CAMPAIGN), json: Json = None) -> None:
    """Put runs away with all that they wrote: the next submission makes them anew.

    What they left is kept beside (`work/RUN.attempt1`), and what they cost stays spent.
    """
    from pipeline.report.terminal.campaigns import show_status
    from pipeline.stages.campaign import reset_campaign

    _present(reset_campaign(file, runs, show_notice), json, show_status)


@command("next", group=_campaign_app)
def plan_next(file: File = Path(_CAMPAIGN), rebuilt: Rebuilt = False, json: Json = None) -> None:
    """Read what was measured and plan the next round, or say why there is none.

    Results are written as by `pipeline run`. Exit code 3: the question is open and no round follows.
    """
    from pipeline.stages.campaign_rounds import next_round

    _show_progress(next_round(file, show_notice, rebuilt=rebuilt), json)


@command("loop", group=_campaign_app)
def loop(
    file: File = Path(_CAMPAIGN),
    rebuilt: Rebuilt = False,
    accept: Accept = False,
    interval: Interval = 5.0,
    json: Json = None,
) -> None:
    """Make runs round by round until the question is answered or the budget is spent.

    It may be stopped and called again at any time. Exit code 3: the question is still open.
    """
    from pipeline.stages.campaign_rounds import loop_campaign

    _accept(file, accept)
    _show_progress(loop_campaign(file, show_notice, interval=interval, rebuilt=rebuilt), json)


def _accept(file: Path, accept: bool) -> None:
    from pipeline.stages.campaign_submission import accept_change

    if accept:
        accept_change(file, show_notice)


def _show_progress(progress: "CampaignProgress", json: str | None) -> None:
    """Print the rounds so far and the answer; exit with a code that says whether it is one."""
    from pipeline.report.terminal.campaigns import show_rounds

    _present(progress, json, show_rounds)
    if progress.request:
        show_notice(progress.request)
    if progress.request or progress.design.ending in ("budget", "nothing helps"):
        raise typer.Exit(ExitCode.INCONCLUSIVE)


def _present(progress: "CampaignProgress", json: str | None, draw: Callable[..., None]) -> None:
    from pipeline.report.render.console import console
    from pipeline.stages.campaign import shown_campaign

    summary = shown_campaign(progress)
    if not write_summary(json, summary):
        draw(console(), summary)
