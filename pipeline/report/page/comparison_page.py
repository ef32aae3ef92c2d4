"""Two studies side by side in one small HTML file, with their curves and the call paths of both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Annotated, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import ROOT, CallTree
from pipeline.columns.changes import change_columns
from pipeline.gate.check_result import CheckResult, PointRatio
from pipeline.gate.compared_studies import (
    ComparedScale,
    ComparedStudies,
    ComparedTrees,
    ScaleValues,
    TwoStudies,
)
from pipeline.gate.kernel_values import KernelId, KernelValues, Scope
from pipeline.models.kernels import sum_groups
from pipeline.models.prediction import Prediction
from pipeline.questions.analysis import along_parameter, too_few_scales
from pipeline.report.check.terminal import (
    TOTAL_KERNEL,
    comparison_verdict,
    comparison_words,
    predicted_totals,
)
from pipeline.report.check.wording import VERDICT_ROWS, basis, kernel_name, rename_text, story
from pipeline.report.page.embedding import few_digits, integers, packed, page_text, short
from pipeline.report.page.page_data import region_named
from pipeline.report.page.payload import Floats, PositionsPayload, RegionPayload
from pipeline.report.page.positions import BEYOND_TARGET, MOST, filled
from pipeline.wording.quantities import callpath_text, figure, point_text

_NOWHERE = -1  # of kernels that are not one call path
_MOST_CALLPATHS = 4000  # call paths that the page shows by themselves


ChangePayload: TypeAlias = tuple[float, float | None, float | None]
"""B / A with its interval, None without an end."""

JudgedPayload: TypeAlias = tuple[int, str, Sequence[ChangePayload | None]]
"""A call path or -1, its verdict, and its change per scale of the trees; None if it was not tested there."""


@dataclass(frozen=True, kw_only=True)
class PackedEnds:
    """Values with their intervals."""

    value: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, kw_only=True)
class TreeEnds(PackedEnds):
    """Values per call path, and the ends of the program's interval; None if it was measured."""

    whole: tuple[float, float] | None


@dataclass(frozen=True, kw_only=True)
class ScalePayload:
    """What the call paths of both studies take at a scale."""

    name: str
    predicted: bool
    runs: tuple[int, int]
    a: TreeEnds
    b: TreeEnds


@dataclass(frozen=True, kw_only=True)
class DotsPayload:
    """Single measurements: kernels x scales x runs."""

    scales: Sequence[float]
    runs: int
    values: Floats


@dataclass(frozen=True, kw_only=True)
class CurvesPayload(PositionsPayload):
    """The total and the kernels of the table at all positions."""

    a: PackedEnds
    b: PackedEnds
    ratio: PackedEnds
    dots: Sequence[DotsPayload]
    said: Annotated[Sequence[str], "at each position"]


@dataclass(frozen=True, kw_only=True)
class ComparisonPayload:
    """All that the script of a comparison knows: call paths, callers before their callees."""

    a: str
    b: str
    metric: str
    unit: str
    regions: Sequence[RegionPayload]
    region: Annotated[Sequence[int], "index into regions, per call path"]
    parent: Annotated[Sequence[int], "the caller, -1 for a root"]
    scales: Sequence[ScalePayload]
    kernels: Annotated[Sequence[JudgedPayload], "in the order of the page's table"]
    curves: Annotated[CurvesPayload | None, "None if nothing is compared"]


def comparison_data(
    a: str,
    b: str,
    trees: ComparedTrees,
    result: CheckResult,
    curves: CurvesPayload | None = None,
) -> ComparisonPayload:
    """Return the data of the page.

    Callees of a call path beyond the `_MOST_CALLPATHS` largest ones are one callee, their sum: totals stay.
    """
    group, names, parent = _folded(trees)
    regions = {name: i for i, name in enumerate(dict.fromkeys(names))}
    single = np.bincount(group, minlength=len(names)) == 1
    shown = {
        KernelId(Scope.CALLPATH, path): k
        for path, k in zip(trees.callpaths, group.tolist(), strict=True)
        if single[k]
    }
    return ComparisonPayload(
        a=a,
        b=b,
        metric=trees.metric,
        unit=trees.unit,
        regions=list(map(region_named, regions)),
        region=[regions[name] for name in names],
        parent=integers(parent),
        scales=[_scale(scale, group, single) for scale in trees.scales],
        kernels=[
            (
                shown.get(one.kernel, _NOWHERE),
                VERDICT_ROWS[one.verdict].compared,
                _changes(trees, [*one.measured, *one.target]),
            )
            for one in result.kernels
        ],
        curves=curves,
    )


def _folded(trees: ComparedTrees) -> tuple[IntArray, list[str], IntArray]:
    """Return where each call path is shown, int64[K], and the names and callers of what is shown.

    What is shown by itself are the call paths that lead to most at any scale; their callers are among them.
    """
    own = [path[-1] for path in trees.callpaths]
    tree = CallTree(trees.parent, trees.parent)
    sides = [np.nan_to_num(side.value, posinf=0.0) for scale in trees.scales for side in (scale.a, scale.b)]
    inclusive = tree.inclusive(np.stack([*sides, np.zeros(len(own))], axis=1))
    share = (inclusive / np.maximum(inclusive[tree.roots].sum(axis=0), np.finfo(float).tiny)).max(axis=1)
    kept = np.zeros(len(own), dtype=np.bool_)
    kept[np.argsort(-share, kind="stable")[:_MOST_CALLPATHS]] = (
        True  # callers come first where shares are equal
    )
    place = np.append(np.cumsum(kept) - 1, ROOT)  # the last one is that of no caller
    rest = np.flatnonzero(~kept)
    callers, sums, counts = np.unique(
        place[tree.nearest(kept)[rest]], return_inverse=True, return_counts=True
    )
    group = place[:-1].copy()
    group[rest] = int(kept.sum()) + sums
    first = rest[np.unique(sums, return_index=True)[1]]
    folded = [
        own[k] if count == 1 else f"others ({count} folded into one)"
        for k, count in zip(first.tolist(), counts.tolist(), strict=True)
    ]
    names = [*(own[k] for k in np.flatnonzero(kept).tolist()), *folded]
    return group, names, np.append(place[trees.parent[kept]], callers)


def _scale(scale: ComparedScale, group: IntArray, single: BoolArray) -> ScalePayload:
    return ScalePayload(
        name=point_text(scale.at),
        predicted=scale.predicted,
        runs=scale.runs,
        a=_side(scale.a, group, single),
        b=_side(scale.b, group, single),
    )


def _side(values: ScaleValues, group: IntArray, single: BoolArray) -> TreeEnds:
    """Sum what is folded; sums have no range."""
    value, lower, upper = (
        sum_groups(column[:, None], group, len(single))[:, 0]
        for column in (values.value, values.lower, values.upper)
    )
    whole = None
    if values.whole is not None and np.isfinite(values.whole).all():
        whole = (few_digits(values.whole[0]), few_digits(values.whole[1]))
    return TreeEnds(
        value=packed(value),
        lower=packed(np.where(single, lower, np.nan)),
        upper=packed(np.where(single, upper, np.nan)),
        whole=whole,
    )


def _changes(trees: ComparedTrees, changes: Sequence[PointRatio]) -> list[ChangePayload | None]:
    tested = {_key(change.at): change for change in changes if np.isfinite(change.ratio)}
    found = (tested.get(_key(scale.at)) for scale in trees.scales)
    return [
        None if one is None else (few_digits(one.ratio, 4), short(one.lower, 4), short(one.upper, 4))
        for one in found
    ]


def _key(at: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" for value in at.values())


_WIDEST, _NARROWEST = (
    1.5,
    0.1,
)  # decades of the ratio that bars show to either side: 1/31 to 31, 1/1.26 to 1.26
_MARK = 5.0  # per cent of the bar
_THINNEST = 0.5  # per cent of the bar


def comparison_html(found: TwoStudies, trees: ComparedTrees, studies: ComparedStudies | None = None) -> str:
    """Return the page, with curves if `studies` are given; the template escapes every name."""
    result, (a, b) = found.result, found.titles
    span = _span(result)
    curves = None if studies is None else _curves_data(studies, found)
    return page_text(
        "comparison",
        comparison_data(a, b, trees, result, curves),
        curves=curves is not None,
        least=figure(10**-span, 2),
        most=figure(10**span, 2),
        a=a,
        b=b,
        sources=found.names,
        unit=result.unit,
        headline=comparison_verdict(found),
        totals=predicted_totals(found),
        basis=basis(result),
        notes=[*(r.text for r in result.reasons), *map(rename_text, result.renames), *result.notices],
        rows=list(_rows(result, span)),
        renamed=[tuple(callpath_text(k.callpath, 100) for k in pair) for pair in found.renamed],
        targets=[point_text(target) for target in result.targets[-1:] if result.predicts],
    )


def _rows(result: CheckResult, span: float) -> Iterator[dict[str, object]]:
    """Yield the rows of the table: texts of the columns of changes, and what only the page shows."""
    targets = result.targets or ({},)
    rows = [(one, len(targets) - 1) for one in result.kernels]
    columns = change_columns(result, comparison_words(("A", "B")), [targets[-1]] * len(rows))
    shown = (column for column in columns if column.key != "kernel")
    texts = {cells.name: cells.texts for column in shown for cells in column.filled(rows)}
    for n, one in enumerate(result.kernels):
        sides = (one.baseline, one.candidate)
        yield {
            **{key: of_all[n] for key, of_all in texts.items()},
            "name": kernel_name(one, 90),
            "whole": one.kernel.text,
            "kind": one.verdict.value,
            "bar": _bar(one.stated, span),
            "models": [side.formula for side in sides if side is not None and side.formula],
            "story": story(one),
        }


def _span(result: CheckResult) -> float:
    """Return how many decades to either side of 1 the bars show: what holds all intervals, within limits."""
    shown = [one.stated for one in result.kernels if one.stated is not None]
    ends = [end for change in shown for end in (change.lower, change.ratio, change.upper) if 0 < end < np.inf]
    return float(np.clip(max((abs(log10(end)) for end in ends), default=0.0), _NARROWEST, _WIDEST))


def _bar(change: PointRatio | None, span: float) -> dict[str, float] | None:
    """Left end, width and mark of an interval on a logarithmic axis, per cent of its width."""
    if change is None or change.ratio <= 0:
        return None
    low, mark, high = (
        min(max(50 + 50 * log10(max(v, 1e-9)) / span, 0.0), 100.0)
        for v in (change.lower, change.ratio, change.upper)
    )
    width = max(high - low, _THINNEST)
    start = min(max(mark - _MARK / 2, 0.0), 100.0 - _MARK)
    return {"left": round(low, 2), "width": round(width, 2), "mark": round(start, 2)}


def _curves_data(studies: ComparedStudies, found: TwoStudies) -> CurvesPayload:
    """Return the curves of the total and of the kernels in a result."""
    (a, b), result = studies.sides, found.result
    column = b.parameters.index(b.parameter)
    line = np.array(list(result.targets[-1].values()))
    along = [_along(side.points, line, column) for side in studies.sides]
    common = [side.points[rows] for side, rows in zip((a, b), along, strict=True)]
    if not any(map(len, common)):  # other values of the other parameters were asked for
        common = [a.points, b.points]
    measured = np.unique(np.concatenate(common), axis=0)
    predicts = not any(too_few_scales(side.points) for side in (a, b))
    asked = np.unique([*measured[:, column], *(target[b.parameter] for target in result.targets)])
    reach = float(asked[-1]) * BEYOND_TARGET
    scales = filled(np.unique([*asked, reach]), MOST) if predicts else np.unique(measured[:, column])
    kernels = [TOTAL_KERNEL, *(one.kernel for one in result.kernels)]
    curves = studies.curves(kernels, along_parameter(line, column, scales))
    return CurvesPayload(
        parameters=b.parameters,
        column=column,
        points=measured.tolist(),
        largest=len(measured) - 1,
        scales=scales.tolist(),
        lines=[(line if predicts else measured[-1]).tolist()],
        reach=reach,
        measured_only=not predicts,
        a=_prediction_ends(curves.a),
        b=_prediction_ends(curves.b),
        ratio=_prediction_ends(curves.ratio),
        dots=[_dots(side, kernels, rows, column) for side, rows in zip((a, b), along, strict=True)],
        said=[comparison_verdict(found, curves, place) for place in range(len(scales))],
    )


def _along(points: FloatArray, line: FloatArray, column: int) -> IntArray:
    """Return the points, float64[P, D], that differ from a line in the scaled parameter only."""
    others = np.delete(np.arange(points.shape[1]), column)
    return np.flatnonzero((points[:, others] == line[others]).all(axis=1))


def _prediction_ends(found: Prediction) -> PackedEnds:
    return PackedEnds(value=packed(found.value), lower=packed(found.lower), upper=packed(found.upper))


def _dots(study: KernelValues, kernels: list[KernelId], rows: IntArray, column: int) -> DotsPayload:
    """Return the repetitions of kernels at some points, kernel by kernel and point by point."""
    row_of = {kernel: row for row, kernel in enumerate(study.kernels)}
    values = np.full((len(kernels), len(rows), study.values.shape[2]), np.nan)
    for k, kernel in enumerate(kernels):
        if kernel in row_of:
            values[k] = study.values[row_of[kernel], rows]
    return DotsPayload(
        scales=study.points[rows, column].tolist(), runs=values.shape[2], values=packed(values)
    )
