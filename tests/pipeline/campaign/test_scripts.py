"""Scripts of runs and jobs: approved texts that bash can parse, and what they do when they are started."""

import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.campaign.campaign_design import CampaignDesign, extended
from pipeline.campaign.folders import RunFolder
from pipeline.campaign.run_script import jobs, run_script, submit_command
from pipeline.campaign.run_state import run_state
from tests.campaigns import until

SLURM = """\
[launcher]
program = "srun"
options = ["--cpu-bind=cores"]
threads = 2
[scheduler]
kind = "slurm"
time = "01:00:00"
options = ["--partition=short"]
cores_per_node = 4
[[scheduler.scale]]
p = 4
time = "02:00:00"
options = ["--constraint=gpu"]
"""


def planned(campaign, **point):
    runs = extended(CampaignDesign(7), campaign).runs
    return [run for run in runs if point.items() <= run.point.items()]


def checked(text):
    """Return a script that bash can parse."""
    result = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return text


@pytest.fixture
def shown(tmp_path, snapshot):
    def compare(text, name):
        snapshot(checked(text).replace(str(tmp_path), "/home/ada"), name)

    return compare


def test_jobs_of_slurm(described, shown):
    campaign = described(SLURM)
    made = jobs(campaign, planned(campaign))
    commands = [
        submit_command(campaign, job, Path(f"{job.name}.sh"), [f"J{n}" for n in job.after]) for job in made
    ]
    shown("\n".join((*(job.script for job in made[:3]), *map(shlex.join, commands))), "slurm.txt")
    assert [run for job in made for run in job.runs] == planned(campaign)
    assert [job.after for job in made] == [(), *((n,) for n in range(len(made) - 1))]


def test_consecutive_runs_that_need_the_same_are_an_array(described):
    campaign = described(SLURM)
    made = jobs(campaign, planned(campaign))
    for job in made:
        assert len({(run.point["p"], run.repetition) for run in job.runs}) == 1
    assert {len(job.runs) for job in made} == {1, 2}


def test_runs_at_the_same_time_wait_for_the_repetition_before(described):
    campaign = described(SLURM.replace("cores_per_node", "one_at_a_time = false\ncores_per_node"))
    made = jobs(campaign, planned(campaign))
    of_block = {
        number: [n for n, j in enumerate(made) if j.runs[0].repetition == number] for number in (1, 2, 3)
    }
    for number, job in enumerate(made):
        before = of_block.get(job.runs[0].repetition - 1, [])
        assert job.after == tuple(before), number
    assert not any("%1" in word for job in made for word in submit_command(campaign, job, Path("x"), []))


def test_jobs_of_pbs(described, shown):
    campaign = described(
        SLURM.replace('"slurm"', '"pbs"')
        .replace("--partition=", "-q ")
        .replace("--constraint=gpu", "-l place=excl")
        .replace('"srun"', '"mpirun"')
    )
    made = jobs(campaign, planned(campaign, n=8))
    assert [len(job.runs) for job in made] == [1] * 9
    commands = [
        submit_command(campaign, job, Path(f"{job.name}.sh"), [f"J{n}" for n in job.after]) for job in made
    ]
    shown("\n".join((*(job.script for job in made[:3]), *map(shlex.join, commands))), "pbs.txt")


def test_the_script_of_a_run(described, shown, tmp_path):
    (tmp_path / "app.filter").touch()
    (tmp_path / "it's a case").mkdir()
    text = """\
[measurement]
tool = "score-p"
filter = "app.filter"
environment = { SCOREP_TOTAL_MEMORY = "64 M" }
"""
    application = (
        '{n}"\ninputs = ["it\'s a case/"]\nprepare = ["module load x-{n}"]\ncollect = ["out {a,b}.csv"]'
    )
    campaign = described(SLURM, text, changed={'{n}"': application})
    (run, *_) = planned(campaign, p=4, n=20.5)
    shown(run_script(campaign, run, RunFolder(campaign.work / run.name), version="1"), "run.txt")


@pytest.fixture
def start(described, tmp_path):
    """Write the script of a run with a command of the shell, and start it."""

    def begin(command, *, appended=(), application="", times=1):
        (tmp_path / "go").write_text(f"#!/bin/sh\n{command}\n")
        campaign = described(
            *appended, changed={'"true {p} {n}"': f'"sh {{folder}}/go {{p}} {{n}}"\n{application}'}
        )
        (run, *_) = planned(campaign, p=2, n=20.5)
        folder = RunFolder(campaign.work / run.name)
        folder.path.mkdir(parents=True)
        campaign.profiles.mkdir(exist_ok=True)
        folder.script.write_text(run_script(campaign, run, folder, version="1"))
        for _ in range(times):
            subprocess.run(["bash", folder.script], check=False, capture_output=True)
        facts = dict(line.split("=", 1) for line in folder.finished.read_text().splitlines())
        return folder, campaign.profiles / run.name, facts

    return begin


def test_what_a_run_leaves(start):
    _, profiles, facts = start(
        'echo "$1 $2 $OMP_NUM_THREADS $A"; sleep 0.2', appended=['[measurement.environment]\nA = "x y"']
    )
    assert (profiles / "run.log").read_text() == "2 20.5 1 x y\n"
    assert (facts["status"], facts["reason"]) == ("0", "")
    assert 0.2 <= float(facts["seconds"]) < 10
    assert {path.name for path in (profiles / ".campaign").iterdir()} == {
        "environment",
        "finished",
        "provenance",
        "started",
    }
    assert "OMP_NUM_THREADS=1" in (profiles / ".campaign/environment").read_text()
    assert "program_digest=" in (profiles / ".campaign/provenance").read_text()
    assert not list(profiles.parent.glob(".*"))


def test_secrets_of_the_environment_are_not_written(start, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "hunter2")
    folder, _, _ = start("true")
    files = [path for path in folder.path.parent.parent.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"hunter2" in path.read_bytes()]


def test_a_run_is_made_once_however_often_it_is_started(start, tmp_path):
    start(f"echo once >>{tmp_path}/made", times=3)
    assert (tmp_path / "made").read_text() == "once\n"


def test_files_are_collected_with_their_folders(start):
    command = "mkdir -p a/1 'b c'; touch a/1/x.csv 'b c/y.csv' other"
    _, profiles, _ = start(command, application='collect = ["*/1/*.csv", "b c/*"]')
    assert {p.relative_to(profiles).as_posix() for p in profiles.rglob("*.csv")} == {"a/1/x.csv", "b c/y.csv"}
    assert not (profiles / "other").exists()


@pytest.mark.parametrize(
    ("command", "application", "status", "reason"),
    [
        ("exit 5", "", "5", "exit status 5"),
        ("kill -9 $$", "", "137", "exit status 137"),
        ("touch y", 'collect = ["y", "z.*"]', "1", "no file matches z.*"),
        ("true", 'prepare = ["true", "false"]', "1", "prepare failed: false"),
        ("true", 'prepare = ["exit 4"]', "1", "ended early with exit status 4"),
    ],
)
def test_a_run_that_fails_says_why_and_leaves_no_profile(start, command, application, status, reason):
    _, profiles, facts = start(command, application=application)
    assert (facts["status"], facts["reason"]) == (status, reason)
    assert not profiles.exists()


def test_inputs_are_copied_for_each_run(start, tmp_path):
    (tmp_path / "case/0").mkdir(parents=True)
    (tmp_path / "case/0/U").write_text("1")
    (tmp_path / "one.txt").write_text("2")
    application = (
        'inputs = ["case/", "case", "one.txt"]\nprepare = ["cat 0/U case/0/U one.txt", "echo 3 >0/U"]'
    )
    folder, _, facts = start("cat 0/U", application=application)
    assert facts["reason"] == ""
    assert (folder.path / "prepare.log").read_text() == "112"
    assert (folder.path / "run.log").read_text() == "3\n"
    assert (tmp_path / "case/0/U").read_text() == "1"


def test_profiles_that_cannot_be_written_are_not_done(start, tmp_path):
    _, profiles, facts = start(f"rmdir {tmp_path}/profiles && touch {tmp_path}/profiles")
    assert (facts["status"], facts["reason"]) == ("1", "profiles cannot be written")
    assert not profiles.exists()


@pytest.fixture
def small_disk(tmp_path):
    """A folder of little space, `profiles` or `work` of the campaign, that a command can fill."""
    mounted = []

    def mount(name):
        folder = tmp_path / name
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            pytest.skip(f"a disk cannot be mounted here: {result.stderr.strip()}")
        mounted.append(folder)
        return f"head -c 1M /dev/zero >{folder}/ballast; true"

    yield mount
    for folder in mounted:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("left", [0, 20_000])
def test_a_run_that_finds_a_full_disk_is_not_started(described, small_disk, left):
    campaign = described()
    fill = small_disk("work")
    (run, *_) = planned(campaign)
    folder = RunFolder(campaign.work / run.name)
    folder.path.mkdir()
    folder.script.write_text(run_script(campaign, run, folder, version="1"))
    spared = folder.path.parent / "spared"
    spared.write_bytes(bytes(left))
    subprocess.run(["sh", "-c", fill], check=True, capture_output=True)
    spared.unlink()
    subprocess.run(["bash", folder.script], check=False, capture_output=True)
    assert folder.started.stat().st_size == 0
    state = run_state(folder, lambda _: False)
    assert (state.status, state.reason, state.interrupted) == ("failed", "no space left on the disk", True)
    assert {path.name for path in folder.path.iterdir()} == {"run.sh", "started"}


@pytest.mark.parametrize("disk", ["profiles", "work"])
def test_a_full_disk_is_the_reason_even_if_the_program_ignores_it(start, small_disk, disk):
    _, profiles, facts = start(small_disk(disk))
    assert (facts["status"], facts["reason"]) == ("1", "no space left on the disk")
    assert not [path.name for path in profiles.parent.iterdir() if path.name != "ballast"]


def test_a_run_that_was_lost_and_started_anew_is_left_alone(start):
    """Its script, which was believed dead, ends without a word."""
    folder, profiles, facts = start("echo time=9 >../started; echo status=7 >../finished")
    assert facts == {"status": "7"}
    assert (folder.path / "run.log").exists()
    assert not profiles.exists()


def test_commit_and_filter_become_metadata(start, tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "app.filter").write_text("SCOREP_REGION_NAMES_BEGIN\nSCOREP_REGION_NAMES_END\n")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    measurement = '[measurement]\ntool = "score-p"\nfilter = "app.filter"'
    command = 'mkdir scorep; touch scorep/profile.cubex scorep/scorep.cfg; echo "$SCOREP_FILTERING_FILE"'
    _, profiles, _ = start(command, appended=[measurement])
    noted = (profiles / "metadata.toml").read_text()
    assert re.fullmatch(r'commit = "[0-9a-f]{40}"\nfilter = "[0-9a-f]{12}"\n', noted)
    assert (profiles / "scorep/profile.cubex").exists()
    assert (profiles / "scorep/scorep.cfg").exists()
    assert (profiles / "run.log").read_text() == f"{tmp_path}/app.filter\n"


def test_an_earlier_profile_is_kept(start, described, tmp_path):
    folder, profiles, _ = start("echo 1")
    folder.path.rename(tmp_path / "away")
    folder.path.mkdir()
    folder.script.write_text((tmp_path / "away/run.sh").read_text())
    subprocess.run(["bash", folder.script], check=True)
    (earlier,) = folder.path.glob("profiles.*")
    assert (earlier / "run.log").exists()
    assert (profiles / "run.log").exists()


def test_scales_of_a_campaign_do_not_share_resources(described):
    campaign = replace(described(SLURM), repetitions=1)
    scripts = {job.runs[0].point["p"]: job.script for job in jobs(campaign, planned(campaign))}
    assert "--ntasks=4\n#SBATCH --cpus-per-task=2\n#SBATCH --time=02:00:00" in scripts[4]
    assert "--nodes=2\n" in scripts[4]
    assert "--nodes=1\n" in scripts[1]


def test_a_stopped_run_ends_with_all_its_processes(start, tmp_path):
    command = f"sleep 300 & echo $! >{tmp_path}/pid; kill -TERM $PPID; wait"
    _, profiles, facts = start(command)
    assert (facts["status"], facts["reason"]) == ("143", "stopped by SIGTERM")
    assert not profiles.exists()
    command_line = Path("/proc", (tmp_path / "pid").read_text().strip(), "cmdline")
    until(lambda: not command_line.exists() or not command_line.read_bytes())  # gone, or a zombie of nobody
