"""Caliper's own format (``.cali``), and its JSON (``json-split``).

The first has lines that define a tree of annotations, and records that refer to it. A node is a line such as
``__rec=node,id=29,attr=28,data=solve,parent=27``, a record one such as
``__rec=ctx,ref=29=31,attr=24=94,data=1=2``. Characters with a meaning are escaped by a backslash. The layout
is that of Caliper's own reader (CaliReader.cpp) and of the package caliper-reader, which is slower and checks
nothing.

JSON is one object with rows of values and the nodes of a tree. ``columns`` names the entries of each row of
``data``; ``column_metadata`` has their units and whether an entry is a value or the number of one of
``nodes``, each with a label and the number of its parent. ``path`` are all nested annotations, null outside
of them. Other keys of the object are global values that describe the run. The layout is that of Caliper's
JsonSplitFormatter.cpp.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, compress
from operator import methodcaller
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import ROOT, CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.readers.caliper.caliper_profile import (
    KERNEL_ATTRIBUTES,
    KINDS,
    RecordColumn,
    Records,
    Value,
    assemble,
    parameters_among,
    texts_among,
)
from ingest.reading.files import head, mapped, read_text, writable
from ingest.reading.json_values import load_json
from ingest.reading.packed import plain_name

_MAX_BYTES = 1 << 28
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


def parameters(path: Path) -> Mapping[str, float]:
    """Return the whole numbers among the global values that may be parameters of the run."""
    return parameters_among(read_records(path, with_values=False).globals)


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
    text = read_text(path, _MAX_BYTES)
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


# The tree of a ``.cali`` file: attributes, and annotations as its nodes.
#
# A node whose attribute is 8 is an attribute itself, with its type, properties and unit in the nodes above
# it. The annotations of a record are its nodes and those above them; those whose attribute is nested are its
# path.


def _plain(text: str) -> str:
    r"""Return a text as it was before characters were escaped; ``\n`` is the end of a line."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text) if "\\" in text else text


def _number(text: str) -> int:
    if not (text.isdecimal() and len(text) < _MAX_DIGITS):
        raise ValueError(f"damaged: '{text[:30]}' is not the number of a node")
    return int(text)


def _defined(known: Mapping[int, _T], number: int, what: str) -> _T:
    if number not in known:
        raise ValueError(f"damaged: {what} {number} is not defined")
    return known[number]


_HEAD_BYTES = 256
_KEYS = ("columns", "column_metadata", "data", "nodes")
_FIRST_KEY = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:')
_PATHS = ("path", "source.function#callpath.address")  # columns of nodes that are call paths, by preference
_NO_PATHS = frozenset((*KINDS, *KERNEL_ATTRIBUTES))


def matches_json(path: Path) -> bool:
    """Return whether a file is a JSON object with the four keys, which may stand behind all of its values."""
    if not _FIRST_KEY.match(head(path, _HEAD_BYTES)):
        return False
    try:
        with mapped(path, _MAX_BYTES) as content:
            found = content.rfind(b'"column_metadata"') >= 0
            return found and all(content.find(f'"{key}"'.encode()) >= 0 for key in _KEYS)
    except (InputError, OSError, ValueError):
        return False


def read_json_split(path: Path) -> Profile:
    """Read a profile: time in seconds on processor and accelerators, visits and hardware counters."""
    content = _content(path)
    try:
        records = _json_records(content, str(path))
    except ValueError as error:
        raise InputError(str(error), where=str(path), hint="is the file truncated?") from error
    return assemble(records)


def _content(path: Path) -> Mapping[str, object]:
    return _object(read_text(path, _MAX_BYTES), path)


def _object(text: str, path: Path) -> Mapping[str, object]:
    content = load_json(text, str(path))
    missing = [
        key for key in _KEYS if not isinstance(content, dict) or not isinstance(content.get(key), list)
    ]
    if missing:
        raise InputError(f"it has no list '{missing[0]}'", where=str(path))
    return dict(content)


_ROWS = re.compile(r'("data"\s*:\s*\[)[^"]*(\]\s*,\s*")')  # of numbers alone, up to the next key


def _globals_of(path: Path) -> dict[str, str]:
    """Return the global values of a file; its rows, which are nearly all of it, are passed over."""
    return _json_globals(_object(_ROWS.sub(r"\1\2", read_text(path, _MAX_BYTES), count=1), path))


def _json_globals(content: Mapping[str, object]) -> dict[str, str]:
    return {
        _text(key): _text(value)
        for key, value in content.items()
        if key not in _KEYS and isinstance(value, (str, int, float))
    }


def _json_records(content: Mapping[str, object], source: str) -> Records:
    names = [_text(name) for name in _list(content["columns"])]
    metadata = [entry if isinstance(entry, dict) else {} for entry in _list(content["column_metadata"])]
    if len(set(names)) != len(names) or len(metadata) != len(names):
        raise ValueError(f"{len(names)} columns, some of the same name or without metadata")
    rows = _list(content["data"])
    entries = _entries(rows, len(names))
    of_nodes = [name for name, about in zip(names, metadata, strict=True) if about.get("is_value") is False]
    path = next((name for name in (*_PATHS, *of_nodes) if name in of_nodes and name not in _NO_PATHS), "")
    labels, parents, column_of = _nodes(_list(content["nodes"]))
    node, kinds = np.full(len(rows), ROOT, dtype=np.int64), dict[str, set[str]]()
    columns, callpaths = dict[str, RecordColumn](), CallTreeBuilder()
    for name, values in zip(names, entries, strict=False):
        column = _json_column(values)
        numbers = _numbers_of_nodes(column.values, len(labels)) if name in of_nodes else None
        if numbers is None:
            columns[name] = column
        elif name != path:
            columns[name] = RecordColumn(column.rows, [labels[number] for number in numbers.tolist()])
        else:
            places, used = _callpaths(numbers, labels, parents, callpaths)
            node[column.rows] = places[numbers]
            for label, owner in {(labels[number], column_of[number]) for number in used}:
                kinds.setdefault(label, set()).add(_kind(label) if owner == path else owner)
    units = [_text(about.get("attribute.unit", "")) for about in metadata]
    return Records(
        source=source,
        callpaths=callpaths,
        kinds=kinds,
        node=node,
        columns=columns,
        globals=_json_globals(content),
        units=dict(zip(names, units, strict=True)),
        unit_expected=False,
    )


def _entries(rows: Sequence[object], columns: int) -> list[tuple[object, ...]]:
    """Return the entries of each column; none if there are no rows."""
    lists = cast("Sequence[list[object]]", rows)
    if not (set(map(type, rows)) <= {list} and set(map(len, lists)) <= {columns}):
        wrong = (
            at for at, row in enumerate(rows, start=1) if not isinstance(row, list) or len(row) != columns
        )
        raise ValueError(f"row {next(wrong)} does not have {columns} entries")
    return list(zip(*lists, strict=True))


def _nodes(nodes: Sequence[object]) -> tuple[list[str], list[int], list[str]]:
    labels, parents, columns, depth = list[str](), list[int](), list[str](), list[int]()
    for number, entry in enumerate(nodes):
        about = entry if isinstance(entry, dict) else {}
        parent = about.get("parent", ROOT)
        if "label" not in about or not isinstance(parent, int) or not ROOT <= parent < number:
            raise ValueError(f"node {number} has no label, or a parent that does not stand before it")
        depth.append(depth[parent] + 1 if parent >= 0 else 1)
        if depth[-1] > _MAX_DEPTH:
            raise ValueError(f"node {number} lies more than {_MAX_DEPTH} deep")
        labels.append(_text(about["label"]) or "<unnamed>")
        parents.append(int(parent))
        columns.append(_text(about.get("column", "")))
    return labels, parents, columns


def _callpaths(
    numbers: IntArray, labels: Sequence[str], parents: Sequence[int], callpaths: CallTreeBuilder
) -> tuple[IntArray, list[int]]:
    """Add the call paths of nodes that are used, and of those above them.

    Returned is int64[node], the call path of each, `ROOT` of unused ones; and which are used, ascending.
    """
    used = np.zeros(len(parents), dtype=np.bool_)
    used[numbers] = True
    for number in range(len(parents) - 1, -1, -1):
        if used[number] and parents[number] != ROOT:
            used[parents[number]] = True
    places = np.full(len(parents) + 1, ROOT, dtype=np.int64)  # the last is that of `ROOT`
    found = np.flatnonzero(used).tolist()
    for number in found:
        places[number] = callpaths.callee(int(places[parents[number]]), labels[number])
    return places, found


@lru_cache(maxsize=1 << 14)  # the same of all runs
def _kind(label: str) -> str:
    """Return the attribute of a nested annotation, which the format does not state, by its name."""
    if label.startswith("MPI_"):
        return "mpi.function"
    call = re.fullmatch(r"(cuda|cu|hip)[A-Z]\w*", label)
    return {"cuda": "cupti.runtimeAPI", "cu": "cupti.driverAPI", "hip": "rocm.api"}[call[1]] if call else ""


def _json_column(values: Sequence[object]) -> RecordColumn:
    kinds = set(map(type, values))
    if wrong := kinds - {str, int, float, bool, type(None)}:
        value = next(value for value in values if type(value) in wrong)
        raise ValueError(f"an entry that is neither a number nor a text: {str(value)[:30]}")
    if type(None) not in kinds:
        return RecordColumn(np.arange(len(values)), cast("Sequence[Value]", values))
    rows = [row for row, value in enumerate(values) if value is not None]
    found = [value for value in values if isinstance(value, (str, int, float))]
    return RecordColumn(np.array(rows, dtype=np.int64), found)


def _numbers_of_nodes(values: Sequence[Value], nodes: int) -> IntArray:
    """Return entries that are numbers of nodes, int64[k]."""
    if not set(map(type, values)) <= {int}:
        wrong = next(value for value in values if type(value) is not int)
        raise ValueError(f"{str(wrong)[:30]} is not the number of a node")
    ends = [min(values), max(values)] if values else []
    outside = next((value for value in ends if not 0 <= int(value) < nodes), None)
    if outside is not None:
        raise ValueError(f"{str(outside)[:30]} is not the number of a node")
    return np.array(values, dtype=np.int64)


def _text(value: object) -> str:
    return writable(str(value))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


READERS = (
    ProfileReader(
        name="Caliper",
        pattern="*.cali",
        matches=matches,
        read=lambda path: assemble(read_records(path)),
        parameters=parameters,
        texts=lambda path: texts_among(read_records(path, with_values=False).globals),
        max_bytes=_MAX_BYTES,
    ),
    ProfileReader(
        name="Caliper JSON",
        pattern="*.json",
        matches=matches_json,
        read=read_json_split,
        parameters=lambda path: parameters_among(_globals_of(path)),
        texts=lambda path: texts_among(_globals_of(path)),
        max_bytes=_MAX_BYTES,
        head_bytes=_HEAD_BYTES,
    ),
)
