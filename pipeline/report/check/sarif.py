"""A check as SARIF 2.1.0, which code hosts show in the source.

OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020.
"""

from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from pipeline.gate.check_result import CheckResult, KernelResult, Ruling
from pipeline.report.check.ci_servers import digest, fingerprint
from pipeline.report.check.wording import (
    EXPECTATION,
    RULE_TEXTS,
    VERDICT_ROWS,
    OpenExpectation,
    headline,
    kernel_name,
    open_expectations,
    relative_to,
    rule_id,
    source_file,
    story,
)

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT_DIGITS = 32


def sarif_document(result: CheckResult, root: str, elsewhere: str) -> dict[str, Any]:
    """Return the document: one run, a result per regression (also waived), doubt and open expectation.

    Args:
        result: the check.
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
        "$schema": SCHEMA,
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
        "partialFingerprints": {"kernel/v1": fingerprint(result)[:FINGERPRINT_DIGITS]},
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
        "partialFingerprints": {"kernel/v1": digest(EXPECTATION, one.subject)[:FINGERPRINT_DIGITS]},
    }


def _place(result: KernelResult, root: str, elsewhere: str) -> dict[str, Any]:
    """Return where a finding is shown: code hosts drop results without a file and a line."""
    file = source_file(result, root)
    return _physical(file, result.line) if file else _physical(relative_to(elsewhere, root), 1)


def _physical(file: str, line: int) -> dict[str, Any]:
    uri = quote(file, safe="/") if not file.startswith("/") else "file://" + quote(file, safe="/")
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}
