"""Which kernels take part: those left out of a study, and those that are listed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import Experiment, RunRecord
from ingest.reduction import Reduction
from ingest.region_class import region_class
from pipeline.config.options import Options
from pipeline.models.kernels import named
from pipeline.report.summary import LISTED
from pipeline.stages.ingest import Ingested
from pipeline.stages.per_visit import per_visit
from pipeline.wording.quantities import counted

TIME = "time"


def selected(read: Ingested, options: Options) -> Ingested:
    """Return what is modelled of the runs: values per visit of a region, without kernels, as asked for.

    Raises:
        UsageError: a pattern matches no call path, or a run did not visit the region.
    """
    return without_kernels(per_visit(read, options.per), options.without)


def without_kernels(read: Ingested, patterns: Sequence[str]) -> Ingested:
    """Leave out call paths: all their values become zero, and runs are shorter by their time.

    Args:
        read: the runs.
        patterns: of names, call paths or their ids, as of `matching`; what call paths call stays.

    Raises:
        UsageError: a pattern matches no call path.
    """
    if not patterns:
        return read
    experiment = read.experiment
    paths = experiment.callpaths
    out = np.zeros(len(paths), dtype=np.bool_)
    for pattern in patterns:
        out[named(paths, pattern, "--without")] = True
    values = {name: _zeroed(reduction, out) for name, reduction in experiment.values.items()}
    runs = experiment.runs
    if TIME in experiment.values:
        runs = tuple(_shorter(run, experiment, out) for run in runs)
    left_out = f"without {counted(int(out.sum()), 'call path')} that match {', '.join(patterns)} (--without)"
    notices = (*experiment.notices, left_out)
    return replace(read, experiment=replace(experiment, values=values, runs=runs, notices=notices))


def _zeroed(reduction: Reduction, out: BoolArray) -> Reduction:
    """Set call paths to zero; what was not measured stays so."""
    return Reduction(
        **{
            name: np.where(out[:, None, None] & np.isfinite(array), 0.0, array)
            for name, array in vars(reduction).items()
        }
    )


def _shorter(run: RunRecord, experiment: Experiment, out: BoolArray) -> RunRecord:
    """Take the time of call paths out of a run, from all of its locations by the same share of each class."""
    regions, tree = experiment.regions, experiment.tree
    time: FloatArray = np.nan_to_num(experiment.values[TIME].sum[:, run.point, run.repetition])
    class_time = np.array(run.class_time, copy=True)
    left_out = dict.fromkeys(run.classes, 0.0)
    for node in np.flatnonzero(out & (time > 0)).tolist():
        region = int(tree.region[node])
        found = region_class(regions.paradigm[region], regions.name[region])
        if found in left_out:
            left_out[found] += float(time[node])
    for row, found in enumerate(run.classes):
        whole = float(class_time[row].sum())
        if whole > 0:
            class_time[row] *= max(1 - left_out[found] / whole, 0.0)
    return replace(run, class_time=class_time)


def most_listed(options: Options) -> int | None:
    """Return how many kernels a summary lists before `focused` chooses among them; None for all."""
    return None if options.focus or options.without else LISTED


def focused(
    summary: Mapping[str, Any], patterns: Sequence[str], left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Restrict the kernels, regions and crossovers of a summary; totals and shares stay those of the program.

    Args:
        summary: the content of ``summary.json``, with all kernels (`most_listed`).
        patterns: a call path is listed if it, or one that it is called from, matches one of them; a region if
            one of its call paths is. Without any, everything is listed.
        left_out: what was left out by `without_kernels` is not listed.

    Raises:
        UsageError: a pattern matches nothing.
    """
    found = dict(summary)
    if not patterns and not left_out:
        return found
    by_id = {row["id"]: tuple(row["callpath"]) for row in summary["kernels"]}
    paths = [by_id[number] for number in sorted(by_id)]
    chosen, out = (
        {paths[k] for pattern in given for k in named(paths, pattern, option).tolist()}
        for option, given in (("--focus", patterns), ("--without", left_out))
    )
    found["kernels"] = [
        row
        for row in summary["kernels"]
        if (not patterns or _inside(row["callpath"], chosen)) and tuple(row["callpath"]) not in out
    ]
    regions = {row["region"] for row in found["kernels"]}
    found["regions"] = [row for row in summary["regions"] if row["region"] in regions]
    for key, level in (("crossovers", "kernels"), ("region_crossovers", "regions")):
        listed = {tuple(row["callpath"]) for row in found[level]}
        found[key] = [
            one
            for one in summary[key]
            if tuple(one["overtakes"]) in listed and tuple(one["overtaken"]) in listed
        ]
    return found


def _inside(callpath: Sequence[str], chosen: Collection[tuple[str, ...]]) -> bool:
    """Tell whether a call path or one of its callers is chosen."""
    return any(tuple(callpath[: depth + 1]) in chosen for depth in range(len(callpath)))
