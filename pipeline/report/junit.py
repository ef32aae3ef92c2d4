"""A check as JUnit XML: one test case a kernel, as CI servers read it.

Follows the schema of the Jenkins xUnit plugin: a regression is a failure, an inconclusive or waived kernel is
skipped, so that servers show it without turning red.
"""

import re
import xml.etree.ElementTree as ET

from pipeline.gate.decision import CheckResult, Decision, Verdict
from pipeline.gate.verdicts import describe
from pipeline.report.check_words import headline, rule_id, story

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SUITE = "scalability"


def junit_xml(result: CheckResult) -> str:
    """Return the document."""
    whole = ET.Element("testsuites", name=SUITE)
    suite = ET.SubElement(whole, "testsuite", name=SUITE)
    failures = len(result.of(Verdict.REGRESSION)) + (1 if result.reasons else 0)
    skipped = len(result.of(Verdict.INCONCLUSIVE, Verdict.WAIVED))
    if result.reasons:
        case = ET.SubElement(suite, "testcase", classname=SUITE, name="comparable", time="0")
        failure = ET.SubElement(case, "failure", type="incomparable", message=_clean(headline(result)))
        failure.text = _clean("\n".join(result.reasons))
    for decision in result.decisions:
        _case(suite, decision)
    for element in (whole, suite):
        element.set("tests", str(len(result.decisions) + (1 if result.reasons else 0)))
        element.set("failures", str(failures))
        element.set("errors", "0")
        element.set("time", "0")
    suite.set("skipped", str(skipped))
    ET.indent(whole, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(whole, encoding="unicode") + "\n"


def _case(suite: ET.Element, decision: Decision) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"{SUITE}.{decision.kernel.level.value}",
        name=_clean(describe(decision.kernel)),
        time="0",
    )
    text = _clean(story(decision))
    if decision.verdict is Verdict.REGRESSION:
        failure = ET.SubElement(case, "failure", type=rule_id(decision), message=_clean(_first(decision)))
        failure.text = text
    elif decision.verdict in (Verdict.INCONCLUSIVE, Verdict.WAIVED):
        ET.SubElement(case, "skipped", message=text)
    elif text:
        ET.SubElement(case, "system-out").text = text


def _first(decision: Decision) -> str:
    return decision.evidence[0].text if decision.evidence else decision.verdict.value


def _clean(text: str) -> str:
    """Drop what XML 1.0 cannot hold; names of regions may be any bytes."""
    return NOT_XML.sub("\ufffd", text)
