"""The exact commands with which a filter is used next."""

import shlex
from pathlib import Path

from filters.prediction import Application


def next_commands(filter_file: Path, applied: Application) -> tuple[str, ...]:
    """Return shell commands that apply a filter.

    Args:
        filter_file: where it was written; the commands name it by its absolute path, as compile-time
            filtering needs because compilers run in other directories.
        applied: at run time, with the program as it is instrumented now, or at compile time.
    """
    path = shlex.quote(str(filter_file.absolute()))
    if applied is Application.RUN_TIME:
        return (f"export SCOREP_FILTERING_FILE={path}",)
    flags = shlex.quote(f"--instrument-filter={filter_file.absolute()}")
    return (
        f"scorep --instrument-filter={path} g++ ...    # in place of g++ ..., for all that is compiled",
        f"make SCOREP_WRAPPER_INSTRUMENTER_FLAGS={flags}    # where the build uses scorep-g++ and the like",
    )
