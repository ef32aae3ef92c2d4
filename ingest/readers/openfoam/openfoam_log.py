"""How many iterations OpenFOAM's linear solvers took, from the log that its run wrote beside its profiling.

A solver writes a line per solution, such as
``smoothSolver:  Solving for Ux, Initial residual = 1, Final residual = 2.5e-06, No Iterations 12``; of a
vector it is a line per component, or one line with the numbers of all components in brackets.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.textfile import read_text

MAX_BYTES = 256 << 20
REGIONS = ("lduMatrix::smoother.", "lduMatrix::solver.", "fvMatrix::solve.")
"""Beginnings of the regions of a solver, before the name of the field; the first iterates if there is one."""

_SOLUTION = re.compile(
    r"^\S+:\s+Solving for (?P<field>[^\s,]+),.*No Iterations (?P<count>\d+|\([\d\s]+\))\s*$", re.MULTILINE
)
_COMPONENTS = ("x", "y", "z")


def log_files(case: Path) -> list[Path]:
    """Return what may be the logs of a case: ``log``, ``log.icoFoam``, ``icoFoam.log``."""
    found = (entry for entry in case.iterdir() if entry.name.startswith("log") or entry.suffix == ".log")
    return sorted(entry for entry in found if entry.is_file())


def solver_iterations(case: Path) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Sum the iterations over a run.

    Args:
        case: the directory of the case.

    Returns:
        Iterations by field, components of vectors apart, such as ``p`` and ``Ux``, and notices. Nothing if no
        log has any, or several have.
    """
    counts: dict[Path, dict[str, int]] = {}
    notices: list[str] = []
    for file in log_files(case):
        try:
            found = _iterations(read_text(file, MAX_BYTES))
        except InputError as error:
            notices.append(f"{file.name} is not read ({error.what})")
            continue
        if found:
            counts[file] = found
    if len(counts) > 1:
        names = ", ".join(file.name for file in counts)
        notices.append(f"{len(counts)} logs have solver iterations ({names}), so none is read")
        return {}, tuple(notices)
    return next(iter(counts.values()), {}), tuple(notices)


def iterating_region(field: str, regions: Collection[str]) -> str | None:
    """Return the region in which the solver of a field iterates; None if the profiling has none."""
    wholes = (field, field[:-1]) if field[-1:] in _COMPONENTS else (field,)
    names = (f"{beginning}{whole}" for whole in wholes for beginning in REGIONS)
    return next((name for name in names if name in regions), None)


def _iterations(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for solution in _SOLUTION.finditer(text):
        added = sum(map(int, solution["count"].strip("()").split()))
        counts[solution["field"]] = counts.get(solution["field"], 0) + added
    return counts
