"""CUBE 3 profiles (``.cube``, ``.cube.gz``): one XML document, as written by Scalasca 1.

Values are exclusive along the call tree. A row of a metric's matrix lists the values of all threads in the
order of their definition; rows that are missing are zero.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray, places_in_groups
from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.profile import LARGEST, LocationTable, Metric, Profile, RegionTable, ValuesInMemory
from ingest.readers import ProfileReader
from ingest.reading.files import head
from ingest.reading.packed import plain_name
from ingest.reading.xml_events import XmlAttributes, XmlEvents

_MAX_VALUES = 1 << 27
_MAX_TEXT = 1 << 26
_ROUNDING = 1e-9  # relative: values are written with 12 digits

_ENDING = ".cube"
_RECORDS = frozenset(("metric", "region", "machine", "node", "process", "thread"))
_TEXTS = frozenset(("uniq_name", "uom", "name", "row"))


@dataclass(kw_only=True)
class _Document:
    attributes: XmlAttributes = field(default_factory=dict)  # the ``attr`` elements
    # attributes and texts, parents before children; ``parent`` is the id of the metric above
    metrics: list[XmlAttributes] = field(default_factory=list)
    regions: list[XmlAttributes] = field(default_factory=list)  # attributes and texts
    cnode: dict[str, int] = field(default_factory=dict)  # the call path of each identifier
    # per call path, in preorder, the identifier of its region
    callee: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)  # per call path the index of its caller, -1 for a root
    # per thread, in the order of their definition, the number of its process
    process_of: list[int] = field(default_factory=list)
    # per identifier of a metric float64[call path, thread]
    values: dict[str, FloatArray] = field(default_factory=dict)


def matches(path: Path) -> bool:
    """Return whether a file is called ``.cube`` and contains XML: chemists use the name for other files."""
    if plain_name(path).suffix.lower() != _ENDING:
        return False
    return head(path).lstrip().startswith(b"<")


def read(path: Path) -> Profile:
    """Read a profile."""
    events = _Events()
    events.read(path, READER.max_bytes)
    try:
        return _profile(path, events.document)
    except ValueError as error:
        raise InputError(str(error), where=str(path)) from error


def _profile(path: Path, document: _Document) -> Profile:
    region = {record["id"]: i for i, record in enumerate(document.regions)}
    callees = [region[callee] for callee in document.callee if callee in region]
    if not callees or len(callees) < len(document.callee):
        raise ValueError("it contains no call path" if not callees else "a call path of an undefined region")
    values = _totals(document)
    if not values:
        raise ValueError("it contains no metric with values")
    metrics = [record for record in document.metrics if record["id"] in values]
    if len({record["uniq_name"] for record in metrics}) < len(metrics):
        raise ValueError("two metrics have the same name")
    names = tuple(record.get("name", "") or "<unnamed>" for record in document.regions)
    tree = CallTree(np.array(document.parent, dtype=np.int64), np.array(callees, dtype=np.int64))
    return Profile(
        source=str(path),
        tree=tree,
        regions=RegionTable.named(
            names,
            map(_paradigm, names, document.regions),
            [(record.get("mod", ""), _line(record)) for record in document.regions],
        ),
        locations=_locations(document),
        metrics=tuple(Metric(record["uniq_name"], record.get("uom", "")) for record in metrics),
        load=ValuesInMemory(tree, {record["uniq_name"]: values[record["id"]] for record in metrics}),
        attributes={"generator": "CUBE 3", **document.attributes},
    )


def _totals(document: _Document) -> dict[str, FloatArray]:
    """Return the values of each metric together with those of the metrics below it.

    Some writers store them with their parts, some without; a part larger than the whole shows which.
    """
    values = dict(document.values)
    of_parts: dict[tuple[str, str], FloatArray] = {}
    for record in reversed(document.metrics):
        name, unit = record["id"], record.get("uom", "")
        if (parts := of_parts.get((name, unit))) is not None:
            own = values.get(name, np.zeros_like(parts))
            without = bool((parts > own + _ROUNDING * np.abs(own)).any())
            values[name] = own + parts if without else own
        if name in values:
            whole = record["parent"], unit
            of_parts[whole] = of_parts.get(whole, 0.0) + values[name]
    return values


def _paradigm(name: str, region: XmlAttributes) -> str:
    if name.startswith(("MPI_", "PMPI_")):
        return "mpi"
    if name.startswith(("!$omp", "omp_")):
        return "openmp"
    return "measurement" if region.get("mod") == "EPIK" else "compiler"


def _line(region: XmlAttributes) -> int:
    text = region.get("begin", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _locations(document: _Document) -> LocationTable:
    processes = {process: i for i, process in enumerate(dict.fromkeys(document.process_of))}
    process = np.array([processes[p] for p in document.process_of], dtype=np.int64)
    return LocationTable.of_threads(process, places_in_groups(process))


class _Events(XmlEvents):
    who_declares = "CUBE does not"

    def __init__(self) -> None:
        super().__init__()
        self.document = _Document()
        self.open: list[XmlAttributes] = []
        self.callers = [-1]
        self.processes = 0
        self.metrics: set[str] = set()
        self.text: list[str] = []
        self.length = 0
        self.matrix = ""
        self.row = ""

    def root(self, tag: str, attributes: XmlAttributes) -> None:
        if tag != "cube" or not attributes.get("version", "").startswith("3"):
            found = f"<{tag[:40]}> of version '{attributes.get('version', 'unknown')[:20]}'"
            raise ValueError(f"the document is {found}, not <cube> of version 3")

    def start(self, tag: str, attributes: XmlAttributes) -> None:
        if tag in _RECORDS:
            self.record(tag, {key.lower(): value for key, value in attributes.items()})
        elif tag == "cnode":
            self.call_path(attributes)
        elif tag == "matrix":
            self.matrix = attributes.get("metricId", "")
        elif tag == "attr":
            self.document.attributes[attributes.get("key", "")] = attributes.get("value", "")
        if tag in _TEXTS:
            self.row = attributes.get("cnodeId", "")
            self.text, self.length = [], 0
            self.parser.CharacterDataHandler = self.gather

    def gather(self, text: str) -> None:
        self.text.append(text)
        self.length += len(text)
        if self.length > _MAX_TEXT:
            raise ValueError(f"text of more than {_MAX_TEXT >> 20} MiB")

    def record(self, tag: str, attributes: XmlAttributes) -> None:
        if tag == "metric":
            attributes["parent"] = self.open[-1].get("id", "") if self.open else ""
            self.document.metrics.append(attributes)
            self.metrics.add(attributes.get("id", ""))
        elif tag == "region":
            self.document.regions.append(attributes)
        elif tag == "process":
            self.processes += 1
        elif tag == "thread":
            self.document.process_of.append(self.processes)
        if tag in ("metric", "region") and "id" not in attributes:
            raise ValueError(f"a {tag} without id")
        self.open.append(attributes)

    def call_path(self, attributes: XmlAttributes) -> None:
        identifier = attributes.get("id", "")
        if identifier in self.document.cnode:
            raise ValueError(f"two call paths have the id '{identifier[:20]}'")
        node = len(self.document.parent)
        self.document.cnode[identifier] = node
        self.document.parent.append(self.callers[-1])
        self.document.callee.append(attributes.get("calleeId", ""))
        self.callers.append(node)

    def end(self, tag: str) -> None:
        if tag in _TEXTS:
            self.parser.CharacterDataHandler = None
            if tag == "row":
                self.severities("".join(self.text))
            elif self.open:
                self.open[-1].setdefault(tag, "".join(self.text))
        elif tag == "cnode":
            self.callers.pop()
        elif tag in _RECORDS:
            closed = self.open.pop()
            if tag == "metric":
                closed.setdefault("uniq_name", f"metric {closed['id']}")

    def severities(self, text: str) -> None:
        document = self.document
        shape = len(document.parent), len(document.process_of)
        node = document.cnode.get(self.row)
        if node is None or self.matrix not in self.metrics:
            found = f"metric '{self.matrix[:20]}' or call path '{self.row[:20]}'"
            raise ValueError(f"values of an undefined {found}")
        row = np.array(text.split(), dtype=np.float64)
        if len(row) != shape[1] or not (np.abs(row) < LARGEST).all():
            raise ValueError(f"a row of {len(row)} values for {shape[1]} threads, or one that is not finite")
        if self.matrix not in document.values:
            if shape[0] * shape[1] * (len(document.values) + 1) > _MAX_VALUES:
                raise ValueError(f"too large for memory: {shape[0]} call paths on {shape[1]} threads")
            document.values[self.matrix] = np.zeros(shape)
        document.values[self.matrix][node] = row


READER = ProfileReader(name="CUBE 3", pattern="*.cube", matches=matches, read=read, max_bytes=1 << 31)
