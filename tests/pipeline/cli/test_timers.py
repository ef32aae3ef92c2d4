"""Logs with tables of timers, as a user gives them to the command line."""

import json
import re

import pytest

from tests.ingest.readers import timer_logs


def write(folder, logs):
    for run, text in logs.items():
        (folder / run).mkdir(parents=True)
        (folder / run / "run.log").write_text(text)
    return folder


def gromacs(p):
    rows = [
        (name, cycles * (1 + 0.1 * (name == "Domain decomp.") * p))
        for name, cycles in timer_logs.GROMACS_ROWS
    ]
    return timer_logs.gromacs(rows, pp=3 * p // 4, pme=p // 4)


def gptl(p):
    rows = [(name, seconds * (1 + 0.1 * p)) for name, seconds in timer_logs.GPTL_ROWS]
    return timer_logs.gptl(rows, processes=p)


@pytest.mark.slow
@pytest.mark.parametrize(("log", "largest"), [(gromacs, "Force"), (gptl, "CPL:RUN_LOOP")])
def test_a_series_gives_models_a_runtime_and_a_report(call, tmp_path, log, largest):
    runs = write(tmp_path / "runs", {f"app.p{p}.r1": log(p) for p in (8, 16, 32, 64)})
    code, text, error = call("run", runs, "--out", tmp_path / "out")
    assert code == 0, error
    assert ": p = 8, 16, 32, 64, " in text
    assert re.search(r"^wall time \[s\] +[0-9]", text, re.MULTILINE)
    assert "What grows" in text
    assert "filter" not in text
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    regions = {kernel["region"]: kernel for kernel in summary["regions"]}
    assert max(regions, key=lambda region: regions[region]["share_measured"]) == largest
    assert all(kernel["model"]["formula"] for kernel in regions.values())
    assert len(summary["runtime"]["at"]) == 5
    assert (tmp_path / "out" / "report.html").stat().st_size > 100_000


def test_timers_that_overlap_are_not_ranked_as_if_exclusive(call, tmp_path):
    code, text, _ = call("inspect", write(tmp_path / "runs", {"app.p8.r1": gptl(8)}))
    assert code == 0
    assert "overlapping timer" in text and "seconds, in no sum" in text


def test_runs_of_different_length_are_compared_per_step(call, tmp_path):
    def log(p, steps):
        return timer_logs.lammps(
            (steps / p, steps, [("Pair", 0.9 * steps / p), ("Other", 0.1 * steps / p)]), tasks=p
        )

    runs = write(tmp_path / "runs", {"a.p1": log(1, 2500), "a.p4": log(4, 2500), "a.p32": log(32, 333_333)})
    code, text, error = call("run", runs, "--per", "steps", "--out", tmp_path / "out")
    assert code == 0, error
    assert "2500 (2 runs), 333333 (1 run); --per steps makes them comparable" in error
    assert "strong scaling, per step" in text
    at = json.loads((tmp_path / "out" / "summary.json").read_text())["runtime"]["at"]
    wall = [row["wall_seconds"]["value"] for row in at if row["measured"]]
    assert wall == pytest.approx([1, 1 / 4, 1 / 32], rel=1e-4)


def test_a_single_run_gives_a_measured_profile(call, tmp_path):
    runs = write(tmp_path / "runs", {"app.p8.r1": gromacs(8)})
    code, text, error = call("inspect", runs / "app.p8.r1", "--totals")
    assert code == 0, error
    assert "= 100.00 % of the stated" in " ".join(text.split())
    code, text, error = call("run", runs, "--out", tmp_path / "out")
    assert code == 0, error
    assert "Largest as measured: " in text
    assert "Fewer than 3 scales do not show how anything grows, so nothing is predicted." in text
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_mixed_directory_says_what_it_read(call, tmp_path):
    logs = {"a.p16": timer_logs.castep(), "b.p4": timer_logs.vasp(), "c.p8": gromacs(8)}
    (write(tmp_path, logs) / "notes.txt").write_text("x")
    code, text, error = call("inspect", tmp_path)
    assert code == 2
    for program in ("CASTEP", "VASP", "GROMACS"):
        assert program in text
    assert "1. the runs are of 3 programs: " in " ".join(text.split())
    assert "notes.txt: not a profile" in error
