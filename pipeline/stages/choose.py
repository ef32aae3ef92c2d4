"""The choose stage: which scale to run a job at."""

from collections.abc import Mapping, Sequence

import numpy as np

from ingest.errors import UsageError
from pipeline.config.job_options import DescribedJob
from pipeline.models.kernels import is_time
from pipeline.projection.applications.application_times import AskedTimes
from pipeline.questions.analysis import Analysis
from pipeline.questions.choice import JobChoice, choose, job_of
from pipeline.questions.isoefficiency import Isoefficiency, chosen_size, isoefficiency, surface_of
from pipeline.questions.resource_use import resource_metrics
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import job_points
from pipeline.questions.what_if import what_if
from pipeline.stages.model import target_points
from pipeline.store.results import StoredStudy

_RECORD_MEMORY = "Score-P has it with SCOREP_MEMORY_RECORDING=true, and logs that state it of all processes"
_RECORD_ENERGY = "Slurm's table of jobs (sacct) has it, and energy counters of PAPI or LIKWID"
_NO_CORES = "the number of cores is unknown, so there is "
_GIVE_CORES = "name runs by their processes, like app.p4.r1"
_UNKNOWN = {
    "deadline": (_NO_CORES + "no wall time", _GIVE_CORES),
    "budget": (_NO_CORES + "no cost", _GIVE_CORES),
    "efficiency": ("nothing scales here", "measure over processes, or say --scaling strong or weak to run"),
    "memory": ("the memory of nodes was not measured", _RECORD_MEMORY),
    "energy": ("energy was not measured", _RECORD_ENERGY),
}
"""Of every limit: what is said if it is of a figure that is unknown, and what to do."""


def resources_of(study: StoredStudy) -> dict[str, Analysis]:
    """Return the models of what whole runs take beside time, those that are stored."""
    wanted = resource_metrics(study.chosen.experiment)
    return {name: study.of(name) for name in study.tables if name in wanted}


def chosen_jobs(
    analysis: Analysis,
    resources: Mapping[str, Analysis],
    at: Sequence[Mapping[str, float]],
    job: DescribedJob,
    changes: Sequence[str] = (),
) -> JobChoice:
    """Look at a job at scales up to the last target, and choose among those that hold its limits.

    Targets are by default those of `target_points`; changes are as of `what_if`.
    """
    study = _study_of(analysis, changes, job.units)
    if job.units is not None:
        resources = {
            name: _of_units(one, job.units) if one.additive else one for name, one in resources.items()
        }
    targets = target_points(study, at)
    times = RuntimeStudy(study, node_cores=job.node_cores)
    return _known(
        choose(times, job_points(times, targets[-1]), job.limits, resources=resources, price=job.price)
    )


def chosen_jobs_of(asked: AskedTimes, job: DescribedJob) -> JobChoice:
    """Look at a job of an application, as `chosen_jobs` does of a study's."""
    found = choose(asked.times, asked.points, job.limits, price=job.price)
    return _known(found, hint="let an input count processes, such as P, and choose among its values")


def _known(found: JobChoice, hint: str = "") -> JobChoice:
    """Refuse a limit of a figure that is unknown everywhere; a hint replaces those for measured studies."""
    for name, score in found.at_scales.scores.items():
        if np.isnan(score).all():  # a limit of it would be of nothing
            what, usual = _UNKNOWN[name]
            where = "--memory-per-node" if name == "memory" else f"--{name}"
            raise UsageError(what, where=where, hint=hint or usual)
    return found


def kept_efficiency(
    analysis: Analysis,
    at: Sequence[Mapping[str, float]],
    share: float,
    size: str = "",
    changes: Sequence[str] = (),
    units: float | None = None,
) -> Isoefficiency:
    """Find which sizes and scales keep an efficiency, up to the last target.

    Arguments are as of `chosen_jobs`. The size is by default the only parameter that varies; `units` are
    steps of the job, if models are of one.
    """
    study = RuntimeStudy(_study_of(analysis, changes, units))
    if not study.scales:
        what, hint = _UNKNOWN["efficiency"]
        raise UsageError(what, where="--isoefficiency", hint=hint)
    name = chosen_size(study.analysis, size)
    return isoefficiency(surface_of(study, target_points(study.analysis, at)[-1], name), share)


def _study_of(analysis: Analysis, changes: Sequence[str], units: float | None) -> Analysis:
    """Return the study of a job after changes; refuse one that predicts no wall times."""
    kernels = analysis.callpaths.kernels
    if not (analysis.additive and is_time(kernels.metric, kernels.unit)):
        what = f"the models are of {kernels.metric}, so there is no wall time"
        raise UsageError(what, hint=analysis.how_to_model_time)
    if analysis.is_profile:
        raise UsageError("one or two scales predict no others", hint="measure at least three")
    changed = what_if(analysis, changes)
    return changed if units is None else _of_units(changed, units)


def _of_units(analysis: Analysis, units: float) -> Analysis:
    per = analysis.experiment.per
    if per is None:
        what = "the models are of whole runs, so it is unknown what a step takes"
        raise UsageError(
            what, where="--steps", hint="run `pipeline run` with --per steps, or a region's name"
        )
    return job_of(analysis, per, units)
