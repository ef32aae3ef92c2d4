"""Values per visit of a region, such as per time step: runs of different length become comparable."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.experiment import STATED_STEPS, Experiment, PerVisit, RunRecord
from ingest.reduction import Reduction
from ingest.run_settings import STEPS, TIME_PER_STEP
from pipeline.models.kernels import named
from pipeline.stages.ingest import Ingested
from pipeline.wording.quantities import counted, point_text, value_text

VISITS = "visits"
OPTION = "--per"
RUNS_NAMED = 3


def per_visit(read: Ingested, region: str) -> Ingested:
    """Divide everything that adds up by how often each run visited a region.

    A run's number of visits is the largest one of its locations, summed over the call paths of the region, so
    that a step that only the master visits counts once.

    Args:
        read: the runs.
        region: a region, a call path or its id, as of `matching`, or the steps that logs state; nothing is
            divided if it is empty.

    Raises:
        UsageError: no visits were measured, the region matches nothing, or a run did not visit it.
    """
    if not region:
        return read
    experiment = read.experiment
    if region == STATED_STEPS and region not in experiment.regions.name:
        return replace(
            read, experiment=_divided(experiment, PerVisit(region=region, visits=_stated_steps(experiment)))
        )
    if VISITS not in experiment.values:
        raise UsageError(
            "no visits were measured",
            where=OPTION,
            hint="only profiles that count visits have values per visit",
        )
    callpaths = named(experiment.callpaths, region, OPTION)
    most = experiment.values[VISITS].max
    visits: FloatArray = np.where(np.isfinite(most).any(axis=0), np.nansum(most[callpaths], axis=0), np.nan)
    if (visits == 0).any():
        raise _not_visited(experiment, region, visits == 0)
    return replace(read, experiment=_divided(experiment, PerVisit(region=region, visits=visits)))


def _stated_steps(experiment: Experiment) -> FloatArray:
    """Return the steps of each run, float64[P, R].

    Raises:
        UsageError: a run states none.
    """
    steps: FloatArray = np.full(experiment.shape, np.nan)
    for run in experiment.runs:
        text = run.attributes.get(STEPS, "")
        if not text.isdecimal():
            hint = "name a region that every run visits, such as its time step"
            raise UsageError(f"{run.source} does not state its steps", where=OPTION, hint=hint)
        steps[run.point, run.repetition] = float(text)
    return steps


def _divided(experiment: Experiment, per: PerVisit) -> Experiment:
    additive = {metric.name for metric in experiment.metrics if metric.kind.additive} - {TIME_PER_STEP}
    values = {
        name: _share(reduction, per.visits) if name in additive else reduction
        for name, reduction in experiment.values.items()
    }
    runs = tuple(_shortened(run, float(per.visits[run.point, run.repetition])) for run in experiment.runs)
    least, most = (value_text(float(end(per.visits))) for end in (np.nanmin, np.nanmax))
    counts = least if least == most else f"{least} to {most}"
    visits = "visit" if counts == "1" else "visits"
    what = f"per visit of '{per.region}' ({counts} {visits} per run)"
    if per.region == STATED_STEPS:
        what = f"per step ({counts} steps per run)"
    notice = f"all values are {what}"
    return replace(experiment, values=values, runs=runs, per=per, notices=(*experiment.notices, notice))


def _share(reduction: Reduction, visits: FloatArray) -> Reduction:
    return Reduction(**{name: array / visits for name, array in vars(reduction).items()})


def _shortened(run: RunRecord, visits: float) -> RunRecord:
    return replace(run, class_time=run.class_time / visits, device_time=run.device_time / visits)


def _not_visited(experiment: Experiment, region: str, missing: BoolArray) -> UsageError:
    names = _names(experiment, missing)
    listed = ", ".join(names[:RUNS_NAMED]) + (", ..." if len(names) > RUNS_NAMED else "")
    what = f"{counted(len(names), 'run')} did not visit '{region}' ({listed})"
    return UsageError(what, where=OPTION, hint="choose a region that every run visits, such as its time step")


def _names(experiment: Experiment, runs: BoolArray) -> Sequence[str]:
    """Name runs, bool[P, R], by their source, or by their points if the values come from a series."""
    if experiment.runs:
        return [run.source for run in experiment.runs if runs[run.point, run.repetition]]
    points = experiment.points[np.nonzero(runs)[0]].tolist()
    return [point_text(dict(zip(experiment.parameters, point, strict=True))) for point in points]
