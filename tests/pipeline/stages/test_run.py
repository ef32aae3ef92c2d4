"""All stages in order, in one results directory."""

import json
from pathlib import Path

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.record_codec import document
from pipeline.config.options import FilterOptions, Options
from pipeline.stages.run import Stopwatch, run
from pipeline.store.atomic import PARTIAL
from pipeline.store.freshness import reuse_key
from pipeline.store.generation import HIDDEN
from pipeline.store.results import read_analysis, read_study
from tests.documents import stored_summary
from tests.ingest.readers.timer_logs import castep

SAMPLES = Path(__file__).parents[3] / "sample_profiles"


def test_what_a_killed_run_left_half_written_is_removed(strong_study, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    left = out / f"{HIDDEN}0123456789abcdef" / "summary.json"
    own = [out / name for name in ("notes.txt", ".notes.partial", f"{HIDDEN}of-mine")]
    left.parent.mkdir()
    for file in (left, *own):
        file.write_text("half")
    run(strong_study, Options(out=out))
    assert not left.parent.exists() and all(file.read_text() == "half" for file in own)
    assert not list(out.rglob(f".*json*{PARTIAL}"))


@pytest.mark.slow
def test_a_reused_result_is_the_stored_one(strong_study, tmp_path):
    options = Options(out=tmp_path / "out")
    first, again = run(strong_study, options), run(strong_study, options)
    assert (first.reused, again.reused) == (False, True)
    assert json.loads(json.dumps(document(first.summary))) == document(again.summary)
    assert first.filter_effect == again.filter_effect != ""
    assert list(first.notices) == list(again.notices)
    assert list(first.damaged) == list(again.damaged)


@pytest.mark.slow
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


@pytest.mark.slow
def test_logs_get_models_but_no_filter(tmp_path):
    study = tmp_path / "study"
    study.mkdir()
    for p in (2, 4, 8, 16, 32):
        (study / f"c.p{p}.log").write_text(castep(processes=p))
    found = run(study, Options(out=tmp_path / "out", at=({"p": 64.0},)))
    assert found.filter_effect == "none - timers that programs print are not instrumented regions"
    assert [at["locations"] for at in document(found.summary)["runtime"]["at"]] == [2, 4, 8, 16, 32, 64]
    assert not (tmp_path / "out" / "app.filter").exists()
    assert {kernel["region"] for kernel in document(found.summary)["kernels"]} >= {
        "SCF iterations",
        "Initialisation",
    }


@pytest.mark.slow
def test_a_changed_file_of_run_times_is_noticed(tmp_path, strong_study):
    file, out = tmp_path / "plain.csv", tmp_path / "out"
    file.write_text("p,seconds\n1,9e-4\n")
    options = Options(out=out, filter=FilterOptions(baseline_time=file))
    assert not run(strong_study, options).reused
    assert run(strong_study, options).reused
    file.write_text("p,seconds\n1,8e-4\n")
    assert not run(strong_study, options).reused


@pytest.mark.slow
def test_every_other_metric_is_modelled_stored_and_predicted_alike(strong_study, tmp_path):
    out, at = tmp_path / "out", ({"p": 64.0},)
    summary = document(run(strong_study, Options(out=out, at=at)).summary)
    assert list(summary["metrics"]) == ["visits", "time_per_visit"]
    stored = read_study(out)
    assert stored.metrics == ("time", "visits", "time_per_visit")
    again = json.loads(json.dumps(stored_summary(stored, at)))
    assert again["metrics"] == json.loads(json.dumps(summary["metrics"]))
    for metric, kept in summary["metrics"].items():
        found = stored_summary(stored, at, metric=metric)
        rows = [row for row in found["regions"] if any(row["measured"])]
        assert rows == kept["regions"] and found["metrics"] == {}
        assert (found["total"] is None) == (not kept["additive"])


@pytest.mark.slow
def test_metrics_can_be_excluded(strong_study, tmp_path):
    options = Options(out=tmp_path / "out", exclude_metrics=("time_*",))
    assert list(document(run(strong_study, options).summary)["metrics"]) == ["visits"]
    options = Options(out=tmp_path / "out", exclude_metrics=("*",))
    assert document(run(strong_study, options).summary)["metrics"] == {}


@pytest.mark.slow
def test_an_unknown_metric_of_a_result_is_refused_with_those_there_are(strong_study, tmp_path):
    run(strong_study, Options(out=tmp_path / "out"))
    with pytest.raises(UsageError, match=r"no models of 'flops'; metrics here: time, visits, time_per_visit"):
        read_analysis(tmp_path / "out", "flops")
    assert read_analysis(tmp_path / "out", "effort").metric == "time"


def test_a_metric_without_a_sum_is_not_the_chosen_one(strong_study, tmp_path):
    with pytest.raises(UsageError, match="time_per_visit does not add up over the call tree"):
        run(strong_study, Options(out=tmp_path / "out", metric="time_per_visit"))


@pytest.mark.slow
def test_the_time_of_a_solver_is_its_iterations_times_the_time_of_each(tmp_path):
    """A solver visits all n^3 cells in every iteration, and the number of iterations grows about like n."""
    summary = document(run(SAMPLES / "openfoam-iterations", Options(out=tmp_path / "out")).summary)
    exponents = {}
    for metric in ("iterations", "time_per_iteration"):
        rows = {
            row["region"]: row["predictions"][0]["value"] for row in summary["metrics"][metric]["regions"]
        }
        now = {row["region"]: row["measured"][-1] for row in summary["metrics"][metric]["regions"]}
        exponents[metric] = np.log(rows["lduMatrix::solver.p"] / now["lduMatrix::solver.p"]) / np.log(4)
    assert 0.9 < exponents["iterations"] < 1.4
    assert 2.7 < exponents["time_per_iteration"] < 3.4
