"""Two studies side by side in the terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from pipeline.gate.decision import CheckResult
from pipeline.gate.snapshot import KernelId
from pipeline.report.check_json import check_document
from pipeline.report.check_terminal import show_details
from pipeline.report.comparison_page import comparison_headline
from pipeline.report.formatting import callpath_text


def comparison_document(
    result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], a: str, b: str
) -> dict[str, Any]:
    """Return a comparison as plain data: the shape of check.json without its exit code."""
    document = check_document(result)
    del document["exit_code"], document["outcome"]
    pairs = [{"a": list(old.callpath), "b": list(new.callpath)} for old, new in renamed]
    return {"a": a, "b": b, "renamed": pairs} | document


def show_comparison(
    out: Console, result: CheckResult, renamed: Sequence[tuple[KernelId, KernelId]], *, limit: int
) -> None:
    """Print what differs between two studies."""
    out.print(Text(comparison_headline(result), style="bold"))
    show_details(out, result, limit=limit)
    for old, new in renamed:
        out.print(
            Text(f"Perhaps renamed: {callpath_text(old.callpath, 80)} → {callpath_text(new.callpath, 80)}"),
            soft_wrap=True,
        )
