"""The location groups and locations of an anchor, read in the form Cube writes them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.readers.cubex.fixed_form import (
    ATTRIBUTES,
    GAP,
    TEXT,
    VALUE,
    Column,
    OtherFormError,
    columns,
    texts,
)

CREATOR = "Creating location group"
GROUP_TYPE, LOCATION_TYPE = "process", "thread"  # where none is written


@dataclass(frozen=True, eq=False, kw_only=True)
class System:
    """Location groups and locations, column by column, as written.

    Attributes:
        rank: of each location group.
        name: of each location group.
        kind: the type of each location group.
        creator: of each location group the value of its attribute `CREATOR`, None where it has none.
        location: identifiers of the locations.
        location_kind: the type of each location.
        group: int64[L], index of the location group each location stands in, -1 where in none.
    """

    rank: Sequence[str]
    name: Sequence[str]
    kind: Sequence[str]
    creator: Sequence[str | None]
    location: Sequence[str]
    location_kind: Sequence[str]
    group: IntArray


_NAME = rf"<name>{TEXT}</name>{GAP}"
_TREE = (
    rf'<(?:systemtreenode Id="[0-9]++">{GAP}{_NAME}'
    rf"(?:<class>{TEXT}</class>{GAP})?(?:<descr>{TEXT}</descr>{GAP})?{ATTRIBUTES}|(/)systemtreenode>{GAP})"
)
_LOCATION = (
    rf'(?:(<)locationgroup Id="[0-9]++">{GAP}<name>({TEXT})</name>{GAP}<rank>({TEXT})</rank>{GAP}'
    rf"<type>({TEXT})</type>{GAP}({ATTRIBUTES}))?+"
    rf'<location Id="([0-9]++)">{GAP}{_NAME}<rank>{TEXT}</rank>{GAP}<type>({TEXT})</type>{GAP}'
    rf"{ATTRIBUTES}</location>{GAP}(</locationgroup>)?+{GAP}"
)
_PART = re.compile(f"{_LOCATION}|{_TREE}")
_CREATOR = re.compile(f'<attr key="{CREATOR}" value="({VALUE})"')
_BEFORE = re.compile(rb"\s*</program>\s*<system>[ \t\n]*")
_END = b"</systemtreenode>"


def take_system(document: bytes, program: int) -> tuple[System, int, int] | None:
    """Read the section from the first to the last node of the system tree.

    Args:
        document: the anchor.
        program: where its section of regions and call paths ends, which is in the form Cube writes.

    Returns:
        What it holds, and where it begins and ends; or None where it is not in the form Cube writes (location
        groups without locations, comments, other writers).
    """
    before = _BEFORE.match(document, program)
    if before is None:
        return None
    first, last = before.end(), document.rfind(_END, program) + len(_END)
    try:
        return _system(columns(_PART, memoryview(document)[first:last])), first, last
    except OtherFormError:
        return None


def _system(parts: Sequence[Column]) -> System:
    """Check how the parts nest, and tell groups and locations apart."""
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
        rank=texts([rank[part] for part in of_group]),
        name=texts([name[part] for part in of_group]),
        kind=texts([kind[part] for part in of_group]),
        creator=list(map(_creator, attributes)) if any(attributes) else [None] * len(of_group),
        location=[identifier for identifier in location if identifier],
        location_kind=texts([kind for kind in location_kind if kind is not None]),
        group=np.cumsum(_there(begins))[here] - 1,
    )


def _there(column: Column) -> BoolArray:
    return np.array([text is not None for text in column], dtype=np.bool_)


def _creator(attributes: str | None) -> str | None:
    values = _CREATOR.findall(attributes or "")
    return texts(values[-1:])[0] if values else None
