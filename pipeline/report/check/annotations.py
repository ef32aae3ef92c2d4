"""A check as annotations in the source: GitHub Actions commands and GitLab's code-quality report."""

import hashlib
from typing import Any

from pipeline.gate.check_result import CheckResult, KernelResult, Ruling
from pipeline.report.check.wording import headline, kernel_name, rule_id, source_file, story
from pipeline.wording.escaping import github_data, github_property

GITHUB_COMMANDS = {Ruling.REGRESSION: "error", Ruling.INCONCLUSIVE: "warning"}
GITHUB_MOST = 10  # GitHub shows no more per step and kind
GITLAB_SEVERITIES = {Ruling.REGRESSION: "critical", Ruling.WAIVED: "info", Ruling.INCONCLUSIVE: "minor"}
GITLAB_NO_FILE = "pipeline.toml"  # GitLab drops entries without a file


def github_annotations(result: CheckResult, root: str = "") -> list[str]:
    """Return at most ten workflow commands, the most important first.

    Args:
        result: the check.
        root: directory that source files are made relative to.
    """
    found = [
        f"::warning title={github_property(headline(result))}::{github_data(reason.text)}"
        for reason in result.reasons
    ]
    for one in result.of(*GITHUB_COMMANDS):
        place = ""
        if file := source_file(one, root):
            place = f"file={github_property(file)},line={one.line},"
        title = github_property(f"{one.verdict.value}: {kernel_name(one, 80)}")
        found.append(f"::{GITHUB_COMMANDS[one.verdict]} {place}title={title}::{github_data(story(one))}")
    return found[:GITHUB_MOST]


def gitlab_code_quality(result: CheckResult, root: str = "") -> list[dict[str, Any]]:
    """Return GitLab's subset of Code Climate's format: one entry per regression (also waived) and doubt.

    Args:
        result: the check.
        root: directory that source files are made relative to.
    """
    return [
        {
            "description": f"{kernel_name(one, 120)}: {story(one)}",
            "check_name": rule_id(one),
            "fingerprint": fingerprint(one),
            "severity": GITLAB_SEVERITIES[one.verdict],
            "location": {
                "path": source_file(one, root) or GITLAB_NO_FILE,
                "lines": {"begin": max(one.line, 1)},
            },
        }
        for one in result.of(*GITLAB_SEVERITIES)
    ]


def fingerprint(result: KernelResult) -> str:
    """Return 64 hexadecimal digits that stay the same for the same kernel and kind of finding."""
    key = "\0".join((rule_id(result), result.kernel.level.value, *result.kernel.callpath))
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
