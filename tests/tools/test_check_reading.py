"""What reads measurements and results, models them and shows pages needs nothing that only POSIX has.

Python starts without the modules and functions that Windows lacks; `msvcrt` stands for that of Windows.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITHOUT_POSIX = """
import errno, os, signal, subprocess, sys, types

MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "crypt", "spwd", "nis"}
FUNCTIONS = (
    "fork forkpty getuid geteuid getgid getegid getloadavg killpg setsid pread pwrite statvfs sysconf mkfifo "
    "sched_getaffinity sched_setaffinity wait wait3 wait4 posix_spawn O_NOFOLLOW O_DIRECTORY O_NONBLOCK"
).split()

class Windows:
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Windows())
for name in MODULES:
    sys.modules.pop(name, None)
for name in FUNCTIONS:
    delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGCHLD", "alarm", "setitimer", "pthread_kill"):
    delattr(signal, name)

def locking(handle, mode, size):
    try:
        os.lockf(handle, mode, size)
    except BlockingIOError as held:
        raise PermissionError(errno.EACCES, "Permission denied") from held  # as Windows has it

sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=os.F_TLOCK, locking=locking)
"""
IMPORT_ALL = """
import importlib, pkgutil

for root in ("ingest", "filters", "pipeline"):
    package = importlib.import_module(root)
    for found in pkgutil.walk_packages(package.__path__, f"{root}."):
        if found.name != "pipeline.__main__":
            try:
                importlib.import_module(found.name)
            except (ImportError, AttributeError):
                print(found.name)
"""
LOCK = """
import sys
from pathlib import Path
from pipeline.store.lock import only_writer

with only_writer(Path(sys.argv[1]), print):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def environment(tmp_path):
    """The environment of a Python that starts without what only POSIX has."""
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITHOUT_POSIX)
    return os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


@pytest.mark.slow
def test_only_the_rounds_of_campaigns_cannot_be_imported(environment):
    command = [sys.executable, "-c", IMPORT_ALL]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["pipeline.stages.campaign_rounds"]


def test_a_second_writer_waits_for_the_lock(environment, tmp_path):
    command = [sys.executable, "-c", LOCK, str(tmp_path)]

    def start():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=environment, **pipes)

    with start() as first:
        assert first.stdout.readline() == "held\n"
        with start() as second:
            assert "another run is writing" in second.stdout.readline()
            first.stdin.close()
            assert second.stdout.readline() == "held\n"
            second.stdin.close()
    assert (first.returncode, second.returncode) == (0, 0)


@pytest.mark.slow
def test_everything_that_reads_works(environment, tmp_path):
    command = [sys.executable, ROOT / "tools/check_reading.py", tmp_path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MISSING" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", [["campaign", "status"], ["machine", "measure"]])
def test_what_needs_linux_says_so(environment, tmp_path, command):
    start = "import sys; sys.platform = 'darwin'; from pipeline.cli import main; main()"
    words = [sys.executable, "-c", start, *command]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "on Linux only" in done.stderr.splitlines()[-1]
