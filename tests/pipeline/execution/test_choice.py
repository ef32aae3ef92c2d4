"""Where work is done: starting processes has to pay off, and Dask has to be there."""

import sys

import pytest

from ingest.errors import UsageError
from pipeline.execution.choice import WORTH_PROCESSES, choose_executor, local_executor, no_progress
from pipeline.execution.local import ProcessExecutor, SerialExecutor


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
    assert str(error.value) == "--engine: Dask is not installed; pip install 'callpath-pipeline[dask]'"


def test_no_progress_passes_items_on():
    assert list(no_progress(iter("abc"), 3)) == ["a", "b", "c"]
