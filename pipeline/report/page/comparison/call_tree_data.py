"""The call paths of two studies, as the page of a comparison draws them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.calltree import ROOT, CallTree
from ingest.cpp_names import short_name
from pipeline.gate.call_trees import ComparedScale, ComparedTrees, Values
from pipeline.gate.check_result import Change, CheckResult, Ruling
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.models.kernels import sum_groups
from pipeline.report.page.embedding import integers, packed
from pipeline.wording.quantities import point_text

NOWHERE = -1  # of kernels that are not one call path
MOST = 4000  # call paths that the page shows by themselves


def call_tree_data(trees: ComparedTrees, result: CheckResult, words: Mapping[Ruling, str]) -> dict[str, Any]:
    """Return the data; ``js/compared_trees.js`` has its types.

    Callees of a call path beyond the `MOST` largest ones are one callee, their sum, so that totals stay.

    Args:
        trees: both studies.
        result: B checked against A, for the verdicts.
        words: of verdicts.
    """
    group, names, parent = _folded(trees)
    regions = {name: i for i, name in enumerate(dict.fromkeys(names))}
    single = np.bincount(group, minlength=len(names)) == 1
    shown = {
        KernelId(Scope.CALLPATH, path): k
        for path, k in zip(trees.callpaths, group.tolist(), strict=True)
        if single[k]
    }
    return {
        "metric": trees.metric,
        "unit": trees.unit,
        "regions": [_region(name) for name in regions],
        "region": [regions[name] for name in names],
        "parent": integers(parent),
        "scales": [_scale(scale, group, single) for scale in trees.scales],
        "kernels": [
            [
                shown.get(one.kernel, NOWHERE),
                words[one.verdict],
                _changes(trees, [*one.measured, *one.target]),
            ]
            for one in result.kernels
        ],
    }


def _region(name: str) -> dict[str, str]:
    short = short_name(name)
    return {"name": name} if short == name else {"name": name, "short": short}


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
    kept[np.argsort(-share, kind="stable")[:MOST]] = True  # callers come first where shares are equal
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


def _scale(scale: ComparedScale, group: IntArray, single: BoolArray) -> dict[str, Any]:
    return {
        "name": point_text(scale.at),
        "predicted": scale.predicted,
        "runs": list(scale.runs),
        "a": _side(scale.a, group, single),
        "b": _side(scale.b, group, single),
    }


def _side(values: Values, group: IntArray, single: BoolArray) -> dict[str, Any]:
    """Sum what is folded; sums have no range."""
    value, lower, upper = (
        sum_groups(column[:, None], group, len(single))[:, 0]
        for column in (values.value, values.lower, values.upper)
    )
    return {
        "value": packed(value),
        "lower": packed(np.where(single, lower, np.nan)),
        "upper": packed(np.where(single, upper, np.nan)),
        "whole": _ends(values.whole),
    }


def _ends(whole: tuple[float, float] | None) -> list[float] | None:
    if whole is None or not np.isfinite(whole).all():
        return None
    return [float(f"{end:.6g}") for end in whole]


def _changes(trees: ComparedTrees, changes: Sequence[Change]) -> list[list[float | None] | None]:
    """Return ratio, lower and upper end per scale of the trees; None if it was not tested there."""
    tested = {_key(change.at): change for change in changes if np.isfinite(change.ratio)}
    found = (tested.get(_key(scale.at)) for scale in trees.scales)
    return [None if one is None else [_plain(v) for v in (one.ratio, one.lower, one.upper)] for one in found]


def _key(at: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" for value in at.values())


def _plain(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None
