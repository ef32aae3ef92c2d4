"""The outputs of a check: files, standard output and what GitHub Actions reads."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ingest.errors import UsageError
from pipeline.gate.decision import CheckResult
from pipeline.report.annotations import annotations
from pipeline.report.check_json import check_document
from pipeline.report.code_quality import code_quality
from pipeline.report.junit import junit_xml
from pipeline.report.markdown import check_markdown
from pipeline.report.sarif import sarif_document
from pipeline.store.atomic import json_text, write_json, write_text


@dataclass(frozen=True)
class Outputs:
    """Where each output goes; None writes none, ``-`` for `json` is standard output.

    Attributes:
        source_root: directory that source files are made relative to.
    """

    json: str | None = None
    junit: Path | None = None
    sarif: Path | None = None
    markdown: Path | None = None
    code_quality: Path | None = None
    source_root: str = ""


def write_outputs(result: CheckResult, outputs: Outputs) -> bool:
    """Write all outputs; True where standard output is taken by JSON."""
    root = outputs.source_root
    if outputs.junit is not None:
        write_text(outputs.junit, junit_xml(result))
    if outputs.sarif is not None:
        write_json(outputs.sarif, sarif_document(result, root))
    if outputs.markdown is not None:
        write_text(outputs.markdown, check_markdown(result))
    if outputs.code_quality is not None:
        write_json(outputs.code_quality, code_quality(result, root))
    _tell_github(result, root, sys.stderr if outputs.json == "-" else sys.stdout)
    if outputs.json == "-":
        sys.stdout.write(json_text(check_document(result)))
        return True
    if outputs.json is not None:
        write_json(Path(outputs.json), check_document(result))
    return False


def _tell_github(result: CheckResult, root: str, stream: TextIO) -> None:
    """Write annotations and the step summary where GitHub Actions runs us; it reads both streams."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for line in annotations(result, root or os.environ.get("GITHUB_WORKSPACE", "")):
        print(line, file=stream)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(check_markdown(result))
        except OSError as error:
            raise UsageError(f"cannot be written ({error.strerror})", where=summary) from error
