"""Sentences in the terminal: lines break between words, never inside a number or before its unit."""

import re
import textwrap

from rich.console import Console
from rich.text import Text

JOIN = "\N{NO-BREAK SPACE}"
UNITS = r"%|million|billion|trillion|core-s|core-hours|GPU-s|GPU-hours|times|(?:d|h|min|s|ms|µs|ns)\b"
TOGETHER = (
    re.compile(rf"(?<=\d) (?={UNITS})"),
    re.compile(r"(?<=\w) (?== )"),  # p = 32
    re.compile(r"(?<==) (?=\d)"),
)
INTERVAL = re.compile(r"\[\S+ \.\. \S+( [a-z]+)?\]")
INDENT = "  "


def show_sentence(out: Console, text: str, style: str = "") -> None:
    """Print a sentence on as many lines as it needs, the later ones indented further."""
    for line in wrapped(text, out.width):
        out.print(Text(line, style=style), soft_wrap=True)


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` characters; words that are longer stay whole."""
    for gap in TOGETHER:
        text = gap.sub(JOIN, text)
    text = INTERVAL.sub(lambda found: found[0].replace(" ", JOIN), text)
    indent = INDENT + " " * (len(text) - len(text.lstrip()))
    lines = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(JOIN, " ") for line in lines]
