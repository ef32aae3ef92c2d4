"""Which tests execute which lines, measured once: a defect is tried with the tests that could notice it."""

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tests.mutants.sample import PACKAGES, product_files

COVERAGE, DURATIONS = "coverage", "durations.json"
ELSEWHERE = 60.0  # seconds for tests of other folders that execute a defect
IMPORTING = 6.0  # seconds that a file of tests counts as long as nothing is measured
SCRIPT_TESTS = "tests/pipeline/report/page"


@dataclass(frozen=True, kw_only=True, eq=False)
class CoverageMap:
    """Tests by line, and how long each takes.

    Attributes:
        by_line: tests that execute a line of a function, by file and line; what a fixture executes may serve
            all tests of its file.
        by_file: for lines that run once, at import or before their result is cached, in whatever test comes
            first: tests that execute anything in the file or lie in the folder that mirrors its own, and the
            same of the files that import it.
        seconds: per test, with the coverage measured.
    """

    by_line: dict[tuple[str, int], frozenset[str]]
    by_file: dict[str, frozenset[str]]
    seconds: dict[str, float]

    def tests(self, path: str, line: int) -> list[str]:
        """Return the tests that could notice a defect: those of the file, of its folder, and fast ones first.

        Of tests elsewhere, as many as run within `ELSEWHERE`.
        """
        found = self.by_line.get((path, line)) or self.by_file.get(path, frozenset())
        chosen: list[str] = []
        for place in _places(path):
            near = {test for test in found if f"{test}::".startswith(place)}.difference(chosen)
            ordered = sorted(near, key=lambda test: (self.seconds.get(test, 0.0), test))
            chosen += ordered if place else self._within(ordered, ELSEWHERE)
        return chosen

    def _within(self, tests: list[str], limit: float) -> list[str]:
        ends = accumulate(self.seconds.get(test, 0.0) for test in tests)
        return [test for test, end in zip(tests, ends, strict=True) if end <= limit]


def _places(path: str) -> tuple[str, ...]:
    """Return how the names of tests begin that lie nearest to a file, or to the page."""
    folder, _, name = path.rpartition("/")
    if name.endswith(".js"):
        group, stem = folder.rpartition("/")[2], name.removesuffix(".js")
        return (
            *(f"{SCRIPT_TESTS}/js/test_{one}.py::" for one in (stem, group)),
            f"{SCRIPT_TESTS}/js/",
            f"{SCRIPT_TESTS}/",
            "",
        )
    return f"tests/{folder}/test_{name}::", f"tests/{folder}/", ""


def nearby(root: Path) -> CoverageMap:
    """Say without measuring which tests could notice: all of a file's folder, and those that import it.

    A name of a test is that of its file here.
    """
    seconds = {str(file.relative_to(root)): IMPORTING for file in sorted((root / "tests").rglob("test_*.py"))}
    by_file: dict[str, set[str]] = defaultdict(set)
    for test in seconds:
        for imported in _imported(ast.parse((root / test).read_bytes())):
            by_file[imported].add(test)
    trees = _trees(root)
    return CoverageMap(
        by_line={}, by_file=_reached(trees, _add_neighbours(root, by_file, seconds)), seconds=seconds
    )


def _trees(root: Path) -> dict[str, ast.Module]:
    return {str(file.relative_to(root)): ast.parse(file.read_bytes()) for file in product_files(root, "py")}


def _reached(trees: Mapping[str, ast.Module], by_file: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    """Add to the tests of every file those of the files that import it."""
    reached = {path: set(tests) for path, tests in by_file.items()}
    for path, tree in trees.items():
        for imported in _imported(tree):
            if imported in reached:
                reached[imported] |= by_file[path]
    return {path: frozenset(tests) for path, tests in reached.items()}


def _add_neighbours(root: Path, by_file: dict[str, set[str]], tests: Iterable[str]) -> dict[str, set[str]]:
    """Add what lies in the folder that mirrors a file's own; for scripts, all tests of the page."""
    for file in product_files(root):
        path = str(file.relative_to(root))
        folder, near = f"tests/{path}", set[str]()
        while folder and not near:  # a file without tests in its folder may have them in the one above
            folder = SCRIPT_TESTS if path.endswith(".js") else folder.rpartition("/")[0]
            near = {test for test in tests if test.startswith(f"{folder}/")}
        by_file[path] |= near
    return by_file


def measure(root: Path, folder: Path) -> CoverageMap:
    """Run all tests once with coverage; takes about three times as long as the tests alone."""
    data, report = folder / COVERAGE, folder / DURATIONS
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--cov-context=test", "--cov-report="]
    command += [f"--cov={package}" for package in PACKAGES]
    command += ["-p", "tests.mutants.durations", "--durations-file", str(report)]
    subprocess.run(command, cwd=root, check=True, env=_environment(root, data))
    return read_map(root, folder)


def _environment(root: Path, data: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root), "COVERAGE_FILE": str(data)}


def read_map(root: Path, folder: Path) -> CoverageMap:
    """Read what `measure` stored in a folder."""
    from coverage import CoverageData

    covered = CoverageData(str(folder / COVERAGE))
    covered.read()
    seconds = json.loads((folder / DURATIONS).read_text(encoding="utf-8"))
    neighbours: dict[str, set[str]] = defaultdict(set)
    for test in seconds:
        neighbours[test.partition("::")[0]].add(test)
    trees = _trees(root)
    by_line: dict[tuple[str, int], frozenset[str]] = {}
    by_file: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        inside = set(_lines_of_functions(tree))
        for line, contexts in covered.contexts_by_lineno(str(root / path)).items():
            tests = frozenset(_served(filter(None, contexts), neighbours))
            by_file[path] |= tests
            if line in inside:
                by_line[path, line] = tests
    _add_neighbours(root, by_file, seconds)
    return CoverageMap(by_line=by_line, by_file=_reached(trees, by_file), seconds=seconds)


def _served(contexts: Iterable[str], neighbours: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the tests that depend on what ran in these contexts."""
    for context in contexts:
        test, _, phase = context.rpartition("|")
        yield test
        if phase == "setup":
            yield from neighbours[test.partition("::")[0]]


def _lines_of_functions(tree: ast.Module) -> Iterator[int]:
    """Yield the lines that run every time; none of a file that caches results, whatever it calls for them."""
    if any(isinstance(node, ast.Name) and node.id in ("lru_cache", "cache") for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the files that a module could import names from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                yield f"{name.replace('.', '/')}.py"
                yield f"{name.replace('.', '/')}/__init__.py"
