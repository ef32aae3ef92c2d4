"""Mutations below the checksums: archives and streams are opened, changed inside, and closed properly again.

Without this nearly every mutated file would end at a checksum of gzip, zlib or zip.
"""

import gzip
import io
import re
import struct
import zipfile
import zlib
from random import Random

from tests.cubex_writer import tar_member
from tests.fuzz.mutations import is_text, mutate_bytes, mutate_text

INSIDE = 0.85  # how often an archive is opened instead of being damaged as it is
GZIP, ZIP, ROWS = b"\x1f\x8b", b"PK\x03\x04", b"ZCUBEX.DATA"
_TAR_MAGIC = slice(257, 262)
_BLOCK = 512
_OCTAL = re.compile(rb"[0-7]+")

Members = list[tuple[str, bytes]]


def mutate(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Apply one mutation at some layer of a file; `donor` is another file to borrow from."""
    if rng.random() < INSIDE:
        if data.startswith(GZIP):
            return _gzip(data, rng, donor)
        if data.startswith(ZIP):
            return _zip(data, rng, donor)
        if data[_TAR_MAGIC] == b"ustar":
            return _tar(data, rng, donor)
        if data.startswith(ROWS):
            return _rows(data, rng, donor)
        if is_text(data):
            return mutate_text(data, rng, donor)
    return mutate_bytes(data, rng, donor)


def _gzip(data: bytes, rng: Random, donor: bytes) -> bytes:
    try:
        inside = gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return mutate_bytes(data, rng, donor)
    return gzip.compress(mutate(inside, rng, donor), 1, mtime=0)


def _zip(data: bytes, rng: Random, donor: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except (OSError, zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError):
        return mutate_bytes(data, rng, donor)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in _change(members, rng, donor):
            archive.writestr(zipfile.ZipInfo(name), content)
    return target.getvalue()


def _tar(data: bytes, rng: Random, donor: bytes) -> bytes:
    members, at = [], 0
    while at + _BLOCK <= len(data) and data[at]:
        name = data[at : at + 100].partition(b"\0")[0].decode("latin-1")
        digits = data[at + 124 : at + 135]
        size = int(digits, 8) if _OCTAL.fullmatch(digits) else 0
        members.append((name, data[at + _BLOCK : at + _BLOCK + size]))
        at += _BLOCK + -(-size // _BLOCK) * _BLOCK
    changed = _change(members, rng, donor)
    return b"".join(tar_member(name[:99], content) for name, content in changed) + bytes(1024)


def _change(members: Members, rng: Random, donor: bytes) -> Members:
    """Mutate the content of a member, or drop, double, exchange or rename members.

    Names stay different: an archive writer would warn, and readers take the last.
    """
    if not members:
        return members
    at, other = rng.randrange(len(members)), rng.randrange(len(members))
    name, content = members[at]
    kind = rng.random()
    if kind < 0.8:
        members[at] = name, mutate(content, rng, donor)
    elif kind < 0.85:
        del members[at]
    elif kind < 0.9:
        members[at] = name, members[other][1]
    elif kind < 0.95:
        members[at], members[other] = members[other], members[at]
    else:
        new = rng.choice(("0.data", "9.index", "a", "../x", f"./{name}", "values/0.vals"))
        if all(new != known for known, _ in members):
            members[at] = new, content
    return members


def _rows(data: bytes, rng: Random, donor: bytes) -> bytes:
    """Mutate a compressed row of a ``.cubex`` file inside of its zlib stream, and hint the table."""
    start = len(ROWS) + 8
    order = "<" if data[len(ROWS) : start].endswith(b"\0") else ">"
    count = struct.unpack(f"{order}Q", data[len(ROWS) : start].ljust(8, b"\0"))[0]
    behind = start + 24 * count
    if not 0 < count < 1 << 16 or behind > len(data):
        return mutate_bytes(data, rng, donor)
    table = [list(struct.unpack_from(f"{order}3Q", data, start + 24 * i)) for i in range(count)]
    streams = [data[behind + first : behind + first + size] for _, first, size in table]
    at = rng.randrange(count)
    try:
        row = zlib.decompress(streams[at])
    except zlib.error:
        return mutate_bytes(data, rng, donor)
    streams[at] = zlib.compress(mutate_bytes(row, rng, donor), 1)
    place = 0
    for entry, stream in zip(table, streams, strict=True):
        entry[1:] = place, len(stream)
        place += len(stream)
    head = struct.pack(f"{order}{1 + 3 * count}Q", count, *(number for entry in table for number in entry))
    return ROWS + head + b"".join(streams)
