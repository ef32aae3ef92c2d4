"""Which defects are tried: drawn at random from all packages, in proportion to their lines."""

import random
from collections import defaultdict
from pathlib import Path

from tests.mutants.operators import Defect, defects

PACKAGES = ("ingest", "filters", "pipeline")


def product_files(root: Path) -> list[Path]:
    """Return the Python files of the product, sorted."""
    return sorted(file for package in PACKAGES for file in (root / package).rglob("*.py"))


def draw(root: Path, count: int, seed: int) -> list[Defect]:
    """Draw defects without repeating one: a file by its lines, one of its lines, and a defect there."""
    chance = random.Random(seed)
    files = product_files(root)
    by_line: dict[Path, dict[int, list[Defect]]] = {}
    for file in files:
        lines: dict[int, list[Defect]] = defaultdict(list)
        path, source = str(file.relative_to(root)), file.read_text(encoding="utf-8")
        for defect in defects(path, source):
            lines[defect.line].append(defect)
        by_line[file] = lines
    weights = [len(file.read_text(encoding="utf-8").splitlines()) if by_line[file] else 0 for file in files]
    drawn: dict[Defect, None] = {}
    while len(drawn) < count:
        (file,) = chance.choices(files, weights)
        line = chance.choice(sorted(by_line[file]))
        drawn[chance.choice(by_line[file][line])] = None
    return sorted(drawn, key=lambda defect: (defect.path, defect.line, defect.what, defect.text))
