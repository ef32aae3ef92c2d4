"""The events of expat on a CUBE 3 document, gathered into flat lists: no recursion, no entities."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from ingest.arrays import FloatArray
from ingest.profile import LARGEST

Record = dict[str, str]

MAX_VALUES = 1 << 27
MAX_TEXT = 1 << 26

_RECORDS = frozenset(("metric", "region", "machine", "node", "process", "thread"))
_TEXTS = frozenset(("uniq_name", "uom", "name", "row"))


@dataclass(kw_only=True)
class Document:
    """The content of a document.

    Attributes:
        attributes: the ``attr`` elements.
        metrics: attributes and texts, parents before children; ``parent`` is the id of the metric above.
        regions: attributes and texts.
        cnode: the call path of each identifier.
        callee: per call path, in preorder, the identifier of its region.
        parent: per call path the index of its caller, -1 for a root.
        process_of: per thread, in the order of their definition, the number of its process.
        values: per identifier of a metric float64[call path, thread].
    """

    attributes: Record = field(default_factory=dict)
    metrics: list[Record] = field(default_factory=list)
    regions: list[Record] = field(default_factory=list)
    cnode: dict[str, int] = field(default_factory=dict)
    callee: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    process_of: list[int] = field(default_factory=list)
    values: dict[str, FloatArray] = field(default_factory=dict)


def read_document(chunks: Iterable[bytes]) -> Document:
    """Parse a document that comes in pieces.

    Raises:
        ExpatError: where it is no well-formed XML.
        ValueError: with the line, where it is no document of CUBE 3.
    """
    events = _Events()
    try:
        for chunk in chunks:
            events.parser.Parse(chunk)
        events.parser.Parse(b"", True)
    except ValueError as error:
        raise ValueError(f"line {events.parser.CurrentLineNumber}: {error}") from error
    return events.document


class _Events:
    """The handlers expat calls, and what they know between two calls; all raise ValueError."""

    def __init__(self) -> None:
        self.document = Document()
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity
        self.open: list[Record] = []
        self.callers = [-1]
        self.processes = 0
        self.metrics: set[str] = set()
        self.text: list[str] = []
        self.length = 0
        self.matrix = ""
        self.row = ""

    def root(self, tag: str, attributes: Record) -> None:
        if tag != "cube" or not attributes.get("version", "").startswith("3"):
            told = f"<{tag[:40]}> of version '{attributes.get('version', 'unknown')[:20]}'"
            raise ValueError(f"the document is {told}, not <cube> of version 3")
        self.parser.StartElementHandler = self.start

    def start(self, tag: str, attributes: Record) -> None:
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
        if self.length > MAX_TEXT:
            raise ValueError(f"a text of more than {MAX_TEXT >> 20} MiB")

    def record(self, tag: str, attributes: Record) -> None:
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

    def call_path(self, attributes: Record) -> None:
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
            told = f"metric '{self.matrix[:20]}' or call path '{self.row[:20]}'"
            raise ValueError(f"values of the {told}, which is not there")
        if shape[0] * shape[1] * (len(document.values) + 1) > MAX_VALUES:
            raise ValueError(f"too large to hold: {shape[0]} call paths on {shape[1]} threads")
        row = np.array(text.split(), dtype=np.float64)
        if len(row) != shape[1] or not (np.abs(row) < LARGEST).all():
            raise ValueError(f"a row of {len(row)} values for {shape[1]} threads, or one that is not finite")
        if self.matrix not in document.values:
            document.values[self.matrix] = np.zeros(shape)
        document.values[self.matrix][node] = row

    def entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which CUBE does not")
