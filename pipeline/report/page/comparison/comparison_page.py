"""Two studies side by side: in the terminal, and as one small HTML file."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from math import log10

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from rich.console import Console
from rich.text import Text

from pipeline.gate.call_trees import ComparedTrees
from pipeline.gate.check_result import Change, CheckResult, KernelResult, Ruling
from pipeline.gate.kernel_values import KernelId
from pipeline.report.check.terminal import show_details
from pipeline.report.check.wording import basis, kernel_name, rename_text, story
from pipeline.report.page.comparison.call_tree_data import call_tree_data
from pipeline.report.page.embedding import (
    COMPARISON,
    compressed,
    content_security_policy,
    script,
    style_sheet,
)
from pipeline.report.tables.data_table import DataTable
from pipeline.report.tables.gate import changes_table
from pipeline.wording.quantities import callpath_text, figure, interval_text, percent, point_text

TEMPLATE, STYLES = "comparison.html", "comparison.css"
REPORT_STYLES = ("tokens", "layout", "table", "chart", "tree")
WORDS = {
    Ruling.REGRESSION: "worse",
    Ruling.IMPROVEMENT: "better",
    Ruling.INCONCLUSIVE: "inconclusive",
    Ruling.UNCHANGED: "no significant change",
    Ruling.NOT_COMPARABLE: "not comparable",
    Ruling.NOT_RECORDED: "not recorded",
    Ruling.NEW: "only in B",
    Ruling.VANISHED: "only in A",
    Ruling.WAIVED: "worse",
}
SPAN = 3.0  # decades of the ratio that the bar shows: 1/31 to 31
THINNEST = 0.5  # per cent of the bar


def comparison_headline(result: CheckResult) -> str:
    """Return how many kernels differ."""
    worse, better = len(result.of(Ruling.REGRESSION)), len(result.of(Ruling.IMPROVEMENT))
    if worse == better == 0:
        return "No kernel differs significantly by more than the factor"
    return f"B against A: {worse} worse, {better} better"


def show_comparison(
    out: Console, result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], *, limit: int
) -> None:
    """Print what differs between two studies."""
    out.print(Text(comparison_headline(result), style="bold"))
    show_details(out, result, limit=limit, words=WORDS, sides=("A", "B"))
    for pair in renamed:
        out.print(Text(_possible_rename(pair)), soft_wrap=True)


def comparison_table(
    result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], *, limit: int
) -> DataTable:
    """Return what differs between two studies, one row per target and kernel; at most `limit` kernels."""
    table = changes_table(result, comparison_headline(result), limit=limit, words_of=WORDS, sides=("A", "B"))
    return replace(table, notes=[*table.notes, *map(_possible_rename, renamed)])


def _possible_rename(pair: tuple[KernelId, KernelId]) -> str:
    return f"Possibly renamed: {' → '.join(callpath_text(kernel.callpath, 80) for kernel in pair)}"


def comparison_html(
    result: CheckResult,
    renamed: Sequence[tuple[KernelId, KernelId]],
    a: str,
    b: str,
    trees: ComparedTrees,
) -> str:
    """Return the page; the template escapes every name.

    Args:
        result: B checked against A.
        renamed: pairs of kernels that are probably the same under another name.
        a, b: names of the two.
        trees: the call paths of both.
    """
    folder = files("pipeline.report.page.comparison")
    source, own_styles = ((folder / name).read_text(encoding="utf-8") for name in (TEMPLATE, STYLES))
    styles = f"{style_sheet(REPORT_STYLES)}\n{own_styles}"
    scripts = script(COMPARISON)
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(source)
    text = page.render(
        policy=content_security_policy([scripts], [styles]),
        styles=Markup(styles),
        script=Markup(scripts),
        data=Markup(compressed({"a": a, "b": b, **call_tree_data(trees, result, WORDS)})),
        a=a,
        b=b,
        unit=result.unit,
        headline=comparison_headline(result),
        basis=basis(result),
        notes=[*(r.text for r in result.reasons), *map(rename_text, result.renames), *result.notices],
        rows=[_row(one) for one in result.kernels],
        renamed=[tuple(callpath_text(k.callpath, 100) for k in pair) for pair in renamed],
        targets=[point_text(target) for target in result.targets[-1:]],
    )
    return text.encode("utf-8", "replace").decode()


def _row(result: KernelResult) -> dict[str, object]:
    before, after = result.baseline, result.candidate
    last = result.measured[-1] if result.measured else None
    ahead = result.target[-1] if result.target else None
    return {
        "name": kernel_name(result, 90),
        "whole": " / ".join(result.kernel.callpath),
        "level": result.kernel.level.value,
        "verdict": WORDS[result.verdict],
        "kind": result.verdict.value,
        "a": figure(before.value) if before else "–",
        "b": figure(after.value) if after else "–",
        "share": percent(result.share),
        "ratio": figure(last.ratio) if last else "–",
        "interval": _interval(last),
        "target": figure(ahead.ratio) if ahead else "–",
        "target_interval": _interval(ahead),
        "bar": _bar(last),
        "models": [s.formula for s in (before, after) if s is not None and s.formula],
        "story": story(result),
    }


def _interval(change: Change | None) -> str:
    return interval_text(change.lower, change.upper) if change is not None else ""


def _bar(change: Change | None) -> dict[str, float] | None:
    """Left end, width and mark of an interval on a logarithmic axis, per cent of its width."""
    if change is None or change.ratio <= 0:
        return None
    low, mark, high = (
        min(max(50 + 100 * log10(max(v, 1e-9)) / SPAN, 0.0), 100.0)
        for v in (change.lower, change.ratio, change.upper)
    )
    return {"left": round(low, 2), "width": round(max(high - low, THINNEST), 2), "mark": round(mark, 2)}
