"""Standard output and error: terminals of any encoding, readers that go away, full disks, closed streams."""

import codecs
import io
import os
import sys
from typing import Any, TextIO

from ingest.errors import UsageError

_OUTPUT = "standard output"
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


class _Sink(io.FileIO):
    """A standard stream that is written to as long as it takes anything, so that there is one error at most.

    If its reader goes away, such as `head`, the command goes on to its exit code. Results that cannot be
    written for another reason are an error; notices are not worth one.
    """

    def __init__(self, handle: int, name: str) -> None:
        super().__init__(handle, "w", closefd=False)
        self._where = name
        self._lost = False

    def write(self, data: Any, /) -> int:  # noqa: ANN401  # any buffer of bytes
        try:
            return len(data) if self._lost else super().write(data)
        except OSError as error:
            self._lost = True
            if isinstance(error, BrokenPipeError) or self._where != _OUTPUT:
                return len(data)
            what = f"cannot be written ({error.strerror})"
            raise UsageError(what, where=_OUTPUT, hint="write to a file, or free space") from error


def prepare_streams() -> None:
    """Put streams in place of the standard ones that survive a missing reader, disk or character.

    Characters that the encoding lacks become similar ones. Streams that something else has replaced stay.
    """
    codecs.register_error(_HANDLER, _similar)
    for handle in range(3):
        _occupy(handle)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _stream(1, _OUTPUT, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _stream(2, "standard error", sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def _occupy(handle: int) -> None:
    """Keep a closed standard stream from becoming the next file that is opened; writing stays an error."""
    try:
        os.fstat(handle)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, handle)
        if nowhere != handle:
            os.close(nowhere)
        os.set_inheritable(handle, True)


def _stream(handle: int, name: str, before: TextIO | None) -> TextIO:
    if before is not None:
        before.flush()
        if os.name == "nt" and before.isatty():
            return before  # of its console, which takes characters instead of bytes
    encoding = "utf-8" if before is None else before.encoding
    sink = _Sink(handle, name)
    lines = sink.isatty() or name != _OUTPUT
    return io.TextIOWrapper(io.BufferedWriter(sink), encoding, newline="\n", line_buffering=lines)


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
