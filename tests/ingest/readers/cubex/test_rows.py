"""Rows of values: the index that lists them and the data that holds them."""

import struct
import zlib

import numpy as np
import pytest

from ingest.readers.cubex.stored_rows import StoredRows, find_rows, read_index


def index(form=1, rows=(), order="<", mark=None, count=None):
    listing = struct.pack(f"{order}{1 + len(rows)}I", len(rows) if count is None else count, *rows)
    begin = b"CUBEX.INDEX" + (mark or struct.pack(f"{order}I", 1)) + struct.pack(f"{order}HB", 0, form)
    return memoryview(begin + (listing if form == 1 else b""))


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_sparse_index_lists_rows_in_any_order(order):
    found, rows = read_index(index(rows=(2, 0, 5), order=order), 6)
    assert (found, rows.tolist(), rows.dtype) == (order, [2, 0, 5], np.int64)
    assert read_index(index(order=order), 6)[1].tolist() == []


def test_a_dense_index_lists_all():
    order, rows = read_index(index(form=3), 4)
    assert (order, rows.tolist()) == ("<", [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it does not begin with CUBEX.INDEX"),
        (b"CUBEX.INDEX\1\0\0\0\0\0", "it does not begin with CUBEX.INDEX"),
        (b"CUBEX.INDEY" + bytes(20), "it does not begin with CUBEX.INDEX"),
        (index(mark=b"\1\1\0\0"), "its byte-order mark is damaged"),
        (index(form=2), "unknown index format 2"),
        (index(rows=(0, 6)), "it points to row 6 of 6 call paths"),
        (index(rows=(0, 2, 0)), "it lists a row twice"),
        (index(rows=(1, 1)), "it lists a row twice"),
        (index(rows=(0, 1), count=3), "it should have 3 rows but ends before"),
        (index(rows=(0, 1))[:-1], "it should have 2 rows but ends before"),
    ],
)
def test_a_damaged_index_is_refused_with_the_reason(data, reason):
    with pytest.raises(ValueError, match=f"^{reason}$"):
        read_index(memoryview(data), 6)


def test_bytes_after_the_list_do_not_matter():
    assert read_index(memoryview(bytes(index(rows=(1, 0))) + b"abc"), 2)[1].tolist() == [1, 0]


def compressed(entries, streams, order="<", count=None):
    table = [number for entry in entries for number in entry]
    head = struct.pack(f"{order}{1 + len(table)}Q", len(entries) if count is None else count, *table)
    return memoryview(b"ZCUBEX.DATA" + head + b"".join(streams))


def contents(rows, size=10):
    parts = list(rows.blocks(size))
    return {int(n): row.tolist() for numbers, values in parts for n, row in zip(numbers, values, strict=True)}


STREAMS = [zlib.compress(np.array(row, "<f8").tobytes()) for row in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])]
SIZES = [len(stream) for stream in STREAMS]


def test_compressed_rows_come_in_the_order_of_the_file():
    entries = [(32, SIZES[0] + SIZES[1], SIZES[2]), (0, 0, SIZES[0]), (0, 0, 0), (16, SIZES[0], SIZES[1])]
    rows = find_rows(compressed(entries, STREAMS), "<", "f8", 2, 3)
    assert rows.compressed and rows.number.tolist() == [0, 1, 2]
    assert rows.start.tolist() == [0, SIZES[0], SIZES[0] + SIZES[1]]
    assert rows.stop.tolist() == [SIZES[0], SIZES[0] + SIZES[1], sum(SIZES)]
    assert contents(rows) == {0: [1.0, 2.0], 1: [3.0, 4.0], 2: [5.0, 6.0]}
    assert [numbers.tolist() for numbers, _ in rows.blocks(2)] == [[0, 1], [2]]


def test_compressed_rows_of_big_endian_files():
    stream = zlib.compress(np.array([1.0, 2.0], ">f8").tobytes())
    data = compressed([(0, 0, len(stream))], [stream], ">")
    assert contents(find_rows(data, ">", "f8", 2, 1)) == {0: [1.0, 2.0]}


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([(8, 0, SIZES[0])], "its table has rows at impossible places"),
        ([(48, 0, SIZES[0])], "its table has rows at impossible places"),
        ([(0, 0, SIZES[0]), (0, SIZES[0], SIZES[1])], "its table has rows at impossible places"),
        ([(0, 0, sum(SIZES) + 1)], "its table points beyond its end"),
        ([(0, sum(SIZES), 1)], "its table points beyond its end"),
        ([(0, sum(SIZES) + 1, 1)], "its table points beyond its end"),
        ([(0, 1 << 63, 1 << 63)], "its table points beyond its end"),
        ([(0, 1, (1 << 64) - 1)], "its table points beyond its end"),
    ],
)
def test_a_damaged_table_is_refused_with_the_reason(entries, reason):
    with pytest.raises(ValueError, match=f"^{reason}$"):
        find_rows(compressed(entries, STREAMS), "<", "f8", 2, 3)


def test_a_table_may_not_end_early_and_may_be_all():
    with pytest.raises(ValueError, match=r"^its table should have 2 rows but ends before$"):
        find_rows(compressed([(0, 0, 0)], [], count=2), "<", "f8", 2, 3)
    assert contents(find_rows(compressed([(0, 0, 0)], []), "<", "f8", 2, 3)) == {}
    last = find_rows(compressed([(32, 0, SIZES[0])], STREAMS[:1]), "<", "f8", 2, 3)
    assert contents(last) == {2: [1.0, 2.0]}


def test_a_damaged_stream_is_refused_with_the_reason():
    broken = STREAMS[0][:-6] + b"abcdef"
    rows = find_rows(compressed([(0, 0, len(broken))], [broken]), "<", "f8", 2, 1)
    with pytest.raises(ValueError, match=r"^a compressed row is damaged \(.*\)$"):
        contents(rows)


def raw(values, order="<"):
    return memoryview(b"CUBEX.DATA" + np.array(values, f"{order}f8").tobytes())


@pytest.mark.parametrize("order", ["<", ">"])
def test_raw_rows_follow_each_other(order):
    rows = find_rows(raw([1, 2, 3, 4, 5, 6], order), order, "f8", 2, 4)
    assert not rows.compressed
    assert contents(rows) == {0: [1.0, 2.0], 1: [3.0, 4.0], 2: [5.0, 6.0]}
    assert contents(rows.ordered_by(np.array([5, 9, 7]))) == contents(rows)


def test_rows_in_another_order_are_joined():
    rows = find_rows(raw([1, 2, 3, 4, 5, 6]), "<", "f8", 2, 3).ordered_by(np.array([1, 2, 0]))
    assert [(n.tolist(), v.tolist()) for n, v in rows.blocks(2)] == [
        ([2, 0], [[5.0, 6.0], [1.0, 2.0]]),
        ([1], [[3.0, 4.0]]),
    ]
    tied = rows.ordered_by(np.array([1, 1, 0]))
    assert tied.number.tolist() == [1, 2, 0]


def test_rows_that_follow_each_other_are_not_copied():
    data = raw([1, 2, 3, 4])
    (_, values), *_ = find_rows(data, "<", "f8", 2, 2).blocks(2)
    assert np.shares_memory(values, np.frombuffer(data, np.uint8))


@pytest.mark.parametrize(("size", "count"), [(17, 3), (8, 3), (32, 1)])
def test_raw_data_that_do_not_match_the_index_are_refused(size, count):
    with pytest.raises(ValueError, match=f"^{size} bytes do not match {count} rows of 16 bytes$"):
        find_rows(memoryview(b"CUBEX.DATA" + bytes(size)), "<", "f8", 2, count)


def test_data_without_their_mark_are_refused():
    for data in (b"", b"CUBEX.DAT", b"CUBEX.INDEX", b"XCUBEX.DATA"):
        with pytest.raises(ValueError, match=r"^it begins neither with CUBEX\.DATA nor with ZCUBEX\.DATA$"):
            find_rows(memoryview(data), "<", "f8", 2, 1)


def test_no_rows_make_no_blocks():
    empty = find_rows(memoryview(b"CUBEX.DATA"), "<", "f8", 2, 3)
    assert isinstance(empty, StoredRows) and list(empty.blocks(4)) == []
