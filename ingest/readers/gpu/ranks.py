"""Files that lie in one folder because each rank of a run wrote one."""

import re
from collections.abc import Collection
from pathlib import Path

MAX_RANKS = 1 << 16

_NUMBER = re.compile(r"[0-9]{1,6}")
_BEFORE_RANK = re.compile(r"(?:.*[._-])?(?:rank|report|proc|process|task)?", re.IGNORECASE | re.DOTALL)


def numbered_files(folder: Path, endings: Collection[str]) -> list[Path]:
    """Return the files with some endings if their names differ in one number that may be a rank.

    It is 0, 1, ... or 1, 2, ..., and not one of a parameter, as in ``app.n2``.

    Returns:
        Two or more files in the order of their numbers, or nothing.
    """
    try:
        found = [file for file in folder.iterdir() if file.suffix.lower() in endings and file.is_file()]
    except OSError:
        return []
    if not 2 <= len(found) <= MAX_RANKS or len({tuple(_NUMBER.split(file.stem)) for file in found}) > 1:
        return []
    columns = zip(*(map(int, _NUMBER.findall(file.stem)) for file in found), strict=True)
    differing = [(place, column) for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return []
    place, ranks = differing[0]
    before = found[0].stem[: list(_NUMBER.finditer(found[0].stem))[place].start()]
    first = min(ranks)
    if first > 1 or sorted(ranks) != list(range(first, first + len(ranks))):
        return []
    return (
        [file for _, file in sorted(zip(ranks, found, strict=True))] if _BEFORE_RANK.fullmatch(before) else []
    )
