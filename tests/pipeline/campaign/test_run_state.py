import pytest

from pipeline.campaign.folders import RunFolder, set_aside
from pipeline.campaign.run_state import job_end, run_state, write_facts

SLURM = "slurmstepd-vm: error: *** JOB 2 ON vm CANCELLED AT 2026-11-22T10:24:30"


@pytest.mark.parametrize(
    ("line", "reason", "interrupted"),
    [
        (f"{SLURM} ***", "job was cancelled", True),
        (f"{SLURM} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***", "its node failed", True),
        (f"{SLURM} DUE TO PREEMPTION ***", "preempted by another job", True),
        (f"{SLURM} DUE TO TIME LIMIT ***", "time limit reached", False),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.", "memory limit exceeded", False),
        (
            f"slurmstepd: error: Job 2 exceeded memory limit (40 > 20), being killed\n{SLURM} ***",
            "memory limit exceeded",
            False,
        ),
        ("=>> PBS: job killed: walltime 152 exceeded limit 120", "time limit reached", False),
        ("=>> PBS: job killed: mem 2048kb exceeded limit 1024kb", "memory limit exceeded", False),
    ],
)
def test_what_ended_a_job(line, reason, interrupted):
    end = job_end(f"before\n{line}\nafter\n")
    assert end is not None
    assert (end.reason, end.interrupted) == (reason, interrupted)


@pytest.mark.parametrize("text", ["", "Terminated\n", f"the program prints: {SLURM} ***\n"])
def test_other_output_says_nothing_of_that(text):
    assert job_end(text) is None


DONE = {"status": "0", "reason": "", "seconds": "1.5"}
UNKNOWN, THERE, GONE = (lambda _: None), (lambda _: True), (lambda _: False)


@pytest.fixture
def folder(tmp_path):
    folder = RunFolder(tmp_path / "app.p1.r1")
    folder.path.mkdir()
    return folder


@pytest.mark.parametrize(
    ("submitted", "started", "finished", "alive", "status", "interrupted"),
    [
        (False, False, None, GONE, "planned", False),
        (True, False, None, UNKNOWN, "submitted", False),
        (True, False, None, THERE, "submitted", False),
        (True, False, None, GONE, "failed", True),
        (True, True, None, THERE, "running", False),
        (False, True, None, UNKNOWN, "running", False),
        (True, True, None, GONE, "failed", True),
        (True, True, DONE, GONE, "done", False),
        (False, True, {"status": "1", "reason": "exit status 1"}, GONE, "failed", False),
        (False, True, {"status": "130", "reason": "stopped by SIGINT"}, GONE, "failed", True),
        (False, True, {"status": "1", "reason": "no space left on the disk"}, GONE, "failed", True),
        (False, True, {"status": "143", "reason": "stopped by SIGTERM"}, GONE, "failed", False),
        (False, True, {"status": "0", "reason": "no file matches x"}, GONE, "failed", False),
    ],
)
def test_states(folder, submitted, started, finished, alive, status, interrupted):
    if submitted:
        write_facts(folder.submitted, {"job": "7_1"})
    if started:
        write_facts(folder.started, {"job": "7_1", "host": "a", "pid": "1", "time": "5"})
    if finished:
        write_facts(folder.finished, finished)
    state = run_state(folder, alive)
    assert (state.status, state.interrupted) == (status, interrupted)
    assert state.job == ("7_1" if submitted or started else "")
    assert state.seconds == (1.5 if status == "done" else None)


def test_the_queue_is_asked_about_the_job_of_the_run(folder):
    asked = []
    write_facts(folder.submitted, {"job": "7_1"})
    run_state(folder, asked.append)
    assert asked == [{"job": "7_1"}]


def test_a_failed_run_shows_the_end_of_its_log(folder):
    write_facts(folder.finished, {"status": "1", "reason": "exit status 1"})
    folder.logs[1].write_text("from prepare\n")
    assert run_state(folder, GONE).log == ("from prepare",)
    folder.logs[0].write_bytes(b"x" * 100_000 + b"\n1\n2\n\n3 \n\xff4\n")
    assert run_state(folder, GONE).log == ("2", "3", "\ufffd4")


@pytest.mark.parametrize(("job", "name"), [("7_1", "7_1"), ("7.server", "app.p1.r1")])
@pytest.mark.parametrize("finished", [True, False])
def test_the_output_of_the_job_says_why_it_ended(folder, job, name, finished):
    write_facts(folder.started, {"job": job})
    if finished:
        write_facts(folder.finished, {"status": "143", "reason": "stopped by SIGTERM"})
    assert run_state(folder, GONE).interrupted is not finished
    output = folder.path.parent / "jobs" / f"{name}.out"
    output.parent.mkdir()
    output.write_text("slurmstepd-a: error: *** JOB 7 ON a CANCELLED AT x DUE TO TIME LIMIT ***\n")
    state = run_state(folder, GONE)
    assert (state.reason, state.interrupted) == ("time limit reached", False)
    assert "DUE TO TIME LIMIT" in state.log[-1]


def test_a_run_that_could_not_note_its_start_had_no_space(folder):
    write_facts(folder.submitted, {"job": "7_1"})
    folder.started.touch()
    assert run_state(folder, THERE).status == "running"
    state = run_state(folder, GONE)
    assert (state.reason, state.interrupted) == ("no space left on the disk", True)


def test_earlier_attempts_have_cost_time(folder):
    write_facts(folder.finished, {"status": "1", "reason": "exit status 1", "seconds": "2.5"})
    set_aside(folder)
    state = run_state(folder, GONE)
    assert (state.status, state.seconds, state.earlier_seconds) == ("planned", None, 2.5)


def test_attempts_are_kept(folder):
    for number in (1, 2):
        folder.path.mkdir(exist_ok=True)
        folder.script.write_text(str(number))
        set_aside(folder)
    assert not folder.path.exists()
    assert [(folder.path.with_name(f"app.p1.r1.attempt{n}") / "run.sh").read_text() for n in (1, 2)] == [
        "1",
        "2",
    ]
