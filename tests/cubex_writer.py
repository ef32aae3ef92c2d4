"""Write small `.cubex` files for tests: every form the format allows, and the defects of real writers.

    write_cubex(path, parent=[-1, 0, 0], metrics=[MetricSpec("time", values)])

makes a valid CUBE 4.4 file with one region a call path and one thread a process. Options turn on what real
files show: big-endian numbers, compressed rows, dense indices, rows out of order or never written, several
roots, inclusive metrics, wrong checksums, the padding bug of Cube's tar writer, gzip around the anchor or the
whole file. `anchor_xml` and `tar_member` give the parts, for tests that damage them.

The enumerations are spelt out node by node here, from the format's description, so that they check the
vectorised ones of the reader.
"""

import gzip
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

NUMPY_TYPES = {
    "DOUBLE": "f8",
    "FLOAT": "f8",
    "MINDOUBLE": "f8",
    "MAXDOUBLE": "f8",
    "INT8": "i1",
    "UINT8": "u1",
    "INT16": "i2",
    "UINT16": "u2",
    "INT32": "i4",
    "UINT32": "u4",
    "INT64": "i8",
    "UINT64": "u8",
    "INTEGER": "i8",
    "UNSIGNED INTEGER": "u8",
}


@dataclass(frozen=True)
class MetricSpec:
    """A metric to write.

    Attributes:
        name: its unique name.
        values: [call path, location], as stored: inclusive ones for an INCLUSIVE metric. A structured array
            is written as it is.
        kind: the ``type`` attribute; None writes none, as CUBE 4.0 did.
        dtype: the ``dtype`` element.
        unit: the ``uom`` element.
        nodes: the call paths whose rows are written, in the order of the file; None is all of them in the
            order of the metric's enumeration.
        stored: False writes neither data nor index.
    """

    name: str
    values: Any
    kind: str | None = "EXCLUSIVE"
    dtype: str = "DOUBLE"
    unit: str = "sec"
    nodes: Sequence[int] | None = None
    stored: bool = True


@dataclass(frozen=True)
class RegionSpec:
    """A region to write; fields that are None are left out, as in files of Score-P 1."""

    name: str
    mangled: str | None = None
    paradigm: str | None = "compiler"
    file: str = ""
    line: int = -1
    description: str = ""
    extra: str = ""


@dataclass(frozen=True)
class GroupSpec:
    """A location group to write: its rank, type, the types of its locations, and who created it."""

    rank: int
    kind: str = "process"
    locations: Sequence[str] = ("thread",)
    creator: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Options:
    """How the file is written: see the module's description."""

    byteorder: str = "<"
    compressed: bool = False
    level: int = 6
    dense: bool = False
    checksum: bool = True
    padding_bug: bool = False
    gzip_anchor: bool = False
    gzip_file: bool = False
    indent: bool = True
    extra_members: Mapping[str, bytes] = field(default_factory=dict)


def write_cubex(
    path: Path,
    *,
    parent: Sequence[int],
    metrics: Sequence[MetricSpec],
    regions: Sequence[str | RegionSpec] | None = None,
    callee: Sequence[int] | None = None,
    groups: Sequence[GroupSpec] | None = None,
    identifiers: Sequence[int] | None = None,
    attributes: Mapping[str, str] | None = None,
    anchor: str | None = None,
    **options: Any,
) -> Path:
    """Write a `.cubex` file.

    Args:
        path: where.
        parent: index of each call path's caller, -1 for roots; in preorder.
        metrics: what to store.
        regions: names or full descriptions; by default one a call path.
        callee: index of each call path's region; by default the call path's own.
        groups: location groups; by default as many processes with one thread as the values have columns.
        identifiers: the ids of the call paths; by default 0, 1, 2...
        attributes: attributes of the document.
        anchor: text to write instead of the anchor made from the above.
        options: fields of `Options`.

    Returns:
        The path.
    """
    form = Options(**options)
    identifiers = list(range(len(parent))) if identifiers is None else identifiers
    if anchor is None:
        columns = np.asarray(metrics[0].values).shape[1] if metrics else 1
        anchor = anchor_xml(
            parent,
            metrics,
            regions or [f"region {i}" for i in range(len(parent))],
            list(range(len(parent))) if callee is None else callee,
            groups or [GroupSpec(rank) for rank in range(columns)],
            identifiers,
            attributes or {},
            indent=form.indent,
        )
    archive = b"".join(tar_member(name, data, form) for name, data in form.extra_members.items())
    for number, metric in enumerate(metrics):
        if metric.stored:
            data, index = metric_members(metric, parent, identifiers, form)
            archive += tar_member(f"{number}.data", data, form) + tar_member(f"{number}.index", index, form)
    text = anchor.encode()
    archive += tar_member("anchor.xml", gzip.compress(text) if form.gzip_anchor else text, form) + bytes(1024)
    path.write_bytes(gzip.compress(archive) if form.gzip_file else archive)
    return path


def write_visited(
    path: Path, parent: Sequence[int], names: Sequence[str], visits: Any, time: Any, **options: Any
) -> Path:
    """Write what Score-P counts by default, with its folder; values are [call path] or [call path, location].

    Regions whose names begin with ``MPI`` are those of MPI, the others are compiler-instrumented.
    """
    regions = [
        RegionSpec(name, f"_Z{i}", "mpi" if name.startswith("MPI") else "compiler")
        for i, name in enumerate(names)
    ]
    counts, seconds = (np.array(values).reshape(len(parent), -1) for values in (visits, time))
    metrics = [MetricSpec("visits", counts, dtype="UINT64", unit="occ"), MetricSpec("time", seconds)]
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_cubex(path, parent=parent, metrics=metrics, regions=regions, **options)


def tar_member(name: str, data: bytes, form: Options | None = None) -> bytes:
    """Return header, data and padding of one member."""
    form = form or Options()
    header = bytearray(512)
    header[: len(name)] = name.encode()
    header[100:107] = b"0000644"
    header[124:135] = b"%011o" % len(data)
    header[136:147] = b"%011o" % 0
    header[148:156] = b" " * 8
    header[156:157] = b"0" if form.checksum else b"\0"
    header[257:265] = b"ustar\x0000"
    header[148:155] = b"%06o\0" % (sum(header) if form.checksum else 1234)
    padding = -len(data) % 512
    if padding == 0 and form.padding_bug:
        padding = 512
    return bytes(header) + data + bytes(padding)


def enumeration(kind: str | None, parent: Sequence[int], identifiers: Sequence[int]) -> list[int]:
    """Return the call paths in the order in which a metric of that kind counts its rows."""
    if kind == "SIMPLE":
        return sorted(range(len(parent)), key=lambda node: identifiers[node])
    if kind != "INCLUSIVE":
        return list(range(len(parent)))
    children: dict[int, list[int]] = {}
    for node, caller in enumerate(parent):
        children.setdefault(caller, []).append(node)
    order: list[int] = []
    for root in children.get(-1, []):
        order.append(root)
        pending = [root]
        while pending:
            below = children.get(pending.pop(), [])
            order += below
            pending += reversed(below)
    return order


def metric_members(
    metric: MetricSpec, parent: Sequence[int], identifiers: Sequence[int], form: Options
) -> tuple[bytes, bytes]:
    """Return the contents of ``N.data`` and ``N.index``."""
    order = enumeration(metric.kind, parent, identifiers)
    place = {node: row for row, node in enumerate(order)}
    nodes = order if metric.nodes is None else list(metric.nodes)
    values = np.asarray(metric.values)
    if values.dtype.names is None:
        values = values.astype(NUMPY_TYPES.get(metric.dtype, "f8"))
    values = values.astype(values.dtype.newbyteorder(form.byteorder))
    rows = {node: values[node].tobytes() for node in nodes}
    if form.dense:
        listed, listing = order, b""
    else:
        listed = nodes
        listing = np.array([len(nodes), *(place[n] for n in nodes)], f"{form.byteorder}u4").tobytes()
    index = b"CUBEX.INDEX" + struct.pack(f"{form.byteorder}IHB", 1, 0, 3 if form.dense else 1) + listing
    if form.compressed:
        return _compressed(rows, listed, form), index
    size = values.dtype.itemsize * values.shape[1]
    last = max((listed.index(node) for node in nodes), default=-1)
    return b"CUBEX.DATA" + b"".join(rows.get(n, bytes(size)) for n in listed[: last + 1]), index


def _compressed(rows: Mapping[int, bytes], listed: Sequence[int], form: Options) -> bytes:
    """Return compressed data; the streams stand in the order of `rows`, which may differ from `listed`."""
    table, streams = [], []
    start, size = 0, len(next(iter(rows.values()), b""))
    slot = {node: i for i, node in enumerate(listed)}
    for node, row in rows.items():
        stream = zlib.compress(row, form.level)
        table += [slot[node] * size, start, len(stream)]
        streams.append(stream)
        start += len(stream)
    table += [0, 0, 0] * (len(listed) - len(rows))
    head = np.array([len(listed), *table], f"{form.byteorder}u8").tobytes()
    return b"ZCUBEX.DATA" + head + b"".join(streams)


def anchor_xml(
    parent: Sequence[int],
    metrics: Sequence[MetricSpec],
    regions: Sequence[str | RegionSpec],
    callee: Sequence[int],
    groups: Sequence[GroupSpec],
    identifiers: Sequence[int],
    attributes: Mapping[str, str],
    *,
    indent: bool = True,
) -> str:
    """Return the anchor as Cube's own writer sets it."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<cube version="4.4">']
    lines += [f"<attr key={quoteattr(k)} value={quoteattr(v)}/>" for k, v in attributes.items()]
    lines += ["<doc>", "<mirrors>", "</mirrors>", "</doc>", "<metrics>"]
    for number, metric in enumerate(metrics):
        kind = "" if metric.kind is None else f' type="{metric.kind}"'
        lines += [
            f'<metric id="{number}"{kind}>',
            f"<disp_name>{escape(metric.name)}</disp_name>",
            f"<uniq_name>{escape(metric.name)}</uniq_name>",
            f"<dtype>{metric.dtype}</dtype>",
            f"<uom>{escape(metric.unit)}</uom>",
            "</metric>",
        ]
    lines += ["</metrics>", "<program>"]
    for number, region in enumerate(regions):
        lines += _region_xml(number, RegionSpec(region) if isinstance(region, str) else region)
    lines += _cnodes_xml(parent, callee, identifiers)
    lines += ["</program>", "<system>", '<systemtreenode Id="0">', "<name>machine</name>"]
    location = 0
    for number, group in enumerate(groups):
        lines += _group_xml(number, group, location)
        location += len(group.locations)
    lines += ["</systemtreenode>", "</system>", "</cube>", ""]
    return ("\n" if indent else "").join(lines)


def _region_xml(number: int, region: RegionSpec) -> list[str]:
    lines = [f'<region id="{number}" mod={quoteattr(region.file)} begin="{region.line}" end="-1">']
    lines.append(f"<name>{escape(region.name)}</name>")
    if region.mangled is not None:
        lines.append(f"<mangled_name>{escape(region.mangled)}</mangled_name>")
    if region.paradigm is not None:
        lines.append(f"<paradigm>{escape(region.paradigm)}</paradigm>")
    lines += ["<url></url>", f"<descr>{escape(region.description)}</descr>", region.extra, "</region>"]
    return lines


def _cnodes_xml(parent: Sequence[int], callee: Sequence[int], identifiers: Sequence[int]) -> list[str]:
    lines: list[str] = []
    callers: list[int] = []
    for node, caller in enumerate(parent):
        while callers and callers[-1] != caller:
            callers.pop()
            lines.append("</cnode>")
        lines.append(f'<cnode id="{identifiers[node]}" calleeId="{callee[node]}">')
        callers.append(node)
    return lines + ["</cnode>"] * len(callers)


def _group_xml(number: int, group: GroupSpec, location: int) -> list[str]:
    name = f"{group.kind} {group.rank}" if group.name is None else group.name
    lines = [f'<locationgroup Id="{number}">', f"<name>{escape(name)}</name>", f"<rank>{group.rank}</rank>"]
    lines.append(f"<type>{group.kind}</type>")
    if group.creator is not None:
        lines.append(f'<attr key="Creating location group" value={quoteattr(group.creator)}/>')
    for rank, kind in enumerate(group.locations):
        lines += [f'<location Id="{location + rank}">', f"<name>{kind} {rank}</name>", f"<rank>{rank}</rank>"]
        lines += [f"<type>{kind}</type>", "</location>"]
    return [*lines, "</locationgroup>"]
