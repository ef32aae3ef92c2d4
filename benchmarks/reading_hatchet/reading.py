"""What one reading of one side took and gave, or why it failed."""

import json
import math
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reading_hatchet.environment import interpreter

ROOT = Path(__file__).resolve().parents[2]
ROUNDING = 1e-9  # relative: sums of the same numbers in another order


@dataclass(frozen=True)
class Reading:
    """A reading that came to its end.

    Attributes:
        seconds: processor time.
        memory: bytes, the peak above what the process held before.
        callpaths: in the call tree.
        locations: where values were measured.
        exclusive: seconds over all call paths and locations, None where the side has no exclusive time.
        inclusive: the same of the inclusive times.
        outside: the part of `exclusive` that was spent outside of all regions.
        versions: of the libraries below.
    """

    seconds: float
    memory: int
    callpaths: int
    locations: int
    exclusive: float | None
    inclusive: float | None
    outside: float
    versions: str


@dataclass(frozen=True)
class Failure:
    """A reading that did not.

    Attributes:
        message: why.
        seconds: processor time after which it was stopped; 0 where it failed by itself.
    """

    message: str
    seconds: float = 0.0


def read(side: str, warm: Path, path: Path, seconds: float) -> Reading | Failure:
    """Read a profile in a new process with `hatchet` or `ours`, for at most so many processor seconds."""
    python = interpreter() if side == "hatchet" else Path(sys.executable)
    command: list[str | Path] = [
        python,
        "-W",
        "ignore",
        "-m",
        "benchmarks.reading_hatchet.side",
        side,
        warm.resolve(),
        path.resolve(),
    ]
    done = subprocess.run(
        [*command, "--seconds", str(seconds)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == -signal.SIGXCPU:
        return Failure(f"stopped after {seconds:g}", seconds)
    if done.returncode:
        return Failure(f"fails: `{done.stderr.strip().splitlines()[-1]}`")
    told = json.loads(done.stdout.splitlines()[-1])
    versions = ", ".join(f"{name} {number}" for name, number in told.pop("versions").items())
    return Reading(**told, versions=versions)


def agreement(peer: Reading | Failure, own: Reading) -> str:
    """Tell whether both sides hold the same time, exclusive where Hatchet has it, and how much."""
    if isinstance(peer, Failure):
        return f"ours {own.exclusive:.9g} s"
    kind = "exclusive" if peer.exclusive is not None else "inclusive"
    theirs, mine = getattr(peer, kind), getattr(own, kind)
    if theirs is None:
        return f"ours {mine:.9g} s, Hatchet has no time"
    if math.isclose(theirs, mine, rel_tol=ROUNDING):
        return f"same: {kind} {mine:.9g} s"
    if math.isclose(theirs, mine - own.outside, rel_tol=ROUNDING):
        return f"same: {kind} {theirs:.9g} s, and ours {own.outside:.9g} s outside of all regions"
    return f"differ: {kind}, ours {mine:.9g} s, Hatchet {theirs:.9g} s"
