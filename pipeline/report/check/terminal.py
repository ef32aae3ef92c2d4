"""A check in the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.gate.check_result import CheckResult, KernelResult, Outcome, Ruling
from pipeline.report.check.wording import (
    VERDICT_ROWS,
    basis,
    growth_change,
    headline,
    kernel_name,
    power_text,
    rename_text,
    story,
)
from pipeline.wording.quantities import figure, percent

VERDICTS = {verdict: verdict.value for verdict in Ruling}
OUTCOMES = {Outcome.PASSED: "bold green", Outcome.REGRESSED: "bold red", Outcome.INCONCLUSIVE: "bold yellow"}
DOUBTS = 3  # kernels too noisy to judge whose advice is shown
OTHER_COLUMNS = 60  # characters beside the kernel and its growth
SHORTEST_NAME = 20


def show_check(out: Console, result: CheckResult, *, limit: int = 15) -> None:
    """Print the outcome, a table of the kernels that are not unchanged, and the evidence."""
    out.print(Text(headline(result), style=OUTCOMES[result.outcome]))
    show_details(out, result, limit=limit, words=VERDICTS, sides=("baseline", "now"))


def show_details(
    out: Console, result: CheckResult, *, limit: int, words: Mapping[Ruling, str], sides: tuple[str, str]
) -> None:
    """Print everything below the headline.

    Args:
        out: where to.
        result: of a check or a comparison.
        limit: the most kernels that are shown.
        words: what to call the verdicts.
        sides: what to call the two studies.
    """
    for reason in result.reasons:
        out.print(Text(f"  {reason.text}", style="yellow"), soft_wrap=True)
    shown = [one for one in result.kernels if one.verdict is not Ruling.UNCHANGED]
    if shown:
        out.print()
        out.print(_table(out, shown[:limit], result.unit, words, sides))
        if len(shown) > limit:
            out.print(f"and {len(shown) - limit} more; --limit or --json shows them", style="dim")
    explained = [one for one in shown[:limit] if VERDICT_ROWS[one.verdict].explained]
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
    for notice in result.notices:
        out.print(Text(f"Note: {notice}", style="yellow"), soft_wrap=True)


def _table(
    out: Console,
    kernels: Sequence[KernelResult],
    unit: str,
    words: Mapping[Ruling, str],
    sides: tuple[str, str],
) -> Table:
    """Table of kernels; in a narrow terminal the growth is left out before names become too short."""
    growths = [growth_change(one) for one in kernels]
    longer = max(len(words[one.verdict]) for one in kernels) - len(words[Ruling.INCONCLUSIVE])
    room = out.width - OTHER_COLUMNS - max(map(len, growths)) - max(longer, 0)
    has_growth = room >= SHORTEST_NAME
    table = Table(
        box=None, pad_edge=False, title=f"Kernels ({unit})" if unit else "Kernels", title_justify="left"
    )
    table.add_column("verdict", no_wrap=True)
    table.add_column("kernel", no_wrap=True)
    for name in (*sides, "share", "ratio", "at target"):
        table.add_column(name, justify="right", no_wrap=True)
    if has_growth:
        table.add_column("growth", no_wrap=True)
    for one, growth in zip(kernels, growths, strict=True):
        table.add_row(
            Text(words[one.verdict], style=VERDICT_ROWS[one.verdict].style),
            Text(kernel_name(one, max(room, SHORTEST_NAME))),
            figure(one.baseline.value) if one.baseline else "-",
            figure(one.candidate.value) if one.candidate else "-",
            percent(one.share),
            figure(one.measured[-1].ratio) if one.measured else "-",
            figure(one.target[-1].ratio) if one.target else "-",
            *([Text(growth)] if has_growth else []),
        )
    return table
