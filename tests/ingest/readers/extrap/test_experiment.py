import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.readers import extrap
from tests.ingest.readers.extrap_files import CHUNKS, chunk, experiment, read_series, write


def test_single_values(tmp_path):
    series = read_series(write(tmp_path / "a.extra-p", experiment(), *CHUNKS))
    assert series.parameters == ("p",)
    assert series.callpaths == (("main",), ("main", "f"))
    np.testing.assert_array_equal(series.points, [[2], [4]])
    np.testing.assert_array_equal(series.values["time"][0], [[1, 2], [2, 3]])  # locations are averaged
    np.testing.assert_array_equal(series.values["<default>"][1], [[3, 4], [np.nan, np.nan]])
    assert series.notices == ("<default>: 1 call paths lack some of the 2 points",)


def test_means_where_no_single_values_were_kept(tmp_path):
    series = read_series(write(tmp_path / "a.extra-p", experiment(kept=False)))
    np.testing.assert_array_equal(series.values["time"][0], [[1.5], [2.5]])
    assert series.notices[0].startswith("3 points have no single repetitions")


def changed(**members):
    return {**experiment(), **members}


@pytest.mark.parametrize(
    ("content", "chunks", "told"),
    [
        (None, (), "contains no 'experiment.json'"),
        ("{", (), "not JSON"),
        ("[]", (), "should be an object"),
        (experiment(), (), "no 'values/0.vals'"),
        (experiment(), CHUNKS[:1], "no 'values/1.vals'"),
        (experiment(), ([[1.0]], [[3]]), "chunk 0 has no values 1"),
        (experiment(), ([[1.0], []], [[3]]), "empty or truncated"),
        (experiment(), ([[1.0], ["text"]], [[3]]), "not of numbers"),
        (changed(measurements={"f": {"t": [{"coordinate": [1, 2]}]}}), (), "has 2 values, but 1 parameters"),
        (changed(measurements={"f": {"t": [{"coordinate": [1]}]}}), (), "a measurement has no 'mean'"),
        (changed(measurements={"f": {"t": [{"coordinate": [1], "values": [-1, 0]}]}}), (), "two numbers"),
    ],
)
def test_wrong_experiments(tmp_path, content, chunks, told):
    with pytest.raises(InputError) as caught:
        read_series(write(tmp_path / "a.extra-p", content, *chunks))
    assert told in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"(2,), }", b"(2,),( ", "damaged, or not of numbers"),
        (b"'<f8'", b"'O!x'", "damaged, or not of numbers"),
        (b"'<f8'", b"'<f1'", "has the type"),
        (b"(2,), }", b"(99,),}", "damaged, or not of numbers"),
        (b"(2, 2), }", b"(9, 9), }", "empty or truncated"),
        (b"False", b"True ", "damaged, or not of numbers"),
    ],
)
def test_damaged_arrays(tmp_path, old, new, told):
    path = write(tmp_path / "a.extra-p", experiment(), *CHUNKS)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name).replace(old, new) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(InputError, match=told):
        read_series(path)


@pytest.mark.parametrize("index", [b"", b"Extra-P INDEX\0\0\0", b"Extra-P INDEX\0\0\0" + b"\xff" * 16])
def test_damaged_indices(tmp_path, index):
    path = write(tmp_path / "a.extra-p", experiment())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("values/0.vals", chunk(CHUNKS[0])[0])
        archive.writestr("values/0.indx", index)
    with pytest.raises(InputError, match="damaged"):
        read_series(path)


def test_names_in_the_archive_that_are_no_text(tmp_path):
    path = write(tmp_path / "a.extra-p", {**experiment(), "ü": 0}, *CHUNKS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("ü", "")
    path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xff\xff"))
    with pytest.raises(InputError, match="damaged archive"):
        read_series(path)


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="larger than 64 MiB"):
        read_series(write(tmp_path / "a.extra-p", " " * (70 << 20)))
    monkeypatch.setattr(extrap, "_MAX_ARCHIVE_BYTES", 1000)
    with pytest.raises(InputError, match="larger than"):
        read_series(write(tmp_path / "a.extra-p", " " * 2000))


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(4, 1300), st.binary(min_size=1, max_size=8))
def test_damaged_archives_are_refused_in_one_line_or_read(tmp_path, at, inserted):
    path = write(tmp_path / "a.extra-p", experiment(), *CHUNKS)
    data = path.read_bytes()
    path.write_bytes(data[:at] + inserted + data[at + len(inserted) :])
    try:
        series = read_series(path)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert series.callpaths
