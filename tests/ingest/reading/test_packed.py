"""Files packed with gzip, xz or zstd, read as if they were not."""

import gzip
import importlib
import lzma
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ingest.discovery import Discovery, discover
from ingest.errors import InputError
from ingest.locate import locate
from ingest.readers import SeriesReader
from ingest.reading import packed
from ingest.reading.files import (
    LOG_HEAD_BYTES,
    LOG_TAIL_BYTES,
    archive_of,
    ends_of,
    head,
    lines_of,
    mapped,
    read_bytes,
)
from ingest.reading.packed import gunzip, inflate_row, inflation_limit, is_packed
from tests.fuzz.seeds import seeds


def zstd(content):
    target = pa.BufferOutputStream()
    with pa.CompressedOutputStream(target, "zstd") as stream:
        stream.write(content)
    return target.getvalue().to_pybytes()


PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd}
TEXT = b"".join(b"line %d of a log\n" % number for number in range(200_000))


@pytest.fixture(params=PACKERS)
def pack(request):
    """An ending and the function that packs so."""
    return request.param, PACKERS[request.param]


@pytest.mark.slow
def test_packed_files_are_read_as_if_they_were_not(tmp_path, pack):
    ending, packing = pack
    plain, path = tmp_path / "a.log", tmp_path / f"a.log{ending}"
    plain.write_bytes(TEXT)
    path.write_bytes(packing(TEXT[:1000]) + packing(TEXT[1000:]))  # one behind the other, as cat writes
    assert len(TEXT) > LOG_HEAD_BYTES + LOG_TAIL_BYTES
    for read in (lambda file: read_bytes(file, 1 << 26), lambda file: list(lines_of(file)), head, ends_of):
        assert read(path) == read(plain)
    for file in (path, plain):
        with mapped(file, 1 << 26) as content:
            assert content.find(b"line 777 ") == TEXT.find(b"line 777 ")


@pytest.mark.slow
def test_damaged_and_cut_files_are_named_and_have_the_head_that_can_be_read(tmp_path, pack):
    ending, packing = pack
    path = tmp_path / f"a{ending}"
    content = packing(TEXT)
    path.write_bytes(content[: len(content) // 2])
    assert head(path) and TEXT.startswith(head(path))
    damaged = f"{path}: (the .* data ends early|damaged .* data)"
    for read in (lambda: read_bytes(path, 1 << 26), lambda: list(lines_of(path))):
        with pytest.raises(InputError, match=damaged):
            read()
    path.write_bytes(content[:40] + bytes(40) + content[80:])
    with pytest.raises(InputError, match=damaged):
        read_bytes(path, 1 << 26)


def test_a_bomb_is_refused_whether_it_is_read_at_once_or_by_lines(tmp_path, pack, monkeypatch):
    ending, packing = pack
    path = tmp_path / f"bomb{ending}"
    monkeypatch.setattr(packed, "_HARMLESS", 1 << 20)
    path.write_bytes(packing(b"x\n" * (1 << 20)))
    for read in (lambda: read_bytes(path, 1 << 30), lambda: list(lines_of(path))):
        with pytest.raises(InputError, match="refused as a decompression bomb"):
            read()


def of_one_file(seed):
    return len(seed.files) == 1 and not is_packed(seed.files.get(seed.target, packed.GZIP_MAGIC))


SINGLE = {
    name: next(filter(of_one_file, found))
    for name, found in seeds().items()
    if any(map(of_one_file, found)) and name not in ("machine file", "metadata file", "Extra-P experiment")
}


@pytest.mark.parametrize("name", SINGLE)
def test_every_format_of_one_file_is_read_packed(tmp_path, pack, name):
    ending, packing = pack
    ((target, content),) = SINGLE[name].files.items()
    plain, path = tmp_path / "plain" / target, tmp_path / "packed" / (target + ending)
    for file, written in ((plain, content), (path, packing(content))):
        file.parent.mkdir(parents=True)
        file.write_bytes(written)
    one, other = (locate(file).found for file in (plain, path))
    if isinstance(one, Discovery):
        assert other.runs[0].reader == one.runs[0].reader
        profiles = [found.runs[0].reader.read(found.runs[0].path) for found in (one, other)]
        sums = [{m.name: float(np.nansum(p.values(m.name))) for m in p.metrics} for p in profiles]
        assert sums[0] == sums[1] and sums[0]
    elif isinstance(one, SeriesReader):
        assert other == one
        for metric, values in one.read(plain).values.items():
            np.testing.assert_array_equal(other.read(path).values[metric], values)
    else:
        assert len(one.read().runs) == len(other.read().runs)


def test_a_packed_copy_beside_a_file_is_no_repetition(tmp_path):
    for p in (1, 2, 4):
        file = tmp_path / f"app.p{p}.folded"
        file.write_text(f"main;f {p}\n")
        Path(f"{file}.gz").write_bytes(gzip.compress(b"main;f 5\n"))
    Path(tmp_path, "app.p8.folded.xz").write_bytes(lzma.compress(b"main;f 5\n"))
    found = [(run.parameters, run.path.suffix) for run in discover(tmp_path).runs]
    assert found == [*(((float(p),), ".folded") for p in (1, 2, 4)), ((8.0,), ".xz")]


def test_archives_are_known_packed_or_not(tmp_path):
    (tmp_path / "notes").write_text("x")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "notes")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "notes")
    assert [archive_of(tmp_path / name) for name in ("a.tar.gz", "a.zip", "notes")] == ["tar", "zip", ""]


def test_what_may_be_inflated():
    assert inflation_limit(1, 1 << 40) == 1 << 26
    assert inflation_limit(1 << 20, 1 << 40) == 100 << 20
    assert inflation_limit(1 << 20, 1 << 24) == 1 << 24


def test_a_row_is_inflated_to_exactly_its_size():
    row = zlib.compress(b"abcd")
    assert inflate_row(row, 4) == b"abcd"
    for size in (3, 5):
        with pytest.raises(packed.InflateError, match="expected number of bytes"):
            inflate_row(row, size)


def test_gzip_is_inflated_up_to_its_limit(monkeypatch):
    content = gzip.compress(b"a" * 1000)
    assert gunzip(content + b"more", where="x") == b"a" * 1000
    assert gunzip(content + content, where="x") == b"a" * 2000
    monkeypatch.setattr(packed, "inflation_limit", lambda compressed, most: 1000)
    assert len(gunzip(content, where="x")) == 1000
    monkeypatch.setattr(packed, "inflation_limit", lambda compressed, most: 999)
    with pytest.raises(InputError, match=r"x: refused as a decompression bomb: .* inflate to more than 999"):
        gunzip(content, where="x")


@pytest.mark.parametrize("there", [True, False])
def test_the_faster_package_is_used_if_it_is_there(monkeypatch, there):
    package = importlib.import_module("zlib")
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", package if there else None)
    monkeypatch.setitem(sys.modules, "isal", package if there else None)
    assert packed._fastest() is zlib
