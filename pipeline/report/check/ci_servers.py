"""A check for CI servers: JUnit XML, GitHub Actions commands and GitLab's code-quality report."""

import hashlib
import xml.etree.ElementTree as ET
from typing import Any

from pipeline.columns.expectations import expectation_sentence, expectations_json
from pipeline.gate.check_result import CheckResult, KernelResult, Ruling
from pipeline.questions.expected_growth import Judgement
from pipeline.report.check.wording import (
    EXPECTATION,
    VERDICT_ROWS,
    headline,
    kernel_name,
    open_expectations,
    power_text,
    relative_to,
    rule_id,
    source_file,
    story,
)
from pipeline.wording.escaping import github_data, github_property, xml

GITHUB_MOST = 10  # GitHub shows no more per step and kind


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
    return found[:GITHUB_MOST]


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
            "fingerprint": digest(EXPECTATION, one.subject),
            "severity": VERDICT_ROWS[Ruling.REGRESSION if one.exceeded else Ruling.INCONCLUSIVE].gitlab,
            "location": {"path": one.file, "lines": {"begin": one.line}},
        }
        for one in open_expectations(result, root)
    ]


def fingerprint(result: KernelResult) -> str:
    """Return 64 hexadecimal digits that stay the same for the same kernel and kind of finding."""
    return digest(rule_id(result), result.kernel.level.value, *result.kernel.callpath)


def digest(*names: str) -> str:
    """Return 64 hexadecimal digits of some names."""
    return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()


SUITE = "scalability"


def junit_xml(result: CheckResult) -> str:
    """Return the document."""
    suite = ET.Element("testsuite", name=SUITE)
    if result.power is not None:
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", name="power", value=xml(power_text(result.power)))
    for reason in result.reasons:
        case = ET.SubElement(suite, "testcase", classname=SUITE, name=reason.cause.value, time="0")
        failure = ET.SubElement(case, "failure", type=reason.cause.value, message=xml(headline(result)))
        failure.text = xml(reason.text)
    for row in expectations_json(result.expectations):
        sentence = expectation_sentence(row)
        name = xml(f"{row['place']}: {row['at_most']}")
        case = ET.SubElement(suite, "testcase", classname=f"{SUITE}.expectation", name=name, time="0")
        if row["judgement"] == Judgement.EXCEEDED.value:
            ET.SubElement(case, "failure", type="expectation", message=xml(sentence)).text = xml(sentence)
        elif row["judgement"] == Judgement.UNKNOWN.value:
            ET.SubElement(case, "skipped", message=xml(sentence))
    for one in result.kernels:
        _add_case(suite, one)
    whole = ET.Element("testsuites", name=SUITE)
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
        classname=f"{SUITE}.{result.kernel.level.value}",
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
