"""The house keeps its rules: one home per name, `_` for what one module uses, files of a readable length."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("ingest", "filters", "pipeline")
LONGEST = 800
WORD = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
FOUND_BY_NAME = {"READER", "READERS", "QUESTION", "FAMILIES"}  # one per module, found by a loop over modules


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def modules(*rooms: str) -> list[Path]:
    return sorted(path for room in rooms for path in (ROOT / room).rglob("*.py"))


def constants(path: Path) -> Iterator[str]:
    for node in parsed(path).body:
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        for target in targets:
            yield from (
                name.id for name in ast.walk(target) if isinstance(name, ast.Name) and name.id.isupper()
            )


def homes(names: dict[Path, list[str]]) -> dict[str, list[str]]:
    found = defaultdict(set)
    for path, defined in names.items():
        for name in defined:
            if not name.startswith("_") and name not in FOUND_BY_NAME:
                found[name].add(path.relative_to(ROOT).as_posix())
    return {name: sorted(paths) for name, paths in sorted(found.items()) if len(paths) > 1}


def test_public_constants_have_one_home() -> None:
    assert homes({path: list(constants(path)) for path in modules(*ROOMS)}) == {}


def test_class_names_occur_once() -> None:
    assert (
        homes(
            {
                path: [node.name for node in parsed(path).body if isinstance(node, ast.ClassDef)]
                for path in modules(*ROOMS)
            }
        )
        == {}
    )


@pytest.mark.parametrize("room", [*ROOMS, "tests"])
def test_files_are_no_longer_than_one_reads_at_a_sitting(room: str) -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in modules(room)
    }
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}


def test_what_one_module_uses_is_private() -> None:
    """A constant whose name no other file mentions begins with `_`."""
    words: dict[str, set[Path]] = defaultdict(set)
    for path in modules(*ROOMS, "benchmarks", "tests", "tools", "docs"):
        for word in set(WORD.findall(path.read_text("utf-8"))):
            words[word].add(path)
    lonely = {
        f"{path.relative_to(ROOT).as_posix()}: {name}"
        for path in modules(*ROOMS)
        for name in constants(path)
        if not name.startswith("_") and name not in FOUND_BY_NAME and len(name) > 1 and words[name] == {path}
    }
    assert lonely == set()
