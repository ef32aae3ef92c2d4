"""`anchor.xml`: the metrics, regions, call tree and locations of a profile.

Expat reports one event after the other, so neither depth nor size of the document costs more than the flat
lists kept here. Declarations of entities are refused: Cube writes none, and they are what XML bombs are
made of.
"""

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ingest.errors import InputError
from ingest.readers.cubex.inflate import GZIP_MAGIC, gunzip
from ingest.readers.cubex.program import REGION_FIELDS, Program, take_program

Record = dict[str, str]

_MAX_GUNZIPPED = 1 << 29
_ROOT = "cube"
_RECORDS = frozenset(("metric", "region", "systemtreenode", "locationgroup", "location"))
_TEXTS = frozenset(
    ("uniq_name", "disp_name", "dtype", "uom", "name", "mangled_name", "paradigm", "descr", "rank", "type")
)


@dataclass
class Anchor:
    """The content of an anchor, as written: records hold attributes and texts of child elements by name.

    Attributes:
        program: regions and call paths.
        attributes: the ``attr`` elements of the document itself.
        metrics: the metrics, parents before children.
        groups: the location groups; ``creator`` is the value of their attribute "Creating location group".
        locations: the locations; ``group`` is the index of their location group.
    """

    program: Program
    attributes: Record = field(default_factory=dict)
    metrics: list[Record] = field(default_factory=list)
    groups: list[Record] = field(default_factory=list)
    locations: list[Record] = field(default_factory=list)


def read_anchor(data: memoryview, path: Path) -> Anchor:
    """Parse an anchor, which may be gzip-compressed.

    Raises:
        InputError: where it is damaged, no Cube document, or declares entities.
    """
    where = f"{path} (anchor.xml)"
    document = gunzip(data, _MAX_GUNZIPPED, where=where) if data[:2] == GZIP_MAGIC else bytes(data)
    mend = "write the profile again"
    try:
        return parse_anchor(document)
    except expat.ExpatError as problem:
        raise InputError(f"damaged XML ({problem})", where=where, mend=mend) from None
    except ValueError as problem:
        raise InputError(str(problem), where=where, mend=mend) from None


def parse_anchor(document: bytes) -> Anchor:
    """Parse the text of an anchor.

    Raises:
        ExpatError: where it is no well-formed XML.
        ValueError: where it is no Cube document or declares entities.
    """
    taken = take_program(document)
    if taken is None:
        return _Events(Program()).parse(document)
    program, first, last = taken
    regions, cnodes = len(program.regions), len(program.cnode)
    anchor = _Events(program).parse(document[:first], document[last:])
    if (len(program.regions), len(program.cnode)) != (regions, cnodes):
        return _Events(Program()).parse(document)
    return anchor


class _Events:
    """The handlers expat calls, and what they know between two calls."""

    def __init__(self, program: Program) -> None:
        self.anchor = Anchor(program)
        self.open: list[Record] = []
        self.callers: list[int] = [-1]
        self.text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity

    def parse(self, *parts: bytes) -> Anchor:
        for part in parts:
            self.parser.Parse(part)
        self.parser.Parse(b"", True)
        del self.parser  # it holds our handlers and we hold it: memory would wait for the garbage collector
        return self.anchor

    def root(self, tag: str, attributes: Record) -> None:
        if tag != _ROOT:
            raise ValueError(f"the document is <{tag[:40]}>, not <{_ROOT}>")
        self.parser.StartElementHandler = self.start

    def start(self, tag: str, attributes: Record) -> None:
        if tag in _TEXTS:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append
        elif tag == "cnode":
            self.call(attributes)
        elif tag in _RECORDS:
            self.record(tag, attributes)
        elif tag == "attr":
            self.attribute(attributes)

    def end(self, tag: str) -> None:
        if tag in _TEXTS:
            self.parser.CharacterDataHandler = None
            if self.open:
                self.open[-1].setdefault(tag, "".join(self.text))
        elif tag == "cnode":
            self.callers.pop()
        elif tag in _RECORDS:
            record = self.open.pop()
            if tag == "region":
                self.region(record)

    def record(self, tag: str, attributes: Record) -> None:
        self.open.append(attributes)
        if tag == "metric":
            self.anchor.metrics.append(attributes)
        elif tag == "locationgroup":
            self.anchor.groups.append(attributes)
        elif tag == "location":
            attributes["group"] = str(len(self.anchor.groups) - 1)
            self.anchor.locations.append(attributes)

    def region(self, record: Record) -> None:
        self.anchor.program.regions.append(tuple([record.get(key, "") for key in REGION_FIELDS]))

    def call(self, attributes: Record) -> None:
        program = self.anchor.program
        program.parent.append(self.callers[-1])
        self.callers.append(len(program.cnode))
        program.cnode.append(attributes.get("id", ""))
        program.callee.append(attributes.get("calleeId", ""))

    def attribute(self, attributes: Record) -> None:
        key, value = attributes.get("key", ""), attributes.get("value", "")
        if not self.open and len(self.callers) == 1:
            self.anchor.attributes[key] = value
        elif self.open and key == "Creating location group":
            self.open[-1]["creator"] = value

    def entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which no Cube writer does")
