"""TAU's packed profiles (`N.ppk`)."""

import gzip
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import read_profile, tau

from .tau_files import FUNCTIONS, THREADS, WHOLE, packed, write_packed


def test_packed(tmp_path):
    profile = read_profile(write_packed(tmp_path / "4.ppk", packed(FUNCTIONS, THREADS)))
    assert profile.tree.paths(profile.regions.name) == [("main",), ("main", "MPI_Send()")]
    np.testing.assert_allclose(profile.values("time"), [[1, 3], [2, 5]])
    np.testing.assert_array_equal(profile.values("visits"), [[1, 1], [4, 4]])
    assert profile.regions.paradigm == ("compiler", "mpi")
    assert profile.regions.file == ("m.c", "")
    assert profile.attributes["CPU Type"] == "A"


def test_packed_with_counters(tmp_path):
    rows = {(0, 0, 0): {1: (1, 7, 2e6)}}
    data = packed(FUNCTIONS[:2], rows, metrics=("PAPI_FP_INS", "GET_TIME_OF_DAY"))
    profile = read_profile(write_packed(tmp_path / "a.ppk", data))
    assert profile.values("PAPI_FP_INS").tolist() == [[0], [7]]
    assert profile.values("time").tolist() == [[0], [2]]


def test_packed_files_named_by_a_number_have_it_as_processes(tmp_path):
    for processes in (2, 16, 4):
        rows = {(0, 0, 0): {1: (1, processes, 2e6)}}
        write_packed(
            tmp_path / f"{processes}.ppk",
            packed(FUNCTIONS[:2], rows, metrics=("PAPI_FP_INS", "GET_TIME_OF_DAY")),
        )
    found = discover(tmp_path)
    assert found.parameters == ("p",)
    assert [run.parameters for run in found.runs] == [(2.0,), (4.0,), (16.0,)]
    assert "by numbers only" in found.notices[0]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "truncated"),
        (b"no gzip", "not a packed profile"),
        (gzip.compress(WHOLE)[:60], "truncated"),
        (gzip.compress(b"something else"), "not a packed profile"),
        (gzip.compress(WHOLE[:-20]), "ends too early"),
        (gzip.compress(packed(FUNCTIONS, THREADS, compatible=3)), "unknown version"),
        (gzip.compress(packed([("f", [7])], THREADS)), "an undefined group"),
        (gzip.compress(packed(FUNCTIONS[:1], THREADS)), "an undefined function"),
        (gzip.compress(packed(FUNCTIONS, {})), "no thread"),
        (gzip.compress(packed(FUNCTIONS[:1], {(0, 0, 0): {0: (1, 1e308)}})), "a value of Time is not finite"),
        (
            gzip.compress(packed(FUNCTIONS[:1], {(0, 0, 0): {0: (float("nan"), 1)}})),
            "the calls is not finite",
        ),
        (gzip.compress(bytes(70 << 20)), "refused as a decompression bomb"),
    ],
    ids=lambda value: value if isinstance(value, str) else "file",
)
def test_wrong_packed_profiles(tmp_path, data, told):
    file = tmp_path / "a.ppk"
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_profile(file)
    assert told in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tau, "PACKED", replace(tau.PACKED, max_bytes=1 << 20))
    file = tmp_path / "a.ppk"
    file.write_bytes(gzip.compress(bytes(1 << 24)))
    with pytest.raises(InputError, match="refused as a decompression bomb"):
        read_profile(file)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(WHOLE)), st.binary(max_size=8))
def test_damaged_packed_profiles_are_refused_in_one_line_or_read(tmp_path_factory, at, inserted):
    file = tmp_path_factory.getbasetemp() / "damaged.ppk"
    compressor = zlib.compressobj(0, wbits=31)
    file.write_bytes(
        compressor.compress(WHOLE[:at] + inserted + WHOLE[at + len(inserted) :]) + compressor.flush()
    )
    try:
        profile = read_profile(file)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert len(profile.tree)


def test_packed_profiles_of_the_first_version_have_other_headers(tmp_path):
    start = len(b"\0P\0P\0K") + 8
    old = b"\0P\0P\0K" + struct.pack(">2i", 1, 1) + struct.pack(">i", 3) + b"xyz"
    header_size = struct.unpack(">i", WHOLE[start : start + 4])[0]
    rest = WHOLE[start + 8 + 3 + header_size :]
    profile = read_profile(write_packed(tmp_path / "a.ppk", old + rest))
    np.testing.assert_allclose(profile.values("time"), [[1, 3], [2, 5]])
    assert profile.attributes == {"generator": "TAU"}


def test_packed_profiles_of_the_newest_version_are_read(tmp_path):
    data = packed(FUNCTIONS, THREADS, compatible=tau.NEWEST_VERSION)
    np.testing.assert_allclose(
        read_profile(write_packed(tmp_path / "a.ppk", data)).values("time").sum(), 11.0
    )
