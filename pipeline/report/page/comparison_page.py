"""The page of two studies: a report's curves and call tree, of both at once, and which kernels differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.calltree import ROOT, CallTree
from pipeline.columns.changes import change_columns
from pipeline.gate.check_result import CheckResult, PointRatio
from pipeline.gate.compared_studies import ComparedStudies, ComparedTrees, TwoStudies, compare_trees
from pipeline.gate.kernel_values import KernelValues, Matched, Scope
from pipeline.models.kernels import mean_over_repetitions, sum_groups
from pipeline.models.prediction import Prediction
from pipeline.questions.analysis import too_few_scales
from pipeline.report.check.terminal import TOTAL_KERNEL, comparison_verdict, comparison_words
from pipeline.report.check.wording import basis, rename_text, story
from pipeline.report.page.embedding import columns_data, few_digits, integers, page_text, short
from pipeline.report.page.page_data import positions_data, region_named, values_data
from pipeline.report.page.payload import ColumnPayload, PositionsPayload, RegionPayload, ValuesPayload
from pipeline.report.page.positions import positions_along
from pipeline.wording.quantities import callpath_text

_NOWHERE = -1  # of kernels that are not one call path
_SHOWN = ("kernel", "level", "verdict", "A", "B", "share", "ratio", "ratio_at", "growth")
_MOST_CALLPATHS = 4000  # call paths that the page shows by themselves


ChangePayload: TypeAlias = tuple[float, float | None, float | None]
"""B / A with its interval, None without an end."""

JudgedPayload: TypeAlias = tuple[int, Sequence[ChangePayload | None], str, Sequence[str]]
"""A call path or -1, its change per common point, None if not tested there, all about it, and formulas."""


@dataclass(frozen=True, kw_only=True)
class StudyPayload:
    """A study of a comparison."""

    name: str
    callpaths: ValuesPayload
    kernels: Annotated[ValuesPayload, "the total, then those of the table"]


@dataclass(frozen=True, kw_only=True)
class ComparisonPayload(PositionsPayload):
    """All that the script of a comparison knows: call paths, callers before their callees."""

    metric: str
    unit: str
    regions: Sequence[RegionPayload]
    studies: Annotated[Sequence[StudyPayload], "A and B"]
    common: Annotated[Sequence[int], "points that were measured in both, by scale"]
    kernels: Annotated[Sequence[JudgedPayload], "the most important first"]
    columns: Annotated[Sequence[ColumnPayload], "what the table says of them"]
    ratio: Annotated[ValuesPayload, "B / A of the same kernels as those of the studies, predicted"]
    said: Annotated[Sequence[str], "at each position"]


@dataclass(frozen=True, eq=False)
class _Side(Rows):
    """K kernels of a study: repetitions at P points, NaN if not measured, and predictions at G positions."""

    values: FloatArray  # float64[K, P, R]
    prediction: Prediction  # float64[K, G]

    @classmethod
    def of(cls, study: KernelValues, at: IntArray, ahead: Prediction) -> "_Side":
        """Take a study at points, int64[P], -1 for none; the last row is a kernel that it does not have."""
        values = np.where(at[:, None] < 0, np.nan, study.values[:, at])
        lacking = cls(np.full((1, *values.shape[1:]), np.nan), _nothing(1, ahead))
        return cls.joined([cls(values, ahead), lacking])

    def summed(self, group: IntArray, single: BoolArray) -> "_Side":
        """Sum kernels by group; sums of several have no intervals."""
        ahead, count = self.prediction, len(single)
        value, *ends = (sum_groups(end, group, count) for end in (ahead.value, ahead.lower, ahead.upper))
        summed = Prediction(value, *(np.where(single[:, None], end, np.nan) for end in ends))
        return _Side(sum_groups(self.values, group, count), summed)


def comparison_data(studies: ComparedStudies, found: TwoStudies) -> ComparisonPayload:
    """Return the data of the page.

    Callees of a call path beyond the `_MOST_CALLPATHS` largest ones are one callee, their sum: totals stay.
    """
    (a, b), result, trees = studies.sides, found.result, compare_trees(studies)
    points, places, common = _points(studies.matched)
    positions = positions_along(
        points,
        b.column,
        np.array([list(target.values()) for target in result.targets]),
        len(trees.callpaths),
        measured_only=any(too_few_scales(side.points) for side in (a, b)),
    )
    ahead = studies.predictions(positions.points)
    kernels = [TOTAL_KERNEL, *(one.kernel for one in result.kernels)]
    curves = studies.curves(kernels, positions.points)
    sides = [
        _Side.of(side, at, _nothing(len(one), one) if positions.measured_only else one)
        for side, at, one in zip(
            (a, b), places, (ahead.baseline.prediction, ahead.candidate.prediction), strict=True
        )
    ]
    group, names, parent = _folded(trees, sides)
    single = np.bincount(group, minlength=len(names)) == 1
    shown = {path: k for path, k in zip(trees.callpaths, group.tolist(), strict=True) if single[k]}
    number = {name: i for i, name in enumerate(dict.fromkeys([*names, *(one.region for one in kernels)]))}

    every, none = np.arange(len(kernels)), np.arange(0)

    def of_table(side: _Side) -> ValuesPayload:
        return values_data(
            **vars(side),
            region=[number[one.region] for one in kernels],
            parent=np.full(len(kernels), ROOT),
            total=None,
            weighty=every,
            required=none,
            repeated=every,
        )

    def study(name: str, side: _Side, kernels_of: KernelValues, rows: IntArray) -> StudyPayload:
        row_of = {kernel: row for row, kernel in enumerate(kernels_of.kernels)}
        table = side.take(np.array([row_of.get(one, -1) for one in kernels], dtype=np.int64))
        callpaths = values_data(
            **vars(side.take(rows).summed(group, single)),
            region=[number[one] for one in names],
            parent=parent,
            total=table.prediction.take(every[:1]),
            weighty=none,
            required=positions.required,
            repeated=np.arange(len(names)),
        )
        return StudyPayload(name=name, callpaths=callpaths, kernels=of_table(table))

    ratio = _nothing(len(kernels), curves.ratio) if positions.measured_only else curves.ratio
    return ComparisonPayload(
        **vars(positions_data(b.parameters, points, positions)),
        metric=b.metric,
        unit=b.unit,
        regions=list(map(region_named, number)),
        studies=[*map(study, found.titles, sides, (a, b), trees.rows)],
        common=common,
        kernels=[
            (
                shown.get(one.kernel.callpath, _NOWHERE) if one.kernel.level is Scope.CALLPATH else _NOWHERE,
                _changes(b.named(points[common]), one.measured),
                story(one),
                ["" if side is None else side.formula for side in (one.baseline, one.candidate)],
            )
            for one in result.kernels
        ],
        columns=_columns(result),
        ratio=of_table(_Side(np.full((len(kernels), len(points), 1), np.nan), ratio)),
        said=[comparison_verdict(found, curves, place) for place in range(len(positions.points))],
    )


def _nothing(kernels: int, ahead: Prediction) -> Prediction:
    """Return predictions of kernels of which nothing is known, where others are."""
    return Prediction(*np.full((3, kernels, ahead.value.shape[1]), np.nan))


def _points(matched: Matched) -> tuple[FloatArray, tuple[IntArray, IntArray], list[int]]:
    """Return the points measured in either study, where A and B have them, -1 for none, and in both."""
    a, b = matched.baseline.points, matched.candidate.points
    alone = np.setdiff1d(np.arange(len(a)), matched.base_at)
    points, place = np.unique(np.concatenate([b, a[alone]]), axis=0, return_inverse=True)
    at_a, at_b = np.full((2, len(points)), -1)
    at_b[place[: len(b)]] = np.arange(len(b))
    at_a[place[len(b) :]] = alone
    common = place[matched.candidate_at]
    at_a[common] = matched.base_at
    return points, (at_a, at_b), integers(common[np.argsort(matched.scale, kind="stable")])


def _folded(trees: ComparedTrees, sides: Sequence[_Side]) -> tuple[IntArray, list[str], IntArray]:
    """Return where each call path is shown, int64[K], and the names and callers of what is shown.

    What is shown by itself are the call paths that lead to most at any point or position; their callers are
    among them.
    """
    own = [path[-1] for path in trees.callpaths]
    tree = CallTree(trees.parent, trees.parent)
    found = [one.take(rows) for one, rows in zip(sides, trees.rows, strict=True)]
    values = [of for one in found for of in (mean_over_repetitions(one.values), one.prediction.value)]
    inclusive = tree.inclusive(np.nan_to_num(np.concatenate(values, axis=1), posinf=0.0))
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


def _changes(
    points: Sequence[Mapping[str, float]], changes: Sequence[PointRatio]
) -> list[ChangePayload | None]:
    tested = {_key(change.at): change for change in changes if np.isfinite(change.ratio)}
    found = (tested.get(_key(point)) for point in points)
    return [
        None if one is None else (few_digits(one.ratio, 4), short(one.lower, 4), short(one.upper, 4))
        for one in found
    ]


def _key(at: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" for value in at.values())


def comparison_html(found: TwoStudies, studies: ComparedStudies) -> str:
    """Return the page; the template escapes every name."""
    result, (a, b) = found.result, found.titles
    return page_text(
        "comparison",
        comparison_data(studies, found),
        a=a,
        b=b,
        sources=found.names,
        unit=result.unit,
        headline=comparison_verdict(found),
        basis=basis(result),
        notes=[*(r.text for r in result.reasons), *map(rename_text, result.renames), *result.notices],
        renamed=[tuple(callpath_text(k.callpath, 100) for k in pair) for pair in found.renamed],
        predicts=result.predicts,
    )


def _columns(result: CheckResult) -> list[ColumnPayload]:
    """Return the columns of changes that the page shows."""
    last = max(len(result.targets) - 1, 0)
    rows = [(one, last) for one in result.kernels]
    targets = [(result.targets or ({},))[-1]] * len(rows)
    known = {column.key: column for column in change_columns(result, comparison_words(("A", "B")), targets)}
    return columns_data([known[key] for key in _SHOWN], rows)
