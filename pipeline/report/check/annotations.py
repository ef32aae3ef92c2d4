"""A check as annotations in the source: GitHub Actions commands and GitLab's code-quality report."""

import hashlib
from typing import Any

from pipeline.gate.check_result import CheckResult, KernelResult
from pipeline.report.check.wording import VERDICT_ROWS, headline, kernel_name, rule_id, source_file, story
from pipeline.wording.escaping import github_data, github_property

GITHUB_MOST = 10  # GitHub shows no more per step and kind
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
    for one in result.kernels:
        command, place = VERDICT_ROWS[one.verdict].github, ""
        if not command:
            continue
        if file := source_file(one, root):
            place = f"file={github_property(file)},line={one.line},"
        title = github_property(f"{one.verdict.value}: {kernel_name(one, 80)}")
        found.append(f"::{command} {place}title={title}::{github_data(story(one))}")
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
            "severity": VERDICT_ROWS[one.verdict].gitlab,
            "location": {
                "path": source_file(one, root) or GITLAB_NO_FILE,
                "lines": {"begin": max(one.line, 1)},
            },
        }
        for one in result.kernels
        if VERDICT_ROWS[one.verdict].gitlab
    ]


def fingerprint(result: KernelResult) -> str:
    """Return 64 hexadecimal digits that stay the same for the same kernel and kind of finding."""
    key = "\0".join((rule_id(result), result.kernel.level.value, *result.kernel.callpath))
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
