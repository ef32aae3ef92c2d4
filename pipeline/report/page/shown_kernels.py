"""Which kernels of a large study the page shows by themselves; the sum of all others is one kernel more.

A page of 200,000 call paths would have 80 MB, which no browser opens. Totals stay those of all kernels: the
sum has measurements and predictions like any kernel. Callers that are folded are left out of the call tree,
and what is folded counts for the sum alone, not for inclusive values of its callers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallTree
from pipeline.columns.kernels import KERNELS, RankedKernels
from pipeline.models.agreeing_formulas import sum_formula
from pipeline.models.fit import fit
from pipeline.models.formulas import PredictionFormula
from pipeline.models.kernels import Kernels, sum_groups
from pipeline.models.prediction import Prediction, in_parts, in_sequence
from pipeline.models.scaling_models import MANY, ScalingModels
from pipeline.models.total import added, predict_total
from pipeline.questions.analysis import Analysis, Level, Outlook, Standing, too_few_scales
from pipeline.questions.crossovers import Ahead, Crossover, crossovers, half_intervals, measured_line
from pipeline.report.page.embedding import columns_data
from pipeline.report.page.payload import ColumnPayload
from pipeline.report.page.positions import Positions

DRAWN = frozenset(
    (
        *("id", "callpath", "region", "paradigm", "source", "metric", "unit", "measured", "share_measured"),
        *("share_at_target", "predictions", "model", "growth", "growth_class", "probability_growing"),
        *("quality.smape", "quality.cv_smape", "quality.points", "quality.repetitions", "notes", "flags"),
    )
)
"""Columns of kernels that views of the page draw in their own way."""

SHOWN = 1_000  # of `MANY` kernels of a level, more than anybody looks through
_LEADING = 0.5  # share of the kernels shown that are chosen for their own size, not that of their callees
_WEIGHTY = 1e-3  # share of the total or of its interval, from which intervals are known at all positions
_MOST_WEIGHTY = 150
OF_A_NUMBER = 2.4  # characters of the compressed page
_OF_A_MODEL = 110  # of its texts and numbers
_OF_A_NAME = 10  # of the table of regions beside their names


@dataclass(frozen=True, eq=False, kw_only=True)
class ShownKernels:
    """What the page shows of the call paths or regions of a metric: k kernels at G positions."""

    kernels: Kernels  # the last is the sum of all others if some are folded
    models: tuple[ScalingModels, ...]  # of the kernels; of the sum alone behind those of all others
    order: IntArray  # int64[k], the largest at the target first
    standing: Standing  # what limits what can be said about them
    crossovers: tuple[Crossover, ...]  # who overtakes whom on the line of the target
    prediction: Prediction  # float64[k, G]
    total: Prediction  # float64[1, G], of all kernels, folded or not
    weighty: IntArray  # int64[w], kernels whose intervals and formulas are known at all positions
    members: IntArray  # int64[n], which kernels are shown by themselves, ascending
    formulas: Sequence[PredictionFormula] = ()  # of the predictions
    further: Sequence[ColumnPayload] = ()  # columns of kernels that the page has no drawing of its own for
    folded: int = 0  # number of those that are not shown by themselves


def most_shown(analysis: Analysis, positions: Positions, room: float) -> dict[str, int]:
    """Return how many kernels of each level the page shows, of the larger one what the other leaves room for.

    `room`: characters of both levels.
    """
    levels = {"regions": analysis.regions.kernels, "callpaths": analysis.callpaths.kernels}
    numbers = len(analysis.experiment.points) + len(positions.points) + 2 * len(positions.required)
    each = dict.fromkeys(levels, OF_A_NUMBER * numbers + _OF_A_MODEL)
    names = analysis.regions.kernels.regions
    each["regions"] += _OF_A_NAME + sum(map(len, names)) / max(len(names), 1)
    wanted = {name: SHOWN if len(kernels) > MANY else len(kernels) for name, kernels in levels.items()}
    needed = {name: each[name] * count for name, count in wanted.items()}
    if sum(needed.values()) <= room:
        return wanted
    left = {name: room - min(sum(needed.values()) - needed[name], room / 2) for name in levels}
    return {name: min(int(left[name] / each[name]), count) for name, count in wanted.items()}


def shown_kernels(
    level: Level,
    outlook: Outlook,
    points: FloatArray,
    positions: Positions,
    most: int,
    *,
    beside: bool = False,
) -> ShownKernels:
    """Choose what the page shows of a level, at most some kernels, measured at points float64[P, D].

    Of a metric beside the chosen one crossovers are not known yet, and there is no room for intervals at all
    positions.
    """
    fits = len(level.kernels) <= most or not level.kernels.additive
    marked = np.ones(len(level.kernels), dtype=np.bool_) if fits else _chosen(level.kernels, outlook, most)
    if positions.measured_only:
        prediction, total = _measured(level, points, positions.points, marked)
    else:
        prediction, total = _predicted(level, positions.points, marked)
    whole = ShownKernels(
        kernels=level.kernels,
        models=(level.models,),
        order=outlook.order,
        standing=outlook.standing,
        crossovers=outlook.crossovers,
        prediction=prediction,
        total=total,
        weighty=np.arange(0),
        members=np.arange(len(level.kernels)),
    )
    shown = whole if fits else _folded(level, outlook, points, whole, marked)
    rest = np.flatnonzero(~marked)
    of_rest = [sum_formula(level.models.take(rest), outlook.within)] if len(rest) else []
    further = [] if beside else [column for column in KERNELS if column.key not in DRAWN]
    ranked = RankedKernels(level=level, outlook=outlook, chosen=shown.members)
    return replace(
        shown,
        weighty=np.arange(0) if positions.measured_only or beside else _weighty(shown),
        formulas=(*ranked.formulas, *of_rest),
        crossovers=_crossovers(shown, points, positions, beside=beside) if level.kernels.additive else (),
        further=columns_data(further, ranked, int(shown.folded > 0)),
    )


def _predicted(level: Level, points: FloatArray, marked: BoolArray) -> tuple[Prediction, Prediction]:
    """Predict the marked kernels, behind them the sum of the others if there are some, and the total.

    All kernels are predicted at a few points at once, since those of a large study fill the memory.
    """
    kept, rest = np.flatnonzero(marked), np.flatnonzero(~marked)
    shown, totals = [], []
    for some in in_parts(points, len(marked)):
        found = level.models.predict(some)
        totals.append(predict_total(level.models, some) if level.kernels.additive else found)
        parts = [found.take(kept), *([added(level.models, found.take(rest))] if len(rest) else [])]
        shown.append(Prediction.joined(parts) if len(rest) else found)
    return in_sequence(shown), in_sequence(totals)


def _measured(
    level: Level, points: FloatArray, positions: FloatArray, marked: BoolArray
) -> tuple[Prediction, Prediction]:
    """Return what was measured at positions float64[G, D] in the form of `_predicted`; NaN elsewhere."""
    same = (positions[:, None] == points[None]).all(axis=2)
    mean = np.where(same.any(axis=1), level.kernels.mean[:, same.argmax(axis=1)], np.nan)
    rest = [mean[~marked].sum(axis=0, keepdims=True)] if not marked.all() else []
    found = (np.concatenate([mean[marked], *rest]), mean.sum(axis=0, keepdims=True))
    return (
        Prediction(found[0], np.full(found[0].shape, np.nan), np.full(found[0].shape, np.nan)),
        Prediction(found[1], np.full(found[1].shape, np.nan), np.full(found[1].shape, np.nan)),
    )


def with_sum(values: FloatArray, shown: ShownKernels) -> FloatArray:
    """Return the values of the kernels shown from those of the whole level, float64[K, ...]."""
    if not shown.folded:
        return values
    rest = np.ones(len(values), dtype=np.bool_)
    rest[shown.members] = False
    nowhere = np.zeros(int(rest.sum()), dtype=np.int64)
    return np.concatenate([values[shown.members], sum_groups(values[rest], nowhere, 1)])


def _folded(
    level: Level, outlook: Outlook, points: FloatArray, whole: ShownKernels, marked: BoolArray
) -> ShownKernels:
    """Return the kernels that are worth showing, and the sum of the others."""
    kept, rest = np.flatnonzero(marked), np.flatnonzero(~marked)
    place = np.cumsum(marked) - 1
    summed = _sum_of(level.kernels, rest)
    return replace(
        whole,
        kernels=_kernels_with_sum(level.kernels, marked, summed),
        models=(level.models.take(kept), fit(level.models.parameters, points, summed.values)),
        order=np.append(place[outlook.order[marked[outlook.order]]], len(kept)),
        standing=Standing(
            **{name: np.append(of_all[marked], False) for name, of_all in vars(outlook.standing).items()}
        ),
        crossovers=tuple(
            replace(c, overtakes=int(place[c.overtakes]), overtaken=int(place[c.overtaken]))
            for c in outlook.crossovers
            if marked[[c.overtakes, c.overtaken]].all()
        ),
        members=kept,
        folded=len(rest),
    )


def _weighty(shown: ShownKernels) -> IntArray:
    """Return the kernels with a noteworthy share of what was measured, of predictions or intervals."""
    ahead = shown.prediction
    parts = (
        np.nan_to_num(shown.kernels.mean),
        ahead.value,
        ahead.value - ahead.lower,
        ahead.upper - ahead.value,
    )
    usable = [np.where(np.isfinite(part), np.abs(part), 0.0) for part in parts]
    shares = [part / np.maximum(part.sum(axis=0), 1e-300) for part in usable]
    share = np.hstack(shares).max(axis=1, initial=0.0)
    order = np.argsort(-share, kind="stable")[:_MOST_WEIGHTY]
    return np.sort(order[share[order] > _WEIGHTY])


def _crossovers(
    shown: ShownKernels, points: FloatArray, positions: Positions, *, beside: bool
) -> tuple[Crossover, ...]:
    """Return the crossovers that are known, and those beyond the target between the positions of its line."""
    target, column = float(positions.target[positions.column]), positions.column
    if positions.reach <= target and not beside:
        return shown.crossovers
    first, last = (float(end[column]) for end in (shown.models[0].first, shown.models[0].last))
    apart = shown.standing.apart
    apart[len(shown.members) :] = True  # the sum of others takes no part
    prediction = shown.prediction.at(positions.on_line(0))
    below, above = half_intervals(prediction)
    ahead = Ahead(
        curve=interpolated(positions.scales, prediction.value),
        scales=positions.scales,
        below=below,
        above=above,
        first=first,
        last=last,
        horizon=positions.reach,
    )
    line = measured_line(points, shown.kernels.values, positions.target, column)
    found = crossovers(line, None if too_few_scales(points) else ahead, apart)
    known = {(c.overtakes, c.overtaken) for c in shown.crossovers if c.at > target}
    further = (c for c in found if beside or c.at > target)
    return (*shown.crossovers, *(c for c in further if (c.overtakes, c.overtaken) not in known))


def interpolated(scales: FloatArray, values: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return a function of scales float64[Q] between known ones float64[S] with values float64[K, S].

    Lines are straight on logarithmic axes where both ends are positive, else over the logarithm of the scale.
    """
    logs = np.log(scales)
    positive = values > 0
    log_values = np.log(np.where(positive, values, 1.0))

    def between(wanted: FloatArray) -> FloatArray:
        place = np.clip(np.searchsorted(logs, np.log(wanted)) - 1, 0, max(len(logs) - 2, 0))
        after = np.minimum(place + 1, len(logs) - 1)
        width = np.where(after > place, logs[after] - logs[place], 1.0)
        share = np.clip((np.log(wanted) - logs[place]) / width, 0.0, 1.0)
        curved = np.exp(log_values[:, place] * (1 - share) + log_values[:, after] * share)
        straight = values[:, place] * (1 - share) + values[:, after] * share
        return np.where(positive[:, place] & positive[:, after], curved, straight)

    return between


def _chosen(kernels: Kernels, outlook: Outlook, most: int) -> BoolArray:
    """Mark the kernels to show: the largest now or at the target, then those that lead to much.

    Kernels of the crossovers that are reported are among them as far as there is room.
    """
    share = np.maximum(outlook.share_measured, outlook.share_target)
    marked = np.zeros(len(kernels), dtype=np.bool_)
    marked[np.argsort(-share, kind="stable")[: int(_LEADING * most)]] = True
    for c in reversed(outlook.crossovers):
        more = [k for k in (c.overtakes, c.overtaken) if not marked[k]]
        if marked.sum() + len(more) <= most:
            marked[more] = True
    inclusive = CallTree(kernels.parent, kernels.node).inclusive(share[:, None])[:, 0]
    others = np.argsort(-inclusive, kind="stable")
    others = others[~marked[others]]
    marked[others[: max(most - int(marked.sum()), 0)]] = True
    return marked


def _sum_of(kernels: Kernels, rest: IntArray) -> Kernels:
    """Return the sum of some kernels as a kernel."""
    nowhere = np.full(1, -1, dtype=np.int64)
    return replace(
        kernels,
        callpaths=((f"others ({len(rest)} folded into one)",),),
        paradigms=("",),
        values=sum_groups(kernels.values[rest], np.zeros(len(rest), dtype=np.int64), 1),
        node=nowhere,
        parent=nowhere,
        common_error=np.zeros(1),
    )


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
