"""A check as JUnit XML: one test case per kernel, as CI servers read it.

Follows the schema of the Jenkins xUnit plugin. A regression is a failure, and so is every reason why
the check as a whole is inconclusive; a kernel that is inconclusive, waived or not comparable is skipped,
so that servers show it without failing.
"""

import xml.etree.ElementTree as ET

from pipeline.gate.check_result import CheckResult, KernelResult, Ruling
from pipeline.report.check.wording import VERDICT_ROWS, headline, power_text, rule_id, story
from pipeline.wording.escaping import xml

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
