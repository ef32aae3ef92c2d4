"""A campaign's loop on a real Slurm: it goes on after whatever breaks, and makes no run twice."""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from tests.campaigns import PATIENCE, begin, made, mounted, queued, start, until
from tests.pipeline.cli.test_campaign_loop import DESCRIPTION, PROGRAM
from tools import local_slurm

NODE = os.uname().nodename.partition(".")[0]
NODE_LOST = re.compile("failed: (its node failed|ended without an exit status)")
"""Slurm may take a job from its queue before the node that was lost writes why."""


@pytest.fixture
def folder(slurm, tmp_path, monkeypatch):
    """A campaign with a question, of a small program on Slurm, whose runs hang at n = 16."""
    begin(tmp_path, monkeypatch, f'{DESCRIPTION}[scheduler]\nkind = "slurm"\n', timers_py=PROGRAM)
    (tmp_path / "hang16").touch()
    yield tmp_path
    subprocess.run(["scancel", "--me"], check=False)
    until(lambda: not queued())


def looping(folder):
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return start(folder, "loop", "--interval", "0.5", **output)


def ended(process):
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, output
    assert re.search(r"answered\.(\s+Answers are about [^;]*)?\Z", output.rstrip()), output
    return output


def runs(call):
    return json.loads(call("campaign", "plan", "--json", "-")[1])["runs"]


def hung(folder, times):
    until(lambda: made(folder).count("16") == times)


def scontrol(state):
    subprocess.run(["scontrol", "update", f"NodeName={NODE}", f"State={state}", "Reason=test"], check=True)


def test_a_job_a_node_the_controller_and_the_loop_itself_are_killed(call, folder, slurm):
    process = looping(folder)
    hung(folder, 1)
    subprocess.run(["scancel", "--me"], check=True)
    hung(folder, 2)
    scontrol("DOWN")
    until(lambda: "Held back by the scheduler: " in call("campaign", "status")[1])
    scontrol("RESUME")
    hung(folder, 3)
    local_slurm.end_daemon(slurm, "slurmctld", signal.SIGTERM)
    time.sleep(4)
    assert process.poll() is None
    local_slurm.start_controller(slurm)
    process.kill()
    output, _ = process.communicate()
    assert "failed: job was cancelled" in output
    assert output.count("melt.n16.r1: failed: ") == 2
    assert NODE_LOST.search(output)
    process = looping(folder)
    time.sleep(2)
    (folder / "hang16").unlink()
    ended(process)
    planned = runs(call)
    assert {run["status"] for run in planned} == {"done"}
    assert len(made(folder)) == len(planned) + 2


@pytest.fixture
def small_disk(folder):
    """Mount a small disk where the runs are prepared."""
    with mounted(folder / "work", "4M") as work:
        yield work


def test_a_full_disk_ends_the_loop_until_there_is_space(call, folder, small_disk):
    process = looping(folder)
    hung(folder, 1)
    with (small_disk / "ballast").open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))
    (folder / "hang16").unlink()
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, output
    assert output.count("melt.n16.r1: failed: no space left on the disk") == 5
    assert "melt.n16.r1 was stopped 5 times: find out why" in output
    (small_disk / "ballast").unlink()
    ended(looping(folder))
    planned = runs(call)
    assert {run["status"] for run in planned} == {"done"}
    assert len(made(folder)) == len(planned) + 1
