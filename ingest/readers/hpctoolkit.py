"""HPCToolkit's databases (``experiment.xml`` with ``*.metric-db``), read through the package llnl-hatchet.

Hatchet gives a frame of call-tree nodes by rank and thread. Only its inclusive values are used: what
HPCToolkit calls exclusive counts the loops of a function with the function and again by themselves. It drops
the unit of CPU time, which is read from the database here, and trusts the database blindly: what would lead
it outside of its arrays is refused before.
"""

import html
import re
import struct
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError
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
from ingest.readers.textfile import head, read_text

EXPERIMENT, NEWER = "experiment.xml", "meta.db"
MAX_BYTES = 1 << 28
STATEMENT = "S"

_HEADER = struct.Struct(">18s5scii")  # tag, version, byte order, number of nodes and of metrics
_SECONDS = {"sec": 1.0, "usec": 1e-6}
_TIMES = ("CPUTIME", "REALTIME", "WALLCLOCK")
_CPU_TIMES = ("CPUTIME (usec) (I)", "CPUTIME (sec) (I)")
_CPU_TIME = "time (inc)"  # Hatchet's name for them
_METRIC = re.compile(r'<MetricDB [^>]*?n="((\S[^"(]*?)(?: \((\w+)\))? \(I\))"')
_NODE = re.compile(r'<(?:PF|Pr|L|S|C)\s(?:i="([0-9]{1,9})")?')
_FILE = re.compile(r".*-[0-9]{1,6}-[0-9]{1,6}-\w+-[0-9]+-[0-9]\.metric-db")
_CALL_LINE = re.compile(r"^[0-9]+:")  # Hatchet puts the line of the call before the name

Stored = dict[str, tuple[str, Metric, float]]  # by name: Hatchet's column, the metric, its scale


def matches(path: Path) -> bool:
    """Return whether a directory is a database of HPCToolkit."""
    return (path / EXPERIMENT).is_file() or (path / NEWER).is_file()


def files(path: Path) -> list[Path]:
    """Return the files of a database that are read, without the copies of source files beside them."""
    return [file for file in (path / EXPERIMENT, path / NEWER) if file.is_file()] + _metric_files(path)


def read(path: Path) -> Profile:
    """Read a database: a call tree of functions and loops, inclusive values by rank and thread.

    Statements are counted with the function or loop they belong to.

    Raises:
        InputError: if the package is missing, the database is damaged, or from HPCToolkit since 2022.
    """
    if not (path / EXPERIMENT).is_file():
        what = f"a database of HPCToolkit since 2022 ({NEWER}), whose units Hatchet does not know"
        raise InputError(what, where=str(path), hint="create it with hpcprof 2021 or earlier")
    stored = _checked(path)
    frame = _graph_frame(path)
    nodes = list(frame.graph.traverse(order="pre"))
    if any(len(node.parents) > 1 for node in nodes):
        raise InputError("not a call tree: a node has several callers", where=str(path))
    table = frame.dataframe.reset_index()
    return _profile(path, nodes, table, stored)


def _checked(path: Path) -> Stored:
    """Check what Hatchet does not, and return the metrics that have inclusive values."""
    text = read_text(path / EXPERIMENT, MAX_BYTES)
    identifiers = _NODE.findall(text)
    headers = {_header(file) for file in _metric_files(path)}
    if len(headers) != 1 or not identifiers:
        raise InputError("no metric-db files, or they do not match each other", where=str(path))
    nodes, metrics = headers.pop()
    if any(not number or not 1 <= int(number) <= nodes for number in identifiers):
        raise InputError(f"a node that is not one of the {nodes} in the metric-db files", where=str(path))
    stored: Stored = {}
    for written, name, unit in _METRIC.findall(text):
        time = name in _TIMES and unit in _SECONDS
        metric = Metric("time" if time else html.unescape(name), "s" if time else unit, MetricKind.INCLUSIVE)
        column = _CPU_TIME if written in _CPU_TIMES else html.unescape(written)
        stored.setdefault(metric.name, (column, metric, _SECONDS[unit] if time else 1.0))
    if not stored or text.count("<MetricDB ") != metrics:
        raise InputError("no inclusive metric, or not the metrics of the metric-db files", where=str(path))
    return stored


def _metric_files(path: Path) -> list[Path]:
    return sorted(path.glob("*.metric-db"))


def _header(file: Path) -> tuple[int, int]:
    """Return the numbers of nodes and metrics of a file, which must have as many values."""
    content, size = head(file), file.stat().st_size
    if len(content) >= _HEADER.size and _FILE.fullmatch(file.name):
        *_, order, nodes, metrics = _HEADER.unpack_from(content)
        if order == b"b" and min(nodes, metrics) > 0 and size == _HEADER.size + 8 * nodes * metrics:
            return nodes, metrics
    raise InputError("damaged, truncated or renamed since hpcprof wrote it", where=str(file))


def _graph_frame(path: Path) -> Any:  # noqa: ANN401 - the package has no types
    try:
        hatchet = import_module("hatchet")
    except ImportError as error:
        raise InputError(
            "databases of HPCToolkit need the package llnl-hatchet",
            where=str(path),
            hint="pip install 'callpath-pipeline[hatchet]'",
        ) from error
    try:
        with warnings.catch_warnings(), _in_this_process():
            warnings.simplefilter("ignore")  # it uses deprecated parts of pandas
            return hatchet.GraphFrame.from_hpctoolkit(str(path))
    except (LookupError, ArithmeticError, TypeError, AttributeError, NameError, StopIteration) as error:
        # The package checks nothing, so that damage shows as any of these.
        raise InputError(f"damaged: {type(error).__name__}: {error}"[:200], where=str(path)) from error
    except (ValueError, SyntaxError, OSError, RecursionError) as error:  # SyntaxError: of the XML
        raise InputError(f"damaged: {error}"[:200], where=str(path)) from error


@contextmanager
def _in_this_process() -> Iterator[None]:
    """Let Hatchet read file after file here, not in a pool of processes.

    It forks while threads are running, which may hang, does not wait for its processes, and cannot fork in a
    daemon such as a worker of Dask. Runs are read in parallel anyway.
    """
    try:
        reader: Any = import_module("hatchet.readers.hpctoolkit_reader")
        original = reader.mp
    except (ImportError, AttributeError):  # a version of another structure
        yield
        return
    reader.mp = SimpleNamespace(Pool=_Here, sharedctypes=_Unshared)
    try:
        yield
    finally:
        reader.mp, reader.shared_metrics = original, None  # or it would keep the values forever


class _Here:
    """The part of a process pool that Hatchet uses."""

    def __init__(self, initializer: Callable[..., None], initargs: tuple[Any, ...]) -> None:
        initializer(*initargs)

    def map(self, function: Callable[[Any], object], items: Sequence[Any]) -> None:
        for item in items:
            function(item)

    def close(self) -> None:
        pass


class _Unshared:
    @staticmethod
    def RawArray(code: str, size: int) -> FloatArray:  # noqa: N802 - named as in multiprocessing
        return np.zeros(size, dtype=code)


def _profile(path: Path, nodes: Sequence[Any], table: Any, stored: Stored) -> Profile:  # noqa: ANN401
    first = table.drop_duplicates("node").set_index("node")
    facts = [dict(zip(first.columns, row, strict=True)) for row in first.loc[nodes].itertuples(index=False)]
    kept = [i for i, node in enumerate(nodes) if node.children or facts[i]["type"] != STATEMENT]
    place = {nodes[node]: i for i, node in enumerate(kept)}
    parent = [place[nodes[node].parents[0]] if nodes[node].parents else -1 for node in kept]
    try:
        regions, region = _regions([facts[node] for node in kept])
    except OverflowError:
        raise InputError("damaged: an impossible source line", where=str(path)) from None
    table = table[table["node"].isin(place)]
    location, locations = _locations(table)
    at = table["node"].map(place).to_numpy(dtype=np.int64)
    values = {}
    for name, (column, _, scale) in stored.items():
        if column not in table:
            raise InputError(f"damaged: Hatchet gives no values of {name!r:.80}", where=str(path))
        values[name] = np.zeros((len(kept), len(locations)))
        values[name][at, location] = table[column].to_numpy(dtype=np.float64) * scale
        require_summable(values[name], f"'{name}'", str(path))
    notice = f"{len(nodes) - len(kept)} statements are counted with the functions and loops they belong to"
    tree = CallTree(np.array(parent, dtype=np.int64), region)
    return Profile(
        source=str(path),
        tree=tree,
        regions=regions,
        locations=locations,
        metrics=tuple(metric for _, metric, _ in stored.values()),
        load=ValuesInMemory(tree, values),
        attributes={"generator": "HPCToolkit"},
        notices=(notice,) if len(kept) < len(nodes) else (),
    )


def _regions(facts: Sequence[Mapping[str, Any]]) -> tuple[RegionTable, IntArray]:
    """Return the regions, which name and file identify, and int64[n], that of each node."""
    keys = [(_CALL_LINE.sub("", str(node["name"])) or "<unnamed>", str(node["file"])) for node in facts]
    lines: dict[tuple[str, str], int] = {}
    for key, node in zip(keys, facts, strict=True):
        lines.setdefault(key, int(node["line"]) or -1)
    number = {key: i for i, key in enumerate(lines)}
    names = tuple(name for name, _ in lines)
    files = tuple("" if file == "<unknown file>" else file for _, file in lines)
    paradigms = tuple("mpi" if name.startswith(("MPI_", "PMPI_")) else "compiler" for name in names)
    table = RegionTable(
        name=names,
        mangled=names,
        paradigm=paradigms,
        file=files,
        line=np.array(list(lines.values()), dtype=np.int64),
    )
    return table, np.array([number[key] for key in keys], dtype=np.int64)


def _locations(table: Any) -> tuple[IntArray, LocationTable]:  # noqa: ANN401
    """Return the location of each row, and the table of them."""
    thread = table["thread"].to_numpy() if "thread" in table else np.zeros(len(table))
    keys = np.stack([table["rank"].to_numpy(), thread], axis=1).astype(np.int64)
    pairs, location = np.unique(keys, axis=0, return_inverse=True)
    _, process = np.unique(pairs[:, 0], return_inverse=True)
    # HPCToolkit numbers the streams of accelerators from 500.
    device = np.where(pairs[:, 1] < 500, CPU, process)
    return location.reshape(-1), LocationTable(process, pairs[:, 1], device)
