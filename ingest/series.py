"""`MeasuredSeries`: values at many points from one file, as the formats of Extra-P hold them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import CallPath, CallPaths, CallTreeBuilder
from ingest.errors import InputError, one_line
from ingest.profile import LARGEST, Metric

# Names for what a file omits; the first two are Extra-P's.
UNNAMED_CALLPATH = "<root>"
UNNAMED_METRIC = "<default>"
_UNNAMED_REGION = "<unnamed>"

MAX_VALUES = 1 << 26  # of the dense arrays together: 512 MiB
MAX_NAMES = 1 << 25  # of the regions of all call paths, each with its callers

_ARROW = re.compile(r"(?<!\boperator)->")


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredSeries:
    """C call paths, P measurement points of D parameters, R repetitions; values are taken as given."""

    source: str
    parameters: tuple[str, ...]  # the D parameter names
    points: FloatArray  # float64[P, D], sorted by the first parameter, then the next
    # region names from the root down, in preorder, callers without values of their own included
    callpaths: Sequence[CallPath]
    metrics: tuple[Metric, ...]  # the metrics; files of these formats have no units
    values: Mapping[str, FloatArray]  # per metric name float64[C, P, R], NaN where nothing was measured
    notices: tuple[str, ...] = ()  # one sentence for everything doubtful
    # what all runs state of themselves, such as their processor
    stated: Mapping[str, str] = field(default_factory=dict)


def split_callpath(text: str) -> tuple[str, ...]:
    """Split a call path joined by ``->``, but not within the C++ names ``operator->`` and ``operator->*``."""
    if not text.strip():
        return (UNNAMED_CALLPATH,)
    return tuple(name.strip() or _UNNAMED_REGION for name in _ARROW.split(text))


@dataclass(kw_only=True)
class SeriesBuilder:
    """Values in the order of a file, in columns; repetitions are numbered by their order."""

    source: str
    parameters: tuple[str, ...]
    _paths: CallTreeBuilder = field(default_factory=CallTreeBuilder)
    _nodes: dict[str, int] = field(default_factory=dict)
    _metrics: dict[str, int] = field(default_factory=dict)
    _points: dict[tuple[float, ...], int] = field(default_factory=dict)
    _keys: list[tuple[int, int, int]] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _values: list[float] = field(default_factory=list)

    def add(self, callpath: str, metric: str, point: tuple[float, ...], values: Sequence[float]) -> None:
        """Add the repetitions, or some of them, of a metric of a call path at a point."""
        node = self._nodes.get(callpath)
        if node is None:
            node = self._nodes[callpath] = self._paths.add(split_callpath(callpath))
        number = self._metrics.setdefault(metric or UNNAMED_METRIC, len(self._metrics))
        at = self._points.setdefault(point, len(self._points))
        self._keys.append((number, node, at))
        self._counts.append(len(values))
        self._values.extend(values)

    def series(
        self, given: Collection[tuple[float, ...]] = (), notices: Sequence[str] = ()
    ) -> MeasuredSeries:
        """Bring the values into dense arrays and report the points, of those `given`, without a value."""
        if not self._values or not self.parameters:
            what = "no value" if self.parameters else "no parameter"
            raise InputError(f"it contains {what}", where=self.source)
        if twice := [name for i, name in enumerate(self.parameters) if name in self.parameters[:i]]:
            raise InputError(f"the parameter '{twice[0]}' is named twice", where=self.source)
        place, tree, names = self._paths.build()
        if int(tree.depth.sum()) > MAX_NAMES:
            raise InputError("its call paths are too long for memory", where=self.source, hint="shorten them")
        points = np.array(list(self._points), dtype=np.float64)
        order = np.lexsort(points.T[::-1])
        keys = np.repeat(np.array(self._keys, dtype=np.int64), self._counts, axis=0)
        keys[:, 1] = place[keys[:, 1]]
        keys[:, 2] = np.argsort(order)[keys[:, 2]]
        dense = self._dense(keys, (len(self._metrics), len(tree), len(points)))
        metrics = tuple(Metric(name, "") for name in self._metrics)
        unused = len(set(given) - set(self._points))
        missed = f"{unused} of the {len(set(given))} points listed have no value" if unused else ""
        gaps = [_gaps(metric.name, dense[i]) for i, metric in enumerate(metrics)]
        return MeasuredSeries(
            source=self.source,
            parameters=self.parameters,
            points=points[order],
            callpaths=CallPaths.of(tree, names),
            metrics=metrics,
            values={metric.name: dense[i] for i, metric in enumerate(metrics)},
            notices=tuple(map(one_line, filter(None, [*notices, missed, *self._odd_values(), *gaps]))),
        )

    def _odd_values(self) -> list[str]:
        values = np.array(self._values, dtype=np.float64)
        odd = (
            (int((~np.isfinite(values)).sum()), "are not finite and count as not measured"),
            (int((np.isfinite(values) & ~_usable(values)).sum()), "are too large and count as not measured"),
            (int((values < 0).sum()), "are negative; they are kept"),
        )
        return [f"{number} of {len(values)} values {what}" for number, what in odd if number]

    def _dense(self, keys: IntArray, shape: tuple[int, int, int]) -> FloatArray:
        """Scatter the values to float64[metric, call path, point, repetition], NaN where there is none."""
        flat = np.ravel_multi_index((keys[:, 0], keys[:, 1], keys[:, 2]), shape)
        order = np.argsort(flat, kind="stable")
        starts = np.flatnonzero(np.diff(flat[order], prepend=-1))
        lengths = np.diff(starts, append=len(flat))
        repetition = np.arange(len(flat)) - np.repeat(starts, lengths)
        repetitions, size = int(lengths.max()), int(np.prod(shape))
        if size * repetitions > MAX_VALUES:
            raise InputError(
                f"too large for memory: {' x '.join(map(str, shape))} metrics, call paths and points, with up"
                f" to {repetitions} repetitions",
                where=self.source,
                hint="split the file",
            )
        dense = np.full((size, repetitions), np.nan)
        values = np.array(self._values, dtype=np.float64)[order]
        dense[flat[order], repetition] = np.where(_usable(values), values, np.nan)
        return dense.reshape(*shape, repetitions)


def _usable(values: FloatArray) -> BoolArray:
    return np.abs(values) < LARGEST  # False for NaN


def _gaps(metric: str, dense: FloatArray) -> str:
    points = np.isfinite(dense).any(axis=2).sum(axis=1)
    if not points.any():
        return f"{metric}: nothing was measured"
    partly = int(((points > 0) & (points < dense.shape[1])).sum())
    return f"{metric}: {partly} call paths lack some of the {dense.shape[1]} points" if partly else ""
