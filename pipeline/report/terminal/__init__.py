"""What a person reads in the terminal."""

import os
import sys
from typing import IO

from rich.console import Console

__all__ = ["PIPED_WIDTH", "console"]

PIPED_WIDTH = 120


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that adapts to the terminal and writes plain text of a fixed width elsewhere.

    The environment decides as usual: ``FORCE_COLOR`` gives colours to a pipe, ``NO_COLOR`` takes them from a
    terminal, ``COLUMNS`` sets the width.
    """
    stream = stream or sys.stdout
    fixed = not stream.isatty() and not os.environ.get("COLUMNS", "").isdecimal()
    return Console(file=stream, highlight=False, width=PIPED_WIDTH if fixed else None)
