"""What commands cost, against what they cost when that was last recorded: fails where one costs a tenth more.

    python -m benchmarks.cost [--rounds 5] [--record]

Processor time is that of the command over that of a fixed load (Python and NumPy) beside it, so that a slower
hour of a machine counts for both. On a processor that nothing was recorded on, half as much again is allowed:
processors differ. The median of the rounds is recorded, the least is compared with it: what disturbs adds.
"""

import argparse
import csv
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from benchmarks.campaign.measure import COMMAND
from benchmarks.campaign.synthetic import Shape, write_campaign
from benchmarks.whole.commands import environment

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("figures.csv")
ALLOWED = 1.10
_NUMBERS = ("loads", "memory")
_OTHER_PROCESSOR = 1.5
_SAMPLES = ("hpcg-strong", "openfoam-cavity")
_MANY = "2000 call paths"
_FRESH = "fresh"  # results that no run finds
_LOAD = """
import numpy as np
x = np.linspace(-3.0, 3.0, 300_000)
for _ in range(30):
    np.sort(np.tanh(x) * np.exp(-x * x))[::7].cumsum()
few = np.ones(4)
for _ in range(60_000):
    few = np.minimum(few + few, 2.0)
kept = {}
for n in range(900_000):
    kept[n % 1009] = kept.get(n % 1009, 0) + n
"""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What one command costs on one study: times of the load, and MiB of its largest process."""

    processor: str
    study: str
    command: str
    loads: float
    memory: float

    @property
    def key(self) -> tuple[str, str]:
        """Return what is measured."""
        return self.study, self.command


def main() -> None:
    """Measure, print and compare, or record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="at most, while one costs too much")
    parser.add_argument("--record", action="store_true", help="keep the figures for this processor")
    given = parser.parse_args()
    recorded = read_figures()
    with tempfile.TemporaryDirectory() as folder:
        commands = dict(prepared(Path(folder)))
        found: list[Figure] = []
        rounds: list[list[Figure]] = []
        while len(rounds) < given.rounds and (given.record or not rounds or dearer(found, recorded)):
            rounds.append([])
            for key, arguments in commands.items():
                shutil.rmtree(Path(folder) / _FRESH, ignore_errors=True)
                rounds[-1].append(measure(*key, arguments))
            found = summed_up(rounds, statistics.median if given.record else min)
    then = {one.key: one for one in known(recorded)}
    for one in found:
        before = f", {one.loads / then[one.key].loads:.2f} of what was recorded" if one.key in then else ""
        print(f"{one.command:8} {one.study:16} {one.loads:6.2f} loads, {one.memory:5.0f} MiB{before}")
    if given.record:
        kept = [one for one in recorded if one.processor != processor()]
        write_figures([*kept, *found])
    elif told := dearer(found, recorded):
        sys.exit("\n".join(told))


def prepared(folder: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield what is to be measured by study and name, with what it reads made in a folder."""
    write_campaign(folder / _MANY, Shape(2000, 4, 4, 2))
    for study in (*(ROOT / "sample_profiles" / name for name in _SAMPLES), folder / _MANY):
        out, base = folder / f"{study.name}.out", folder / f"{study.name}.json"
        subprocess.run([*COMMAND, "run", study, "--out", out], check=True, capture_output=True)
        subprocess.run([*COMMAND, "baseline", out, "-o", base], check=True, capture_output=True)
        for name, arguments in {
            "run": ["run", study, "--out", folder / _FRESH],
            "predict": ["predict", out],
            "inspect": ["inspect", study],
            "check": ["check", study, "--baseline", base],
            "report": ["report", out],
        }.items():
            yield (study.name, name), [*COMMAND, *map(str, arguments)]


def measure(study: str, command: str, arguments: list[str]) -> Figure:
    """Return what a command costs beside the load."""
    load = [sys.executable, "-c", _LOAD]
    before, (seconds, memory), after = cost(load), cost(arguments), cost(load)
    return Figure(
        processor=processor(),
        study=study,
        command=command,
        loads=round(2 * seconds / (before[0] + after[0]), 3),
        memory=round(memory, 1),
    )


def cost(command: list[str]) -> tuple[float, float]:
    """Return processor seconds of a command with what it waits for, and MiB; RuntimeError where it fails."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def summed_up(rounds: list[list[Figure]], of: Callable[[list[float]], float]) -> list[Figure]:
    """Return one figure of each that was measured round by round."""
    return [
        replace(alike[0], loads=of([one.loads for one in alike]), memory=of([one.memory for one in alike]))
        for alike in zip(*rounds, strict=True)
    ]


def known(recorded: list[Figure]) -> list[Figure]:
    """Return what was recorded on this processor, or else on the first one."""
    own = [one for one in recorded if one.processor == processor()]
    return own or [one for one in recorded if one.processor == recorded[0].processor]


def dearer(found: list[Figure], recorded: list[Figure]) -> list[str]:
    """Return what costs more than is allowed, a line each; nothing if nothing was recorded."""
    now = {one.key: one for one in found}
    then = {one.key: one for one in known(recorded) if one.key in now}
    if not then:
        return []
    here = processor() in {one.processor for one in then.values()}
    allowed = ALLOWED if here else _OTHER_PROCESSOR
    lines = [
        f"{one.command} of {one.study}: {now[key].loads / one.loads:.2f} times the processor time recorded"
        for key, one in then.items()
        if now[key].loads > allowed * one.loads
    ]
    return lines + [
        f"{one.command} of {one.study}: {now[key].memory:.0f} MiB, {one.memory:.0f} MiB were recorded"
        for key, one in then.items()
        if now[key].memory > allowed * one.memory
    ]


def processor() -> str:
    """Return the vendor, family and model of this machine's processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    names = ("vendor_id", "cpu family", "model")
    found = [re.search(rf"^{name}\s*: (.*)$", text, re.MULTILINE) for name in names]
    return " ".join(match[1] for match in found if match) or "unknown"


def read_figures(file: Path = FIGURES) -> list[Figure]:
    """Return what was recorded."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as rows:
        return [_figure(row) for row in csv.DictReader(rows)]


def _figure(row: Mapping[str, str]) -> Figure:
    return Figure(**{name: float(text) if name in _NUMBERS else text for name, text in row.items()})


def write_figures(figures: list[Figure], file: Path = FIGURES) -> None:
    """Record figures, a row each."""
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [one.name for one in fields(Figure)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(one) for one in figures)


if __name__ == "__main__":
    main()
