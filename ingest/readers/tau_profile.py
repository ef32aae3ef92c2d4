"""What TAU's text and packed profiles mean, once they are read: from functions to a call tree."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory, require_summable

ARROW = " => "
VISITS = Metric("visits", "occ")
MICROSECOND = 1e-6
ROUNDING = 1e-6  # relative: flat times and those of call paths are printed, and differ in their last digits
MAX_VALUES = 1 << 27

# Values of these stand beside those of instrumented functions and would be counted twice.
_SAMPLED = re.compile(r"\[(?:CONTEXT|SAMPLE|INTERMEDIATE|SUMMARY|UNWIND)\]")
_SOURCE = re.compile(r"\[\{(?P<file>[^{}]*+)\}\s*+(?:\{(?P<line>\d{1,9})[^{}]*+\}[^\[\]]*+)?\]")
_THROTTLED = re.compile(r"\[THROTTLED\]")
_PARADIGMS = (
    ("MPI", "mpi"),
    ("OPENMP", "openmp"),
    ("OMPT", "openmp"),
    ("PTHREAD", "pthread"),
    ("CUDA", "cuda"),
    ("CUPTI", "cuda"),
    ("ROCM", "hip"),
    ("OPENCL", "opencl"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class TauData:
    """A TAU profile as its files tell it: F functions, L locations, M metrics.

    A function is a flat one, summed over its callers, or a call path joined by `` => ``.

    Attributes:
        source: the file or directory.
        functions: F names, with source locations in brackets.
        groups: F group names, joined by ``|`` or blanks.
        metrics: M names.
        locations: int64[L, 3], node, context and thread.
        calls: float64[F, L].
        exclusive: float64[M, F, L], times in microseconds.
        attributes: the metadata of the first location.
    """

    source: str
    functions: Sequence[str]
    groups: Sequence[str]
    metrics: Sequence[str]
    locations: IntArray
    calls: FloatArray
    exclusive: FloatArray
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class _Region:
    name: str
    file: str
    line: int


def tau_profile(data: TauData) -> Profile:
    """Build the profile.

    TAU writes every function with its flat values, and beside that the call paths, which end in that function
    and make up its values. Where TAU cut call paths to their last regions (TAU_CALLPATH_DEPTH), their first
    regions are taken for roots. What a function's call paths do not account for is its value as a root.

    Raises:
        InputError: where no function is left, or a value cannot be summed.
    """
    for name, measured in zip(("the calls", *data.metrics), (data.calls, *data.exclusive), strict=True):
        require_summable(measured, name, data.source)
    own = [i for i, name in enumerate(data.functions) if not _SAMPLED.search(name)]
    paths = [[_region(part) for part in data.functions[i].split(ARROW)] for i in own]
    values = np.concatenate([data.calls[None, own], data.exclusive[:, own]])
    values, kept = _without_callpaths(values, [[region.name for region in path] for path in paths])
    if not len(kept):
        raise InputError("no instrumented function in it", where=data.source)
    callpaths = CallTreeBuilder()
    nodes = np.array([callpaths.add([region.name for region in paths[i]]) for i in kept.tolist()])
    place, tree, names = callpaths.build()
    stored = np.zeros((len(tree), len(values), len(data.locations)))
    np.add.at(stored, place[nodes], values[:, kept].swapaxes(0, 1))
    metrics = _metrics(data.metrics)
    if len({VISITS.name, *(metric.name for metric in metrics)}) <= len(metrics):
        raise InputError("two metrics have the same name", where=data.source)
    scale = [1.0, *(MICROSECOND if metric.unit == "s" else 1.0 for metric in metrics)]
    return Profile(
        source=data.source,
        tree=tree,
        regions=_table(names, paths, [data.groups[i] for i in own]),
        locations=_locations(data.locations),
        metrics=(*metrics, VISITS),
        load=ValuesInMemory(
            tree, {m.name: stored[:, i] * scale[i] for i, m in enumerate((VISITS, *metrics))}
        ),
        attributes={"generator": "TAU", **data.attributes},
        notices=_notices(data, len(own), paths),
    )


def _without_callpaths(values: FloatArray, paths: list[list[str]]) -> tuple[FloatArray, IntArray]:
    """Take the values of call paths off the flat values of the function they end in.

    Returns:
        float64[..., F, L], and the indices of the functions that are left: flat ones whose call paths account
        for all of them are not.
    """
    flat = {path[0]: i for i, path in enumerate(paths) if len(path) == 1}
    ends = [(i, flat[path[-1]]) for i, path in enumerate(paths) if len(path) > 1 and path[-1] in flat]
    kept = np.ones(len(paths), dtype=np.bool_)
    if not ends:
        return values, np.flatnonzero(kept)
    left = values.copy()
    sources, targets = np.array(ends).T
    np.subtract.at(left.swapaxes(0, 1), targets, values.swapaxes(0, 1)[sources])
    left[left <= ROUNDING * values] = 0.0
    kept[targets] = left[:, targets].any(axis=(0, 2))
    return left, np.flatnonzero(kept)


def _region(text: str) -> _Region:
    """Take the name, the source file and the line of a function apart: ``f [{a.c} {3,1}-{9,1}]``."""
    name = _THROTTLED.sub("", text)
    source = _SOURCE.search(name)
    name = _SOURCE.sub("", name).strip() or text.strip() or "<unnamed>"
    if source is None:
        return _Region(name, "", -1)
    return _Region(name, source["file"], int(source["line"] or -1))


def _table(names: Sequence[str], paths: list[list[_Region]], groups: Sequence[str]) -> RegionTable:
    """Look the regions up: flat functions tell their own groups, call paths also those of their callers."""
    known: dict[str, tuple[_Region, str]] = {}
    for path, group in sorted(zip(paths, groups, strict=True), key=lambda row: len(row[0])):
        known.setdefault(path[-1].name, (path[-1], group))
    for region in (region for path in paths for region in path):
        known.setdefault(region.name, (region, ""))
    regions = [known[name] for name in names]
    return RegionTable(
        name=tuple(names),
        mangled=tuple(names),
        paradigm=tuple(_paradigm(group) for _, group in regions),
        file=tuple(region.file for region, _ in regions),
        line=np.array([region.line for region, _ in regions], dtype=np.int64),
    )


def _paradigm(group: str) -> str:
    upper = group.upper()
    return next((paradigm for mark, paradigm in _PARADIGMS if mark in upper), "compiler")


def _metrics(names: Sequence[str]) -> tuple[Metric, ...]:
    """Name the first time ``time``; counters keep their names."""
    times = [name for name in names if "TIME" in name.upper()]
    return tuple(
        Metric("time" if name == times[0] else name, "s") if name in times else Metric(name, "occ")
        for name in names
    )


def _locations(locations: IntArray) -> LocationTable:
    _, process = np.unique(locations[:, :2], axis=0, return_inverse=True)
    return LocationTable(process.reshape(-1), locations[:, 2], np.ones(len(locations), dtype=np.bool_))


def _notices(data: TauData, kept: int, paths: list[list[_Region]]) -> tuple[str, ...]:
    notices = []
    if kept < len(data.functions):
        notices.append(f"{len(data.functions) - kept} functions of the sampling are not read")
    if any(_THROTTLED.search(name) for name in data.functions):
        notices.append("TAU throttled some functions: their later calls are counted with their callers")
    first = {path[0].name for path in paths if len(path) > 1}
    if first & {path[-1].name for path in paths if len(path) > 1}:
        notices.append(
            "call paths seem to be cut to their last regions (TAU_CALLPATH_DEPTH): inclusive values are those"
            " of the parts"
        )
    return tuple(notices)
