"""A check in the terminal and as a table."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from pipeline.columns.cells import DataTable
from pipeline.columns.changes import SIDES, VERDICTS, changed_kernels, changes_table
from pipeline.columns.expectations import expectations_json, expectations_table
from pipeline.gate.check_result import CheckResult, Outcome, Ruling
from pipeline.report.check.wording import (
    VERDICT_ROWS,
    basis,
    headline,
    kernel_name,
    power_text,
    rename_text,
    story,
)
from pipeline.report.render.terminal_tables import show_notes, show_table, terminal_table

OUTCOMES = {
    Outcome.PASSED: "bold green",
    Outcome.REGRESSED: "bold red",
    Outcome.INCONCLUSIVE: "bold yellow",
    Outcome.EXCEEDED: "bold red",
}
STYLES = {verdict: row.style for verdict, row in VERDICT_ROWS.items()}
DOUBTS = 3  # kernels too noisy to judge whose advice is shown


def show_check(out: Console, result: CheckResult, *, limit: int = 15) -> None:
    """Print the outcome, a table of the kernels that are not unchanged, and the evidence."""
    out.print(Text(headline(result), style=OUTCOMES[result.outcome]))
    show_details(out, result, limit=limit)


def check_table(
    result: CheckResult,
    *,
    limit: int,
    outcome: str = "",
    words: Mapping[Ruling, str] = VERDICTS,
    sides: tuple[str, str] = SIDES,
    more: Sequence[str] = (),
) -> DataTable:
    """Return one row per target and kernel that is not unchanged, and what else is said as notes.

    Arguments are those of `changes_table`; the first note is the outcome in a sentence, the last are `more`.
    """
    left = len(changed_kernels(result)) - limit
    notes = [
        outcome or headline(result),
        *(reason.text for reason in result.reasons),
        *([f"{left} more left out; --limit shows them"] if left > 0 else []),
        *map(rename_text, result.renames),
        *result.notices,
        *more,
    ]
    return changes_table(result, limit=limit, notes=notes, words=words, sides=sides)


def show_details(
    out: Console,
    result: CheckResult,
    *,
    limit: int,
    words: Mapping[Ruling, str] = VERDICTS,
    sides: tuple[str, str] = SIDES,
) -> None:
    """Print everything below the headline; arguments are those of `changes_table`."""
    for reason in result.reasons:
        out.print(Text(f"  {reason.text}", style="yellow"), soft_wrap=True)
    changed = changed_kernels(result)
    if changed:
        out.print()
        table = changes_table(result, limit=limit, words=words, sides=sides, styles=STYLES, last=True)
        out.print(terminal_table(table, out.width))
        if len(changed) > limit:
            out.print(f"{len(changed) - limit} more left out; --limit shows them", style="dim")
    if result.expectations:
        out.print()
        show_table(out, expectations_table(expectations_json(result.expectations)))
    explained = [one for one in changed[:limit] if VERDICT_ROWS[one.verdict].explained]
    doubts = result.of(Ruling.INCONCLUSIVE)
    explained += doubts[:DOUBTS]
    if explained:
        out.print()
    for one in explained:
        place = f" [{one.file}:{one.line}]" if one.file and one.line > 0 else ""
        out.print(Text(f"{kernel_name(one, 90)}: {story(one)}{place}"), soft_wrap=True)
    if len(doubts) > DOUBTS:
        out.print(f"and {len(doubts) - DOUBTS} more inconclusive; --json explains them", style="dim")
    out.print()
    out.print(basis(result), style="dim", soft_wrap=True)
    if result.power is not None:
        out.print(Text(f"Power: {power_text(result.power)}", style="dim"), soft_wrap=True)
    for rename in result.renames:
        out.print(Text(f"Note: {rename_text(rename)}"), soft_wrap=True)
    show_notes(out, result.notices)
