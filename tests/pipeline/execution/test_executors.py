import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingest.errors import UsageError
from pipeline.execution.executors import (
    WORTH_PROCESSES,
    ProcessExecutor,
    SerialExecutor,
    WorkerLostError,
    choose_executor,
    local_executor,
    no_progress,
)


def square(number):
    return number * number


def end_on_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def end_on_odd(number):
    if number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def divide(number):
    return 1 / number


def environment():
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), *sys.path]))}


def pid(_):
    return os.getpid()


def lives(process):
    """Whether a process is there and not only waited for."""
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(2)])
def test_every_item_is_done_once(executor):
    assert sorted(executor.map(square, range(7))) == [(i, i * i) for i in range(7)]


@pytest.mark.slow
def test_a_lost_process_takes_only_its_own_item_with_it():
    done = dict(ProcessExecutor(2).map(end_on_three, range(6)))
    assert isinstance(done.pop(3), WorkerLostError)
    assert done == {i: i * i for i in (0, 1, 2, 4, 5)}


def test_a_single_item_is_done_in_this_process():
    assert list(ProcessExecutor(2).map(pid, [0])) == [(0, os.getpid())]
    assert os.getpid() not in {found for _, found in ProcessExecutor(2).map(pid, [0, 1])}


def test_there_are_no_more_processes_than_items_nor_than_asked_for(monkeypatch):
    started = []

    def pool(processes):
        started.append(processes)
        return original(processes)

    import pipeline.execution.executors as module

    original = module._pool
    monkeypatch.setattr(module, "_pool", pool)
    for processes, items in ((8, 2), (2, 5)):
        assert len(list(ProcessExecutor(processes).map(square, range(items)))) == items
    assert started == [2, 2]


@pytest.mark.slow
def test_every_lost_item_is_found():
    done = dict(ProcessExecutor(2).map(end_on_odd, range(5)))
    lost = {number for number, result in done.items() if isinstance(result, WorkerLostError)}
    assert (lost, {n: r for n, r in done.items() if n not in lost}) == ({1, 3}, {0: 0, 2: 2, 4: 4})


def test_an_error_of_the_work_is_that_of_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(ProcessExecutor(2).map(divide, range(3)))


UNGUARDED = """
from tests.pipeline.execution.test_executors import square
from pipeline.execution.executors import ProcessExecutor
print(sorted(ProcessExecutor(2).map(square, range(3))), __file__[-9:], __spec__, flush=True)
"""


def test_a_script_without_a_guard_is_not_run_again_by_its_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    found = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment(), check=False
    )
    assert (found.stdout, found.stderr) == ("[(0, 0), (1, 1), (2, 4)] script.py None\n", "")


ORPHANS = """
import sys
from tests.pipeline.execution.test_executors import pid
from pipeline.execution.executors import ProcessExecutor
if __name__ == "__main__":
    work = ProcessExecutor(1).map(pid, range(3))
    print(next(work)[1], flush=True)
    sys.stdin.read()
"""


def test_processes_end_with_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS)
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as parent:
        worker = int(parent.stdout.readline())
        assert lives(worker)
        parent.kill()
    for _ in range(200):
        if not lives(worker):
            return
        time.sleep(0.02)
    pytest.fail("the worker outlived its parent")


def test_processes_are_started_only_if_that_pays_off():
    assert WORTH_PROCESSES == 64 * 1024 * 1024
    assert isinstance(local_executor(2, WORTH_PROCESSES), ProcessExecutor)
    assert isinstance(local_executor(2, WORTH_PROCESSES - 1), SerialExecutor)
    assert isinstance(local_executor(1, 1 << 40), SerialExecutor)


def test_this_machine_uses_as_many_processes_as_asked_for():
    chosen = choose_executor("local", "", 3, print)(1 << 40)
    assert isinstance(chosen, ProcessExecutor) and chosen.processes == 3


def test_dask_that_is_not_installed_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError) as error:
        choose_executor("dask", "tcp://x:1", 1, print)
    assert str(error.value) == "--engine: distributed is not installed; pip install 'callpath-pipeline[dask]'"


def test_no_progress_passes_items_on():
    assert list(no_progress(iter("abc"), 3)) == ["a", "b", "c"]
