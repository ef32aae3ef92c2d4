"""`pipeline choose`: at which scale to run a job or to measure, and which size keeps an efficiency."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.options import (
    ChosenMachines,
    InputTexts,
    JobOptions,
    Presentation,
    WhatIf,
    command,
    refuse_beside,
    switch,
    valued,
)
from pipeline.cli.output import show_notices

if TYPE_CHECKING:
    from pipeline.questions.choice import JobChoice


@command("choose")
def choose(
    source: Annotated[
        str,
        typer.Argument(
            metavar="OUT|APPLICATION",
            help="Results directory of `pipeline run`; or an application of `pipeline project`.",
        ),
    ],
    at: InputTexts = None,
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

    from pipeline.config.option_readers import parse_at
    from pipeline.projection.expressions.shipped_files import names_file

    if names_file("application", source):
        refuse_beside(
            "an application",
            {
                "--measure": measure,
                "--isoefficiency": isoefficiency,
                "--from": machines.from_machine,
                "--what-if": changes,
                "--steps": job.steps,
                "--memory-per-node": job.memory_per_node,
                "--energy": job.energy,
            },
            hint="omit it; limits of an application are --deadline, --budget and --efficiency",
        )
        _choose_of_application(source, machines.on, at or [], job, shown)
        return
    if not Path(source).is_dir():
        from ingest.errors import UsageError

        hint = "give a results directory of `pipeline run`, or an application of `pipeline project --list`"
        raise UsageError("no such file or directory", where=source, hint=hint)
    from pipeline.stages.choose import chosen_jobs, kept_efficiency, resources_of
    from pipeline.stages.model import change_notices
    from pipeline.store.results import read_study

    out, targets = Path(source), tuple(map(parse_at, at or ()))
    if measure:
        others = {
            f"--{name.replace('_', '-')}": value for name, value in vars(job).items() if name != "budget"
        }
        others |= {"--isoefficiency": isoefficiency, "--on": machines.on, "--from": machines.from_machine}
        refuse_beside("--measure", others | {"--what-if": changes})
        _show_plans(out, targets, job.budget, shown)
        return
    asked, places = job.read, machines.places
    if places is None:
        study = read_study(out)
        analysis, resources = study.chosen, resources_of(study)
        show_notices(change_notices(study, targets, changes or ()))
    else:
        from pipeline.stages.projected_results import project_results

        projected = project_results(out, places, targets)
        show_notices(projected.rests_on)
        analysis, resources = projected.projection.there, {}
        asked = replace(asked, node_cores=asked.node_cores or places[1].cores)
    if isoefficiency is None:
        _show_jobs(chosen_jobs(analysis, resources, targets, asked, changes or ()), shown)
        return
    from pipeline.columns.answers import isoefficiency_table
    from pipeline.config.job_options import read_kept
    from pipeline.report.render.terminal_tables import show_table

    refuse_beside("--isoefficiency", {f"--{name}": True for name in asked.limits.given})
    size, share = read_kept(isoefficiency)
    kept = kept_efficiency(analysis, targets, share, size, changes or (), asked.units)
    table = isoefficiency_table(kept)
    shown.present(kept, lambda: table, lambda screen: show_table(screen, table))


def _show_jobs(found: "JobChoice", shown: Presentation) -> None:
    from pipeline.columns.answers import jobs_table
    from pipeline.report.terminal.results import show_jobs

    shown.present(found, lambda: jobs_table(found), lambda screen: show_jobs(screen, found))


def _choose_of_application(
    application: str, machine: str | None, at: Sequence[str], job: JobOptions, shown: Presentation
) -> None:
    """Choose the scale of an application's job on a machine."""
    from pipeline.config.application_inputs import read_inputs
    from pipeline.stages.choose import chosen_jobs_of
    from pipeline.stages.project import asked_times, files

    described = job.read
    asked = asked_times(*files(application, machine), read_inputs(at), described.node_cores)
    show_notices(asked.notices)
    _show_jobs(chosen_jobs_of(asked, described), shown)


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
