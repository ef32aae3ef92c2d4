"""A check as Markdown, for a pull request or a step summary."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from pipeline.columns.cells import Audience
from pipeline.columns.changes import NO_STYLES, SIDES, VERDICTS, AtTarget, change_columns, ratio_at
from pipeline.columns.column import Column, filled
from pipeline.columns.expectations import expectation_sentences, expectations_json
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
from pipeline.report.render.text_formats import markdown_text
from pipeline.wording.escaping import markdown

ICONS = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️", Outcome.EXCEEDED: "❌"}
ROWS = 20
COLUMNS = ("kernel", *SIDES, "share", "ratio", "ratio_at", "target_ratio", "growth")
DOUBTS = 5  # kernels too noisy to judge whose advice is shown


def check_markdown(result: CheckResult) -> str:
    """Return the document: headline, one table per verdict, below them the evidence, folded."""
    parts = [f"## {ICONS[result.outcome]} {headline(result)}"]
    parts += [f"- {markdown(reason.text)}" for reason in result.reasons]
    said = expectation_sentences(expectations_json(result.expectations))
    parts += [f"- {markdown(sentence)}" for sentence, _ in said]
    for verdict, row in VERDICT_ROWS.items():
        if row.heading and (found := result.of(verdict)):
            parts.append(f"### {row.heading} ({len(found)})\n\n{_table(found[:ROWS], result)}".rstrip())
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


def _table(kernels: Sequence[KernelResult], result: CheckResult) -> str:
    columns = {one.key: one for one in change_columns(result, VERDICTS, NO_STYLES, SIDES, ())}
    keys = [key for key in COLUMNS if key != "ratio_at" or any(map(ratio_at, kernels))]
    shown = [replace(columns[key], audience=Audience.ALL) for key in keys]
    source: Column[Sequence[AtTarget]] = Column(key="source", each=_source)
    last = max(len(result.targets) - 1, 0)
    return markdown_text(filled([*shown, source], [(one, last) for one in kernels]))


def _source(row: AtTarget) -> str:
    file = PurePosixPath(row[0].file).name
    return f"{file}:{row[0].line}" if file and row[0].line > 0 else ""
