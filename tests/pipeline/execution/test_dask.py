"""Reading on a real cluster of several processes: the result is that of reading here, whatever dies."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.locate import locate
from pipeline.execution.executors import DaskExecutor, choose_executor
from pipeline.stages.ingest import ingest

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of Dask's own


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def slow_pid(number):
    time.sleep(0.2)
    return number, os.getpid()


@pytest.mark.slow
def test_reading_there_gives_what_reading_here_gives(cluster, strong_study):
    there = choose_executor("dask", cluster.scheduler_address, 1, print)
    remote, here = (ingest(locate(strong_study), "time", executor=how).experiment for how in (there, None))
    assert remote.callpaths == here.callpaths
    assert [run.source for run in remote.runs] == [run.source for run in here.runs]
    for name, reduction in here.values.items():
        assert np.array_equal(remote.values[name].sum, reduction.sum, equal_nan=True)
        assert np.array_equal(remote.values[name].max, reduction.max, equal_nan=True)
    for one, other in zip(remote.runs, here.runs, strict=True):
        assert one.largest["time"].region == other.largest["time"].region != ()
        assert np.array_equal(one.largest["time"].values, other.largest["time"].values)


def test_a_broken_run_is_skipped_there_too(cluster, strong_study):
    (strong_study / "app.p4.r1" / "processor0" / "1" / "uniform" / "profiling").write_text("profiling { trig")
    there = choose_executor("dask", cluster.scheduler_address, 1, print)
    read = ingest(locate(strong_study), "time", executor=there)
    assert [entry.path.name for entry in read.damaged] == ["app.p4.r1"]


def test_a_killed_worker_is_survived(cluster):
    done = {}
    for number, (item, pid) in DaskExecutor(cluster.scheduler_address, print).map(slow_pid, range(12)):
        if not done:
            os.kill(pid, signal.SIGKILL)
        done[number] = item
    assert done == {number: number for number in range(12)}


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr("pipeline.execution.executors.CONNECTING", "0.3s")
    with pytest.raises(UsageError, match="no Dask scheduler answers at"):
        list(DaskExecutor("tcp://127.0.0.1:9", print).map(slow_pid, [1]))


@pytest.mark.slow
def test_equal_items_are_read_one_by_one(cluster):
    found = list(DaskExecutor(cluster.scheduler_address, print).map(slow_pid, [7, 7, 7]))
    assert sorted((number, item) for number, (item, _) in found) == [(0, 7), (1, 7), (2, 7)]


class ReadableThere:
    """What only the process that made it can read."""

    def __reduce__(self):
        return checked, (os.getpid(),)


def checked(pid):
    if pid != os.getpid():
        raise ValueError("of another version")


def readable_there(number):
    return ReadableThere()


def failing(number):
    raise ValueError("a defect")


def test_results_that_cannot_be_read_here_are_one_line(cluster):
    with pytest.raises(
        UsageError, match=r"cannot be read \(ValueError: of another version\); install the same"
    ):
        list(DaskExecutor(cluster.scheduler_address, print).map(readable_there, [1]))
    with pytest.raises(ValueError, match="a defect"):
        list(DaskExecutor(cluster.scheduler_address, print).map(failing, [1]))


def test_no_workers_are_waited_for_up_to_a_bound(monkeypatch):
    monkeypatch.setattr("pipeline.execution.executors.FOR_WORKERS", 0.3)
    told = []
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty,
        pytest.raises(UsageError, match=r"had no workers within .* minutes; start workers for it"),
    ):
        list(DaskExecutor(empty.scheduler_address, told.append).map(slow_pid, [1]))
    assert "has no workers yet; waiting, at most" in told[0]


def test_a_scheduler_that_is_lost_is_one_line():
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    ) as ending:
        found = DaskExecutor(ending.scheduler_address, print).map(slow_pid, range(40))
        next(found)
        threading.Thread(target=ending.close).start()
        with pytest.raises(UsageError, match=r"the connection to the scheduler .* was lost; run again"):
            list(found)
