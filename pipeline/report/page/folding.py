"""Which kernels of a large study the page shows by themselves; the sum of all others is one kernel more.

A page of 200,000 call paths would have 80 MB, which no browser opens. Totals stay those of all kernels: the
sum has measurements and predictions like any kernel. Callers that are folded are left out of the call tree,
and what is folded counts for the sum alone, not for inclusive values of its callers.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from pipeline.models.fit import fit
from pipeline.models.kernels import Kernels, sum_groups
from pipeline.models.prediction import Prediction
from pipeline.models.scaling_models import ScalingModels, per_kernel_fields
from pipeline.models.total import added, predict_total
from pipeline.questions.analysis import Level, Outlook
from pipeline.questions.bottlenecks import Crossover, Standing, crossovers
from pipeline.report.page.scales import Scales

LEADING = 0.5  # share of the kernels shown that are chosen for their own size, not that of their callees


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownLevel:
    """What the page shows of a level.

    Attributes:
        level: the kernels; the last is the sum of all others if some are folded.
        outlook: their order, standing and crossovers up to the target, all else is of the whole level.
        grid: float64[G], the scales at which there are predictions.
        prediction: float64[k, G] at the grid.
        total: float64[1, G], of the whole level.
        beyond: crossovers beyond the target.
        kernels: int64[n], the kernels of the whole level that are shown by themselves, ascending.
        whole: all kernels of the level.
        whole_prediction: float64[K, G], of all kernels at the grid.
        folded: number of those that are not shown by themselves.
    """

    level: Level
    outlook: Outlook
    grid: FloatArray
    prediction: Prediction
    total: Prediction
    beyond: tuple[Crossover, ...]
    kernels: IntArray
    whole: Level
    whole_prediction: Prediction
    folded: int = 0


def shown_level(
    level: Level, outlook: Outlook, points: FloatArray, scales: Scales, most: int, *, beside: bool = False
) -> ShownLevel:
    """Choose what the page shows of a level.

    Args:
        level: call paths or regions.
        outlook: what they do at the target.
        points: float64[P, D], where they were measured.
        scales: where intervals are computed.
        most: how many kernels the page has room for.
        beside: whether it is of a metric beside the chosen one, whose crossovers the page finds itself.
    """
    prediction = level.models.predict(scales.grid)
    total = predict_total(level.models, scales.grid) if level.kernels.additive else prediction
    if len(level.kernels) <= most or not level.kernels.additive:
        return ShownLevel(
            level=level,
            outlook=outlook,
            grid=scales.grid[:, scales.column],
            prediction=prediction,
            total=total,
            beyond=() if beside else crossovers_beyond(level.models, outlook.standing, scales),
            kernels=np.arange(len(level.kernels)),
            whole=level,
            whole_prediction=prediction,
        )
    marked = _chosen(level.kernels, outlook, most)
    kept, rest = np.flatnonzero(marked), np.flatnonzero(~marked)
    models, ahead = level.models.take(kept), _with_sum(outlook, marked)
    of_rest = added(level.models, _part(prediction, rest))
    sum_takes_no_part = replace(ahead.standing, start_up=np.append(ahead.standing.start_up[:-1], True))
    summed, of_summed = _sum_of(level, rest, points)
    return ShownLevel(
        level=Level(_kernels_with_sum(level.kernels, marked, summed), joined(models, of_summed)),
        outlook=ahead,
        grid=scales.grid[:, scales.column],
        prediction=Prediction(
            *(np.vstack(ends) for ends in zip(_ends(_part(prediction, kept)), _ends(of_rest), strict=True))
        ),
        total=total,
        beyond=() if beside else crossovers_beyond(models, sum_takes_no_part, scales, of_rest.value[0]),
        kernels=kept,
        whole=level,
        whole_prediction=prediction,
        folded=len(rest),
    )


def crossovers_beyond(
    models: ScalingModels, standing: Standing, scales: Scales, rest: FloatArray | None = None
) -> tuple[Crossover, ...]:
    """Find the crossovers beyond the target, up to where the slider reaches.

    Args:
        models: of k kernels.
        standing: of the kernels, and of the sum of all others if there is one.
        scales: where the page evaluates the models.
        rest: float64[G], that sum at the grid.
    """
    column = scales.column
    target, reach = float(scales.target[column]), float(scales.reach[column])
    first, last = float(models.first[column]), float(models.last[column])
    curve = models.curve(scales.along, (first, reach))
    if rest is not None:
        curve = _beside_sum(curve, scales.grid[:, column], rest)
    found = crossovers(curve, first, last, reach, standing)
    return tuple(c for c in found if c.at > target)


def _beside_sum(
    curve: Callable[[FloatArray], FloatArray], grid: FloatArray, rest: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Add the sum of all others to a curve, interpolated, so that shares are those of the program."""

    def predictions(scales: FloatArray) -> FloatArray:
        return np.vstack([curve(scales), np.interp(np.log(scales), np.log(grid), rest)])

    return predictions


def _chosen(kernels: Kernels, outlook: Outlook, most: int) -> BoolArray:
    """Mark the kernels to show: the largest now or at the target, then those that lead to much.

    Kernels of the crossovers that are reported are among them.
    """
    share = np.maximum(outlook.share_measured, outlook.share_target)
    marked = np.zeros(len(kernels), dtype=np.bool_)
    marked[[k for c in outlook.crossovers for k in (c.overtakes, c.overtaken)]] = True
    marked[np.argsort(-share, kind="stable")[: int(LEADING * most)]] = True
    inclusive = CallTree(kernels.parent, kernels.node).inclusive(share[:, None])[:, 0]
    others = np.argsort(-inclusive, kind="stable")
    others = others[~marked[others]]
    marked[others[: max(most - int(marked.sum()), 0)]] = True
    return marked


def _with_sum(outlook: Outlook, marked: BoolArray) -> Outlook:
    """Return the order, standing and crossovers of the marked kernels, and of the sum of the others."""
    place = np.cumsum(marked) - 1
    standing = {name: np.append(of_all[marked], False) for name, of_all in vars(outlook.standing).items()}
    return replace(
        outlook,
        order=np.append(place[outlook.order[marked[outlook.order]]], marked.sum()),
        standing=Standing(**standing),
        crossovers=tuple(
            replace(c, overtakes=int(place[c.overtakes]), overtaken=int(place[c.overtaken]))
            for c in outlook.crossovers
        ),
    )


def _sum_of(level: Level, rest: IntArray, points: FloatArray) -> tuple[Kernels, ScalingModels]:
    """Return the sum of some kernels as a kernel, and the model of it."""
    kernels = level.kernels
    values = sum_groups(kernels.values[rest], np.zeros(len(rest), dtype=np.int64), 1)
    nowhere = np.full(1, -1, dtype=np.int64)
    summed = replace(
        kernels,
        callpaths=((f"others ({len(rest)} folded into one)",),),
        paradigms=("",),
        values=values,
        node=nowhere,
        parent=nowhere,
        common_error=np.zeros(1),
    )
    return summed, fit(level.models.parameters, points, values)


def _kernels_with_sum(kernels: Kernels, marked: BoolArray, summed: Kernels) -> Kernels:
    """Return the kept kernels, and behind them the sum of the others.

    A kept kernel is called by the nearest of its callers that is kept; call paths are reduced to the names of
    their regions, which is all that the page asks for.
    """
    kept = np.flatnonzero(marked)
    place = np.append(np.cumsum(marked) - 1, -1)  # the last one is that of no caller
    caller = np.append(CallTree(kernels.parent, kernels.node).nearest(marked), -1)
    names = kernels.regions
    return replace(
        kernels,
        callpaths=(*((names[k],) for k in kept.tolist()), *summed.callpaths),
        paradigms=(*(kernels.paradigms[k] for k in kept.tolist()), *summed.paradigms),
        values=np.concatenate([kernels.values[kept], summed.values]),
        node=np.append(kernels.node[kept], summed.node),
        parent=np.append(place[caller[kernels.parent[kept]]], summed.parent),
        common_error=np.append(kernels.common_error[kept], summed.common_error),
    )


def joined(models: ScalingModels, others: ScalingModels) -> ScalingModels:
    """Put the formulas of two sets of kernels over the same parameters into one, without their trends."""
    terms = tuple(dict.fromkeys((*models.terms, *others.terms)))
    number = {term: i for i, term in enumerate(terms)}
    place = np.array([number[term] for term in others.terms] + [-1], dtype=np.int64)
    width = max(models.hypotheses.shape[1], others.hypotheses.shape[1])
    hypotheses = (models.hypotheses, place[others.hypotheses])
    behind = replace(others, chosen=np.where(others.chosen >= 0, others.chosen + len(models.hypotheses), -1))
    parts = {
        name: _stacked(getattr(models, name), getattr(behind, name), -1 if name == "chosen" else 0)
        for name in per_kernel_fields()
    }
    plain = {f.name: getattr(models, f.name) for f in fields(ScalingModels)}
    return ScalingModels(
        **plain
        | parts
        | {
            "terms": terms,
            "hypotheses": np.vstack([_filled(rows, (width,), -1) for rows in hypotheses]),
            "sharpness": np.append(models.sharpness, others.sharpness),
            "trend": None,
            "whole": None,
            "common_error": None,
        }
    )


def with_sum(values: FloatArray, shown: ShownLevel) -> FloatArray:
    """Return the values of the kernels shown from those of the whole level, float64[K, ...]."""
    if not shown.folded:
        return values
    rest = np.ones(len(values), dtype=np.bool_)
    rest[shown.kernels] = False
    nowhere = np.zeros(int(rest.sum()), dtype=np.int64)
    return np.concatenate([values[shown.kernels], sum_groups(values[rest], nowhere, 1)])


def _stacked(one: npt.NDArray[Any], other: npt.NDArray[Any], nothing: int) -> npt.NDArray[Any]:
    """Put arrays behind each other along the first axis, filled up to the same shape along all others."""
    shape = tuple(np.maximum(one.shape[1:], other.shape[1:]).astype(int).tolist())
    return np.concatenate([_filled(one, shape, nothing), _filled(other, shape, nothing)])


def _filled(array: npt.NDArray[Any], shape: tuple[int, ...], nothing: int) -> npt.NDArray[Any]:
    missing = [(0, wanted - there) for wanted, there in zip(shape, array.shape[1:], strict=True)]
    return np.pad(array, [(0, 0), *missing], constant_values=nothing)


def _part(prediction: Prediction, kernels: IntArray) -> Prediction:
    return Prediction(*(ends[kernels] for ends in _ends(prediction)))


def _ends(prediction: Prediction) -> tuple[FloatArray, FloatArray, FloatArray]:
    return prediction.value, prediction.lower, prediction.upper
