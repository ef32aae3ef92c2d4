"""`pipeline choose`: which scale to run a job at, and which size keeps an efficiency."""

from typing import Annotated

from pipeline.cli.options import (
    At,
    ChosenMachines,
    JobOptions,
    Out,
    Presentation,
    WhatIf,
    command,
    refuse_beside,
    valued,
)
from pipeline.cli.output import show_notices


@command("choose")
def choose(
    out: Out,
    at: At = None,
    job: JobOptions = JobOptions(),
    isoefficiency: Annotated[
        str | None,
        valued(
            "--isoefficiency",
            "SHARE",
            "Show instead the least size that keeps an efficiency at each scale, and the largest scale for "
            "each size: 75%, or n=75% if several parameters are sizes.",
        ),
    ] = None,
    machines: ChosenMachines = ChosenMachines(),
    changes: WhatIf = None,
    shown: Presentation = Presentation(),
) -> None:
    """Choose the scale of a job: what holds a deadline, a budget, an efficiency, and how surely."""
    from dataclasses import replace

    from pipeline.stages.choose import chosen_jobs, kept_efficiency, resources_of
    from pipeline.stages.model import change_notices
    from pipeline.store.results import read_study

    asked, places = job.read, machines.places
    if places is None:
        study = read_study(out)
        analysis, resources = study.chosen, resources_of(study)
        show_notices(change_notices(study, at or (), changes or ()))
    else:
        from pipeline.stages.projected_results import project_results

        projected = project_results(out, places, at or ())
        show_notices(projected.rests_on)
        analysis, resources = projected.projection.there, {}
        asked = replace(asked, node_cores=asked.node_cores or places[1].cores)
    if isoefficiency is None:
        from pipeline.columns.answers import jobs_table
        from pipeline.report.terminal.results import show_jobs

        found = chosen_jobs(analysis, resources, at or (), asked, changes or ())
        shown.present(found, lambda: jobs_table(found), lambda screen: show_jobs(screen, found))
        return
    from pipeline.columns.answers import isoefficiency_table
    from pipeline.config.job_options import read_kept
    from pipeline.report.render.terminal_tables import show_table

    refuse_beside("--isoefficiency", {f"--{name}": True for name in asked.limits.given})
    size, share = read_kept(isoefficiency)
    kept = kept_efficiency(analysis, at or (), share, size, changes or (), asked.units)
    table = isoefficiency_table(kept)
    shown.present(kept, lambda: table, lambda screen: show_table(screen, table))
