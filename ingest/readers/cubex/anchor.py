"""`anchor.xml`: the metrics, regions, call tree and locations of a profile.

Expat reports one event after the other, so neither depth nor size of the document costs more than the flat
lists kept here. Declarations of entities are refused: Cube writes none, and they are what XML bombs are
made of.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ingest.errors import InputError
from ingest.readers.cubex.inflate import GZIP_MAGIC, gunzip

Record = dict[str, str]

_MAX_GUNZIPPED = 1 << 29
_ROOT = "cube"
_RECORDS = frozenset(("metric", "region", "systemtreenode", "locationgroup", "location"))
_TEXTS = frozenset(
    ("uniq_name", "disp_name", "dtype", "uom", "name", "mangled_name", "paradigm", "descr", "rank", "type")
)


@dataclass
class Anchor:
    """The content of an anchor, as written: text of elements and attributes by their names.

    Attributes:
        attributes: the ``attr`` elements of the document itself.
        metrics: the metrics, parents before children.
        regions: the regions, in definition order.
        groups: the location groups; ``creator`` is the value of their attribute "Creating location group".
        locations: the locations; ``group`` is the index of their location group.
        cnode: identifiers of the call paths, in document order, which is preorder.
        callee: identifiers of their regions.
        parent: index of their callers, -1 for roots.
    """

    attributes: Record = field(default_factory=dict)
    metrics: list[Record] = field(default_factory=list)
    regions: list[Record] = field(default_factory=list)
    groups: list[Record] = field(default_factory=list)
    locations: list[Record] = field(default_factory=list)
    cnode: list[str] = field(default_factory=list)
    callee: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)


def read_anchor(data: memoryview, path: Path) -> Anchor:
    """Parse an anchor, which may be gzip-compressed.

    Raises:
        InputError: where it is damaged, no Cube document, or declares entities.
    """
    where = f"{path} (anchor.xml)"
    document = gunzip(data, _MAX_GUNZIPPED, where=where) if data[:2] == GZIP_MAGIC else data
    events = _Events()
    try:
        events.parser.Parse(document, True)  # type: ignore[arg-type]  # any buffer will do
    except expat.ExpatError as problem:
        raise InputError(f"damaged XML ({problem})", where=where, mend="write the profile again") from None
    except ValueError as problem:
        raise InputError(str(problem), where=where, mend="write the profile again") from None
    return events.anchor


class _Events:
    """The handlers expat calls, and what they know between two calls."""

    def __init__(self) -> None:
        self.anchor = Anchor()
        self.lists = {
            "metric": self.anchor.metrics,
            "region": self.anchor.regions,
            "locationgroup": self.anchor.groups,
            "location": self.anchor.locations,
        }
        self.open: list[Record] = []
        self.callers: list[int] = [-1]
        self.text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity

    def root(self, tag: str, attributes: Record) -> None:
        if tag != _ROOT:
            raise ValueError(f"the document is <{tag}>, not <{_ROOT}>")
        self.parser.StartElementHandler = self.start

    def start(self, tag: str, attributes: Record) -> None:
        if tag == "cnode":
            anchor = self.anchor
            anchor.parent.append(self.callers[-1])
            self.callers.append(len(anchor.cnode))
            anchor.cnode.append(attributes.get("id", ""))
            anchor.callee.append(attributes.get("calleeId", ""))
        elif tag in _TEXTS:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append
        elif tag in _RECORDS:
            if tag == "location":
                attributes["group"] = str(len(self.anchor.groups) - 1)
            self.open.append(attributes)
            if tag in self.lists:
                self.lists[tag].append(attributes)
        elif tag == "attr":
            self.attribute(attributes)

    def end(self, tag: str) -> None:
        if tag == "cnode":
            self.callers.pop()
        elif tag in _TEXTS:
            self.parser.CharacterDataHandler = None
            if self.open:
                self.open[-1].setdefault(tag, "".join(self.text))
        elif tag in _RECORDS:
            self.open.pop()

    def attribute(self, attributes: Record) -> None:
        key, value = attributes.get("key", ""), attributes.get("value", "")
        if not self.open and len(self.callers) == 1:
            self.anchor.attributes[key] = value
        elif self.open and key == "Creating location group":
            self.open[-1]["creator"] = value

    def entity(self, name: str, *_: Any) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which no Cube writer does")
