"""Databases until 2021: ``experiment.xml`` and a ``*.metric-db`` per thread as a `Profile`.

A ``*.metric-db`` has a header of 32 bytes and then big-endian numbers, one row per node of the document and
one column per metric. Only inclusive values are used: exclusive ones stand on statements and again on the
procedures and loops around them. The sum over statements shows whether both say the same.

In the document, below ``SecCallPathProfileData`` stand procedure frames (``PF``), procedures that the
compiler inlined (``Pr``), loops (``L``), call sites (``C``) and statements (``S``), each with the number of
its values. Numbers stand for the names of procedures and files, which tables before define.
"""

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import ROOT, CallTree
from ingest.errors import InputError, one_line
from ingest.profile import (
    CPU,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
    RegionTable,
    ValuesInMemory,
    require_summable,
)
from ingest.readers.hpctoolkit.profile_db import HOST_TIMES, paradigm_of, split_unit
from ingest.reading.files import head, read_bytes
from ingest.reading.xml_events import XmlAttributes, XmlEvents
from ingest.run_settings import RECONCILED, SAMPLED
from ingest.units import SECONDS

_MAX_DOCUMENT = 1 << 31  # bytes
_MAX_DIGITS = 9
_LOOP, _CALL_SITE, _STATEMENT = "L", "C", "S"
_NODES = frozenset(("PF", "Pr", _LOOP, _CALL_SITE, _STATEMENT))
_DATA = "SecCallPathProfileData"


@dataclass(eq=False, kw_only=True)
class MetricDocument:
    """The content of a document; columns have one entry per node, callers first."""

    # of those with values in ``*.metric-db``, the name as it is written, with its unit and (I) or (E) for
    # inclusive or exclusive values, and the column
    metrics: list[tuple[str, int]] = field(default_factory=list)
    # names by their numbers, for ``File`` and ``Procedure``
    tables: dict[str, dict[str, str]] = field(default_factory=lambda: {"File": {}, "Procedure": {}})
    # what a node is; call sites and procedures without a name are `_CALL_SITE`
    tag: list[str] = field(default_factory=list)
    identifier: list[int] = field(default_factory=list)  # the number of its values, from 1
    parent: list[int] = field(default_factory=list)  # the node that it is in, or `ROOT`
    region: list[tuple[str, str]] = field(default_factory=list)  # name and source file
    line: list[int] = field(default_factory=list)  # source line, 0 if unknown

    def kept(self) -> list[bool]:
        """Return which nodes are call paths: all but call sites, and statements that call nothing."""
        kept = [tag not in (_CALL_SITE, _STATEMENT) for tag in self.tag]
        inside = [False] * len(kept)
        for node in range(len(kept) - 1, -1, -1):
            kept[node] = kept[node] or (inside[node] and self.tag[node] == _STATEMENT)
            if self.parent[node] != ROOT:
                inside[self.parent[node]] |= kept[node] or inside[node]
        return kept


class _Events(XmlEvents):
    who_declares = "HPCToolkit does not"

    def __init__(self) -> None:
        super().__init__()
        self.document = MetricDocument()
        self.inside = False  # of the call tree
        self.open: list[int] = [ROOT]
        self.files: list[str] = [""]  # of the nodes that are open

    def root(self, tag: str, attributes: XmlAttributes) -> None:
        if tag != "HPCToolkitExperiment":
            raise ValueError(f"the document is <{tag[:40]}>, not <HPCToolkitExperiment>")

    def start(self, tag: str, attributes: XmlAttributes) -> None:
        if self.inside and tag in _NODES:
            self.node(tag, attributes)
        elif tag in self.document.tables:
            self.document.tables[tag][attributes.get("i", "")] = attributes.get("n", "")
        elif tag == "MetricDB":
            metrics = self.document.metrics
            column = _number(attributes.get("db-id", str(len(metrics))), "a metric without a column")
            metrics.append((attributes.get("n", ""), column))
        elif tag == _DATA:
            self.inside = True

    def end(self, tag: str) -> None:
        if self.inside and tag in _NODES:
            self.open.pop()
            self.files.pop()
        elif tag == _DATA:
            self.inside = False

    def node(self, tag: str, attributes: XmlAttributes) -> None:
        document = self.document
        line = _number(attributes.get("l", "0").partition("-")[0], "an impossible source line")
        file = self.named("File", attributes["f"]) if "f" in attributes else self.files[-1]
        name = f"{file.rpartition('/')[2]}:{line}"
        if tag in ("PF", "Pr"):
            name = self.named("Procedure", attributes.get("n", ""))
            tag = tag if name or tag == "PF" else _CALL_SITE
        elif tag == _LOOP:
            name = f"Loop@{name}"
        document.tag.append(tag)
        document.identifier.append(_number(attributes.get("i", ""), "a node without a number"))
        document.parent.append(self.open[-1])
        document.region.append((name, file))
        document.line.append(line)
        self.open.append(len(document.tag) - 1)
        self.files.append(file)

    def named(self, table: str, number: str) -> str:
        try:
            return self.document.tables[table][number]
        except KeyError:
            raise ValueError(f"an undefined {table.lower()} ('{number[:20]}')") from None


def _number(text: str, otherwise: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ValueError(otherwise)
    return int(text)


EXPERIMENT = "experiment.xml"
_MAX_BYTES = 1 << 32  # of one metric-db
_MAX_VALUES = 1 << 28
_TIME = "time"
_UNKNOWN_FILE = "<unknown file>"
_BETWEEN = "an experiment.xml without metric-db files, as HPCToolkit wrote between its two formats"
_FIRST_STREAM = 500
"""HPCToolkit numbers the streams of accelerators from 500."""

_HEADER = struct.Struct(">18s5scii")  # tag, version, byte order, number of nodes and of metrics
_FILE = re.compile(r".*-([0-9]{1,6})-([0-9]{1,6})-(\w+)-([0-9]+)-[0-9]\.metric-db", re.DOTALL)
_INCLUSIVE, _EXCLUSIVE = " (I)", " (E)"

Shape: TypeAlias = tuple[int, int]  # number of nodes and of metrics


@dataclass(frozen=True)
class _Thread:
    process: tuple[int, str, int]  # rank, host and number of its process
    thread: int  # its number in the process
    path: Path


@dataclass(frozen=True)
class _Column:
    metric: Metric
    scale: float
    inclusive: int
    exclusive: int  # that of its exclusive values, -1 if there is none


def metric_files(path: Path) -> list[Path]:
    """Return the files with values."""
    return sorted(path.glob("*.metric-db"))


def read(path: Path) -> Profile:
    """Read a database."""
    events = _Events()
    events.read(path / EXPERIMENT, _MAX_DOCUMENT)
    document = events.document
    threads = sorted(map(_thread, metric_files(path)), key=lambda of: (of.process, of.thread, of.path))
    shapes = {_shape(thread.path) for thread in threads}
    if len(shapes) != 1 or not document.identifier:
        sparse = (path / "profile.db").is_file()
        raise InputError(
            _BETWEEN if sparse else "no metric-db files, or they do not match each other", where=str(path)
        )
    ((nodes, metrics),) = shapes
    if not 1 <= min(document.identifier) <= max(document.identifier) <= nodes:
        raise InputError(f"a node that is not one of the {nodes} in the metric-db files", where=str(path))
    columns = _columns(document)
    most = max((column for _, column in document.metrics), default=0)
    if not columns or len(document.metrics) != metrics or most >= metrics:
        raise InputError("no inclusive metric, or not the metrics of the metric-db files", where=str(path))
    return _profile(path, document, threads, columns, (nodes, metrics))


def _thread(file: Path) -> _Thread:
    match = _FILE.fullmatch(file.name)
    if match is None:
        raise _damaged(file)
    rank, thread, host, process = match.groups()
    return _Thread((int(rank), host, int(process)), int(thread), file)


def _shape(file: Path) -> Shape:
    content, size = head(file), file.stat().st_size
    if len(content) >= _HEADER.size:
        *_, order, nodes, metrics = _HEADER.unpack_from(content)
        if order == b"b" and min(nodes, metrics) > 0 and size == _HEADER.size + 8 * nodes * metrics:
            return nodes, metrics
    raise _damaged(file)


def _damaged(file: Path) -> InputError:
    return InputError("damaged, truncated or renamed since hpcprof wrote it", where=str(file))


def _columns(document: MetricDocument) -> list[_Column]:
    """Return the metrics that have inclusive values; of several times the first is the time."""
    exclusive = {name.removesuffix(_EXCLUSIVE): column for name, column in document.metrics}
    columns: dict[str, _Column] = {}
    for written, inclusive in document.metrics:
        text = written.removesuffix(_INCLUSIVE)
        name, unit = split_unit(text)
        if text == written or not name.strip():
            continue
        time = name in HOST_TIMES and unit in SECONDS
        metric = Metric(_TIME if time else name, "s" if time else unit, MetricKind.INCLUSIVE)
        scale = SECONDS[unit] if time else 1.0
        columns.setdefault(metric.name, _Column(metric, scale, inclusive, exclusive.get(text, -1)))
    return list(columns.values())


def _profile(
    path: Path, document: MetricDocument, threads: Sequence[_Thread], columns: Sequence[_Column], shape: Shape
) -> Profile:
    tree, regions, kept = _call_tree(document)
    if len(kept) * len(threads) * len(columns) > _MAX_VALUES:
        what = f"too large for memory: {len(kept)} call paths on {len(threads)} threads"
        raise InputError(what, where=str(path))
    identifier = np.array(document.identifier, dtype=np.int64)
    statements = identifier[[tag == _STATEMENT for tag in document.tag]]
    values = {column.metric.name: np.empty((len(kept), len(threads))) for column in columns}
    on_statements = dict.fromkeys(values, 0.0)
    for location, thread in enumerate(threads):
        content = read_bytes(thread.path, _MAX_BYTES)
        if len(content) != _HEADER.size + 8 * shape[0] * shape[1]:
            raise _damaged(thread.path)
        stored = np.frombuffer(content, ">f8", offset=_HEADER.size).reshape(shape)
        for column in columns:
            name = column.metric.name
            values[name][:, location] = _checked(stored, identifier[kept], column.inclusive, column, thread)
            if column.exclusive >= 0:
                own = _checked(stored, statements, column.exclusive, column, thread)
                on_statements[name] += float(own.sum())
    attributes = {"generator": "HPCToolkit", SAMPLED: "yes"}
    first = next((column for column in columns if column.metric.name == _TIME), columns[0])
    if first.exclusive >= 0:
        total = float(values[first.metric.name][tree.roots].sum())
        attributes[RECONCILED] = _reconciled(first.metric, total, on_statements[first.metric.name])
    others = len(document.tag) - document.tag.count(_CALL_SITE) - len(kept)
    notice = f"{others} statements are counted with the functions and loops they belong to"
    return Profile(
        source=str(path),
        tree=tree,
        regions=regions,
        locations=_locations(threads),
        metrics=tuple(column.metric for column in columns),
        load=ValuesInMemory(tree, values),
        attributes=attributes,
        notices=(notice,) if others else (),
    )


def _call_tree(document: MetricDocument) -> tuple[CallTree, RegionTable, IntArray]:
    """Return the call paths, their regions, which name and file identify, and int64[n], their nodes."""
    marked = np.array(document.kept(), dtype=np.bool_)
    kept = np.flatnonzero(marked)
    above = np.array(document.parent, dtype=np.int64)
    nearest = np.append(CallTree(above, np.zeros_like(above)).nearest(marked), ROOT)[above[kept]]
    number = np.append(np.cumsum(marked) - 1, ROOT)
    lines: dict[tuple[str, str], int] = {}
    for node in kept.tolist():
        lines.setdefault(document.region[node], document.line[node] or -1)
    place = {key: i for i, key in enumerate(lines)}
    names = [name or "<unnamed>" for name, _ in lines]
    places = [("" if file == _UNKNOWN_FILE else file, line) for (_, file), line in lines.items()]
    regions = RegionTable.named(names, map(paradigm_of, names), places)
    region = np.array([place[document.region[node]] for node in kept.tolist()], dtype=np.int64)
    return CallTree(number[nearest], region), regions, kept


def _checked(
    stored: FloatArray, identifier: IntArray, number: int, column: _Column, thread: _Thread
) -> FloatArray:
    """Return the values of nodes in a column, float64[k], in the unit of the metric."""
    values: FloatArray = stored[identifier - 1, number].astype(np.float64)
    require_summable(values, f"'{column.metric.name}'", str(thread.path))
    return values * column.scale


def _reconciled(metric: Metric, total: float, on_statements: float) -> str:
    share = f" = {100 * total / on_statements:.2f} %" if on_statements else ""
    stated = f"{on_statements:.10g} {metric.unit} on statements"
    return one_line(f"{metric.name} {total:.10g} {metric.unit}{share} of the {stated}")


def _locations(threads: Sequence[_Thread]) -> LocationTable:
    number = {key: i for i, key in enumerate(dict.fromkeys(thread.process for thread in threads))}
    process = np.array([number[thread.process] for thread in threads], dtype=np.int64)
    of = np.array([thread.thread for thread in threads], dtype=np.int64)
    return LocationTable(process, of, np.where(of < _FIRST_STREAM, CPU, process))
