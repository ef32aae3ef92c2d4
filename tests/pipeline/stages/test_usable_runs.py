"""Runs under different filters side by side: one group is modelled, the others are named."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.locate import locate
from pipeline.config.options import Options
from pipeline.gate.compared_studies import recorded_digests
from pipeline.stages.check import baseline_text, read_baseline, read_study
from pipeline.stages.ingest import ingest
from pipeline.stages.inspect import inspect_path
from pipeline.stages.run import run
from tests.ingest.readers.timer_logs import quantum_espresso, vasp

SAMPLES = Path(__file__).parents[3] / "sample_profiles" / "lulesh-accessors"


def copies(folder, full, filtered):
    """Copy one repetition of these sizes; the filtered runs are repetitions 2."""
    for kind, sizes, repetition in (("full", full, 1), ("filtered", filtered, 2)):
        for size in sizes:
            shutil.copytree(SAMPLES / kind / f"lulesh.s{size}.r1", folder / f"lulesh.s{size}.r{repetition}")
    return folder


def same(one, two):
    assert one.callpaths == two.callpaths
    assert np.array_equal(one.points, two.points)
    for metric in ("time", "visits"):
        assert np.array_equal(one.values[metric].sum, two.values[metric].sum, equal_nan=True)


def test_at_the_same_points_the_runs_with_least_overhead_are_used_and_never_averaged(tmp_path):
    mixed = ingest(locate(copies(tmp_path / "mixed", (8, 12), (8, 12))), "time")
    alone = ingest(locate(copies(tmp_path / "alone", (), (8, 12))), "time")
    same(mixed.experiment, alone.experiment)
    assert [run.path.parent.name for run in mixed.runs] == ["lulesh.s8.r2", "lulesh.s12.r2"]
    assert [run.path.parent.name for run in mixed.widest] == ["lulesh.s8.r1", "lulesh.s12.r1"]
    left_out = {entry.path.parent.name: entry.reason for entry in mixed.beside}
    assert left_out == dict.fromkeys(["lulesh.s8.r1", "lulesh.s12.r1"], "measured under another filter")
    assert mixed.damaged == () and len(mixed.inputs) == 4
    assert alone.beside == () and alone.experiment.notices == ()


def test_at_different_points_the_runs_of_most_points_are_used_with_one_notice(tmp_path):
    mixed = ingest(locate(copies(tmp_path, (8, 12, 16), (20, 24))), "time")
    assert mixed.experiment.points[:, 0].tolist() == [8, 12, 16]
    (notice,) = mixed.experiment.notices
    assert notice.startswith("the runs were measured under 2 different filters")
    assert "Used: 3 runs that recorded 161 functions (s = 8, 12, 16; " in notice
    assert "Left out: 2 runs that recorded 60 functions (s = 20, 24; " in notice
    assert notice.endswith(
        "list their runs as [[run]] in pipeline.toml or move them to a directory of their own"
    )


def test_functions_that_are_never_called_are_recorded_too(tmp_path):
    found = ingest(locate(copies(tmp_path, (8,), ())), "time").experiment
    assert len(found.recorded) == 161 > len(found.regions)
    assert "void ParseError(const char*, int)" in found.recorded


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    copies(folder / "runs", (8, 12, 16), (8, 12, 16))
    return folder, run(folder / "runs", Options(out=folder / "out"))


@pytest.mark.slow
def test_a_run_says_so_once_and_stores_who_was_left_out(result):
    folder, found = result
    assert sum("measured under 2 different filters" in notice for notice in found.notices) == 1
    content = json.loads((folder / "out" / "run.json").read_text())
    assert [entry["reason"] for entry in content["beside"]] == ["measured under another filter"] * 3
    kernels = json.loads((folder / "out" / "summary.json").read_text())["kernels"]
    assert not any("Domain::xd(" in name for kernel in kernels for name in kernel["callpath"])


@pytest.mark.slow
def test_its_filter_is_made_from_the_runs_that_recorded_all(result):
    _, found = result
    assert "of 155 filterable regions" in found.filter_effect


def test_what_was_recorded_reaches_the_gate_from_results_and_baselines(result):
    folder, _ = result
    study = read_study(folder / "out", Options())
    alone = ingest(locate(copies(folder / "alone", (), (8, 12))), "time").experiment
    assert study.measurements.origin.recorded == recorded_digests(alone.recorded)
    (folder / "b.json").write_text(baseline_text(study, Options(), {})[0])
    assert read_baseline(folder / "b.json").origin == study.measurements.origin
    document = json.loads((folder / "b.json").read_text())
    del document["recorded"], document["sha256"]
    (folder / "old.json").write_text(json.dumps(document))
    assert read_baseline(folder / "old.json").origin.recorded == frozenset()


def test_runs_that_stopped_or_contradict_their_totals_are_left_out_and_named(tmp_path):
    for name in ("stopped", "wrong"):
        (tmp_path / name).mkdir()
    for p in (2, 4, 8):
        text = vasp(ranks=p)
        if p == 8:
            text = text[: text.index("                  Total CPU")]
        (tmp_path / "stopped" / f"app.p{p}.OUTCAR").write_text(text)
    text = quantum_espresso(processes=16).replace("1m50.00s CPU  2m 3.50s WALL", "1h50m CPU  9h 3m WALL")
    (tmp_path / "wrong" / "pw.p16.out").write_text(text)
    read = ingest(locate(tmp_path / "stopped"), "time")
    assert [run.parameters for run in read.runs] == [(2.0,), (4.0,)]
    assert [(entry.path.name, entry.reason) for entry in read.damaged] == [
        ("app.p8.OUTCAR", "VASP, 8 processes, stopped before the end")
    ]
    with pytest.raises(
        InputError, match=r"the timers are 0\.3 % of the total that the file states, so one is wrong"
    ):
        ingest(locate(tmp_path / "wrong"), "time")


def test_timers_that_are_not_the_stated_total_are_a_problem_and_not_trusted(tmp_path):
    for p in (2, 4, 8, 16, 32):
        for r in (1, 2, 3):
            (tmp_path / f"app.p{p}.r{r}.OUTCAR").write_text(vasp(ranks=p, elapsed=150 + r))
    found = inspect_path(tmp_path)
    (problem,) = (problem for problem in found["problems"] if "timers are" in problem)
    assert (
        problem
        == f"the timers are 34.4 % of the total that the file states: {tmp_path}/app.p2.r1.OUTCAR and 14 more"
    )
    summary = run(tmp_path, Options(out=tmp_path / "out")).summary
    assert summary["runtime"]["trust"]["verdict"] == "low"
