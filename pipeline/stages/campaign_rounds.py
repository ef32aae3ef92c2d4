"""The rounds of a campaign: make runs, read them, decide on the next round, until it ends."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from ingest.errors import UsageError
from pipeline.campaign.campaign_design import (
    CampaignDesign,
    CampaignRound,
    PlannedRun,
    Wanted,
    extended,
    with_round,
    write_design,
)
from pipeline.campaign.read_description import read_campaign
from pipeline.campaign.run_costs import outlying, values_of
from pipeline.campaign.run_state import RunState
from pipeline.stages.campaign import CampaignProgress, read_progress
from pipeline.stages.campaign_answer import next_for_question
from pipeline.stages.campaign_submission import allowed_runs, no_retry, notify_of_end, submit_campaign
from pipeline.stages.pilot_filter import filter_is_due, filter_round, unverified
from pipeline.store.lock import Notify, only_writer
from pipeline.wording.quantities import counted

ATTEMPTS = 2
"""How often a run that fails is made in one loop."""

LOST = 5
"""How often a run may be stopped or lost with its machine in one loop."""


def loop_campaign(path: Path, notify: Notify, *, interval: float, rebuilt: bool = False) -> CampaignProgress:
    """Make the runs of a campaign round by round until its question is answered or it ends otherwise.

    It may be stopped and called again at any time: everything that it knows is in files. The interval is
    that between two looks at runs that a scheduler makes, in seconds; other arguments, results and errors are
    those of `submit_campaign` and `next_round`.
    """
    attempts: Counter[str] = Counter()
    while True:
        progress = _made(path, notify, attempts, interval)
        if request := _blocked(progress, attempts):
            return replace(progress, request=request)
        before = len(progress.design.rounds)
        progress = next_round(path, notify, rebuilt=rebuilt)
        if progress.request or progress.design.ending or len(progress.design.rounds) == before:
            return progress
        last = progress.design.rounds[-1]
        runs = [run for run in progress.design.runs if run.round == len(progress.design.rounds)]
        notify(f"round {before + 1} ({last.purpose}): {counted(len(runs), 'run')}")


def _made(path: Path, notify: Notify, attempts: Counter[str], interval: float) -> CampaignProgress:
    """Make runs until none is left that may be started; those that fail get another attempt."""

    def retry(name: str) -> bool:
        return attempts[name] < ATTEMPTS

    while True:
        progress = read_progress(path)
        started = {run.name for run in allowed_runs(progress, retry)}
        if (not started and not progress.under_way) or _blocked(progress, attempts):
            return progress
        progress = submit_campaign(path, notify, retry)
        while progress.under_way:
            time.sleep(interval)
            progress = _watched(read_progress(path), progress, notify)
        attempts.update(name for name in started if progress.states[name].status == "failed")


def _watched(now: CampaignProgress, before: CampaignProgress, notify: Notify) -> CampaignProgress:
    """Say which runs have ended between two looks."""
    for run in now.design.runs:
        state = now.states[run.name]
        if state.status != before.states[run.name].status and state.status in ("done", "failed"):
            notify_of_end(now, run, notify)
    return now


def _blocked(progress: CampaignProgress, attempts: Counter[str]) -> str:
    """Return why further runs cannot help before the user does something; empty if they can."""
    states = progress.states
    lost = [name for name, count in attempts.items() if count >= LOST and states[name].interrupted]
    if lost:
        return f"{lost[0]} was stopped {LOST} times: find out why, then call `pipeline campaign loop` again"
    if attempts and _gave_nothing(progress):
        return "no run of the round ended well: correct what failed, then call `pipeline campaign loop` again"
    return ""


def _gave_nothing(progress: CampaignProgress) -> bool:
    """Return whether all runs of the last round failed, and not only at scales that are too large."""
    states, runs = progress.states, progress.design.runs
    last = [run for run in runs if run.round == len(progress.design.rounds)]
    failed = [run for run in last if states[run.name].status == "failed" and not states[run.name].interrupted]
    good = {values_of(run.point) for run in runs if states[run.name].status == "done"}
    if not failed or any(states[run.name].status == "done" for run in last):
        return False
    return not good or any(values_of(run.point) in good for run in failed)


def next_round(path: Path, notify: Notify, *, rebuilt: bool = False) -> CampaignProgress:
    """Read what was measured, and plan the next round of a campaign or end it.

    Args:
        path: of `campaign.toml`.
        notify: is told what happens.
        rebuilt: the user has built the program with the new filter.

    Returns:
        The campaign afterwards; its design says why it ends, or its request what the user has to do.

    Raises:
        UsageError: the description is invalid, runs are not done yet, or the question cannot be answered.
        InputError: what was measured, or the stored design, cannot be read.
    """
    with only_writer(read_campaign(path).work, notify):
        progress = read_progress(path)
        _require_ended(progress)
        progress = replace(progress, design=_begun(progress))
        design, request = _decided(progress, notify, rebuilt=rebuilt)
        if len(design.runs) > len(progress.design.runs) and not _affords(replace(progress, design=design)):
            design = replace(progress.design, ending="budget")
        write_design(progress.campaign.work, design)
    return replace(read_progress(path), request=request)


def _require_ended(progress: CampaignProgress) -> None:
    """Refuse to decide while runs are missing that may still be made."""
    where = str(progress.campaign.path)
    if progress.under_way:
        what, hint = f"runs under way: {progress.under_way}", "see `pipeline campaign status`"
        raise UsageError(what, where=where, hint=hint)
    hint = "start them with `pipeline campaign submit`"
    if waiting := len(allowed_runs(progress, no_retry)):
        raise UsageError(f"runs not made yet: {waiting}", where=where, hint=hint)
    if not progress.count("done"):
        raise UsageError("no run is done", where=where, hint=hint)


def _begun(progress: CampaignProgress) -> CampaignDesign:
    """Return the design without the runs that the budget did not allow."""
    runs = (run for run in progress.design.runs if progress.states[run.name].status != "planned")
    return replace(progress.design, runs=tuple(runs))


def _affords(progress: CampaignProgress) -> bool:
    """Return whether the budget allows one of the planned runs at least."""
    states = {run.name: RunState(status="planned") for run in progress.design.runs} | dict(progress.states)
    return bool(allowed_runs(replace(progress, states=states), no_retry))


def _decided(progress: CampaignProgress, notify: Notify, *, rebuilt: bool) -> tuple[CampaignDesign, str]:
    """Return the design with its next round or its end, and what the user has to do first."""
    campaign = progress.campaign
    if filter_is_due(progress):
        return filter_round(progress, notify, rebuilt=rebuilt)
    if request := unverified(progress, notify):
        return progress.design, request
    design, again = _without_outlying(progress, notify)
    if campaign.question is None:
        design = extended(design, campaign, [run.name for run in design.runs])
        if again and len(design.rounds) == len(progress.design.rounds):
            design = with_round(design, campaign, CampaignRound(purpose="again"), again)
        over = len(design.rounds) == len(progress.design.rounds)
        return replace(design, ending="measured" if over else ""), ""
    return next_for_question(replace(progress, design=design), campaign.question, again, notify), ""


def _without_outlying(progress: CampaignProgress, notify: Notify) -> tuple[CampaignDesign, list[Wanted]]:
    """Set outlying runs aside; return which points need another run."""
    campaign, design = progress.campaign, progress.design
    used = [run for run in design.runs if not run.unfiltered]
    aside, unclear = outlying(used, progress.states, design.outlying)
    for run in aside:
        source, target = campaign.profiles / run.name, campaign.outlying_profiles / run.name
        try:
            target.parent.mkdir(exist_ok=True)
            if source.exists():  # not if this was killed after it had moved it
                source.rename(target)
        except OSError as error:
            raise UsageError(f"cannot be set aside ({error.strerror})", where=run.name) from error
        notify(f"{run.name} is outlying: it is in {target.parent.name}/ now and made again")
    for run in unclear:
        notify(f"{run.name} differs much from the other run at its scale: one more is made")
    names = (*design.outlying, *(run.name for run in aside))
    return replace(design, outlying=names), [_wanted(progress, run) for run in (*aside, *unclear)]


def _wanted(progress: CampaignProgress, run: PlannedRun) -> Wanted:
    return Wanted(run.point, 1, progress.costs.get(values_of(run.point)))
