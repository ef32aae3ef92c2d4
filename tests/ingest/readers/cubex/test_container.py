"""Members of a container, and containers that are damaged or change while they are read."""

import gzip
from io import BufferedReader, FileIO

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers.cubex import stored_rows as module
from ingest.readers.cubex.stored_rows import open_container
from ingest.reading.packed import open_regular
from tests.cubex_writer import tar_member

BIG = bytes(range(256)) * 4096  # 1 MiB, the most that is copied
ANCHOR = tar_member("anchor.xml", b"<cube/>")


def opened(tmp_path, *parts):
    path = tmp_path / "a.cubex"
    path.write_bytes(b"".join(parts))
    return open_container(path)


def header_with(name, *, size=None, kind=b"0"):
    header = bytearray(tar_member(name, b"")[:512])
    if size is not None:
        header[124:136] = size
    header[156:157] = kind
    return bytes(header)


def test_only_the_members_of_cube_are_kept(tmp_path):
    names = [
        "anchor.xml",
        "0.data",
        "./12.index",
        "a.data",
        "1234567890.data",
        "x/0.data",
        "1.datax",
        "1xdata",
    ]
    found = opened(tmp_path, *(tar_member(name, name.encode()) for name in names), bytes(1024))
    assert sorted(found.members) == ["0.data", "12.index", "anchor.xml"]
    assert found.read("12.index") == b"./12.index"
    assert found.members["0.data"] == (512 + 512 + 512, 6)


@pytest.mark.parametrize("kind", [b"0", b"\0", b"7", b" "])
def test_regular_files_have_one_of_four_types(tmp_path, kind):
    content = b"<cube/>" + bytes(505)
    found = opened(tmp_path, header_with("anchor.xml", size=b"%011o\0" % 7, kind=kind), content)
    assert found.read("anchor.xml") == b"<cube/>"


@pytest.mark.parametrize("kind", [b"1", b"2", b"5", b"x", b"L"])
def test_links_folders_and_extensions_are_no_members(tmp_path, kind):
    odd = header_with("0.data", size=b"%011o\0" % 3, kind=kind) + b"abc" + bytes(509)
    assert list(opened(tmp_path, odd, ANCHOR).members) == ["anchor.xml"]


@pytest.mark.parametrize(
    "field",
    [b"00000000003\0", b"          3 ", b"3\0" + b"9" * 10, b"       3\0   ", b"\x80" + bytes(10) + b"\x03"],
)
def test_sizes_are_octal_with_blanks_or_binary(tmp_path, field):
    member = header_with("0.data", size=field) + b"abc" + bytes(509)
    assert opened(tmp_path, member, ANCHOR).read("0.data") == b"abc"


@pytest.mark.parametrize("field", [b"\0" * 12, b"xyz\0" + bytes(8), b"-1\0" + bytes(9), b"9\0" + bytes(10)])
def test_sizes_that_are_no_numbers_are_refused(tmp_path, field):
    with pytest.raises(InputError, match=r"no tar header at byte 1024; copy or write the file again"):
        opened(tmp_path, ANCHOR, header_with("0.data", size=field))
    with pytest.raises(InputError, match=r"not a tar archive, so not a \.cubex"):
        opened(tmp_path, header_with("0.data", size=field), ANCHOR)


def test_a_header_without_a_name_is_none(tmp_path):
    with pytest.raises(InputError, match="no tar header at byte 1024"):
        opened(tmp_path, ANCHOR, b"\0" + b"x" * 511)


@pytest.mark.parametrize("blocks", [0, 1, 39])
def test_zero_blocks_between_members_are_skipped(tmp_path, blocks):
    found = opened(tmp_path, ANCHOR, bytes(512 * blocks), tar_member("0.data", b"abc"))
    assert found.read("0.data") == b"abc"


def test_forty_zero_blocks_are_the_end(tmp_path):
    found = opened(
        tmp_path, ANCHOR, bytes(512 * 39), tar_member("1.data", b"x"), bytes(512 * 40), b"rest" * 128
    )
    assert sorted(found.members) == ["1.data", "anchor.xml"]


def test_a_part_of_a_block_at_the_end_is_no_header(tmp_path):
    assert list(opened(tmp_path, ANCHOR, b"x" * 511).members) == ["anchor.xml"]
    with pytest.raises(InputError, match="no tar header at byte 1024"):
        opened(tmp_path, ANCHOR, b"x" * 512)


def test_a_member_ends_where_its_size_says(tmp_path):
    whole = tar_member("anchor.xml", b"x" * 513)
    assert opened(tmp_path, whole[: 512 + 513]).read("anchor.xml") == b"x" * 513
    with pytest.raises(
        InputError, match=r"truncated: member 'anchor\.xml' should end at byte 1025 of 1024; copy or write"
    ):
        opened(tmp_path, whole[: 512 + 512])
    odd = header_with("n" * 60, size=b"%011o\0" % 9)
    with pytest.raises(InputError, match=f"member '{'n' * 40}' should end at byte 521 of 512"):
        opened(tmp_path, odd)


def test_what_is_not_a_profile(tmp_path):
    with pytest.raises(InputError, match=r"a\.cubex: the file is empty; copy or write the file again"):
        opened(tmp_path)
    with pytest.raises(InputError, match=r"not a tar archive, so not a \.cubex; copy or write"):
        opened(tmp_path, bytes(512))
    with pytest.raises(InputError, match=r"not a tar archive, so not a \.cubex; copy or write"):
        opened(tmp_path, b"short")
    with pytest.raises(
        InputError, match=r"it contains no anchor\.xml: not a Cube profile, or truncated; copy"
    ):
        opened(tmp_path, tar_member("0.data", b""))
    with pytest.raises(InputError, match=r"b\.cubex: No such file or directory; check path and permissions"):
        open_container(tmp_path / "b.cubex")


def test_limits_hold_exactly(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MAX_MEMBERS", 3)
    three = [ANCHOR, *(tar_member(f"{i}.data", b"") for i in range(2))]
    assert len(opened(tmp_path, *three).members) == 3
    with pytest.raises(InputError, match="more than 3 members; remove what is not Cube's"):
        opened(tmp_path, *three, tar_member("2.data", b""))
    monkeypatch.setattr(module, "_MAX_ANCHOR", 7)
    assert opened(tmp_path, ANCHOR).read("anchor.xml") == b"<cube/>"
    monkeypatch.setattr(module, "_MAX_ANCHOR", 6)
    with pytest.raises(
        InputError, match=r"its anchor\.xml has 7 bytes, more than the limit of 6; filter or aggregate"
    ):
        opened(tmp_path, ANCHOR)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("extra", [0, 1])
def test_views_of_few_and_of_many_bytes(tmp_path, packed, extra):
    content = BIG + b"x" * extra
    archive = ANCHOR + tar_member("0.data", content) + tar_member("0.index", b"index") + bytes(1024)
    found = opened(tmp_path, gzip.compress(archive, 1) if packed else archive)
    assert [bytes(view) for view in found.views("0.index", "0.data")] == [b"index", content]
    assert bytes(found.views("0.data")[0]) == content
    assert found.read("0.data") == content
    assert bool(found.unpacked) is packed


def test_few_bytes_are_copied_and_many_mapped(tmp_path):
    found = opened(tmp_path, ANCHOR, tar_member("0.data", BIG), tar_member("1.data", BIG + b"x"))
    (copy,), (mapped,) = found.views("0.data"), found.views("1.data")
    assert isinstance(copy.obj, bytes) and not isinstance(mapped.obj, bytes)
    np.testing.assert_array_equal(np.frombuffer(mapped, np.uint8)[:-1], np.frombuffer(copy, np.uint8))


@pytest.mark.parametrize("change", [b"x", b""])
def test_a_file_that_changes_its_size_is_refused(tmp_path, change):
    found = opened(tmp_path, ANCHOR, tar_member("1.data", BIG + b"x"))
    content = found.path.read_bytes()
    found.path.write_bytes(content + change if change else content[:-1])
    for read in (lambda: found.read("anchor.xml"), lambda: found.views("1.data")):
        with pytest.raises(InputError, match=r"a\.cubex: the file changed while it was read; run again"):
            read()


def test_a_file_that_shrinks_during_the_read_is_refused(tmp_path, monkeypatch):
    found = opened(tmp_path, ANCHOR)

    class Shrunk(FileIO):
        def read(self, size=-1):
            return super().read(min(size, 5))

    monkeypatch.setattr(module, "open_regular", lambda path: BufferedReader(Shrunk(path)))
    with pytest.raises(InputError, match="the file changed while it was read"):
        found.read("anchor.xml")


def test_no_file_stays_open(tmp_path, monkeypatch):
    files = []

    def kept(path):
        file = open_regular(path)
        files.append(file.raw)
        return file

    monkeypatch.setattr(module, "open_regular", kept)
    found = opened(tmp_path, ANCHOR, tar_member("1.data", BIG + b"x"))
    found.read("anchor.xml")
    found.views("1.data")
    found.path.write_bytes(b"changed")
    with pytest.raises(InputError):
        found.read("anchor.xml")
    assert len(files) == 4 and all(file.closed for file in files)
