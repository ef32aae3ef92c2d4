"""What runs of a campaign wrote: whether it can be read, collected once more, put away to make a run anew."""

import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from filters.evidence import sums_on_cpus
from ingest.discovery import Discovery
from ingest.errors import PipelineError, UsageError, one_line
from ingest.experiment import TIME
from ingest.locate import locate
from ingest.profile import Profile
from ingest.toml_table import unknown_hint
from pipeline.campaign.campaign_design import PlannedRun, write_design
from pipeline.campaign.description import Campaign
from pipeline.campaign.folders import RunFolder, set_aside
from pipeline.campaign.run_costs import CampaignProgress
from pipeline.campaign.run_script import collect_script, profiles_of
from pipeline.campaign.run_state import read_facts, write_facts
from pipeline.store.atomic import not_writable, write_text
from pipeline.store.lock import Notify


def judge_output(campaign: Campaign, run: PlannedRun) -> None:
    """Note whether a run that ended well wrote what can be read, unless that is known; if not, put it away.

    So no profile of a run that failed lies where `pipeline run` reads. Nothing is noted where the folder
    cannot be written: then the next look judges.
    """
    folder = RunFolder(campaign.work / run.name)
    finished = read_facts(folder.finished)
    if finished.get("status") != "0" or finished.get("reason") or folder.output.exists():
        return
    profiles = profiles_of(campaign, run) / run.name
    aside = campaign.outlying_profiles / run.name
    reason, measured = ("", None) if run.plain else _judged(profiles if profiles.exists() else aside)
    with suppress(UsageError, OSError):
        stated = {} if measured is None else {"measured": repr(measured)}
        write_facts(folder.output, {"reason": reason, **stated})
        if reason and profiles.exists():
            shutil.rmtree(folder.unreadable, ignore_errors=True)  # of an earlier collection
            profiles.rename(folder.unreadable)


def _judged(profiles: Path) -> tuple[str, float | None]:
    """Return why what a run wrote is no profile or log, empty if it is one, and the seconds in it."""
    if not profiles.exists():
        return f"what it wrote is not in {profiles.parent.name}/ any more", None
    written = sorted(one for one in profiles.iterdir() if one.suffix != ".toml" and one.name[0] != ".")
    if not any(one.is_dir() or one.stat().st_size for one in written):
        return "its output is empty", None
    try:
        found = locate(profiles).found
        runs = found.runs if isinstance(found, Discovery) else ()
        seconds = [_measured(one.reader.read(one.path)) for one in runs]
    except PipelineError as error:
        asked = f" ({error.hint})" if error.hint.endswith("?") else ""
        return one_line(f"its output cannot be read: {error.what}{asked}"), None
    return "", seconds[0] if len(seconds) == 1 else None


def _measured(profile: Profile) -> float | None:
    """Return the longest time of a CPU location in seconds; None if times of these were not measured."""
    if TIME not in {metric.name for metric in profile.metrics} or not profile.locations.cpu.any():
        return None
    return sums_on_cpus(profile, TIME)[1]


def collect_again(progress: CampaignProgress) -> list[PlannedRun]:
    """Collect what runs wrote whose commands ended well, but whose output failed them; return these runs.

    Raises:
        UsageError: their folders cannot be written.
    """
    campaign = progress.campaign
    failed = [run for run in progress.design.runs if progress.states[run.name].collectable]
    for run in failed:
        folder = RunFolder(campaign.work / run.name)
        write_text(folder.collecting, collect_script(campaign, run, folder))
        try:
            folder.output.unlink(missing_ok=True)
        except OSError as error:
            raise not_writable(folder.output, error) from error
        subprocess.run(
            ["bash", str(folder.collecting)], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    return failed


def reset_runs(progress: CampaignProgress, names: Sequence[str], notify: Notify) -> None:
    """Put runs away with all that they wrote, so that they are made anew; what they cost stays spent.

    Raises:
        UsageError: there is no such run, it is under way, or its folders cannot be written.
    """
    campaign, design = progress.campaign, progress.design
    runs = {run.name: run for run in design.runs}
    for name in names:
        if name not in runs:
            raise UsageError(f"no run {name}", where=str(campaign.path), hint=unknown_hint(name, tuple(runs)))
        if progress.states[name].under_way:
            hint = "cancel its job first, or wait until it has ended"
            raise UsageError(f"{name} is under way", where=str(campaign.path), hint=hint)
    for name in names:
        folder = RunFolder(campaign.work / name)
        kept = [profiles_of(campaign, runs[name]) / name, campaign.outlying_profiles / name]
        try:
            for profiles in filter(Path.exists, kept):
                profiles.rename(folder.path / "profiles.reset")
        except OSError as error:
            raise UsageError(f"cannot be put away ({error.strerror})", where=name) from error
        if folder.path.exists():
            set_aside(folder)
            notify(f"{name} is planned again; what it left is kept in {campaign.work.name}/{name}.attempt*")
    outlying = tuple(name for name in design.outlying if name not in names)
    write_design(campaign.work, replace(design, outlying=outlying, ending="", way_on=None))
