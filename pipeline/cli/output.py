"""What commands write: results to standard output or a file, notices and progress to standard error."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pipeline.report.render.standard_output import write_standard_output
from pipeline.wording.escaping import visible
from pipeline.wording.lines import wrapped

if TYPE_CHECKING:
    from pipeline.columns.cells import DataTable

Item = TypeVar("Item")

STANDARD_OUTPUT = "-"
_MOST_LISTED = 3  # entries of one reason that have a line each
_EXAMPLES = 3
TABLE = "table"  # the format of people: what commands print by default


def write_output(target: str, content: str | bytes) -> None:
    """Write text or the bytes of an image to a file, or to standard output if the target is ``-``."""
    from pipeline.store.atomic import text_bytes, write_bytes

    written = text_bytes(content) if isinstance(content, str) else content
    if target == STANDARD_OUTPUT:
        write_standard_output(written)
    else:
        write_bytes(Path(target), written)
        show_written(target)


def image_form(target: str) -> str:
    """Return ``png``, ``svg`` or ``pdf`` by a file's ending, else UsageError; ``svg`` for standard output."""
    from ingest.errors import UsageError

    form = "svg" if target == STANDARD_OUTPUT else Path(target).suffix.lstrip(".").lower()
    if form not in ("png", "svg", "pdf"):
        raise UsageError(f"'{target}' is neither .png, .svg nor .pdf", where="--out")
    return form


def write_summary(target: str | None, summary: object) -> bool:
    """Write a record, or plain data, to the target of ``--json``; return whether that is standard output."""
    from ingest.record_codec import document
    from pipeline.store.atomic import json_bytes

    if target is not None:
        write_output(target, json_bytes(document(summary) if is_dataclass(summary) else summary))
    return target == STANDARD_OUTPUT


def write_table(form: str, table: Callable[[], "DataTable"]) -> bool:
    """Write a table in another form than `TABLE` to standard output; return whether it was another form."""
    if form == TABLE:
        return False
    from pipeline.report.render.text_formats import WRITERS

    made = table()
    show_notices(made.notes)
    write_output(STANDARD_OUTPUT, WRITERS[form](made))
    return True


def require_one_on_standard_output(targets: Mapping[str, object], form: str | None = None) -> None:
    """Refuse two outputs, by option, or one and a ``--format``, on standard output: UsageError names them."""
    shown = [flag for flag, target in targets.items() if target == STANDARD_OUTPUT]
    shown += ["--format"] if form not in (None, TABLE) else []
    if len(shown) > 1:
        from ingest.errors import UsageError

        what = "only one of them can go to standard output"
        raise UsageError(what, where=" and ".join(shown), hint="give files")


def show_written(target: str | Path) -> None:
    """Say on standard error which file was written."""
    show_notice(f"wrote {target}")


def show_notice(notice: str) -> None:
    """Write a notice to standard error: one line, or as many as it needs on a terminal."""
    line, width = f"pipeline: {visible(notice)}", _width_of_notices()
    print("\n".join(wrapped(line, width)) if width else line, file=sys.stderr)


def _width_of_notices() -> int:
    """Return the width of the terminal that standard error is, or that COLUMNS gives; 0 if there is none."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal():
        return int(given)
    with suppress(OSError, ValueError):
        return os.get_terminal_size(sys.stderr.fileno()).columns
    return 0


def show_notices(notices: Iterable[str]) -> None:
    """Write notices to standard error."""
    for notice in notices:
        show_notice(notice)


def show_skipped(skipped: Sequence[Mapping[str, str]]) -> None:
    """Write to standard error what was not read and why; many things with one reason are one line."""
    by_reason: dict[str, list[str]] = {}
    for entry in skipped:
        by_reason.setdefault(entry["reason"], []).append(entry["path"])
    for reason, paths in by_reason.items():
        if len(paths) > _MOST_LISTED:
            shown = ", ".join(Path(path).name for path in paths[:_EXAMPLES])
            show_notice(
                f"skipped {len(paths):,} entries of {os.path.commonpath(paths)} ({shown} ...): {reason}"
            )
        else:
            show_notices(f"skipped {path}: {reason}" for path in paths)


def show_doubts(skipped: Sequence[Mapping[str, str]], notices: Iterable[str]) -> None:
    """Write to standard error what was not read and why, and what is doubtful about the rest."""
    show_skipped(skipped)
    show_notices(notices)


def reading_progress(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Pass items on; show a bar if there are several and standard error is a terminal."""
    if total < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        items, "Reading profiles", total, console=Console(stderr=True), transient=True, show_speed=False
    )
