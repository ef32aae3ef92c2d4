"""The benchmark on overhead: the profiler's output, profiles made of it, true times, and the figures."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.overhead import compare as comparison
from benchmarks.overhead.dilations import left_out_in_turn
from benchmarks.overhead.estimator import Estimate
from benchmarks.overhead.figures import excess, figures, weighted_quantile
from benchmarks.overhead.measure import COLUMNS, run_once
from benchmarks.overhead.programs import PROGRAMS, Program, compile_all, flags
from benchmarks.overhead.recorded import function_names, parse, write_profile
from benchmarks.overhead.series import lulesh_times, plain_times, read_all, read_runs
from ingest.readers import read_profile

RECORDED = """0.5 0.25
-1 (nil) 1 500000000.0 500000000.0 500000000.0 ?
0 0x10 1 400.0 400.0 400.0 ?
1 0x20 10 100.0 5.0 20.0 _Z4tinyv
0 0x30 2 8.0 3.0 5.0 ?
"""
NAMES = {0x10: "main", 0x30: "_Z4lastv"}


@pytest.fixture
def profile(tmp_path):
    return write_profile(tmp_path / "full/app.n4.r1/profile.cubex", parse(RECORDED), NAMES, "app.cpp")


def test_whole_run_is_left_out_and_its_times_kept():
    run = parse(RECORDED)
    assert (run.wall, run.cpu) == (0.5, 0.25)
    assert run.parent.tolist() == [-1, 0, -1]
    assert run.visits.tolist() == [1, 10, 2]
    np.testing.assert_allclose(run.most, [400e-9, 20e-9, 5e-9])


def test_plain_run_has_no_call_paths():
    run = parse("0.5 0.25\n")
    assert run.cpu == 0.25
    assert run.inclusive.shape == (0,)


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")
def test_profile_is_like_one_of_scorep(profile):
    read = read_profile(profile)
    names = [read.regions.name[region] for region in read.tree.region]
    assert names == ["main", "tiny()", "last()"]
    assert set(read.regions.paradigm) == {"compiler"}
    kinds = {metric.name: metric.kind.value for metric in read.metrics}
    assert kinds == {"visits": "exclusive", "time": "inclusive", "min_time": "minimum", "max_time": "maximum"}
    run = read_runs([profile])[0]
    np.testing.assert_allclose(run.time, [300e-9, 100e-9, 8e-9])
    assert run.visits.tolist() == [1, 10, 2]


def test_builds_differ_in_what_is_instrumented():
    program = Program("fft", (1,), headers=True)
    assert flags(program, "plain") == []
    assert flags(program, "full") == ["-finstrument-functions"]
    assert "-DCOARSE" in flags(program, "coarse")
    assert len(flags(Program("cg", (1,)), "full")) == 2


def test_plain_times_are_of_the_processor():
    text = ",".join(COLUMNS) + "\n8,1,0.9,0.1\n8,2,0.9,0.2\n12,1,0.9,0.3\n"
    assert plain_times(text) == {8: [0.1, 0.2], 12: [0.3]}


def test_plain_times_of_lulesh():
    text = (
        "plain s8 r1    n=1 wall=0.012 [0.012-0.012] user=0.006\nplain s8 r2   n=1 wall=0.016 [0.01-0.02]\n"
    )
    assert lulesh_times(text) == {8: [0.012, 0.016]}


def test_weighted_quantile():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])
    assert weighted_quantile(values, weights, 0.05) == 1.0
    assert weighted_quantile(values, weights, 0.5) == 2.0
    assert weighted_quantile(values, weights, 0.9) == 3.0


def test_excess_is_never_negative():
    time, visits, called = np.array([10.0, 1.0]), np.array([1.0, 2.0]), np.array([2.0, 0.0])
    np.testing.assert_allclose(excess(time, visits, called, inside=1.0, outside=2.0), [5.0, 0.0])


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")
def test_figures_with_a_known_cost(tmp_path):
    # main calls 1000 times `tiny`: 20 ns inside, 30 ns in the caller, and 5000 ns of work in main
    text = f"""1 1
-1 (nil) 1 1 1 1 ?
0 0x10 1 {20 + 50 * 1000 + 5000} 1 1 ?
1 0x20 1000 20000 20 20 _Z4tinyv
"""
    run = read_runs([write_profile(tmp_path / "a.cubex", parse(text), NAMES, "app.cpp")])[0]
    found = figures(run, plain=5000e-9)
    assert found.leaf == pytest.approx(20.0)
    assert found.callers_low == pytest.approx(35.0)
    assert found.cost == pytest.approx(50020 / 1001)
    assert found.dilation == pytest.approx(55020 / 5000)
    assert found.inside == pytest.approx(20.0 / found.cost)


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="c++filt is not installed")
def test_comparison_counts_the_intervals_that_hold(tmp_path, monkeypatch, capsys):
    for name in ("app", "other"):
        folder = tmp_path / name
        write_profile(folder / "full" / f"{name}.n4.r1" / "profile.cubex", parse(RECORDED), NAMES, "app.cpp")
        (folder / "plain.csv").write_text(",".join(COLUMNS) + "\n4,1,0.9,1e-7\n4,2,0.9,1e-7\n")
    assert [series.name for series in read_all(tmp_path, None)] == ["app", "other"]
    answers = iter([Estimate(2e-7, 0.5e-7, 4e-7), Estimate(2e-7, 1.5e-7, 3e-7)])
    monkeypatch.setattr(comparison, "estimate", lambda series: [next(answers)])
    comparison.compare(tmp_path, None)
    shown = capsys.readouterr().out
    assert "1 of 2 intervals hold the plain time" in shown
    assert "median 5.00, largest 8.00" in shown


def test_every_program_has_a_source_and_five_sizes():
    for program in PROGRAMS:
        assert program.source.suffix in (".cpp", ".c")
        assert len(program.sizes) == 5 and list(program.sizes) == sorted(set(program.sizes))
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("g++") is None, reason="gcc is not installed")
def test_a_program_in_c_is_compiled_and_recorded(tmp_path):
    program = next(program for program in PROGRAMS if program.name == "wavelet")
    made = compile_all([program], tmp_path, timer="clock")
    run = run_once(made["wavelet", "full"], 3)
    names = function_names(made["wavelet", "full"])
    visits = {names[a]: count for a, count in zip(run.address.tolist(), run.visits.tolist(), strict=True)}
    assert visits["lift"] == 3 * 4 * 2 * (64 + 32 + 16 + 8)
    assert visits["transform_tile"] == 3


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_threads_are_summed(tmp_path):
    program = next(program for program in PROGRAMS if program.name == "spins")
    made = compile_all([program], tmp_path, timer="clock")
    run = run_once(made["spins", "full"], 1, program.threads)
    names = function_names(made["spins", "full"])
    simulate = np.array([names[address] == "_Z8simulateiii" for address in run.address.tolist()])
    assert run.visits[simulate].tolist() == [4, 4]
    assert -1 in run.parent[simulate].tolist(), "the second thread's calls stand beside main"
    assert (run.least * run.visits <= run.inclusive * (1 + 1e-9)).all()
    assert (run.inclusive <= run.most * run.visits * (1 + 1e-9)).all()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_program_is_compiled_and_recorded(tmp_path):
    program = next(program for program in PROGRAMS if program.name == "cg")
    made = compile_all([program], tmp_path, timer="clock")
    full, coarse, plain = (run_once(made["cg", build], 5) for build in ("full", "coarse", "plain"))
    names = function_names(made["cg", "full"])
    visits = {names[a]: 0 for a in full.address.tolist()}
    for address, count in zip(full.address.tolist(), full.visits.tolist(), strict=True):
        visits[names[address]] += count
    assert visits["_Z8multiplyRK6MatrixRK6VectorRS2_"] == 20
    assert visits["main"] == 1
    assert full.visits.sum() > 20 * coarse.visits.sum() > 0
    assert plain.visits.size == 0 < plain.cpu <= plain.wall * 1.5
    assert (full.least * full.visits <= full.inclusive * (1 + 1e-9)).all()
    assert (full.inclusive <= full.most * full.visits * (1 + 1e-9)).all()
    assert Path(tmp_path / "cg.full").is_file()


def test_the_spread_of_builds_is_that_of_the_other_programs():
    spreads, held = left_out_in_turn(np.array([0.1, -0.1, 0.2, 0.0]), ["a", "a", "b", "c"])
    np.testing.assert_allclose(spreads * 1.645, [0.2, 0.1, 0.2])
    np.testing.assert_allclose(held, [1.0, 0.0, 1.0])
