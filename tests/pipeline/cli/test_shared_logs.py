"""The samples of other people, as a user gives them to the command line; they lie beside the project."""

import json
import re
from pathlib import Path

import pytest

LOGS = Path(__file__).parents[4] / "shared" / "data" / "logs"
SERIES = {  # names of the runs: numbers of processes, the largest timer or the stage that is not start-up
    "castep/castep": (5, "SCF iterations"),
    "cp2k/cp2k": (4, "mp_alltoall_l11v"),
    "gptl/eam.p": (5, "CPL:RUN_LOOP"),
    "gromacs/gromacs": (6, "Force"),
    "petsc-log-view/poisson": (6, "0: Main Stage"),
    "quantum-espresso/pw": (5, "vloc_psi"),
    "vasp/vasp": (5, "TRIAL"),
}
SINGLE = {  # folder: what `inspect` says of the total
    "amber/sander.p1.r1": "2.19 s = 99.55 % of the stated 2.2 s; mean of processes (1 process)",
    "amrex-tinyprofiler/amrwind-abl-stable.p2080.r1": "= 100.01 % of the stated 488800 s; mean of processes",
    "dealii-timeroutput/phasefield.p1.r1": "the stated total is 4128 s (sum of all rows 3890.2906 s, 94.24 %",
    "nalu-wind/nalu-nrelvi.part1": "timers 9022.430371 s, no total is stated; mean of processes (1 process)",
    "namd/apoa1.p16.r1": "timers 1712.032 s = 86.18 % of the stated 1986.639408 s; mean of processes",
}

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the samples lie beside the project")


def runs_of(folder, name):
    """A directory of the runs of one series."""
    kind = name.partition("/")[0]
    directory = folder / kind
    directory.mkdir()
    for run in LOGS.glob(f"{name}*"):
        (directory / run.name).symlink_to(run)
    return directory


@pytest.mark.parametrize("name", SERIES)
def test_a_series_gives_models_a_runtime_and_a_report(call, tmp_path, name):
    scales, largest = SERIES[name]
    out = tmp_path / "out"
    code, text, error = call("run", runs_of(tmp_path, name), "--out", out)
    assert code == 0, error
    assert f" {scales} scales (p = " in text
    assert re.search(r"^wall s +[0-9]", text, re.MULTILINE)
    assert "What grows" in text
    assert "Filter: none: timers that programs print are not instrumented regions" in text
    summary = json.loads((out / "summary.json").read_text())
    regions = {kernel["region"]: kernel for kernel in summary["regions"]}
    assert max(regions, key=lambda region: regions[region]["share_measured"]) == largest
    assert all(kernel["model"]["formula"] for kernel in regions.values())
    assert len(summary["runtime"]["at"]) == scales + 1
    assert (out / "report.html").stat().st_size > 100_000


def test_runs_of_different_length_are_compared_per_step(call, tmp_path):
    runs = runs_of(tmp_path, "lammps/spce-ehex")
    code, text, error = call("run", runs, "--per", "steps", "--out", tmp_path / "out")
    assert code == 0, error
    assert "2500 (2 runs), 333333 (1 run); --per steps makes them comparable" in error
    assert "strong scaling, per step" in text
    at = json.loads((tmp_path / "out" / "summary.json").read_text())["runtime"]["at"]
    wall = [row["wall_seconds"]["value"] for row in at if row["measured"]]
    assert wall == pytest.approx([225.528 / 2500, 294.243 / 4 / 2500, 60984.6 / 32 / 333333], rel=1e-5)


@pytest.mark.parametrize("kind", ["gptl/eam.p", "petsc-log-view/poisson"])
def test_tables_without_a_tree_are_not_ranked_as_if_exclusive(call, tmp_path, kind):
    runs = runs_of(tmp_path, kind)
    call("run", runs, "--out", tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert len(summary["regions"]) == 3
    one = min(runs.iterdir(), key=lambda run: len(run.name))
    code, text, _ = call("inspect", one)
    assert code == 0
    assert "overlapping timer" in text and "seconds, in no sum" in text


@pytest.mark.parametrize("folder", SINGLE)
def test_single_runs_give_a_measured_profile(call, tmp_path, folder):
    code, text, error = call("inspect", LOGS / folder, "--totals")
    assert code == 0, error
    assert SINGLE[folder] in " ".join(text.split())
    assert "OK: 1 run at 1 measurement point" in text
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "app.p1152.r1").symlink_to(LOGS / folder)
    code, text, error = call("run", tmp_path / "runs", "--out", tmp_path / "out")
    assert code == 0, error
    assert "Largest as measured: " in text
    assert "Fewer than 3 scales do not show how anything grows, so nothing is predicted." in text
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_mixed_directory_says_what_it_read(call, tmp_path):
    for run in ("castep/castep.p128.r1", "vasp/vasp.p32.r1", "gromacs/gromacs.p24.r1"):
        (tmp_path / Path(run).name).symlink_to(LOGS / run)
    (tmp_path / "notes.txt").write_text("x")
    code, text, error = call("inspect", tmp_path)
    assert code == 2
    for program in ("CASTEP", "VASP", "GROMACS"):
        assert program in text
    assert "1. the runs are of 3 programs: " in text
    assert "notes.txt: not a profile" in error
