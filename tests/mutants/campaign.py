"""Many defects tried by several processes, each on its own copy of the project."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.coverage_map import COVERAGE, DURATIONS, CoverageMap, read_map
from tests.mutants.operators import Defect
from tests.mutants.trial import NOT_NOTICED, PATIENCE, Outcome, copy_of, prepare, run_tests, try_defect

CONTROL = 100  # tests that must pass before any defect is put in

_tree: Path | None = None
_map: CoverageMap | None = None


def try_all(root: Path, build: Path, found: Sequence[Defect], jobs: int) -> Iterator[Outcome]:
    """Try defects, with the tests that `measure` has found to run their lines."""
    context = get_context("spawn")
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_start, initargs=(root, build, Path(folder))
        ) as pool,
    ):
        yield from pool.map(_try, found)


def _start(root: Path, build: Path, folder: Path) -> None:
    """Give a worker its own copy of the project."""
    global _tree, _map  # noqa: PLW0603  # a process has one each
    _tree = copy_of(root, folder / str(os.getpid()))
    _map = read_map(root, build / COVERAGE, build / DURATIONS)
    prepare()
    every = sorted(_map.seconds, key=lambda test: (_map.seconds[test], test))  # type: ignore[union-attr]
    if run_tests(_tree, every[:CONTROL], PATIENCE * CONTROL) != NOT_NOTICED:
        raise RuntimeError("tests fail without any defect")


def _try(defect: Defect) -> Outcome:
    assert _tree is not None and _map is not None, "the worker was started"
    tests = _map.tests(defect.path, defect.line)
    return try_defect(_tree, defect, tests, sum(_map.seconds.get(test, 0.0) for test in tests))
