"""Tiny profiles made in code, shared by the tests of this folder."""

from collections.abc import Sequence

import numpy as np

from ingest.calltree import CallTree
from ingest.profile import LocationTable, Metric, MetricKind, Profile, RegionTable, ValuesInMemory

Row = tuple[int, str, float | Sequence[float], float | Sequence[float]]


def paradigm_of(name: str) -> str:
    return {"MPI_": "mpi", "!$om": "openmp", "USER": "user"}.get(name[:4], "compiler")


def make_profile(rows: Sequence[Row], *, source: str = "tiny", paradigms=None, files=None) -> Profile:
    """Make a profile from (depth, region, visits, exclusive time) in preorder, values per location or one."""
    names = tuple(dict.fromkeys(name for _, name, _, _ in rows))
    open_nodes: list[int] = []
    parent = []
    for node, (depth, *_rest) in enumerate(rows):
        del open_nodes[depth:]
        parent.append(open_nodes[-1] if open_nodes else -1)
        open_nodes.append(node)
    values = {
        "visits": np.array([np.atleast_1d(row[2]) for row in rows], dtype=np.float64),
        "time": np.array([np.atleast_1d(row[3]) for row in rows], dtype=np.float64),
    }
    count = values["visits"].shape[1]
    paradigm = tuple((paradigms or {}).get(name, paradigm_of(name)) for name in names)
    file = tuple((files or {}).get(name, "code.cc") for name in names)
    mangled = tuple(name if name == "main" else f"_Z{len(name)}{name}" for name in names)
    tree = CallTree(np.array(parent), np.array([names.index(row[1]) for row in rows]))
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable(
            name=names, mangled=mangled, paradigm=paradigm, file=file, line=np.full(len(names), -1)
        ),
        locations=LocationTable(
            np.arange(count), np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
        ),
        metrics=(Metric("visits", "occ"), Metric("time", "sec", MetricKind.EXCLUSIVE)),
        load=ValuesInMemory(tree, values),
    )
