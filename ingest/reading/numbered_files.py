"""Files that lie in one folder because each process of a run wrote one: their names differ in a number."""

import re
from collections.abc import Sequence
from pathlib import Path

MAX_FILES = 1 << 16

_NUMBER = re.compile(r"[0-9]{1,9}")


def numbered_files(found: Sequence[Path]) -> tuple[str, list[Path]]:
    """Return what stands before the number in the names of files, and the files in its order.

    Names must differ in one number only, which must be 0, 1, ... or 1, 2, ... without a gap.

    Args:
        found: files of one folder, in any order.

    Returns:
        Two or more files, or an empty text and no files.
    """
    if not 2 <= len(found) <= MAX_FILES or len({tuple(_NUMBER.split(file.name)) for file in found}) > 1:
        return "", []
    columns = zip(*(map(int, _NUMBER.findall(file.name)) for file in found), strict=True)
    differing = [(place, column) for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return "", []
    place, numbers = differing[0]
    first = min(numbers)
    if first > 1 or sorted(numbers) != list(range(first, first + len(numbers))):
        return "", []
    before = found[0].name[: list(_NUMBER.finditer(found[0].name))[place].start()]
    return before, [file for _, file in sorted(zip(numbers, found, strict=True))]
