"""Measurements that terms are fitted to: CSV files, output of benchmarks, and rows in the file itself."""

from pathlib import Path

import pytest

from ingest.errors import InputError
from ingest.toml_table import TomlTable
from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.projection.fitting.measured_columns import ALLREDUCES, MESSAGES, read_measurements
from tests.pipeline.projection.fitting import benchmark_outputs as outputs
from tests.pipeline.projection.mistakes import refused


@pytest.fixture
def read(tmp_path):
    """Read the data of a term in a file that lies beside its data."""

    def call(data, inputs, benchmarks=(), dimension=TIME_DIMENSION, **keys):
        table = TomlTable({"data": data, **keys}, tmp_path / "cluster.toml", ("terms", "t"))
        return read_measurements(table, inputs, dimension, benchmarks=benchmarks)

    for name, text in {
        "sweep.csv": "n, op, time [us]\n1, a, 2\n2, a, 4\n2, b, 9\n",
        "more.csv": "n, op, time [us]\n4, a, 8\n",
        "other.csv": "n, op, time [ms]\n4, a, 8\n",
        "osu": outputs.OSU_ALLREDUCE,
        "latency": outputs.OSU_LATENCY,
        "bandwidth": outputs.OSU_BANDWIDTH,
        "both": outputs.OSU_LATENCY + outputs.OSU_BANDWIDTH,
        "imb64": outputs.IMB_ALLREDUCE.format(processes=64, time=4.25),
        "imb256": outputs.IMB_ALLREDUCE.format(processes=256, time=8.5),
    }.items():
        (tmp_path / name).write_text(text)
    return call


def test_a_file_several_files_and_some_of_their_rows(read):
    one = read("sweep.csv", {"n": NONE}, where={"op": "a"})
    assert (one.inputs["n"].tolist(), one.weights) == ([1.0, 2.0], "relative")
    assert one.values == pytest.approx([2e-6, 4e-6])
    both = read(["sweep.csv", "more.csv"], {"n": NONE}, where={"op": "a"}, weights="equal")
    assert (both.inputs["n"].tolist(), both.weights) == ([1.0, 2.0, 4.0], "equal")
    assert both.values == pytest.approx([2e-6, 4e-6, 8e-6])


def test_rows_in_the_file_have_units(read):
    rows = [{"x": "1 KiB", "n": 2, "elapsed": "3 ms"}, {"x": 64, "n": 4, "elapsed": "5 us"}]
    with pytest.raises(InputError, match=r"\[terms.t.data\]: x: has several units"):
        read(rows, {"x": BYTES})
    rows[1]["x"] = "64 B"
    found = read(rows, {"x": BYTES, "n": NONE}, time="elapsed")
    assert {name: values.tolist() for name, values in found.inputs.items()} == {"x": [1024, 64], "n": [2, 4]}
    assert found.values == pytest.approx([3e-3, 5e-6])
    rates = read([{"n": 2, "rate": "3 kB"}], {"n": NONE}, dimension=BYTES, time="rate")
    assert rates.values.tolist() == [3000.0]


def test_what_a_file_does_not_say_is_stated_beside_it(read):
    files = [{"file": "osu", "P": 256}, {"file": "osu", "P": 64}]
    found = read(files, {"P": NONE}, ALLREDUCES)
    assert found.inputs["P"].tolist() == [256.0, 64.0]
    assert found.values == pytest.approx([10e-6, 10e-6])


def test_an_allreduce_is_that_of_eight_bytes_unless_chosen(read):
    small = read(["imb64", "imb256"], {"P": NONE}, ALLREDUCES)
    assert (small.inputs["P"].tolist(), small.values.tolist()) == (
        [64.0, 256.0],
        pytest.approx([4.25e-6, 8.5e-6]),
    )
    large = read(["imb64", "imb256"], {"P": NONE}, ALLREDUCES, where={"x": 1024})
    assert large.values == pytest.approx([24.93e-6] * 2)
    every = read("imb64", {"P": NONE, "x": BYTES}, ALLREDUCES)
    assert every.inputs["x"].tolist() == [0.0, 4.0, 8.0, 1024.0]


@pytest.mark.parametrize(
    ("data", "keys", "line"),
    [
        (
            [],
            {},
            '[terms.t]: data: holds neither files nor rows; write data = "file.csv", a list of files',
        ),
        ([3], {}, "data: holds neither files nor rows"),
        (
            "osu",
            {},
            "osu: no column 'P'; columns here: benchmark, x, time; state it with data = [{ file = \"...",
        ),
        (
            ["sweep.csv", "other.csv"],
            {},
            "sweep.csv and {here}/other.csv differ in column 'time'; give all files",
        ),
        (["imb64", "sweep.csv"], {}, "differ in column 'P'"),
        (
            [{"P": 2, "time": "1 s"}, {"P": 2}],
            {},
            "[terms.t.data]: time: is missing; give every row the same keys",
        ),
        ([{"P": 2, "time": "1 s"}, {"P": 2, "time": "1 s", "n": 2}], {}, "n: unknown key"),
        ([{"P": "fast", "time": "1 s"}], {}, "[terms.t.data]: P: 'fast' is not a quantity"),
        ([{"P": 1, "time": "1 B"}], {}, "column 'time' is in B, not in s"),
        ("imb64", {"weights": "some"}, "invalid weights 'some'; choose relative or equal"),
        ("imb64", {"where": {"x": 16}}, "imb64: no rows with x = 16; check the condition"),
        ("nowhere.csv", {}, "nowhere.csv"),
    ],
)
def test_mistakes_are_one_line(read, tmp_path, data, keys, line):
    assert line.replace("{here}", str(tmp_path)) in refused(
        lambda: read(data, {"P": NONE}, ALLREDUCES, **keys)
    )


def test_one_benchmark_at_a_time(read):
    with pytest.raises(
        InputError, match=r"several benchmarks .*: osu_bw, osu_latency; choose one with where = {"
    ):
        read(["latency", "bandwidth"], {"x": BYTES})
    one = read(["latency", "bandwidth"], {"x": BYTES}, where={"benchmark": "osu_bw"})
    assert one.values == pytest.approx([0.5e-6, 104.8576e-6])
    with pytest.raises(
        InputError, match=r"bandwidth: none of PingPong, .* in this output: only osu_bw; name ano"
    ):
        read(["latency", "bandwidth"], {"x": BYTES}, MESSAGES)
    assert len(read("both", {"x": BYTES}, MESSAGES).values) == 3
    with pytest.raises(
        InputError, match="both: no rows of PingPong, osu_latency, one_one, loggp are left; check"
    ):
        read("both", {"x": BYTES}, MESSAGES, where={"benchmark": "osu_bw"})
    with pytest.raises(
        InputError, match=r"none of PingPong, osu_latency, one_one, loggp in this output: only osu_bw"
    ):
        read("bandwidth", {"x": BYTES}, MESSAGES)


def test_without_eight_bytes_a_size_has_to_be_chosen(read, tmp_path):
    (tmp_path / "four").write_text("# OSU MPI Allreduce Latency Test v5.9\n4  9.0\n16 11.0\n")
    with pytest.raises(
        InputError, match=r"no allreduce of 8 bytes; choose a size, such as where = { x = 4 }"
    ):
        read([{"file": "four", "P": 4}], {"P": NONE}, ALLREDUCES)


def test_files_are_found_beside_the_file_that_names_them_or_as_they_stand(read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path.parent)
    assert len(read("sweep.csv", {"n": NONE}).values) == 3
    assert len(read(str(Path(tmp_path.name) / "more.csv"), {"n": NONE}).values) == 1
