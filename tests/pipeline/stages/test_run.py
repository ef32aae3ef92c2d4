"""All stages in order, in one results directory."""

import json

import pytest

from pipeline.config.options import FilterOptions, Options, reuse_key
from pipeline.stages.run import Stopwatch, run
from pipeline.store.atomic import PARTIAL
from tests.ingest.readers.timer_logs import castep


def test_what_a_killed_run_left_half_written_is_removed(strong_study, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    left, other = out / f".summary.json.1{PARTIAL}", out / "notes.txt"
    for file in (left, other):
        file.write_text("half")
    run(strong_study, Options(out=out))
    assert not left.exists() and other.exists()


def test_a_reused_result_is_the_stored_one(strong_study, tmp_path):
    options = Options(out=tmp_path / "out")
    first, again = run(strong_study, options), run(strong_study, options)
    assert (first.reused, again.reused) == (False, True)
    assert json.loads(json.dumps(first.summary)) == again.summary
    assert first.filter_effect == again.filter_effect != ""
    assert list(first.notices) == list(again.notices)
    assert list(first.damaged) == list(again.damaged)


def test_the_provenance_holds_options_inputs_and_the_time_of_every_stage(strong_study, tmp_path):
    options = Options(out=tmp_path / "out")
    run(strong_study, options)
    stored = json.loads((tmp_path / "out" / "run.json").read_text())
    assert stored["configuration"] == json.loads(json.dumps(reuse_key(options)))
    assert stored["decision"]["scaling"] == "strong" and stored["decision"]["parameter"] == "p"
    assert list(stored["seconds"]) == ["locate", "ingest", "overhead", "model", "filter", "report", "page"]
    files = [file for file in strong_study.rglob("profiling") if file.is_file()]
    assert {entry["path"] for entry in stored["inputs"]} == set(map(str, files))
    assert stored["command"] == f"pipeline run {strong_study}"


def test_a_stopwatch_counts_the_seconds_of_a_stage(monkeypatch):
    times = iter([10.0, 12.5])
    monkeypatch.setattr("time.perf_counter", lambda: next(times))
    watch = Stopwatch()
    with watch.stage("model"):
        pass
    assert watch.seconds == {"model": pytest.approx(2.5)}


def test_logs_get_models_but_no_filter(tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    for p in (2, 4, 8, 16, 32):
        (study / f"c.p{p}.log").write_text(castep(processes=p))
    found = run(study, Options(out=tmp_path / "out", at=({"p": 64.0},)))
    assert found.filter_effect == "none: timers that programs print are not instrumented regions"
    assert [at["locations"] for at in found.summary["runtime"]["at"]] == [2, 4, 8, 16, 32, 64]
    assert not (tmp_path / "out" / "app.filter").exists()
    assert {kernel["region"] for kernel in found.summary["kernels"]} >= {"SCF iterations", "Initialisation"}


def test_a_changed_file_of_run_times_is_noticed(tmp_path, strong_study):
    file, out = tmp_path / "plain.csv", tmp_path / "out"
    file.write_text("p,seconds\n1,1e9\n")  # slower than what was measured: nothing to correct
    options = Options(out=out, filter=FilterOptions(baseline_time=file))
    assert not run(strong_study, options).reused
    assert run(strong_study, options).reused
    file.write_text("p,seconds\n1,2e9\n")
    assert not run(strong_study, options).reused
