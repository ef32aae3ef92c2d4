"""`pipeline choose`: which scale to run a job at."""

from pipeline.cli.options import At, ChosenMachines, JobOptions, Out, Presentation, WhatIf, command
from pipeline.cli.output import show_notices


@command("choose")
def choose(
    out: Out,
    at: At = None,
    job: JobOptions = JobOptions(),
    machines: ChosenMachines = ChosenMachines(),
    changes: WhatIf = None,
    shown: Presentation = Presentation(),
) -> None:
    """Choose the scale of a job: what holds a deadline, a budget, an efficiency, and how surely."""
    from dataclasses import replace

    from pipeline.columns.jobs import choice_json, jobs_table
    from pipeline.report.terminal.jobs import show_jobs
    from pipeline.stages.choose import chosen_jobs, resources_of
    from pipeline.stages.model import change_notices
    from pipeline.store.results import read_study

    asked, places = job.read, machines.places
    if places is None:
        study = read_study(out)
        found = chosen_jobs(study.chosen, resources_of(study), at or (), asked, changes or ())
        show_notices(change_notices(study, at or (), changes or ()))
    else:
        from pipeline.stages.projected_results import project_results

        projected = project_results(out, places, at or ())
        show_notices(projected.rests_on)
        on_nodes = replace(asked, node_cores=asked.node_cores or places[1].cores)
        found = chosen_jobs(projected.projection.there, {}, at or (), on_nodes, changes or ())
    shown.present(choice_json(found), lambda: jobs_table(found), lambda screen: show_jobs(screen, found))
