"""`pipeline choose`: at which scale to run a job or to measure, and which size keeps an efficiency."""

from collections.abc import Mapping, Sequence
from pathlib import Path
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
    switch,
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
    measure: Annotated[
        bool,
        switch(
            "--measure", "Show instead what to measure next: what narrows the prediction most for its cost."
        ),
    ] = False,
    machines: ChosenMachines = ChosenMachines(),
    changes: WhatIf = None,
    shown: Presentation = Presentation(),
) -> None:
    """Choose the scale of a job, or what to measure next."""
    from dataclasses import replace

    from pipeline.stages.choose import chosen_jobs, kept_efficiency, resources_of
    from pipeline.stages.model import change_notices
    from pipeline.store.results import read_study

    if measure:
        others = {
            f"--{name.replace('_', '-')}": value for name, value in vars(job).items() if name != "budget"
        }
        others |= {"--isoefficiency": isoefficiency, "--on": machines.on, "--from": machines.from_machine}
        refuse_beside("--measure", others | {"--what-if": changes})
        _show_plans(out, at or (), job.budget, shown)
        return
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


def _show_plans(
    out: Path, at: Sequence[Mapping[str, float]], budget: str | None, shown: Presentation
) -> None:
    """Plan the measurements that narrow the prediction at the target most per core-second."""
    from ingest.record_codec import document
    from pipeline.columns.measured_runs import advice_table
    from pipeline.config.option_readers import parse_budget
    from pipeline.questions.planning.next_measurement import PlanOfTarget, plan_measurements
    from pipeline.report.render.terminal_tables import show_table
    from pipeline.stages.model import target_points
    from pipeline.store.results import read_study

    study = read_study(out)
    analysis, spend = study.chosen, None
    if budget is not None:
        spend = parse_budget(budget, unit="core-s", where="--budget")
    plans = [
        plan_measurements(analysis, target, spend)
        for target in target_points(analysis, at or study.result.configuration.get("at", ()))
    ]
    several = [PlanOfTarget(target=plan.target, plan=plan.plan) for plan in plans]
    table = advice_table(plans, analysis.experiment.parameters)
    content = document(several if len(plans) > 1 else plans[0].plan)
    shown.present(content, lambda: table, lambda screen: show_table(screen, table))
