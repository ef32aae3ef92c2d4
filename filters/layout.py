"""The form of a filter file: what it lists, and what it thereby decides about what nobody called."""

from collections import Counter
from dataclasses import dataclass
from enum import Enum

import numpy as np

from filters.compaction import Abridged, abridge
from filters.patterns import escape
from filters.regions import FilterRegions
from ingest.arrays import BoolArray


class Form(Enum):
    """Whether the file names what is kept or what is dropped."""

    SHORTER = "shorter"
    INCLUDE = "include"
    EXCLUDE = "exclude"


@dataclass(frozen=True)
class Layout:
    """How a filter file is written.

    Attributes:
        form: include list, exclude list, or the one with fewer patterns (the include list where both are
            equal).
        abridged: whether names with a common beginning may share a pattern with a wildcard.
        whole_files: whether an exclude list may name a source file instead of all its regions.
    """

    form: Form = Form.SHORTER
    abridged: bool = False
    whole_files: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """The content of a filter file.

    Attributes:
        form: INCLUDE or EXCLUDE.
        files: source files that are excluded as a whole.
        rules: the patterns, with the mangled names that each stands for.
        intended: bool[R], what the file must decide.
    """

    form: Form
    files: tuple[str, ...]
    rules: tuple[Abridged, ...]
    intended: BoolArray

    def __len__(self) -> int:
        """Return the number of patterns."""
        return len(self.files) + len(self.rules)


def plan_filter(regions: FilterRegions, kept: BoolArray, layout: Layout) -> Plan:
    """Settle what a filter file says.

    The two forms decide alike on every region that was called. They differ where none was: an include list
    leaves it out, as all that the profile does not know; an exclude list does not name it. Where nothing is
    dropped the exclude list is empty, and the file excludes nothing.

    Args:
        regions: the R regions.
        kept: bool[R], which of them are measured.
        layout: how to write it.
    """
    if layout.form is Form.INCLUDE:
        return _include(regions, kept, layout)
    exclude = _exclude(regions, kept, layout)
    if layout.form is Form.EXCLUDE or not len(exclude):
        return exclude
    include = _include(regions, kept, layout)
    return include if len(include) <= len(exclude) else exclude


def _include(regions: FilterRegions, kept: BoolArray, layout: Layout) -> Plan:
    return Plan(Form.INCLUDE, (), _rules(regions, kept, layout), kept)


def _exclude(regions: FilterRegions, kept: BoolArray, layout: Layout) -> Plan:
    dropped = regions.called & ~kept
    files = _whole_files(regions, kept, dropped) if layout.whole_files else ()
    covered = np.array([file in files for file in regions.table.file], dtype=np.bool_)
    rules = _rules(regions, dropped & ~covered, layout)
    return Plan(Form.EXCLUDE, files, rules, (kept | ~regions.called) & ~covered)


def _rules(regions: FilterRegions, listed: BoolArray, layout: Layout) -> tuple[Abridged, ...]:
    mangled = regions.table.mangled
    chosen = np.flatnonzero(listed).tolist()
    if not layout.abridged:
        return tuple(Abridged(escape(mangled[i]), (mangled[i],)) for i in chosen)
    forbidden = [mangled[i] for i in np.flatnonzero(~listed).tolist()]
    return tuple(abridge([mangled[i] for i in chosen], forbidden))


def _whole_files(regions: FilterRegions, kept: BoolArray, dropped: BoolArray) -> tuple[str, ...]:
    """Return the files of at least two dropped regions and no kept one."""
    file = regions.table.file
    needed = {file[i] for i in np.flatnonzero(kept).tolist()} | {""}
    counts = Counter(file[i] for i in np.flatnonzero(dropped).tolist())
    return tuple(sorted(name for name, count in counts.items() if count > 1 and name not in needed))
