"""The container of a `.cubex` file: a tar archive as Cube writes it, which is not quite tar.

Python's `tarfile` stops at two defects of real writers: a member whose size is a multiple of 512 is followed
by one zero block too many, and CubeWriter 4.8 writes wrong header checksums without a type flag. Here only
names and sizes are used. Nothing is unpacked and no path is taken from the archive.
"""

import mmap
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.packed import is_packed, unpack

ANCHOR = "anchor.xml"
_BLOCK = 512
_MAX_MEMBERS = 1 << 16
_MAX_ANCHOR = 1 << 30
_FEW_BYTES = 1 << 20
_MAX_ZERO_BLOCKS = 40  # tar pads to 20 blocks; more zeros than that are the end of the archive
_WANTED = re.compile(rb"(?:\./)?(anchor\.xml|[0-9]{1,9}\.(?:data|index))")
_REGULAR = b"\x0007 "  # type flags of a regular file, also as old and odd writers set them
_AGAIN = "copy or write the file again"


@dataclass(frozen=True)
class Container:
    """A `.cubex` file and the positions of its members.

    The file is opened again for every view, so that a profile kept for later keeps no file open.

    Attributes:
        size: its size in bytes when it was opened.
        members: offset and size in bytes of ``anchor.xml``, ``N.data`` and ``N.index``, by name.
        unpacked: the archive itself if the whole file is gzip-compressed, else empty.
    """

    path: Path
    size: int
    members: dict[str, tuple[int, int]] = field(repr=False)
    unpacked: bytes = field(default=b"", repr=False)

    def read(self, name: str) -> bytes:
        """Return a copy of the bytes of a member."""
        (content,) = self._copies([self.members[name]])
        return content

    def views(self, *names: str) -> list[memoryview]:
        """Return the bytes of members: a copy if they are few, else mapped into memory."""
        extents = [self.members[name] for name in names]
        if sum(size for _, size in extents) <= _FEW_BYTES:
            return [memoryview(content) for content in self._copies(extents)]
        if self.unpacked:
            archive = memoryview(self.unpacked)
        else:
            with self._reopen() as file:
                archive = _map(file)
        return [archive[offset : offset + size] for offset, size in extents]

    def _copies(self, extents: Sequence[tuple[int, int]]) -> list[bytes]:
        if self.unpacked:
            return [self.unpacked[offset : offset + size] for offset, size in extents]
        with self._reopen() as file:
            contents = [_read_at(file, offset, size) for offset, size in extents]
        if any(len(content) < size for content, (_, size) in zip(contents, extents, strict=True)):
            raise self._changed()
        return contents

    def _reopen(self) -> FileIO:
        file = _open(self.path)
        if os.fstat(file.fileno()).st_size != self.size:
            file.close()
            raise self._changed()
        return file

    def _changed(self) -> InputError:
        return InputError("the file changed while it was read", where=str(self.path), hint="run again")


def open_container(path: Path) -> Container:
    """Find the members of a `.cubex` file."""
    with _open(path) as file:
        archive = _map(file)
    size, unpacked = len(archive), b""
    if is_packed(archive):
        unpacked = unpack(archive, where=str(path))
        archive = memoryview(unpacked)
    members: dict[str, tuple[int, int]] = {}
    for name, offset, length in _walk(archive, str(path)):
        wanted = _WANTED.fullmatch(name)
        if wanted:
            members[wanted[1].decode()] = (offset, length)
    if ANCHOR not in members:
        what = f"it contains no {ANCHOR}: not a Cube profile, or truncated"
        raise InputError(what, where=str(path), hint=_AGAIN)
    if members[ANCHOR][1] > _MAX_ANCHOR:
        what = f"its {ANCHOR} has {members[ANCHOR][1]} bytes, more than the limit of {_MAX_ANCHOR}"
        raise InputError(what, where=str(path), hint="filter or aggregate the call tree")
    return Container(path, size, members, unpacked)


def _open(path: Path) -> FileIO:
    try:
        return FileIO(path)
    except OSError as problem:
        reason = problem.strerror or "cannot be read"
        raise InputError(reason, where=str(path), hint="check path and permissions") from None


def _read_at(file: FileIO, offset: int, size: int) -> bytes:
    file.seek(offset)  # not os.pread, which Windows lacks
    return file.read(size)


def _map(file: FileIO) -> memoryview:
    """Map a file into memory; the mapping lives as long as the view."""
    try:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError:  # an empty file cannot be mapped
        raise InputError("the file is empty", where=str(file.name), hint=_AGAIN) from None


def _walk(archive: memoryview, where: str) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, offset and size of the regular members."""
    position, zero_blocks, count = 0, 0, 0
    while position + _BLOCK <= len(archive) and zero_blocks < _MAX_ZERO_BLOCKS:
        header = bytes(archive[position : position + _BLOCK])
        if not header[0] and not any(header):
            zero_blocks += 1
            position += _BLOCK
            continue
        zero_blocks = 0
        name, size = header[:100].partition(b"\0")[0], _number(header[124:136])
        if not name or size < 0:
            what = f"no tar header at byte {position}" if count else "not a tar archive, so not a .cubex"
            raise InputError(what, where=where, hint=_AGAIN)
        offset = position + _BLOCK
        if offset + size > len(archive):
            what = f"truncated: member '{name[:40].decode('ascii', 'replace')}' should end at byte"
            raise InputError(f"{what} {offset + size} of {len(archive)}", where=where, hint=_AGAIN)
        if header[156] in _REGULAR:
            yield name, offset, size
        position = offset + -(-size // _BLOCK) * _BLOCK
        count += 1
        if count > _MAX_MEMBERS:
            raise InputError(
                f"more than {_MAX_MEMBERS} members", where=where, hint="remove what is not Cube's"
            )
    if not count:
        raise InputError("not a tar archive, so not a .cubex", where=where, hint=_AGAIN)


def _number(digits: bytes) -> int:
    """Return a tar number field, octal or (GNU, for 8 GiB and more) binary; -1 if it is neither."""
    if digits[0] == 0x80:
        return int.from_bytes(digits[1:], "big")
    try:
        return int(digits.partition(b"\0")[0].strip(b" ") or b"x", 8)
    except ValueError:
        return -1
