"""A check, and what differs between two studies, in the terminal and as tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.console import Console
from rich.text import Text

from pipeline.columns.answers import expectations_table
from pipeline.columns.cells import DataTable
from pipeline.columns.changes import CHECK_WORDS, ChangeWords, changed_kernels, changes_table
from pipeline.gate.check_result import Cause, CheckResult, KernelResult, Outcome, PointRatio, Ruling
from pipeline.gate.compared_studies import ComparedCurves, TwoStudies
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.models.kernels import is_time
from pipeline.questions.expected_growth import expectation_sentences
from pipeline.report.check.wording import (
    VERDICT_ROWS,
    basis,
    change_text,
    factor_text,
    growth_words,
    headline,
    kernel_name,
    rename_text,
    seen_text,
    story,
)
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import show_table, terminal_table
from pipeline.wording.distinct_names import distinct_texts
from pipeline.wording.lines import wrapped
from pipeline.wording.quantities import callpath_text, estimate_text, percent, point_text

_OUTCOMES = {
    Outcome.PASSED: "bold green",
    Outcome.REGRESSED: "bold red",
    Outcome.INCONCLUSIVE: "bold yellow",
    Outcome.EXCEEDED: "bold red",
}
_STYLES = {verdict: row.style for verdict, row in VERDICT_ROWS.items()}
_DOUBTS = 3  # kernels too noisy to judge whose advice is shown
_SENTENCES = 5  # kernels that have a line each without details
_NAMED = 4  # kernels in one line
_NAME_WIDTH = 40
_EACH = (Ruling.REGRESSION, Ruling.WAIVED, Ruling.INCONCLUSIVE)
_COMPARED_LABELS = {Ruling.REGRESSION: "worse", Ruling.IMPROVEMENT: "better"}
_WHOLE = "the whole program"
TOTAL_KERNEL = KernelId(Scope.TOTAL, ("total",))


@dataclass(frozen=True, kw_only=True)
class _Line:
    """What is said of some kernels behind a label."""

    label: str
    text: str
    style: str = ""


def show_check(out: Console, result: CheckResult, *, limit: int = 15, details: bool = False) -> None:
    """Print what got slower first, then what is unclear or unchanged, and what would have been seen.

    With `details`, a table of `limit` kernels, evidence and what the check rests on follow.
    """
    if result.outcome is not Outcome.REGRESSED:
        show_sentence(out, headline(result), _OUTCOMES[result.outcome])
    _show_changes(out, result, CHECK_WORDS)
    if details:
        _show_details(out, result, limit=limit)


def _show_changes(out: Console, result: CheckResult, words: ChangeWords) -> None:
    """Print what changed, reasons for doubt, notes, and what would have been seen."""
    apart = any(one.cause is Cause.INCOMPARABLE for one in result.reasons)
    lines = [] if apart else _lines(result, words)
    room = max((len(line.label) for line in lines), default=0) + 2
    for line in lines:
        label = line.label.ljust(room)
        for text in wrapped(line.text, out.width - room):
            out.print(Text.assemble((label, line.style), text.strip()), soft_wrap=True)
            label = " " * room
    for reason in result.reasons:
        show_sentence(out, reason.text, "yellow")
    for sentence, style in expectation_sentences(result.expectations):
        show_sentence(out, sentence, style)
    for note in (*map(rename_text, result.renames), *result.notices):
        show_sentence(out, f"Note: {note}", "yellow")
    show_sentence(out, f"{seen_text(result)}.", "dim")


def _lines(result: CheckResult, words: ChangeWords) -> list[_Line]:
    names = _names(result)
    found = []
    for verdict, row in VERDICT_ROWS.items():
        of_it = _told_once(result.of(verdict))
        if verdict in _EACH:
            most = _DOUBTS if verdict is Ruling.INCONCLUSIVE else _SENTENCES
            texts = [f"{names[one.kernel]}{_said(one, result)}" for one in of_it[:most]]
            if len(of_it) > most:
                texts.append(f"and {len(of_it) - most} more, which --details shows")
        else:
            texts = (
                [_listed([names[one.kernel] + _in_brackets(one, result.unit) for one in of_it])]
                if of_it
                else []
            )
        label = row.label if words is CHECK_WORDS else _COMPARED_LABELS.get(verdict, row.label)
        found += [_Line(label=label, text=text, style=row.style) for text in texts]
    if result.of(Ruling.REGRESSION) and not found[0].text.startswith(_WHOLE):
        of_total = [one for one in result.kernels if one.kernel == TOTAL_KERNEL]
        found[1:1] = [_Line(label="", text=text) for one in of_total if (text := _of_whole(one, result))]
    return found


def _of_whole(total: KernelResult, result: CheckResult) -> str:
    """Return what the total says beside a call path that got slower; empty if it did not change."""
    if total.verdict is Ruling.REGRESSION:
        return f"{_WHOLE}: {change_text(total, result.unit)}"
    return f"{_WHOLE}: too noisy to judge" if total.verdict is Ruling.INCONCLUSIVE else ""


def leading_change(result: CheckResult) -> str:
    """Say which function got slower most, and by how much; empty if none did."""
    worst = _told_once(result.of(Ruling.REGRESSION))[:1]
    return "".join(f"{_names(result)[one.kernel]}: {change_text(one, result.unit)}" for one in worst)


def _told_once(kernels: Sequence[KernelResult]) -> list[KernelResult]:
    """Leave out regions and the total where a call path of the same verdict says the same."""
    regions = {one.kernel.region for one in kernels if one.kernel.level is Scope.CALLPATH}
    return [
        one
        for one in kernels
        if one.kernel.level is Scope.CALLPATH
        or (one.kernel.level is Scope.TOTAL and len(kernels) == 1)
        or (one.kernel.level is Scope.REGION and one.kernel.region not in regions)
    ]


def _names(result: CheckResult) -> Mapping[KernelId, str]:
    """Name kernels by their functions where one call path has it, else by the call path."""
    kernels = [one.kernel for one in result.kernels]
    count = Counter(kernel.region for kernel in kernels if kernel.level is Scope.CALLPATH)
    paths = [
        (kernel.region,) if kernel.level is Scope.REGION or count[kernel.region] == 1 else kernel.callpath
        for kernel in kernels
    ]
    names = dict(zip(kernels, distinct_texts(paths, _NAME_WIDTH), strict=True))
    return names | {TOTAL_KERNEL: _WHOLE}


def _said(one: KernelResult, result: CheckResult) -> str:
    if one.verdict is Ruling.INCONCLUSIVE:
        return f" ({percent(one.share)})" + (f": {one.advice}" if one.advice else "")
    parts = (change_text(one, result.unit), growth_words(one), one.advice)
    return f": {'; '.join(filter(None, parts))}"


def _in_brackets(one: KernelResult, unit: str) -> str:
    if one.verdict in (Ruling.NEW, Ruling.VANISHED):
        return f" ({percent(one.share)})"
    if one.verdict is Ruling.IMPROVEMENT and one.stated is not None and one.stated.ratio > 0:
        return f" ({factor_text(one.stated.ratio, unit)})"
    return ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


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


def _show_details(out: Console, result: CheckResult, *, limit: int, words: ChangeWords = CHECK_WORDS) -> None:
    """Print table and evidence; arguments are those of `changes_table`."""
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
    explained += result.of(Ruling.INCONCLUSIVE)[:limit]
    if explained:
        out.print()
    for one in explained:
        place = f" [{one.file}:{one.line}]" if one.file and one.line > 0 else ""
        show_sentence(out, f"{kernel_name(one, 90)}: {story(one)}{place}")
    out.print()
    show_sentence(out, f"{basis(result)}.", "dim")


def comparison_words(names: tuple[str, str]) -> ChangeWords:
    """Return what verdicts and the two studies are called in a comparison."""
    return ChangeWords(
        verdicts={verdict: row.compared for verdict, row in VERDICT_ROWS.items()},
        sides=("A", "B"),
        names=names,
    )


def comparison_verdict(found: TwoStudies, totals: ComparedCurves | None = None, place: int = -1) -> str:
    """Return in one sentence how the second study compares with the first, and which kernels differ.

    `totals`: curves whose first kernel is the total, instead of those found; `place`: which of their points.
    """
    result, (a, b) = found.result, found.titles
    if any(reason.cause is Cause.INCOMPARABLE for reason in result.reasons):
        return f"{a} and {b} cannot be compared"
    curves = found.totals if totals is None else totals
    total = next((one for one in result.kernels if one.kernel == TOTAL_KERNEL), None)
    names = _names(result)
    worse, better = (
        _listed([names[one.kernel] for one in _told_once(result.of(verdict))])
        for verdict in (Ruling.REGRESSION, Ruling.IMPROVEMENT)
    )
    differing = "; ".join(filter(None, (worse, f"better: {better}" if better else "")))
    how = ""
    if total is not None:
        if curves is not None:
            at = dict(zip((result.targets or ({},))[-1], curves.points[place].tolist(), strict=True))
            ends = (curves.ratio.value, curves.ratio.lower, curves.ratio.upper)
            ahead = PointRatio(at, *(float(end[0, place]) for end in ends))
            measured = total.measured if place < 0 or not np.isfinite(ahead.ratio) else ()
            total = replace(total, target=(ahead,), measured=measured)
        how = change_text(replace(total, evidence=()), result.unit, a)
        how += " (too noisy to judge)" if how and total.verdict is Ruling.INCONCLUSIVE else ""
    sentence = f"{b} {'is' if is_time('', result.unit) else 'takes'} {how}" if how else f"{b} beside {a}"
    return f"{sentence}: {differing or 'no function differs significantly'}"


def predicted_totals(studies: TwoStudies) -> list[str]:
    """Return what the totals of both studies are predicted to be at every target, and their ratio."""
    found, result, (first, second) = [], studies.result, studies.titles
    for one in result.kernels:
        if one.kernel != TOTAL_KERNEL or one.baseline is None or one.candidate is None:
            continue
        for ahead, *sides in zip(one.target, one.baseline.predicted, one.candidate.predicted, strict=False):
            if np.isfinite(ahead.ratio):
                a, b = (estimate_text(*of_side, result.unit) for of_side in sides)
                ratio = estimate_text(ahead.ratio, ahead.lower, ahead.upper)
                sides_text = f"{first} {a}, {second} {b}; {second} / {first} {ratio}"
                found.append(f"Predicted at {point_text(ahead.at)}, the total: {sides_text}")
    return found


def show_comparison(out: Console, found: TwoStudies, *, limit: int, details: bool = False) -> None:
    """Print what differs between two studies; arguments are those of `show_check`."""
    words = comparison_words(found.titles)
    show_sentence(out, f"{comparison_verdict(found)}.", "bold")
    _show_changes(out, found.result, words)
    for pair in found.renamed:
        show_sentence(out, _possible_rename(pair))
    if details:
        for text in predicted_totals(found):
            show_sentence(out, text)
        _show_details(out, found.result, limit=limit, words=words)


def comparison_table(found: TwoStudies, *, limit: int) -> DataTable:
    """Return what differs between two studies, one row per target and kernel; at most `limit` kernels."""
    return check_table(
        found.result,
        limit=limit,
        outcome=comparison_verdict(found),
        words=comparison_words(found.titles),
        more=[*predicted_totals(found), *map(_possible_rename, found.renamed)],
    )


def _possible_rename(pair: tuple[KernelId, KernelId]) -> str:
    return f"Possibly renamed: {' → '.join(callpath_text(kernel.callpath, 80) for kernel in pair)}"
