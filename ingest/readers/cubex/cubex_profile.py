"""From a `.cubex` file to a `Profile`."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, distinct, places_in_groups
from ingest.calltree import CallTree, subtract_callees
from ingest.errors import InputError, one_line
from ingest.profile import (
    CPU,
    LARGEST,
    NODE,
    NODES,
    NOWHERE,
    SYSTEM_CORES,
    SYSTEM_MACHINE,
    Block,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
)
from ingest.readers import ProfileReader
from ingest.readers.cubex.fixed_form import (
    CREATOR,
    GROUP_TYPE,
    LOCATION_TYPE,
    REGION_FIELDS,
    Program,
    System,
    numbers_of,
    take_program,
    take_system,
)
from ingest.readers.cubex.stored_rows import (
    ANCHOR,
    Container,
    Stored,
    StoredRows,
    ValueType,
    find_rows,
    open_container,
    read_index,
    value_type,
)
from ingest.reading.packed import plain_name, unpack
from ingest.reading.xml_events import XmlEvents

_BLOCK_BYTES = 1 << 18  # a block stays in the cache while it is inflated, checked and placed
_MAX_BYTES = 1 << 34
_MAX_NAME = 120  # characters of a name in messages


@dataclass(frozen=True, eq=False)
class CubexMetric:
    """How a metric is stored."""

    number: str  # the N of ``N.data`` and ``N.index``
    type: ValueType
    # int64[n], the metric's enumeration of the call paths: row r belongs to node ``order[r]``
    order: IntArray


Record = dict[str, str]

_ROOT = "cube"
_MAX_QUOTED = 120  # characters of an error, which may quote the file
_NOTHING: frozenset[str] = frozenset()
_TREE_NODE = re.compile(
    rb"<systemtreenode [^<>]*>\s*<name>([^<]*)</name>\s*<class>(machine|node|core)</class>", re.IGNORECASE
)
_PLACE = re.compile(rb"<(/?)systemtreenode\b[^<>]*>(?:\s*<name>([^<]*)</name>\s*<class>([^<]*)</class>)?")
_TEXTS = {  # the elements whose texts are wanted, by the element that contains them
    "metric": frozenset(("uniq_name", "dtype", "uom")),
    "region": frozenset(("name", "mangled_name", "paradigm", "descr")),
    "systemtreenode": _NOTHING,
    "locationgroup": frozenset(("name", "rank", "type")),
    "location": frozenset(("type",)),
}


@dataclass(frozen=True)
class Anchor:
    """The content of an anchor, as written: records hold attributes and texts of child elements by name."""

    program: Program  # regions and call paths
    system: System  # location groups and locations
    # the ``attr`` elements of the document itself, and the machine as its system tree has it
    attributes: Record
    metrics: list[Record]  # the metrics, parents before children
    # the name of the node of each location group; empty if the system tree does not have them
    nodes: tuple[str, ...] = ()


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
    anchor = _read_anchor(container.read(ANCHOR), path)
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
    tree = anchor.program.tree
    locations = _locations(anchor.system, anchor.nodes)
    metrics, stored, notices = _metrics(anchor, container, tree)
    return Profile(
        source=str(container.path),
        tree=tree,
        regions=anchor.program.table,
        locations=locations,
        metrics=tuple(metrics),
        load=CubexValues(container, tree.parent, len(locations), stored),
        attributes=anchor.attributes,
        notices=tuple(map(one_line, notices)),
    )


def _locations(system: System, nodes: Sequence[str]) -> LocationTable:
    count = len(system.location)
    place = dict(zip(system.location, range(count), strict=True))
    try:
        by_id = np.fromiter(map(place.__getitem__, map(str, range(count))), np.int64, count)
    except KeyError:
        raise ValueError("the ids of its locations are not 0, 1, 2, ...") from None
    group = system.group[by_id]
    if not count or group.min() < 0:
        raise ValueError("it has no locations, or some are outside of a location group")
    kinds = zip(system.kind, system.creator, strict=True)
    runs = np.array([kind == GROUP_TYPE and creator is None for kind, creator in kinds], np.bool_)
    process = _processes(system, runs)[group]
    node = tuple([nodes[i] for i in group.tolist()]) if nodes else ()
    return LocationTable(process, places_in_groups(process), _devices(system, runs)[by_id], node)


def _devices(system: System, runs: BoolArray) -> IntArray:
    """Return the device of each location, as `LocationTable` has them, in the order of the file.

    Streams that stand within a process, as Score-P wrote them up to version 7, are of one accelerator.
    """
    devices = {LOCATION_TYPE: CPU, "metric": NOWHERE}  # others are streams
    kinds = np.array([devices.get(kind, 0) for kind in system.location_kind], np.int64)
    accelerator = np.array([kind != "metrics" for kind in system.kind], np.bool_) & ~runs
    threads = (kinds == CPU) & runs[system.group]
    streams = (kinds != NOWHERE) & ~threads & (accelerator[system.group] | (kinds != CPU))
    return np.where(threads, CPU, np.where(streams, system.group, NOWHERE))


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
        # A root comes first, then all children of it, then all children of its first child, and so on
        # through the tree in preorder (CubeLib's WideSearchEnumerator). Roots follow with their whole trees.
        nodes, parent = np.arange(len(tree)), tree.parent
        return np.argsort(np.where(parent < 0, 2 * nodes, 2 * parent + 1), kind="stable")
    if kind == "SIMPLE":
        return np.argsort(numbers_of(program.cnode, "the id of a cnode"), kind="stable")
    return np.arange(len(tree))


READER = ProfileReader(name="CUBE", pattern="*.cubex", matches=matches, read=read)


# `anchor.xml`: the metrics, regions, call tree and locations of a profile.
#


def _read_anchor(data: bytes, path: Path) -> Anchor:
    """Parse an anchor, which may be gzip-compressed."""
    where = f"{path} (anchor.xml)"
    document = unpack(data, where=where)
    hint = "write the profile again"
    try:
        anchor = parse_anchor(document)
        attributes = {**anchor.attributes, **_machine(document)}
        nodes = _nodes(document)
        return replace(
            anchor, attributes=attributes, nodes=nodes if len(nodes) == len(anchor.system.rank) else ()
        )
    except expat.ExpatError as problem:
        raise InputError(f"damaged XML ({problem})", where=where, hint=hint) from None
    except (ValueError, LookupError) as problem:  # LookupError: an unknown encoding
        raise InputError(str(problem)[:_MAX_QUOTED], where=where, hint=hint) from None


def _machine(document: bytes) -> Record:
    """Return machine, first node, and numbers of nodes and cores, as far as the system tree has them."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for name, kind in _TREE_NODE.findall(document, document.rfind(b"<system>")):
        level = kind.decode().lower()
        names.setdefault(level, unescape(name.decode(errors="replace")).removeprefix(f"{level} "))
        counts[level] += 1
    found = {SYSTEM_MACHINE: names.get("machine", ""), NODE: names.get("node", "")}
    found |= {NODES: str(counts["node"]), SYSTEM_CORES: str(counts["core"])}
    return {key: value for key, value in found.items() if value not in ("", "0")}


def _nodes(document: bytes) -> tuple[str, ...]:
    """Return the name of the node that each location group lies in; empty if one lies in none."""
    found: list[str] = []
    inside = [""]  # the node around each system tree node that is open
    last = max(document.rfind(b"<system>"), 0)
    for place in _system_tree_nodes(document, last):
        found += [inside[-1]] * document.count(b"<locationgroup", last, place.start())
        last = place.start()
        closes, name, kind = place.groups()
        if closes:
            del inside[max(len(inside) - 1, 1) :]
        elif kind and kind.strip().lower() == b"node":
            inside.append(unescape(name.decode(errors="replace")).removeprefix("node "))
        else:
            inside.append(inside[-1])
    return tuple(found) if all(found) else ()


def _system_tree_nodes(document: bytes, begin: int) -> Iterator[re.Match[bytes]]:
    """Yield the tags of nodes of the system tree: looking for their name first is faster."""
    while (found := document.find(b"systemtreenode", begin)) >= 0:
        tag = _PLACE.match(document, document.rfind(b"<", begin, found))
        begin = found + 1
        if tag:
            yield tag
            begin = tag.end()


def parse_anchor(document: bytes) -> Anchor:
    """Parse the text of an anchor."""
    taken = take_program(document)
    if taken is None:
        return _Events().parse(document)
    program, first, last = taken
    system, begin, end = take_system(document, last) or (None, last, last)
    rest = _Events().parse(document[:first], document[last:begin], document[end:])
    twice = system is not None and (rest.system.name or rest.system.location)
    if twice or rest.program.cnode or any(rest.program.regions):
        return _Events().parse(document)
    return replace(rest, program=program, system=system or rest.system)


class _Events(XmlEvents):
    who_declares = "no Cube writer does"

    def __init__(self) -> None:
        super().__init__()
        self.attributes: Record = {}
        self.metrics: list[Record] = []
        self.groups: list[Record] = []
        self.locations: list[Record] = []
        self.group: list[int] = []  # of each location
        self.regions: list[Record] = []
        self.cnode: list[str] = []
        self.callee: list[str] = []
        self.parent: list[int] = []
        self.lists = {"metric": self.metrics, "region": self.regions, "locationgroup": self.groups}
        self.open: list[tuple[Record, frozenset[str]]] = []
        self.record: Record = {}
        self.wanted = _NOTHING
        self.callers: list[int] = [-1]
        self.programs = 0  # that are open
        self.text: list[str] = []

    def parse(self, *parts: bytes) -> Anchor:
        for part in parts:
            self.parser.Parse(part)
        self.parser.Parse(b"", True)
        del self.parser  # it holds our handlers and we hold it: memory would wait for the garbage collector
        regions = [tuple([region.get(name, "") for region in self.regions]) for name in REGION_FIELDS]
        program = Program(regions, self.cnode, self.callee, np.array(self.parent, np.int64))
        return Anchor(program, self.system(), self.attributes, self.metrics)

    def system(self) -> System:
        groups, locations = self.groups, self.locations
        return System(
            rank=[group.get("rank", "") for group in groups],
            name=[group.get("name", "") for group in groups],
            kind=[group.get("type", GROUP_TYPE) for group in groups],
            creator=[group.get("creator") for group in groups],
            location=[location.get("Id", "") for location in locations],
            location_kind=[location.get("type", LOCATION_TYPE) for location in locations],
            group=np.array(self.group, np.int64),
        )

    def root(self, tag: str, attributes: Record) -> None:
        if tag != _ROOT:
            raise ValueError(f"the document is <{tag[:40]}>, not <{_ROOT}>")

    def start(self, tag: str, attributes: Record) -> None:
        if tag in self.wanted:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append
        elif tag == "cnode":
            if not self.programs:
                raise ValueError("a <cnode> stands outside <program>")
            self.parent.append(self.callers[-1])
            self.callers.append(len(self.cnode))
            self.cnode.append(attributes.get("id", ""))
            self.callee.append(attributes.get("calleeId", ""))
        elif tag in _TEXTS:
            self.begin(tag, attributes)
        elif tag == "attr":
            self.attribute(attributes)
        elif tag == "program":
            self.programs += 1

    def end(self, tag: str) -> None:
        if tag in self.wanted:
            self.parser.CharacterDataHandler = None
            self.record.setdefault(tag, "".join(self.text))
        elif tag == "cnode":
            self.callers.pop()
        elif tag in _TEXTS:
            self.record, self.wanted = self.open.pop()
        elif tag == "program":
            self.programs -= 1

    def begin(self, tag: str, attributes: Record) -> None:
        self.open.append((self.record, self.wanted))
        self.record, self.wanted = attributes, _TEXTS[tag]
        if tag == "location":
            self.group.append(len(self.groups) - 1)
            self.locations.append(attributes)
        elif tag in self.lists:
            self.lists[tag].append(attributes)

    def attribute(self, attributes: Record) -> None:
        key, value = attributes.get("key", ""), attributes.get("value", "")
        if not self.open and len(self.callers) == 1:
            self.attributes[key] = value
        elif self.open and key == CREATOR:
            self.record["creator"] = value


@dataclass(frozen=True, eq=False)
class CubexValues:
    """Reads the values of a `.cubex` file on demand: the `ValueLoader` of this format."""

    container: Container
    parent: IntArray  # int64[n], the callers of the call paths, -1 for roots
    locations: int
    stored: Mapping[str, CubexMetric] = field(repr=False)  # how each metric is stored, by name

    def __call__(self, metric: Metric) -> FloatArray:
        """Return the stored values of a metric, float64[n, L]; rows never written are zero."""
        shape = (len(self.parent), self.locations)
        if 8 * shape[0] * shape[1] > _MAX_BYTES:
            what = f"{shape[0]} call paths x {shape[1]} locations are too large for memory"
            raise InputError(
                what, where=self._where(metric), hint="cut it with cube_part, or reduce it in blocks"
            )
        values = np.zeros(shape)
        for nodes, block in self.blocks(metric, len(self.parent)):
            values[nodes] = block
        return values

    def blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield the stored values, at most `rows` rows at once: int64[k], call paths, and float64[k, L]."""
        listed, found = self._find(metric)
        nodes = self.stored[metric.name].order[listed]
        for number, values in self._numbers(metric, found, rows):
            yield nodes[number], values

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield exclusive values of an exclusive or inclusive metric, reading at most `rows` rows at once.

        An inclusive metric takes memory for the rows of call paths whose callees are still to come, a few per
        level of the tree, in addition to the `rows` rows of a block.
        """
        if metric.kind is not MetricKind.INCLUSIVE:
            yield from self.blocks(metric, rows)
            return
        listed, found = self._find(metric)
        found = found.ordered_by(listed[found.number])
        order = self.stored[metric.name].order
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        caller = np.where(self.parent[order] < 0, -1, place[self.parent[order]])
        inclusive = ((listed[number], values) for number, values in self._numbers(metric, found, rows))
        for places, values in _stream_exclusive(caller, listed[found.number], self.locations, inclusive):
            yield order[places], values

    def _find(self, metric: Metric) -> tuple[IntArray, StoredRows]:
        """Return the places listed in the metric's enumeration, and where the rows of those places are."""
        stored = self.stored[metric.name]
        listing, body = self.container.views(f"{stored.number}.index", f"{stored.number}.data")
        try:
            order, listed = read_index(listing, len(self.parent))
        except ValueError as damage:
            raise self._damaged(metric, "index", damage) from damage
        try:
            return listed, find_rows(body, order, stored.type.layout, self.locations, len(listed))
        except ValueError as damage:
            raise self._damaged(metric, "data", damage) from damage

    def _numbers(self, metric: Metric, found: StoredRows, rows: int) -> Iterator[Block]:
        """Yield the numbers of rows and their values as float64."""
        scalar = self.stored[metric.name].type.scalar
        rows = max(1, min(rows, _BLOCK_BYTES // (8 * self.locations)))
        try:
            for number, values in found.blocks(rows):
                yield number, _checked_numbers(scalar(values), metric)
        except ValueError as damage:
            raise self._damaged(metric, "data", damage) from damage

    def _damaged(self, metric: Metric, part: str, damage: ValueError) -> InputError:
        what = f"{self.stored[metric.name].number}.{part}: {damage}"
        return InputError(what, where=self._where(metric), hint="copy or write the profile again")

    def _where(self, metric: Metric) -> str:
        return f"{self.container.path} (metric '{metric.name[:_MAX_NAME]}')"


def _checked_numbers(values: Stored, metric: Metric) -> FloatArray:
    """Convert to float64; refuse values that would spoil every sum they go into."""
    numbers: FloatArray = values.astype(np.float64)
    checked = metric.kind.additive and values.dtype.kind == "f"
    if checked and not (numbers.min() > -LARGEST and numbers.max() < LARGEST):
        raise ValueError("a value is not a finite number")
    return numbers


def _stream_exclusive(
    caller: IntArray, stored: IntArray, locations: int, blocks: Iterator[Block]
) -> Iterator[Block]:
    """Turn blocks of inclusive rows, int64[b] and their values, float64[b, L], into exclusive ones.

    A row is kept until its last callee has come. Cube's enumeration of inclusive metrics lists all callees of
    a call path together, so these are the call paths between the root and the current one, and their siblings
    that call others. `caller` is int64[n], that of each row, negative for roots; rows come after their
    callers'. Of those `stored`, int64[k], ascending, some will come; all others are zero.
    """
    last = np.full(len(caller) + 1, -1)  # the last callee of each row; the last entry is that of the roots
    last[caller[stored]] = stored
    pool = _Pool(len(caller), locations)
    held = np.zeros(0, dtype=np.int64)
    for rows, values in blocks:
        callers = caller[rows]
        inner = last[rows] >= 0
        pool.hold(rows[inner], values[inner])
        unwritten = callers[(pool.slot[callers] < 0) & (callers >= 0)]
        if len(unwritten):
            unwritten = distinct(unwritten)
            pool.hold(unwritten, np.zeros((len(unwritten), locations)))
        subtract_callees(values, np.where(callers < 0, -1, pool.slot[callers]), pool.values)
        held = np.concatenate([held, rows, unwritten])
        done = last[held] <= rows[-1]
        finished, held = held[done], held[~done]
        yield finished, pool.release(finished, values[~inner])


class _Pool:
    """Rows kept until their last callee has come, in slots that are reused."""

    def __init__(self, rows: int, locations: int) -> None:
        self.slot: IntArray = np.full(rows + 1, -1)  # where a row is kept, -1 if it is not
        self.values: FloatArray = np.empty((0, locations))  # by slot
        self._free: IntArray = np.zeros(0, dtype=np.int64)

    def hold(self, rows: IntArray, values: FloatArray) -> None:
        """Keep rows, int64[k], and their values, float64[k, L]."""
        missing = len(rows) - len(self._free)
        if missing > 0:
            size = len(self.values)
            more = np.empty((max(missing, size), values.shape[1]))
            self.values = np.concatenate([self.values, more])
            self._free = np.concatenate([self._free, np.arange(size, len(self.values))])
        slots, self._free = self._free[: len(rows)], self._free[len(rows) :]
        self.slot[rows] = slots
        self.values[slots] = values

    def release(self, rows: IntArray, others: FloatArray) -> FloatArray:
        """Return the values of rows, float64[k, L]; `others` has the values of those not kept, in order."""
        slots = self.slot[rows]
        held = slots >= 0
        released = np.empty((len(rows), others.shape[1]))
        released[held], released[~held] = self.values[slots[held]], others
        self._free = np.concatenate([slots[held], self._free])
        self.slot[rows] = -1
        return released
