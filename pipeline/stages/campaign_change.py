"""What the runs of a campaign are made of: command, inputs, machine; runs of two kinds are not mixed."""

import hashlib
import json
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ingest.errors import UsageError
from pipeline.campaign.campaign_design import write_design
from pipeline.campaign.description import FOLDER, Campaign
from pipeline.campaign.read_description import read_campaign
from pipeline.campaign.run_costs import CampaignProgress
from pipeline.stages.campaign import read_progress
from pipeline.stages.campaign_output import reset_runs
from pipeline.store.atomic import write_json
from pipeline.store.generation import digest_of
from pipeline.store.lock import Notify, only_writer
from pipeline.wording.quantities import counted

MADE_FROM = "made_from.json"
_SHOWN = 12  # digits of a digest


def require_unchanged(progress: CampaignProgress) -> None:
    """Refuse to go on with runs that would be made of something else than those before; note what it is.

    Raises:
        UsageError: command, inputs or machine differ from those of earlier runs, or a file cannot be read.
    """
    campaign = progress.campaign
    file, now = campaign.work / MADE_FROM, made_from(campaign)
    begun = [state for state in progress.states.values() if state.status != "planned"]
    if not begun or not file.exists():
        write_json(file, now)
        return
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    changes = [
        f"{name} was {before.get(name, 'not there')}, is {now.get(name, 'not there')}"
        for name in dict.fromkeys((*before, *now))
        if before.get(name) != now.get(name)
    ]
    if changes:
        what = f"changed since {counted(len(begun), 'run')} began: {'; '.join(changes)}"
        hint = "change it back, or put these runs away and make all anew with --accept-change"
        raise UsageError(what, where=str(campaign.path), hint=hint)


def accept_change(path: Path, notify: Notify) -> None:
    """Put all runs away that were made before a change; what they cost stays spent."""
    with only_writer(read_campaign(path).work, notify):
        progress = read_progress(path)
        begun = [name for name, state in progress.states.items() if state.status != "planned"]
        design = progress.design
        rounds = tuple(replace(one, answer=None) for one in design.rounds)
        progress = replace(progress, design=replace(design, rounds=rounds))
        write_design(progress.campaign.work, progress.design)
        reset_runs(progress, begun, notify)
        write_json(progress.campaign.work / MADE_FROM, made_from(progress.campaign))


def made_from(campaign: Campaign) -> Mapping[str, str]:
    """Return what all runs have in common, by what users call it; files by their digests.

    Of a program that is built anew with a filter the files are no reason to stop.
    """
    application, measurement, launcher = campaign.application, campaign.measurement, campaign.launcher
    texts = {
        "command": shlex.join(application.command),
        "plain": shlex.join(measurement.plain),
        "prepare": "; ".join(application.prepare),
        "environment": " ".join(f"{name}={value}" for name, value in measurement.environment.items()),
        "launcher": shlex.join((launcher.program, *launcher.options)),
        "threads": launcher.threads,
        "machine": os.uname().nodename if campaign.scheduler.kind == "shell" else "",
    }
    files = {str(one.path) for one in application.inputs}
    if not measurement.rebuild:
        folder = str(campaign.path.parent)
        words = (word.replace(f"{{{FOLDER}}}", folder) for word in application.command)
        files |= {word for word in words if "/" in word and Path(word).is_file()}
    return {name: text for name, text in texts.items() if text} | dict(map(_digest, sorted(files)))


def _digest(name: str) -> tuple[str, str]:
    path, digest = Path(name), hashlib.sha256()
    try:
        for file in _files(path):
            digest.update(f"{file.relative_to(path)}\0{digest_of(file)}\0".encode(errors="surrogateescape"))
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=name) from error
    return path.name, digest.hexdigest()[:_SHOWN]


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
