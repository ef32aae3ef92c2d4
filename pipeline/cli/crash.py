"""A crash, an error that nobody foresaw: a report to send, and an exit code that is never a verdict."""

import os
import platform
import shlex
import sys
import tempfile
import traceback

from ingest.errors import one_line

_MAX_LENGTH = 200  # characters of the error in the line


def crash_line(error: BaseException) -> str:
    """Write a report to a new file in the temporary directory, and return the line that says what to do."""
    what = one_line("".join(traceback.format_exception_only(error)))
    what = what if len(what) <= _MAX_LENGTH else f"{what[: _MAX_LENGTH - 3]}..."
    try:
        handle, path = tempfile.mkstemp(prefix="pipeline-crash-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            lines = [
                f"platform: {platform.platform()}",
                f"command line: {shlex.join(sys.argv)}",
                *(f"{name}: {version}" for name, version in _versions().items()),
            ]
            file.write("\n".join(lines) + "\n\n" + "".join(traceback.format_exception(error)))
    except OSError as failure:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{frame.filename}:{frame.lineno}"
        advice = f"send this line to its developers (no report: {one_line(str(failure))}; {where})"
    else:
        advice = f"send {path} to its developers, with the input if you may"
    return f"crashed ({what}), which is a defect of this program; {advice}"


def _versions() -> dict[str, str]:
    try:
        from pipeline.store.made_from import software

        return software()
    except Exception:  # the installation itself may be what is broken
        return {"python": platform.python_version()}
