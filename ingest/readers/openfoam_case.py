"""Where OpenFOAM puts its profiling: below the time directories of a case, in parallel of every process."""

import math
import re
from pathlib import Path

from ingest.errors import InputError

_PROCESSOR = re.compile(r"processor([0-9]{1,9})")


def has_profiling(case: Path) -> bool:
    """Return whether a directory is a case that was run with profiling."""
    try:
        return any(_times(folder) for folder in _process_folders(case))
    except OSError:
        return False


def written_profiling(case: Path) -> list[Path]:
    """Return the profiling files of all times of a case, which is what one is chosen from."""
    return [file for folder in _process_folders(case) for file in _times(folder).values()]


def profiling_files(case: Path) -> tuple[list[Path], list[str]]:
    """Choose the profiling files of the last time that all processes wrote.

    Returns:
        One file per process in the order of their numbers, and notices on other times.

    Raises:
        InputError: where processes miss their file, or have no time in common.
    """
    folders = _process_folders(case)
    times = [_times(folder) for folder in folders]
    if missing := [folder.name for folder, found in zip(folders, times, strict=True) if not found]:
        raise InputError(
            f"no profiling below {missing[0]} ({len(missing)} of {len(folders)} processes have none)",
            where=str(case),
            hint="was the run interrupted? measure the case again or leave it out",
        )
    common = set(times[0]).intersection(*times)
    if not common:
        raise InputError("the processes wrote their profiling at different times", where=str(case))
    last = max(common)
    notices = [f"profiling of {len(common)} times: the last, {last:g}, is read"] if len(common) > 1 else []
    if max(max(found) for found in times) > last:
        notices.append(f"profiling later than {last:g} was not written by all processes and is not read")
    return [found[last] for found in times], notices


def _process_folders(case: Path) -> list[Path]:
    """Return the folders that hold times: the processes' in their order, or the case itself."""
    numbered = [(int(m[1]), p) for p in case.iterdir() if (m := _PROCESSOR.fullmatch(p.name)) and p.is_dir()]
    parallel = [folder for _, folder in sorted(numbered)]
    return parallel if any(_times(folder) for folder in parallel) else [case]


def _times(folder: Path) -> dict[float, Path]:
    """Return the profiling files below the time directories of a folder, by time."""
    found = {}
    for entry in folder.iterdir():
        time = _number(entry.name)
        if time is not None and (file := entry / "uniform" / "profiling").is_file():
            found[time] = file
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
