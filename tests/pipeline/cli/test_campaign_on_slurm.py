"""Campaigns on a real Slurm of one node: whatever breaks is told, and no run is lost or made twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.campaign.run_state import read_facts
from tests.campaigns import ROOT, begin, made, mounted, queued, status, until
from tools import local_slurm

PROGRAM = """\
#!/bin/sh
# Notes that it was started, waits as long as it is to hang, and prints what LAMMPS would.
here=$(dirname "$0")
echo "$1 $2" >>"$here/made"
while [ -e "$here/hang$2" ]; do sleep 0.05; done
cat <<END
LAMMPS (29 Sep 2021)
Loop time of 2.5 on $1 procs for 300 steps with $2 atoms
99.0% CPU use with $1 MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 2.5        | 2.5        | 2.5        | 0.0 | 100

Nlocal: 1 ave 1 max 1 min
Total wall time: 0:00:02
END
"""

DESCRIPTION = """\
[campaign]
repetitions = 1
seed = 7
[application]
name = "melt"
command = "sh {folder}/program.sh {p} {n}"
[scales]
p = [1, 2]
n = [8, 16]
[launcher]
processes = "{p}"
program = "none"
[scheduler]
kind = "slurm"
"""


RUNS = 4


@pytest.fixture
def folder(slurm, tmp_path, monkeypatch):
    """A campaign of a small program on Slurm, in the current directory; the queue is empty."""
    begin(tmp_path, monkeypatch, DESCRIPTION, program_sh=PROGRAM)
    yield tmp_path
    subprocess.run(["scancel", "--me"], check=False)
    for file in tmp_path.glob("hang*"):
        file.unlink()
    until(lambda: not queued())


def planned(call):
    """The runs as the program notes them, in the order of the design."""
    _, printed, _ = call("campaign", "plan", "--json", "-")
    return [f"{run['point']['p']:.0f} {run['point']['n']:.0f}" for run in json.loads(printed)["runs"]]


def names_of(call, *states):
    return [name for name, run in status(call).items() if run["status"] in states]


def submitted(call, *options):
    """Submit, and wait until no run is queued or running."""
    code, _, error = call("campaign", "submit", *options)
    assert code == 0, error
    until(lambda: not names_of(call, "submitted", "running"))


def lines_of_status(call):
    return call("campaign", "status")[1].splitlines()


def test_runs_are_made_once_and_in_the_planned_order(call, folder):
    order = planned(call)
    (folder / f"hang{order[0].split()[1]}").touch()
    call("campaign", "submit")
    until(lambda: made(folder))
    states = status(call)
    assert [run["status"] for run in states.values()] == ["running"] + ["submitted"] * (RUNS - 1)
    code, printed, error = call("campaign", "submit")
    assert (code, error) == (0, "")
    assert "Held back" not in printed
    (folder / f"hang{order[0].split()[1]}").unlink()
    until(lambda: not names_of(call, "submitted", "running"))
    assert names_of(call, "done") == list(states)
    assert made(folder) == order
    submitted(call)
    assert made(folder) == order
    assert {path.name for path in (folder / "profiles").iterdir()} == set(states)
    assert all("_" in run["job"] for run in status(call).values())


def test_runs_at_the_same_time_wait_for_the_repetition_before(call, folder):
    (folder / "campaign.toml").write_text(
        f"{DESCRIPTION}one_at_a_time = false\n".replace("repetitions = 1", "repetitions = 2")
    )
    order = planned(call)
    submitted(call)
    assert [sorted(half) for half in (made(folder)[:4], made(folder)[4:])] == [sorted(order[:4])] * 2


@pytest.mark.parametrize("accepted", [True, False])
def test_a_submission_killed_while_it_hands_over_a_job(call, folder, accepted):
    """Whether the scheduler had accepted it or not, the job is known afterwards."""
    order = planned(call)
    (folder / "bin").mkdir()
    killer = folder / "bin/sbatch"
    real = shutil.which("sbatch")
    handed_over = f'{real} "$@" >/dev/null\n' if accepted else ""
    killer.write_text(
        f'#!/bin/sh\nif [ -e once ]; then {handed_over}kill -9 $PPID; exit; fi\ntouch once\n{real} "$@"\n'
    )
    killer.chmod(0o755)
    (folder / f"hang{order[0].split()[1]}").touch()
    process = subprocess.run(
        [sys.executable, "-m", "pipeline", "campaign", "submit"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{killer.parent}:{os.environ['PATH']}"},
        capture_output=True,
        check=False,
    )
    assert process.returncode == -signal.SIGKILL
    until(lambda: made(folder))
    before = set(queued())
    assert call("campaign", "submit")[0] == 0
    assert before < set(queued()) if not accepted else before <= set(queued())
    assert len(queued()) == len(names_of(call, "submitted", "running")) == RUNS
    (folder / f"hang{order[0].split()[1]}").unlink()
    until(lambda: not names_of(call, "submitted", "running"))
    assert len(names_of(call, "done")) == RUNS
    assert made(folder) == order


def hanging(call, folder, number):
    """Submit, and wait until the run of that number in the design hangs; return its name."""
    order = planned(call)
    n = order[number].split()[1]
    (folder / f"hang{n}").touch()
    call("campaign", "submit")
    until(lambda: made(folder) and made(folder)[-1].split()[1] == n)
    (name,) = names_of(call, "running")
    return name


def go_on(folder):
    for file in folder.glob("hang*"):
        file.unlink()


def test_a_cancelled_run_is_made_again(call, folder):
    name = hanging(call, folder, 1)
    subprocess.run(["scancel", status(call)[name]["job"]], check=True)
    go_on(folder)
    until(lambda: not names_of(call, "submitted", "running"))
    assert names_of(call, "failed") == [name]
    assert f"{name} failed: job was cancelled" in lines_of_status(call)
    submitted(call)
    assert names_of(call, "failed") == []
    assert sorted(made(folder)) == sorted([*planned(call), made(folder)[-1]])


def test_cancelled_jobs_are_submitted_again(call, folder):
    hanging(call, folder, 1)
    subprocess.run(["scancel", "--me"], check=True)
    until(lambda: not queued())
    begun = made(folder)
    reasons = [run["reason"] for run in status(call).values() if run["reason"]]
    never = "left the queue without being started"
    assert sorted(reasons) == sorted(["job was cancelled", *[never] * (RUNS - len(begun))])
    go_on(folder)
    submitted(call)
    assert names_of(call, "done") == list(status(call))
    assert sorted(made(folder)) == sorted([*planned(call), begun[-1]])


def test_a_node_that_goes_down_and_comes_back(call, folder):
    name = hanging(call, folder, 1)
    node = os.uname().nodename.partition(".")[0]
    down = ["scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test"]
    subprocess.run(down, check=True)
    until(lambda: names_of(call, "failed"))
    assert f"{name} failed: its node failed" in lines_of_status(call)
    until(lambda: any(line.startswith("Held back by the scheduler: ") for line in lines_of_status(call)))
    go_on(folder)
    assert call("campaign", "submit")[0] == 0
    subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], check=True)
    until(lambda: not names_of(call, "submitted", "running"))
    assert len(names_of(call, "done")) == RUNS
    assert len(made(folder)) == RUNS + 1


def test_a_controller_that_is_stopped_and_started_again(call, folder, slurm):
    name = hanging(call, folder, 1)
    local_slurm.end_daemon(slurm, "slurmctld", signal.SIGTERM)
    try:
        assert any(line.startswith("The queue cannot be read (") for line in lines_of_status(call))
        assert call("campaign", "submit")[0] == 0
        assert name in names_of(call, "running")
    finally:
        local_slurm.start_controller(slurm)
    go_on(folder)
    until(lambda: not names_of(call, "submitted", "running"))
    assert len(names_of(call, "done")) == RUNS
    assert made(folder) == planned(call)


def test_a_controller_that_forgets_its_jobs(call, folder, slurm):
    """Killed before it has stored them, it ends those that it does not know."""
    name = hanging(call, folder, 1)
    begun = made(folder)
    local_slurm.end_daemon(slurm, "slurmctld", signal.SIGKILL)
    for stored in (slurm / "state").glob("job_state*"):
        stored.unlink()
    local_slurm.start_controller(slurm)
    script = read_facts(folder / "work" / name / "started")["pid"]
    until(lambda: name in names_of(call, "failed") and not alive(script))
    assert any(
        line.startswith(f"{name} failed: ended without an exit status") for line in lines_of_status(call)
    )
    go_on(folder)
    submitted(call)
    assert len(names_of(call, "done")) == RUNS
    assert sorted(made(folder)) == sorted([*planned(call), begun[-1]])


def alive(process):
    command = Path("/proc", process, "cmdline")
    return command.exists() and bool(command.read_bytes())


@pytest.fixture
def small_disk(folder):
    """Mount a small disk where the runs are prepared; filling it leaves no space."""
    with mounted(folder / "work", "2M") as work:
        yield work


def fill(disk):
    with (disk / "ballast").open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))


def test_a_full_disk(call, folder, small_disk, refused):
    name = hanging(call, folder, 1)
    begun = made(folder)
    fill(small_disk)
    go_on(folder)
    until(lambda: not names_of(call, "submitted", "running"))
    assert f"{name} failed: no space left on the disk" in lines_of_status(call)
    assert {run["reason"] for run in status(call).values()} == {"", "no space left on the disk"}
    assert len(names_of(call, "failed")) == RUNS - len(begun) + 1
    fill(small_disk)
    assert "No space left on device" in refused("campaign", "submit")
    (small_disk / "ballast").unlink()
    submitted(call)
    assert len(names_of(call, "done")) == RUNS
    assert sorted(made(folder)) == sorted([*planned(call), begun[-1]])
