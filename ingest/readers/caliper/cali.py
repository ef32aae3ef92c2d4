"""Caliper's own format (``.cali``): lines that define a tree of annotations, and records that refer to it.

A node is a line such as ``__rec=node,id=29,attr=28,data=solve,parent=27``, a record one such as
``__rec=ctx,ref=29=31,attr=24=94,data=1=2``. Characters with a meaning are escaped by a backslash. The
layout is that of Caliper's own reader (CaliReader.cpp) and of the package caliper-reader, which is slower
and checks nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import methodcaller
from pathlib import Path
from typing import TypeVar

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import ROOT, CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.caliper.caliper_profile import (
    RecordColumn,
    Records,
    assemble,
    parameters_among,
    texts_among,
)
from ingest.reading.files import read_text
from ingest.reading.packed import plain_name

_MAX_DEPTH = 2000  # of a node
_MAX_DIGITS = 19

_T = TypeVar("_T")

_ATTRIBUTE, _TYPE, _PROPERTIES = 8, 9, 10  # attributes that every file has
_BOOTSTRAP = 12  # nodes that every file has without writing them
_NESTED, _HIDDEN = 256, 128  # properties
_UNIT = "attribute.unit"
_NODE_LINE = re.compile(
    r"__rec=node,id=([0-9]{1,18}),attr=([0-9]{1,18}),data=((?:[^,=\\]|\\.)*+)(?:,parent=([0-9]{1,18}))?\s*"
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Attribute:
    """What values mean: its name, whether they are nested to paths, and whether they are hidden."""

    name: str
    nested: bool
    hidden: bool


@dataclass(frozen=True)
class Annotations:
    """What a node and those above it say: a path, and values of attributes that are not nested."""

    node: int
    nested: bool
    values: Mapping[str, str]


@dataclass
class Nodes:
    """The tree of a file as it is read."""

    # id -> attribute, data, parent; parent -1 if there is none
    nodes: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(_BOOTSTRAP), 0))
    attributes: dict[int, Attribute] = field(
        default_factory=lambda: {
            _ATTRIBUTE: Attribute("cali.attribute.name", nested=False, hidden=False),
            _TYPE: Attribute("cali.attribute.type", nested=False, hidden=False),
            _PROPERTIES: Attribute("cali.attribute.prop", nested=False, hidden=False),
        }
    )
    units: dict[str, str] = field(default_factory=dict)
    callpaths: CallTreeBuilder = field(default_factory=CallTreeBuilder)
    # region name -> the attributes that it is a value of
    kinds: dict[str, set[str]] = field(default_factory=dict)
    # id -> what the node says, of those that were asked for
    known: dict[int, Annotations] = field(default_factory=dict)

    def define(self, line: str) -> None:
        """Add the node of a line. It comes once and after its parent, so that no node is its own caller."""
        match = _NODE_LINE.fullmatch(line)
        node, parent = (int(match[1]), int(match[4] or 0)) if match else (-1, -1)
        unknown = node in self.depth or parent not in self.depth
        if match is None or unknown or self.depth[parent] >= _MAX_DEPTH:
            raise ValueError("malformed node")
        self.depth[node] = self.depth[parent] + 1
        data = _plain(match[3])
        self.nodes[node] = int(match[2]), data, int(match[4]) if match[4] else -1
        if self.nodes[node][0] == _ATTRIBUTE:
            self._define_attribute(node, data)

    def _define_attribute(self, node: int, name: str) -> None:
        properties, unit = 0, ""
        place = node
        while place in self.nodes:
            attribute, data, place = self.nodes[place]
            if attribute == _PROPERTIES and not properties:
                properties = int(data) if re.fullmatch(r"[0-9]{1,9}", data) else 0
            elif not unit and attribute in self.attributes and self.attributes[attribute].name == _UNIT:
                unit = data
        self.attributes[node] = Attribute(name, bool(properties & _NESTED), bool(properties & _HIDDEN))
        if unit:
            self.units[name] = unit

    def annotations(self, node: int) -> Annotations:
        """Return what a node says."""
        pending = []
        while node in self.nodes and node not in self.known:
            pending.append(node)
            node = self.nodes[node][2]
        if node < _BOOTSTRAP:
            found = Annotations(ROOT, nested=False, values={})
        else:
            found = _defined(self.known, node, "node")
        for node in reversed(pending):
            found = self.known[node] = self._below(found, *self.nodes[node][:2])
        return found

    def _below(self, above: Annotations, number: int, data: str) -> Annotations:
        attribute = _defined(self.attributes, number, "attribute")
        if attribute.hidden or number < _BOOTSTRAP:
            return above
        if not attribute.nested:
            return Annotations(above.node, above.nested, {**above.values, attribute.name: data})
        name = data or "<unnamed>"
        self.kinds.setdefault(name, set()).add(attribute.name)
        return Annotations(self.callpaths.callee(above.node, name), nested=True, values=above.values)

    def annotated(self, references: str) -> tuple[int, dict[str, str]]:
        """Return the path and the other values of all nodes of ``29=31``; the last of each counts."""
        node, values = ROOT, dict[str, str]()
        for text in filter(None, references.split("=")):
            found = self.annotations(_number(text))
            node = found.node if found.nested else node
            values |= found.values
        return node, values

    def attribute(self, text: str) -> Attribute:
        """Return the attribute of a number."""
        return _defined(self.attributes, _number(text), "attribute")


_BLOCK = 1 << 24  # characters whose lines are split at once

# Lines of records as they usually are, and all others: with escaped characters, of nodes and globals.
_LINE = re.compile(r"^(?:__rec=ctx(?:,ref=([0-9=]*))?,attr=([0-9=]+),data=([^,\\\n]*)|(.*))$", re.MULTILINE)
_RECORD, _NODE, _GLOBALS = "__rec=ctx", "__rec=node", "__rec=globals"
_PART = re.compile(r"(?:[^,\\]|\\.)++")
_VALUE = re.compile(r"(?:^|=)((?:[^=\\]|\\.)*+)")


@dataclass
class _Found:
    """Records as they are read, block by block."""

    nodes: Nodes
    paths: list[IntArray] = field(default_factory=list)  # of the records, int64[k] for each block
    # per attribute, rows and values that were found together
    parts: dict[str, list[tuple[IntArray, Sequence[str]]]] = field(default_factory=dict)
    size: int = 0

    def add(self, references: Sequence[str], attributes: Sequence[str], data: Sequence[str]) -> None:
        """Add records: their nodes and attributes, such as ``29=31``, and values, none of them escaped."""
        paths = np.empty(len(references), dtype=np.int64)
        for text, rows in _alike(references):
            paths[rows], values = self.nodes.annotated(text)
            for name, value in values.items():
                self._put(name, rows, [value] * len(rows))
        for text, rows in _alike(attributes):
            names = [self._name(number) for number in text.split("=")]
            of_rows = [data[row] for row in rows.tolist()]
            if set(map(methodcaller("count", "="), of_rows)) != {len(names) - 1}:
                for row, values in zip(rows, of_rows, strict=True):
                    self._put_one(row, names, values.split("="))
                continue
            flat = "=".join(of_rows).split("=")
            for at, name in enumerate(names):
                self._put(name, rows, flat[at :: len(names)])
        self.paths.append(paths)
        self.size += len(paths)

    def add_line(self, line: str) -> None:
        """Add the record of a line, which may have escaped characters."""
        parts = _parts(line)
        node, values = self.nodes.annotated(parts.get("ref", ""))
        for name, value in values.items():
            self._put(name, np.zeros(1, dtype=np.int64), [value])
        if "attr" in parts and "data" in parts:
            names = [self._name(number) for number in parts["attr"].split("=")]
            self._put_one(0, names, _values(parts["data"]))
        self.paths.append(np.array([node], dtype=np.int64))
        self.size += 1

    def columns(self) -> dict[str, RecordColumn]:
        """Return the values by attribute."""
        return {name: _column(parts) for name, parts in self.parts.items()}

    def _name(self, number: str) -> str:
        attribute = self.nodes.attribute(number)
        return "" if attribute.hidden else attribute.name

    def _put_one(self, row: int, names: Sequence[str], values: Sequence[str]) -> None:
        for name, value in zip(names, values, strict=False):
            self._put(name, np.array([row]), [value])

    def _put(self, name: str, rows: IntArray, values: Sequence[str]) -> None:
        if name:
            self.parts.setdefault(name, []).append((self.size + rows, values))


def _alike(texts: Sequence[str]) -> Iterator[tuple[str, IntArray]]:
    """Yield each different text with the places where it stands, int64[k]."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    kind = np.uint16 if len(numbers) < 1 << 16 else np.int64  # few are sorted without comparing them
    number = np.fromiter(map(numbers.__getitem__, texts), kind, len(texts))
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number)).tolist()
    for text, start, end in zip(numbers, [0, *ends], ends, strict=False):
        yield text, order[start:end]


def _column(parts: Sequence[tuple[IntArray, Sequence[str]]]) -> RecordColumn:
    """Put the values of an attribute in the order of records; the last of several of one record counts."""
    rows = np.concatenate([rows for rows, _ in parts])
    values = list(chain.from_iterable(part for _, part in parts))
    if bool((np.diff(rows) > 0).all()):
        return RecordColumn(rows, values)
    found, last = np.unique(rows[::-1], return_index=True)
    return RecordColumn(found, [values[len(values) - 1 - at] for at in last.tolist()])


def matches(path: Path) -> bool:
    """Return whether a file is called ``.cali``."""
    return plain_name(path).suffix.lower() == ".cali" and path.is_file()


def _read(path: Path) -> Profile:
    """Read a profile: time in seconds on processor and accelerators, visits and hardware counters."""
    return assemble(read_records(path))


def parameters(path: Path) -> Mapping[str, float]:
    """Return the whole numbers among the global values that may be parameters of the run."""
    return parameters_among(read_records(path, with_values=False).globals)


def _texts(path: Path) -> Mapping[str, str]:
    """Return the texts among the global values, which may tell kinds of runs."""
    return texts_among(read_records(path, with_values=False).globals)


def read_records(path: Path, *, with_values: bool = True) -> Records:
    """Read the records of a file."""
    found, globals_ = _Found(Nodes()), dict[str, str]()
    for number, block in _blocks(path):
        references, attributes, data, others = zip(*_LINE.findall(block), strict=True)
        globals_ |= _read_definitions(others, number, found.nodes, path)
        if not with_values:
            continue
        usual = list(map(bool, attributes))
        try:
            found.add(*(list(compress(part, usual)) for part in (references, attributes, data)))
            for line in filter(None, others):
                if line.startswith(_RECORD):
                    found.add_line(line)
        except ValueError as error:
            raise _located(error, block, number, found.nodes, path) from error
    return Records(
        source=str(path),
        callpaths=found.nodes.callpaths,
        kinds=found.nodes.kinds,
        node=np.concatenate([*found.paths, np.zeros(0, dtype=np.int64)]),
        columns=found.columns(),
        globals=globals_,
        units=found.nodes.units,
        unit_expected=True,
    )


def _blocks(path: Path) -> Iterator[tuple[int, str]]:
    """Yield some lines at once, and the number of the first."""
    text = read_text(path, READER.max_bytes)
    if not text.endswith("\n"):
        raise InputError("the last line is incomplete: the file is truncated", where=str(path))
    text = text.replace("\r\n", "\n")
    start, number = 0, 1
    while start < len(text):
        end = text.rfind("\n", start, start + _BLOCK) + 1 or text.find("\n", start) + 1
        yield number, text[start : end - 1]
        number += text.count("\n", start, end)
        start = end


def _read_definitions(lines: Sequence[str], first: int, nodes: Nodes, path: Path) -> dict[str, str]:
    """Add nodes, and return global values; lines of records and empty ones are passed over."""
    globals_: dict[str, str] = {}
    for number, line in [numbered for numbered in enumerate(lines, start=first) if numbered[1]]:
        try:
            if line.startswith(_NODE):
                nodes.define(line)
            elif line.startswith(_GLOBALS):
                globals_ = _globals(line, nodes)
            elif not line.isspace() and not line.startswith("__rec="):
                raise ValueError("not a Caliper record")
        except ValueError as error:
            raise InputError(f"line {number}: {error}", where=str(path)) from error
    return globals_


def _located(error: ValueError, block: str, first: int, nodes: Nodes, path: Path) -> InputError:
    """Return the error of the first record that is damaged."""
    for number, line in enumerate(block.split("\n"), start=first):
        if line.startswith(_RECORD):
            try:
                _Found(nodes).add_line(line)
            except ValueError as found:
                return InputError(f"line {number}: {found}", where=str(path))
    return InputError(str(error), where=str(path))


def _globals(line: str, nodes: Nodes) -> dict[str, str]:
    parts = _parts(line)
    found = nodes.annotated(parts.get("ref", ""))[1]
    numbers = filter(None, parts.get("attr", "").split("="))
    values = zip(numbers, _values(parts.get("data", "")), strict=False)
    return found | {nodes.attribute(number).name: value for number, value in values}


def _parts(line: str) -> dict[str, str]:
    """Split a line at its commas; characters stay escaped."""
    line = line.strip()
    parts = line.split(",")
    if "\\" in line:
        parts = _PART.findall(line)
        if ",".join(parts) != line:
            raise ValueError("damaged: a backslash at its end, or nothing between two commas")
    return dict(part.partition("=")[::2] for part in parts)


def _values(text: str) -> list[str]:
    return list(map(_plain, _VALUE.findall(text))) if "\\" in text else text.split("=")


READER = ProfileReader(
    name="Caliper",
    pattern="*.cali",
    matches=matches,
    read=_read,
    parameters=parameters,
    texts=_texts,
    max_bytes=1 << 28,
)


# The tree of a ``.cali`` file: attributes, and annotations as its nodes.
#
# A node whose attribute is 8 is an attribute itself, with its type, properties and unit in the nodes above
# it. The annotations of a record are its nodes and those above them; those whose attribute is nested are its
# path.


def _plain(text: str) -> str:
    r"""Return a text as it was before characters were escaped; ``\n`` is the end of a line."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text) if "\\" in text else text


def _number(text: str) -> int:
    """Return the number of a node."""
    if not (text.isdecimal() and len(text) < _MAX_DIGITS):
        raise ValueError(f"damaged: '{text[:30]}' is not the number of a node")
    return int(text)


def _defined(known: Mapping[int, _T], number: int, what: str) -> _T:
    """Return what has a number."""
    if number not in known:
        raise ValueError(f"damaged: {what} {number} is not defined")
    return known[number]
