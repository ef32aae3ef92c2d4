"""A check as SARIF 2.1.0, which code hosts show beside the source.

OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 2020.
"""

import hashlib
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from pipeline.gate.decision import CheckResult, Decision, Verdict
from pipeline.gate.verdicts import describe
from pipeline.report.check_words import RULE_TEXTS, headline, kernel_name, rule_id, story
from pipeline.report.source_places import relative_file

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Verdict.REGRESSION: "error", Verdict.WAIVED: "error", Verdict.INCONCLUSIVE: "note"}


def sarif_document(result: CheckResult, root: str = "") -> dict[str, Any]:
    """Return the document: one run, a result for every regression, waived regression and doubt.

    Args:
        result: the check.
        root: directory that source files are made relative to.
    """
    told = [d for d in result.decisions if d.verdict in LEVELS]
    used = sorted({rule_id(d) for d in told})
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
                "results": [_result(d, used, root) for d in told],
            }
        ],
    }


def _result(decision: Decision, rules: list[str], root: str) -> dict[str, Any]:
    name = rule_id(decision)
    location: dict[str, Any] = {
        "logicalLocations": [
            {
                "name": decision.kernel.callpath[-1],
                "fullyQualifiedName": describe(decision.kernel),
                "kind": "function",
            }
        ]
    }
    if file := relative_file(decision, root):
        uri = quote(file, safe="/") if not file.startswith("/") else "file://" + quote(file, safe="/")
        location["physicalLocation"] = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": decision.line},
        }
    found: dict[str, Any] = {
        "ruleId": name,
        "ruleIndex": rules.index(name),
        "level": LEVELS[decision.verdict],
        "message": {"text": f"{kernel_name(decision, 120)}: {story(decision)}"},
        "locations": [location],
        "partialFingerprints": {"kernel/v1": _fingerprint(decision, name)},
    }
    if decision.verdict is Verdict.WAIVED:
        found["suppressions"] = [{"kind": "external", "justification": decision.advice}]
    return found


def _fingerprint(decision: Decision, rule: str) -> str:
    key = "\0".join((rule, decision.kernel.level.value, *decision.kernel.callpath))
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()[:32]
