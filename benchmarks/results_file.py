"""Where a benchmark's results go: the terminal, line by line, and a file."""

from collections.abc import Iterable
from pathlib import Path


def print_and_write(report: Iterable[str], out: Path) -> None:
    """Print the lines of a report as they come, and write all of them when it is complete."""
    lines = []
    for line in report:
        print(line, flush=True)
        lines.append(line)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
