"""The next stage of a campaign: what the runs so far say, and the round that follows from it."""

from dataclasses import replace
from pathlib import Path

from ingest.errors import UsageError
from pipeline.campaign.cost import values_of
from pipeline.campaign.design import Design, PlannedRun, Round, Wanted, extended, with_round
from pipeline.campaign.outlying import outlying
from pipeline.campaign.read_description import read_campaign
from pipeline.campaign.state import RunState
from pipeline.campaign.stored_design import write_design
from pipeline.stages.campaign import Progress, read_progress
from pipeline.stages.pilot_filter import filter_is_due, filter_round, unverified
from pipeline.stages.question import next_for_question
from pipeline.stages.submit import Notify, allowed_runs, no_retry
from pipeline.store.lock import only_writer


def next_round(path: Path, notify: Notify, *, rebuilt: bool = False) -> Progress:
    """Read what was measured, and plan the next round of a campaign or end it.

    Args:
        path: of `campaign.toml`.
        notify: is called with a sentence about what happens.
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


def _require_ended(progress: Progress) -> None:
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


def _begun(progress: Progress) -> Design:
    """Return the design without the runs that the budget did not allow."""
    runs = (run for run in progress.design.runs if progress.states[run.name].status != "planned")
    return replace(progress.design, runs=tuple(runs))


def _affords(progress: Progress) -> bool:
    """Return whether the budget allows one of the planned runs at least."""
    states = {run.name: RunState(status="planned") for run in progress.design.runs} | dict(progress.states)
    return bool(allowed_runs(replace(progress, states=states), no_retry))


def _decided(progress: Progress, notify: Notify, *, rebuilt: bool) -> tuple[Design, str]:
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
            design = with_round(design, campaign, Round(purpose="again"), again)
        over = len(design.rounds) == len(progress.design.rounds)
        return replace(design, ending="measured" if over else ""), ""
    return next_for_question(replace(progress, design=design), campaign.question, again, notify), ""


def _without_outlying(progress: Progress, notify: Notify) -> tuple[Design, list[Wanted]]:
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


def _wanted(progress: Progress, run: PlannedRun) -> Wanted:
    return Wanted(run.point, 1, progress.costs.get(values_of(run.point)))
