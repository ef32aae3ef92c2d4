"""Tiny profiles made in code, for tests of what comes after reading."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ingest.calltree import CallTree
from ingest.profile import CPU, LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory

Path = tuple[str, ...]
Row = tuple[int, str, float | Sequence[float], float | Sequence[float]]

UNITS = {"time": "sec", "visits": "occ"}


def make_profile(
    values: Mapping[str, Mapping[Path, Sequence[float]]],
    *,
    paradigm: Mapping[str, str] | None = None,
    kinds: Mapping[str, MetricKind] | None = None,
    device: Sequence[int] | None = None,
    process: Sequence[int] | None = None,
    source: str = "made.cubex",
    notices: tuple[str, ...] = (),
) -> Profile:
    """Make a profile of values per metric and call path, one value per location, paths in preorder.

    Every prefix of a call path must be there. Metrics are exclusive unless `kinds` says otherwise, regions
    compiler-instrumented unless their name starts with ``MPI_`` or `paradigm` says otherwise.
    """
    paths = list(next(iter(values.values())))
    names = tuple(dict.fromkeys(path[-1] for path in paths))
    index = {path: i for i, path in enumerate(paths)}
    parent = [index[path[:-1]] if len(path) > 1 else -1 for path in paths]
    known = paradigm or {}
    count = len(next(iter(next(iter(values.values())).values())))
    locations = LocationTable(
        np.array(process if process is not None else range(count), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.array(device if device is not None else [CPU] * count, dtype=np.int64),
    )
    return _profile(
        parent=parent,
        region=[names.index(path[-1]) for path in paths],
        names=names,
        mangled=names,
        paradigms=tuple(known.get(n, "mpi" if n.startswith("MPI_") else "compiler") for n in names),
        files=("",) * len(names),
        values={name: np.array([row[p] for p in paths], dtype=np.float64) for name, row in values.items()},
        kinds=kinds or {},
        locations=locations,
        source=source,
        notices=notices,
    )


def profile_from_rows(
    rows: Sequence[Row],
    *,
    source: str = "tiny",
    paradigms: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> Profile:
    """Make a profile from (depth, region, visits, exclusive time) in preorder, values per location or one.

    The paradigm follows from the beginning of a name: ``MPI_``, ``!$omp`` or ``USER``; all regions are in one
    file and have mangled names unless the arguments say otherwise.
    """
    names = tuple(dict.fromkeys(name for _, name, _, _ in rows))
    open_nodes: list[int] = []
    parent = []
    for node, (depth, *_rest) in enumerate(rows):
        del open_nodes[depth:]
        parent.append(open_nodes[-1] if open_nodes else -1)
        open_nodes.append(node)
    known, places = paradigms or {}, files or {}
    return _profile(
        parent=parent,
        region=[names.index(row[1]) for row in rows],
        names=names,
        mangled=tuple(name if name == "main" else f"_Z{len(name)}{name}" for name in names),
        paradigms=tuple(known.get(name, _paradigm(name)) for name in names),
        files=tuple(places.get(name, "code.cc") for name in names),
        values={
            "visits": np.array([np.atleast_1d(row[2]) for row in rows], dtype=np.float64),
            "time": np.array([np.atleast_1d(row[3]) for row in rows], dtype=np.float64),
        },
        kinds={},
        locations=None,
        source=source,
        notices=(),
    )


def with_longest(rows: Sequence[Row], longest: Sequence[float | Sequence[float]], **options) -> Profile:
    """Make a profile of rows, as `profile_from_rows` does, with the longest inclusive visit of each."""
    profile = profile_from_rows(rows, **options)
    values = np.array(longest, dtype=np.float64).reshape(len(rows), -1)
    return replace(
        profile,
        metrics=(*profile.metrics, Metric("max_time", "sec", MetricKind.MAXIMUM)),
        load=ValuesInMemory(profile.tree, {**profile.load.values, "max_time": values}),
    )


def _paradigm(name: str) -> str:
    return {"MPI_": "mpi", "!$om": "openmp", "USER": "user"}.get(name[:4], "compiler")


def one_thread_per_process(count: int) -> LocationTable:
    return LocationTable.of_threads(np.arange(count), np.zeros(count, dtype=np.int64))


def _profile(*, parent, region, names, mangled, paradigms, files, values, kinds, locations, source, notices):
    tree = CallTree(np.array(parent), np.array(region))
    count = next(iter(values.values())).shape[1]
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable(
            name=names, mangled=mangled, paradigm=paradigms, file=files, line=np.full(len(names), -1)
        ),
        locations=locations or one_thread_per_process(count),
        metrics=tuple(
            Metric(name, UNITS.get(name, ""), kinds.get(name, MetricKind.EXCLUSIVE)) for name in values
        ),
        load=ValuesInMemory(tree, values),
        attributes={},
        notices=notices,
    )
