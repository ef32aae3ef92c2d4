"""The tree of a ``.cali`` file: attributes, and annotations as its nodes.

A node whose attribute is 8 is an attribute itself, with its type, properties and unit in the nodes above
it. The annotations of a record are its nodes and those above them; those whose attribute is nested are its
path.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ingest.calltree import ROOT, CallTreeBuilder

MAX_DEPTH = 2000  # of a node
MAX_DIGITS = 19

T = TypeVar("T")

_ATTRIBUTE, _TYPE, _PROPERTIES = 8, 9, 10  # attributes that every file has
_BOOTSTRAP = 12  # nodes that every file has without writing them
_NESTED, _HIDDEN = 256, 128  # properties
_UNIT = "attribute.unit"
_NODE = re.compile(
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
    """The tree of a file as it is read.

    Attributes:
        nodes: id -> attribute, data, parent; parent -1 if there is none.
        kinds: region name -> the attributes that it is a value of.
        known: id -> what the node says, of those that were asked for.
    """

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
    kinds: dict[str, set[str]] = field(default_factory=dict)
    known: dict[int, Annotations] = field(default_factory=dict)

    def define(self, line: str) -> None:
        """Add the node of a line. It comes once and after its parent, so that no node is its own caller."""
        match = _NODE.fullmatch(line)
        node, parent = (int(match[1]), int(match[4] or 0)) if match else (-1, -1)
        unknown = node in self.depth or parent not in self.depth
        if match is None or unknown or self.depth[parent] >= MAX_DEPTH:
            raise ValueError("malformed node")
        self.depth[node] = self.depth[parent] + 1
        data = plain(match[3])
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
            found = defined(self.known, node, "node")
        for node in reversed(pending):
            found = self.known[node] = self._below(found, *self.nodes[node][:2])
        return found

    def _below(self, above: Annotations, number: int, data: str) -> Annotations:
        attribute = defined(self.attributes, number, "attribute")
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
            found = self.annotations(number(text))
            node = found.node if found.nested else node
            values |= found.values
        return node, values

    def attribute(self, text: str) -> Attribute:
        """Return the attribute of a number."""
        return defined(self.attributes, number(text), "attribute")


def plain(text: str) -> str:
    r"""Return a text as it was before characters were escaped; ``\n`` is the end of a line."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text) if "\\" in text else text


def number(text: str) -> int:
    """Return the number of a node."""
    if not (text.isdecimal() and len(text) < MAX_DIGITS):
        raise ValueError(f"damaged: '{text[:30]}' is not the number of a node")
    return int(text)


def defined(known: Mapping[int, T], number: int, what: str) -> T:
    """Return what has a number."""
    if number not in known:
        raise ValueError(f"damaged: {what} {number} is not defined")
    return known[number]
