"""Caliper's format ``json-split``: one JSON object with rows of values and the nodes of a tree.

``columns`` names the entries of each row of ``data``; ``column_metadata`` has their units and whether an
entry is a value or the number of one of ``nodes``, each with a label and the number of its parent. ``path``
are all nested annotations, null outside of them. Other keys of the object are global values that describe
the run. The layout is that of Caliper's JsonSplitFormatter.cpp.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

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

_MAX_DEPTH = 2000  # of a node

_KEYS = ("columns", "column_metadata", "data", "nodes")
_FIRST_KEY = re.compile(rb'\A(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:')
_PATHS = ("path", "source.function#callpath.address")  # columns of nodes that are call paths, by preference
_NO_PATHS = frozenset((*KINDS, *KERNEL_ATTRIBUTES))


def matches(path: Path) -> bool:
    """Return whether a file is a JSON object with the four keys, which may stand behind all of its values."""
    if not path.is_file() or not _FIRST_KEY.match(head(path, READER.head_bytes)):
        return False
    try:
        with mapped(path, READER.max_bytes) as content:
            found = content.rfind(b'"column_metadata"') >= 0
            return found and all(content.find(f'"{key}"'.encode()) >= 0 for key in _KEYS)
    except (InputError, OSError, ValueError):
        return False


def read(path: Path) -> Profile:
    """Read a profile: time in seconds on processor and accelerators, visits and hardware counters."""
    return assemble(_read_records(path))


def _parameters(path: Path) -> Mapping[str, float]:
    """Return the whole numbers among the global values that may be parameters of the run."""
    return parameters_among(_globals(_content(path)))


def _texts(path: Path) -> Mapping[str, str]:
    """Return the texts among the global values, which may tell kinds of runs."""
    return texts_among(_globals(_content(path)))


def _read_records(path: Path) -> Records:
    """Read the rows of a file."""
    content = _content(path)
    try:
        return _records(content, str(path))
    except ValueError as error:
        raise InputError(str(error), where=str(path), hint="is the file truncated?") from error


def _content(path: Path) -> Mapping[str, object]:
    content = load_json(read_text(path, READER.max_bytes), str(path))
    missing = [
        key for key in _KEYS if not isinstance(content, dict) or not isinstance(content.get(key), list)
    ]
    if missing:
        raise InputError(f"it has no list '{missing[0]}'", where=str(path))
    return dict(content)


def _globals(content: Mapping[str, object]) -> dict[str, str]:
    return {
        _text(key): _text(value)
        for key, value in content.items()
        if key not in _KEYS and isinstance(value, (str, int, float))
    }


def _records(content: Mapping[str, object], source: str) -> Records:
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
    columns, callpaths = {}, CallTreeBuilder()
    for name, values in zip(names, entries, strict=False):
        columns[name] = _column(values)
        if name not in of_nodes:
            continue
        column, numbers = columns[name], _numbers_of_nodes(columns[name].values, len(labels))
        columns[name] = RecordColumn(column.rows, [labels[number] for number in numbers.tolist()])
        if name == path:
            places, used = _callpaths(numbers, labels, parents, callpaths)
            node[column.rows] = places[numbers]
            for number in used:
                owner = column_of[number]
                kind = _kind(labels[number]) if owner == path else owner
                kinds.setdefault(labels[number], set()).add(kind)
    columns.pop(path, None)
    units = [_text(about.get("attribute.unit", "")) for about in metadata]
    return Records(
        source=source,
        callpaths=callpaths,
        kinds=kinds,
        node=node,
        columns=columns,
        globals=_globals(content),
        units=dict(zip(names, units, strict=True)),
        unit_expected=False,
    )


def _entries(rows: Sequence[object], columns: int) -> list[tuple[object, ...]]:
    """Return the entries of each column; none if there are no rows."""
    lists = [row for row in rows if isinstance(row, list)]
    if len(lists) < len(rows) or not set(map(len, lists)) <= {columns}:
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

    Returns:
        int64[node], the call path of each, `ROOT` of those that are not used; and which are, ascending.
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


def _kind(label: str) -> str:
    """Return the attribute of a nested annotation, which the format does not state, by its name."""
    if label.startswith("MPI_"):
        return "mpi.function"
    call = re.fullmatch(r"(cuda|cu|hip)[A-Z]\w*", label)
    return {"cuda": "cupti.runtimeAPI", "cu": "cupti.driverAPI", "hip": "rocm.api"}[call[1]] if call else ""


def _column(values: Sequence[object]) -> RecordColumn:
    wrong = set(map(type, values)) - {str, int, float, bool, type(None)}
    if wrong:
        value = next(value for value in values if type(value) in wrong)
        raise ValueError(f"an entry that is neither a number nor a text: {str(value)[:30]}")
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


READER = ProfileReader(
    name="Caliper JSON",
    pattern="*.json",
    matches=matches,
    read=read,
    parameters=_parameters,
    texts=_texts,
    max_bytes=1 << 28,
    head_bytes=256,
)
