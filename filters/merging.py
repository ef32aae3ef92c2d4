"""Merging a generated filter with an existing file, so that a second time changes nothing."""

from dataclasses import dataclass

import numpy as np

from filters.language import parse
from filters.matching import EXCLUDED, UNTOUCHED, filterable, kept, last_match
from filters.writer import BEGIN_MARK, END_MARK
from ingest.arrays import BoolArray
from ingest.errors import FilterError
from ingest.profile import RegionTable


@dataclass(frozen=True, eq=False)
class MergedFilter:
    """A merged filter file, proven.

    Attributes:
        text: its content.
        decided: bool[region], what it keeps.
        overruled: bool[region], regions that the existing rules decide against the generated ones.
    """

    text: str
    decided: BoolArray
    overruled: BoolArray


def merge_filters(
    existing: str, generated: str, regions: RegionTable, intended: BoolArray, *, where: str = "filter"
) -> MergedFilter:
    """Put a generated filter into an existing file.

    The generated part replaces the part between the marks of an earlier one where it stands; otherwise it
    goes to the top. What follows it comes last and therefore wins: rules that people wrote stay as they are
    and have the last word.

    Args:
        existing: the content of the existing file.
        generated: the content of the generated file.
        regions: the regions it was made for.
        intended: bool[region], what the generated file decides.
        where: the name of the existing file, for errors.

    Raises:
        FilterError: where the existing file cannot be parsed, its marks are damaged, or a region about
            which no other rule says anything is not decided as intended.
    """
    before, after = _around(existing, where)
    text = before + generated + after
    decided = kept(parse(text, where=where), regions)
    by_hand = parse(before + after, where=where)
    untouched = last_match(by_hand.regions, regions.name, regions.mangled) == UNTOUCHED
    untouched &= last_match(by_hand.files, regions.file, regions.file) != EXCLUDED
    against = (decided != intended) & filterable(regions)
    if (against & untouched).any():
        name = regions.name[int(np.flatnonzero(against & untouched)[0])]
        raise FilterError(f"merging would change the decision about '{name}'", where=where)
    return MergedFilter(text, decided, against)


def _around(existing: str, where: str) -> tuple[str, str]:
    """Split an existing file into what stands before and after the generated part."""
    lines = existing.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    marks = [i for i, line in enumerate(lines) if line.strip() in (BEGIN_MARK, END_MARK)]
    if not marks:
        return "", "".join(lines)
    if [lines[i].strip() for i in marks] != [BEGIN_MARK, END_MARK]:
        hint = "leave one pair of marks, or none, and merge again"
        raise FilterError("the marks of the generated part are damaged", where=where, hint=hint)
    return "".join(lines[: marks[0]]), "".join(lines[marks[1] + 1 :])
