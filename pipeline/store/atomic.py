"""Files that appear complete or not at all."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ingest.errors import UsageError

PARTIAL = ".partial"


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it into place.

    Raises:
        UsageError: the directory cannot be written, or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            write(temporary)
            temporary.chmod(0o644)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise not_writable(path, error) from error


def sweep(directory: Path) -> None:
    """Remove what killed runs left half-written; only the process that holds the lock may do so.

    Raises:
        UsageError: it cannot be removed.
    """
    try:
        for path in directory.glob(f".*{PARTIAL}"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise not_writable(directory, error) from error


def not_writable(path: Path, error: OSError) -> UsageError:
    """Return the error for what cannot be written, with the reason."""
    reason = error.strerror or str(error)
    return UsageError(
        f"cannot be written ({reason})", where=str(path), hint="choose another file or directory"
    )


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8 atomically.

    Raises:
        UsageError: the file cannot be written.
    """
    write_bytes(path, text_bytes(text))


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401
    """Write JSON atomically, readable, with a newline at the end.

    Raises:
        UsageError: the file cannot be written.
        ValueError: there is a NaN in it.
    """
    write_bytes(path, json_bytes(value))


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes atomically.

    Raises:
        UsageError: the file cannot be written.
    """

    def write(temporary: Path) -> None:
        temporary.write_bytes(content)

    write_atomically(path, write)


def text_bytes(text: str) -> bytes:
    """Return text as UTF-8; bytes of names that are not UTF-8 come out as they were read."""
    return text.encode(errors="surrogateescape")


def json_bytes(value: Any) -> bytes:  # noqa: ANN401
    """Return JSON as UTF-8; bytes of names that are not UTF-8 become JSON's escapes of lone surrogates."""
    return json_text(value).encode(errors="backslashreplace")


def json_text(value: Any) -> str:  # noqa: ANN401
    """Return JSON as written to files and to standard output: one line per entry of an object or list.

    The indentation of the json module is pure Python, which takes seconds for a summary of 20,000 call paths.
    """
    if not isinstance(value, dict):
        return _line(value) + "\n"
    entries = (f"{_line(str(key))}: {_column(entry)}" for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _column(value: Any) -> str:  # noqa: ANN401
    if not isinstance(value, list | tuple) or not value or not isinstance(value[0], dict):
        return _line(value)
    return "[\n " + ",\n ".join(map(_line, value)) + "\n]"


def _line(value: Any) -> str:  # noqa: ANN401
    return json.dumps(value, allow_nan=False, ensure_ascii=False)
