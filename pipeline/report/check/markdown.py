"""A check as Markdown, for a pull request or a step summary."""

from pipeline.columns.changes import growth_change
from pipeline.gate.check_result import CheckResult, KernelResult, Outcome, Ruling
from pipeline.report.check.wording import (
    VERDICT_ROWS,
    basis,
    headline,
    kernel_name,
    power_text,
    rename_text,
    story,
)
from pipeline.wording.escaping import markdown
from pipeline.wording.quantities import figure, interval_text, percent

ICONS = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️"}
ROWS = 20
DOUBTS = 5  # kernels too noisy to judge whose advice is shown


def check_markdown(result: CheckResult) -> str:
    """Return the document: headline, one table per verdict, below them the evidence, folded."""
    parts = [f"## {ICONS[result.outcome]} {headline(result)}"]
    parts += [f"- {markdown(reason.text)}" for reason in result.reasons]
    for verdict, row in VERDICT_ROWS.items():
        if row.heading and (found := result.of(verdict)):
            parts.append(f"### {row.heading} ({len(found)})\n\n{_table(found[:ROWS], result.unit)}")
            if len(found) > ROWS:
                parts.append(f"{ROWS} of {len(found)} shown")
    findings, doubts = result.of(Ruling.REGRESSION, Ruling.WAIVED), result.of(Ruling.INCONCLUSIVE)
    explained = (*findings[:ROWS], *doubts[:DOUBTS])
    if explained:
        whole = len(findings) + len(doubts)
        if len(explained) < whole:
            parts.append(f"Evidence for {len(explained)} of {whole}:")
        lines = "\n".join(
            f"- **{markdown(kernel_name(one, 90))}**: {markdown(story(one))}" for one in explained
        )
        parts.append(f"<details open><summary>Evidence and where to look</summary>\n\n{lines}\n\n</details>")
    parts += [f"> {markdown(notice)}" for notice in (*map(rename_text, result.renames), *result.notices)]
    if result.power is not None:
        parts.append(f"Power: {markdown(power_text(result.power))}.")
    parts.append(f"<sub>{markdown(basis(result))}.</sub>")
    return "\n\n".join(parts) + "\n"


def _table(kernels: tuple[KernelResult, ...], unit: str) -> str:
    titles = ("baseline", "now") if not unit else (f"baseline ({unit})", f"now ({unit})")
    head = (
        f"| kernel | {' | '.join(titles)} | share | × measured | × at target | growth | source |\n"
        "|---|---:|---:|---:|---:|---:|---|---|\n"
    )
    return head + "\n".join(_row(one) for one in kernels)


def _row(result: KernelResult) -> str:
    file = result.file.rsplit("/", 1)[-1]
    cells = [
        markdown(kernel_name(result, 60)),
        figure(result.baseline.value) if result.baseline else "–",
        figure(result.candidate.value) if result.candidate else "–",
        percent(result.share),
        figure(result.measured[-1].ratio) if result.measured else "–",
        _target(result),
        markdown(growth_change(result)),
        markdown(f"{file}:{result.line}") if file and result.line > 0 else "",
    ]
    return "| " + " | ".join(cells) + " |"


def _target(result: KernelResult) -> str:
    if not result.target:
        return "–"
    last = result.target[-1]
    return f"{figure(last.ratio)} [{interval_text(last.lower, last.upper)}]"
