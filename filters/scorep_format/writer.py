"""Writing filter files: the same decision always gives the same bytes, and every file is proven.

A file is proven by reading it back as Score-P would. The generated part stands between two marks, by which it
is replaced when a filter is merged with an existing file: doing so a second time changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from filters.evidence import FilterRegions, filterable
from filters.filter_options import Form, Layout
from filters.scorep_format.patterns import escape
from filters.scorep_format.rule_files import EXCLUDED, UNTOUCHED, kept, last_match, parse
from ingest.arrays import BoolArray
from ingest.errors import FilterError
from ingest.profile import RegionTable


@dataclass(frozen=True, eq=False)
class Plan:
    """The content of a filter file."""

    form: Form
    files: tuple[str, ...]  # source files that are excluded as a whole
    names: tuple[str, ...]  # mangled ones of the regions that have a rule each
    intended: BoolArray  # bool[R], what the file must decide

    def __len__(self) -> int:
        return len(self.files) + len(self.names)


BEGIN_MARK = "# >>> generated filter: change it by running the generator again >>>"
END_MARK = "# <<< generated filter <<<"
_LONGEST_COMMENT = 300


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
    lines = [BEGIN_MARK, *(comment(line) for line in header), *_blocks(plan, names)]
    text = "\n".join([*lines, END_MARK]) + "\n"
    prove(text, regions.table, plan.intended)
    return FilterFile(text, plan)


def _blocks(plan: Plan, names: dict[str, str]) -> Iterable[str]:
    if plan.files:
        yield "SCOREP_FILE_NAMES_BEGIN"
        yield from (f"  EXCLUDE {escape(file)}" for file in plan.files)
        yield "SCOREP_FILE_NAMES_END"
    yield "SCOREP_REGION_NAMES_BEGIN"
    if plan.form is Form.INCLUDE:
        yield "  EXCLUDE *"
    for name in plan.names:
        if names[name] != name:
            yield f"  {comment(names[name])}"
        yield f"  {plan.form.value.upper()} MANGLED {escape(name)}"
    yield "SCOREP_REGION_NAMES_END"


def comment(text: str) -> str:
    """Return one comment line: what cannot stand in it is replaced, a long one is cut in the middle."""
    clean = "".join(char if char.isprintable() else " " for char in text)
    if len(clean) > _LONGEST_COMMENT:
        half = _LONGEST_COMMENT // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return f"# {clean}"


def prove(text: str, regions: RegionTable, intended: BoolArray, *, where: str = "filter") -> None:
    """Check that a filter file decides every region as intended, bool[region]; FilterError if not.

    Regions that cannot be filtered are ignored.
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
        return _include(regions, kept)
    dropped = regions.called & ~kept
    files = _whole_files(regions, kept, dropped) if layout.whole_files else ()
    covered = np.array([file in files for file in regions.table.file], dtype=np.bool_)
    names = _names(regions, dropped & ~covered)
    exclude = Plan(Form.EXCLUDE, files, names, (kept | ~regions.called) & ~covered)
    if layout.form is Form.EXCLUDE or not len(exclude):
        return exclude
    include = _include(regions, kept)
    return include if len(include) <= len(exclude) else exclude


def _include(regions: FilterRegions, kept: BoolArray) -> Plan:
    return Plan(Form.INCLUDE, (), _names(regions, kept), kept)


def _names(regions: FilterRegions, listed: BoolArray) -> tuple[str, ...]:
    return tuple(regions.table.mangled[i] for i in np.flatnonzero(listed).tolist())


def _whole_files(regions: FilterRegions, kept: BoolArray, dropped: BoolArray) -> tuple[str, ...]:
    file = regions.table.file
    needed = {file[i] for i in np.flatnonzero(kept).tolist()} | {""}
    counts = Counter(file[i] for i in np.flatnonzero(dropped).tolist())
    return tuple(sorted(name for name, count in counts.items() if count > 1 and name not in needed))
