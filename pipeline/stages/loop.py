"""The loop of a campaign: make the runs of a round, read them, decide on the next, until it ends."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from pipeline.campaign.cost import values_of
from pipeline.stages.campaign import Progress, read_progress
from pipeline.stages.next_round import next_round
from pipeline.stages.submit import Notify, allowed_runs, notify_of_end, submit_campaign
from pipeline.wording.quantities import counted

ATTEMPTS = 2
"""How often a run that fails is made in one loop."""

LOST = 5
"""How often a run may be stopped or lost with its machine in one loop."""


def loop_campaign(path: Path, notify: Notify, *, interval: float, rebuilt: bool = False) -> Progress:
    """Make the runs of a campaign round by round until its question is answered or it ends otherwise.

    It may be stopped and called again at any time: everything that it knows is in files.

    Args:
        path: of `campaign.toml`.
        notify: is called with a sentence about what happens.
        interval: seconds between two looks at runs that a scheduler makes.
        rebuilt: the user has built the program with the new filter.

    Returns:
        The campaign afterwards. Its design says why it ends, or its request what has to be done first.

    Raises:
        UsageError: the description is invalid, a program is missing, files cannot be written, or the question
            cannot be answered.
        InputError: what was measured, or the stored design, cannot be read.
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


def _made(path: Path, notify: Notify, attempts: Counter[str], interval: float) -> Progress:
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


def _watched(now: Progress, before: Progress, notify: Notify) -> Progress:
    """Say which runs have ended between two looks."""
    for run in now.design.runs:
        state = now.states[run.name]
        if state.status != before.states[run.name].status and state.status in ("done", "failed"):
            notify_of_end(now, run, notify)
    return now


def _blocked(progress: Progress, attempts: Counter[str]) -> str:
    """Return why further runs cannot help before the user does something; empty if they can."""
    states = progress.states
    lost = [name for name, count in attempts.items() if count >= LOST and states[name].interrupted]
    if lost:
        return f"{lost[0]} was stopped {LOST} times: find out why, then call `pipeline campaign loop` again"
    if attempts and _gave_nothing(progress):
        return "no run of the round ended well: correct what failed, then call `pipeline campaign loop` again"
    return ""


def _gave_nothing(progress: Progress) -> bool:
    """Return whether all runs of the last round failed, and not only at scales that are too large."""
    states, runs = progress.states, progress.design.runs
    last = [run for run in runs if run.round == len(progress.design.rounds)]
    failed = [run for run in last if states[run.name].status == "failed" and not states[run.name].interrupted]
    good = {values_of(run.point) for run in runs if states[run.name].status == "done"}
    if not failed or any(states[run.name].status == "done" for run in last):
        return False
    return not good or any(values_of(run.point) in good for run in failed)
