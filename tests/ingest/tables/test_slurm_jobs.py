"""Tables of jobs that sacct prints: one run per job."""

import numpy as np
import pytest

from ingest.errors import InputError
from ingest.locate import locate
from ingest.profile import MetricKind
from ingest.resource_use import NODE_MEMORY, memory_of, recorded_memory, stated_memory

from .table_files import SACCT, sacct


@pytest.fixture
def study(tmp_path):
    """Write a table of any name and read it as a study."""

    def read(text, name="jobs.txt"):
        (tmp_path / name).write_text(text)
        return locate(tmp_path / name).found.read()

    return read


def sums(study, metric):
    return {run.parameters: float(run.profile.values(metric).sum()) for run in study.runs}


@pytest.mark.parametrize("form", ["parsable", "ending", "commas", "fixed"])
def test_a_job_is_a_run_whatever_separates_the_cells(study, form):
    found = study(sacct(form=form))
    assert found.parameters == ("p",)
    assert {run.parameters: len(run.profile.locations) for run in found.runs} == {
        (16.0,): 32,
        (32.0,): 64,
        (64.0,): 128,
    }
    core_seconds = 32 * 3600 * 16.0
    assert sums(found, "time") == pytest.approx(dict.fromkeys([(16.0,), (32.0,), (64.0,)], core_seconds))
    assert sums(found, "energy") == pytest.approx({(16.0,): 2500, (32.0,): 4500, (64.0,): 8500})


def test_memory_is_that_of_the_fullest_process(study):
    found = study(sacct())
    profile = found.runs[0].profile
    kinds = {metric.name: (metric.kind, metric.unit) for metric in profile.metrics}
    assert kinds["max_rss"] == (MetricKind.MAXIMUM, "B")
    assert np.unique(profile.values("max_rss")) == 2.0 * 2**30
    assert memory_of(profile) == (2.0 * 2**30, "max_rss")
    assert not stated_memory(recorded_memory(profile), NODE_MEMORY, nodes=2) > 0


def test_without_tasks_nodes_are_the_parameter(study):
    found = study(sacct(columns=[name for name in SACCT if name != "NTasks"]))
    assert found.parameters == ("nodes",)
    assert len(found.runs[0].profile.locations) == 32


@pytest.mark.parametrize(
    ("elapsed", "seconds"), [("1-00:00:30", 86430), ("10:30", 630), ("00:00:02.500", 2.5), ("01:00:00", 3600)]
)
def test_forms_of_elapsed_times(study, elapsed, seconds):
    found = study(sacct(points=(2,), elapsed=lambda p: elapsed))
    assert found.runs[0].profile.values("time")[0, 0] == seconds


def test_a_job_that_failed_is_no_run_and_is_named(study):
    found = study(sacct(points=(2, 4, 8, 16), failed=(8,)))
    assert [run.parameters for run in found.runs] == [(16.0,), (32.0,), (128.0,)]
    ((_, why),) = found.damaged
    assert "line 8: 'elapsed [s]' is not a number: 'state TIMEOUT'" in why


def test_jobs_of_several_clusters_have_the_same_numbers(study):
    rows = [
        f"{9000 + n}|mesh|{seconds}|{n}|COMPLETED|{cluster}"
        for n in (4, 8)
        for cluster, seconds in (("a", 550), ("b", 560))
    ]
    runs = study("\n".join(["JobID|JobName|ElapsedRaw|NTasks|State|Cluster", *rows]) + "\n").runs
    assert [(*run.parameters, run.repetition) for run in runs] == [(4, 1), (4, 2), (8, 1), (8, 2)]


def test_damage_is_named(study):
    with pytest.raises(InputError, match="no job in it"):
        study(sacct(points=()))
    with pytest.raises(InputError, match="line 3: 8 cells, but 9 columns"):
        study(sacct().replace("100.batch|", "", 1))


def test_other_tables_are_no_jobs(tmp_path):
    (tmp_path / "x.txt").write_text("JobID|Name\n1|a\n")
    with pytest.raises(InputError, match="not a profile in a known format"):
        locate(tmp_path / "x.txt")
