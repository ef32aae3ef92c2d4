"""The call paths of two studies as one call tree, with what each of them took in both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from pipeline.gate.compared_studies import ComparedStudies
from pipeline.gate.kernel_values import KernelValues, Scope
from pipeline.gate.target_forecast import target_points
from pipeline.models.prediction import Prediction

CallPath = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Values:
    """Exclusive values of K call paths at one scale in one study, NaN if the study does not have them.

    Attributes:
        value: float64[K], the mean of repetitions or what the models predict.
        lower, upper: float64[K], the smallest and the largest repetition, or the 90 % interval.
        whole: the 90 % interval of their sum; None if measured.
    """

    value: FloatArray
    lower: FloatArray
    upper: FloatArray
    whole: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedScale:
    """The values of both studies at a scale.

    Attributes:
        at: the point.
        predicted: whether they are predictions, else means of measurements.
        runs: number of repetitions of A and of B; 0 for predictions.
        a, b: of the two studies.
    """

    at: Mapping[str, float]
    predicted: bool
    runs: tuple[int, int]
    a: Values
    b: Values


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedTrees:
    """The call paths of two studies.

    Attributes:
        callpaths: of either study, callers before their callees.
        parent: int64[K], index of the caller, -1 for a root.
        scales: the common measured scales, ascending, then the targets.
        metric, unit: of all values.
    """

    callpaths: tuple[CallPath, ...]
    parent: IntArray
    scales: tuple[ComparedScale, ...]
    metric: str
    unit: str


def compare_trees(studies: ComparedStudies, targets: Sequence[Mapping[str, float]]) -> ComparedTrees:
    """Put the call paths of two studies into one tree; call paths that took nothing in either are left out.

    Args:
        studies: A and B; what has another name in B stands where B has it.
        targets: as of `target_points`, by default four times the largest scale of B.
    """
    matched, sides = studies.matched, studies.sides
    a, b = sides
    rows = [_rows(side) for side in sides]
    callpaths, parent = _tree([*rows[0], *rows[1]])
    places = [np.array([of_study.get(path, -1) for path in callpaths], dtype=np.int64) for of_study in rows]
    points = zip(matched.base_at.tolist(), matched.candidate_at.tolist(), strict=True)
    order = np.argsort(matched.scale, kind="stable").tolist()
    common = list(points)
    measured = [_measured(sides, places, common[i], at=a.named(matched.points[[i]])[0]) for i in order]
    return ComparedTrees(
        callpaths=callpaths,
        parent=parent,
        scales=(*measured, *_predicted(studies, places, target_points(b, targets))),
        metric=b.metric,
        unit=b.unit,
    )


def _rows(study: KernelValues) -> dict[CallPath, int]:
    """Rows of the call paths of a study that took anything."""
    took = (study.mean > 0).sum(axis=1) > 0
    return {k.callpath: i for i, k in enumerate(study.kernels) if k.level is Scope.CALLPATH and took[i]}


def _tree(paths: Sequence[CallPath]) -> tuple[tuple[CallPath, ...], IntArray]:
    """Order call paths so that callers stand before their callees: the nearest that are among them."""
    known = dict.fromkeys(paths)
    callees: dict[CallPath, list[CallPath]] = {path: [] for path in known}
    roots: list[CallPath] = []
    for path in known:
        caller = next((path[:n] for n in range(len(path) - 1, 0, -1) if path[:n] in known), None)
        (roots if caller is None else callees[caller]).append(path)
    ordered: list[CallPath] = []
    parent: list[int] = []
    pending = [(path, -1) for path in reversed(roots)]
    while pending:
        path, caller_number = pending.pop()
        pending += [(callee, len(ordered)) for callee in reversed(callees[path])]
        ordered.append(path)
        parent.append(caller_number)
    return tuple(ordered), np.array(parent, dtype=np.int64)


def _measured(
    studies: Sequence[KernelValues],
    places: Sequence[IntArray],
    points: tuple[int, int],
    at: Mapping[str, float],
) -> ComparedScale:
    """Take the means and the range of repetitions at a common point."""
    sides, runs = [], []
    for study, place, point in zip(studies, places, points, strict=True):
        single = study.values[:, point]
        known = np.isfinite(single)
        low = np.where(known, single, np.inf).min(axis=1)
        high = np.where(known, single, -np.inf).max(axis=1)
        mean = np.where(known.any(axis=1), study.mean[:, point], np.nan)
        sides.append(_at(place, mean, low, high))
        runs.append(int(known[0].sum()))
    return ComparedScale(at=at, predicted=False, runs=(runs[0], runs[1]), a=sides[0], b=sides[1])


def _predicted(
    studies: ComparedStudies, places: Sequence[IntArray], targets: FloatArray
) -> list[ComparedScale]:
    """Predict both studies at the targets, float64[Q, D]; nothing with too few scales."""
    ahead = studies.predictions(targets)
    if not (ahead.baseline.extrapolates and ahead.candidate.extrapolates):
        return []
    predictions = [ahead.baseline.prediction, ahead.candidate.prediction]
    return [
        ComparedScale(at=at, predicted=True, runs=(0, 0), a=sides[0], b=sides[1])
        for q, at in enumerate(studies.sides[1].named(targets))
        for sides in [[_predicted_at(place, one, q) for place, one in zip(places, predictions, strict=True)]]
    ]


def _predicted_at(place: IntArray, prediction: Prediction, q: int) -> Values:
    """Take the predictions of a target; the first row of them is the total."""
    value, lower, upper = (ends[:, q] for ends in (prediction.value, prediction.lower, prediction.upper))
    return replace(_at(place, value, lower, upper), whole=(float(lower[0]), float(upper[0])))


def _at(place: IntArray, value: FloatArray, lower: FloatArray, upper: FloatArray) -> Values:
    """Take rows by place, NaN for those that the study does not have."""
    here, low, high = (np.where(place >= 0, ends[place], np.nan) for ends in (value, lower, upper))
    return Values(here, low, high)
