"""The contexts of ``meta.db`` as a call tree.

A context is an entry point, a function, a loop, a line or an instruction, below the one that it lies in or
is called from. Call paths are made of entry points, functions, loops whose line is known, and whatever else
is called: functions that are not known. All others belong to the nearest of these above them. Context 0,
which is not listed, is the whole program: the root of the tree.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import Struct

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import ROOT, CallTree
from ingest.profile import RegionTable
from ingest.readers.hpctoolkit.meta import Function, MetaFile
from ingest.readers.hpctoolkit.names import PLACEHOLDERS, PROGRAM_ROOT, UNKNOWN, paradigm_of, without_library
from ingest.readers.hpctoolkit.structures import FilePart
from ingest.reading.stacks import PARADIGM

FUNCTION, LOOP, LINE, INSTRUCTION = range(4)
HAS_FUNCTION, HAS_SOURCE, HAS_POINT = 1, 2, 4
WORD = 8
MAX_ENTRIES = (1 << 16) + 1  # of entry points, with the root

_ENTRIES = Struct("<QHB")
_ENTRY = Struct("<QQIH2xQ")  # size and offset of what is below, identifier, type, name
_CONTEXT = Struct("<QQIBBBBH6x")  # the same, flags, relation, type, words that follow, propagation
_POINTER = Struct("<Q")
_SOURCE = Struct("<QI")

_ON_DEVICE = frozenset(PLACEHOLDERS.values())


@dataclass(frozen=True, eq=False)
class Contexts:
    """The call tree of a database.

    Attributes:
        identifier: int64[n], the context of each call path.
        tree: n call paths; the first is the root.
        others: number of lines, instructions and loops without a line, which are counted with call paths.
    """

    identifier: IntArray
    tree: CallTree
    regions: RegionTable
    others: int


@dataclass(frozen=True)
class _Region:
    name: str
    file: str = ""
    line: int = 0
    paradigm: str = PARADIGM

    @property
    def handed_on(self) -> str:
        """The paradigm that all below it have, or empty."""
        return self.paradigm if self.paradigm in _ON_DEVICE else ""


@dataclass
class _Nodes:
    """The call tree as far as it is read: per node its context, the node above it and its region."""

    identifier: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    region: list[int] = field(default_factory=list)
    others: int = 0

    def add(self, identifier: int, above: int, region: int) -> int:
        """Add a node, and return its number."""
        self.identifier.append(identifier)
        self.parent.append(above)
        self.region.append(region)
        return len(self.parent) - 1


@dataclass
class _Regions:
    """The regions of a file, each looked up once.

    Attributes:
        number: number of a region by what it is made of: names, or offsets in the file.
        seen: number of a region by type, flags, fields and inherited paradigm of a context.
    """

    meta: MetaFile
    number: dict[tuple[object, ...], int] = field(default_factory=dict)
    found: list[_Region] = field(default_factory=list)
    seen: dict[tuple[int, int, bytes, str], int] = field(default_factory=dict)

    def named(self, name: str) -> int:
        """Return the number of the region of the root or an entry point."""
        key = (name,)
        if key not in self.number:
            self._add(key, _Region(name))
        return self.number[key]

    def of(self, kind: int, flags: int, words: bytes, inherited: str) -> int:
        """Return the number of the region of a context, -1 for a loop without a line.

        Args:
            inherited: the paradigm that it has from a placeholder above it, or empty.
        """
        function, file, line, module = _fields(flags, words)
        if kind == LOOP and not line:
            return -1
        key = (LOOP, file, line, inherited) if kind == LOOP else (FUNCTION, function, module, inherited)
        if key not in self.number:
            if kind == LOOP:
                self._add(key, self._loop(file, line, inherited))
            else:
                self._add(key, self._function(function, module, inherited))
        return self.number[key]

    def _add(self, key: tuple[object, ...], region: _Region) -> None:
        self.number[key] = len(self.found)
        self.found.append(region)

    def _loop(self, file: int, line: int, inherited: str) -> _Region:
        path = self.meta.file(file)
        name = f"Loop@{path.rpartition('/')[2]}:{line}"
        return _Region(name, path, line, inherited or PARADIGM)

    def _function(self, at: int, module_at: int, inherited: str) -> _Region:
        if not at:
            module = self.meta.module(module_at)
            return _Region(f"{UNKNOWN} [{module}]" if module else UNKNOWN, paradigm=inherited or PARADIGM)
        function = self.meta.function(at)
        name = without_library(function.name)
        paradigm = inherited or PLACEHOLDERS.get(name) or paradigm_of(name, function.module)
        return _Region(name or _made_up(function), function.file, function.line, paradigm)


def read_contexts(meta: MetaFile) -> Contexts:
    """Read the call tree."""
    part, nodes, regions = meta.sections["contexts"], _Nodes(), _Regions(meta)
    root = nodes.add(0, ROOT, regions.named(PROGRAM_ROOT))
    first, number, stride = part.unpack(_ENTRIES, part.start)
    for at in range(first, first + number * stride, max(stride, 1)):
        size, below, identifier, _, name = part.unpack(_ENTRY, at)
        entry = nodes.add(identifier, root, regions.named(meta.text(name) or UNKNOWN))
        try:
            _read_below(part, nodes, regions, (below, size), entry)
        except struct.error:
            raise ValueError("a context that is cut off at the end of its section") from None
    identifier = np.array(nodes.identifier, dtype=np.int64)
    if len(np.unique(identifier)) < len(identifier):
        raise ValueError("two contexts have the same identifier")
    tree = CallTree(np.array(nodes.parent, dtype=np.int64), np.array(nodes.region, dtype=np.int64))
    return Contexts(identifier, tree, _region_table(regions.found), nodes.others)


def _read_below(
    part: FilePart, nodes: _Nodes, regions: _Regions, extent: tuple[int, int], entry: int
) -> None:
    """Add the contexts of an array, with offset and size in bytes, and all below them, in preorder."""
    left = len(part.content) // _CONTEXT.size + MAX_ENTRIES - len(nodes.parent) - nodes.others
    seen, unpack, content, start = regions.seen, _CONTEXT.unpack_from, part.content, part.start
    pending = [(*_within(part, *extent), entry, "")]
    while pending:
        at, end, above, inherited = pending.pop()
        while at < end:
            size, below, identifier, flags, relation, kind, words, _ = unpack(content, at - start)
            fields, at = at + _CONTEXT.size, at + _CONTEXT.size + WORD * words
            left -= 1
            if left < 0:
                raise ValueError("contexts that are below themselves")
            node, handed_on, region = above, inherited, -1
            if kind <= LOOP or relation:
                key = (kind, flags, content[fields - start : at - start], inherited)
                if (known := seen.get(key)) is None:
                    known = seen[key] = regions.of(*key)
                region = known
            if region >= 0:
                node = nodes.add(identifier, above, region)
                handed_on = regions.found[region].handed_on
            else:
                nodes.others += 1
            if size:
                pending.append((at, end, above, inherited))
                (at, end), above, inherited = _within(part, below, size), node, handed_on


def _within(part: FilePart, at: int, size: int) -> tuple[int, int]:
    if size and not part.holds(at, size):
        raise ValueError(f"contexts at {at}, outside of their section")
    return at, at + size


def _fields(flags: int, words: bytes) -> tuple[int, int, int, int]:
    """Return where function and source file are, the line, and where the module is; 0 if there is none."""
    function = file = line = module = at = 0
    try:
        if flags & HAS_FUNCTION:
            (function,) = _POINTER.unpack_from(words, at)
            at += WORD
        if flags & HAS_SOURCE:
            file, line = _SOURCE.unpack_from(words, at)
            at += 2 * WORD
        if flags & HAS_POINT:
            (module,) = _POINTER.unpack_from(words, at)
    except struct.error:
        raise ValueError("a context without the fields that its flags state") from None
    return function, file, line, module


def _made_up(function: Function) -> str:
    """Return a name for a function that has none."""
    if function.module:
        return f"{UNKNOWN} {function.offset:#x} [{function.module}]"
    return f"{UNKNOWN} {function.file.rpartition('/')[2]}:{function.line}"


def _region_table(found: Sequence[_Region]) -> RegionTable:
    return RegionTable.named(
        [region.name for region in found],
        [region.paradigm for region in found],
        [(region.file, region.line or -1) for region in found],
    )
