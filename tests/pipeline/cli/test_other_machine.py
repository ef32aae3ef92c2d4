"""--from and --on: commands that show times show those on another machine."""

import json
import re
from pathlib import Path

import pytest

from pipeline.config.options import Options
from pipeline.stages.run import run
from tests.flat_study import write_flat_study
from tests.pipeline.report.page.studies import carried

STUDY = Path(__file__).parents[3] / "sample_profiles" / "hpcg-strong"
HERE = """
name = "two cores"
[values]
cores = 2
hz = "3 GHz"
bw_node = "20 GB/s"
[terms.message_node]
model = "latency_bandwidth"
latency = "1 us"
bandwidth = "5 GB/s"
"""
THERE = HERE.replace("two cores", "cluster").replace("cores = 2", "cores = 64").replace("20 GB", "1280 GB")
THERE = THERE.replace("message_node", "message")


@pytest.fixture
def machines(tmp_path):
    for name, text in (("here", HERE), ("there", THERE)):
        (tmp_path / f"{name}.toml").write_text(text)
    return "--from", tmp_path / "here.toml", "--on", tmp_path / "there.toml"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return write_flat_study(STUDY, tmp_path_factory.mktemp("hpcg") / "hpcg")


@pytest.fixture(scope="module")
def stored(study, tmp_path_factory):
    out = tmp_path_factory.mktemp("stored") / "out"
    run(study, Options(out=out))
    return out


def wall_times(summary):
    return {entry["point"]["p"]: entry["wall_seconds"]["value"] for entry in summary["runtime"]["at"]}


@pytest.mark.slow
def test_both_machines_stand_side_by_side(call, stored, machines, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, text, _ = call("project", stored, *machines, "--at", "p=4096")
    lines = text.splitlines()
    assert (code, max(map(len, lines))) == (0, 80) and len(lines) <= 22
    assert re.match(r"On there \S+ times faster than on here: ", text)
    code, text, _ = call("project", stored, *machines, "--at", "p=4096", "--details")
    assert code == 0 and "seen" not in text
    for what in (
        "out: from two cores, 2 cores a node, to cluster, 64 cores a node",
        "p = 4096 (predicted)",
        "On here:",
        "MPI_Send",
        "MPI_Init",
        "Assumed:",
    ):
        assert what in text
    assert "512 times beyond the measured range (very far" in " ".join(text.split())


@pytest.mark.slow
def test_commands_agree_on_the_other_machine(call, stored, machines, tmp_path, study):
    call("project", stored, *machines, "--at", "p=64", "--json", tmp_path / "project.json")
    document = json.loads((tmp_path / "project.json").read_text())
    expected = wall_times(document["on"]["summary"])
    out = tmp_path / "fresh"
    for arguments in (
        ("bottlenecks", stored, *machines, "--at", "p=64", "--json", "-"),
        ("run", study, "--out", out, *machines, "--at", "p=64", "--json", "-"),
    ):
        code, text, told = call(*arguments)
        assert code == 0
        assert wall_times(json.loads(text)) == expected
        assert "all times are projected: measured on two cores, taken to cluster" in told
    here = wall_times(document["from"]["summary"])
    assert wall_times(json.loads((out / "summary.json").read_text()))[8] == here[8]
    assert expected[8] < 0.5 * here[8]
    limits = [document[side]["summary"]["runtime"] for side in ("from", "on")]
    run = json.loads((stored / "summary.json").read_text())["runtime"]
    assert limits[0]["fastest"] == run["fastest"] and limits[0]["efficient_up_to"] == run["efficient_up_to"]
    assert limits[1]["fastest_measured"]  # between scales, projected times are interpolated


@pytest.mark.slow
def test_the_report_on_another_machine_is_a_file_of_its_own(call, stored, machines, tmp_path, refused):
    before = (stored / "report.html").read_bytes()
    assert call("report", stored, *machines, "-o", tmp_path / "there.html")[0] == 0
    page = (tmp_path / "there.html").read_text()
    heads = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', page)
    start = heads.index("wall time at")
    assert heads[start : start + 8] == [
        *("wall time at", "here [s]", "90 % interval", "there, projected [s]", "90 % interval"),
        *("faster by", "efficiency on here", "efficiency on there"),
    ]
    assert "On two machines" in page and {"region", "here", "there", "goes over"} <= set(heads)
    assert re.search(r'<th scope="row">p = \d+ \(predicted\)', page)
    assert carried(page)["observed"] == "projected"
    assert carried((stored / "report.html").read_text())["observed"] == "measured"
    assert (stored / "report.html").read_bytes() == before
    assert "give -o FILE" in refused("report", stored, *machines)


@pytest.mark.slow
def test_the_gate_judges_what_is_predicted_there(call, stored, machines, tmp_path, study):
    baseline = tmp_path / "baseline.json"
    assert call("baseline", study, *machines, "-o", baseline)[0] == 0
    code, text, _ = call("check", study, *machines, "--baseline", baseline)
    assert (code, text.splitlines()[0]) == (0, "No scalability regression")
    code, text, _ = call("check", study, "--baseline", baseline)
    assert code == 3
    assert "projected from here to there, these as measured" in " ".join(text.split())
    total = json.loads(baseline.read_text())["kernels"][0]["values"]
    plain = tmp_path / "plain.json"
    call("baseline", study, "-o", plain)
    measured = json.loads(plain.read_text())["kernels"][0]["values"]
    assert total[-1][0] < 0.5 * measured[-1][0]


@pytest.mark.slow
def test_stored_results_and_their_runs_are_the_same_on_another_machine(call, stored, machines, study):
    """Both go there with the bytes of messages, which only projections need."""
    code, text, _ = call("compare", stored, study, *machines, "--factor", "1")
    assert code == 0
    assert re.match(r"\S+ is as fast as \S+ at p = 8", text), text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "archer2"), "--on: the machine to project to is not given"),
        (("--on", "archer2"), "--from: the machine measured on is not given"),
    ],
)
def test_one_machine_is_not_enough(refused, stored, arguments, said, study):
    for command in (("bottlenecks", stored), ("project", stored), ("run", study), ("check", study)):
        told = refused(*command, *arguments)
        assert said in told or "archer2: no such file" in told


def test_other_metrics_are_not_projected(refused, stored, machines):
    assert "'visits' cannot be projected" in refused("bottlenecks", stored, *machines, "--metric", "visits")
