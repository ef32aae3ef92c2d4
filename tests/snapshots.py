"""Texts kept beside the tests: what a person reads is compared with what was approved.

The fixture `snapshot` of `tests/conftest.py` compares a text with a file in the folder ``snapshots`` beside
the test. ``UPDATE_SNAPSHOTS=1 pytest ...`` writes the files; read their diff before committing it.
"""

import os
from pathlib import Path

UPDATE = "UPDATE_SNAPSHOTS"


def compare_with_snapshot(text: str, file: Path) -> None:
    """Assert that a text is that of the file; write the file if `UPDATE` is set."""
    if os.environ.get(UPDATE):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    assert file.is_file(), f"there is no {file}: write it with {UPDATE}=1 and read it"
    assert text == file.read_bytes().decode(), f"differs from {file}: if intended, write it with {UPDATE}=1"
