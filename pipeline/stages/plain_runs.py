"""Runs of a campaign without instrumentation: their times, as evidence of what instrumentation takes."""

from pathlib import Path

from filters.evidence import evidence_from_profile
from filters.known_plain import LONGER
from pipeline.campaign.campaign_design import PlannedRun
from pipeline.campaign.description import point_values
from pipeline.campaign.run_costs import CampaignProgress
from pipeline.campaign.run_script import profiles_of
from pipeline.stages.filter import runs_at
from pipeline.stages.given_plain_times import SECONDS, STARTUP
from pipeline.store.atomic import write_text
from pipeline.store.lock import Notify
from pipeline.wording.quantities import quantity


def plain_times(progress: CampaignProgress, notify: Notify, *, unfiltered: bool = False) -> Path | None:
    """Write the table of plain run times that ``--baseline-time`` takes; None if there are none yet.

    Commands take longer than what they measure: what an instrumented run of the same scale took beside its
    profile may be start-up of the plain one, too.

    Args:
        progress: the campaign.
        notify: is told of runs that are left out.
        unfiltered: whether the table is for the runs before the filter, or for those of the series.
    """
    campaign, rows = progress.campaign, [",".join((*progress.campaign.scales, SECONDS, STARTUP))]
    for plain in (run for run in progress.design.runs if run.plain):
        alike = [run for run in measured_runs(progress, unfiltered=unfiltered) if run.point == plain.point]
        seconds = progress.states[plain.name].seconds
        if not alike or seconds is None or progress.states[plain.name].status != "done":
            continue
        beside, wall = min(_beside(progress, run) for run in alike)
        if seconds - beside > LONGER * wall:
            took, only = (quantity(value, "s") for value in (seconds, wall))
            notify(f"{plain.name} took {took}, the instrumented run only {only}: it is left out")
            continue
        rows.append(
            ",".join((*point_values(plain.point).values(), repr(seconds), repr(min(beside, seconds))))
        )
    if len(rows) == 1:
        return None
    write_text(campaign.plain_times, "\n".join((*rows, "")))
    return campaign.plain_times


def measured_runs(progress: CampaignProgress, *, unfiltered: bool) -> list[PlannedRun]:
    """Return the runs before the filter, or those of the series, that are done and not set aside."""
    return [
        run
        for run in progress.design.runs
        if run.unfiltered == unfiltered
        and not run.plain
        and progress.states[run.name].status == "done"
        and run.name not in progress.design.outlying
    ]


def _beside(progress: CampaignProgress, run: PlannedRun) -> tuple[float, float]:
    """Return the seconds of a run's command that its profile does not have, and those that it has."""
    (found,) = runs_at(profiles_of(progress.campaign, run) / run.name)
    wall = evidence_from_profile(found.reader.read(found.path)).wall
    return max((progress.states[run.name].seconds or 0.0) - wall, 0.0), wall
