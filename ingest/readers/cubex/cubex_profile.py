"""From a `.cubex` file to a `Profile`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.arrays import BoolArray, IntArray, places_in_groups
from ingest.calltree import CallTree
from ingest.errors import InputError, one_line
from ingest.profile import CPU, NOWHERE, LocationTable, Metric, MetricKind, Profile, RegionTable
from ingest.readers import ProfileReader
from ingest.readers.cubex.anchor import Anchor, read_anchor
from ingest.readers.cubex.container import ANCHOR, Container, open_container
from ingest.readers.cubex.cubex_values import CubexMetric, CubexValues
from ingest.readers.cubex.fixed_form import GROUP_TYPE, LOCATION_TYPE, Program, System
from ingest.readers.cubex.stored_rows import value_type
from ingest.reading.packed import plain_name

_OLD_PARADIGMS = frozenset(
    ("compiler", "user", "mpi", "openmp", "omp", "pthread", "cuda", "opencl", "shmem", "measurement")
)
_EXTREMES = {"min_time": MetricKind.MINIMUM, "max_time": MetricKind.MAXIMUM}
_KINDS = {
    "EXCLUSIVE": MetricKind.EXCLUSIVE,
    "INCLUSIVE": MetricKind.INCLUSIVE,
    "SIMPLE": MetricKind.SIMPLE,
    "": MetricKind.EXCLUSIVE,  # Cube 4.0 wrote no type; to CubeLib such metrics are exclusive
}


def matches(path: Path) -> bool:
    """Return whether `path` looks like a file for this reader, by its name."""
    return plain_name(path).suffix == ".cubex" and path.is_file()


def read(path: Path) -> Profile:
    """Read a `.cubex` file (CUBE 4, as written by Score-P, Scalasca and the Cube tools).

    Only the headers of the container and the anchor are read here; values are read on demand.
    """
    container = open_container(path)
    anchor = read_anchor(container.read(ANCHOR), path)
    try:
        return _assemble(container, anchor)
    except ValueError as problem:
        where = f"{path} ({ANCHOR})"
        raise InputError(str(problem), where=where, hint="write the profile again") from None


def _assemble(container: Container, anchor: Anchor) -> Profile:
    if anchor.attributes.get("CLUSTERING", "").strip().upper() == "ON":
        what = "its call tree is clustered (attribute CLUSTERING), so call paths differ between processes"
        hint = "measure again without clustering (SCOREP_PROFILING_ENABLE_CLUSTERING=false)"
        raise InputError(what, where=str(container.path), hint=hint)
    tree = _tree(anchor.program)
    locations = _locations(anchor.system, anchor.nodes)
    metrics, stored, notices = _metrics(anchor, container, tree)
    return Profile(
        source=str(container.path),
        tree=tree,
        regions=_regions(anchor.program.regions),
        locations=locations,
        metrics=tuple(metrics),
        load=CubexValues(container, tree.parent, len(locations), stored),
        attributes=anchor.attributes,
        notices=tuple(map(one_line, notices)),
    )


def _numbers(texts: Sequence[str], what: str) -> IntArray:
    """Convert identifiers and lines to int64."""
    try:
        return np.fromiter(map(int, texts), np.int64, len(texts))
    except (ValueError, OverflowError):
        raise ValueError(f"{what} is not a number") from None


def _tree(program: Program) -> CallTree:
    nodes = len(program.cnode)
    if nodes == 0:
        raise ValueError("it has no call paths")
    if len(set(program.cnode)) < nodes:
        raise ValueError("two call paths have the same id")
    defined = program.regions[0]
    index = dict(zip(defined, range(len(defined)), strict=True))
    if len(index) < len(defined):
        raise ValueError("two regions have the same id")
    try:
        region = np.fromiter(map(index.__getitem__, program.callee), np.int64, nodes)
    except KeyError as missing:
        raise ValueError(f"a call path calls region {missing}, which is not defined") from None
    return CallTree(program.parent, region)


def _regions(columns: Sequence[Sequence[str]]) -> RegionTable:
    _, files, lines, names, mangled, paradigms, descriptions = columns
    if not all(paradigms):
        paradigms = list(map(_paradigm, paradigms, descriptions))
    if not all(mangled):
        mangled = [linker or name for linker, name in zip(mangled, names, strict=True)]
    return RegionTable(
        name=tuple(names),
        mangled=tuple(mangled),
        paradigm=tuple(map(str.lower, paradigms)),
        file=tuple(files),
        line=_numbers(lines, "the first line of a region"),
    )


def _paradigm(paradigm: str, description: str) -> str:
    """Return the paradigm, which is in the description in files of Score-P 1."""
    return paradigm or (description if description.lower() in _OLD_PARADIGMS else "")


def _locations(system: System, nodes: Sequence[str]) -> LocationTable:
    """Return the locations by ascending id, the order of the values in a row."""
    count = len(system.location)
    place = dict(zip(system.location, range(count), strict=True))
    try:
        by_id = np.fromiter(map(place.__getitem__, map(str, range(count))), np.int64, count)
    except KeyError:
        raise ValueError("the ids of its locations are not 0, 1, 2, ...") from None
    group = system.group[by_id]
    if not count or group.min() < 0:
        raise ValueError("it has no locations, or some are outside of a location group")
    runs = _runs(system)
    process = _processes(system, runs)[group]
    node = tuple([nodes[i] for i in group.tolist()]) if nodes else ()
    return LocationTable(process, places_in_groups(process), _devices(system, runs)[by_id], node)


def _devices(system: System, runs: BoolArray) -> IntArray:
    """Return the device of each location, as `LocationTable` has them, in the order of the file.

    Streams that stand within a process, as Score-P wrote them up to version 7, are of one accelerator.
    """
    kinds = np.array(list(map(_kind, system.location_kind)), np.int64)
    accelerator = np.array([kind != "metrics" for kind in system.kind], np.bool_) & ~runs
    threads = (kinds == CPU) & runs[system.group]
    streams = (kinds != NOWHERE) & ~threads & (accelerator[system.group] | (kinds != CPU))
    return np.where(threads, CPU, np.where(streams, system.group, NOWHERE))


def _kind(location: str) -> int:
    """Return `CPU` for a thread, `NOWHERE` for a location of metrics, and 0 for a stream."""
    return CPU if location == LOCATION_TYPE else NOWHERE if location == "metric" else 0


def _runs(system: System) -> BoolArray:
    """Return whether each location group is a process, not an accelerator or a group of metrics."""
    kinds = zip(system.kind, system.creator, strict=True)
    return np.array([kind == GROUP_TYPE and creator is None for kind, creator in kinds], np.bool_)


def _processes(system: System, runs: BoolArray) -> IntArray:
    """Return the process of each location group: its rank, or for an accelerator that of its creator."""
    processes = np.full(len(runs), -1)
    own = np.flatnonzero(runs)
    ranks = [system.rank[i].strip() for i in own.tolist()]
    ranked = all(rank.isdecimal() and len(rank) < 10 for rank in ranks) and len(set(ranks)) == len(ranks)
    processes[own] = list(map(int, ranks)) if ranked else own
    if len(own) < len(runs):
        by_name = {system.name[i]: int(processes[i]) for i in own.tolist()}
        for i in np.flatnonzero(~runs).tolist():
            process = by_name.get(system.creator[i] or "")
            processes[i] = processes.max() + 1 if process is None else process
    return processes


def _metrics(
    anchor: Anchor, container: Container, tree: CallTree
) -> tuple[list[Metric], dict[str, CubexMetric], list[str]]:
    """Return the metrics that can be read, how they are stored, and a notice for each that cannot."""
    kinds = {record.get("type", "").strip().upper() for record in anchor.metrics}
    orders = {kind: _order(kind, tree, anchor.program) for kind in kinds & _KINDS.keys()}
    metrics: list[Metric] = []
    stored: dict[str, CubexMetric] = {}
    notices = []
    for record in anchor.metrics:
        name, number, declared = (record.get(key, "") for key in ("uniq_name", "id", "type"))
        name, declared = " ".join(name.split()), declared.strip().upper()
        dtype = record.get("dtype", "").strip()
        content = value_type(dtype, name)
        members = sum(f"{number}.{part}" in container.members for part in ("data", "index"))
        if "DERIVED" in declared:
            notices.append(f"metric '{name}' skipped: {declared} metrics are computed, not stored")
        elif members == 0:
            continue  # Score-P lists metrics it knows but did not measure
        elif declared not in _KINDS or content is None:
            notices.append(f"metric '{name}' skipped: its {declared} {dtype} values are not single numbers")
        elif members == 1 or name in stored:
            reason = "its data or index is missing" if members == 1 else "its name occurs twice"
            notices.append(f"metric '{name}' skipped: {reason}")
        else:
            stored[name] = CubexMetric(number, content, orders[declared])
            kind = _EXTREMES.get(name, content.kind or _KINDS[declared])
            metrics.append(Metric(name, record.get("uom", ""), kind))
    return metrics, stored, notices


def _order(kind: str, tree: CallTree, program: Program) -> IntArray:
    """Return the enumeration of the call paths that a kind of metric has, int64[n]."""
    if kind == "INCLUSIVE":
        return wide_order(tree.parent)
    if kind == "SIMPLE":
        return np.argsort(_numbers(program.cnode, "the id of a cnode"), kind="stable")
    return np.arange(len(tree))


def wide_order(parent: IntArray) -> IntArray:
    """Return the enumeration of inclusive metrics, int64[n]: the nodes in the order of their rows.

    A root comes first, then all children of it, then all children of its first child, and so on through
    the tree in preorder (CubeLib's WideSearchEnumerator). Roots follow each other with their whole trees.
    """
    key = np.where(parent < 0, 2 * np.arange(len(parent)), 2 * parent + 1)
    return np.argsort(key, kind="stable")


READER = ProfileReader(name="CUBE", pattern="*.cubex", matches=matches, read=read)
