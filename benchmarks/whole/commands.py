"""The two command lines, and what running one costs."""

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extrap.environment import interpreter

ONE_METRIC = Path(__file__).parents[1] / "extrap" / "one_metric.py"
PIPELINE = (sys.executable, "-c", "from pipeline.cli import main; main()")
MODELS = "{callpath}; {metric}; {model}"  # a line a model: the shortest output that tells all of them


@dataclass(frozen=True)
class Cost:
    """What a command took, from its start to its end.

    Attributes:
        wall: seconds.
        processor: seconds of all its processes.
        whole: it came to its end; otherwise it was stopped when its time was up.
    """

    wall: float
    processor: float
    whole: bool = True


def ours(directory: Path, out: Path) -> list[str | Path]:
    """Return `pipeline run` with nothing but its defaults."""
    return [*PIPELINE, "run", directory, "--out", out]


def our_models(directory: Path, out: Path) -> list[str | Path]:
    """Return `pipeline model`, all models into one file: what Extra-P's command line does."""
    return [*PIPELINE, "model", directory, "--json", out]


def extrap(directory: Path, out: Path) -> list[str | Path]:
    """Return Extra-P's command line: every metric that the profiles have."""
    return [interpreter().with_name("extrap"), *_extrap_options(directory, out)]


def extrap_one_metric(directory: Path, out: Path) -> list[str | Path]:
    """Return the same, but reading and modelling time alone."""
    return [interpreter(), ONE_METRIC, "time", *_extrap_options(directory, out)]


def _extrap_options(directory: Path, out: Path) -> list[str | Path]:
    return ["--cube", "--disable-progress", "--print", MODELS, "--out", out, directory]


def cost(command: list[str | Path], seconds: float) -> Cost:
    """Run a command for at most so many seconds; RuntimeError where it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=seconds,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        done = None
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done is not None and done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, spent, done is not None)


def environment() -> dict[str, str]:
    """Let our modules be kept compiled, as Extra-P's are since its installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
