"""Files: read with a bound on their size, inflated with another, found in folders, with clear errors."""

import importlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from ingest.errors import InputError

MAX_BYTES = 1 << 30
HEAD_BYTES = 4096
LOG_HEAD_BYTES = 1 << 18  # of a log, read to recognise it
LOG_TAIL_BYTES = 1 << 20
MAX_LARGE_BYTES = 1 << 33  # of files that are read line by line
BLOCK_BYTES = 1 << 22  # of texts that are searched block by block


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the text of a file.

    Raises:
        InputError: if the file cannot be read, is empty, is larger than `max_bytes`, or is not UTF-8 text.
    """
    content = read_bytes(path, max_bytes)
    if not content.strip():
        raise InputError("the file is empty", where=str(path), hint="was the measurement interrupted?")
    if b"\0" in content:
        raise InputError("binary data where text is expected", where=str(path))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line}: not UTF-8 text", where=str(path)) from error


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file.

    Raises:
        InputError: if the file cannot be read, or is larger than `max_bytes`.
    """
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                what = f"larger than {max_bytes >> 20} MiB, the limit for such files"
                raise InputError(what, where=str(path))
            return file.read()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from error


def writable(text: str) -> str:
    """Return a text that can be encoded: JSON and databases may contain halves of characters."""
    return text.encode("utf-8", "replace").decode()


def lines_of(path: Path, max_bytes: int = MAX_LARGE_BYTES) -> Iterator[str]:
    """Yield the lines of a text without their ends, one in memory at a time; other bytes are replaced.

    Raises:
        InputError: if the file cannot be read, or is larger than `max_bytes`.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                what = f"larger than {max_bytes >> 20} MiB, the limit for such files"
                raise InputError(what, where=str(path))
            for line in file:
                yield line.rstrip("\r\n")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from error


def blocks_of(path: Path, max_bytes: int = MAX_LARGE_BYTES) -> Iterator[bytes]:
    """Yield a text in blocks of whole lines, a few MiB in memory at a time.

    Raises:
        InputError: if the file cannot be read, is larger than `max_bytes`, or is not text.
    """
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                what = f"larger than {max_bytes >> 20} MiB, the limit for such files"
                raise InputError(what, where=str(path))
            while block := file.read(BLOCK_BYTES):
                if b"\0" in block:
                    raise InputError("binary data where text is expected", where=str(path))
                yield block + file.readline(BLOCK_BYTES)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from error


def entries(folder: Path) -> list[Path]:
    """Return what lies in a folder, sorted by name; nothing if it cannot be listed."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """Return the first bytes of a file, to recognise its format; nothing if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def ends_of(path: Path) -> bytes:
    """Return the beginning and the end of a log, to recognise it; nothing if it is not text."""
    content = head(path, LOG_HEAD_BYTES)
    if b"\0" in content:
        return b""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size > LOG_HEAD_BYTES:
                file.seek(max(LOG_HEAD_BYTES, size - LOG_TAIL_BYTES))
                content += b"\n" + file.read(LOG_TAIL_BYTES)
    except OSError:
        return b""
    return content


def head_lines(path: Path, size: int) -> list[str]:
    """Return the whole lines at the beginning of a text; nothing if it cannot be read or is not text."""
    content = head(path, size) if path.is_file() else b""
    if b"\0" in content:
        return []
    lines = content.decode("utf-8-sig", "replace").split("\n")
    cut = len(content) == size and len(lines) > 1
    return [line.rstrip("\r") for line in (lines[:-1] if cut else lines)]


MAX_FILES = 1 << 16

_NUMBER = re.compile(r"[0-9]{1,9}")


def numbered_files(found: Sequence[Path]) -> tuple[str, list[Path]]:
    """Return what stands before the number in the names of files, and the files in its order.

    Names must differ in one number only, which must be 0, 1, ... or 1, 2, ... without a gap.

    Returns:
        Two or more files, or an empty text and no files.
    """
    if not 2 <= len(found) <= MAX_FILES or len({tuple(_NUMBER.split(file.name)) for file in found}) > 1:
        return "", []
    columns = zip(*(map(int, _NUMBER.findall(file.name)) for file in found), strict=True)
    differing = [(place, column) for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return "", []
    place, numbers = differing[0]
    first = min(numbers)
    if first > 1 or sorted(numbers) != list(range(first, first + len(numbers))):
        return "", []
    before = found[0].name[: list(_NUMBER.finditer(found[0].name))[place].start()]
    return before, [file for _, file in sorted(zip(numbers, found, strict=True))]


HARMLESS = 1 << 26
RATIO = 100  # profiles stay below it, even those that are nearly all zeros


def _fastest() -> ModuleType:
    """Return Intel's ISA-L if the extra `isal` is installed, about 1.5 times as fast, else zlib."""
    try:
        return importlib.import_module("isal.isal_zlib")
    except ImportError:
        return zlib


_zlib = _fastest()
InflateError: type[Exception] = _zlib.error
GZIP_MAGIC = b"\x1f\x8b"
_MOST = 1 << 29
_GZIP_WINDOW = 31  # zlib's code for "32 KiB window, gzip header and trailer"


def inflation_limit(compressed: int, most: int) -> int:
    """Return the number of bytes that `compressed` bytes may inflate to, at most `most`."""
    return min(most, max(HARMLESS, RATIO * compressed))


def inflate_row(compressed: bytes | memoryview, size: int) -> bytes:
    """Inflate one zlib stream that must hold exactly `size` bytes.

    Args:
        size: number of bytes it must inflate to; never more than one byte above it is produced.

    Raises:
        InflateError: if the stream is damaged or contains another number of bytes.
    """
    stream = _zlib.decompressobj()
    row: bytes = stream.decompress(compressed, size + 1)
    if len(row) != size or not stream.eof:
        raise InflateError("the stream does not contain the expected number of bytes")
    return row


def gunzip(compressed: bytes | memoryview, *, where: str, most: int = _MOST) -> bytes:
    """Inflate a gzip stream; bytes after the stream are ignored.

    Raises:
        InputError: if the stream is damaged, ends early, or inflates to more than profiles do: `most` bytes,
            or 100 times its own size if that is more than 64 MiB.
    """
    limit = inflation_limit(len(compressed), most)
    stream = _zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain: bytes = stream.decompress(compressed, limit + 1)
    except InflateError as damage:
        raise InputError(f"damaged gzip data ({damage})", where=where, hint="copy the file again") from damage
    if len(plain) > limit:
        what = f"refused as a decompression bomb: {len(compressed)} bytes inflate to more than {limit}"
        raise InputError(what, where=where, hint="if the file is genuine, unpack it with gunzip first")
    if not stream.eof:
        raise InputError("the gzip data ends early", where=where, hint="the file is truncated: copy it again")
    return plain


def read_plain(path: Path, max_bytes: int, *, most: int = _MOST) -> bytes:
    """Return the content of a file, inflated to `most` bytes if it is compressed.

    Raises:
        InputError: if the file cannot be read, is larger than `max_bytes`, or is damaged gzip data.
    """
    content = read_bytes(path, max_bytes)
    return gunzip(content, where=str(path), most=most) if content.startswith(GZIP_MAGIC) else content


def plain_head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, inflated if it is compressed; nothing if it cannot be read."""
    start = head(path, size) if path.is_file() else b""
    if not start.startswith(GZIP_MAGIC):
        return start
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(start, size)
    except zlib.error:
        return b""
