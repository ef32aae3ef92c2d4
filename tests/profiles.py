"""Tiny profiles made in code, for tests of what comes after reading."""

from collections.abc import Mapping, Sequence

import numpy as np

from ingest.calltree import CallTree
from ingest.profile import LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory

Path = tuple[str, ...]


def make_profile(
    values: Mapping[str, Mapping[Path, Sequence[float]]],
    *,
    paradigm: Mapping[str, str] | None = None,
    kinds: Mapping[str, MetricKind] | None = None,
    cpu: Sequence[bool] | None = None,
    process: Sequence[int] | None = None,
    source: str = "made.cubex",
    notices: tuple[str, ...] = (),
) -> Profile:
    """Make a profile of values per metric and call path, one value a location, paths in preorder.

    Every prefix of a call path must be there. Metrics are exclusive unless `kinds` says otherwise, regions
    compiler-instrumented unless their name starts with ``MPI_`` or `paradigm` says otherwise.
    """
    paths = list(next(iter(values.values())))
    names = tuple(dict.fromkeys(path[-1] for path in paths))
    index = {path: i for i, path in enumerate(paths)}
    tree = CallTree(
        np.array([index[path[:-1]] if len(path) > 1 else -1 for path in paths]),
        np.array([names.index(path[-1]) for path in paths]),
    )
    told = paradigm or {}
    paradigms = tuple(told.get(n, "mpi" if n.startswith("MPI_") else "compiler") for n in names)
    count = len(next(iter(next(iter(values.values())).values())))
    nowhere = ("",) * len(names)
    units = {"time": "sec", "visits": "occ"}
    metrics = tuple(
        Metric(name, units.get(name, ""), (kinds or {}).get(name, MetricKind.EXCLUSIVE)) for name in values
    )
    locations = LocationTable(
        np.array(process if process is not None else range(count), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.array(cpu if cpu is not None else [True] * count),
    )
    table = {name: np.array([row[p] for p in paths], dtype=np.float64) for name, row in values.items()}
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable(
            name=names, mangled=names, paradigm=paradigms, file=nowhere, line=np.full(len(names), -1)
        ),
        locations=locations,
        metrics=metrics,
        load=ValuesInMemory(tree, table),
        attributes={},
        notices=notices,
    )
