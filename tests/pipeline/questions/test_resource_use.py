"""Memory and energy of runs at target scales."""

import json

import numpy as np
import pytest

from ingest.record_codec import document
from ingest.resource_use import ENERGY, MEMORY, NODE_MEMORY
from ingest.table_mapping import TableMapping
from pipeline.config.options import Options
from pipeline.questions import resource_use
from pipeline.questions.choice import JobLimits, choose
from pipeline.questions.resource_use import resource_at
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.limits import job_points
from pipeline.stages.choose import resources_of
from pipeline.stages.run import run
from pipeline.store.results import read_study
from tests.documents import stored_summary
from tests.ingest.tables.table_files import sacct
from tests.resource_studies import SCALES, lammps, likwid, scorep

MIB = 2.0**20


def at(out, name, *targets):
    study = read_study(out)
    models = {study.chosen.metric: study.chosen, **study.others}
    return resource_at(name, models, np.array(targets, dtype=np.float64)[:, None])


@pytest.mark.slow
def test_memory_of_processes_and_nodes_is_predicted_from_logs(tmp_path):
    result = run(lammps(tmp_path / "runs", lambda p: 64 + 256 / p), Options(out=tmp_path / "out"))
    found = at(tmp_path / "out", MEMORY, 32, 64)
    assert found.value[0] == pytest.approx([72 * MIB, 68 * MIB], rel=0.1)
    assert (found.lower < found.value).all()
    assert (found.value < found.upper).all()
    node = at(tmp_path / "out", NODE_MEMORY, 16)
    assert node.value[0] == pytest.approx(4 * 40 * MIB, rel=0.1)
    process, of_node = result.summary.answers.of(resource_use.QUESTION)
    assert (process.name, of_node.name) == (MEMORY, NODE_MEMORY)
    assert (process.unit, process.source) == ("B", "Per MPI rank memory allocation")


@pytest.mark.slow
def test_memory_changes_nothing_of_time(tmp_path):
    with_memory = document(
        run(lammps(tmp_path / "a", lambda p: 64 * p), Options(out=tmp_path / "a-out")).summary
    )
    without = document(run(lammps(tmp_path / "b", lambda p: 0), Options(out=tmp_path / "b-out")).summary)
    for key in ("kernels", "regions", "total", "runtime", "efficiency"):
        assert with_memory[key] == without[key], key
    assert set(with_memory["metrics"]) - set(without["metrics"]) == {MEMORY, NODE_MEMORY}
    assert without["resource_use"] == []
    (row,) = with_memory["metrics"][MEMORY]["kernels"]
    assert row["callpath"] == ["LAMMPS"]
    assert row["measured"] == [64 * MIB * p for p in SCALES]
    assert row["share_measured"] is None


def test_energy_is_summed_over_locations_and_nodes_under_weak_scaling_too(tmp_path):
    result = run(likwid(tmp_path / "runs"), Options(out=tmp_path / "out", scaling="weak"))
    assert document(result.summary)["scaling"] == "weak"
    metric = document(result.summary)["metrics"]["PWR_PKG_ENERGY"]
    assert (metric["unit"], metric["total"]["measured"]) == ("J", [50, 50, 50, 100, 200])
    found = at(tmp_path / "out", ENERGY, 64)
    (energy,) = result.summary.answers.of(resource_use.QUESTION)
    assert (energy.unit, energy.source) == ("J", "PWR_PKG_ENERGY")
    assert found.value[0, 0] == pytest.approx(800, rel=0.4)


@pytest.mark.slow
def test_jobs_are_chosen_by_them_whatever_metric_has_them(tmp_path):
    run(likwid(tmp_path / "a"), Options(out=tmp_path / "energy", scaling="weak"))
    run(lammps(tmp_path / "b", lambda p: 64 + 256 / p), Options(out=tmp_path / "memory"))
    for out, name in (("energy", ENERGY), ("memory", NODE_MEMORY)):
        study = read_study(tmp_path / out)
        times = RuntimeStudy(study.chosen)
        points = job_points(times, np.array([64.0]))
        jobs = choose(times, points, JobLimits(), resources=resources_of(study)).at_scales
        shown = jobs.energy if name == ENERGY else jobs.memory
        assert shown.value[-1] == at(tmp_path / out, name, 64).value[0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("scaling", ["strong", "weak"])
def test_profiles_of_score_p_have_the_memory_of_processes_and_joules(tmp_path, scaling):
    options = Options(out=tmp_path / "out", scaling=scaling)
    summary = document(run(scorep(tmp_path / "runs"), options).summary)
    assert [(one["name"], one["source"]) for one in summary["resource_use"]] == [
        (MEMORY, "maximum_heap_memory_allocated"),
        (NODE_MEMORY, "maximum_heap_memory_allocated"),
        (ENERGY, "site/E"),
    ]
    metrics = summary["metrics"]
    assert metrics[MEMORY]["kernels"][0]["measured"] == [MIB * (4 + 4 * p) for p in SCALES]
    node = [MIB * sum(8 + 4 * rank for rank in range(p)) for p in SCALES]
    assert metrics[NODE_MEMORY]["kernels"][0]["measured"] == node
    assert (metrics["site/E"]["unit"], metrics["site/E"]["total"]["measured"]) == (
        "J",
        [3000 * p for p in SCALES],
    )
    assert {row["region"] for row in metrics["site/E"]["kernels"]} == {"main", "solve"}


def test_jobs_of_slurm_have_both(tmp_path):
    (tmp_path / "jobs.txt").write_text(sacct(points=(1, 2, 4, 8, 16)))
    summary = document(run(tmp_path / "jobs.txt", Options(out=tmp_path / "out")).summary)
    assert [(one["name"], one["source"]) for one in summary["resource_use"]] == [
        (MEMORY, "max_rss"),
        (ENERGY, "energy"),
    ]
    assert "max_rss" not in summary["metrics"]
    (row,) = summary["metrics"][MEMORY]["kernels"]
    assert row["measured"] == [4 / p * 2**30 for p in (1, 2, 4, 8, 16)]


def test_with_two_scales_nothing_is_predicted(tmp_path):
    (tmp_path / "jobs.txt").write_text(sacct(points=(1, 2)))
    assert document(run(tmp_path / "jobs.txt", Options(out=tmp_path / "out")).summary)["resource_use"] == []


@pytest.mark.slow
def test_memory_that_few_scales_state_is_not_predicted(tmp_path):
    runs = lammps(tmp_path / "runs", lambda p: 64 if p > 4 else 0)
    summary = document(run(runs, Options(out=tmp_path / "out")).summary)
    assert summary["resource_use"] == []
    assert summary["total"]["predictions"]


def test_columns_of_tables_that_are_called_memory_stay_what_they_are(tmp_path):
    rows = "".join(f"{p},{8 / p},{100 * p}\n" for p in SCALES)
    (tmp_path / "study.csv").write_text(f"p,time,memory\n{rows}")
    table = TableMapping(parameters=("p",), value=("time",), metrics=("memory",))
    summary = document(run(tmp_path / "study.csv", Options(out=tmp_path / "out", table=table)).summary)
    assert summary["metrics"]["memory"]["additive"]
    assert summary["resource_use"] == []


@pytest.mark.slow
def test_stored_results_predict_memory_without_all_other_metrics(tmp_path):
    run(lammps(tmp_path / "runs", lambda p: 64), Options(out=tmp_path / "out"))
    study = read_study(tmp_path / "out")
    few = stored_summary(study, [{"p": 32.0}], others=False)
    assert set(few["metrics"]) == {MEMORY, NODE_MEMORY}
    assert few["resource_use"] == json.loads(json.dumps(stored_summary(study, [{"p": 32.0}])["resource_use"]))
    assert few["resource_use"][0]["predictions"][0]["value"] == pytest.approx(64 * MIB)
    alone = stored_summary(study, [{"p": 32.0}], metric=MEMORY)
    assert [one["name"] for one in alone["resource_use"]] == [MEMORY]
