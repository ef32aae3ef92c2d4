"""Databases since 2022: ``meta.db`` and ``profile.db`` as a `Profile`.

Of the values that are stored of a metric only the inclusive ones are used, those of the scope ``execution``:
others are repeated on the lines and loops of a function. What a call path has of its own is what those below
it leave, so that the sum over all call paths is the value of the whole program.
"""

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import ROOT, CallTree
from ingest.errors import InputError, one_line
from ingest.profile import Block, Metric, Profile, RegionTable, require_summable
from ingest.readers.hpctoolkit.profile_db import (
    DEVICE_TIMES,
    HOST_TIMES,
    PLACEHOLDERS,
    PROGRAM_ROOT,
    UNKNOWN_FUNCTION,
    FilePart,
    Placement,
    ProfileFile,
    StoredProfile,
    is_of_device,
    paradigm_of,
    place,
    sections,
    split_unit,
    without_library,
)
from ingest.reading.files import read_bytes, unreadable
from ingest.reading.stacks import PARADIGM, TIME_METRIC
from ingest.run_settings import RECONCILED, SAMPLED
from ingest.units import SECONDS

_MAX_BYTES = 1 << 32
_MAX_NAME = 1 << 16
_MAX_METRICS = 1 << 16  # their identifiers have 16 bits
_SECTIONS = ("general", "kinds", "metrics", "contexts", "strings", "modules", "files", "functions")

_TITLE_POINTER = Struct("<Q")
_KINDS = Struct("<QB")
_METRICS = Struct("<QIBBB")
_METRIC = Struct("<QQQHH")  # name, instances, summaries, numbers of these
_INSTANCE = Struct("<QH")  # scope, identifier of its values
_SUMMARY = Struct("<QQBxH")  # scope, formula, how threads are combined, identifier of its values
_SCOPE = Struct("<QB")  # name, type
_FUNCTION = Struct("<QQQQI")  # name, module, offset in it, file, line
_NAMED = Struct("<8xQ")  # a load module or a source file: flags, path

_EXECUTION, _SUM, _IDENTITY = 2, 0, "$$"


@dataclass(frozen=True)
class MeasuredMetric:
    """A metric that was measured."""

    name: str  # as it is written, with its unit
    inclusive: int  # identifier of its inclusive values (scope ``execution``) in the profiles of threads
    total: int  # identifier of the sum of these over all threads in the summary, -1 if there is none


@dataclass(frozen=True)
class Function:
    """A function, as far as it is known."""

    name: str  # empty if it has none
    module: str  # file name of its load module, empty if unknown
    offset: int  # of its first instruction in the module
    file: str  # source file, empty if unknown
    line: int  # in the source file, 0 if unknown


@dataclass(eq=False, kw_only=True)
class MetaFile:
    """The content of ``meta.db``; methods raise ValueError if it is damaged."""

    whole: FilePart
    sections: dict[str, FilePart]
    characters: int  # that may still be read: texts of a file are not many times longer than the file
    _texts: dict[int, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, path: Path) -> "MetaFile":
        """Read a file."""
        content = read_bytes(path, _MAX_BYTES)
        whole, parts = FilePart(0, content), {}
        for name, (size, at) in zip(_SECTIONS, sections(content, b"meta", len(_SECTIONS)), strict=True):
            if not whole.holds(at, size):
                raise ValueError(f"the section of {name} lies behind the end: truncated")
            parts[name] = FilePart(at, content[at : at + size])
        return cls(whole=whole, sections=parts, characters=8 * len(content) + _MAX_NAME)

    def text(self, at: int) -> str:
        """Return the text at an offset; empty at offset 0, which stands for none."""
        if not at:
            return ""
        if at not in self._texts:
            text = self.whole.text(at, _MAX_NAME)
            self.characters -= len(text)
            if self.characters < 0:
                raise ValueError("its texts overlap")
            self._texts[at] = text
        return self._texts[at]

    def title(self) -> str:
        """Return the title: the program, if the user gave no other."""
        part = self.sections["general"]
        (at,) = part.unpack(_TITLE_POINTER, part.start)
        return self.text(at)

    def kinds(self) -> list[str]:
        """Return the names of the kinds of identifiers: ``NODE``, ``RANK``, ``THREAD`` ..."""
        part = self.sections["kinds"]
        at, number = part.unpack(_KINDS, part.start)
        return [self.text(int(name)) for (name,) in part.table([("at", "<u8")], at, number).tolist()]

    def metrics(self) -> tuple[list[MeasuredMetric], list[str]]:
        """Return the metrics, and the names of those without inclusive values."""
        part = self.sections["metrics"]
        first, number, size, instance_size, summary_size = part.unpack(_METRICS, part.start)
        if number > _MAX_METRICS:
            raise ValueError(f"{number} metrics")
        found, others, identifiers = [], [], 0
        for at in range(first, first + number * size, max(size, 1)):
            name, instances, summaries, scopes, summed = part.unpack(_METRIC, at)
            identifiers += scopes + summed
            if identifiers > 2 * _MAX_METRICS:
                raise ValueError("more identifiers of metrics than there can be")
            inclusive = self._inclusive(
                range(instances, instances + scopes * instance_size, instance_size or 1)
            )
            total = self._total(range(summaries, summaries + summed * summary_size, summary_size or 1))
            if inclusive < 0:
                others.append(self.text(name))
            else:
                found.append(MeasuredMetric(self.text(name), inclusive, total))
        return found, others

    def function(self, at: int) -> Function:
        """Return the function at an offset."""
        name, module, offset, file, line = self.sections["functions"].unpack(_FUNCTION, at)
        return Function(self.text(name), self.module(module), offset, self.file(file), line)

    def module(self, at: int) -> str:
        """Return the file name of the load module at an offset; empty at offset 0."""
        return self.text(self.sections["modules"].unpack(_NAMED, at)[0]).rpartition("/")[2] if at else ""

    def file(self, at: int) -> str:
        """Return the path of the source file at an offset; empty at offset 0.

        A load module in brackets stands for files that are unknown.
        """
        path = self.text(self.sections["files"].unpack(_NAMED, at)[0]) if at else ""
        return "" if path.startswith("[") and path.endswith("]") else path

    def _inclusive(self, instances: range) -> int:
        part = self.sections["metrics"]
        for at in instances:
            scope, identifier = part.unpack(_INSTANCE, at)
            if part.unpack(_SCOPE, scope)[1] == _EXECUTION:
                return int(identifier)
        return -1

    def _total(self, summaries: range) -> int:
        part = self.sections["metrics"]
        for at in summaries:
            scope, formula, combine, identifier = part.unpack(_SUMMARY, at)
            summed = combine == _SUM and self.text(formula) == _IDENTITY
            if summed and part.unpack(_SCOPE, scope)[1] == _EXECUTION:
                return int(identifier)
        return -1


FUNCTION, _LOOP, _LINE, _INSTRUCTION = range(4)
_HAS_FUNCTION, _HAS_SOURCE, _HAS_POINT = 1, 2, 4
_WORD = 8
_MAX_ENTRIES = (1 << 16) + 1  # of entry points, with the root

_ENTRIES = Struct("<QHB")
_ENTRY = Struct("<QQIH2xQ")  # size and offset of what is below, identifier, type, name
_CONTEXT = Struct("<QQIBBBBH6x")  # the same, flags, relation, type, words that follow, propagation
_POINTER = Struct("<Q")
_SOURCE = Struct("<QI")

_ON_DEVICE = frozenset(PLACEHOLDERS.values())


@dataclass(frozen=True, eq=False)
class Contexts:
    """The call tree of a database."""

    identifier: IntArray  # int64[n], the context of each call path
    tree: CallTree  # n call paths; the first is the root
    regions: RegionTable
    others: int  # number of lines, instructions and loops without a line, which are counted with call paths


_MAX_DENSE = 1 << 31  # values: 16 GiB

Triplets: TypeAlias = tuple[IntArray, IntArray, FloatArray]  # int64[k], call path and location; float64[k]


@dataclass(frozen=True, eq=False)
class SparseEntries:
    """The values of a metric that are not zero, sorted by call path, then location."""

    first: IntArray  # int64[n + 1], the entries of call path i are ``first[i] : first[i + 1]``
    location: IntArray  # int64[k]
    value: FloatArray  # float64[k]


def _summed_entries(parts: Sequence[Triplets], shape: tuple[int, int]) -> SparseEntries:
    """Sort values and add those of the same call path and location, which may stand in several parts."""
    place = np.concatenate([node * shape[1] + location for node, location, _ in parts])
    value = np.concatenate([value for _, _, value in parts])
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    if len(begins) < len(place):
        place, value = place[begins], np.add.reduceat(value, begins)
    node, location = np.divmod(place, max(shape[1], 1))
    return SparseEntries(np.searchsorted(node, np.arange(shape[0] + 1)), location, value)


@dataclass(frozen=True, eq=False)
class SparseValues:
    """The loader of exclusive metrics that are kept sparse."""

    source: str
    shape: tuple[int, int]  # number of call paths n and of locations L
    entries: Mapping[str, SparseEntries] = field(repr=False)  # the values of each metric by its name

    def __call__(self, metric: Metric) -> FloatArray:
        """Return all values of a metric, float64[n, L]."""
        if self.shape[0] * self.shape[1] > _MAX_DENSE:
            what = f"{self.shape[0]} call paths x {self.shape[1]} locations are too large for memory"
            raise InputError(what, where=self.source)
        return self._dense(metric, np.arange(self.shape[0]))

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield the call paths that have values, `rows` at once."""
        used = np.flatnonzero(np.diff(self.entries[metric.name].first))
        for begin in range(0, len(used), rows):
            nodes = used[begin : begin + rows]
            yield nodes, self._dense(metric, nodes)

    def _dense(self, metric: Metric, nodes: IntArray) -> FloatArray:
        """Return the values of call paths in ascending order, float64[k, L]."""
        entries = self.entries[metric.name]
        number = entries.first[nodes + 1] - entries.first[nodes]
        row = np.repeat(np.arange(len(nodes)), number)
        chosen = np.arange(len(row)) + np.repeat(entries.first[nodes] - np.cumsum(number) + number, number)
        values = np.zeros((len(nodes), self.shape[1]))
        values[row, entries.location[chosen]] = entries.value[chosen]
        return values


META, PROFILES = "meta.db", "profile.db"
_TITLE = "title"
_HINT = "was hpcprof interrupted?"
_ROUNDING = 1e-12  # relative to the inclusive value: sums of the same numbers in another order
_WHOLE_PROGRAM = 0  # the context

_IDENTIFIERS = 1 << 16


@dataclass(frozen=True)
class _Use:
    stored: str  # its name in the database
    metric: Metric  # the metric that its values are added to
    scale: float = 1.0
    device: bool = False  # whether they are of accelerators, not of the thread


@dataclass(eq=False)
class _Collected:
    """The exclusive values of a stored metric, as profiles are read."""

    profile: list[int] = field(default_factory=list)  # the profiles that have some
    node: list[IntArray] = field(default_factory=list)  # of each of these int64[k], call paths
    value: list[FloatArray] = field(default_factory=list)  # and float64[k]
    stated: float = 0.0  # the sum over all profiles and call paths that the summary states
    whole: float = 0.0  # the same, by the values that profiles have for the whole program

    def profiles(self) -> IntArray:
        """Return the profile of each value."""
        return np.repeat(np.array(self.profile, dtype=np.int64), [len(node) for node in self.node])


def read(path: Path) -> Profile:
    """Read a database."""
    try:
        meta = MetaFile.of(path / META)
        contexts, title, kinds = _read_contexts(meta), meta.title(), meta.kinds()
        metrics, skipped = meta.metrics()
        uses = _uses(metrics)
    except ValueError as error:
        raise InputError(str(error), where=str(path / META), hint=_HINT) from error
    try:
        with ProfileFile.open(path / PROFILES) as file:
            profiles = file.profiles(kinds)
            collected = _collect(file, profiles, metrics, contexts)
    except ValueError as error:
        raise InputError(str(error), where=str(path / PROFILES), hint=_HINT) from error
    except OSError as error:
        raise unreadable(path / PROFILES, error, _HINT) from error
    threads = [profile for profile in profiles if not profile.summary]
    found = [(use, of) for use, of in zip(uses, collected, strict=True) if of.profile]
    if not found:
        raise InputError("no values in it", where=str(path), hint="was the measurement interrupted?")
    placement = _placement(threads, found)
    shape = len(contexts.tree), len(placement.locations)
    return Profile(
        source=str(path),
        tree=contexts.tree,
        regions=contexts.regions,
        locations=placement.locations,
        metrics=tuple(dict.fromkeys(use.metric for use, _ in found)),
        load=SparseValues(str(path), shape, _entries(found, placement, shape)),
        attributes={"generator": "HPCToolkit", _TITLE: title, SAMPLED: "yes", RECONCILED: _reconciled(found)},
        notices=tuple(map(one_line, _notices(contexts, skipped, placement, len(threads), found))),
    )


def _uses(metrics: Sequence[MeasuredMetric]) -> list[_Use]:
    """Return what the metrics become: one of them is the time of threads, others that of accelerators."""
    named = [split_unit(metric.name) for metric in metrics]
    times = [name for name, unit in named if unit in SECONDS]
    host = next((name for name in HOST_TIMES if name in times), "")
    uses, names = [], {TIME_METRIC.name}
    for (name, unit), stored in zip(named, metrics, strict=True):
        if unit in SECONDS and name in (host, *DEVICE_TIMES):
            uses.append(_Use(stored.name, TIME_METRIC, SECONDS[unit], is_of_device(name)))
            continue
        metric = Metric(stored.name if name in names else name, unit)
        if metric.name in names or not metric.name:
            raise ValueError(f"two metrics are called '{stored.name[:80]}', or one has no name")
        names.add(metric.name)
        uses.append(_Use(stored.name, metric, device=is_of_device(name)))
    if len({metric.inclusive for metric in metrics}) < len(metrics):
        raise ValueError("two metrics have the same identifier")
    return uses


def _collect(
    file: ProfileFile,
    profiles: Sequence[StoredProfile],
    metrics: Sequence[MeasuredMetric],
    contexts: Contexts,
) -> list[_Collected]:
    """Read the values of all profiles, for each metric."""
    found = [_Collected() for _ in metrics]
    order = np.argsort(contexts.identifier)
    listed = contexts.identifier[order]
    inclusive, total = np.full((2, _IDENTIFIERS), -1)
    inclusive[[metric.inclusive for metric in metrics]] = np.arange(len(metrics))
    with_total = [i for i, metric in enumerate(metrics) if metric.total >= 0]
    total[[metrics[i].total for i in with_total]] = with_total
    summary = next((profile for profile in profiles if profile.summary), None)
    if summary is not None:
        for number, context, value in file.values(summary, total):
            found[number].stated = _of_program(context, value)
    for i, profile in enumerate(profile for profile in profiles if not profile.summary):
        for number, context, value in file.values(profile, inclusive):
            require_summable(value, "a metric", str(file.stream.name))
            place_of = np.minimum(np.searchsorted(listed, context), len(listed) - 1)
            known = listed[place_of] == context
            node, own = _exclusive(contexts.tree, order[place_of[known]], value[known])
            of = found[number]
            of.whole += _of_program(context, value)
            if len(node):
                of.profile.append(i)
                of.node.append(node)
                of.value.append(own)
    return found


def _of_program(context: IntArray, value: FloatArray) -> float:
    return float(value[0]) if len(context) and context[0] == _WHOLE_PROGRAM else 0.0


def _exclusive(tree: CallTree, node: IntArray, inclusive: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the call paths with values of their own, int64[k], and these, from inclusive ones of v nodes."""
    order = np.argsort(node)
    node, inclusive = node[order], inclusive[order]
    above = tree.parent[node]
    below = above >= 0
    place_of = np.minimum(np.searchsorted(node, above[below]), len(node) - 1)
    if (node[place_of] != above[below]).any():
        raise ValueError("a context has values, but not the one above it")
    own = inclusive - np.bincount(place_of, inclusive[below], len(node))
    own[np.abs(own) <= _ROUNDING * np.abs(inclusive)] = 0.0
    if (own < 0).any():
        raise ValueError("a context has less than those below it")
    return node[own > 0], own[own > 0]


def _placement(threads: Sequence[StoredProfile], found: Sequence[tuple[_Use, _Collected]]) -> Placement:
    used, starting = np.zeros((2, len(threads)), dtype=np.bool_)
    for use, of in found:
        used[of.profile] = True
        if use.device:
            starting[of.profile] = True
    return place(threads, used, starting)


def _entries(
    found: Sequence[tuple[_Use, _Collected]], placement: Placement, shape: tuple[int, int]
) -> dict[str, SparseEntries]:
    parts: dict[str, list[Triplets]] = {}
    for use, of in found:
        location = (placement.started if use.device else placement.own)[of.profiles()]
        part = np.concatenate(of.node), location, np.concatenate(of.value) * use.scale
        parts.setdefault(use.metric.name, []).append(part)
    return {name: _summed_entries(of, shape) for name, of in parts.items()}


def _reconciled(found: Sequence[tuple[_Use, _Collected]]) -> str:
    """Return how much of the stated time is read; of the first metric if there is no time."""
    times = [(use, of) for use, of in found if use.metric == TIME_METRIC] or found[:1]
    parts = []
    for use, of in times:
        read = use.scale * math.fsum(float(value.sum()) for value in of.value)
        stated = use.scale * (of.stated or of.whole)
        (name, _), unit = split_unit(use.stored), use.metric.unit
        share = f" = {100 * read / stated:.2f} % of the stated {stated:.10g} {unit}" if stated else ""
        parts.append(f"{name} {read:.10g} {unit}{share}")
    return one_line("; ".join(parts))


def _notices(
    contexts: Contexts,
    skipped: Sequence[str],
    placement: Placement,
    threads: int,
    found: Sequence[tuple[_Use, _Collected]],
) -> Iterator[str]:
    if contexts.others:
        others = "lines, instructions and loops of unknown lines"
        yield f"{contexts.others} {others} are counted with their functions"
    if skipped:
        yield f"{len(skipped)} metrics without inclusive values are not read: {', '.join(skipped)[:200]}"
    if empty := threads - len({i for _, of in found for i in of.profile}):
        yield f"{empty} of {threads} profiles have no values"
    yield from placement.notices


# The contexts of ``meta.db`` as a call tree.
#
# A context is an entry point, a function, a loop, a line or an instruction, below the one that it lies in or
# is called from. Call paths are made of entry points, functions, loops whose line is known, and whatever else
# is called: functions that are not known. All others belong to the nearest of these above them. Context 0,
# which is not listed, is the whole program: the root of the tree.


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
    """The regions of a file, each looked up once."""

    meta: MetaFile
    # number of a region by what it is made of: names, or offsets in the file
    number: dict[tuple[object, ...], int] = field(default_factory=dict)
    found: list[_Region] = field(default_factory=list)
    # number of a region by type, flags, fields and inherited paradigm of a context
    seen: dict[tuple[int, int, bytes, str], int] = field(default_factory=dict)

    def named(self, name: str) -> int:
        """Return the number of the region of the root or an entry point."""
        key = (name,)
        if key not in self.number:
            self._add(key, _Region(name))
        return self.number[key]

    def of(self, kind: int, flags: int, words: bytes, inherited: str) -> int:
        """Return the number of the region of a context, -1 for a loop without a line.

        `inherited` is the paradigm that it has from a placeholder above it, or empty.
        """
        function, file, line, module = _fields(flags, words)
        if kind == _LOOP and not line:
            return -1
        key = (_LOOP, file, line, inherited) if kind == _LOOP else (FUNCTION, function, module, inherited)
        if key not in self.number:
            if kind == _LOOP:
                path = self.meta.file(file)
                name = f"Loop@{path.rpartition('/')[2]}:{line}"
                self._add(key, _Region(name, path, line, inherited or PARADIGM))
            else:
                self._add(key, self._function(function, module, inherited))
        return self.number[key]

    def _add(self, key: tuple[object, ...], region: _Region) -> None:
        self.number[key] = len(self.found)
        self.found.append(region)

    def _function(self, at: int, module_at: int, inherited: str) -> _Region:
        if not at:
            module = self.meta.module(module_at)
            return _Region(
                f"{UNKNOWN_FUNCTION} [{module}]" if module else UNKNOWN_FUNCTION,
                paradigm=inherited or PARADIGM,
            )
        function = self.meta.function(at)
        name = without_library(function.name)
        paradigm = inherited or PLACEHOLDERS.get(name) or paradigm_of(name, function.module)
        return _Region(name or _made_up(function), function.file, function.line, paradigm)


def _read_contexts(meta: MetaFile) -> Contexts:
    part, nodes, regions = meta.sections["contexts"], _Nodes(), _Regions(meta)
    root = nodes.add(0, ROOT, regions.named(PROGRAM_ROOT))
    first, number, stride = part.unpack(_ENTRIES, part.start)
    for at in range(first, first + number * stride, max(stride, 1)):
        size, below, identifier, _, name = part.unpack(_ENTRY, at)
        entry = nodes.add(identifier, root, regions.named(meta.text(name) or UNKNOWN_FUNCTION))
        try:
            _read_below(part, nodes, regions, (below, size), entry)
        except struct.error:
            raise ValueError("a context that is cut off at the end of its section") from None
    identifier = np.array(nodes.identifier, dtype=np.int64)
    if len(np.unique(identifier)) < len(identifier):
        raise ValueError("two contexts have the same identifier")
    tree = CallTree(np.array(nodes.parent, dtype=np.int64), np.array(nodes.region, dtype=np.int64))
    table = RegionTable.named(
        [region.name for region in regions.found],
        [region.paradigm for region in regions.found],
        [(region.file, region.line or -1) for region in regions.found],
    )
    return Contexts(identifier, tree, table, nodes.others)


def _read_below(
    part: FilePart, nodes: _Nodes, regions: _Regions, extent: tuple[int, int], entry: int
) -> None:
    """Add the contexts of an array, with offset and size in bytes, and all below them, in preorder."""
    left = len(part.content) // _CONTEXT.size + _MAX_ENTRIES - len(nodes.parent) - nodes.others
    seen, unpack, content, start = regions.seen, _CONTEXT.unpack_from, part.content, part.start
    pending = [(*_within(part, *extent), entry, "")]
    while pending:
        at, end, above, inherited = pending.pop()
        while at < end:
            size, below, identifier, flags, relation, kind, words, _ = unpack(content, at - start)
            fields, at = at + _CONTEXT.size, at + _CONTEXT.size + _WORD * words
            left -= 1
            if left < 0:
                raise ValueError("contexts that are below themselves")
            node, handed_on, region = above, inherited, -1
            if kind <= _LOOP or relation:
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
        if flags & _HAS_FUNCTION:
            (function,) = _POINTER.unpack_from(words, at)
            at += _WORD
        if flags & _HAS_SOURCE:
            file, line = _SOURCE.unpack_from(words, at)
            at += 2 * _WORD
        if flags & _HAS_POINT:
            (module,) = _POINTER.unpack_from(words, at)
    except struct.error:
        raise ValueError("a context without the fields that its flags state") from None
    return function, file, line, module


def _made_up(function: Function) -> str:
    """Return a name for a function that has none."""
    if function.module:
        return f"{UNKNOWN_FUNCTION} {function.offset:#x} [{function.module}]"
    return f"{UNKNOWN_FUNCTION} {function.file.rpartition('/')[2]}:{function.line}"
