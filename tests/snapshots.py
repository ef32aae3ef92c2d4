"""Texts kept beside the tests: what a person reads is compared with what was approved.

The fixture `snapshot` of `tests/conftest.py` compares a text with a file in the folder ``snapshots`` beside
the test. ``pytest --update-snapshots`` writes the files; read their diff before committing it.
"""

from pathlib import Path


def compare_with_snapshot(text: str, file: Path, *, update: bool) -> None:
    """Assert that a text is that of the file, or write the file."""
    if update:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    assert file.is_file(), f"there is no {file}: write it with --update-snapshots and read it"
    assert text == file.read_bytes().decode(), f"differs from {file}: if intended, use --update-snapshots"
