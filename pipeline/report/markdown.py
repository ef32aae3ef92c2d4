"""A check as Markdown, for a pull request or a step summary."""

import re

from pipeline.gate.decision import CheckResult, Decision, Outcome, Side, Verdict
from pipeline.report.check_words import basis, headline, kernel_name, story
from pipeline.report.formatting import figure, percent

ICONS = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️"}
SECTIONS = (
    (Verdict.REGRESSION, "Regressions"),
    (Verdict.WAIVED, "Waived"),
    (Verdict.INCONCLUSIVE, "Too noisy to judge"),
    (Verdict.NEW, "New"),
    (Verdict.VANISHED, "Vanished"),
    (Verdict.IMPROVEMENT, "Improvements"),
)
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@$:-])")
ROWS = 20
DOUBTS = 5  # rows of what is too noisy to judge, the largest first


def check_markdown(result: CheckResult) -> str:
    """Return the document: headline, a table per kind of verdict, the stories of regressions folded below."""
    parts = [f"## {ICONS[result.outcome]} {headline(result)}"]
    parts += [f"- {escape(reason)}" for reason in result.reasons]
    for verdict, title in SECTIONS:
        if found := result.of(verdict):
            parts.append(
                f"### {title} ({len(found)})\n\n{_table(found[:ROWS], result.unit)}{_rest(len(found))}"
            )
    told = [*result.of(Verdict.REGRESSION, Verdict.WAIVED)[:ROWS], *result.of(Verdict.INCONCLUSIVE)[:DOUBTS]]
    if told:
        lines = "\n".join(f"- **{escape(kernel_name(d, 90))}**: {escape(story(d))}" for d in told)
        parts.append(f"<details open><summary>Evidence and where to look</summary>\n\n{lines}\n\n</details>")
    parts += [f"> {escape(notice)}" for notice in result.notices]
    parts.append(f"<sub>{escape(basis(result))}.</sub>")
    return "\n\n".join(parts) + "\n"


def _rest(number: int) -> str:
    return f"\n\nand {number} more" if number > 0 else ""


def _table(decisions: tuple[Decision, ...], unit: str) -> str:
    titles = ("baseline", "now") if not unit else (f"baseline ({unit})", f"now ({unit})")
    head = (
        f"| kernel | {' | '.join(titles)} | share | × measured | × at target | growth | source |\n"
        "|---|---:|---:|---:|---:|---:|---|---|\n"
    )
    return head + "\n".join(_row(d) for d in decisions)


def _row(decision: Decision) -> str:
    side = decision.candidate or decision.baseline or Side(value=0.0, share=0.0)
    measured = f"{decision.measured[-1].ratio:.3g}" if decision.measured else "–"
    growths = [
        "constant" if s.growth == "1" else s.growth
        for s in (decision.baseline, decision.candidate)
        if s is not None and s.growth
    ]
    source = (
        f"{decision.file.rsplit('/', 1)[-1]}:{decision.line}" if decision.file and decision.line > 0 else ""
    )
    cells = [
        escape(kernel_name(decision, 60)),
        figure(decision.baseline.value) if decision.baseline else "–",
        figure(decision.candidate.value) if decision.candidate else "–",
        percent(side.share),
        measured,
        _target(decision),
        escape(" → ".join(dict.fromkeys(growths))),
        escape(source),
    ]
    return "| " + " | ".join(cells) + " |"


def _target(decision: Decision) -> str:
    if not decision.target:
        return "–"
    last = decision.target[-1]
    return f"{last.ratio:.3g} ({last.lower:.2g} … {last.upper:.2g})"


def escape(text: str) -> str:
    """Escape whatever Markdown or HTML could read into a name; line breaks become spaces."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("\\<", "&lt;").replace("\\>", "&gt;")
