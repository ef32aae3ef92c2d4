"""Standard output and error: terminals of any encoding, and readers that go away."""

import codecs
import io
import os
import sys

_HANDLER = "pipeline.similar"
_GROUPS = {  # one character for each, so that columns stay aligned
    "~": "…",
    ">": "›→",
    "<": "‹←",
    "-": "–—−─",
    "|": "│▌▐",
    "+": "┤├┬┴┼┐┌└┘",
    "#": "█▉▊▋▛▜▙▟",
    ":": "▍▎▏",
    "*": "•▞▚▀▄▝▗▖▘∞" + "".join(map(chr, range(0x2800, 0x2900))),  # curves are drawn in Braille
}
_SIMILAR = str.maketrans({special: plain for plain, group in _GROUPS.items() for special in group})


def prepare_streams() -> None:
    """Let characters that the encoding of a stream lacks become similar ones instead of errors."""
    codecs.register_error(_HANDLER, _similar)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors=_HANDLER)


def _similar(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_SIMILAR)
    return text.encode("ascii", "replace").decode("ascii"), error.end


def write_standard_output(content: bytes) -> None:
    """Write the bytes that a file would get, whatever the encoding of the terminal."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Send what is written to standard output from here on to nowhere: its reader went away.

    A command goes on to its exit code, which must not depend on who reads its output.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
