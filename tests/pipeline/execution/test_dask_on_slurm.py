"""The batch script of the documentation, on a real Slurm."""

import filecmp
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.campaigns import PATIENCE

pytest.importorskip("distributed", reason="the extra `dask` is not installed")

ROOT = Path(__file__).parents[3]
TELL_TIMES = {"run.json", "report.html"}  # how long each stage took
SCRIPT = re.compile(r"```bash\n(#!/bin/bash\n.*?)```", re.DOTALL)


def test_the_batch_script_of_the_documentation_reads_a_study(slurm, strong_study, tmp_path, monkeypatch):
    (script,) = SCRIPT.findall((ROOT / "docs/how-to/cluster.md").read_text())
    for old, new in (
        ("--nodes=4", "--nodes=1"),
        ("--ntasks-per-node=16", "--ntasks-per-node=2"),
        ('source "$HOME/callpaths/bin/activate"', f"export PYTHONPATH={ROOT}"),
        ("pipeline run campaign", f"{sys.executable} -m pipeline run {strong_study}"),
    ):
        assert old in script
        script = script.replace(old, new)
    (tmp_path / "job.sh").write_text(script)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    command = ["sbatch", "--parsable", "--output=job.out", "job.sh"]
    job = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    queue = ["squeue", "--noheader", "--me", "--format=%i"]
    end = time.monotonic() + PATIENCE
    while job in subprocess.run(queue, check=True, capture_output=True, text=True).stdout.split():
        assert time.monotonic() < end, (tmp_path / "job.out").read_text()
        time.sleep(0.2)
    shown = subprocess.run(
        ["scontrol", "show", "job", job], check=True, capture_output=True, text=True
    ).stdout
    assert "JobState=COMPLETED" in shown, (tmp_path / "job.out").read_text()
    here = [sys.executable, "-m", "pipeline", "run", strong_study, "--out", "here"]
    subprocess.run(here, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    stored = {path.name for path in Path("here").iterdir() if path.is_file()}
    assert stored == {path.name for path in Path("results").iterdir() if path.is_file()}
    _, different, unread = filecmp.cmpfiles("here", "results", stored - TELL_TIMES, shallow=False)
    assert not different + unread
