"""`pipeline campaign`: from an empty folder to profiles that `pipeline run` models."""

import json
import os
import signal
import subprocess
import sys

import pytest

from pipeline.store.lock import only_campaign_here
from tests.campaigns import PATIENCE, ROOT, begin, made, start, status, until

PROGRAM = '''\
"""Prints the timers that a run would have, as LAMMPS does, or fails as it is told."""
import pathlib, sys, time
p, n = int(sys.argv[1]), int(sys.argv[2])
here = pathlib.Path(__file__).parent
with open(here / "made", "a") as made:
    print(p, n, file=made)
if (here / f"fail{n}").exists():
    print("cannot allocate", file=sys.stderr)
    sys.exit(4)
while (here / f"hang{n}").exists():
    time.sleep(0.05)
pair, comm = 9e-6 * n**3 / p, 1e-3 * p
print(f"""LAMMPS (29 Sep 2021)
Loop time of {pair + comm:.6f} on {p} procs for 300 steps with {4 * n**3} atoms
99.0% CPU use with {p} MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | {pair:.6f} | {pair:.6f} | {pair:.6f} | 0.0 | 50
Comm    | {comm:.6f} | {comm:.6f} | {comm:.6f} | 0.0 | 50

Nlocal: 1 ave 1 max 1 min
Total wall time: 0:00:00""")
'''

DESCRIPTION = f"""\
[campaign]
repetitions = 2
seed = 7
[application]
name = "melt"
command = "{sys.executable} {{folder}}/timers.py {{p}} {{n}}"
[scales]
p = [1, 2]
n = [8, 16]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A campaign of a small program, in the current directory."""
    return begin(tmp_path, monkeypatch, DESCRIPTION, timers_py=PROGRAM)


@pytest.mark.slow
def test_from_an_empty_folder_to_models(call, folder):
    (folder / "campaign.toml").unlink()
    code, printed, error = call("campaign", "init")
    assert (code, printed, error) == (0, "", "pipeline: wrote campaign.toml\n")
    text = (folder / "campaign.toml").read_text()
    for old, new in (
        ("repetitions = 5", "repetitions = 2"),
        ('"app"', '"melt"'),
        ('"./solver --size {n}"', f'"{sys.executable} {{folder}}/timers.py {{p}} {{n}}"'),
        ("[1, 2, 4, 8, 16]", "[1, 2]"),
        ("[64]", "[8, 12, 16, 20, 24]"),
        ('program = "mpirun"', 'program = "none"'),
    ):
        assert old in text
        text = text.replace(old, new)
    (folder / "campaign.toml").write_text(text)
    code, printed, _ = call("campaign", "plan")
    assert code == 0
    assert "20 runs at 10 scales" in printed
    assert "20 runs of unknown cost" in printed
    code, printed, _ = call("campaign", "submit")
    assert (code, "20 of 20 runs done" in printed) == (0, True)
    code, printed, error = call("run", "profiles", "--json", "-")
    assert code == 0
    assert "skipped" not in error
    summary = json.loads(printed)
    assert summary["parameters"] == ["p", "n"]
    assert len(summary["points"]) == 10
    pair = next(kernel for kernel in summary["kernels"] if kernel["region"] == "Pair")
    assert pair["growth"] == "n^3"
    code, printed, _ = call("campaign", "plan", "--results", "results", "--json", "-")
    costs = [run["expected_core_seconds"] for run in json.loads(printed)["runs"]]
    assert (code, all(cost > 0 for cost in costs)) == (0, True)


def test_init_does_not_overwrite(call, folder):
    code, _, error = call("campaign", "init")
    assert (code, error) == (2, "pipeline: campaign.toml: exists already; choose another file with -o\n")
    assert (folder / "campaign.toml").read_text() == DESCRIPTION


@pytest.mark.slow
def test_the_runs_are_made_in_the_planned_order_and_none_twice(call, folder):
    _, printed, _ = call("campaign", "plan", "--json", "-")
    planned = [f"{run['point']['p']:.0f} {run['point']['n']:.0f}" for run in json.loads(printed)["runs"]]
    call("campaign", "submit")
    assert made(folder) == planned
    code, _, error = call("campaign", "submit")
    assert (code, error) == (0, "")
    assert made(folder) == planned
    stored = folder / "work/design.json"
    before = stored.read_text()
    call("campaign", "plan")
    assert stored.read_text() == before


def test_a_plan_without_a_seed_keeps_the_one_that_it_drew(call, folder):
    (folder / "campaign.toml").write_text(DESCRIPTION.replace("seed = 7\n", ""))
    seeds = {json.loads(call("campaign", "plan", "--json", "-")[1])["seed"] for _ in range(2)}
    assert len(seeds) == 1
    (folder / "campaign.toml").write_text(DESCRIPTION)
    assert json.loads(call("campaign", "plan", "--json", "-")[1])["seed"] == 7


def test_a_dry_run_prints_and_starts_nothing(call, folder):
    code, printed, error = call("campaign", "submit", "--dry-run")
    assert (code, error) == (0, "")
    assert printed.count("#!/usr/bin/env bash") == 8
    assert f"bash {folder}/work/melt.p1.n16.r2/run.sh" in printed.splitlines()
    assert sorted(path.name for path in folder.iterdir()) == ["campaign.toml", "timers.py"]
    assert subprocess.run(["bash", "-n"], input=printed, text=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_failed_run_is_shown_with_its_log_and_repeated_on_request(call, folder):
    (folder / "fail16").touch()
    code, printed, error = call("campaign", "submit")
    assert code == 3
    assert "melt.p1.n16.r1 failed: exit status 4\n  cannot allocate\n" in printed
    assert "failed: exit status 4: cannot allocate" in error
    assert len(made(folder)) == 8
    assert not list((folder / "profiles").glob("*n16*"))
    (folder / "fail16").unlink()
    assert call("campaign", "submit")[0] == 3
    assert len(made(folder)) == 8
    code, printed, _ = call("campaign", "submit", "--failed")
    assert (code, "8 of 8 runs done" in printed) == (0, True)
    assert len(made(folder)) == 12
    log = folder / "work/melt.p1.n16.r1.attempt1/run.log"
    assert log.read_text() == "cannot allocate\n"


def test_failures_in_sequence_stop_the_rest(call, folder):
    for n in (8, 16):
        (folder / f"fail{n}").touch()
    code, _, error = call("campaign", "submit")
    assert code == 3
    assert "3 runs failed in sequence: the others are not tried" in error
    assert len(made(folder)) == 3


def submitting(folder):
    return start(folder, "submit", stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_submission_that_is_stopped_stops_its_run_and_can_be_resumed(call, folder, number):
    (folder / "hang16").touch()
    process = submitting(folder)
    until(lambda: any(line.endswith(" 16") for line in made(folder)))
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    (stopped,) = [name for name, run in status(call).items() if run["status"] == "failed"]
    assert status(call)[stopped]["reason"] == "stopped by SIGINT"
    first = made(folder)
    (folder / "hang16").unlink()
    code, printed, _ = call("campaign", "submit")
    assert (code, "8 of 8 runs done" in printed) == (0, True)
    assert len(made(folder)) == 9
    assert made(folder)[: len(first)] == first


@pytest.mark.slow
def test_a_run_outlives_a_killed_submission_and_is_not_made_again(call, folder):
    (folder / "hang16").touch()
    process = submitting(folder)
    until(lambda: any(line.endswith(" 16") for line in made(folder)))
    process.kill()
    process.communicate(timeout=PATIENCE)
    (running,) = [name for name, run in status(call).items() if run["status"] == "running"]
    second = submitting(folder)
    assert f"{running} is still running; waiting".encode() in second.stderr.readline()
    (folder / "hang16").unlink()
    second.communicate(timeout=PATIENCE)
    assert second.returncode == 0
    assert {run["status"] for run in status(call).values()} == {"done"}
    assert len(made(folder)) == 8


@pytest.mark.slow
def test_a_killed_run_is_lost_and_made_again(call, folder):
    (folder / "hang16").touch()
    process = submitting(folder)
    until(lambda: any(line.endswith(" 16") for line in made(folder)))
    process.kill()
    process.communicate(timeout=PATIENCE)
    (running,) = [name for name, run in status(call).items() if run["status"] == "running"]
    facts = dict(
        line.split("=", 1) for line in (folder / "work" / running / "started").read_text().splitlines()
    )
    os.kill(int(facts["pid"]), signal.SIGKILL)
    (folder / "hang16").unlink()
    until(lambda: status(call)[running]["status"] == "failed")
    assert status(call)[running]["reason"] == "ended without an exit status"
    code, printed, _ = call("campaign", "submit")
    assert (code, "8 of 8 runs done" in printed) == (0, True)
    assert len(made(folder)) == 9


@pytest.mark.slow
def test_two_submissions_at_once_make_every_run_once(folder):
    processes = [submitting(folder) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    assert sorted(made(folder)) == sorted(["1 8", "1 16", "2 8", "2 16"] * 2)


@pytest.mark.slow
def test_campaigns_of_two_folders_do_not_run_at_the_same_time(call, folder):
    """Not even if the first is killed: its run goes on, and the second waits for it."""
    (folder / "hang16").touch()
    first = submitting(folder)
    until(lambda: any(line.endswith(" 16") for line in made(folder)))
    other = folder / "other"
    other.mkdir()
    for name in ("campaign.toml", "timers.py"):
        (other / name).write_text((folder / name).read_text())
    assert call("campaign", "plan", other / "campaign.toml")[0] == 0
    first.kill()
    first.communicate(timeout=PATIENCE)
    second = submitting(other)
    waits = f"pipeline: {folder}/campaign.toml is running on this machine; waiting\n"
    assert second.stderr.readline().decode() == waits
    assert not made(other)
    (folder / "hang16").unlink()
    second.communicate(timeout=PATIENCE)
    assert second.returncode == 0
    assert len(made(other)) == 8


@pytest.mark.slow
def test_who_has_nothing_to_run_waits_for_nobody(call, folder):
    assert call("campaign", "submit")[0] == 0
    with only_campaign_here(folder / "other.toml", print):
        assert submitting(folder).communicate(timeout=PATIENCE) == (None, b"")


def test_the_budget_ends_the_runs(call, folder):
    (folder / "campaign.toml").write_text(DESCRIPTION.replace("seed = 7", 'budget = "0.001 core-s"'))
    code, _, error = call("campaign", "submit")
    assert code == 0
    assert "7 of the runs are left for later: the budget does not allow them" in error
    assert len(made(folder)) == 1


@pytest.mark.slow
def test_status_counts_runs_by_scale(call, folder):
    code, printed, _ = call("campaign", "status")
    assert code == 0
    assert "0 of 8 runs done" in printed
    assert not (folder / "work").exists()
    call("campaign", "submit")
    code, printed, _ = call("campaign", "status", "--watch")
    answer, head, first, *_, way_on = printed.splitlines()
    assert answer.startswith("8 of 8 runs done.") and way_on == "Next: pipeline run profiles"
    assert head.split()[:2] == ["scale", "done"]  # states without any run have no column
    assert first.split()[:7] == ["p", "=", "1,", "n", "=", "8", "2"]


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Programs that stand for those of a scheduler: they note how they were called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(name, text):
        (folder / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{tmp_path}/calls\n{text}\n')
        (folder / name).chmod(0o755)

    return write


@pytest.mark.parametrize(
    ("kind", "submit", "queue"), [("slurm", "sbatch", "squeue"), ("pbs", "qsub", "qselect")]
)
def test_jobs_are_submitted_once(call, folder, programs, kind, submit, queue):
    programs(submit, f"echo x >>{folder}/count; wc -l <{folder}/count")
    programs(queue, f"cat {folder}/queue")
    (folder / "campaign.toml").write_text(f'{DESCRIPTION}[scheduler]\nkind = "{kind}"\n')
    (folder / "queue").touch()
    code, _, error = call("campaign", "submit")
    assert code == 3  # the queue is empty: all are lost
    calls = [line for line in (folder / "calls").read_text().splitlines() if line.startswith(submit)]
    assert len(calls) == error.count("submitted melt")
    assert "afterany" not in calls[0]
    assert all(f"afterany:{number} " in line for number, line in enumerate(calls[1:], start=1))
    jobs = [run["job"] for run in status(call).values()]
    (folder / "queue").write_text("\n".join(jobs))
    assert {run["status"] for run in status(call).values()} == {"submitted"}
    code, _, error = call("campaign", "submit")
    assert (code, error) == (0, "")
    (folder / "queue").write_text("\n".join(jobs[1:]))
    call("campaign", "submit")
    last = (folder / "calls").read_text().splitlines()
    (again,) = [line for line in last if line.startswith(submit)][len(calls) :]
    assert f"afterany:{sorted(jobs[1:])[0]}:" in again


@pytest.mark.parametrize(
    ("appended", "message"),
    [
        ('[scheduler]\nkind = "pbs"', "no qsub here; call it on a login node"),
        ('[launcher]\nprogram = "srun"', "no srun here; load its module"),
        ("[budget]", "budget: unknown key"),
    ],
)
def test_what_is_wrong_is_one_line(refused, folder, monkeypatch, appended, message):
    monkeypatch.setenv("PATH", "/nonexistent")
    (folder / "campaign.toml").write_text(f"{DESCRIPTION}{appended}\n")
    assert message in refused("campaign", "submit")


def test_without_a_description(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, error = call("campaign", "status")
    assert code == 2
    assert error == "pipeline: campaign.toml: no such file; write one with `pipeline campaign init`\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_results_of_other_parameters(call, folder, refused):
    results = folder / "results"
    call("run", ROOT / "sample_profiles" / "openfoam-cavity", "--out", results)
    assert "the campaign has p, n; give results with the same parameters" in refused(
        "campaign", "plan", "--results", results
    )
