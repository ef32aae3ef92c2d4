"""The long sections of an anchor, read in the fixed form in which Cube's writers set them.

A regular expression reads this form several times faster than an XML parser reports events: the regions and
call paths, which are nearly all of an anchor, and the location groups and locations. It is used only where it
accounts for every character of a section, so that both ways give the same result; otherwise expat reads the
whole document.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias, cast

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.calltree import CallTree
from ingest.profile import RegionTable

REGION_FIELDS = ("id", "mod", "begin", "name", "mangled_name", "paradigm", "descr")
CREATOR = "Creating location group"
GROUP_TYPE, LOCATION_TYPE = "process", "thread"  # if none is written

Column: TypeAlias = Sequence[str | None]  # None if an optional part is missing

_NO_XML = r"\x00-\x08\x0b-\x1f\ufffe\uffff"  # and carriage returns, which XML turns into line feeds
_TEXT = f"[^<>{_NO_XML}]*+"
_VALUE = f'[^<>"\t\n{_NO_XML}]*+'
_GAP = r"[ \t\n]*+"
_ATTRIBUTES = rf'(?:<attr key="{_VALUE}" value="{_VALUE}"/>{_GAP})*+'

_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_OTHER_ENTITY = re.compile("&(?!(?:lt|gt|quot|apos|amp);)")
_BETWEEN = "\x00"  # does not occur in XML

_REGION = re.compile(
    rf'<region id="([0-9]++)" mod="({_VALUE})" begin="(-?[0-9]++)" end="-?[0-9]++">{_GAP}'
    rf"<name>({_TEXT})</name>{_GAP}"
    rf"(?:<mangled_name>({_TEXT})</mangled_name>{_GAP})?"
    rf"(?:<paradigm>({_TEXT})</paradigm>{_GAP})?"
    rf"(?:<role>{_TEXT}</role>{_GAP})?"
    rf"<url>{_TEXT}</url>{_GAP}"
    rf"<descr>({_TEXT})</descr>{_GAP}"
    rf"{_ATTRIBUTES}"
    rf"</region>{_GAP}"
)
_CNODE = re.compile(
    rf'<cnode id="([0-9]++)"(?: line="-?[0-9]++")?(?: mod="{_VALUE}")? calleeId="([0-9]++)">{_GAP}'
    rf"((?:</cnode>{_GAP})*+)"
)
_BEFORE_PROGRAM = re.compile(
    rb"""\s*<\?xml version=["']1\.0["'] encoding=["'](?i:UTF-8)["'] ?\?>[^!]*<program>\s*"""
)
_SPACE = b" \t\r\n"

_NAME = rf"<name>{_TEXT}</name>{_GAP}"
_TREE = (
    rf'<(?:systemtreenode Id="[0-9]++">{_GAP}{_NAME}'
    rf"(?:<class>{_TEXT}</class>{_GAP})?(?:<descr>{_TEXT}</descr>{_GAP})?{_ATTRIBUTES}|(/)systemtreenode>{_GAP})"
)
_LOCATION = (
    rf'(?:(<)locationgroup Id="[0-9]++">{_GAP}<name>({_TEXT})</name>{_GAP}<rank>({_TEXT})</rank>{_GAP}'
    rf"<type>({_TEXT})</type>{_GAP}({_ATTRIBUTES}))?+"
    rf'<location Id="([0-9]++)">{_GAP}{_NAME}<rank>{_TEXT}</rank>{_GAP}<type>({_TEXT})</type>{_GAP}'
    rf"{_ATTRIBUTES}</location>{_GAP}(</locationgroup>)?+{_GAP}"
)
_PART = re.compile(f"{_LOCATION}|{_TREE}")
_CREATOR = re.compile(f'<attr key="{CREATOR}" value="({_VALUE})"')
_BEFORE_SYSTEM = re.compile(rb"\s*</program>\s*<system>[ \t\n]*")
_SYSTEM_END = b"</systemtreenode>"
_OLD_PARADIGMS = frozenset(
    ("compiler", "user", "mpi", "openmp", "omp", "pthread", "cuda", "opencl", "shmem", "measurement")
)
_REMEMBERED = 1 << 22  # bytes: what is longer takes less time than the values that come with it


@dataclass(frozen=True, eq=False)
class Program:
    """Regions and call paths, column by column, as written."""

    # per field of `REGION_FIELDS` the texts of all regions, empty if missing
    regions: Sequence[Sequence[str]]
    cnode: Sequence[str]  # identifiers of the call paths, in document order, which is preorder
    callee: Sequence[str]
    parent: IntArray  # int64[n], index of their callers, -1 for roots

    @cached_property
    def tree(self) -> CallTree:
        """The call tree; ValueError if identifiers do not say which region a call path is a call of."""
        nodes = len(self.cnode)
        if nodes == 0:
            raise ValueError("it has no call paths")
        if len(set(self.cnode)) < nodes:
            raise ValueError("two call paths have the same id")
        defined = self.regions[0]
        index = dict(zip(defined, range(len(defined)), strict=True))
        if len(index) < len(defined):
            raise ValueError("two regions have the same id")
        try:
            region = np.fromiter(map(index.__getitem__, self.callee), np.int64, nodes)
        except KeyError as missing:
            raise ValueError(f"a call path calls region {missing}, which is not defined") from None
        return CallTree(self.parent, region)

    @cached_property
    def table(self) -> RegionTable:
        """The table of regions; ValueError if a line is no number."""
        _, files, lines, names, mangled, paradigms, descriptions = self.regions
        if not all(paradigms):
            # files of Score-P 1 have it in the description
            stated = (text if text.lower() in _OLD_PARADIGMS else "" for text in descriptions)
            paradigms = [own or of_text for own, of_text in zip(paradigms, stated, strict=True)]
        if not all(mangled):
            mangled = [linker or name for linker, name in zip(mangled, names, strict=True)]
        places = zip(files, numbers_of(lines, "the first line of a region"), strict=True)
        return RegionTable.named(names, map(str.lower, paradigms), list(places), mangled)


def numbers_of(texts: Sequence[str], what: str) -> IntArray:
    """Convert identifiers and lines to int64."""
    try:
        return np.fromiter(map(int, texts), np.int64, len(texts))
    except (ValueError, OverflowError):
        raise ValueError(f"{what} is not a number") from None


@dataclass(frozen=True, eq=False, kw_only=True)
class System:
    """Location groups and locations, column by column, as written."""

    rank: Sequence[str]
    name: Sequence[str]
    kind: Sequence[str]  # the type of each location group
    # of each location group the value of its attribute `CREATOR`, None if it has none
    creator: Sequence[str | None]
    location: Sequence[str]  # identifiers of the locations
    location_kind: Sequence[str]  # the type of each location
    group: IntArray  # int64[L], index of the location group of each location, -1 if it has none


class OtherFormError(Exception):
    """The section is not in the form that Cube writes."""


def take_program(document: bytes) -> tuple[Program, int, int] | None:
    """Return the section from the first region to the last call path, and where it begins and ends.

    An XML parser can then read the rest. None if it is not in the form that Cube writes (parameters,
    comments, other writers).
    """
    first, last = document.find(b"<region "), document.rfind(b"</cnode>") + len(b"</cnode>")
    regions = document.rfind(b"</region>", 0, last) + len(b"</region>")
    calls = document.find(b"<cnode ", regions, last)
    if not 0 < first < regions < calls < last or document[regions:calls].strip(_SPACE):
        return None
    if not _BEFORE_PROGRAM.fullmatch(document, 0, first):
        return None
    read = _last_program if last - first <= _REMEMBERED else _program
    try:
        return read(document[first:regions], document[calls:last]), first, last
    except OtherFormError:
        return None


def _program(regions: bytes, calls: bytes) -> Program:
    cnode, callee, closed = map(_filled, _columns(_CNODE, calls))
    callers = _callers([ends.count("/") for ends in closed])
    return Program(list(map(_texts, _columns(_REGION, regions))), cnode, callee, callers)


_last_program = lru_cache(maxsize=1)(_program)
"""Runs of one program describe it in the same words."""


def _callers(closed: Sequence[int]) -> IntArray:
    """Return the parent of each call path, int64[n], given the number of end tags after its start tag."""
    node = np.arange(len(closed))
    open_calls = node + 1 - np.cumsum(closed)  # after a call path and its end tags
    if open_calls.min() < 0 or open_calls[-1]:
        raise OtherFormError
    depth = np.concatenate([[0], open_calls[:-1]])
    order = np.argsort(depth, kind="stable")
    place = depth * len(node) + node  # sorted by depth, then as they stand
    caller = order[np.searchsorted(place[order], place - len(node)) - 1]
    return np.where(depth == 0, -1, caller)


def take_system(document: bytes, program: int) -> tuple[System, int, int] | None:
    """Return the section from the first to the last node of the system tree, and where it begins and ends.

    That of the program, in the form that Cube writes, is before it. None if it is not in that form (location
    groups without locations, comments, other writers).
    """
    before = _BEFORE_SYSTEM.match(document, program)
    if before is None:
        return None
    first, last = before.end(), document.rfind(_SYSTEM_END, program) + len(_SYSTEM_END)
    try:
        return _system(_columns(_PART, document[first:last])), first, last
    except OtherFormError:
        return None


def _system(parts: Sequence[Column]) -> System:
    """Check how the parts nest, and separate groups from locations."""
    begins, name, rank, kind, attributes, location, location_kind, ends, above = parts
    here = _there(location)
    inside = np.cumsum(_there(begins)) - np.cumsum(_there(ends)) + _there(ends)  # with a group that ends here
    upwards = _there(above)
    depth: IntArray = np.cumsum(~here & ~upwards) - np.cumsum(upwards)
    if (inside != here).any() or depth.min() < 0 or depth[-1]:
        raise OtherFormError
    of_group = [part for part, begin in enumerate(begins) if begin]
    attributes = [attributes[part] for part in of_group]
    return System(
        rank=_texts([rank[part] for part in of_group]),
        name=_texts([name[part] for part in of_group]),
        kind=_texts([kind[part] for part in of_group]),
        creator=list(map(_creator, attributes)) if any(attributes) else [None] * len(of_group),
        location=[identifier for identifier in location if identifier],
        location_kind=_texts([kind for kind in location_kind if kind is not None]),
        group=np.cumsum(_there(begins))[here] - 1,
    )


def _there(column: Column) -> BoolArray:
    return np.array([text is not None for text in column], dtype=np.bool_)


def _creator(attributes: str | None) -> str | None:
    values = _CREATOR.findall(attributes or "")
    return _texts(values[-1:])[0] if values else None


def _columns(pattern: re.Pattern[str], section: bytes) -> list[Column]:
    """Return the groups of a pattern (not of empty text) column by column, which matches from end to end."""
    try:
        text = str(section, "utf-8")
    except UnicodeDecodeError:
        raise OtherFormError from None
    parts: list[str | None] = pattern.split(text)
    step = pattern.groups + 1
    if len(parts) == 1 or any(parts[::step]) or ("&" in text and _OTHER_ENTITY.search(text)):
        raise OtherFormError
    return [parts[i::step] for i in range(1, step)]


def _texts(column: Column) -> Sequence[str]:
    """Return a column with its entities replaced; missing parts are empty."""
    known = _filled(column)
    joined = _BETWEEN.join(known)
    if "&" not in joined:
        return known
    for entity, character in _ENTITIES:
        joined = joined.replace(entity, character)
    return joined.split(_BETWEEN)


def _filled(column: Column) -> Sequence[str]:
    if None in column:
        return [text or "" for text in column]
    return cast("Sequence[str]", column)
