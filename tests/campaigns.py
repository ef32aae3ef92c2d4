"""What tests of campaigns share: a folder with a program and a description, and what happens there."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0  # seconds until a test gives up on what takes a few, on a machine that does much else


def begin(folder, monkeypatch, description, **programs):
    """Make the folder of a campaign the current one; programs are written by the names of their files."""
    monkeypatch.chdir(folder)
    for name, text in programs.items():
        (folder / name.replace("_", ".")).write_text(text)
    (folder / "campaign.toml").write_text(description)
    return folder


def change(folder, old, new):
    """Change the description of a campaign."""
    file = folder / "campaign.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def status(call):
    """The runs by name, as `pipeline campaign status` gives them."""
    _, printed, _ = call("campaign", "status", "--json", "-")
    return {run["name"]: run for run in json.loads(printed)["runs"]}


def made(folder):
    """The runs whose program was started, as it notes them, in order."""
    file = folder / "made"
    return file.read_text().splitlines() if file.exists() else []


def until(true, seconds=PATIENCE):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def start(folder, *words, **options):
    """Start `pipeline campaign` with words as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pipeline", "campaign", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        **options,
    )


def queued():
    """The user's jobs in the queue of Slurm."""
    command = ["squeue", "--me", "--noheader", "--array", "--format=%i"]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout.split()


@contextmanager
def mounted(folder, size):
    """Mount a small disk as a folder; skips if that is not allowed here."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        pytest.skip(f"a disk cannot be mounted here: {result.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
