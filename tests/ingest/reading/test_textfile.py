"""Files read as a whole, and inflating with a bound."""

import gzip
import importlib
import sys
import zlib

import pytest

from ingest.errors import InputError
from ingest.reading import inflate
from ingest.reading.inflate import gunzip, inflate_row, inflation_limit
from ingest.reading.textfile import HEAD_BYTES, head, read_bytes, read_text


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
        with pytest.raises(inflate.error, match="expected number of bytes"):
            inflate_row(row, size)


def test_gzip_is_inflated_up_to_its_limit(monkeypatch):
    packed = gzip.compress(b"a" * 1000)
    assert gunzip(packed + b"more", where="x") == b"a" * 1000
    monkeypatch.setattr(inflate, "inflation_limit", lambda compressed, most: 1000)
    assert len(gunzip(packed, where="x")) == 1000
    monkeypatch.setattr(inflate, "inflation_limit", lambda compressed, most: 999)
    with pytest.raises(InputError, match=r"x: refused as a decompression bomb: .* inflate to more than 999"):
        gunzip(packed, where="x")


@pytest.mark.parametrize("there", [True, False])
def test_the_faster_package_is_used_if_it_is_there(monkeypatch, there):
    package = importlib.import_module("zlib")
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", package if there else None)
    monkeypatch.setitem(sys.modules, "isal", package if there else None)
    assert inflate._fastest() is zlib
