"""The filter round of a campaign: a filter from the pilot, the program built anew, a run that verifies it."""

import resource
import shlex
import subprocess
from pathlib import Path

from ingest.errors import UsageError, one_line
from ingest.number_text import percent
from pipeline.campaign.campaign_design import CampaignDesign, CampaignRound, PlannedRun, Wanted, with_round
from pipeline.campaign.description import BY_HAND, FILTER, Campaign, fill
from pipeline.campaign.run_costs import values_of
from pipeline.campaign.run_state import last_lines
from pipeline.config.options import load_options
from pipeline.report.terminal.filter import effect_sentence
from pipeline.stages.campaign import CampaignProgress
from pipeline.stages.campaign_submission import make_folder
from pipeline.stages.filter import filter_of_path, store_filter
from pipeline.stages.verify_filter import verify_filter
from pipeline.store.lock import Notify


def filter_is_due(progress: CampaignProgress) -> bool:
    """Return whether a filter is to be made from the pilot now."""
    made = any(one.purpose == "filter" for one in progress.design.rounds)
    return progress.campaign.measurement.pilot_filter and not made


def filter_round(progress: CampaignProgress, notify: Notify, *, rebuilt: bool) -> tuple[CampaignDesign, str]:
    """Make the filter and, unless it is rebuilt, the program; plan a round that verifies it.

    Returns:
        The design, and what the user has to do first; empty if there is nothing.

    Raises:
        UsageError: the filter cannot be written, or the program cannot be built.
        InputError: the pilot cannot be read.
    """
    campaign, file = progress.campaign, progress.campaign.pilot_filter
    result, skipped = filter_of_path(campaign.pilot_profiles, load_options(None, campaign.profiles))
    for entry in skipped:
        notify(f"skipped {entry['path']}: {entry['reason']}")
    make_folder(file.parent)
    store_filter(file, result)
    notify(f"{file.name} {effect_sentence(result.decision, result.prediction)}")
    if campaign.measurement.rebuild == BY_HAND and not rebuilt:
        return progress.design, (
            f"build the program with the filter {file}, then call `pipeline campaign loop --rebuilt`"
        )
    build = 0.0
    if campaign.measurement.rebuild not in ("", BY_HAND):
        notify("building the program with the filter")
        build = _build(campaign, file)
    run = max(_pilot_runs(progress), key=lambda run: progress.costs[values_of(run.point)])
    wanted = [Wanted(run.point, 1, progress.costs[values_of(run.point)])]
    return with_round(progress.design, campaign, CampaignRound(purpose="filter", build=build), wanted), ""


def _pilot_runs(progress: CampaignProgress) -> list[PlannedRun]:
    runs = (run for run in progress.design.runs if run.unfiltered)
    return [run for run in runs if progress.states[run.name].status == "done"]


def _build(campaign: Campaign, filter_file: Path) -> float:
    """Build the program with a filter; return the core-seconds that took.

    Raises:
        UsageError: the command fails.
    """
    command = fill(campaign.measurement.rebuild, {FILTER: shlex.quote(str(filter_file))})
    before = _children_seconds()
    log = filter_file.with_name("rebuild.log")
    with log.open("wb") as output:
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=campaign.path.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
    if ended.returncode:
        hint = f"correct rebuild in [measurement]; see {log}"
        last = one_line(" ".join(last_lines([log])[-1:]))
        raise UsageError(f"exit status {ended.returncode}: {last}", where=command, hint=hint)
    return _children_seconds() - before


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def unverified(progress: CampaignProgress, notify: Notify) -> str:
    """Return what the user has to do because the filter was not applied, or nothing."""
    campaign, rounds = progress.campaign, progress.design.rounds
    if not rounds or rounds[-1].purpose != "filter":
        return ""
    file = campaign.pilot_filter
    options = load_options(None, campaign.profiles)
    found = verify_filter(campaign.pilot_profiles, campaign.profiles, options, file)
    last = found.verifications[-1]
    if found.agrees:
        notify(f"the filter works: visits differ by {percent(last.deviation)} from what it should leave")
        return ""
    return (
        f"the filter {file} does not work: visits differ by {percent(last.deviation)} from what it should "
        "leave; build the program with it, see `pipeline filter --verify`, and begin again in another folder"
    )
