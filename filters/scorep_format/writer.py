"""Writing filter files: the same decision always gives the same bytes, and every file is proven.

A file is proven by reading it back as Score-P would. The generated part stands between two marks, by which it
is replaced when a filter is merged with an existing file: doing so a second time changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from filters.evidence import FilterRegions, filterable
from filters.filter_options import Form, Layout
from filters.scorep_format.patterns import escape
from filters.scorep_format.rule_files import EXCLUDED, UNTOUCHED, kept, last_match, parse
from ingest.arrays import BoolArray
from ingest.errors import FilterError
from ingest.profile import RegionTable

_SMALLEST_GROUP = 3
_SHORTEST_PREFIX = 6


@dataclass(frozen=True)
class Abridged:
    """One pattern and the names it stands for."""

    pattern: str
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """The content of a filter file."""

    form: Form
    files: tuple[str, ...]  # source files that are excluded as a whole
    rules: tuple[Abridged, ...]  # the patterns, with the mangled names that each stands for
    intended: BoolArray  # bool[R], what the file must decide

    def __len__(self) -> int:
        return len(self.files) + len(self.rules)


BEGIN_MARK = "# >>> generated filter: change it by running the generator again >>>"
END_MARK = "# <<< generated filter <<<"
_LONGEST_COMMENT = 300
_NAMED = 3


@dataclass(frozen=True, eq=False)
class FilterFile:
    """A filter file that was proven to decide every region as intended."""

    text: str
    plan: Plan


@dataclass(frozen=True, eq=False)
class MergedFilter:
    """A merged filter file, proven."""

    text: str
    decided: BoolArray  # bool[region], what it keeps
    overruled: BoolArray  # bool[region], regions that the existing rules decide against the generated ones


def write_filter(
    regions: FilterRegions, kept: BoolArray, layout: Layout | None = None, header: Sequence[str] = ()
) -> FilterFile:
    """Write a filter file that measures `kept`, bool[R], and prove it.

    One rule per line, on mangled names, below a comment with the displayed name; all of it between two marks,
    by which `merge_filters` finds it again.
    """
    plan = _plan_filter(regions, kept, layout or Layout())
    names = dict(zip(regions.table.mangled, regions.table.name, strict=True))
    lines = [BEGIN_MARK, *(comment(line) for line in header), *_file_block(plan), *_region_block(plan, names)]
    text = "\n".join([*lines, END_MARK]) + "\n"
    prove(text, regions.table, plan.intended)
    return FilterFile(text, plan)


def _file_block(plan: Plan) -> Iterable[str]:
    if plan.files:
        yield "SCOREP_FILE_NAMES_BEGIN"
        yield from (f"  EXCLUDE {escape(file)}" for file in plan.files)
        yield "SCOREP_FILE_NAMES_END"


def _region_block(plan: Plan, names: dict[str, str]) -> Iterable[str]:
    yield "SCOREP_REGION_NAMES_BEGIN"
    if plan.form is Form.INCLUDE:
        yield "  EXCLUDE *"
    for rule in plan.rules:
        yield from (f"  {comment(line)}" for line in _comments(rule, names))
        yield f"  {plan.form.value.upper()} MANGLED {rule.pattern}"
    yield "SCOREP_REGION_NAMES_END"


def comment(text: str) -> str:
    """Return one comment line: what cannot stand in it is replaced, a long one is cut in the middle."""
    clean = "".join(char if char.isprintable() else " " for char in text)
    if len(clean) > _LONGEST_COMMENT:
        half = _LONGEST_COMMENT // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return f"# {clean}"


def _comments(rule: Abridged, names: dict[str, str]) -> Iterable[str]:
    """Return the displayed names that a rule stands for, the first few if there are many."""
    if len(rule.names) == 1:
        return () if names[rule.names[0]] == rule.names[0] else (names[rule.names[0]],)
    shown = [names[name] for name in rule.names[:_NAMED]]
    return (*shown, f"... {len(rule.names)} regions in all") if len(rule.names) > _NAMED else shown


def prove(text: str, regions: RegionTable, intended: BoolArray, *, where: str = "filter") -> None:
    """Check that a filter file decides every region as intended.

    Args:
        intended: bool[region], whether it is to be measured; ignored for regions that cannot be filtered.

    Raises:
        FilterError: if Score-P would refuse the file, or it decides on a region otherwise.
    """
    wrong = np.flatnonzero((kept(parse(text, where=where), regions) != intended) & filterable(regions))
    if len(wrong):
        name = regions.name[int(wrong[0])]
        verb = "keeps" if not intended[wrong[0]] else "drops"
        more = f" and {len(wrong) - 1} more regions wrongly" if len(wrong) > 1 else ""
        raise FilterError(f"the filter {verb} '{name}' against the decision{more}", where=where)


def merge_filters(
    existing: str, generated: str, regions: RegionTable, intended: BoolArray, *, where: str = "filter"
) -> MergedFilter:
    """Put a generated filter, which decides `intended` bool[region], into an existing file.

    The generated part replaces an earlier one between its marks; otherwise it goes to the top. What follows
    comes last and therefore wins: rules that people wrote stay as they are and have the last word.

    Raises:
        FilterError: if the existing file cannot be parsed, its marks are damaged, or a region that no other
            rule matches is not decided on as intended.
    """
    parse(existing, where=where)  # first, so that an error names the line of the existing file
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
    lines = existing.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    marks = [i for i, line in enumerate(lines) if line.strip() in (BEGIN_MARK, END_MARK)]
    if not marks:
        return "", "".join(lines)
    if [lines[i].strip() for i in marks] != [BEGIN_MARK, END_MARK]:
        hint = "keep one pair of markers or none, and merge again"
        raise FilterError("the markers of the generated part are damaged", where=where, hint=hint)
    return "".join(lines[: marks[0]]), "".join(lines[marks[1] + 1 :])


def _plan_filter(regions: FilterRegions, kept: BoolArray, layout: Layout) -> Plan:
    """Decide what a filter file lists that measures `kept`, bool[R].

    The two forms decide alike on every region that was called. They differ on others: an include list leaves
    them out, as everything that the profile does not know; an exclude list does not name them. If nothing is
    dropped, the exclude list is empty, and the file excludes nothing.
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
    common, and a star. That needs at least `_SMALLEST_GROUP` names with `_SHORTEST_PREFIX` common characters;
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
        if len(names) >= _SMALLEST_GROUP and len(common) >= _SHORTEST_PREFIX:
            star = escape(common + "x")[:-1] + "*"  # the tail that a final backslash gets is not needed
            found.append(Abridged(star, names))
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


def _shared(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
