"""What is modelled of the runs: values per visit of a region, without some kernels; and what is listed."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.experiment import VISITS, Experiment, PerVisit, RunRecord, counted_work
from ingest.region_class import region_class
from ingest.run_checks import unlike_repetitions
from ingest.run_settings import TIME_PER_STEP, WORK, counts_work
from ingest.scaling import stated_counts, unequal_steps, visits_of
from pipeline.config.options import Options
from pipeline.models.kernels import named
from pipeline.stages.ingest import Ingested
from pipeline.wording.quantities import counted, point_text

if TYPE_CHECKING:
    from pipeline.columns.summary import Rows, Summary
    from pipeline.questions.crossovers import NamedCrossover

_TIME = "time"
_WHOLE = "run"  # instead of a region: nothing is divided
_RUNS_NAMED = 3  # of those that did not visit a region


def selected(read: Ingested, options: Options) -> Ingested:
    """Return what is modelled: values per visit of a region, without kernels and some runs, as asked for."""
    from pipeline.questions.held_out import hold_out

    divided = per_visit(read, options.per)
    if unlike := unlike_repetitions(divided.experiment):
        raise unlike
    kept = without_kernels(divided, options.without)
    return replace(kept, experiment=hold_out(kept.experiment, options.hold_out))


def per_visit(read: Ingested, region: str) -> Ingested:
    """Divide everything that adds up by how often each run visited a region.

    Without a region runs of very different numbers of steps (`unequal_steps`) are divided by these; `_WHOLE`
    leaves them as they are.

    A run's number of visits is the largest one of its locations, summed over the call paths of the region, so
    that a step that only the master visits counts once. The region may also be a call path or its id, as of
    `matching`, or the steps or iterations that runs state. UsageError if no visits were measured, the region
    matches nothing, or a run did not visit it.
    """
    experiment = read.experiment
    if not region and unequal_steps(experiment):
        divided = per_visit(read, WORK[0]).experiment
        notice = f"runs of different length are compared per step; --per {_WHOLE} keeps them as they are"
        return replace(read, experiment=replace(divided, notices=(*divided.notices, notice)))
    if not region or (region == _WHOLE and _WHOLE not in experiment.regions.name):
        return read
    if counts_work(region) and region not in experiment.regions.name:
        visits = stated_counts(experiment, region)
        for run in experiment.runs:
            if not np.isfinite(visits[run.point, run.repetition]):
                hint = "name a region that every run visits, such as its time step"
                raise UsageError(f"{run.source} does not state its {region}", where="--per", hint=hint)
        return replace(read, experiment=_divided(experiment, PerVisit(region=region, visits=visits)))
    if VISITS not in experiment.values:
        raise UsageError(
            "no visits were measured",
            where="--per",
            hint="only profiles that count visits have values per visit",
        )
    visits = visits_of(experiment, named(experiment.callpaths, region, "--per"))
    if (visits == 0).any():
        raise _not_visited(experiment, region, visits == 0)
    return replace(read, experiment=_divided(experiment, PerVisit(region=region, visits=visits)))


def _divided(experiment: Experiment, per: PerVisit) -> Experiment:
    additive = {metric.name for metric in experiment.metrics if metric.kind.additive} - {TIME_PER_STEP}
    values = {
        name: reduction.each(lambda array: array / per.visits) if name in additive else reduction
        for name, reduction in experiment.values.items()
    }
    runs = tuple(_shortened(run, float(per.visits[run.point, run.repetition])) for run in experiment.runs)
    least, most = (float(end(per.visits)) for end in (np.nanmin, np.nanmax))
    what = per.text if counts_work(per.region) else f"per visit of '{per.region}'"
    notice = f"all values are {what} ({counted_work(least, most, per.region)} per run)"
    whole = _without_plain_totals(experiment)
    return replace(whole, values=values, runs=runs, per=per, notices=(*whole.notices, notice))


def _shortened(run: RunRecord, visits: float) -> RunRecord:
    return replace(run, class_time=run.class_time / visits, device_time=run.device_time / visits)


def _not_visited(experiment: Experiment, region: str, missing: BoolArray) -> UsageError:
    names = _names(experiment, missing)
    listed = ", ".join(names[:_RUNS_NAMED]) + (", ..." if len(names) > _RUNS_NAMED else "")
    what = f"{counted(len(names), 'run')} did not visit '{region}' ({listed})"
    return UsageError(
        what, where="--per", hint="choose a region that every run visits, such as its time step"
    )


def _names(experiment: Experiment, runs: BoolArray) -> Sequence[str]:
    """Name runs, bool[P, R], by their source, or by their points if the values come from a series."""
    if experiment.runs:
        return [run.source for run in experiment.runs if runs[run.point, run.repetition]]
    points = experiment.points[np.nonzero(runs)[0]].tolist()
    return [point_text(dict(zip(experiment.parameters, point, strict=True))) for point in points]


def without_kernels(read: Ingested, patterns: Sequence[str]) -> Ingested:
    """Leave out call paths that match, see `matching`: all their values become zero; what they call stays.

    Runs are shorter by their time.
    """
    if not patterns:
        return read
    experiment = read.experiment
    paths = experiment.callpaths
    out = np.zeros(len(paths), dtype=np.bool_)
    for pattern in patterns:
        out[named(paths, pattern, "--without")] = True

    def zeroed(array: FloatArray) -> FloatArray:
        return np.where(out[:, None, None] & np.isfinite(array), 0.0, array)

    values = {name: reduction.each(zeroed) for name, reduction in experiment.values.items()}
    runs = experiment.runs
    if _TIME in experiment.values:
        runs = tuple(_shorter(run, experiment, out) for run in runs)
    left_out = f"without {counted(int(out.sum()), 'call path')} that match {', '.join(patterns)} (--without)"
    whole = _without_plain_totals(experiment)
    notices = (*whole.notices, left_out)
    return replace(read, experiment=replace(whole, values=values, runs=runs, notices=notices))


def _without_plain_totals(experiment: Experiment) -> Experiment:
    """Return the same without plain times at scales without a profile: they are of whole runs."""
    if experiment.correction is None or experiment.correction.elsewhere is None:
        return experiment
    notice = "plain times at scales without a profile are of whole runs: they are not used"
    correction = replace(experiment.correction, elsewhere=None)
    return replace(experiment, correction=correction, notices=(*experiment.notices, notice))


def _shorter(run: RunRecord, experiment: Experiment, out: BoolArray) -> RunRecord:
    """Take the time of call paths out of a run, from all of its locations by the same share of each class."""
    regions, tree = experiment.regions, experiment.tree
    time: FloatArray = np.nan_to_num(experiment.values[_TIME].sum[:, run.point, run.repetition])
    class_time = np.array(run.class_time, copy=True)
    left_out = dict.fromkeys(run.classes, 0.0)
    for node in np.flatnonzero(out & (time > 0)).tolist():
        region = int(tree.region[node])
        found = region_class(regions.paradigm[region], regions.name[region])
        if found in left_out:
            left_out[found] += float(time[node])
    for row, found in enumerate(run.classes):
        whole = float(class_time[row].sum()) * run.cores_of_location
        if whole > 0:
            class_time[row] *= max(1 - left_out[found] / whole, 0.0)
    return replace(run, class_time=class_time)


def focused(summary: "Summary", patterns: Sequence[str], left_out: Sequence[str] = ()) -> "Summary":
    """Restrict the kernels, regions and crossovers of a summary; totals and shares stay those of the program.

    A call path is listed if it, or one that it is called from, matches one of the patterns (all without any)
    and `without_kernels` did not leave it out; a region if one of its call paths is.
    """
    if not patterns and not left_out:
        return summary
    by_id = {row["id"]: tuple(row["callpath"]) for row in summary.kernels}
    paths = [by_id[number] for number in sorted(by_id)]
    chosen, out = (
        {paths[k] for pattern in given for k in named(paths, pattern, option).tolist()}
        for option, given in (("--focus", patterns), ("--without", left_out))
    )
    kernels = [
        row
        for row in summary.kernels
        if (not patterns or _inside(row["callpath"], chosen)) and tuple(row["callpath"]) not in out
    ]
    regions = {row["region"] for row in kernels}
    found = replace(
        summary, kernels=kernels, regions=[row for row in summary.regions if row["region"] in regions]
    )
    return replace(
        found,
        crossovers=_among(summary.crossovers, found.kernels),
        region_crossovers=_among(summary.region_crossovers, found.regions),
    )


def _among(found: "Sequence[NamedCrossover]", rows: "Rows") -> "tuple[NamedCrossover, ...]":
    """Return the crossovers of kernels that are listed."""
    listed = {tuple(row["callpath"]) for row in rows}
    return tuple(one for one in found if {tuple(one.overtakes), tuple(one.overtaken)} <= listed)


def _inside(callpath: Sequence[str], chosen: Collection[tuple[str, ...]]) -> bool:
    """Return whether a call path or one of its callers is chosen."""
    return any(tuple(callpath[: depth + 1]) in chosen for depth in range(len(callpath)))
