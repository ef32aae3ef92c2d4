"""What parameters and settings are called: counts of processes, sizes of problems, processors."""

import re
import tomllib
from importlib.resources import files

NAMES: dict[str, list[str]] = tomllib.loads((files(__package__) / "usual_names.toml").read_text("utf-8"))
"""Names by what they mean, their letters alone and in lower case."""

_UNITS = ("node", "GPU")
_COUNTS = re.compile(
    r"(?:n|num|number|total)?(?:of)?(?:mpi|omp|openmp)?"
    + "(?:"
    + "|".join(f"(?P<{unit}>{'|'.join(NAMES[unit])})" for unit in (*_UNITS, "core"))
    + ")"
)


class ProcessCount(str):
    """The name of a parameter of which the runs say that it counts processes, whatever it is called."""

    __slots__ = ()


def letters(name: str) -> str:
    """Return a name without blanks and signs, in lower case."""
    return re.sub(r"[\W_]", "", name.lower())


def counts_processes(name: str) -> bool:
    """Tell whether a parameter counts processes, threads or nodes: by the runs, or else by its name."""
    return isinstance(name, ProcessCount) or _COUNTS.fullmatch(letters(name)) is not None


def unit_counted(name: str) -> str:
    """Return what a parameter counts by its name: ``node``, ``GPU``, else ``core``."""
    found = _COUNTS.fullmatch(letters(name))
    return next((unit for unit in _UNITS if found and found[unit]), "core")


def counts_parts(name: str) -> bool:
    """Tell whether a name stands for a count of equal parts of a problem: ``atoms``, ``n_cells``."""
    return any(part in f"{letters(name)}s" for part in NAMES["parts"])


def states_size(name: str) -> bool:
    """Tell whether a name stands for how large a problem is."""
    return counts_parts(name) or letters(name) in NAMES["sizes"]
