"""What functions print on a terminal of some width."""

import io

from rich.console import Console


def printed(show, *arguments, width=80, terminal=False, **options):
    """Return the text that `show` prints; with colours if it is a terminal that it prints on."""
    stream = io.StringIO()
    colours = "standard" if terminal else None
    out = Console(file=stream, width=width, highlight=False, force_terminal=terminal, color_system=colours)
    show(out, *arguments, **options)
    return stream.getvalue()


def shown(show, *arguments, **options):
    """Return the lines of `printed`, without blanks at their ends."""
    return [line.rstrip() for line in printed(show, *arguments, **options).splitlines()]
