"""A check in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.gate.decision import CheckResult, Decision, Outcome, Side, Verdict
from pipeline.report.check_words import basis, headline, kernel_name, story
from pipeline.report.formatting import figure, percent

STYLES = {
    Verdict.REGRESSION: "bold red",
    Verdict.WAIVED: "yellow",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NEW: "cyan",
    Verdict.VANISHED: "cyan",
    Verdict.IMPROVEMENT: "green",
    Verdict.UNCHANGED: "dim",
}
DOUBTS = 3  # kernels too noisy to judge whose advice is shown
OUTCOMES = {Outcome.PASSED: "bold green", Outcome.REGRESSED: "bold red", Outcome.INCONCLUSIVE: "bold yellow"}


def show_check(out: Console, result: CheckResult, *, limit: int = 15) -> None:
    """Print the outcome, the table of what is remarkable, and the story of each regression."""
    out.print(Text(headline(result), style=OUTCOMES[result.outcome]))
    show_details(out, result, limit=limit)


def show_details(out: Console, result: CheckResult, *, limit: int) -> None:
    """Print everything below the headline."""
    for reason in result.reasons:
        out.print(Text(f"  {reason}", style="yellow"), soft_wrap=True)
    shown = [d for d in result.decisions if d.verdict is not Verdict.UNCHANGED]
    if shown:
        out.print()
        out.print(_table(out, shown[:limit], result.unit))
        if len(shown) > limit:
            out.print(f"and {len(shown) - limit} more; --limit or --json shows them", style="dim")
    told = [d for d in shown[:limit] if d.verdict not in (Verdict.IMPROVEMENT, Verdict.INCONCLUSIVE)]
    told += result.of(Verdict.INCONCLUSIVE)[:DOUBTS]
    if told:
        out.print()
    for decision in told:
        out.print(Text(f"{kernel_name(decision, 90)}: {story(decision)}{_place(decision)}"), soft_wrap=True)
    out.print()
    out.print(basis(result), style="dim", soft_wrap=True)
    for notice in result.notices:
        out.print(Text(f"Note: {notice}", style="yellow"), soft_wrap=True)


def _place(decision: Decision) -> str:
    return f" [{decision.file}:{decision.line}]" if decision.file and decision.line > 0 else ""


def _table(out: Console, decisions: list[Decision], unit: str) -> Table:
    table = Table(
        box=None, pad_edge=False, title=f"Kernels ({unit})" if unit else "Kernels", title_justify="left"
    )
    table.add_column("verdict", no_wrap=True)
    table.add_column("kernel", no_wrap=True)
    for name in ("baseline", "now", "share", "ratio", "at target"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("growth", overflow="fold")
    width = max(20, out.width - 82)
    for decision in decisions:
        table.add_row(
            Text(decision.verdict.value, style=STYLES[decision.verdict]),
            Text(kernel_name(decision, width)),
            _value(decision.baseline),
            _value(decision.candidate),
            percent((decision.candidate or decision.baseline or Side(value=0.0, share=0.0)).share),
            _ratio(decision),
            _target(decision),
            Text(_growth(decision)),
        )
    return table


def _value(side: Side | None) -> str:
    return figure(side.value) if side is not None else "-"


def _ratio(decision: Decision) -> str:
    return f"{decision.measured[-1].ratio:.3g}" if decision.measured else "-"


def _target(decision: Decision) -> str:
    return f"{decision.target[-1].ratio:.3g}" if decision.target else "-"


def _growth(decision: Decision) -> str:
    before, after = (s.growth if s is not None else "" for s in (decision.baseline, decision.candidate))
    names = ["constant" if g == "1" else g for g in (before, after)]
    return names[0] if names[0] == names[1] else " → ".join(n or "-" for n in names)
