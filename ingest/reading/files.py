"""Files: read with a bound on their size, unpacked if need be, found in folders, with clear errors."""

import io
import mmap
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from ingest.errors import InputError
from ingest.reading.packed import (
    UNPACK,
    archive_kind,
    is_packed,
    open_plain,
    open_regular,
    plain_name,
    unpack,
)

MAX_BYTES = 1 << 30
HEAD_BYTES = 4096
LOG_HEAD_BYTES = 1 << 18  # of a log, read to recognise it
LOG_TAIL_BYTES = 1 << 20
MAX_LARGE_BYTES = 1 << 33  # of files that are read line by line
BLOCK_BYTES = 1 << 22  # of texts that are searched block by block
_HEAD_BLOCK_BYTES = 1 << 12  # of a packed file, to have what stands before damage


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the text of a file; InputError if it is unreadable, empty, above `max_bytes` or not UTF-8."""
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
    """Return the unpacked content; InputError if unreadable, damaged or, packed or not, above `max_bytes`."""
    try:
        with open_regular(path) as file:
            _require_size(path, os.fstat(file.fileno()).st_size, max_bytes)
            content = file.read()
    except OSError as error:
        raise unreadable(path, error) from error
    return unpack(content, where=str(path), most=max_bytes) if is_packed(content) else content


def unreadable(path: Path, error: OSError, hint: str = "") -> InputError:
    """Return the error for a file that the system does not let us read."""
    return InputError(f"cannot be read: {error.strerror or error}", where=str(path), hint=hint)


def _require_size(path: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise InputError(f"larger than {max_bytes >> 20} MiB, the limit for such files", where=str(path))


@contextmanager
def mapped(path: Path, max_bytes: int) -> Iterator[bytes | mmap.mmap]:
    """Give the content of a file to search in it, unpacked; nothing of larger ones."""
    with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if len(content) > max_bytes:
            yield b""
        else:
            yield unpack(content[:], where=str(path), most=max_bytes) if is_packed(content[:8]) else content


def writable(text: str) -> str:
    """Return a text that can be encoded: JSON and databases may contain halves of characters."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def lines_of(path: Path, max_bytes: int = MAX_LARGE_BYTES) -> Iterator[str]:
    """Yield the lines of a text without their ends, one in memory at a time; other bytes are replaced."""
    try:
        with (
            open_plain(path, max_bytes) as file,
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="\n") as text,
        ):
            _require_size(path, path.stat().st_size, max_bytes)
            for line in text:
                yield line.rstrip("\r\n")
    except OSError as error:
        raise unreadable(path, error) from error


def blocks_of(path: Path) -> Iterator[bytes]:
    """Yield a text in blocks of whole lines, a few MiB in memory at a time."""
    try:
        with open_plain(path, MAX_LARGE_BYTES) as file:
            _require_size(path, path.stat().st_size, MAX_LARGE_BYTES)
            while block := file.read(BLOCK_BYTES):
                if b"\0" in block:
                    raise InputError("binary data where text is expected", where=str(path))
                yield block + file.readline(BLOCK_BYTES)
    except OSError as error:
        raise unreadable(path, error) from error


def stamp(path: Path) -> tuple[int, ...]:
    """Return what changes with the content of a file: what was read of it may be kept while this stays."""
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return found.st_ino, found.st_size, found.st_mtime_ns


def entries(folder: Path) -> Sequence[Path]:
    """Return what lies in a folder, sorted by name; nothing if it cannot be listed."""
    return _beginning(folder).entries


class _Beginning:
    """What is read of one file or folder to recognise its format, each part once."""

    def __init__(self, path: Path, least: int = 0) -> None:
        self._path, self._least = path, least
        self._start, self._read = b"", -1
        self._heads: dict[int, bytes] = {}
        self._lines: dict[tuple[int, bool], Sequence[str]] = {}

    @cached_property
    def mode(self) -> int:
        """What kind of file it is, 0 if it cannot be found."""
        try:
            return self._path.stat().st_mode
        except (OSError, ValueError):
            return 0

    @cached_property
    def entries(self) -> Sequence[Path]:
        try:
            return sorted(self._path.iterdir(), key=lambda entry: entry.name)
        except OSError:
            return []

    def head(self, size: int) -> bytes:
        if size not in self._heads:
            self._heads[size] = self._first(size)
        return self._heads[size]

    def _first(self, size: int) -> bytes:
        if not S_ISREG(self.mode):  # opening a pipe would wait for its writer
            return b""
        if size > self._read:
            self._read = max(size, self._least)
            try:
                with open_regular(self._path) as file:
                    self._start = file.read(self._read)
            except OSError:
                self._start = b""
        if is_packed(self._start):
            return b"".join(_blocks(self._path, size, _HEAD_BLOCK_BYTES))
        return self._start[:size]

    def lines(self, size: int) -> Sequence[str]:
        content = self.head(size)
        place = len(content), len(content) == size
        if place not in self._lines:
            self._lines[place] = _whole_lines(content, cut=place[1])
        return self._lines[place]

    @cached_property
    def ends(self) -> bytes:
        content = self.head(LOG_HEAD_BYTES)
        if not content or b"\0" in content:
            return b""
        if len(content) < LOG_HEAD_BYTES and not is_packed(self._start):
            return content
        try:
            with open_regular(self._path) as file:
                if is_packed(file.peek(8)):
                    return content + _tail_of_packed(self._path)
                size = file.seek(0, 2)
                if size > LOG_HEAD_BYTES:
                    file.seek(max(LOG_HEAD_BYTES, size - LOG_TAIL_BYTES))
                    content += b"\n" + file.read(LOG_TAIL_BYTES)
        except OSError:
            return b""
        return content


_KEPT: ContextVar[dict[Path, _Beginning] | None] = ContextVar("_KEPT", default=None)
_MOST_KEPT = 16  # files: the one that all readers are asked about, and what some of them look at beside it


@contextmanager
def read_once() -> Iterator[None]:
    """Read the beginning of each file once as long as this lasts, for all readers that look at it."""
    before = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(before)


def _beginning(path: Path) -> _Beginning:
    kept = _KEPT.get()
    if kept is None:
        return _Beginning(path)
    found = kept.get(path)
    if found is None:
        if len(kept) == _MOST_KEPT:
            del kept[next(iter(kept))]
        found = kept[path] = _Beginning(path, LOG_HEAD_BYTES)
    return found


def is_folder(path: Path) -> bool:
    """Return whether a path is a directory."""
    return S_ISDIR(_beginning(path).mode)


def head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """Return the first bytes of a file, unpacked, to recognise its format; nothing if it cannot be read."""
    return _beginning(path).head(size)


def _blocks(path: Path, size: int, block_bytes: int) -> Iterator[bytes]:
    """Yield so many bytes of a packed file in blocks, those before damage if there is any."""
    try:
        with open_plain(path, MAX_LARGE_BYTES) as file:
            while size > 0 and (block := file.read1(min(size, block_bytes))):
                size -= len(block)
                yield block
    except (InputError, OSError):
        return


# how images, documents, programs and data sets (HDF5, NetCDF) begin
_FOREIGN = (
    *(b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"\x7fELF", b"\x89HDF\r\n"),
    *(b"CDF\x01", b"CDF\x02", b"CDF\x05"),
)


def is_foreign(path: Path) -> bool:
    """Return whether a file is surely no profile by its first bytes: most files beside profiles are such."""
    return head(path).startswith(_FOREIGN)


_PAGES = frozenset((".md", ".rst", ".html"))


def is_page(path: Path) -> bool:
    """Return whether a file is a page by its name: pages quote outputs."""
    return plain_name(path).suffix.lower() in _PAGES


def archive_of(path: Path) -> str:
    """Return which archive a file is, packed or not, such as ``tar``; empty if it is none."""
    return archive_kind(head(path))


def unpack_hint(archive: Path) -> str:
    """Return how to unpack an archive."""
    return f"unpack it: {UNPACK[archive_of(archive)]} {archive.name}"


def ends_of(path: Path) -> bytes:
    """Return the beginning and the end of a log, to recognise it; nothing if it is not text."""
    return _beginning(path).ends


def _tail_of_packed(path: Path) -> bytes:
    """Return what `ends_of` reads behind the head, or what stands there before damage."""
    size, tail = 0, bytearray()
    for block in _blocks(path, MAX_LARGE_BYTES, LOG_TAIL_BYTES):
        size += len(block)
        tail += block
        if len(tail) > 2 * LOG_TAIL_BYTES:
            del tail[:-LOG_TAIL_BYTES]
    behind_head = min(LOG_TAIL_BYTES, size - LOG_HEAD_BYTES)
    return b"\n" + tail[-behind_head:] if behind_head > 0 else b""


def head_lines(path: Path, size: int) -> Sequence[str]:
    """Return the whole lines at the beginning of a text; nothing if it cannot be read or is not text."""
    return _beginning(path).lines(size)


def _whole_lines(content: bytes, *, cut: bool) -> Sequence[str]:
    if b"\0" in content:
        return []
    lines = content.decode("utf-8-sig", "replace").split("\n")
    if cut and len(lines) > 1:
        del lines[-1]
    return [line.rstrip("\r") for line in lines] if b"\r" in content else lines


_MAX_FILES = 1 << 16
COPY_ALL = "copy the files of all processes of the run, or measure it again"

_NUMBER = re.compile(r"[0-9]{1,9}")


def numbered_files(found: Sequence[Path]) -> tuple[str, dict[int, Path]]:
    """Return what stands before the number in the names of files, and the files by their numbers, in order.

    Those are most of one form, two or more: their names differ in one number only, which is 0, 1, ... or 1,
    2, ...; less than half of those from 0 on may be missing. Else an empty text and no files.
    """
    forms: dict[tuple[str, ...], list[Path]] = {}
    for file in found:
        forms.setdefault(tuple(_NUMBER.split(file.name)), []).append(file)
    found = max(forms.values(), key=len, default=[])
    if not 2 <= len(found) <= _MAX_FILES:
        return "", {}
    columns = zip(*(map(int, _NUMBER.findall(file.name)) for file in found), strict=True)
    differing = [(place, column) for place, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1:
        return "", {}
    place, numbers = differing[0]
    most = 2 * len(numbers) - 1 if min(numbers) == 0 else len(numbers) + 1
    if min(numbers) > 1 or max(numbers) >= most or len(set(numbers)) < len(numbers):
        return "", {}
    before = found[0].name[: list(_NUMBER.finditer(found[0].name))[place].start()]
    return before, dict(sorted(zip(numbers, found, strict=True)))


def missing_numbers(numbers: Collection[int], of: str = "process", *, first: int = 1, count: int = 0) -> str:
    """Say which of the processes of a run are missing, ``process 2 of 4 is missing``; empty if none is.

    `first` is the smallest number, if 0 is not one of them, and `count` how many there are at least.
    """
    present = sorted({*numbers})
    first = min(first, present[0])
    size = max(count, present[-1] + 1 - first)
    if not (lost := size - len(present)):
        return ""
    gap = next(
        (number for number, there in enumerate(present, first) if number != there), first + len(present)
    )
    more = "" if lost == 1 else f", as {'is' if lost == 2 else 'are'} {lost - 1} more"
    return f"{of} {gap} of {size} is missing{more}"


def all_of_run(
    found: Mapping[int, Path], of: str = "process", *, first: int = 1, count: int = 0
) -> list[Path]:
    """Return the files of a run in the order of its processes; InputError if any are `missing_numbers`."""
    if found and (missing := missing_numbers(found, of, first=first, count=count)):
        raise InputError(missing, where=str(next(iter(found.values())).parent), hint=COPY_ALL)
    return list(found.values())
