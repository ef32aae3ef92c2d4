"""The layout of a filter file: what it lists, with which wildcards, and what that decides."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from filters.evidence import FilterRegions
from filters.filter_options import Form, Layout
from filters.scorep_format.patterns import escape
from ingest.arrays import BoolArray

SMALLEST_GROUP = 3
SHORTEST_PREFIX = 6


@dataclass(frozen=True)
class Abridged:
    """One pattern and the names it stands for."""

    pattern: str
    names: tuple[str, ...]


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
    """Decide what a filter file lists.

    The two forms decide alike on every region that was called. They differ on others: an include list leaves
    them out, as everything that the profile does not know; an exclude list does not name them. If nothing is
    dropped, the exclude list is empty, and the file excludes nothing.

    Args:
        kept: bool[R], which of them are measured.
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
    file = regions.table.file
    needed = {file[i] for i in np.flatnonzero(kept).tolist()} | {""}
    counts = Counter(file[i] for i in np.flatnonzero(dropped).tolist())
    return tuple(sorted(name for name, count in counts.items() if count > 1 and name not in needed))


def abridge(wanted: Sequence[str], forbidden: Sequence[str]) -> list[Abridged]:
    """Write names as a few patterns.

    Names that share a beginning with which no forbidden name begins become one pattern: all that they have in
    common, and a star. That needs at least `SMALLEST_GROUP` names with `SHORTEST_PREFIX` common characters;
    every other name is its own pattern.

    Args:
        wanted: names to be matched, without repetition.
        forbidden: names that no pattern may match.

    Returns:
        patterns in the order of their names; each wanted name belongs to exactly one.
    """
    found: list[Abridged] = []
    for _, group in groupby(_safe_beginnings(wanted, forbidden), key=lambda pair: pair[0]):
        names = tuple(name for _, name in group)
        common = names[0][: _shared(names[0], names[-1])]
        if len(names) >= SMALLEST_GROUP and len(common) >= SHORTEST_PREFIX:
            found.append(Abridged(_star(common), names))
        else:
            found += [Abridged(escape(name), (name,)) for name in names]
    return found


def _safe_beginnings(wanted: Sequence[str], forbidden: Sequence[str]) -> list[tuple[str, str]]:
    """Pair each wanted name, in order, with its shortest beginning that no forbidden name has.

    In sorted order only the nearest forbidden name on each side can share more than others. A name that is
    itself the beginning of a forbidden one has no such beginning; it is paired with itself and a line break,
    which no name contains.
    """
    ranked = sorted(
        [(name, False) for name in wanted] + [(name, True) for name in set(forbidden) - set(wanted)]
    )
    shared = [0] * len(ranked)
    for order in (range(len(ranked)), range(len(ranked) - 1, -1, -1)):
        nearest = ""
        for i in order:
            name, banned = ranked[i]
            if banned:
                nearest = name
            elif nearest:
                shared[i] = max(shared[i], _shared(name, nearest) + 1)
    return [
        (name[: shared[i]] if shared[i] <= len(name) else name + "\n", name)
        for i, (name, banned) in enumerate(ranked)
        if not banned
    ]


def _star(common: str) -> str:
    """Return the pattern for a beginning: the tail that `escape` gives to a final backslash is not needed."""
    return escape(common + "x")[:-1] + "*"


def _shared(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
