"""rocprof's databases and traces: the same run whichever is read, and read once."""

import sqlite3
from contextlib import closing

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import rocprof
from ingest.readers.gpu.timeline import NO_DURATION
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import by_path, nanoseconds

TIMES = {
    ("<program>",): [10_000 - 1000 - 3500 - 100 - 1500, 0, 0],
    ("<program>", "hipMalloc"): [1000, 0, 0],
    ("<program>", "hipMemcpy"): [3500, 0, 0],
    ("<program>", "hipLaunchKernel"): [100, 0, 0],
    ("<program>", "hipFree"): [1500, 0, 0],
    ("CopyHostToDevice",): [0, 2500, 0],
    ("add(float*, int)",): [0, 0, 3000],
    ("GPU idle",): [0, 10_000 - 5500, 0],
}


def read(path):
    assert find_profile_reader(path).name == "rocprof"
    return rocprof.read(path)


def test_a_database_has_kernels_copies_and_nested_calls(tmp_path):
    profile = read(gpu_files.rocprof_database(tmp_path / "results.db"))
    assert profile.locations.device.tolist() == [-1, 4, 4]
    memcpy = ("<program>", "hipMemcpy")
    nested = {memcpy: [3400, 0, 0], (*memcpy, "hsa_signal_wait"): [100, 0, 0]}
    assert nanoseconds(by_path(profile)) == TIMES | nested
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert paradigms["add(float*, int)"] == "gpu kernel"
    assert paradigms["CopyHostToDevice"] == "gpu copy"
    assert paradigms["hipMemcpy"] == paradigms["hsa_signal_wait"] == "hip"
    assert profile.notices == (NO_DURATION,)


def test_a_small_database_of_long_names_is_refused(tmp_path):
    rows = [(n, n + 1, 0, 0) for n in range(1000)]
    file = gpu_files.database(
        tmp_path / "results.db", {"OPS": ("BeginNs INT, EndNs INT, pid INT, tid INT", rows)}
    )
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"ALTER TABLE OPS ADD COLUMN Name TEXT DEFAULT '{'x' * 100_000}'")
        connection.commit()
    with pytest.raises(InputError, match="refused as a decompression bomb: its texts have more than"):
        read(file)


def test_a_trace_is_the_same_with_times_in_nanoseconds(tmp_path):
    (tmp_path / "results.json").write_text(gpu_files.rocprof_trace())
    profile = read(tmp_path / "results.json")
    assert nanoseconds(by_path(profile)) == TIMES
    assert by_path(profile, "visits")["add(float*, int)",] == [0, 0, 1]


def test_what_is_not_read_is_said(tmp_path):
    markers = {"ROCTX": ("BeginNs INTEGER, Name TEXT", [(1, "step")]), "KFD": ("BeginNs INTEGER", [])}
    database = gpu_files.rocprof_database(tmp_path / "results.db", **markers)
    assert read(database).notices == (NO_DURATION, "not read: ROCTX (1)")
    text = gpu_files.rocprof_trace().replace('"CPU HIP API"', '"Markers and Ranges"')
    (tmp_path / "results.json").write_text(text)
    profile = read(tmp_path / "results.json")
    assert profile.notices == (NO_DURATION, "not read: Markers and Ranges (4)")
    assert ("<program>", "hipFree") not in by_path(profile)


def test_the_files_of_a_run_are_read_once(tmp_path):
    run = gpu_files.summary_tables(tmp_path / "app.n1")
    (run / "results.json").write_text(gpu_files.rocprof_trace())
    assert rocprof.files(run) == [run / "results.json"]
    gpu_files.rocprof_database(run / "results.db")
    assert rocprof.files(run) == [run / "results.db"]
    assert len(discover(tmp_path).runs) == 1
    assert read(run).values("time").shape == read(run / "results.db").values("time").shape
    gpu_files.rocprof_database(run / "other.db")
    assert not rocprof.matches(run)


@pytest.mark.parametrize("damage", [("19147", "x"), ('"BeginNs"', '"Begin"')])
def test_damage_is_named(tmp_path, damage):
    file = tmp_path / "x.json"
    file.write_text(gpu_files.rocprof_trace().replace(*damage))
    with pytest.raises(InputError, match="an event is not understood"):
        rocprof.read(file)
    with pytest.raises(InputError, match="no database or trace of one run"):
        rocprof.read(tmp_path.parent)
