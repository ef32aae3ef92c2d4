"""hyperfine, pytest-benchmark, Google Benchmark and asv: their times by parameters."""

import pytest

from ingest.errors import InputError
from ingest.run_settings import METADATA, processor_of, stated
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import find_tables
from tests.ingest.tables import benchmark_outputs
from tests.ingest.tables.benchmark_outputs import POINTS, seconds
from tests.ingest.tables.test_tables import efforts, read

TOOLS = {  # what they write, the name of the kernel, and how many repetitions they keep
    "hyperfine": ("x.json", benchmark_outputs.hyperfine(), "(whole run)", 2),
    "hyperfine 2": ("x.json", benchmark_outputs.hyperfine(version=2), "(whole run)", 2),
    "hyperfine, CSV": ("x.csv", benchmark_outputs.hyperfine_csv(), "(whole run)", 1),
    "pytest-benchmark": ("x.json", benchmark_outputs.pytest_benchmark(), "test_solve", 2),
    "pytest-benchmark without data": (
        "x.json",
        benchmark_outputs.pytest_benchmark(data=False),
        "test_solve",
        1,
    ),
    "Google Benchmark": ("x.json", benchmark_outputs.google(), "BM_solve", 2),
    "Google Benchmark, aggregates": ("x.json", benchmark_outputs.google(aggregates="only"), "BM_solve", 1),
    "Google Benchmark, CSV": ("x.csv", benchmark_outputs.google_csv(), "BM_solve", 2),
}


@pytest.mark.parametrize(("name", "text", "kernel", "repetitions"), TOOLS.values(), ids=TOOLS)
def test_times_of_tools_are_read_by_their_parameters(tmp_path, name, text, kernel, repetitions):
    series = read(tmp_path, text, name).series
    assert series.parameters == ("n",)
    assert list(series.callpaths) == [(kernel,)]
    expected = [[seconds(n, r + 1) for r in range(repetitions)] for n in POINTS]
    assert series.values["time"][0].tolist() == [pytest.approx(row) for row in expected]


def test_results_of_asv(tmp_path):
    (tmp_path / "results" / "alps").mkdir(parents=True)
    text = benchmark_outputs.asv(tmp_path / "results")
    (tmp_path / "results" / "alps" / "4f1c2ab-py3.11.json").write_text(text)
    study = find_tables(tmp_path / "results", TableMapping()).read()
    assert study.series.parameters == ("n",)
    assert list(study.series.callpaths) == [("suite.Time.time_solve",)]
    assert study.series.values["time"].ravel().tolist() == [seconds(n) for n in POINTS]
    assert study.notices[0] == "suite.time_start: left out, without n"
    assert read(tmp_path, benchmark_outputs.asv(), "x.json").series.parameters == ("param1",)


def test_the_processor_is_stated_if_the_tool_knows_it(tmp_path):
    found = [
        read(tmp_path, text, "x.json")
        for text in (benchmark_outputs.pytest_benchmark(), benchmark_outputs.google())
    ]
    assert [processor_of(study.series.stated) for study in found] == ["AMD EPYC 9V74", "8 CPUs"]


def test_threads_count_locations(tmp_path):
    study = read(tmp_path, benchmark_outputs.hyperfine("threads"), "x.json")
    assert efforts(study)[(4, 1, "(whole run)")] == pytest.approx(4 * seconds(4))
    assert stated(study.runs[0].profile.attributes, METADATA)["command"] == "./app {threads}"
    text = benchmark_outputs.google(lambda n: f"BM_solve/threads:{n}", version="v1.9.1")
    study = read(tmp_path, text, "y.json")
    assert efforts(study)[(4, 2, "BM_solve")] == pytest.approx(4 * seconds(4, 2))
    assert stated(study.runs[0].profile.attributes, METADATA)["host"] == "alps"
    for version in ("v1.8.3", ""):
        with pytest.raises(InputError, match=r"before 1.9 divides times of threads by their number"):
            read(tmp_path, text.replace("v1.9.1", version), "z.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            benchmark_outputs.hyperfine(""),
            "a result of hyperfine without parameters; measure with --parameter-list",
        ),
        (
            benchmark_outputs.pytest_benchmark(parameters=False),
            "a result of pytest-benchmark without parameters; use @pytest.mark.parametrize",
        ),
        (
            benchmark_outputs.google(lambda n: "BM_solve"),
            "a result of Google Benchmark without parameters; give",
        ),
        (
            benchmark_outputs.google(lambda n: "BM_a/1/2" if n < 4 else "BM_b/8"),
            r"parameters: BM_b \(n\), BM_a \(n1, n2\); choose some: parameters = \['n'\] in \[table\]",
        ),
        (benchmark_outputs.hyperfine()[:-40], "not JSON"),
    ],
)
def test_what_cannot_be_read_names_the_tool_and_the_next_step(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, text, "x.json")
    assert len(str(raised.value).removeprefix(str(tmp_path))) <= 200


def test_some_of_several_benchmarks_may_be_chosen(tmp_path):
    text = benchmark_outputs.google(lambda n: f"BM_a/{n}/2" if n < 4 else "BM_b/8")
    assert list(read(tmp_path, text, "x.json", parameters=("n",)).series.callpaths) == [("BM_b",)]
    study = read(tmp_path, text, "x.json", parameters=("n1", "n2"))
    assert study.series.parameters == ("n1", "n2")
    assert study.notices[0] == "BM_b: left out, without n1, n2"


def test_commands_that_differ_are_said(tmp_path):
    text = benchmark_outputs.hyperfine("threads", programs=("./one", "./two"))
    notice = read(tmp_path, text, "x.json").notices[0]
    assert "differ in 'command' (./one {threads}, ./two {threads})" in notice
    assert "--group-by command" in notice
