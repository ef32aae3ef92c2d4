"""Programs on accelerators, from their profiles to the answer."""

import json

import pytest

from tests.accelerated_runs import (
    busy_share,
    kernel_seconds,
    wall_seconds,
    write_accelerated_runs,
    write_runs_over_size,
)
from tests.pipeline.report.page.studies import carried


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return write_accelerated_runs(tmp_path_factory.mktemp("runs") / "app", noise=0.01)


def test_a_profile_shows_what_hosts_and_accelerators_took(call, runs):
    code, out, _ = call("inspect", runs / "app.p4.r1", "--totals", "--format", "json")
    (run,) = json.loads(out)
    assert code == 0 and (run["locations"], run["accelerators"]) == (4, 4)
    totals = {name.removeprefix("total "): value for name, value in run.items()}
    assert totals["gpu_time [sec]"] == pytest.approx(totals["time [sec]"])
    parts = [totals[f"gpu_time [sec], GPU {part}"] for part in ("kernels", "idle")]
    assert sum(parts) == pytest.approx(totals["gpu_time [sec]"])
    assert parts[0] / sum(parts) == pytest.approx(busy_share(4))
    assert totals["gpu_visits [occ], GPU kernels"] == 4 * 1000
    assert totals["visits [occ], offload interface"] == 4


def test_the_answer_says_how_busy_accelerators_are_and_what_they_cost(call, runs, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    code, out, _ = call("run", runs, "--out", "out")
    assert code == 0 and "strong scaling" in out and "filter" not in out
    lines = out.splitlines()
    assert len(lines) <= 22 and max(map(len, lines)) <= 80
    (cost,) = (line.split() for line in lines if line.startswith("GPU-hours"))
    assert float(cost[5]) == pytest.approx(16 * wall_seconds(16) / 3600, rel=0.05)
    (row,) = [line for line in out.splitlines() if line.startswith("GPUs busy")]
    assert row.split()[2:4] == [f"{100 * busy_share(1):.1f}", "%"]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert {row["region"] for row in summary["regions"]} == {"main", "cudaStreamSynchronize", "MPI_Allreduce"}
    of_gpus = summary["metrics"]["gpu_time"]
    assert (of_gpus["unit"], {row["region"] for row in of_gpus["regions"]}) == (
        "GPU-s",
        {"axpy", "stencil", "GPU idle"},
    )
    page = carried((tmp_path / "out" / "report.html").read_text())
    assert "GPUs busy" in str(page)


@pytest.mark.slow
def test_gpu_seconds_are_answered_for_by_themselves(call, runs, tmp_path):
    code, out, _ = call("run", runs, "--out", tmp_path / "out", "--metric", "gpu_time")
    assert code == 0 and "GPU-s" in out and "core-s" not in out
    code, out, _ = call("bottlenecks", tmp_path / "out", "--details")
    assert "GPU time is gpu_visits times the time per launch" in out and "main" not in out
    code, out, _ = call("run", runs, "--out", tmp_path / "out", "--metric", "gpu_time", "--format", "csv")
    assert "effort [GPU-s]" in out.splitlines()[0] and "gpu_busy" in out.splitlines()[0]


def test_a_single_run_without_a_parameter_is_a_measured_profile(call, runs, tmp_path):
    """Its number of processes is the parameter."""
    profile = tmp_path / "single" / "profile.cubex"
    profile.parent.mkdir()
    profile.write_bytes((runs / "app.p4.r1" / "profile.cubex").read_bytes())
    code, out, error = call("run", profile.parent, "--out", tmp_path / "out")
    assert code == 0 and " measured at p = 4; too few scales to predict from" in out.splitlines()[0]
    assert "\nsingle: p = 4, " in out.partition("\n\n")[0]  # below the verdict
    assert "the runs have no parameter: p is their number of processes" in error
    assert "On GPUs now: GPU idle" in out or "On GPUs now: axpy" in out


@pytest.mark.slow
def test_kernels_over_a_size_are_limited_by_latency_and_then_by_work(call, tmp_path):
    runs, n = write_runs_over_size(tmp_path / "axpy"), 4**13
    code, out, _ = call("run", runs, "--out", tmp_path / "out", "--metric", "gpu_time", "--at", f"n={n}")
    assert code == 0 and "GPUs busy" in out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    (kernel,) = [row for row in summary["regions"] if row["region"] == "axpy"]
    assert kernel["model"]["sharpness"] == 4 and kernel["growth"] == "n"
    assert kernel["predictions"][0]["value"] == pytest.approx(kernel_seconds(n), rel=0.05)
