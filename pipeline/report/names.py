"""Long C++ names and call paths, cut so that a person recognises them."""

from collections.abc import Sequence

from ingest.cpp_names import short_name

ELLIPSIS = "…"
ARROW = " › "


def shorten_middle(text: str, width: int) -> str:
    """Cut the middle out of a text that is longer than `width`."""
    if len(text) <= width:
        return text
    if width <= 1:
        return ELLIPSIS[:width]
    head = width // 2
    tail = width - head - 1
    return text[:head] + ELLIPSIS + (text[-tail:] if tail else "")


def callpath_text(callpath: Sequence[str], width: int) -> str:
    """Write a call path within `width`: the end matters most, then the root, then what lies between."""
    names = [short_name(name) for name in callpath]
    full = ARROW.join(names)
    if len(full) <= width or len(names) == 1:
        return shorten_middle(full, width)
    for kept in range(len(names) - 2, 0, -1):
        text = ARROW.join([names[0], ELLIPSIS, *names[-kept:]])
        if len(text) <= width:
            return text
    text = ARROW.join([ELLIPSIS, names[-1]])
    return text if len(text) <= width else shorten_middle(names[-1], width)
