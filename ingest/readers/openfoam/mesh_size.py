"""How many cells a case has: from the logs of mesh generators and `decomposePar`, or the mesh itself."""

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.reading.files import ends_of, entries, head

_MESH = Path("constant", "polyMesh", "owner")
_LAST, _ALL = False, True
_CELLS = (
    ("checkMesh", re.compile(rb"^ *cells:\s+(\d{1,15})[ \r]*$", re.MULTILINE), _LAST),
    ("decomposePar", re.compile(rb"^ *Number of cells = (\d{1,15})[ \r]*$", re.MULTILINE), _ALL),
    ("snappyHexMesh", re.compile(rb"^\w+ mesh : cells:(\d{1,15})\s", re.MULTILINE), _LAST),
    ("blockMesh", re.compile(rb"^ *nCells: (\d{1,15})[ \r]*$", re.MULTILINE), _LAST),
)
"""Programs, what they print of cells, and whether all such numbers are added: one for each process."""

_OWNER = re.compile(rb"nCells: ?(\d{1,15})\b")


def files_with_cells(log: Path) -> Iterator[Path]:
    """Yield the files beside a log that may say how many cells there are, the best first."""
    beside = [entry for entry in entries(log.absolute().parent) if entry.is_file() and entry.name != log.name]
    for program, _, _ in _CELLS:
        yield from (entry for entry in beside if program in entry.name)
    yield from (owner for owner in (log.absolute().parent / _MESH,) if owner.is_file())


def cells(log: Path) -> int | None:
    """Return the number of cells, from the log itself if it begins with the mesh; None if nothing says it."""
    for file in (*files_with_cells(log), log):
        if file.name == _MESH.name:
            found = _OWNER.search(head(file))
            number = int(found[1]) if found else 0
        else:
            number = _printed(ends_of(file))
        if number:
            return number
    return None


def _printed(text: bytes) -> int:
    for _, pattern, every in _CELLS:
        if numbers := [int(found[1]) for found in pattern.finditer(text)]:
            return sum(numbers) if every else numbers[-1]
    return 0
