"""Nsight Systems' SQLite exports: kernels, copies, idle time, calls within ranges, ranks, damage."""

import sqlite3
import tracemalloc
from contextlib import closing

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers import find_profile_reader
from ingest.readers.gpu import nsys
from ingest.readers.gpu.timeline import NO_DURATION
from tests.ingest.readers import gpu_files
from tests.ingest.readers.gpu_files import BEGIN, PID, by_path, nanoseconds, nsys_tables, text, tid

KERNEL, COPY, FILL = gpu_files.TEXTS[0], "[CUDA memcpy Host-to-Device]", "[CUDA memset]"


def read(file):
    assert find_profile_reader(file).name == "Nsight Systems"
    return nsys.read(file)


@pytest.fixture
def profile(tmp_path):
    return read(gpu_files.nsys(tmp_path / "report.sqlite"))


def test_kernels_and_copies_are_on_streams_and_calls_on_threads(profile):
    assert profile.locations.device.tolist() == [-1, -1, 0, 0]
    assert profile.locations.process.tolist() == [0, 0, 0, 0]
    assert profile.locations.thread.tolist() == [0, 1, 2, 3]
    assert nanoseconds(by_path(profile)) == {
        ("<program>",): [10_000 - 6500 - 100, 0, 0, 0],
        ("<program>", "step"): [6500 - 2100 - 200, 0, 0, 0],
        ("<program>", "step", "cudaLaunchKernel"): [200, 0, 0, 0],
        ("<program>", "step", "inner"): [600, 0, 0, 0],
        ("<program>", "step", "inner", "cudaMemcpy"): [1500, 0, 0, 0],
        ("<program>", "cudaLaunchKernel"): [100, 100, 0, 0],
        (KERNEL,): [0, 0, 3000, 2000],
        ("g",): [0, 0, 0, 500],
        (COPY,): [0, 0, 1000, 0],
        (FILL,): [0, 0, 0, 100],
        ("GPU idle",): [0, 0, 10_000 - 3000 - 1050 - 500, 0],
    }


def test_visits_and_bytes_are_counted(profile):
    visits = by_path(profile, "visits")
    assert visits[KERNEL,] == [0, 0, 1, 1]
    assert visits["<program>", "cudaLaunchKernel"] == [1, 1, 0, 0]
    assert ("GPU idle",) not in visits and ("<program>",) not in visits
    assert by_path(profile, "bytes") == {(COPY,): [0, 0, 4096, 0], (FILL,): [0, 0, 0, 64]}


def test_regions_say_what_they_do_and_what_is_known_is_kept(profile):
    paradigms = dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))
    assert (paradigms[KERNEL], paradigms[COPY], paradigms["GPU idle"]) == (
        "gpu kernel",
        "gpu copy",
        "gpu idle",
    )
    assert (paradigms["cudaMemcpy"], paradigms["step"], paradigms["<program>"]) == ("cuda", "", "")
    assert profile.attributes["command"] == "./heat 8 5"
    assert profile.attributes["metadata: GPU"] == "1 x Tesla T4"
    assert profile.attributes["system.node"] == "node1"
    assert profile.attributes["generator"] == "Nsight Systems 2023.3.1"
    assert profile.attributes["reconciled: "] == (
        "kernels 5.5e-06 s (3), copies and fills 1.1e-06 s (2), calls of the host 1.9e-06 s (4),"
        " ranges 4.8e-06 s (2); run 1e-05 s"
    )
    assert profile.notices == (
        "not read: NVTX ranges that need not nest (1)",
        "not read: NVTX ranges without an end (1)",
    )


def test_a_kernel_and_a_range_of_one_name_are_different_regions(tmp_path):
    tables = nsys_tables()
    tables["NVTX_EVENTS"][1].append((7100, 7200, 59, "g", None, tid()))
    paths = by_path(read(gpu_files.nsys(tmp_path / "x.sqlite", tables)))
    assert {("g",), ("<program>", "g (host)")} <= set(paths)


def test_ranges_that_pytorch_numbers_are_one_region(tmp_path):
    tables = nsys_tables(ranges=False)
    rows = [
        (6500 + 100 * n, 6550 + 100 * n, 59, f"aten::mm, seq = {n}, op_id = 7", None, tid()) for n in (1, 2)
    ]
    tables["NVTX_EVENTS"] = nsys_tables()["NVTX_EVENTS"][0], rows
    assert (
        by_path(read(gpu_files.nsys(tmp_path / "x.sqlite", tables)), "visits")["<program>", "aten::mm"][0]
        == 2
    )


def test_reports_that_were_not_exported_say_what_to_do(tmp_path):
    file = tmp_path / "report.nsys-rep"
    file.write_bytes(b"\0")
    with pytest.raises(InputError, match=r"export it: nsys export --type sqlite report\.nsys-rep"):
        read(file)
    gpu_files.nsys(tmp_path / "report.sqlite")
    assert not nsys.matches(file)


def test_other_libraries_and_mpi_are_calls_of_the_host(tmp_path):
    tables = nsys_tables(ranges=False)
    columns = "start INTEGER, end INTEGER, globalTid INTEGER"
    tables["CUBLAS_EVENTS"] = (f"{columns}, nameId INTEGER", [(800, 1200, tid(), text("cublasDgemm"))])
    wait = (9000, 9500, tid(), text("MPI_Wait"))
    tables["MPI_START_WAIT_EVENTS"] = (f"{columns}, textId INTEGER", [wait, wait])  # a row for each request
    profile = read(gpu_files.nsys(tmp_path / "x.sqlite", tables))
    times = nanoseconds(by_path(profile))
    assert times["<program>", "cublasDgemm"][0] == 200
    assert times["<program>", "cublasDgemm", "cudaLaunchKernel"][0] == 200
    assert times["<program>", "MPI_Wait"][0] == 500
    assert by_path(profile, "visits")["<program>", "MPI_Wait"][0] == 1


def test_without_a_stated_duration_the_run_lasts_from_the_first_to_the_last_activity(tmp_path):
    profile = read(gpu_files.nsys(tmp_path / "x.sqlite", nsys_tables(ranges=False, duration=None)))
    assert profile.values("time")[:, 0].sum() == pytest.approx(7600e-9)
    assert NO_DURATION in profile.notices


def test_captures_without_a_device_are_read_as_far_as_they_go(tmp_path):
    tables = {k: v for k, v in nsys_tables().items() if not k.startswith("CUPTI")}
    tables["OSRT_API"] = ("start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER", [(1, 2, tid(), 1)])
    profile = read(gpu_files.nsys(tmp_path / "x.sqlite", tables))
    assert profile.locations.device.tolist() == [-1]
    assert nsys.NO_DEVICE in profile.notices
    assert "not read: calls of the operating system's libraries (OSRT_API)" in profile.notices
    del tables["NVTX_EVENTS"]
    with pytest.raises(InputError, match=r"no activity of a device, CUDA, MPI or NVTX was recorded"):
        read(gpu_files.nsys(tmp_path / "y.sqlite", tables))


def with_device(number, uuid):
    """A capture in which CUDA's device 0 is one of the node's devices."""
    tables = nsys_tables()
    tables["TARGET_INFO_CUDA_DEVICE"] = ("pid INTEGER, cudaId INTEGER, gpuId INTEGER", [(PID, 0, number)])
    tables["TARGET_INFO_GPU"] = ("id INTEGER, name TEXT, uuid TEXT", [(number, "A100", uuid)])
    return tables


def test_reports_of_ranks_are_one_run_of_several_processes(tmp_path):
    for rank in range(3):
        tables = with_device(rank, f"uuid {rank % 2}")
        tables["TARGET_INFO_SESSION_START_TIME"] = ("utcEpochNs INTEGER", [(BEGIN + 100 * rank,)])
        gpu_files.nsys(tmp_path / f"report.{rank}.sqlite", tables)
    (tmp_path / "report.3.txt").touch()  # neither what else is numbered nor a folder is one of them
    (tmp_path / "report.3.sqlite").mkdir()
    profile = read(tmp_path)
    assert profile.locations.process.tolist() == [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]
    assert profile.locations.device.tolist() == [-1] * 6 + [0, 0, 1, 1, 0, 0]
    assert profile.attributes["metadata: GPU"] == "2 x A100"
    idle = nanoseconds(by_path(profile))["GPU idle",]
    assert idle == [0] * 6 + [10_000 - (3200 + 1250 + 700), 0, 10_000 - (3000 + 1050 + 500), 0, 0, 0]
    assert len(discover(tmp_path).runs) == 1
    (tmp_path / "report.1.sqlite").write_bytes(b"cut off")
    with pytest.raises(InputError, match=r"report\.1\.sqlite: damaged database"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("names", "apart"),
    [
        (("report.0", "report.1"), 1 << 40),  # one after the other
        (("heat.n1", "heat.n2"), 0),
        (("report.0", "report.3"), 0),
        (("report.3", "report.4"), 0),
        (("report.0", "other.1"), 0),
        (("a.0.0", "a.1.1"), 0),
    ],
)
def test_other_reports_in_one_folder_are_not_ranks(tmp_path, names, apart):
    for number, name in enumerate(names):
        tables = nsys_tables()
        tables["TARGET_INFO_SESSION_START_TIME"] = ("utcEpochNs INTEGER", [(BEGIN + number * apart,)])
        gpu_files.nsys(tmp_path / f"{name}.sqlite", tables)
    assert not nsys.matches(tmp_path)


def test_a_missing_rank_is_named(tmp_path):
    for rank in (0, 1, 3):
        gpu_files.nsys(tmp_path / f"report.{rank}.sqlite")
    with pytest.raises(InputError, match="process 2 of 4 is missing"):
        nsys.read(tmp_path)


def test_other_databases_are_not_taken_for_reports(tmp_path):
    other = gpu_files.database(tmp_path / "a.sqlite", {"StringIds": ("id INTEGER", [])})
    assert not nsys.matches(other)
    assert not nsys.matches(gpu_files.database(tmp_path / "b.sqlite", {"NVTX_EVENTS": ("text TEXT", [])}))
    view = gpu_files.database(tmp_path / "c.sqlite", {"StringIds": ("id INTEGER", [])})
    with closing(sqlite3.connect(view)) as connection:
        connection.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT 1")
    assert not nsys.matches(view)


@pytest.mark.parametrize(
    ("kernel", "error"),
    [
        ((5, 4, 0, 7, 0, 1), "1 activities end before they start"),
        ((5, 1 << 62, 0, 7, 0, 1), "a time in it is too large"),
        ((5, None, 0, 7, 0, 1), "an entry of the database is not a number"),
        ((5, "x", 0, 7, 0, 1), "an entry of the database is not a number"),
    ],
)
def test_damage_is_named(tmp_path, kernel, error):
    tables = nsys_tables()
    tables["CUPTI_ACTIVITY_KIND_KERNEL"][1].append(kernel)
    with pytest.raises(InputError, match=error):
        read(gpu_files.nsys(tmp_path / "x.sqlite", tables))


def test_a_report_without_its_end_is_damaged_and_does_not_pass_unnoticed(tmp_path):
    path = tmp_path / "report.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\0" * 500)
    assert nsys.matches(path) and not nsys.matches(path.rename(tmp_path / "report.txt"))
    path.write_bytes(b"SQLite format 3\0" + b"\0" * 500)
    with pytest.raises(InputError, match="damaged database"):
        nsys.read(path)


def test_missing_columns_and_damaged_pages_are_named(tmp_path):
    tables = nsys_tables() | {"CUPTI_ACTIVITY_KIND_RUNTIME": ("start INTEGER", [(1,)])}
    with pytest.raises(InputError, match=r"damaged database \(no such column"):
        read(gpu_files.nsys(tmp_path / "x.sqlite", tables))
    file = gpu_files.nsys(tmp_path / "y.sqlite")
    content = bytearray(file.read_bytes())
    content[2 * 4096 : 2 * 4096 + 8] = b"\xff" * 8
    file.write_bytes(content)
    with pytest.raises(InputError, match="damaged database"):
        read(file)


def short_rows(file, table, kept, added, default, count):
    """Replace a table by rows written before a column was added, all of which have its default."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute(f"CREATE TABLE {table} ({kept})")
        marks = ",".join("?" * (kept.count(",") + 1))
        rows = ((n, f"PROCESS_0:ARGUMENT_{n}")[: kept.count(",") + 1] for n in range(count))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {added} DEFAULT {default}")
        connection.commit()


@pytest.mark.parametrize("default", ["'" + "x" * 100_000 + "'", "x'" + "00" * 100_000 + "'"])
@pytest.mark.parametrize(
    ("table", "kept"),
    [
        ("StringIds", "id INTEGER PRIMARY KEY"),
        ("META_DATA_CAPTURE", "id INTEGER PRIMARY KEY, name TEXT"),
        ("TARGET_INFO_GPU", "id INTEGER PRIMARY KEY, name TEXT"),
    ],
)
def test_a_small_file_whose_texts_fill_the_memory_is_refused(tmp_path, table, kept, default):
    tables = nsys_tables()
    tables["CUPTI_ACTIVITY_KIND_KERNEL"][1].extend((5, 6, 0, 7, 0, n) for n in range(1000))
    file = gpu_files.nsys(tmp_path / "x.sqlite", tables)
    short_rows(file, table, kept, "uuid TEXT" if table == "TARGET_INFO_GPU" else "value", default, 1000)
    assert file.stat().st_size < 1_000_000
    tracemalloc.start()
    with pytest.raises(InputError, match="refused as a decompression bomb: its texts have more than"):
        read(file)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
