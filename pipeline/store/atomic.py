"""Files that are either whole or not there."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import UsageError


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it into place.

    Raises:
        UsageError: where the directory cannot be written or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            write(temporary)
            temporary.chmod(0o644)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot be written ({reason})", where=str(path), mend="choose another --out"
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_atomically(path, lambda temporary: _write_text(temporary, text))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:  # noqa: ANN401
    """Write JSON atomically, readable, with a newline at the end; NaN is refused."""
    write_text(path, json_text(value))


def json_text(value: Any) -> str:  # noqa: ANN401
    """Return JSON as written to files and to standard output."""
    return json.dumps(value, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def write_table(path: Path, table: pa.Table) -> None:
    """Write an Arrow table as Parquet atomically."""
    write_atomically(path, lambda temporary: pq.write_table(table, temporary, compression="zstd"))
