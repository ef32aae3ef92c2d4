"""From a `.cubex` file to a `Profile`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.profile import LocationTable, Metric, MetricKind, Profile, RegionTable
from ingest.readers.cubex.anchor import Anchor, Record, read_anchor
from ingest.readers.cubex.container import ANCHOR, Container, open_container
from ingest.readers.cubex.dtypes import value_type
from ingest.readers.cubex.program import Program, Region
from ingest.readers.cubex.values import CubexValues, StoredMetric

_PARADIGMS = frozenset(
    "cuda compiler hip io kokkos libwrap measurement memory mpi none opari openacc opencl openmp pthread "
    "sampling shmem target thread_create thread_create_wait thread_fork_join unknown user".split()
)
_EXTREMES = {"min_time": MetricKind.MINIMUM, "max_time": MetricKind.MAXIMUM}
_KINDS = {
    "EXCLUSIVE": MetricKind.EXCLUSIVE,
    "INCLUSIVE": MetricKind.INCLUSIVE,
    "SIMPLE": MetricKind.SIMPLE,
    "": MetricKind.EXCLUSIVE,  # Cube 4.0 wrote no type; CubeLib takes such metrics as exclusive
}


def read(path: Path) -> Profile:
    """Read a `.cubex` file (CUBE 4, as written by Score-P, Scalasca and the Cube tools).

    Only the container's headers and the anchor are read here; values are read when they are asked for.

    Raises:
        InputError: where the file is damaged or holds what we cannot read, such as clustered call trees.
    """
    container = open_container(path)
    anchor = read_anchor(*container.views(ANCHOR), path)
    try:
        return _assemble(container, anchor)
    except ValueError as problem:
        where = f"{path} ({ANCHOR})"
        raise InputError(str(problem), where=where, mend="write the profile again") from None


def _assemble(container: Container, anchor: Anchor) -> Profile:
    if anchor.attributes.get("CLUSTERING", "").strip().upper() == "ON":
        what = "its call tree is clustered (attribute CLUSTERING), so call paths differ between processes"
        mend = "measure again without clustering (SCOREP_PROFILING_ENABLE_CLUSTERING=false)"
        raise InputError(what, where=str(container.path), mend=mend)
    tree, identifiers = _tree(anchor.program)
    locations = _locations(anchor)
    metrics, stored, notices = _metrics(anchor, container, tree, identifiers)
    return Profile(
        source=str(container.path),
        tree=tree,
        regions=_regions(anchor.program.regions),
        locations=locations,
        metrics=tuple(metrics),
        load=CubexValues(container, len(tree), len(locations), stored),
        attributes=anchor.attributes,
        notices=tuple(notices),
    )


def _numbers(texts: Sequence[str], what: str) -> IntArray:
    """Convert identifiers and lines to int64."""
    try:
        return np.array(list(map(int, texts)), dtype=np.int64)
    except (ValueError, OverflowError):
        raise ValueError(f"{what} is not a number") from None


def _tree(program: Program) -> tuple[CallTree, IntArray]:
    """Return the call tree and the identifiers of its nodes, int64[n]."""
    identifiers = _numbers(program.cnode, "the id of a cnode")
    if len(identifiers) == 0:
        raise ValueError("it has no call paths")
    if len(set(program.cnode)) < len(program.cnode):
        raise ValueError("two call paths have the same id")
    index = {region[0]: i for i, region in enumerate(program.regions)}
    if len(index) < len(program.regions):
        raise ValueError("two regions have the same id")
    try:
        region = np.array([index[callee] for callee in program.callee], dtype=np.int64)
    except KeyError as missing:
        raise ValueError(f"a call path calls region {missing}, which is not defined") from None
    return CallTree(np.array(program.parent, dtype=np.int64), region), identifiers


def _regions(regions: Sequence[tuple[str, ...]]) -> RegionTable:
    columns = Region._make(tuple(zip(*regions, strict=True))[: len(Region._fields)])
    origins = list(zip(columns.paradigm, columns.description, strict=True))
    paradigm = {origin: _paradigm(*origin) for origin in set(origins)}
    return RegionTable(
        name=columns.name,
        mangled=tuple([m or name for m, name in zip(columns.mangled, columns.name, strict=True)]),
        paradigm=tuple([paradigm[origin] for origin in origins]),
        file=columns.file,
        line=_numbers(columns.line, "the first line of a region"),
    )


def _paradigm(paradigm: str, description: str) -> str:
    """Return the paradigm, which files of Score-P 1 write into the description."""
    if paradigm:
        return paradigm.strip().lower()
    described = description.strip().lower()
    return described if described.replace("-", "_") in _PARADIGMS else ""


def _locations(anchor: Anchor) -> LocationTable:
    """Return the locations by ascending id: that is the order of the values in a row."""
    if not anchor.locations:
        raise ValueError("it has no locations")
    identifiers = _numbers([location.get("Id", "") for location in anchor.locations], "the Id of a location")
    order = np.argsort(identifiers)
    if np.any(identifiers[order] != np.arange(len(order))):
        raise ValueError("the ids of its locations are not 0, 1, 2, ...")
    group = _numbers([location["group"] for location in anchor.locations], "a location group")[order]
    if group.min() < 0:
        raise ValueError("a location stands outside of a location group")
    runs = np.array([g.get("type", "process") == "process" and "creator" not in g for g in anchor.groups])
    thread = np.array([location.get("type", "thread") in _CPU_TYPES for location in anchor.locations])[order]
    process = _processes(anchor.groups, runs)[group]
    return LocationTable(process, _running_number(process), runs[group] & thread)


_CPU_TYPES = ("thread", "CPU thread", "")


def _processes(groups: Sequence[Record], runs: np.ndarray) -> IntArray:
    """Return the process of each location group: its rank, or for an accelerator that of its creator."""
    rank = np.arange(len(groups))
    given = [group.get("rank", "") for group, own in zip(groups, runs, strict=True) if own]
    if all(text.strip().isdecimal() for text in given) and len(set(given)) == len(given):
        rank[runs] = _numbers(given, "the rank of a process")
    by_name = {groups[i].get("name", ""): rank[i] for i in np.flatnonzero(runs)}
    for i in np.flatnonzero(~runs):
        rank[i] = by_name.get(groups[i].get("creator", ""), -1)
    unknown = rank < 0
    rank[unknown] = rank.max(initial=-1) + 1 + np.arange(int(unknown.sum()))
    return rank


def _running_number(process: IntArray) -> IntArray:
    """Number the locations of each process from 0, in the order they stand in."""
    order = np.argsort(process, kind="stable")
    first = np.searchsorted(process[order], process)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place - first


def _metrics(
    anchor: Anchor, container: Container, tree: CallTree, identifiers: IntArray
) -> tuple[list[Metric], dict[str, StoredMetric], list[str]]:
    """Return the metrics that can be read, how they are stored, and a notice for each that cannot."""
    orders = {
        "EXCLUSIVE": np.arange(len(tree)),
        "INCLUSIVE": wide_order(tree.parent),
        "SIMPLE": np.argsort(identifiers, kind="stable"),
    }
    metrics: list[Metric] = []
    stored: dict[str, StoredMetric] = {}
    notices = []
    for record in anchor.metrics:
        name = record.get("uniq_name") or record.get("disp_name", "")
        number, declared = record.get("id", ""), record.get("type", "").strip().upper()
        present = [f"{number}.{part}" in container.members for part in ("data", "index")]
        kind, content = _KINDS.get(declared), value_type(record.get("dtype", ""), name)
        if kind is None:
            notices.append(f"metric '{name}' skipped: {declared} metrics are computed, not stored")
        elif not any(present):
            continue  # Score-P lists metrics it knows but did not measure
        elif content is None:
            notices.append(f"metric '{name}' skipped: no single number in type {record.get('dtype')}")
        elif not all(present) or name in stored:
            reason = "its data or index is missing" if name not in stored else "its name occurs twice"
            notices.append(f"metric '{name}' skipped: {reason}")
        else:
            stored[name] = StoredMetric(number, content, orders[declared or "EXCLUSIVE"])
            metrics.append(Metric(name, record.get("uom", ""), _EXTREMES.get(name, content.kind or kind)))
    return metrics, stored, notices


def wide_order(parent: IntArray) -> IntArray:
    """Return the enumeration of inclusive metrics, int64[n]: the nodes in the order their rows count.

    A root comes first, then all children of it, then all children of its first child, and so on through
    the tree in preorder (CubeLib's WideSearchEnumerator). Roots follow each other with their whole trees.
    """
    key = np.where(parent < 0, 2 * np.arange(len(parent)), 2 * parent + 1)
    return np.argsort(key, kind="stable")
