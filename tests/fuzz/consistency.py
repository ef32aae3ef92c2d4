"""What must hold of everything that was read, whatever the file was: a mutated file may be accepted, but then
its tables fit to each other and its sums agree whichever way they are taken.
"""

from collections.abc import Iterable

import numpy as np

from ingest.calltree import CallTree
from ingest.profile import Metric, Profile
from ingest.reduction import GPU, reduce_profile
from ingest.series import MeasuredSeries

TOLERANCE = 1e-9  # of the sum of magnitudes: only rounding may differ


class InconsistentError(Exception):
    """What was read contradicts itself."""


def check_profile(profile: Profile) -> None:
    """Check tables, tree and totals of a profile, all values included.

    Raises:
        InconsistentError: with what does not hold.
        InputError: where values asked for now are damaged.
    """
    regions, locations = profile.regions, profile.locations
    columns = (regions.mangled, regions.paradigm, regions.file, regions.line)
    _hold(all(len(column) == len(regions) for column in columns), "columns of regions differ in length")
    _hold(len(locations.thread) == len(locations) == len(locations.device) > 0, "columns of locations")
    _hold(locations.device.dtype == np.int64 and regions.line.dtype == np.int64, "types of columns")
    _check_tree(profile.tree, len(regions))
    texts = (regions.name, regions.mangled, regions.file, regions.paradigm, profile.attributes.values())
    _check_texts((text for column in texts for text in column), profile.notices)
    names = [metric.name for metric in profile.metrics]
    _hold(len(set(names)) == len(names), "two metrics have the same name")
    totals = {metric.name: _check_metric(profile, metric) for metric in profile.metrics}
    reduced = reduce_profile(profile, names)
    added = len(reduced.regions) > len(profile.regions)  # the idle time of accelerators
    for metric in reduced.metrics:
        name, reduction = metric.name, reduced.values[metric.name]
        if name.startswith(GPU) and name not in totals:
            measured = float(reduction.sum.sum()) - float(added and reduction.sum[-1])
            size = totals[name.removeprefix(GPU)][1]
            own = profile.values(name.removeprefix(GPU))[:, profile.locations.accelerator]
            _agree(measured, float(own.sum()), size, f"{name}: reduced by device, and read at once")
            continue
        if metric.kind.additive:
            _agree(float(reduction.sum.sum()), *totals[name], f"{name}: reduced in blocks, and read at once")
        else:
            _hold(bool((reduction.min <= reduction.max).all()), f"{name}: the smallest exceeds the largest")


def _check_tree(tree: CallTree, regions: int) -> None:
    _hold(len(tree.parent) == len(tree.region) > 0, "the tree is empty, or its columns differ in length")
    _hold(tree.parent.dtype == tree.region.dtype == np.int64, "types of the tree")
    _hold(bool((tree.region >= 0).all() and (tree.region < regions).all()), "a region outside of its table")
    open_: list[int] = [-1]  # the node before and all its callers
    for node, caller in enumerate(tree.parent.tolist()):
        while open_ and open_[-1] != caller:
            open_.pop()
        _hold(bool(open_), f"the tree is not in preorder at node {node}")
        open_.append(node)


def _check_metric(profile: Profile, metric: Metric) -> tuple[float, float]:
    """Return the total over CPU locations and the sum of magnitudes."""
    own = profile.values(metric.name)
    _hold(own.shape == (len(profile.tree), len(profile.locations)), f"{metric.name}: shape {own.shape}")
    _hold(own.dtype == np.float64, f"{metric.name}: type {own.dtype}")
    if not metric.kind.additive:
        return 0.0, 0.0
    _hold(bool(np.isfinite(own).all()), f"{metric.name}: a value is not finite")
    inclusive = profile.values(metric.name, inclusive=True)
    total, size = float(own.sum()), max(float(np.abs(own).sum()), float(np.abs(inclusive).sum()))
    roots = float(inclusive[profile.tree.parent < 0].sum())
    _agree(roots, total, size, f"{metric.name}: inclusive values of the roots, and all exclusive ones")
    return float(own[:, profile.locations.cpu].sum()), size


def check_series(series: MeasuredSeries) -> None:
    """Check tables and shapes of a series.

    Raises:
        InconsistentError: with what does not hold.
    """
    shape = len(series.callpaths), len(series.points)
    _hold(series.points.shape == (shape[1], len(series.parameters)), "points and parameters do not fit")
    _hold(min(*shape, len(series.parameters)) > 0 and bool(np.isfinite(series.points).all()), "no points")
    rows = [tuple(row) for row in series.points.tolist()]
    _hold(rows == sorted(set(rows)), "points are not sorted, or one stands twice")
    for table in (series.parameters, series.callpaths, [metric.name for metric in series.metrics]):
        _hold(len(set(table)) == len(table), "a name stands twice")
    known: set[tuple[str, ...]] = {()}
    for path in series.callpaths:
        _hold(path[:-1] in known, "a call path before its caller")
        known.add(path)
    _hold(set(series.values) == {metric.name for metric in series.metrics}, "values and metrics")
    for name, values in series.values.items():
        _hold(values.shape[:2] == shape and values.dtype == np.float64, f"{name}: shape {values.shape}")
        _hold(not np.isinf(values).any(), f"{name}: a value is infinite")
        _hold(
            bool(np.isfinite(values).any() or series.notices), f"{name}: nothing measured, and nothing said"
        )
    _check_texts([*series.parameters, *series.values, *(r for path in known for r in path)], series.notices)


def check_notices(notices: Iterable[str]) -> None:
    """Check that sentences are lines that can be written.

    Raises:
        InconsistentError: with what does not hold.
    """
    _check_texts((), list(notices))


def _check_texts(texts: Iterable[str], notices: Iterable[str]) -> None:
    try:
        "".join([*texts, *notices]).encode()
    except UnicodeEncodeError as error:
        raise InconsistentError(f"a text that cannot be written: {error}") from error
    _hold(all(len(notice.splitlines()) == 1 for notice in notices), "a notice of more than one line")


def _agree(one: float, other: float, size: float, what: str) -> None:
    _hold(abs(one - other) <= TOLERANCE * size, f"{what}: {one!r} and {other!r}")


def _hold(holds: bool, what: str) -> None:
    if not holds:
        raise InconsistentError(what)
