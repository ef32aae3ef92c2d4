"""`anchor.xml`: the metrics, regions, call tree and locations of a profile.

Expat reports event by event, so neither the depth nor the size of the document costs more than the flat lists
kept here. Declarations of entities are refused: Cube writes none, and XML bombs consist of them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ingest.errors import InputError
from ingest.profile import CORES, MACHINE, NODE, NODES
from ingest.readers.cubex.fixed_form import (
    CREATOR,
    GROUP_TYPE,
    LOCATION_TYPE,
    REGION_FIELDS,
    Program,
    System,
    take_program,
    take_system,
)
from ingest.reading.packed import unpack

Record = dict[str, str]

_ROOT = "cube"
_MAX_QUOTED = 120  # characters of an error, which may quote the file
_NOTHING: frozenset[str] = frozenset()
_TREE_NODE = re.compile(
    rb"<systemtreenode [^<>]*>\s*<name>([^<]*)</name>\s*<class>(machine|node|core)</class>", re.IGNORECASE
)
_PLACE = re.compile(rb"<(/?)systemtreenode\b[^<>]*>(?:\s*<name>([^<]*)</name>\s*<class>([^<]*)</class>)?")
_TEXTS = {  # the elements whose texts are wanted, by the element that contains them
    "metric": frozenset(("uniq_name", "dtype", "uom")),
    "region": frozenset(("name", "mangled_name", "paradigm", "descr")),
    "systemtreenode": _NOTHING,
    "locationgroup": frozenset(("name", "rank", "type")),
    "location": frozenset(("type",)),
}


@dataclass(frozen=True)
class Anchor:
    """The content of an anchor, as written: records hold attributes and texts of child elements by name.

    Attributes:
        program: regions and call paths.
        system: location groups and locations.
        attributes: the ``attr`` elements of the document itself, and the machine as its system tree has it.
        metrics: the metrics, parents before children.
        nodes: the name of the node of each location group; empty if the system tree does not have them.
    """

    program: Program
    system: System
    attributes: Record
    metrics: list[Record]
    nodes: tuple[str, ...] = ()


def read_anchor(data: bytes, path: Path) -> Anchor:
    """Parse an anchor, which may be gzip-compressed."""
    where = f"{path} (anchor.xml)"
    document = unpack(data, where=where)
    hint = "write the profile again"
    try:
        anchor = parse_anchor(document)
        attributes = {**anchor.attributes, **_machine(document)}
        nodes = _nodes(document)
        return replace(
            anchor, attributes=attributes, nodes=nodes if len(nodes) == len(anchor.system.rank) else ()
        )
    except expat.ExpatError as problem:
        raise InputError(f"damaged XML ({problem})", where=where, hint=hint) from None
    except (ValueError, LookupError) as problem:  # LookupError: an unknown encoding
        raise InputError(str(problem)[:_MAX_QUOTED], where=where, hint=hint) from None


def _machine(document: bytes) -> Record:
    """Return machine, first node, and numbers of nodes and cores, as far as the system tree has them."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for name, kind in _TREE_NODE.findall(document, document.rfind(b"<system>")):
        level = kind.decode().lower()
        names.setdefault(level, unescape(name.decode(errors="replace")).removeprefix(f"{level} "))
        counts[level] += 1
    found = {MACHINE: names.get("machine", ""), NODE: names.get("node", "")}
    found |= {NODES: str(counts["node"]), CORES: str(counts["core"])}
    return {key: value for key, value in found.items() if value not in ("", "0")}


def _nodes(document: bytes) -> tuple[str, ...]:
    """Return the name of the node that each location group lies in; empty if one lies in none."""
    found: list[str] = []
    inside = [""]  # the node around each system tree node that is open
    last = max(document.rfind(b"<system>"), 0)
    for place in _system_tree_nodes(document, last):
        found += [inside[-1]] * document.count(b"<locationgroup", last, place.start())
        last = place.start()
        closes, name, kind = place.groups()
        if closes:
            del inside[max(len(inside) - 1, 1) :]
        elif kind and kind.strip().lower() == b"node":
            inside.append(unescape(name.decode(errors="replace")).removeprefix("node "))
        else:
            inside.append(inside[-1])
    return tuple(found) if all(found) else ()


def _system_tree_nodes(document: bytes, begin: int) -> Iterator[re.Match[bytes]]:
    """Yield the tags of nodes of the system tree: looking for their name first is faster."""
    while (found := document.find(b"systemtreenode", begin)) >= 0:
        tag = _PLACE.match(document, document.rfind(b"<", begin, found))
        begin = found + 1
        if tag:
            yield tag
            begin = tag.end()


def parse_anchor(document: bytes) -> Anchor:
    """Parse the text of an anchor."""
    taken = take_program(document)
    if taken is None:
        return _Events().parse(document)
    program, first, last = taken
    system, begin, end = take_system(document, last) or (None, last, last)
    rest = _Events().parse(document[:first], document[last:begin], document[end:])
    twice = system is not None and (rest.system.name or rest.system.location)
    if twice or rest.program.cnode or any(rest.program.regions):
        return _Events().parse(document)
    return replace(rest, program=program, system=system or rest.system)


class _Events:
    """The handlers expat calls, and what they know between two calls."""

    def __init__(self) -> None:
        self.attributes: Record = {}
        self.metrics: list[Record] = []
        self.groups: list[Record] = []
        self.locations: list[Record] = []
        self.group: list[int] = []  # of each location
        self.regions: list[Record] = []
        self.cnode: list[str] = []
        self.callee: list[str] = []
        self.parent: list[int] = []
        self.lists = {"metric": self.metrics, "region": self.regions, "locationgroup": self.groups}
        self.open: list[tuple[Record, frozenset[str]]] = []
        self.record: Record = {}
        self.wanted = _NOTHING
        self.callers: list[int] = [-1]
        self.programs = 0  # that are open
        self.text: list[str] = []

    def parse(self, *parts: bytes) -> Anchor:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.root
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity
        for part in parts:
            self.parser.Parse(part)
        self.parser.Parse(b"", True)
        del self.parser  # it holds our handlers and we hold it: memory would wait for the garbage collector
        regions = [tuple([region.get(name, "") for region in self.regions]) for name in REGION_FIELDS]
        program = Program(regions, self.cnode, self.callee, np.array(self.parent, np.int64))
        return Anchor(program, self.system(), self.attributes, self.metrics)

    def system(self) -> System:
        groups, locations = self.groups, self.locations
        return System(
            rank=[group.get("rank", "") for group in groups],
            name=[group.get("name", "") for group in groups],
            kind=[group.get("type", GROUP_TYPE) for group in groups],
            creator=[group.get("creator") for group in groups],
            location=[location.get("Id", "") for location in locations],
            location_kind=[location.get("type", LOCATION_TYPE) for location in locations],
            group=np.array(self.group, np.int64),
        )

    def root(self, tag: str, attributes: Record) -> None:
        if tag != _ROOT:
            raise ValueError(f"the document is <{tag[:40]}>, not <{_ROOT}>")
        self.parser.StartElementHandler = self.start

    def start(self, tag: str, attributes: Record) -> None:
        if tag in self.wanted:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append
        elif tag == "cnode":
            if not self.programs:
                raise ValueError("a <cnode> stands outside <program>")
            self.parent.append(self.callers[-1])
            self.callers.append(len(self.cnode))
            self.cnode.append(attributes.get("id", ""))
            self.callee.append(attributes.get("calleeId", ""))
        elif tag in _TEXTS:
            self.begin(tag, attributes)
        elif tag == "attr":
            self.attribute(attributes)
        elif tag == "program":
            self.programs += 1

    def end(self, tag: str) -> None:
        if tag in self.wanted:
            self.parser.CharacterDataHandler = None
            self.record.setdefault(tag, "".join(self.text))
        elif tag == "cnode":
            self.callers.pop()
        elif tag in _TEXTS:
            self.record, self.wanted = self.open.pop()
        elif tag == "program":
            self.programs -= 1

    def begin(self, tag: str, attributes: Record) -> None:
        self.open.append((self.record, self.wanted))
        self.record, self.wanted = attributes, _TEXTS[tag]
        if tag == "location":
            self.group.append(len(self.groups) - 1)
            self.locations.append(attributes)
        elif tag in self.lists:
            self.lists[tag].append(attributes)

    def attribute(self, attributes: Record) -> None:
        key, value = attributes.get("key", ""), attributes.get("value", "")
        if not self.open and len(self.callers) == 1:
            self.attributes[key] = value
        elif self.open and key == CREATOR:
            self.record["creator"] = value

    def entity(self, name: str, *_: object) -> None:
        raise ValueError(f"it declares an entity ('{name[:20]}'), which no Cube writer does")
