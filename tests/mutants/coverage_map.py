"""Which tests execute which lines, measured once: a defect is tried with the tests that could notice it."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.sample import PACKAGES

COVERAGE, DURATIONS = "coverage", "durations.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class CoverageMap:
    """Tests by line, and how long each takes.

    Attributes:
        by_line: tests that execute a line, by file and line.
        by_file: tests that execute anything in a file; for lines that run at import.
        seconds: per test, with the coverage measured.
    """

    by_line: dict[tuple[str, int], frozenset[str]]
    by_file: dict[str, frozenset[str]]
    seconds: dict[str, float]

    def tests(self, path: str, line: int) -> list[str]:
        """Return the tests that could notice a defect, the fastest first."""
        found = self.by_line.get((path, line)) or self.by_file.get(path, frozenset())
        return sorted(found, key=lambda test: (self.seconds.get(test, 0.0), test))


def measure(root: Path, folder: Path) -> CoverageMap:
    """Run all tests once with coverage; takes about three times as long as the tests alone."""
    data, report = folder / COVERAGE, folder / DURATIONS
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--cov-context=test", "--cov-report="]
    command += [f"--cov={package}" for package in PACKAGES]
    command += ["-p", "tests.mutants.durations", "--durations-file", str(report)]
    subprocess.run(command, cwd=root, check=True, env=_environment(root, data))
    return read_map(root, data, report)


def _environment(root: Path, data: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root), "COVERAGE_FILE": str(data)}


def read_map(root: Path, data: Path, report: Path) -> CoverageMap:
    """Read what `measure` stored."""
    from coverage import CoverageData

    covered = CoverageData(str(data))
    covered.read()
    by_line: dict[tuple[str, int], frozenset[str]] = {}
    by_file: dict[str, set[str]] = defaultdict(set)
    for file in covered.measured_files():
        path = str(Path(file).relative_to(root))
        for line, contexts in covered.contexts_by_lineno(file).items():
            tests = frozenset(context.split("|")[0] for context in contexts if context)
            by_line[path, line] = tests
            by_file[path] |= tests
    seconds = json.loads(report.read_text(encoding="utf-8"))
    return CoverageMap(
        by_line=by_line, by_file={path: frozenset(tests) for path, tests in by_file.items()}, seconds=seconds
    )
