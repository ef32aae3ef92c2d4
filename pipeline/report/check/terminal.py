"""A check, and what differs between two studies, A and B, in the terminal and as tables."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from pipeline.columns.answers import expectations_table
from pipeline.columns.cells import DataTable
from pipeline.columns.changes import CHECK_WORDS, ChangeWords, changed_kernels, changes_table
from pipeline.gate.check_result import Cause, CheckResult, Outcome, PointRatio, Ruling
from pipeline.gate.compared_studies import ComparedCurves, TwoStudies
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.report.check.wording import (
    CAUSES,
    VERDICT_ROWS,
    basis,
    headline,
    kernel_name,
    power_text,
    rename_text,
    story,
)
from pipeline.report.render.terminal_tables import show_notes, show_table, terminal_table
from pipeline.wording.quantities import callpath_text, counted, estimate_text, point_text, quantity

_OUTCOMES = {
    Outcome.PASSED: "bold green",
    Outcome.REGRESSED: "bold red",
    Outcome.INCONCLUSIVE: "bold yellow",
    Outcome.EXCEEDED: "bold red",
}
_STYLES = {verdict: row.style for verdict, row in VERDICT_ROWS.items()}
_DOUBTS = 3  # kernels too noisy to judge whose advice is shown


def show_check(out: Console, result: CheckResult, *, limit: int = 15) -> None:
    """Print the outcome, a table of the kernels that are not unchanged, and the evidence."""
    out.print(Text(headline(result), style=_OUTCOMES[result.outcome]))
    _show_details(out, result, limit=limit)


def check_table(
    result: CheckResult,
    *,
    limit: int,
    outcome: str = "",
    words: ChangeWords = CHECK_WORDS,
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
    return changes_table(result, limit=limit, notes=notes, words=words)


def _show_details(
    out: Console,
    result: CheckResult,
    *,
    limit: int,
    words: ChangeWords = CHECK_WORDS,
) -> None:
    """Print everything below the headline; arguments are those of `changes_table`."""
    for reason in result.reasons:
        out.print(Text(f"  {reason.text}", style="yellow"), soft_wrap=True)
    changed = changed_kernels(result)
    if changed:
        out.print()
        table = changes_table(result, limit=limit, words=words, styles=_STYLES, last=True)
        out.print(terminal_table(table, out.width))
        if len(changed) > limit:
            out.print(f"{len(changed) - limit} more left out; --limit shows them", style="dim")
    if result.expectations:
        out.print()
        show_table(out, expectations_table(result.expectations))
    explained = [one for one in changed[:limit] if VERDICT_ROWS[one.verdict].explained]
    doubts = result.of(Ruling.INCONCLUSIVE)
    explained += doubts[:_DOUBTS]
    if explained:
        out.print()
    for one in explained:
        place = f" [{one.file}:{one.line}]" if one.file and one.line > 0 else ""
        out.print(Text(f"{kernel_name(one, 90)}: {story(one)}{place}"), soft_wrap=True)
    if len(doubts) > _DOUBTS:
        out.print(f"and {len(doubts) - _DOUBTS} more inconclusive; --json explains them", style="dim")
    out.print()
    out.print(basis(result), style="dim", soft_wrap=True)
    if result.power is not None:
        out.print(Text(f"Power: {power_text(result.power)}", style="dim"), soft_wrap=True)
    for rename in result.renames:
        out.print(Text(f"Note: {rename_text(rename)}"), soft_wrap=True)
    show_notes(out, result.notices)


COMPARISON_WORDS = ChangeWords(
    verdicts={verdict: row.compared for verdict, row in VERDICT_ROWS.items()}, sides=("A", "B")
)
TOTAL_KERNEL = KernelId(Scope.TOTAL, ("total",))


def comparison_verdict(result: CheckResult, totals: ComparedCurves | None = None, place: int = -1) -> str:
    """Return in one line what B takes, how that compares with A, and what differs significantly.

    Args:
        result: B checked against A.
        totals: the first kernel is the total; without, or if nothing is predicted, what was measured counts.
        place: which of their points.
    """
    what = _differences(result)
    if totals is not None and np.isfinite(totals.ratio.value[0, place]):
        at = dict(zip((result.targets or ({},))[-1], totals.points[place].tolist(), strict=True))
        sides = [float(side.value[0, place]) for side in (totals.a, totals.b)]
        ends = (totals.ratio.value, totals.ratio.lower, totals.ratio.upper)
        ratio, unit = PointRatio(at, *(float(end[0, place]) for end in ends)), result.unit
        seconds = totals.seconds[:, place].tolist()
        if seconds[0] == seconds[1] and unit:  # their ratio is that of the wall times
            sides, unit = [side * seconds[0] for side in sides], "s"
        return f"{_costs(sides, unit, ratio, '')}: {what}"
    total = next((one for one in result.kernels if one.kernel == TOTAL_KERNEL), None)
    if total is None or total.baseline is None or total.candidate is None or not total.measured:
        return what[:1].upper() + what[1:]
    sides = [total.baseline.value, total.candidate.value]
    return f"{_costs(sides, result.unit, total.measured[-1], ' (measured)')}: {what}"


def _costs(sides: Sequence[float], unit: str, ratio: PointRatio, origin: str) -> str:
    a, b = (quantity(side, unit) for side in sides)
    times = estimate_text(ratio.ratio, ratio.lower, ratio.upper)
    return f"B takes {b} at {point_text(ratio.at)}{origin}, {times} times A's {a}"


def _differences(result: CheckResult) -> str:
    if any(reason.cause is Cause.INCOMPARABLE for reason in result.reasons):
        return CAUSES[Cause.INCOMPARABLE]
    found = [
        (
            sum(one.kernel != TOTAL_KERNEL for one in result.of(verdict)),
            COMPARISON_WORDS.verdicts[verdict],
            result.of(verdict),
        )
        for verdict in (Ruling.REGRESSION, Ruling.IMPROVEMENT)
    ]
    single = [f"{counted(count, 'kernel')} {word}" for count, word, _ in found if count]
    whole = [f"the total is {word}, no single kernel" for _, word, all_of in found if all_of]
    return ", ".join(single) or next(iter(whole), "no kernel differs significantly")


def predicted_totals(result: CheckResult) -> list[str]:
    """Return what the totals of A and B are predicted to be at every target, and their ratio."""
    found = []
    for one in result.kernels:
        if one.kernel != TOTAL_KERNEL or one.baseline is None or one.candidate is None:
            continue
        for ahead, *sides in zip(one.target, one.baseline.predicted, one.candidate.predicted, strict=False):
            if np.isfinite(ahead.ratio):
                a, b = (estimate_text(*of_side, result.unit) for of_side in sides)
                ratio = estimate_text(ahead.ratio, ahead.lower, ahead.upper)
                found.append(f"Predicted at {point_text(ahead.at)}, the total: A {a}, B {b}; B / A {ratio}")
    return found


def show_comparison(out: Console, found: TwoStudies, *, limit: int) -> None:
    """Print what differs between two studies."""
    out.print(Text(comparison_verdict(found.result, found.totals), style="bold"), soft_wrap=True)
    for text in predicted_totals(found.result):
        out.print(Text(text), soft_wrap=True)
    _show_details(out, found.result, limit=limit, words=COMPARISON_WORDS)
    for pair in found.renamed:
        out.print(Text(_possible_rename(pair)), soft_wrap=True)


def comparison_table(found: TwoStudies, *, limit: int) -> DataTable:
    """Return what differs between two studies, one row per target and kernel; at most `limit` kernels."""
    return check_table(
        found.result,
        limit=limit,
        outcome=comparison_verdict(found.result, found.totals),
        words=COMPARISON_WORDS,
        more=[*predicted_totals(found.result), *map(_possible_rename, found.renamed)],
    )


def _possible_rename(pair: tuple[KernelId, KernelId]) -> str:
    return f"Possibly renamed: {' → '.join(callpath_text(kernel.callpath, 80) for kernel in pair)}"
