"""Memory on the screen."""

import pytest

from tests.resource_studies import lammps


@pytest.mark.slow
def test_memory_is_said_by_run_predict_and_inspect(call, tmp_path):
    out = tmp_path / "out"
    runs = lammps(tmp_path / "runs", lambda p: 256)
    code, told, _ = call("run", runs, "--out", out, "--details")
    assert code == 0
    assert "Memory of a process at p = 64: 256 MiB" in told
    assert "Memory of a node at p = 64: " in told
    assert "Memory of a process at p = 64: 256 MiB" in (out / "report.html").read_text()
    _, told, _ = call("predict", out, "--at", "p=32", "--at", "p=64", "--metric", "memory")
    assert "LAMMPS" in told
    assert "Memory of a process at p = 32: 256 MiB" in told
    _, told, _ = call("inspect", runs)
    assert "Memory of the process that takes most: 256 MiB (Per MPI rank memory allocation)" in told


def test_memory_is_not_the_metric_of_a_study(call, tmp_path):
    runs = lammps(tmp_path / "runs", lambda p: 256)
    code, _, error = call("run", runs, "--out", tmp_path / "out", "--metric", "memory")
    assert code == 2
    assert "memory does not add up over the call tree" in error
