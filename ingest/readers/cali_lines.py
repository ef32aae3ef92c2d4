"""The lines of a ``.cali`` file, checked for what would make a reader of them run for ever."""

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.errors import InputError
from ingest.readers.textfile import read_text

MAX_BYTES = 1 << 28
MAX_DEPTH = 2000  # of a node: the reader keeps the whole path of each

_NODE = re.compile(
    r"__rec=node,id=([0-9]{1,18}),attr=[0-9]{1,18},data=(?:[^,=\\]|\\.)*+(?:,parent=([0-9]{1,18}))?\s*"
)
_BOOTSTRAP = 12  # nodes that every file has without writing them


def checked_lines(path: Path, *, with_records: bool = True) -> Iterator[str]:
    """Yield the lines of a file that define nodes and global values, and those of records.

    A node comes after its parent and but once; then no node can be its own caller.

    Args:
        path: the file.
        with_records: whether to yield the records, which are most of a file.

    Raises:
        InputError: where the file is no text, a node is not well defined, or they nest too deeply.
    """
    depth = dict.fromkeys(range(_BOOTSTRAP), 0)
    text = read_text(path, MAX_BYTES)
    if not text.endswith("\n"):
        raise InputError("the last line has no end: the file is truncated", where=str(path))
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if not line.startswith("__rec="):
            raise InputError(f"line {number}: not a record of Caliper", where=str(path))
        if line.startswith("__rec=node"):
            _check(line, number, depth, path)
        if with_records or not line.startswith("__rec=ctx"):
            yield line


def _check(line: str, number: int, depth: dict[int, int], path: Path) -> None:
    match = _NODE.fullmatch(line)
    node, parent = (int(match[1]), int(match[2] or 0)) if match else (-1, -1)
    if match is None or node in depth or parent not in depth or depth[parent] >= MAX_DEPTH:
        raise InputError(f"line {number}: a node that is not well defined", where=str(path))
    depth[node] = depth[parent] + 1
