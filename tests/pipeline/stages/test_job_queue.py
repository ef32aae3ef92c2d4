"""What a queue tells of runs, and what it cannot know."""

import time

import pytest

from pipeline.campaign.run_state import RunState
from pipeline.stages.campaign import Queue, QueuedJob, error_line, queue_notices, read_queue

NOW = 1000.0
JOBS = {
    "7_0": QueuedJob(script="/c/work/jobs/a-2.sh"),
    "7_1": QueuedJob(script="/c/work/jobs/a-2.sh", waits="JobArrayTaskLimit"),
    "8_1": QueuedJob(script="/c/work/jobs/b.sh", waits="JobHeldUser"),
}
QUEUE = Queue(jobs=JOBS, asked=NOW)


@pytest.mark.parametrize(
    ("facts", "alive"),
    [
        ({"job": "7_1", "time": "10"}, True),
        ({"job": "7_2", "time": "10"}, False),
        ({"job": "7_2", "time": "1000.5"}, None),  # submitted after the queue was asked
        ({"script": "/c/work/jobs/a-2.sh", "task": "1", "time": "10"}, True),
        ({"script": "/c/work/jobs/a-2.sh", "task": "2", "time": "10"}, False),
        ({"script": "/c/work/jobs/a-2.sh", "task": "2", "time": "990"}, None),  # perhaps being submitted
    ],
)
def test_whether_a_run_is_queued(facts, alive):
    assert QUEUE(facts) is alive
    assert Queue(jobs=None, asked=NOW)(facts) is None


def test_a_job_without_a_name_is_found_by_its_script():
    assert QUEUE.name({"script": "/c/work/jobs/a-2.sh", "task": "1"}) == "7_1"
    assert QUEUE.name({"script": "/d/work/jobs/a-2.sh", "task": "1"}) == ""
    assert QUEUE.name({}) == ""


def test_runs_that_wait_for_no_ordinary_reason_are_counted():
    states = {job: RunState(status="submitted", job=job) for job in ("7_0", "7_1", "8_1", "9_0")}
    assert queue_notices(QUEUE, states) == ("Held back by the scheduler: 1 run (JobHeldUser).",)


def test_a_queue_that_cannot_be_read_matters_only_to_runs_in_it():
    unknown = Queue(jobs=None, asked=NOW, problem="no squeue here")
    assert queue_notices(unknown, {"a": RunState(status="done", job="7_0")}) == ()
    assert queue_notices(unknown, {"a": RunState(status="running", job="7_0")}) == (
        "The queue cannot be read (no squeue here): 1 run may still be queued or running.",
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("squeue: error: a\nsqueue: fatal: no configuration\n\n", "no configuration"),
        ("slurm_load_jobs error: connect failure\n", "slurm_load_jobs error: connect failure"),
        ("qselect: cannot connect to server\n", "cannot connect to server"),
    ],
)
def test_the_last_line_of_errors(text, line):
    assert error_line(text) == line


def test_what_squeue_prints(tmp_path, monkeypatch):
    program = tmp_path / "squeue"
    program.write_text("#!/bin/sh\necho '7_0|None|/a b/x|y.sh'\necho '8|Nodes are DOWN, DRAINED|'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    queue = read_queue("slurm")
    assert queue.jobs == {
        "7_0": QueuedJob(waits="None", script="/a b/x|y.sh"),
        "8": QueuedJob(waits="Nodes are DOWN, DRAINED"),
    }
    assert abs(queue.asked - time.time()) < 60
    program.write_text("#!/bin/sh\necho 'slurm_load_jobs error: connect failure' >&2\nexit 1\n")
    assert read_queue("slurm") == Queue(
        jobs=None, asked=pytest.approx(time.time(), abs=60), problem="slurm_load_jobs error: connect failure"
    )
    monkeypatch.setenv("PATH", "/nonexistent")
    assert read_queue("pbs").problem == "no qselect here"
