"""Wall time, processor time and memory of a command with all its processes."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

EVERY = 0.05
COMMAND = (sys.executable, "-c", "from pipeline.cli import main; main()")
ANONYMOUS, RESIDENT = (re.compile(rf"^{name}:\s+(\d+) kB", re.MULTILINE) for name in ("RssAnon", "VmRSS"))


@dataclass(frozen=True)
class Cost:
    """What a command took.

    Attributes:
        wall: seconds.
        processor: seconds of all its processes.
        resident: largest sum of the resident memory of its processes, in bytes; pages of mapped files that
            several of them use count several times.
        own: the same without the pages of mapped files.
    """

    wall: float
    processor: float
    resident: int
    own: int


def run_pipeline(*arguments: str | Path) -> Cost:
    """Run `pipeline` with these arguments; RuntimeError where it fails."""
    before = os.times()
    start = time.perf_counter()
    command = [*COMMAND, *map(str, arguments)]
    resident = own = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            used = [_memory(pid) for pid in _with_children(process.pid)]
            resident = max(resident, sum(pages for pages, _ in used))
            own = max(own, sum(pages for _, pages in used))
            time.sleep(EVERY)
        told = process.stderr.read().decode() if process.stderr else ""
    if process.returncode:
        raise RuntimeError(told)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(time.perf_counter() - start, spent, resident, own)


def _with_children(pid: int) -> list[int]:
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(found for child in below for found in _with_children(int(child)))]


def _memory(pid: int) -> tuple[int, int]:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0, 0
    found = (pattern.search(status) for pattern in (RESIDENT, ANONYMOUS))
    resident, own = (1024 * int(match[1]) if match else 0 for match in found)
    return resident, own
