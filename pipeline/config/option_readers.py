"""Values of options that have a form of their own: shares, patterns, kernels, files, run times.

All take the value and the folder that relative paths start from, and raise UsageError if it is invalid.
"""

from pathlib import Path

from ingest.errors import UsageError
from pipeline.config.values import read_share


def read_positive_share(value: object, folder: Path) -> float:
    """Read a share above zero: ``5%`` or ``0.05``."""
    share = read_share(value)
    if share == 0.0:
        raise UsageError(f"invalid share {value!r}", hint="write 5% or 0.05")
    return share


def read_patterns(value: object, folder: Path) -> tuple[str, ...]:
    """Read patterns, each a text."""
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise UsageError(f"{value!r} is not a list of patterns", hint='write ["solve*", "main"]')
    return tuple(value)


def read_kernels(value: object, folder: Path) -> tuple[str, ...]:
    """Read patterns of kernels: texts, in each of which commas outside of brackets separate several."""
    texts = read_patterns([value] if isinstance(value, str) else value, folder)
    return tuple(found for text in texts for one in _split(text) if (found := one.strip()))


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def read_file(value: object, folder: Path) -> Path:
    """Read the path of a file, relative to the configuration file."""
    if not isinstance(value, str | Path):
        raise UsageError(f"{value!r} is not a path", hint="write text in quotes")
    return folder / value


def read_baseline_time(value: object, folder: Path) -> float | Path:
    """Read seconds, or the path of a CSV file relative to the configuration file."""
    try:
        seconds = float(str(value))
    except ValueError:
        return read_file(value, folder)
    if isinstance(value, bool) or not 0.0 < seconds < float("inf"):
        raise UsageError(f"invalid run time {value!r}", hint="write seconds, or a CSV file of them")
    return seconds
