"""A check for code hosts and CI servers: JUnit XML, GitHub, GitLab, SARIF and Markdown."""

import hashlib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from pipeline.columns.cells import Audience
from pipeline.columns.changes import CHECK_SIDES, NO_STYLES, VERDICTS, AtTarget, change_columns, ratio_at
from pipeline.columns.column import Column, filled
from pipeline.gate.check_result import CheckResult, KernelResult, Outcome, Ruling
from pipeline.questions.expected_growth import Judgement, expectation_sentences
from pipeline.report.check.wording import (
    EXPECTATION,
    RULE_TEXTS,
    VERDICT_ROWS,
    OpenExpectation,
    basis,
    headline,
    kernel_name,
    open_expectations,
    power_text,
    relative_to,
    rename_text,
    rule_id,
    source_file,
    story,
)
from pipeline.report.render.text_formats import markdown_text
from pipeline.wording.escaping import github_data, github_property, markdown, xml

_GITHUB_MOST = 10  # GitHub shows no more per step and kind


def github_annotations(result: CheckResult, root: str = "") -> list[str]:
    """Return at most ten workflow commands, the most important first; source files are relative to `root`."""
    found = [
        f"::warning title={github_property(headline(result))}::{github_data(reason.text)}"
        for reason in result.reasons
    ]
    found += [
        f"::{'error' if one.exceeded else 'warning'} file={github_property(one.file)},line={one.line},"
        f"title={github_property(f'Expectation: {one.subject}')}::{github_data(one.text)}"
        for one in open_expectations(result, root)
    ]
    for one in result.kernels:
        command, place = VERDICT_ROWS[one.verdict].github, ""
        if not command:
            continue
        if file := source_file(one, root):
            place = f"file={github_property(file)},line={one.line},"
        title = github_property(f"{one.verdict.value}: {kernel_name(one, 80)}")
        found.append(f"::{command} {place}title={title}::{github_data(story(one))}")
    return found[:_GITHUB_MOST]


def gitlab_code_quality(result: CheckResult, root: str, elsewhere: str) -> list[dict[str, Any]]:
    """Return GitLab's subset of Code Climate's format: an entry per regression (also waived) or doubt.

    Expectations that are not met are at the end; source files are relative to `root`. GitLab drops entries
    without a file, so those of unknown source point to `elsewhere`, which must exist.
    """
    return [
        {
            "description": f"{kernel_name(one, 120)}: {story(one)}",
            "check_name": rule_id(one),
            "fingerprint": fingerprint(one),
            "severity": VERDICT_ROWS[one.verdict].gitlab,
            "location": {
                "path": source_file(one, root) or relative_to(elsewhere, root),
                "lines": {"begin": max(one.line, 1)},
            },
        }
        for one in result.kernels
        if VERDICT_ROWS[one.verdict].gitlab
    ] + [
        {
            "description": one.text,
            "check_name": EXPECTATION,
            "fingerprint": _digest(EXPECTATION, one.subject),
            "severity": VERDICT_ROWS[Ruling.REGRESSION if one.exceeded else Ruling.INCONCLUSIVE].gitlab,
            "location": {"path": one.file, "lines": {"begin": one.line}},
        }
        for one in open_expectations(result, root)
    ]


def fingerprint(result: KernelResult) -> str:
    """Return 64 hexadecimal digits that stay the same for the same kernel and kind of finding."""
    return _digest(rule_id(result), result.kernel.level.value, *result.kernel.callpath)


def _digest(*names: str) -> str:
    """Return 64 hexadecimal digits of some names."""
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()


_SUITE = "scalability"


def junit_xml(result: CheckResult) -> str:
    """Return the document."""
    suite = ET.Element("testsuite", name=_SUITE)
    if result.power is not None:
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", name="power", value=xml(power_text(result.power)))
    for reason in result.reasons:
        case = ET.SubElement(suite, "testcase", classname=_SUITE, name=reason.cause.value, time="0")
        failure = ET.SubElement(case, "failure", type=reason.cause.value, message=xml(headline(result)))
        failure.text = xml(reason.text)
    for expected in result.expectations:
        sentence = expected.sentence
        name = xml(f"{expected.place}: {expected.at_most}")
        case = ET.SubElement(suite, "testcase", classname=f"{_SUITE}.expectation", name=name, time="0")
        if expected.judgement is Judgement.EXCEEDED:
            ET.SubElement(case, "failure", type="expectation", message=xml(sentence)).text = xml(sentence)
        elif expected.judgement is Judgement.UNKNOWN:
            ET.SubElement(case, "skipped", message=xml(sentence))
    for one in result.kernels:
        _add_case(suite, one)
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


def _add_case(suite: ET.Element, result: KernelResult) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"{_SUITE}.{result.kernel.level.value}",
        name=xml(result.kernel.text),
        time="0",
    )
    text = xml(story(result))
    if result.verdict is Ruling.REGRESSION:
        message = xml(result.evidence[0].text)
        ET.SubElement(case, "failure", type=rule_id(result), message=message).text = text
    elif VERDICT_ROWS[result.verdict].skipped:
        ET.SubElement(case, "skipped", message=text)
    elif text:
        ET.SubElement(case, "system-out").text = text


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT_DIGITS = 32


def sarif_document(result: CheckResult, root: str, elsewhere: str) -> dict[str, Any]:
    """Return the document: one run, a result per regression (also waived), doubt and open expectation.

    Args:
        root: directory that source files are made relative to; may be empty.
        elsewhere: what findings without a source file point to.
    """
    reported = [one for one in result.kernels if VERDICT_ROWS[one.verdict].sarif]
    expected = open_expectations(result, root)
    used = sorted({*map(rule_id, reported), *([EXPECTATION] if expected else [])})
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
                "results": [
                    *(_result(one, used, root, elsewhere) for one in reported),
                    *(_of_expectation(one, used) for one in expected),
                ],
            }
        ],
    }


def _result(result: KernelResult, rules: list[str], root: str, elsewhere: str) -> dict[str, Any]:
    name = rule_id(result)
    location: dict[str, Any] = {
        "logicalLocations": [
            {"name": result.kernel.region, "fullyQualifiedName": result.kernel.text, "kind": "function"}
        ],
        "physicalLocation": _place(result, root, elsewhere),
    }
    found: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "level": VERDICT_ROWS[result.verdict].sarif,
        "message": {"text": f"{kernel_name(result, 120)}: {story(result)}"},
        "locations": [location],
        "partialFingerprints": {"kernel/v1": fingerprint(result)[:_FINGERPRINT_DIGITS]},
    }
    if result.verdict is Ruling.WAIVED:
        found["suppressions"] = [{"kind": "external", "justification": result.advice}]
    return found


def _of_expectation(one: OpenExpectation, rules: list[str]) -> dict[str, Any]:
    verdict = Ruling.REGRESSION if one.exceeded else Ruling.INCONCLUSIVE
    return {
        "ruleId": EXPECTATION,
        "ruleIndex": rules.index(EXPECTATION),
        "level": VERDICT_ROWS[verdict].sarif,
        "message": {"text": one.text},
        "locations": [{"physicalLocation": _physical(one.file, one.line)}],
        "partialFingerprints": {"kernel/v1": _digest(EXPECTATION, one.subject)[:_FINGERPRINT_DIGITS]},
    }


def _place(result: KernelResult, root: str, elsewhere: str) -> dict[str, Any]:
    """Return where a finding is shown: code hosts drop results without a file and a line."""
    file = source_file(result, root)
    return _physical(file, result.line) if file else _physical(relative_to(elsewhere, root), 1)


def _physical(file: str, line: int) -> dict[str, Any]:
    uri = quote(file, safe="/") if not file.startswith("/") else "file://" + quote(file, safe="/")
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}


_ICONS = {Outcome.PASSED: "✅", Outcome.REGRESSED: "❌", Outcome.INCONCLUSIVE: "⚠️", Outcome.EXCEEDED: "❌"}
_ROWS = 20
_COLUMNS = ("kernel", *CHECK_SIDES, "share", "ratio", "ratio_at", "target_ratio", "growth")
_DOUBTS = 5  # kernels too noisy to judge whose advice is shown


def check_markdown(result: CheckResult) -> str:
    """Return the document: headline, one table per verdict, below them the evidence, folded."""
    parts = [f"## {_ICONS[result.outcome]} {headline(result)}"]
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
    if result.power is not None:
        parts.append(f"Power: {markdown(power_text(result.power))}.")
    parts.append(f"<sub>{markdown(basis(result))}.</sub>")
    return "\n\n".join(parts) + "\n"


def _table(kernels: Sequence[KernelResult], result: CheckResult) -> str:
    columns = {one.key: one for one in change_columns(result, VERDICTS, NO_STYLES, CHECK_SIDES, ())}
    keys = [key for key in _COLUMNS if key != "ratio_at" or any(map(ratio_at, kernels))]
    shown = [replace(columns[key], audience=Audience.ALL) for key in keys]
    source: Column[Sequence[AtTarget]] = Column(key="source", each=_source)
    last = max(len(result.targets) - 1, 0)
    return markdown_text(filled([*shown, source], [(one, last) for one in kernels]))


def _source(row: AtTarget) -> str:
    file = PurePosixPath(row[0].file).name
    return f"{file}:{row[0].line}" if file and row[0].line > 0 else ""
