"""A check as GitLab's code-quality report, a subset of Code Climate's format."""

import hashlib
from typing import Any

from pipeline.gate.decision import CheckResult, Verdict
from pipeline.report.check_words import kernel_name, rule_id, story
from pipeline.report.source_places import relative_file

SEVERITY = {Verdict.REGRESSION: "critical", Verdict.WAIVED: "info", Verdict.INCONCLUSIVE: "minor"}
NOWHERE = "pipeline.toml"  # GitLab drops entries without a file


def code_quality(result: CheckResult, root: str = "") -> list[dict[str, Any]]:
    """Return one entry for every regression, waived regression and doubt."""
    return [
        {
            "description": f"{kernel_name(d, 120)}: {story(d)}",
            "check_name": rule_id(d),
            "fingerprint": hashlib.sha256(
                "\0".join((rule_id(d), d.kernel.level.value, *d.kernel.callpath)).encode(
                    errors="surrogateescape"
                )
            ).hexdigest(),
            "severity": SEVERITY[d.verdict],
            "location": {"path": relative_file(d, root) or NOWHERE, "lines": {"begin": max(d.line, 1)}},
        }
        for d in result.decisions
        if d.verdict in SEVERITY
    ]
