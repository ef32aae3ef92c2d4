import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline.execution.choice import local_executor
from pipeline.execution.executor import WorkerLostError
from pipeline.execution.local import ProcessExecutor, SerialExecutor


def square(number):
    return number * number


def end_on_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


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


def test_a_lost_process_takes_only_its_own_item_with_it():
    done = dict(ProcessExecutor(2).map(end_on_three, range(6)))
    assert isinstance(done.pop(3), WorkerLostError)
    assert done == {i: i * i for i in (0, 1, 2, 4, 5)}


def test_processes_are_started_only_where_that_pays():
    assert isinstance(local_executor(4, 1000), SerialExecutor)
    assert isinstance(local_executor(1, 1 << 40), SerialExecutor)
    assert isinstance(local_executor(4, 1 << 40), ProcessExecutor)


ORPHANS = """
import sys
from tests.pipeline.execution.test_local import pid
from pipeline.execution.local import ProcessExecutor
if __name__ == "__main__":
    work = ProcessExecutor(1).map(pid, range(3))
    print(next(work)[1], flush=True)
    sys.stdin.read()
"""


def test_processes_end_with_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), *sys.path]))}
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as parent:
        worker = int(parent.stdout.readline())
        assert lives(worker)
        parent.kill()
    for _ in range(200):
        if not lives(worker):
            return
        time.sleep(0.02)
    pytest.fail("the worker outlived its parent")
