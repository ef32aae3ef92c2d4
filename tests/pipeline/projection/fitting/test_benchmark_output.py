"""Output of network benchmarks: recognised by content, whatever else the file holds."""

import pytest

from ingest.errors import InputError
from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.projection.fitting.measured_columns import read_benchmark
from tests.pipeline.projection.fitting import benchmark_outputs as outputs


@pytest.fixture
def read(tmp_path):
    def call(text):
        path = tmp_path / "job.1234.out"
        path.write_text(text)
        columns = read_benchmark(path)
        assert columns is not None
        kinds = columns.texts("benchmark")
        sizes, times = columns.numbers("x", BYTES), columns.numbers("time", TIME_DIMENSION) * 1e6
        ranks = columns.numbers("P", NONE).tolist() if "P" in columns.cells else [None] * len(kinds)
        rows = zip(kinds, sizes.tolist(), ranks, times.tolist(), strict=True)
        return [(kind, size, processes, pytest.approx(time)) for kind, size, processes, time in rows]

    return call


def test_ping_pong_of_imb_is_half_a_round_trip_of_two_processes(read):
    assert read(outputs.IMB_PING_PONG) == [
        ("PingPong", 0.0, 2.0, 2.0),
        ("PingPong", 8.0, 2.0, 2.1),
        ("PingPong", 1024.0, 2.0, 3.0),
        ("PingPong", 131072.0, 2.0, 22.5),
    ]


def test_allreduce_of_imb_is_the_mean_over_processes(read):
    both = outputs.IMB_ALLREDUCE.format(processes=256, time=8.5) + outputs.IMB_ALLREDUCE.format(
        processes=64, time=4.25
    )
    eight = [row for row in read(both) if row[1] == 8.0]
    assert eight == [("Allreduce", 8.0, 256.0, 8.5), ("Allreduce", 8.0, 64.0, 4.25)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            outputs.OSU_LATENCY,
            [("osu_latency", 1, 1.5), ("osu_latency", 1024, 2), ("osu_latency", 65536, 12)],
        ),
        (outputs.OLD_OSU_LATENCY, [("osu_latency", 0, 1.4), ("osu_latency", 8, 1.5)]),
        (outputs.OSU_BANDWIDTH, [("osu_bw", 1, 0.5), ("osu_bw", 1048576, 104.8576)]),
        (outputs.OSU_ALLREDUCE, [("osu_allreduce", 4, 9), ("osu_allreduce", 8, 10)]),
    ],
)
def test_osu_prints_no_number_of_processes(read, text, rows):
    found = read(f"srun: job 1 queued\n{text}\nreal 0m1s\n")
    assert found == [(kind, float(size), None, pytest.approx(time)) for kind, size, time in rows]


@pytest.mark.parametrize(
    ("text", "kind", "sizes", "times"),
    [
        (outputs.NETGAUGE, "one_one", (1.0, 1024.0), (1.25, 2.25)),
        (outputs.NETGAUGE_FILE, "one_one", (1.0, 1024.0), (1.3, 2.3)),
        (outputs.NETGAUGE_LOGGP, "loggp", (1.0, 1025.0), (2.5, 3.5)),
    ],
)
def test_netgauge_on_the_terminal_and_in_its_files(read, text, kind, sizes, times):
    assert read(text) == [(kind, size, 2.0, time) for size, time in zip(sizes, times, strict=True)]


def test_fits_instead_of_times_are_refused(tmp_path):
    (tmp_path / "out").write_text(outputs.NETGAUGE_LOGGP_PROGRESS)
    with pytest.raises(InputError, match=r"prints fits, not measured times; name the file that .* --output"):
        read_benchmark(tmp_path / "out")


def test_other_benchmarks_are_named(tmp_path):
    (tmp_path / "out").write_text("# OSU MPI Bi-Directional Bandwidth Test v5.9\n# Size MB/s\n1  2.0\n")
    with pytest.raises(
        InputError, match="none of its benchmarks is known here; benchmarks are PingPong, osu_l"
    ):
        read_benchmark(tmp_path / "out")


def test_other_files_are_left_to_others(tmp_path):
    (tmp_path / "sweep.csv").write_text("V,time [us]\n1,2\n")
    assert read_benchmark(tmp_path / "sweep.csv") is None
