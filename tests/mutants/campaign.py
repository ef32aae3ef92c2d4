"""Many defects tried by several processes, each on its own copy of the project."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.coverage_map import CoverageMap
from tests.mutants.operators import Defect
from tests.mutants.trial import NOT_NOTICED, PATIENCE, Outcome, copy_of, prepare, run_tests, try_defect

CONTROL = 100  # tests that must pass before any defect is put in

_tree: Path | None = None
_map: CoverageMap | None = None


def try_all(root: Path, known: CoverageMap, found: Sequence[Defect], jobs: int) -> Iterator[Outcome]:
    """Try defects, each with the tests that could notice it."""
    context = get_context("spawn")
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_start, initargs=(root, known, Path(folder))
        ) as pool,
    ):
        yield from pool.map(_try, found)


def _start(root: Path, known: CoverageMap, folder: Path) -> None:
    """Give a worker its own copy of the project."""
    global _tree, _map  # noqa: PLW0603  # a process has one each
    _tree = copy_of(root, folder / str(os.getpid()))
    _map = known
    prepare()
    every = sorted(known.seconds, key=lambda test: (known.seconds[test], test))
    control = every[: CONTROL if known.by_line else 1]
    if run_tests(_tree, control, PATIENCE * CONTROL) != NOT_NOTICED:
        raise RuntimeError("tests fail without any defect")


def _try(defect: Defect) -> Outcome:
    assert _tree is not None and _map is not None, "the worker was started"
    tests = _map.tests(defect.path, defect.line)
    quick = not _map.by_line and defect.path.endswith(".py")  # scripts have slow tests only, in a browser
    usual = sum(_map.seconds.get(test, 0.0) for test in tests)
    return try_defect(_tree, defect, tests, usual, ["-m", "not slow"] if quick else [])
