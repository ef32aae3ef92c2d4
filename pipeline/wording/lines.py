"""Sentences broken into lines where they break well."""

import re
import textwrap

JOIN = "\N{NO-BREAK SPACE}"  # between what no line break tears apart

_UNITS = r"%|million|billion|trillion|(?:core|node|GPU)-(?:s|hours)|times|(?:d|h|min|s|ms|µs|ns)\b"
_TOGETHER = (
    re.compile(rf"(?<=\d) (?={_UNITS})"),
    re.compile(r"(?<=\w) (?== )"),  # p = 32
    re.compile(r"(?<==) (?=\d)"),
)
_INTERVAL = re.compile(r"\(\S+ to \S+( [^\s()]+)?\)")
_INDENT = "  "


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width` characters, the later ones indented further.

    Words that are longer stay whole.
    """
    for gap in _TOGETHER:
        text = gap.sub(JOIN, text)
    text = _INTERVAL.sub(lambda found: found[0].replace(" ", JOIN), text)
    indent = _INDENT + " " * (len(text) - len(text.lstrip()))
    lines = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(JOIN, " ") for line in lines]
