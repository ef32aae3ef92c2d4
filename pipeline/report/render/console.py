"""The terminal that people read: its width, its colours, harmless names, and sentences that break well."""

import os
import sys
from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from pipeline.report.render.standard_output import discard_output
from pipeline.wording.escaping import without_controls
from pipeline.wording.lines import wrapped

PIPED_WIDTH = 120


class _Console(Console):
    """A console that goes on without output if the reader of a pipe goes away; rich would exit with 1."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render without characters of names that control the terminal; those of styles come later."""
        for segment in super().render(renderable, options):
            plain = segment.control or segment.text.isprintable()
            yield segment if plain else Segment(without_controls(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        self.quiet = True
        discard_output()


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that adapts to the terminal and writes plain text of a fixed width elsewhere.

    The environment decides as usual: ``FORCE_COLOR`` gives colours to a pipe, ``NO_COLOR`` takes them from a
    terminal, ``COLUMNS`` sets the width.
    """
    stream = stream or sys.stdout
    fixed = not stream.isatty() and not os.environ.get("COLUMNS", "").isdecimal()
    return _Console(file=stream, highlight=False, width=PIPED_WIDTH if fixed else None)


def show_sentence(out: Console, text: str, style: str = "") -> None:
    """Print a sentence on as many lines as it needs, the later ones indented further."""
    for line in wrapped(text, out.width):
        out.print(Text(line, style=style), soft_wrap=True)
