"""Alignment of runs: the union of their call trees and the dense arrays of an `Experiment`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from ingest.arrays import IntArray, distinct
from ingest.calltree import ROOT, CallTree, CallTreeBuilder
from ingest.errors import InputError
from ingest.experiment import Experiment, RunRecord
from ingest.interrupted_runs import without_interruptions
from ingest.parameter_roles import leave_out, marked_names
from ingest.profile import Metric, RegionTable
from ingest.reduction import ReducedProfile, Reduction, RunFacts
from ingest.run_names import PROCESSES
from ingest.run_settings import differing_settings
from ingest.series import MeasuredSeries

_NOTHING = 1e-70
REDUCTIONS = ("sum", "mean", "min", "max")


@dataclass
class CallTreeUnion:
    """The union of call trees, added one by one; call paths are the same if their region names are."""

    paths: CallTreeBuilder = field(default_factory=CallTreeBuilder)  # the call paths seen so far
    # per region, in the order first seen: mangled name, paradigm, file and line
    known: list[tuple[str, str, tuple[str, int]]] = field(default_factory=list)
    _last: tuple[CallTree, tuple[str, ...], IntArray] | None = None

    def add(self, tree: CallTree, regions: RegionTable) -> IntArray:
        """Add a call tree and return, for every of its nodes, its number in the union: int64[n]."""
        if self._last is not None and self._last[1] == regions.name:
            pairs = ((tree.parent, self._last[0].parent), (tree.region, self._last[0].region))
            if all(np.array_equal(*pair) for pair in pairs):
                return self._last[2]
        nodes: list[int] = []
        for parent, region in zip(tree.parent.tolist(), tree.region.tolist(), strict=True):
            caller = nodes[parent] if parent >= 0 else ROOT
            nodes.append(self.paths.callee(caller, regions.name[region]))
            if len(self.paths.regions) > len(self.known):
                source = regions.file[region], int(regions.line[region])
                self.known.append((regions.mangled[region], regions.paradigm[region], source))
        numbers = np.array(nodes, dtype=np.int64)
        self._last = (tree, regions.name, numbers)
        return numbers

    def finish(self) -> tuple[IntArray, CallTree, RegionTable]:
        """Return the place of every number in preorder, the united tree, and its regions."""
        place, tree, names = self.paths.build()
        mangled, paradigms, places = zip(*self.known, strict=True) if self.known else ((),) * 3
        return place, tree, RegionTable.named(names, paradigms, places, mangled)


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """A reduced profile together with its measurement point."""

    parameters: tuple[float, ...]  # values in the order of the experiment's parameters
    repetition: int  # number of the repetition; only its order matters
    profile: ReducedProfile


def align(parameters: Sequence[str], runs: Iterable[MeasuredRun]) -> Experiment:
    """Unite reduced runs, in any order and consumed one by one, into an experiment.

    A call path that a run did not visit counts zero there: the run was measured and spent nothing in it.
    Values are NaN where no run was measured.
    """
    union = CallTreeUnion()
    placed = [(run, union.add(run.profile.tree, run.profile.regions)) for run in runs]
    if not placed:
        raise InputError("no run could be read", hint="see the notices for the reasons")
    stated = np.array([run.parameters for run, _ in placed], dtype=np.float64).reshape(len(placed), -1)
    counts = np.array([run.profile.locations for run, _ in placed], dtype=np.float64)
    kept, left_out = leave_out(parameters, stated, counts)
    names = [parameters[c] for c in kept]
    placed = [
        (replace(run, parameters=tuple(run.parameters[c] for c in kept)), nodes) for run, nodes in placed
    ]
    placed.sort(key=lambda item: (item[0].parameters, item[0].repetition, item[0].profile.source))
    place, tree, regions = union.finish()
    points = sorted({run.parameters for run, _ in placed})
    records = _records(((run, place[nodes]) for run, nodes in placed), points)
    metrics = _union_of_metrics([run.profile for run, _ in placed])
    shape = (len(tree), len(points), 1 + max(record.repetition for record in records))
    values = {}
    for metric in metrics:
        dense = {name: np.full(shape, np.nan) for name in REDUCTIONS}
        for (run, nodes), record in zip(placed, records, strict=True):
            reduction = run.profile.values.get(metric.name)
            if reduction is not None and metric.name == "time":
                reduction = replace(reduction, sum=reduction.sum * record.cores_of_location)
            if reduction is not None:
                for name, array in dense.items():
                    array[:, record.point, record.repetition] = 0.0
                    array[place[nodes], record.point, record.repetition] = getattr(reduction, name)
        values[metric.name] = Reduction(**dense)
    experiment = Experiment(
        parameters=marked_names(names, stated[:, kept], counts),
        points=np.array(points, dtype=np.float64).reshape(len(points), len(names)),
        left_out=left_out,
        tree=tree,
        regions=regions,
        metrics=metrics,
        values=values,
        runs=records,
        notices=(
            *left_out.notices,
            *_notices([run.profile for run, _ in placed]),
            *differing_settings([run.profile.attributes for run, _ in placed]),
        ),
    )
    found = [(run.profile.long_visits, place[nodes]) for run, nodes in placed]
    return without_interruptions(
        experiment, [visits and replace(visits, node=nodes[visits.node]) for visits, nodes in found]
    )


def with_processes(experiment: Experiment) -> Experiment:
    """Take the number of processes as the parameter of runs that have none, if it is the same in all.

    They are a measured profile then. Runs of different numbers have to be named: they may be of anything.
    """
    counts = {len(distinct(run.process)) or run.device_time.shape[1] for run in experiment.runs}
    if experiment.parameters or len(counts) != 1:
        return experiment
    notice = f"the runs have no parameter: {PROCESSES} is their number of processes"
    return replace(
        experiment,
        parameters=(PROCESSES,),
        points=np.array([[max(*counts, 1)]], dtype=np.float64),
        notices=(*experiment.notices, notice),
    )


def _records(
    runs: Iterable[tuple[MeasuredRun, IntArray]], points: Sequence[tuple[float, ...]]
) -> tuple[RunRecord, ...]:
    """Give every run, with its call paths in the union, its point and the next free repetition of it."""
    index = {point: i for i, point in enumerate(points)}
    used = [0] * len(points)
    records = []
    for run, nodes in runs:
        point, profile = index[run.parameters], run.profile
        number = np.append(nodes, -1)
        facts = {of.name: getattr(profile, of.name) for of in fields(RunFacts)}
        facts["largest"] = {
            metric: replace(found, callpath=number[found.callpath])
            for metric, found in profile.largest.items()
        }
        records.append(RunRecord(point=point, repetition=used[point], **facts))
        used[point] += 1
    return tuple(records)


def _union_of_metrics(profiles: Sequence[ReducedProfile]) -> tuple[Metric, ...]:
    found: dict[str, Metric] = {}
    for profile in profiles:
        for metric in profile.metrics:
            found.setdefault(metric.name, metric)
    return tuple(found.values())


def _notices(profiles: Sequence[ReducedProfile]) -> tuple[str, ...]:
    runs: dict[str, list[str]] = {}
    for profile in profiles:
        for notice in profile.notices:
            runs.setdefault(notice, []).append(profile.source)
    return tuple(
        f"{sources[0]}: {notice}" + (f" (and {len(sources) - 1} more runs)" if len(sources) > 1 else "")
        for notice, sources in runs.items()
    )


def experiment_from_series(series: MeasuredSeries) -> Experiment:
    """Turn the values of a series file (Extra-P formats) into an experiment: they are taken as given.

    Values below `_NOTHING` are zero: ratios to them overflow.
    """
    paths = CallTreeBuilder()
    nodes = np.array([paths.add(path) for path in series.callpaths], dtype=np.int64)
    place, tree, names = paths.build()
    regions = RegionTable.named(names, ("",) * len(names))
    order = np.argsort(place[nodes])
    kept, left_out = leave_out(series.parameters, series.points, None)
    points = series.points[:, kept]
    sort = np.lexsort(points.T[::-1])
    values = {
        name: Reduction(*(np.where(np.abs(of) < _NOTHING, 0.0, of)[order][:, sort],) * len(REDUCTIONS))
        for name, of in series.values.items()
    }
    return Experiment(
        parameters=tuple(series.parameters[c] for c in kept),
        points=points[sort],
        left_out=left_out,
        tree=tree,
        regions=regions,
        metrics=series.metrics,
        values=values,
        runs=(),
        notices=(*left_out.notices, *series.notices),
        stated=series.stated,
    )
