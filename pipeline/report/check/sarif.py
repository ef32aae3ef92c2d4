"""A check as SARIF 2.1.0, which code hosts show in the source.

OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020.
"""

from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from pipeline.gate.result import CheckResult, KernelResult, Verdict
from pipeline.report.check.annotations import fingerprint
from pipeline.report.check.wording import RULE_TEXTS, headline, kernel_name, rule_id, source_file, story

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT_DIGITS = 32
LEVELS = {Verdict.REGRESSION: "error", Verdict.WAIVED: "error", Verdict.INCONCLUSIVE: "note"}


def sarif_document(result: CheckResult, root: str = "") -> dict[str, Any]:
    """Return the document: one run, with one result per regression (also waived) and doubt.

    Args:
        result: the check.
        root: directory that source files are made relative to.
    """
    reported = result.of(*LEVELS)
    used = sorted({rule_id(one) for one in reported})
    invocation = {
        "executionSuccessful": True,
        "exitCode": int(result.outcome),
        "exitCodeDescription": headline(result),
        "toolExecutionNotifications": [
            {"level": "warning", "message": {"text": text}} for text in (*result.reasons, *result.notices)
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
                "results": [_result(one, used, root) for one in reported],
            }
        ],
    }


def _result(result: KernelResult, rules: list[str], root: str) -> dict[str, Any]:
    name = rule_id(result)
    location: dict[str, Any] = {
        "logicalLocations": [
            {
                "name": result.kernel.region,
                "fullyQualifiedName": result.kernel.text,
                "kind": "function",
            }
        ]
    }
    if file := source_file(result, root):
        uri = quote(file, safe="/") if not file.startswith("/") else "file://" + quote(file, safe="/")
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": result.line},
        }
    found: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "level": LEVELS[result.verdict],
        "message": {"text": f"{kernel_name(result, 120)}: {story(result)}"},
        "locations": [location],
        "partialFingerprints": {"kernel/v1": fingerprint(result)[:FINGERPRINT_DIGITS]},
    }
    if result.verdict is Verdict.WAIVED:
        found["suppressions"] = [{"kind": "external", "justification": result.advice}]
    return found
