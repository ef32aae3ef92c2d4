"""Kill runs at random moments and compare what the next run gives with an undisturbed one.

    python -m tests.pipeline.store.killing DIR [TIMES]

runs `pipeline run` on a directory of profiles, kills it TIMES times (50) at moments spread over its duration,
runs it again each time, and tells how many of the results are those of the undisturbed run.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

START = "from pipeline.cli import main; main()"
TELL_SECONDS = {"run.json", "report.html"}
OF_THE_STORE = {".lock", "digests.jsonl"}  # what is remembered depends on how long ago files changed


def content(out: Path) -> dict[str, bytes]:
    """Return every file of a results directory but those in which times stand."""
    return {
        str(file.relative_to(out)): file.read_bytes()
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.name not in TELL_SECONDS | OF_THE_STORE
    }


def start(study: Path, out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", START, "run", str(study), "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def seconds_of_a_run(study: Path, out: Path) -> float:
    """Run without disturbance."""
    begin = time.perf_counter()
    with start(study, out) as process:
        if process.wait() != 0:
            raise RuntimeError(f"pipeline run {study} failed")
    return time.perf_counter() - begin


def kill_at(study: Path, out: Path, seconds: float) -> dict[str, bytes]:
    """Kill a run after that many seconds, run again, and return the content."""
    with start(study, out) as process:
        time.sleep(seconds)
        process.kill()
    seconds_of_a_run(study, out)
    return content(out)


def main() -> None:
    study, times = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        seconds = seconds_of_a_run(study, whole)
        expected, same = content(whole), 0
        for number in range(times):
            out = Path(folder) / f"killed{number}"
            same += kill_at(study, out, random.uniform(0.0, 1.02 * seconds)) == expected
        print(f"{same} of {times} runs that were killed and run again give the undisturbed result")
    sys.exit(same < times)


if __name__ == "__main__":
    main()
