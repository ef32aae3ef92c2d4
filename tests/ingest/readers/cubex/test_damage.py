"""Damaged and hostile files: each gives one line that says what, where and how to fix it."""

import gzip
import random
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.readers.cubex.cubex_profile import read
from tests.cubex_writer import GroupSpec, MetricSpec, anchor_xml, tar_member, write_cubex

PARENT = [-1, 0, 1, 0]
TIME = MetricSpec("time", np.arange(8.0).reshape(4, 2))
ANCHOR = anchor_xml(PARENT, [TIME], list("abcd"), [0, 1, 2, 3], [GroupSpec(0), GroupSpec(1)], range(4), {})
SPARSE = b"CUBEX.INDEX" + struct.pack("<IHBI", 1, 0, 1, 4) + struct.pack("<4I", 0, 1, 2, 3)
RAW = b"CUBEX.DATA" + np.arange(8.0).tobytes()


def write(tmp_path, anchor=ANCHOR, index=SPARSE, data=RAW):
    members = {"0.index": index, "0.data": data, "anchor.xml": anchor.encode()}
    path = tmp_path / "p.cubex"
    path.write_bytes(b"".join(tar_member(n, d) for n, d in members.items() if d is not None) + bytes(1024))
    return path


def refusal(path):
    """Return the one line that refuses a file or its values."""
    with pytest.raises(InputError) as caught:
        profile = read(path)
        for metric in profile.metrics:
            profile.values(metric.name)
    error = caught.value
    assert str(path) in error.where
    assert error.hint
    assert "\n" not in str(error)
    return str(error)


def test_the_parts_make_a_good_file(tmp_path):
    assert read(write(tmp_path)).values("time").tolist() == np.arange(8.0).reshape(4, 2).tolist()


def zipped(rows, size=16):
    """Return compressed data from (start uncompressed, stream) pairs."""
    table, start = b"", 0
    for plain, stream in rows:
        table += struct.pack("<3Q", plain, start, len(stream))
        start += len(stream)
    return b"ZCUBEX.DATA" + struct.pack("<Q", len(rows)) + table + b"".join(stream for _, stream in rows)


DAMAGED_GZIP = gzip.compress(b"")[:10] + b"\xff" * 100
GOOD_ROW = zlib.compress(bytes(16))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"x", "not a tar archive"),
        (b"%PDF-1.4" * 1000, "not a tar archive"),
        (bytes(10_000), "not a tar archive"),
        (bytes(10_000) + b"x" * 512, "not a tar archive"),
        (tar_member("readme.txt", b"hello") + bytes(1024), "no anchor.xml"),
        (tar_member("x/anchor.xml", b"<cube/>") + bytes(1024), "no anchor.xml"),
        (tar_member("0.data", bytes(2000))[:-700], "truncated: member '0.data'"),
        (tar_member("0.data", bytes(9)) + b"\0junk" * 200, "no tar header at byte 1024"),
        (gzip.compress(b"hello" * 1000), "not a tar archive"),
        (gzip.compress(tar_member("0.data", bytes(9)))[:-20], "the gzip data ends early"),
        (DAMAGED_GZIP, "damaged gzip data"),
        (tar_member("anchor.xml", DAMAGED_GZIP), "damaged gzip data"),
        (tar_member("a", b"") * 70_000, "more than 65536 members"),
    ],
)
def test_containers_that_are_none(tmp_path, content, said):
    path = tmp_path / "p.cubex"
    path.write_bytes(content)
    assert said in refusal(path)


def test_an_anchor_larger_than_any(tmp_path):
    header = bytearray(tar_member("anchor.xml", b""))
    header[124:135] = b"%011o" % ((1 << 30) + 1)
    path = tmp_path / "p.cubex"
    path.write_bytes(header)
    with path.open("r+b") as file:
        file.truncate((1 << 30) + 4096)  # sparse: takes no space
    assert "its anchor.xml has 1073741825 bytes" in refusal(path)


def test_files_that_cannot_be_opened(tmp_path):
    assert "No such file" in refusal(tmp_path / "missing.cubex")
    assert "Is a directory" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("written", "instead", "said"),
    [
        ("</cube>", "", "damaged XML"),
        ("</cnode>", "", "damaged XML (mismatched tag"),
        ("<cube ", "<html ", "the document is <html>, not <cube>"),
        (ANCHOR, "", "damaged XML (no element found"),
        ("<cube ", '<!DOCTYPE cube [<!ENTITY a "aaaa">]><cube ', "declares an entity"),
        ('encoding="UTF-8"', 'encoding="klingon"', "unknown encoding"),
        ("<name>a</name>", "<name>\ud800</name>", "damaged XML"),
        ('calleeId="3"', 'calleeId="9"', "calls region '9'"),
        ('<cnode id="3"', '<cnode id="2"', "two call paths have the same id"),
        ('<region id="3"', '<region id="2"', "two regions have the same id"),
        ('begin="-1"', 'begin="first"', "the first line of a region is not a number"),
        ('<location Id="1"', '<location Id="7"', "the ids of its locations are not 0, 1, 2"),
        ("<location ", "<place ", "damaged XML"),
        ("</mirrors>", '</mirrors></doc><attr key="CLUSTERING" value="ON"/><doc>', "is clustered"),
    ],
    ids=lambda text: text[:20],
)
def test_anchors_that_are_damaged(tmp_path, written, instead, said):
    anchor = ANCHOR.replace(written, instead)
    assert anchor != ANCHOR
    path = write(tmp_path, anchor="")
    path.write_bytes(tar_member("anchor.xml", anchor.encode("utf-8", "surrogatepass")) + bytes(1024))
    assert said in refusal(path)


@pytest.mark.parametrize("identifier", ["x", "9" * 30])
def test_a_simple_metric_needs_ids_that_are_numbers(tmp_path, identifier):
    anchor = ANCHOR.replace("EXCLUSIVE", "SIMPLE").replace('<cnode id="3"', f'<cnode id="{identifier}"')
    assert "the id of a cnode is not a number" in refusal(write(tmp_path, anchor=anchor))


def test_an_anchor_without_call_paths_or_locations(tmp_path):
    parts = (
        ([], [TIME], ["a"], [], [GroupSpec(0)], [], {}),
        ([-1], [TIME], ["a"], [0], [GroupSpec(0)], [0], {}),
    )
    assert "it has no call paths" in refusal(write(tmp_path, anchor=anchor_xml(*parts[0])))
    alone = anchor_xml(*parts[1]).replace("<location ", "<other ").replace("</location>", "</other>")
    assert "it has no locations" in refusal(write(tmp_path, anchor=alone))
    astray = anchor_xml(*parts[1]).replace("locationgroup", "something")
    assert "outside of a location group" in refusal(write(tmp_path, anchor=astray))


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (b"", "does not begin with CUBEX.INDEX"),
        (SPARSE[:15], "does not begin with CUBEX.INDEX"),
        (SPARSE.replace(b"X\x01", b"X\x02"), "byte-order mark"),
        (SPARSE[:17] + b"\2" + SPARSE[18:], "unknown index format 2"),
        (SPARSE[:-1], "should have 4 rows but ends before"),
        (SPARSE[:18] + b"\xff" * 4 + SPARSE[22:], "should have 4294967295 rows but ends before"),
        (SPARSE[:-4] + struct.pack("<I", 4), "points to row 4 of 4"),
        (SPARSE[:-4] + struct.pack("<I", 1), "lists a row twice"),
    ],
)
def test_indices_that_are_damaged(tmp_path, index, said):
    line = refusal(write(tmp_path, index=index))
    assert said in line
    assert "0.index" in line
    assert "metric 'time'" in line


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "begins neither with"),
        (b"CUBEX.DATX" + RAW[10:], "begins neither with"),
        (RAW[:-1], "63 bytes do not match 4 rows of 16"),
        (RAW + bytes(16), "80 bytes do not match 4 rows of 16"),
        (b"ZCUBEX.DATA" + struct.pack("<Q", 1 << 60), "should have 1152921504606846976 rows"),
        (zipped([(16, GOOD_ROW)])[:-1], "points beyond its end"),
        (zipped([(16, GOOD_ROW), (16, GOOD_ROW)]), "has rows at impossible places"),
        (zipped([(8, GOOD_ROW)]), "has rows at impossible places"),
        (zipped([(64, GOOD_ROW)]), "has rows at impossible places"),
        (zipped([(1 << 63, GOOD_ROW)]), "has rows at impossible places"),
        (zipped([(0, b"not zlib")]), "a compressed row is damaged"),
        (zipped([(0, zlib.compress(bytes(15)))]), "a compressed row is damaged"),
        (zipped([(0, zlib.compress(bytes(17)))]), "a compressed row is damaged"),
        (zipped([(0, GOOD_ROW[:-1])]), "a compressed row is damaged"),
        (zipped([(0, GOOD_ROW[:-1] + b"x")]), "a compressed row is damaged"),
    ],
)
def test_data_that_are_damaged(tmp_path, data, said):
    line = refusal(write(tmp_path, data=data))
    assert said in line
    assert "0.data" in line


def test_a_table_that_points_far_behind_is_not_followed(tmp_path):
    data = b"ZCUBEX.DATA" + struct.pack("<4Q", 1, 0, 2**64 - 8, 16) + GOOD_ROW
    assert "points beyond its end" in refusal(write(tmp_path, data=data))


@pytest.mark.parametrize("missing", ["index", "data"])
def test_a_metric_with_half_of_its_members_is_skipped_with_a_notice(tmp_path, missing):
    profile = read(write(tmp_path, **{missing: None}))
    assert profile.metrics == ()
    assert profile.notices == ("metric 'time' skipped: its data or index is missing",)


@pytest.mark.parametrize("member", [None, "anchor.xml"])
def test_decompression_bombs_are_refused_by_name(tmp_path, member):
    bomb = gzip.compress(bytes(1 << 27), 1)
    path = tmp_path / "p.cubex"
    path.write_bytes(bomb if member is None else tar_member(member, bomb) + bytes(1024))
    assert "decompression bomb" in refusal(path)


def test_a_row_that_is_a_bomb_costs_no_memory(tmp_path):
    path = write(tmp_path, data=zipped([(0, zlib.compress(bytes(1 << 26)))]))
    profile = read(path)
    tracemalloc.start()
    with pytest.raises(InputError, match="a compressed row is damaged"):
        profile.values("time")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_more_values_than_fit_into_memory_are_refused_but_come_in_blocks(tmp_path):
    parent = [-1] * 40_000
    groups = [GroupSpec(0, locations=["thread"] * 60_000)]
    metric = MetricSpec("time", np.ones((1, 60_000)), nodes=[0])
    path = write_cubex(tmp_path / "p.cubex", parent=parent, metrics=[metric], groups=groups)
    profile = read(path)
    with pytest.raises(InputError, match="40000 call paths x 60000 locations"):
        profile.values("time")
    ((nodes, block),) = profile.load.blocks(metric=profile.metric("time"), rows=10)
    assert (nodes.tolist(), block.shape) == ([0], (1, 60_000))


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path):
    path = write(tmp_path)
    profile = read(path)
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(InputError, match="changed while it was read"):
        profile.values("time")


@pytest.mark.parametrize("options", [{}, {"compressed": True}, {"gzip_file": True, "dense": True}], ids=str)
def test_bytes_changed_at_random_are_read_or_refused(tmp_path, options):
    """A small fuzzer: any exception but InputError fails the test, and so does any warning."""
    rng = random.Random(20)
    path = write_cubex(tmp_path / "p.cubex", parent=PARENT, metrics=[TIME], **options)
    good = path.read_bytes()
    for _ in range(150):
        damaged = bytearray(good)
        for _ in range(rng.choice((1, 1, 4))):
            place = rng.randrange(len(damaged))
            damaged[place : place + rng.choice((0, 1, 1, 8))] = rng.randbytes(rng.choice((0, 1, 1, 8)))
        path.write_bytes(damaged)
        try:
            profile = read(path)
            for metric in profile.metrics:
                assert profile.values(metric.name).shape == (len(profile.tree), len(profile.locations))
        except InputError as error:
            assert "\n" not in str(error)


def test_a_notice_is_one_line_whatever_the_type_is_called(tmp_path):
    anchor = ANCHOR.replace("<dtype>DOUBLE<", "<dtype>DOU&#x85;BLE<")
    (notice,) = read(write(tmp_path, anchor=anchor)).notices
    assert "DOU BLE" in notice


def test_rows_that_share_bytes_are_refused(tmp_path):
    second = struct.pack("<3Q", 16, len(GOOD_ROW) - 1, len(GOOD_ROW))
    first = struct.pack("<3Q", 0, 0, len(GOOD_ROW))
    body = b"ZCUBEX.DATA" + struct.pack("<Q", 2) + first + second + GOOD_ROW + GOOD_ROW
    assert "its table has rows that share bytes" in refusal(write(tmp_path, data=body))
    same = b"ZCUBEX.DATA" + struct.pack("<Q", 2) + first + struct.pack("<3Q", 16, 0, len(GOOD_ROW)) + GOOD_ROW
    assert "its table has rows that share bytes" in refusal(write(tmp_path, data=same))


@pytest.mark.parametrize("place", ["<program>", "</cube>"])
def test_call_paths_outside_the_program_are_refused(tmp_path, place):
    anchor = ANCHOR.replace(place, f'<cnode id="9" calleeId="0"></cnode>{place}')
    assert "a <cnode> stands outside <program>" in refusal(write(tmp_path, anchor=anchor))
