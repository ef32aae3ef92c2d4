"""A check for code hosts and CI servers: JUnit XML, GitHub, GitLab, SARIF and Markdown."""

import hashlib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import PurePosixPath
from urllib.parse import quote

from pipeline.columns.cells import Audience
from pipeline.columns.changes import CHECK_WORDS, AtTarget, change_columns, ratio_at
from pipeline.columns.column import Column, filled
from pipeline.gate.check_result import CheckResult, KernelResult, Outcome, Ruling
from pipeline.questions.expected_growth import JudgedExpectation, Judgement, expectation_sentences
from pipeline.report.check.terminal import leading_change
from pipeline.report.check.wording import (
    RULE_TEXTS,
    VERDICT_ROWS,
    VerdictRow,
    basis,
    headline,
    kernel_name,
    relative_to,
    rename_text,
    rule_id,
    seen_text,
    source_file,
    story,
)
from pipeline.report.render.text_formats import markdown_text
from pipeline.wording.escaping import github_data, github_property, markdown, xml

_EXPECTATION = "expectation"
_GITHUB_MOST = 10  # GitHub shows no more per step and kind
_SUITE = "scalability"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SARIF_DIGITS = 32
_JUDGED = {
    Judgement.EXCEEDED: Ruling.REGRESSION,
    Judgement.UNDECIDED: Ruling.INCONCLUSIVE,
    Judgement.MET: Ruling.UNCHANGED,
}


@dataclass(frozen=True, kw_only=True)
class _Reported:
    """A kernel or an expectation as CI servers show it."""

    verdict: Ruling  # that of an expectation is the one of kernels that are shown alike
    rule: str  # identifier of the strongest reason
    kind: str  # level of the kernel, or that it is an expectation
    identifier: str  # its name in full
    title: str  # its name in short
    text: str  # all about it; empty if there is nothing to say
    message: str  # the same in short
    description: str  # the same with its name
    file: str  # and `line`: where it is in the source; empty and 1 if unknown
    line: int
    fingerprint: str  # 64 hexadecimal digits that stay the same for the same kernel and kind of finding
    kernel: KernelResult | None = None  # what was decided about it; None for an expectation

    @property
    def shown(self) -> VerdictRow:
        """How outputs show its verdict."""
        return VERDICT_ROWS[self.verdict]


def _of_expectation(one: JudgedExpectation, root: str) -> _Reported:
    subject = f"{one.metric} of {one.region or 'the total'}, at most {one.at_most}"
    text = "" if one.judgement is Judgement.MET else one.sentence
    file, _, line = one.place.rpartition(":")
    return _Reported(
        verdict=_JUDGED[one.judgement],
        rule=_EXPECTATION,
        kind=_EXPECTATION,
        identifier=f"{one.place}: {one.at_most}",
        title=f"Expectation: {subject}",
        text=text,
        message=text,
        description=text,
        file=relative_to(file, root),
        line=int(line) if line.isdecimal() else 1,
        fingerprint=_digest(_EXPECTATION, subject),
    )


def _of_kernel(one: KernelResult, root: str) -> _Reported:
    text, rule = story(one), rule_id(one)
    file = source_file(one, root)
    return _Reported(
        verdict=one.verdict,
        rule=rule,
        kind=one.kernel.level.value,
        identifier=one.kernel.text,
        title=f"{one.verdict.value}: {kernel_name(one, 80)}",
        text=text,
        message=one.evidence[0].text if one.evidence else text,
        description=f"{kernel_name(one, 120)}: {text}",
        file=file,
        line=one.line if file else 1,
        fingerprint=_digest(rule, one.kernel.level.value, *one.kernel.callpath),
        kernel=one,
    )


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()


def _reported(result: CheckResult, root: str = "") -> list[_Reported]:
    """Return the expectations, then the kernels; source files are relative to the directory `root`."""
    expectations = [_of_expectation(one, root) for one in result.expectations]
    return expectations + [_of_kernel(one, root) for one in result.kernels]


def _kernels_first(result: CheckResult, root: str) -> list[_Reported]:
    return sorted(_reported(result, root), key=lambda one: one.kernel is None)


def github_annotations(result: CheckResult, root: str = "") -> list[str]:
    """Return at most ten workflow commands, the most important first; source files are relative to `root`."""
    found = [
        f"::warning title={github_property(headline(result))}::{github_data(reason.text)}"
        for reason in result.reasons
    ]
    for one in _reported(result, root):
        if one.shown.github:
            place = f"file={github_property(one.file)},line={one.line}," if one.file else ""
            title = github_property(one.title)
            found.append(f"::{one.shown.github} {place}title={title}::{github_data(one.text)}")
    return found[:_GITHUB_MOST]


def gitlab_code_quality(result: CheckResult, root: str, elsewhere: str) -> list[dict[str, object]]:
    """Return GitLab's subset of Code Climate's format: an entry per regression (also waived) or doubt.

    Expectations that are not met are at the end; source files are relative to `root`. GitLab drops entries
    without a file, so those of unknown source point to `elsewhere`, which must exist.
    """
    return [
        {
            "description": one.description,
            "check_name": one.rule,
            "fingerprint": one.fingerprint,
            "severity": one.shown.gitlab,
            "location": {"path": one.file or relative_to(elsewhere, root), "lines": {"begin": one.line}},
        }
        for one in _kernels_first(result, root)
        if one.shown.gitlab
    ]


def junit_xml(result: CheckResult) -> str:
    """Return the document."""
    suite = ET.Element("testsuite", name=_SUITE)
    if result.power is not None:
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", name="power", value=xml(seen_text(result)))
    for reason in result.reasons:
        case = ET.SubElement(suite, "testcase", classname=_SUITE, name=reason.cause.value, time="0")
        failure = ET.SubElement(case, "failure", type=reason.cause.value, message=xml(headline(result)))
        failure.text = xml(reason.text)
    for one in _reported(result):
        classname, text = f"{_SUITE}.{one.kind}", xml(one.text)
        case = ET.SubElement(suite, "testcase", classname=classname, name=xml(one.identifier), time="0")
        if one.verdict is Ruling.REGRESSION:
            ET.SubElement(case, "failure", type=one.rule, message=xml(one.message)).text = text
        elif one.shown.skipped:
            ET.SubElement(case, "skipped", message=text)
        elif text:
            ET.SubElement(case, "system-out").text = text
    whole = ET.Element("testsuites", name=_SUITE)
    whole.append(suite)
    for element in (whole, suite):
        element.set("tests", str(len(suite.findall("testcase"))))
        element.set("failures", str(len(suite.findall("testcase/failure"))))
        element.set("errors", "0")
        element.set("time", "0")
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    ET.indent(whole, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(whole, encoding="unicode") + "\n"


def sarif_document(result: CheckResult, root: str, elsewhere: str) -> dict[str, object]:
    """Return the document: one run, a result per regression (also waived), doubt and open expectation.

    Args:
        root: directory that source files are made relative to; may be empty.
        elsewhere: what findings without a source file point to: code hosts drop results without a file.
    """
    reported = [one for one in _kernels_first(result, root) if one.shown.sarif]
    used = sorted({one.rule for one in reported})
    invocation = {
        "executionSuccessful": True,
        "exitCode": int(result.outcome),
        "exitCodeDescription": headline(result),
        "toolExecutionNotifications": [
            {"level": "warning", "message": {"text": text}}
            for text in (*(reason.text for reason in result.reasons), *result.notices)
        ],
    }
    driver = {
        "name": "pipeline check",
        "version": version("callpath-pipeline"),
        "rules": [{"id": name, "shortDescription": {"text": RULE_TEXTS[name]}} for name in used],
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "invocations": [invocation],
                "results": [_sarif_result(one, used, relative_to(elsewhere, root)) for one in reported],
            }
        ],
    }


def _sarif_result(one: _Reported, rules: list[str], elsewhere: str) -> dict[str, object]:
    file = one.file or elsewhere
    uri = quote(file, safe="/") if not file.startswith("/") else "file://" + quote(file, safe="/")
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": one.line}}
    location: dict[str, object] = {"physicalLocation": place}
    found: dict[str, object] = {
        "ruleId": one.rule,
        "ruleIndex": rules.index(one.rule),
        "level": one.shown.sarif,
        "message": {"text": one.description},
        "locations": [location],
        "partialFingerprints": {"kernel/v1": one.fingerprint[:_SARIF_DIGITS]},
    }
    if one.kernel is not None:
        region = one.kernel.kernel.region
        logical = {"name": region, "fullyQualifiedName": one.identifier, "kind": "function"}
        location["logicalLocations"] = [logical]
    if one.kernel is not None and one.verdict is Ruling.WAIVED:
        found["suppressions"] = [{"kind": "external", "justification": one.kernel.advice}]
    return found


_ICONS = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️", Outcome.EXCEEDED: "❌"}
_ROWS = 20
_COLUMNS = ("kernel", *CHECK_WORDS.sides, "share", "ratio", "ratio_at", "target_ratio", "growth")
_DOUBTS = 5  # kernels too noisy to judge whose advice is shown


def check_markdown(result: CheckResult) -> str:
    """Return the document: headline, what got slower most, one table per verdict, the evidence folded."""
    parts = [f"## {_ICONS[result.outcome]} {headline(result)}"]
    parts += [f"**{markdown(worst)}.**" for worst in (leading_change(result),) if worst]
    parts += [f"- {markdown(reason.text)}" for reason in result.reasons]
    said = expectation_sentences(result.expectations)
    parts += [f"- {markdown(sentence)}" for sentence, _ in said]
    for verdict, row in VERDICT_ROWS.items():
        if row.heading and (found := result.of(verdict)):
            parts.append(f"### {row.heading} ({len(found)})\n\n{_table(found[:_ROWS], result)}".rstrip())
            if len(found) > _ROWS:
                parts.append(f"{_ROWS} of {len(found)} shown")
    findings, doubts = result.of(Ruling.REGRESSION, Ruling.WAIVED), result.of(Ruling.INCONCLUSIVE)
    explained = (*findings[:_ROWS], *doubts[:_DOUBTS])
    if explained:
        whole = len(findings) + len(doubts)
        if len(explained) < whole:
            parts.append(f"Evidence for {len(explained)} of {whole}:")
        lines = "\n".join(
            f"- **{markdown(kernel_name(one, 90))}**: {markdown(story(one))}" for one in explained
        )
        parts.append(f"<details open><summary>Evidence and where to look</summary>\n\n{lines}\n\n</details>")
    parts += [f"> {markdown(notice)}" for notice in (*map(rename_text, result.renames), *result.notices)]
    parts.append(f"<sub>{markdown(seen_text(result))}. {markdown(basis(result))}.</sub>")
    return "\n\n".join(parts) + "\n"


def _table(kernels: Sequence[KernelResult], result: CheckResult) -> str:
    columns = {one.key: one for one in change_columns(result, CHECK_WORDS, ())}
    keys = [key for key in _COLUMNS if key != "ratio_at" or any(map(ratio_at, kernels))]
    shown = [replace(columns[key], audience=Audience.ALL) for key in keys]
    source: Column[Sequence[AtTarget]] = Column(key="source", each=_source)
    last = max(len(result.targets) - 1, 0)
    return markdown_text(filled([*shown, source], [(one, last) for one in kernels]))


def _source(row: AtTarget) -> str:
    file = PurePosixPath(row[0].file).name
    return f"{file}:{row[0].line}" if file and row[0].line > 0 else ""
