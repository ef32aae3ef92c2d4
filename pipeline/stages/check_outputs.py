"""The files that a check writes: JUnit, SARIF, Markdown, code quality, JSON, and what GitHub reads."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TextIO

from ingest.errors import UsageError
from pipeline.gate.check_result import CheckResult
from pipeline.report.check.ci_servers import github_annotations, gitlab_code_quality, junit_xml
from pipeline.report.check.document import check_document
from pipeline.report.check.markdown import check_markdown
from pipeline.report.check.sarif import sarif_document
from pipeline.report.render.standard_output import write_standard_output
from pipeline.store.atomic import json_bytes, text_bytes, write_bytes


def write_outputs(
    result: CheckResult,
    targets: Mapping[str, str | None],
    table: str | None = None,
    *,
    source_root: str = "",
    elsewhere: str = "",
    written: Callable[[str], None] = lambda _: None,
) -> bool:
    """Write all outputs; return whether one of them took standard output.

    Args:
        result: of the check.
        targets: per option the file for it, ``-`` for standard output; None: nowhere.
        table: the content of ``--format``, for standard output; None without it.
        source_root: directory that source files are made relative to.
        elsewhere: what findings without a source file point to: the configuration file or the baseline.
        written: is called with each file that was written.

    Raises:
        UsageError: two are for standard output, or a file cannot be written.
    """
    makers: dict[str, Callable[[], bytes]] = {
        "--junit": lambda: text_bytes(junit_xml(result)),
        "--sarif": lambda: json_bytes(sarif_document(result, source_root, elsewhere)),
        "--markdown": lambda: text_bytes(check_markdown(result)),
        "--code-quality": lambda: json_bytes(gitlab_code_quality(result, source_root)),
        "--json": lambda: json_bytes(check_document(result)),
        "--format": lambda: text_bytes(table or ""),
    }
    wanted = {**targets, "--format": None if table is None else "-"}
    shown = [flag for flag in makers if wanted.get(flag) == "-"]
    if len(shown) > 1:
        raise UsageError(
            "only one of them can go to standard output", where=" and ".join(shown), hint="give files"
        )
    for flag, make in makers.items():
        if (target := wanted.get(flag)) not in (None, "-"):
            write_bytes(Path(str(target)), make())
            written(str(target))
    _write_for_github(result, source_root, sys.stderr if shown else sys.stdout)
    for flag in shown:
        write_standard_output(makers[flag]())
    return bool(shown)


def _write_for_github(result: CheckResult, root: str, stream: TextIO) -> None:
    """Write annotations and the step summary in GitHub Actions, which reads both streams."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for line in github_annotations(result, root or os.environ.get("GITHUB_WORKSPACE", "")):
        print(line, file=stream)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(check_markdown(result))
        except OSError as error:
            raise UsageError(f"cannot be written ({error.strerror})", where=summary) from error
