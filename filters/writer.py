"""Writing Score-P filter files: the same decision always gives the same bytes."""

from collections.abc import Iterable, Sequence
from enum import Enum

import numpy as np

from filters.patterns import escape
from filters.regions import FilterRegions
from ingest.arrays import BoolArray, IntArray

_LONGEST_COMMENT = 300


class Form(Enum):
    """Whether the file names what is kept or what is dropped."""

    SHORTER = "shorter"
    INCLUDE = "include"
    EXCLUDE = "exclude"


def chosen_form(regions: FilterRegions, kept: BoolArray, form: Form) -> Form:
    """Settle `Form.SHORTER`: the list with fewer names, the include list where both are as long.

    Where nothing is dropped the exclude list is empty, and the file excludes nothing.
    """
    if form is not Form.SHORTER:
        return form
    dropped = int((regions.called & ~kept).sum())
    return Form.EXCLUDE if dropped < int(kept.sum()) or dropped == 0 else Form.INCLUDE


def intended(regions: FilterRegions, kept: BoolArray, form: Form) -> BoolArray:
    """Return what a file of that form must decide, bool[R].

    They differ where no call path leads to a region: an include list leaves it out as it does with all that
        is
    unknown, an exclude list does not name it.
    """
    return kept | ~regions.called if form is Form.EXCLUDE else kept


def write_filter(
    regions: FilterRegions, kept: BoolArray, *, form: Form = Form.SHORTER, header: Sequence[str] = ()
) -> str:
    """Write a filter file with one rule a region, on mangled names, below a comment with the displayed name.

    Args:
        regions: the R regions.
        kept: bool[R], which of them are measured.
        form: include list or exclude list.
        header: lines to stand at the top as comments.
    """
    form = chosen_form(regions, kept, form)
    listed = kept if form is Form.INCLUDE else regions.called & ~kept
    lines = [comment(line) for line in header]
    lines.append("SCOREP_REGION_NAMES_BEGIN")
    if form is Form.INCLUDE:
        lines.append("  EXCLUDE *")
    lines += _rules(regions, np.flatnonzero(listed), form.value.upper())
    lines.append("SCOREP_REGION_NAMES_END")
    return "\n".join(lines) + "\n"


def comment(text: str) -> str:
    """Return one comment line: what cannot stand in it is replaced, a long one is cut in the middle."""
    clean = "".join(char if char.isprintable() else " " for char in text)
    if len(clean) > _LONGEST_COMMENT:
        half = _LONGEST_COMMENT // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return f"# {clean}"


def _rules(regions: FilterRegions, listed: IntArray, verb: str) -> Iterable[str]:
    table = regions.table
    for i in listed.tolist():
        if table.name[i] != table.mangled[i]:
            yield f"  {comment(table.name[i])}"
        yield f"  {verb} MANGLED {escape(table.mangled[i])}"
