"""From files to an answer: `pipeline run` beside the peers, for 1, 10 and 100 profiles.

Extra-P's command line reads the same Score-P profiles and models them. Hatchet with Thicket cannot read
these, so both sides read Caliper's there, summed over ranks; Thicket composes the files into one table and
takes means and deviations, models are not part of it. Every command is a process of its own whose start
counts.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.campaign.synthetic import Shape, write_campaign
from benchmarks.environments import interpreter_with
from benchmarks.overview.measured_figure import OURS, MeasuredFigure, of_rounds
from benchmarks.reading_hatchet.environment import REQUIREMENTS
from benchmarks.reading_hatchet.sets import write_caliper
from benchmarks.whole.commands import Cost, cost, extrap, ours

EXTRAP, THICKET = "Extra-P", "Hatchet + Thicket"
THICKET_VERSION = "2026.1.1"
THICKET_SIDE = Path(__file__).with_name("thicket_side.py")
SIZES = {1: (1, 1), 10: (5, 2), 100: (10, 10)}
"""Points and repetitions of as many profiles."""
CALLPATHS, LOCATIONS = 100, 4
SECONDS = 600.0  # after which a command is stopped

Command: TypeAlias = list[str | Path]


@dataclass(frozen=True)
class Contest:
    """What is measured round by round: ours and the peer's command on the same files."""

    name: str
    peer: str
    own: Callable[[], Command]
    theirs: Callable[[], Command]


def thicket_interpreter() -> Path:
    """Return the interpreter of an environment with Thicket, made at the first call."""
    return interpreter_with(
        f"thicket-{THICKET_VERSION}", f"llnl-thicket=={THICKET_VERSION}", *REQUIREMENTS[1:]
    )


def contests(folder: Path, counts: Sequence[int] = tuple(SIZES)) -> Iterator[Contest]:
    """Write the profiles below a folder and yield what is measured on them."""
    for count in counts:
        points, repetitions = SIZES[count]
        shape = Shape(CALLPATHS, LOCATIONS, points, repetitions, a_region_each=True)
        profiles = folder / f"score-p-{count}"
        write_campaign(profiles, shape)
        yield _contest(f"files to answer, {count} Score-P", EXTRAP, profiles, folder, extrap)
        files = folder / f"caliper-{count}"
        for point in range(points):
            for repetition in range(repetitions):
                run = files / f"app.n{shape.problem_size(point)}.r{repetition + 1}"
                run.mkdir(parents=True)
                write_caliper(run / "profile.cali", CALLPATHS, LOCATIONS, by_rank=False)
        yield _contest(f"files to answer, {count} Caliper", THICKET, files, folder, _thicket)


def _thicket(directory: Path, out: Path) -> Command:
    return [thicket_interpreter(), THICKET_SIDE, directory, out]


def _contest(
    name: str, peer: str, profiles: Path, folder: Path, theirs: Callable[[Path, Path], Command]
) -> Contest:
    return Contest(
        name, peer, lambda: ours(profiles, folder / "out"), lambda: theirs(profiles, folder / "theirs")
    )


def measure(contest: Contest, folder: Path, rounds: int) -> list[MeasuredFigure]:
    """Run both sides in turn, with nothing left of the round before; a peer that fails has no figure."""
    own: list[Cost] = []
    theirs: list[Cost] = []
    fails = False
    for _ in range(rounds):
        shutil.rmtree(folder / "out", ignore_errors=True)
        own.append(cost(contest.own(), SECONDS))
        try:
            theirs += [] if fails else [cost(contest.theirs(), SECONDS)]
        except RuntimeError:
            fails = True
    found = []
    for side, costs in ((OURS, own), (contest.peer, [] if fails else theirs)):
        if costs:
            found.append(of_rounds(contest.name, side, "processor s", [one.processor for one in costs]))
            found.append(of_rounds(contest.name, side, "wall s", [one.wall for one in costs]))
    return found
