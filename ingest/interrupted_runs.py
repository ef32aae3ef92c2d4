"""Interruptions are taken out of the times of an experiment, once and for all that is made of it.

A visit that took far longer than its others is one where no other run has the like: what others have as well
is how the program behaves. Without longest visits, a time that a single run has, many times that of its
repetitions and of the scales around it, counts as theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows, distinct
from ingest.cpp_names import short_name
from ingest.experiment import TIME, VISITS, Experiment, RunRecord
from ingest.interruptions import LEAST_INTERRUPTION, OUTLYING, LongVisits
from ingest.number_text import figure
from ingest.reduction import LocationValues, SmallFloatArray
from ingest.region_class import CLASSES, USEFUL_WORK, region_classes

_ALIKE = 3.0  # times the same in other runs, up to which it is how the program behaves
_WORTH_SAYING = 1e-3  # of the time of a run
_NEAREST = 2  # scales that tell what is usual at one


@dataclass(frozen=True, eq=False, kw_only=True)
class _Taken(Rows):
    """What is taken out of the times of k call paths of a run."""

    node: IntArray  # int64[k]
    seconds: FloatArray  # float64[k, CPU location]
    low: FloatArray  # float64[k], the smallest time of a location that is left
    high: FloatArray  # float64[k], the largest


class _Interruption(NamedTuple):
    seconds: float
    name: str
    source: str


def without_interruptions(experiment: Experiment, long_visits: Sequence[LongVisits | None]) -> Experiment:
    """Take interruptions out of the times of an experiment, and say so in notices.

    Call paths of the long visits of each of its runs are numbered as those of the experiment.
    """
    if TIME not in experiment.values or not experiment.runs:
        return experiment
    experiment, visits = _without(experiment, _interrupted(experiment, long_visits))
    experiment, values = _without(experiment, _single_values(experiment))
    said = []
    for seconds, name, source in visits[:1]:
        where = f"{figure(seconds)} s in {short_name(name)}"
        one = f"{source}: an interruption of {where} is taken out: one visit took far longer than its others"
        several = (
            f"{len(visits)} interruptions, single visits that took far longer than their others, are taken"
            f" out of the times: {figure(sum(v.seconds for v in visits))} s, the longest {where} ({source})"
        )
        said.append(one if len(visits) == 1 else several)
    for seconds, name, source in values[:1]:
        more = f", and {len(values) - 1} more such times" if len(values) > 1 else ""
        said.append(
            f"{source}: {short_name(name)} took {figure(seconds)} s longer than in all other runs, many times"
            f" its usual time, and counts as in the repetitions{more}"
        )
    return replace(experiment, notices=(*experiment.notices, *said))


def _interrupted(experiment: Experiment, long_visits: Sequence[LongVisits | None]) -> dict[int, _Taken]:
    """Return the long visits of every run that no other run has."""
    known = [found for found in long_visits if found is not None and len(found)]
    if not known:
        return {}
    rows = distinct(np.concatenate([found.node for found in known]))
    added = np.where(np.isnan(experiment.values[TIME].sum[rows]), np.nan, 0.0)
    for run, found in zip(experiment.runs, long_visits, strict=True):
        if found is None:
            added[:, run.point, run.repetition] = np.nan
        else:
            added[np.searchsorted(rows, found.node), run.point, run.repetition] = found.added.sum(axis=1)
    most, least = _usual(added, experiment.points)
    taken = {}
    for number, (run, found) in enumerate(zip(experiment.runs, long_visits, strict=True)):
        if found is None:
            continue
        place = np.searchsorted(rows, found.node), run.point, run.repetition
        single = found.take(added[place] > np.where(found.often, least[place], most[place]))
        taken[number] = _Taken(node=single.node, seconds=single.added, low=single.low, high=single.high)
    return taken


def _usual(added: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what a long visit must exceed, float64[K, P, R]: if visits are few, and if they are many.

    Few visits tell something only beside repetitions. Of many, each repetition has what belongs to the
    program or, where there is none, each of the scales beside it.
    """
    repetitions, near = _elsewhere(added, points, np.max)
    most = np.where(np.isnan(repetitions), np.inf, _ALIKE * np.fmax(repetitions, _largest(near)))
    repetitions, near = _elsewhere(added, points, np.min)
    beside = np.where((near == 0).any(axis=2, keepdims=True), 0.0, np.nan_to_num(_largest(near)))
    return most, np.where(np.isnan(repetitions), OUTLYING * beside, _ALIKE * repetitions)


def _largest(values: FloatArray) -> FloatArray:
    return np.asarray(np.fmax.reduce(values, axis=2, keepdims=True))


def _single_values(experiment: Experiment) -> dict[int, _Taken]:
    """Return what the time of a computing call path exceeds that of its repetitions by, in one run alone."""
    reduction = experiment.values[TIME]
    computes = np.array([found in USEFUL_WORK for found in CLASSES], dtype=np.bool_)
    computing = computes[region_classes(experiment.regions)][experiment.tree.region]
    low, high = (extreme.reduce(reduction.sum, axis=2) for extreme in (np.fmin, np.fmax))
    rows = np.flatnonzero(computing & ((high >= OUTLYING * low) & (low > 0)).any(axis=1))
    time = reduction.sum[rows]
    repetitions, _ = _elsewhere(time, experiment.points, np.max)
    single = (repetitions > 0) & (time >= LEAST_INTERRUPTION)
    rest = np.nansum(reduction.sum, axis=0) - time
    visits = experiment.values[VISITS].sum[rows] if VISITS in experiment.values else np.ones(time.shape)
    for work in (np.ones(time.shape), rest, visits):  # that runs may have more of than others
        single &= _many_times_usual(time / np.maximum(work, np.finfo(np.float64).tiny), experiment.points)
    taken = {}
    for number, run in enumerate(experiment.runs):
        some = np.flatnonzero(single[:, run.point, run.repetition])
        place = rows[some], run.point, run.repetition
        left = repetitions[some, run.point, run.repetition] / reduction.sum[place]
        lost = reduction.mean[place] * (1 - left) * len(run.process)
        share = run.class_time[_rows(experiment, run, rows[some])]
        share = share / share.sum(axis=1, keepdims=True)
        low, high = reduction.min[place] * left, reduction.max[place] * left
        taken[number] = _Taken(node=rows[some], seconds=lost[:, None] * share, low=low, high=high)
    return taken


def _many_times_usual(values: FloatArray, points: FloatArray) -> BoolArray:
    """Return which values exceed by far those of all repetitions and of the nearest scales, bool[K, P, R]."""
    repetitions, scales = _elsewhere(values, points, np.max)
    near = _largest(scales)
    others = np.isfinite(values).sum(axis=2, keepdims=True) - 1
    told = np.isfinite(repetitions) & (np.isfinite(near) | (others > 1))
    return np.asarray(told & (values >= OUTLYING * np.fmax(repetitions, near)))


def _elsewhere(
    values: FloatArray, points: FloatArray, of: Callable[..., FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return what the other repetitions of each run have, float64[K, P, R], and each of the nearest scales.

    Of values float64[K, P, R], NaN where there was no run; `of` reduces those of several runs along an axis.
    The scales are float64[K, P, scale]; NaN where there is no other run.
    """
    there: BoolArray = np.asarray(~np.isnan(values).all(axis=0))
    repetitions = np.full(values.shape, np.nan)
    near = np.full((*values.shape[:2], _NEAREST), np.nan)
    place = np.log(np.maximum(points, np.finfo(np.float64).tiny))
    whole = {p: of(values[:, p, there[p]], axis=1) for p in np.flatnonzero(there.any(axis=1)).tolist()}
    for p in whole:
        for r in np.flatnonzero(there[p]).tolist():
            rest = there[p] & (np.arange(values.shape[2]) != r)
            if rest.any():
                repetitions[:, p, r] = of(values[:, p, rest], axis=1)
        distance = {q: float(np.abs(place[q] - place[p]).sum()) for q in whole if q != p}
        for i, q in enumerate(sorted(distance, key=distance.__getitem__)[:_NEAREST]):
            near[:, p, i] = whole[q]
    return repetitions, near


def _rows(experiment: Experiment, run: RunRecord, node: IntArray) -> list[int]:
    """Return the rows of a run's times of classes that call paths are in."""
    classes = region_classes(experiment.regions.take(experiment.tree.region[node]))
    row = {found: i for i, found in enumerate(run.classes)}
    return [row.get(CLASSES[place], int(run.computes.argmax())) for place in classes.tolist()]


def _without(experiment: Experiment, taken: Mapping[int, _Taken]) -> tuple[Experiment, list[_Interruption]]:
    """Take times out of every run; return what is worth saying, the longest first."""
    taken = {number: found for number, found in taken.items() if len(found)}
    if not taken:
        return experiment, []
    time, runs = experiment.values[TIME].each(np.copy), list(experiment.runs)
    names, interruptions = experiment.callpaths.last_names, []
    for number, found in taken.items():
        run, seconds = runs[number], found.seconds.sum(axis=1)
        place = found.node, run.point, run.repetition
        time.sum[place] = np.maximum(time.sum[place] - seconds * run.cores_of_location, 0.0)
        time.mean[place] = np.maximum(time.mean[place] - seconds / len(run.process), 0.0)
        time.min[place], time.max[place] = found.low, found.high
        class_time = np.array(run.class_time, copy=True)
        np.subtract.at(class_time, _rows(experiment, run, found.node), found.seconds)
        of_run = [names[node] for node in found.node.tolist()]
        largest = dict(run.largest)
        if TIME in largest:
            largest[TIME] = _less(largest[TIME], found, of_run)
        runs[number] = replace(run, class_time=np.maximum(class_time, 0.0), largest=largest)
        if seconds.sum() >= _WORTH_SAYING * run.class_time.sum():
            pairs = zip(seconds.tolist(), of_run, strict=True)
            interruptions += [_Interruption(*one, run.source) for one in pairs]
    values = {**experiment.values, TIME: time}
    return replace(experiment, values=values, runs=tuple(runs)), sorted(interruptions, reverse=True)


@dataclass(frozen=True, eq=False)
class _Less:
    """Values on locations without what was taken out of some."""

    load: Callable[[], SmallFloatArray] = field(repr=False)
    row: IntArray
    seconds: FloatArray  # float64[row, location]

    def __call__(self) -> SmallFloatArray:
        values = self.load().copy()
        np.subtract.at(values, self.row, self.seconds.astype(np.float32))
        return np.maximum(values, 0.0)


def _less(largest: LocationValues, found: _Taken, names: Sequence[str]) -> LocationValues:
    """Take times out of the values of the largest call paths, and of regions of several."""
    regions = np.array(largest.region, dtype=object)
    pairs = [
        (row, one)
        for one, (node, name) in enumerate(zip(found.node.tolist(), names, strict=True))
        for row in np.flatnonzero(
            (largest.callpath == node) | ((largest.callpath < 0) & (regions == name))
        ).tolist()
    ]
    if not pairs:
        return largest
    row, one = np.array(pairs, dtype=np.int64).T
    return replace(largest, load=_Less(largest.load, row, found.seconds[one]))
