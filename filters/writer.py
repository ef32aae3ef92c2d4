"""Writing Score-P filter files: the same decision always gives the same bytes, and every file is proven."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from filters.compaction import Abridged
from filters.layout import Form, Layout, Plan, plan_filter
from filters.patterns import escape
from filters.proof import prove
from filters.regions import FilterRegions
from ingest.arrays import BoolArray

BEGIN_MARK = "# >>> generated filter: change it by running the generator again >>>"
END_MARK = "# <<< generated filter <<<"
_LONGEST_COMMENT = 300
_NAMED = 3


@dataclass(frozen=True, eq=False)
class FilterFile:
    """A filter file that was proven to decide every region as intended.

    Attributes:
        text: its content.
        plan: what it says.
    """

    text: str
    plan: Plan


def write_filter(
    regions: FilterRegions, kept: BoolArray, layout: Layout | None = None, header: Sequence[str] = ()
) -> FilterFile:
    """Write a filter file and prove it.

    One rule a line, on mangled names, below a comment with the displayed name; the whole between two marks,
    by which `filters.merging` knows it again.

    Args:
        regions: the R regions.
        kept: bool[R], which of them are measured.
        layout: include or exclude list, wildcards, whole files.
        header: lines to stand at the top as comments.

    Raises:
        FilterError: where the file would decide a region otherwise.
    """
    plan = plan_filter(regions, kept, layout or Layout())
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
        yield from (f"  {comment(line)}" for line in _told(rule, names))
        yield f"  {plan.form.value.upper()} MANGLED {rule.pattern}"
    yield "SCOREP_REGION_NAMES_END"


def comment(text: str) -> str:
    """Return one comment line: what cannot stand in it is replaced, a long one is cut in the middle."""
    clean = "".join(char if char.isprintable() else " " for char in text)
    if len(clean) > _LONGEST_COMMENT:
        half = _LONGEST_COMMENT // 2
        clean = f"{clean[:half]} ... {clean[-half:]}"
    return f"# {clean}"


def _told(rule: Abridged, names: dict[str, str]) -> Iterable[str]:
    """Tell the displayed names that a rule stands for, the first few where there are many."""
    if len(rule.names) == 1:
        return () if names[rule.names[0]] == rule.names[0] else (names[rule.names[0]],)
    shown = [names[name] for name in rule.names[:_NAMED]]
    return (*shown, f"... {len(rule.names)} regions in all") if len(rule.names) > _NAMED else shown
