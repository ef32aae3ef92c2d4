"""Files read as a whole, inflating with a bound, and files of a folder that differ in one number."""

import gzip
import importlib
import sys
import zlib
from pathlib import Path

import pytest

from ingest.errors import InputError
from ingest.reading import files
from ingest.reading.files import (
    HEAD_BYTES,
    gunzip,
    head,
    inflate_row,
    inflation_limit,
    numbered_files,
    read_bytes,
    read_text,
)


def test_text_is_read_without_its_mark_and_up_to_the_bound(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfab")
    assert read_text(path) == "ab"
    assert read_bytes(path, 5) == path.read_bytes()
    with pytest.raises(InputError, match=r"larger than 0 MiB, the limit for such files"):
        read_bytes(path, 4)
    path.write_bytes(b"a" * (3 << 20))
    with pytest.raises(InputError, match="larger than 2 MiB"):
        read_text(path, 2 << 20)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty; was the measurement interrupted"),
        (b" \n\t", "empty"),
        (b"a\0b", "binary data"),
        (b"a\nb\n\xff", "line 3: not UTF-8 text"),
        (b"\xff", "line 1: not UTF-8 text"),
    ],
)
def test_what_is_not_text_is_refused(tmp_path, content, said):
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_text(path)


def test_what_cannot_be_read_is_refused_and_has_no_head(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="cannot be read: "):
            read_text(path)
        assert head(path) == b""
    (tmp_path / "a").write_bytes(bytes(range(256)) * 17)
    assert head(tmp_path / "a") == (bytes(range(256)) * 16)[:HEAD_BYTES]


def test_what_may_be_inflated():
    assert inflation_limit(1, 1 << 40) == 1 << 26
    assert inflation_limit(1 << 20, 1 << 40) == 100 << 20
    assert inflation_limit(1 << 20, 1 << 24) == 1 << 24


def test_a_row_is_inflated_to_exactly_its_size():
    row = zlib.compress(b"abcd")
    assert inflate_row(row, 4) == b"abcd"
    for size in (3, 5):
        with pytest.raises(files.InflateError, match="expected number of bytes"):
            inflate_row(row, size)


def test_gzip_is_inflated_up_to_its_limit(monkeypatch):
    packed = gzip.compress(b"a" * 1000)
    assert gunzip(packed + b"more", where="x") == b"a" * 1000
    monkeypatch.setattr(files, "inflation_limit", lambda compressed, most: 1000)
    assert len(gunzip(packed, where="x")) == 1000
    monkeypatch.setattr(files, "inflation_limit", lambda compressed, most: 999)
    with pytest.raises(InputError, match=r"x: refused as a decompression bomb: .* inflate to more than 999"):
        gunzip(packed, where="x")


@pytest.mark.parametrize("there", [True, False])
def test_the_faster_package_is_used_if_it_is_there(monkeypatch, there):
    package = importlib.import_module("zlib")
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", package if there else None)
    monkeypatch.setitem(sys.modules, "isal", package if there else None)
    assert files._fastest() is zlib


def numbered(*names):
    before, found = numbered_files([Path("folder") / name for name in names])
    return before, [file.name for file in found]


@pytest.mark.parametrize(
    ("names", "before"),
    [
        (("rank1.out", "rank0.out"), "rank"),
        (("out.2", "out.1", "out.3"), "out."),
        (("a2.0.n4.db", "a2.1.n4.db"), "a2."),
        (tuple(f"x{number}" for number in range(12)), "x"),
        (tuple(f"x{number:04d}" for number in range(12)), "x"),
    ],
)
def test_files_come_in_the_order_of_their_numbers(names, before):
    assert numbered(*names) == (before, sorted(names, key=lambda name: (len(name), name)))


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("rank0",),
        ("rank0", "rank2"),
        ("rank2", "rank3"),
        ("rank0", "task1"),
        ("rank0", "rank1.txt"),
        ("rank0", "notes"),
        ("0.0", "1.1"),
        ("rank1", "rank01"),
    ],
)
def test_other_files_are_not_numbered(names):
    assert numbered(*names) == ("", [])
