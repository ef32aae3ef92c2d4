"""Which defects are tried: drawn at random from all packages, in proportion to their lines."""

import random
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.mutants.operators import Defect, defects

PACKAGES = ("ingest", "filters", "pipeline")
KINDS = ("py", "js")


def product_files(root: Path, *kinds: str) -> list[Path]:
    """Return the files of the product of these kinds, or of all that defects are put into, sorted."""
    places = [(root / package, kind) for package in PACKAGES for kind in kinds or KINDS]
    return sorted(file for folder, kind in places for file in folder.rglob(f"*.{kind}"))


def draw(
    root: Path, count: int, seed: int, left_out: Callable[[Defect], bool] = lambda _: False
) -> list[Defect]:
    """Draw defects without repeating one: a file by its lines, one of its lines, and a defect there.

    Args:
        root: the project.
        count: how many.
        seed: of the generator; the same defects are drawn again.
        left_out: tells which defects do not count.
    """
    chance = random.Random(seed)
    files = _files(root)
    lengths = [length for length, _ in files]
    drawn: dict[Defect, None] = {}
    while len(drawn) < count:
        ((_, lines),) = chance.choices(files, lengths)
        line = chance.choice(sorted(lines))
        defect = chance.choice(lines[line])
        if not left_out(defect):
            drawn[defect] = None
    return sorted(drawn, key=lambda defect: (defect.path, defect.line, defect.what, defect.text))


@cache
def _files(root: Path) -> list[tuple[int, dict[int, list[Defect]]]]:
    """Return the length of every file in which a defect can be, and its defects by line."""
    found = []
    for file in product_files(root):
        lines: dict[int, list[Defect]] = defaultdict(list)
        path, source = str(file.relative_to(root)), file.read_text(encoding="utf-8")
        for defect in defects(path, source):
            lines[defect.line].append(defect)
        if lines:
            found.append((len(source.splitlines()), lines))
    return found
