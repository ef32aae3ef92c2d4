"""Files packed with gzip, xz or zstd, and texts in UTF-16: read as if they were not, up to a bound.

What is packed is known by its first bytes (RFC 1952, RFC 8878, the .xz format), whatever the file is called.
So are texts with a byte-order mark, as PowerShell's ``>`` writes them: their bytes come in plain UTF-8.
"""

import codecs
import errno
import gzip
import importlib
import io
import lzma
import os
import stat
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, cast

from ingest.errors import InputError

_ENDINGS = (".gz", ".xz", ".zst")
_ARCHIVES = {b"PK\x03\x04": "zip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar"}  # by their first bytes
_TAR, _TAR_MARK = b"ustar", 257
UNPACK = {"tar": "tar xf", "zip": "unzip", "7z": "7z x", "rar": "unrar x"}
_AGAIN = "copy the file again"

_HARMLESS = 1 << 26
_RATIO = 100  # profiles stay below it, even those that are nearly all zeros


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
    return min(most, max(_HARMLESS, _RATIO * compressed))


def inflate_row(compressed: bytes | memoryview, size: int) -> bytes:
    """Inflate one zlib stream of exactly `size` bytes (else InflateError), producing at most one more."""
    stream = _zlib.decompressobj()
    row: bytes = stream.decompress(compressed, size + 1)
    if len(row) != size or not stream.eof:
        raise InflateError("the stream does not contain the expected number of bytes")
    return row


def gunzip(compressed: bytes | memoryview, *, where: str, most: int = _MOST) -> bytes:
    """Inflate the gzip streams that follow each other; other bytes behind them are ignored."""
    limit = inflation_limit(len(compressed), most)
    plain: bytes = b""
    rest = compressed
    while True:
        stream = _zlib.decompressobj(_GZIP_WINDOW)
        try:
            plain += stream.decompress(rest, limit + 1 - len(plain))
        except InflateError as damage:
            raise InputError(f"damaged gzip data ({damage})", where=where, hint=_AGAIN) from damage
        if len(plain) > limit:
            raise _bomb(where, len(compressed), limit)
        if not stream.eof:
            raise InputError("the gzip data ends early", where=where, hint=f"the file is truncated: {_AGAIN}")
        rest = stream.unused_data
        if not rest.startswith(GZIP_MAGIC):
            return plain


def _zstd(file: BinaryIO) -> io.BufferedIOBase:
    import pyarrow as pa

    return cast(io.BufferedIOBase, pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"))


class _Utf8(io.RawIOBase):
    """A text with a byte-order mark as UTF-8 without one; what is no text of UTF-8 stays as it is."""

    def __init__(self, encoding: str, errors: str, file: BinaryIO) -> None:
        self._errors = errors
        self._text = io.TextIOWrapper(cast(io.BufferedReader, file), encoding, errors, newline="")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer, a quarter of which may be characters; return the number of bytes, 0 at the end."""
        plain = self._text.read(len(buffer) // 4).encode("utf-8", self._errors)
        buffer[: len(plain)] = plain
        return len(plain)


def _as_utf8(encoding: str, errors: str, file: BinaryIO) -> io.BufferedIOBase:
    return io.BufferedReader(_Utf8(encoding, errors, file))


_FORMS: dict[bytes, tuple[str, Callable[[BinaryIO], io.BufferedIOBase]]] = {
    GZIP_MAGIC: ("gzip", lambda file: gzip.GzipFile(fileobj=file)),
    b"\xfd7zXZ\0": ("xz", lzma.LZMAFile),
    b"\x28\xb5\x2f\xfd": ("zstd", _zstd),
    codecs.BOM_UTF16_LE: ("UTF-16", partial(_as_utf8, "utf-16", "replace")),
    codecs.BOM_UTF16_BE: ("UTF-16", partial(_as_utf8, "utf-16", "replace")),
    codecs.BOM_UTF8: ("UTF-8", partial(_as_utf8, "utf-8-sig", "surrogateescape")),
}


def is_packed(start: bytes | memoryview) -> bool:
    """Return whether a file that begins with these bytes is packed."""
    return bytes(start[:8]).startswith(tuple(_FORMS))


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file to read; OSError if it is none, such as a pipe (its writer would be waited for)."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115  # Path.open has no opener
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "not a regular file")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def content_of(path: Path, most: int = 1 << 33) -> bytes:
    """Return the bytes of a regular file as they are; OSError if it is none, or larger than `most` bytes."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"larger than {most >> 20} MiB, the limit for such files")
        return file.read()


def is_packed_file(path: Path) -> bool:
    """Return whether a file is packed."""
    try:
        with open_regular(path) as file:
            return is_packed(file.read(8))
    except OSError:
        return False


def plain_name(path: Path) -> Path:
    """Return the path without the ending of what it is packed with."""
    return path.with_suffix("") if path.suffix.lower() in _ENDINGS else path


def archive_kind(start: bytes) -> str:
    """Return which archive begins with these bytes, `_TAR_MARK` and more of them; empty if it is none."""
    if start[_TAR_MARK:].startswith(_TAR):
        return "tar"
    return next((kind for magic, kind in _ARCHIVES.items() if start.startswith(magic)), "")


def unpack(content: bytes | memoryview, *, where: str, most: int = _MOST) -> bytes:
    """Return what is packed in memory, or the content itself if it is not packed."""
    if not is_packed(content):
        return bytes(content)
    if bytes(content[:2]) == GZIP_MAGIC:
        return gunzip(content, where=where, most=most)
    limit = inflation_limit(len(content), most)
    return io.BufferedReader(_Unpacked(io.BytesIO(content), len(content), limit, where)).read()


def open_plain(path: Path, most: int) -> io.BufferedReader:
    """Open a file to read its bytes, unpacked on the way if it is packed.

    Reading raises InputError if the file is damaged, or more than `inflation_limit` is in it.
    """
    file = open_regular(path)
    start = file.peek(8)
    if not is_packed(start):
        return file
    size = path.stat().st_size
    return io.BufferedReader(_Unpacked(file, size, inflation_limit(size, most), str(path)))


class _Unpacked(io.RawIOBase):
    """The plain bytes of a packed file; all that may be wrong with it is an InputError."""

    def __init__(self, file: BinaryIO, size: int, limit: int, where: str) -> None:
        start = file.read(8)
        file.seek(0)
        self._form, unpacking = next(form for magic, form in _FORMS.items() if start.startswith(magic))
        self._file, self._stream = file, unpacking(file)
        self._size, self._limit, self._read, self._where = size, limit, 0, where

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer; return the number of bytes, 0 at the end."""
        try:
            plain = self._stream.read1(len(buffer))
        except EOFError as error:
            what = f"the {self._form} data ends early"
            raise InputError(what, where=self._where, hint=f"the file is truncated: {_AGAIN}") from error
        except (OSError, ValueError, MemoryError, zlib.error, lzma.LZMAError) as error:
            what = f"damaged {self._form} data ({error})"
            raise InputError(what, where=self._where, hint=_AGAIN) from error
        self._read += len(plain)
        if self._read > self._limit:
            raise _bomb(self._where, self._size, self._limit)
        buffer[: len(plain)] = plain
        return len(plain)

    def close(self) -> None:
        self._file.close()
        super().close()


def _bomb(where: str, size: int, limit: int) -> InputError:
    what = f"refused as a decompression bomb: {size} bytes inflate to more than {limit}"
    return InputError(what, where=where, hint="if the file is genuine, unpack it first")
