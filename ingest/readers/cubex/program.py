"""The regions and call paths of an anchor, which are nearly all of it, read in the form Cube writes them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import IntArray
from ingest.readers.cubex.fixed_form import (
    ATTRIBUTES,
    GAP,
    TEXT,
    VALUE,
    OtherFormError,
    columns,
    filled,
    texts,
)

REGION_FIELDS = ("id", "mod", "begin", "name", "mangled_name", "paradigm", "descr")


@dataclass(frozen=True, eq=False)
class Program:
    """Regions and call paths, column by column, as written.

    Attributes:
        regions: per field of `REGION_FIELDS` the texts of all regions, empty where missing.
        cnode: identifiers of the call paths, in document order, which is preorder.
        callee: identifiers of their regions.
        parent: int64[n], index of their callers, -1 for roots.
    """

    regions: Sequence[Sequence[str]]
    cnode: Sequence[str]
    callee: Sequence[str]
    parent: IntArray


_REGION = re.compile(
    rf'<region id="([0-9]++)" mod="({VALUE})" begin="(-?[0-9]++)" end="-?[0-9]++">{GAP}'
    rf"<name>({TEXT})</name>{GAP}"
    rf"(?:<mangled_name>({TEXT})</mangled_name>{GAP})?"
    rf"(?:<paradigm>({TEXT})</paradigm>{GAP})?"
    rf"(?:<role>{TEXT}</role>{GAP})?"
    rf"<url>{TEXT}</url>{GAP}"
    rf"<descr>({TEXT})</descr>{GAP}"
    rf"{ATTRIBUTES}"
    rf"</region>{GAP}"
)
_CNODE = re.compile(
    rf'<cnode id="([0-9]++)"(?: line="-?[0-9]++")?(?: mod="{VALUE}")? calleeId="([0-9]++)">{GAP}'
    rf"((?:</cnode>{GAP})*+)"
)
_BEFORE = re.compile(rb"""\s*<\?xml version=["']1\.0["'] encoding=["'](?i:UTF-8)["'] ?\?>[^!]*<program>\s*""")
_SPACE = b" \t\r\n"


def take_program(document: bytes) -> tuple[Program, int, int] | None:
    """Read the section from the first region to the last call path.

    Returns:
        What it holds, and where it begins and ends, so that the rest can be read by an XML parser; or None
        where it is not in the form Cube writes (parameters, comments, other writers).
    """
    first, last = document.find(b"<region "), document.rfind(b"</cnode>") + len(b"</cnode>")
    regions = document.rfind(b"</region>", 0, last) + len(b"</region>")
    calls = document.find(b"<cnode ", regions, last)
    if not 0 < first < regions < calls < last or document[regions:calls].strip(_SPACE):
        return None
    if not _BEFORE.fullmatch(document, 0, first):
        return None
    view = memoryview(document)
    try:
        return _program(view[first:regions], view[calls:last]), first, last
    except OtherFormError:
        return None


def _program(regions: memoryview, calls: memoryview) -> Program:
    cnode, callee, closed = map(filled, columns(_CNODE, calls))
    callers = _callers([ends.count("/") for ends in closed])
    return Program(list(map(texts, columns(_REGION, regions))), cnode, callee, callers)


def _callers(closed: Sequence[int]) -> IntArray:
    """Return the parent of each call path, int64[n], given the number of end tags behind its start tag."""
    node = np.arange(len(closed))
    open_calls = node + 1 - np.cumsum(closed)  # behind a call path and its end tags
    if open_calls.min() < 0 or open_calls[-1]:
        raise OtherFormError
    depth = np.concatenate([[0], open_calls[:-1]])
    order = np.argsort(depth, kind="stable")
    place = depth * len(node) + node  # sorted by depth, then as they stand
    caller = order[np.searchsorted(place[order], place - len(node)) - 1]
    return np.where(depth == 0, -1, caller)
