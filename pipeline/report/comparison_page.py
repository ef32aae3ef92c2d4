"""Two studies side by side as one small HTML file without scripts; every name is escaped by the template."""

from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from pipeline.gate.decision import Change, CheckResult, Decision, Verdict
from pipeline.gate.snapshot import KernelId
from pipeline.report.check_words import basis, kernel_name, story
from pipeline.report.formatting import callpath_text, figure, percent

TEMPLATE = "comparison.html"
WORDS = {
    Verdict.REGRESSION: "worse",
    Verdict.IMPROVEMENT: "better",
    Verdict.INCONCLUSIVE: "cannot tell",
    Verdict.UNCHANGED: "no change shown",
    Verdict.NEW: "only in B",
    Verdict.VANISHED: "only in A",
    Verdict.WAIVED: "worse",
}
SPAN = 3.0  # decades of the ratio that the bar shows: 1/31 to 31


def comparison_html(result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], a: str, b: str) -> str:
    """Return the page.

    Args:
        result: B checked against A.
        renamed: pairs of kernels that seem to be the same under another name.
        a, b: how the two are called.
    """
    source = (files("pipeline.report") / "templates" / TEMPLATE).read_text(encoding="utf-8")
    page = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True).from_string(source)
    return page.render(
        a=a,
        b=b,
        unit=result.unit,
        headline=comparison_headline(result),
        basis=basis(result),
        notes=[*result.reasons, *result.notices],
        rows=[_row(d) for d in result.decisions],
        renamed=[tuple(callpath_text(k.callpath, 100) for k in pair) for pair in renamed],
        targets=[", ".join(f"{k} = {v:g}" for k, v in t.items()) for t in result.targets[-1:]],
    )


def comparison_headline(result: CheckResult) -> str:
    """Say how many kernels differ."""
    worse, better = len(result.of(Verdict.REGRESSION)), len(result.of(Verdict.IMPROVEMENT))
    if worse == better == 0:
        return "No kernel differs beyond doubt by more than the factor"
    return f"B against A: {worse} worse, {better} better"


def _row(decision: Decision) -> dict[str, object]:
    before, after = decision.baseline, decision.candidate
    last = decision.measured[-1] if decision.measured else None
    ahead = decision.target[-1] if decision.target else None
    side = after or before
    return {
        "name": kernel_name(decision, 90),
        "whole": " / ".join(decision.kernel.callpath),
        "level": decision.kernel.level.value,
        "verdict": WORDS[decision.verdict],
        "kind": decision.verdict.value,
        "a": figure(before.value) if before else "–",
        "b": figure(after.value) if after else "–",
        "share": percent(side.share) if side else "–",
        "ratio": f"{last.ratio:.3g}" if last else "–",
        "interval": _interval(last),
        "target": f"{ahead.ratio:.3g}" if ahead else "–",
        "target_interval": _interval(ahead),
        "bar": _bar(last),
        "models": [s.formula for s in (before, after) if s is not None and s.formula],
        "story": story(decision),
    }


def _interval(change: Change | None) -> str:
    return f"{change.lower:.2g} … {change.upper:.2g}" if change is not None else ""


def _bar(change: Change | None) -> dict[str, float] | None:
    """Left end, width and mark of an interval on a logarithmic axis, percent of its width."""
    if change is None or change.ratio <= 0:
        return None
    from math import log10

    low, mid, high = (
        min(max(50 + 100 * log10(max(v, 1e-9)) / SPAN, 0.0), 100.0)
        for v in (change.lower, change.ratio, change.upper)
    )
    return {"left": round(low, 2), "width": round(max(high - low, 0.5), 2), "mark": round(mid, 2)}
