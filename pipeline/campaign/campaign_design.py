"""The runs of a campaign in their order, round by round.

Repetitions are the outermost blocks of a round, and the scales of each block are shuffled: a machine that
slows down for an hour then disturbs all scales alike instead of looking like scaling (a randomised complete
block design, Box, Hunter and Hunter, Statistics for Experimenters, chapter 4).

It is stored as a file: ``design.json`` in the working folder of the campaign.
"""

import json
import math
import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from ingest.errors import InputError
from ingest.reading.packed import content_of
from ingest.record_codec import restored
from pipeline.campaign.description import Campaign, CampaignQuestion, Point
from pipeline.campaign.folders import PILOT_NAME, PLAIN_NAME, run_name
from pipeline.columns.campaigns import CampaignAnswer
from pipeline.questions.planning.rounds import LiftedLimit
from pipeline.store.atomic import write_json

Purpose: TypeAlias = Literal["all", "pilot", "filter", "series", "extra", "again"]
"""What a round is for: all described runs, first costs, to verify a filter, a first model, a narrower
interval, or to replace outlying runs."""

Ending: TypeAlias = Literal["", "answered", "measured", "budget", "nothing helps"]
"""Why no further round follows: the interval is narrow enough, all that is described is measured, the budget
does not allow more, or nothing narrows the interval; empty while it is open."""
_DESIGN_FILE = "design.json"


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run."""

    name: str
    round: int
    point: Point
    repetition: int
    unfiltered: bool = False  # whether it belongs to the pilot before a filter, and so not to the series
    plain: bool = False  # whether the program runs without instrumentation, and so not for the series
    cost: float | None = None  # core-seconds expected when it was planned; None if that was unknown

    @property
    def in_series(self) -> bool:
        """Whether what it measures is modelled."""
        return not (self.unfiltered or self.plain)


@dataclass(frozen=True, kw_only=True)
class CampaignRound:
    """Runs that were decided on together."""

    purpose: Purpose
    width: float | None = None  # expected relative width of the answer's interval after it; None if unknown
    answer: CampaignAnswer | None = None  # that was reached after it; None if there is none yet
    question: CampaignQuestion | None = None
    build: float = 0.0  # core-seconds of building the program for it
    # what a run with the filter that was made for it costs, relative to one without it, as predicted
    relative_cost: float = 1.0


@dataclass(frozen=True)
class Wanted:
    """Further repetitions at a point, and the core-seconds of each if they are known."""

    point: Point
    repetitions: int
    cost: float | None = None


@dataclass(frozen=True)
class CampaignDesign:
    """All planned runs in order."""

    seed: int  # the order follows from it
    runs: tuple[PlannedRun, ...] = ()
    rounds: tuple[CampaignRound, ...] = ()
    ending: Ending = ""
    outlying: tuple[str, ...] = ()  # names of runs that were set aside
    # the limit to lift if it ended without the wanted answer; None if it did not, or none is known
    way_on: LiftedLimit | None = None


def extended(design: CampaignDesign, campaign: Campaign, begun: Collection[str] = ()) -> CampaignDesign:
    """Return a design with all runs that a campaign without rounds describes.

    Runs that are missing become a further round. Those that the campaign no longer describes are left out
    unless they have `begun`, by their names, or replace outlying ones.
    """
    described = {
        run.name: run
        for repetition in range(1, campaign.repetitions + 1)
        for run in (_planned(campaign, point, repetition) for point in campaign.points)
    }
    kept = tuple(
        run
        for run in design.runs
        if run.name in {*described, *begun} or design.rounds[run.round - 1].purpose == "again"
    )
    known = {run.name for run in kept}
    added = [run for run in described.values() if run.name not in known]
    rounds = design.rounds[: max((run.round for run in kept), default=0)]
    return _with_runs(replace(design, runs=kept, rounds=rounds), added, CampaignRound(purpose="all"))


def with_round(
    design: CampaignDesign,
    campaign: Campaign,
    added: CampaignRound,
    wanted: Iterable[Wanted],
    *,
    unfiltered: bool = False,
    plain: Iterable[Wanted] = (),
    plain_share: float = 1.0,
) -> CampaignDesign:
    """Return a design with a further round; `unfiltered` runs are measured before a filter is made.

    If the campaign has a build without instrumentation, that runs at the largest scale, unless it did at one
    as large, and where `plain` runs are wanted. It costs a share of what an instrumented run does.
    """
    runs, wanted = [], list(wanted)
    for one in wanted:
        alike = (run for run in design.runs if run.unfiltered == unfiltered and not run.plain)
        same = (run for run in alike if run.point == one.point)
        last = max((run.repetition for run in same), default=0)
        numbers = range(last + 1, last + 1 + one.repetitions)
        planned = (_planned(campaign, one.point, number, unfiltered=unfiltered) for number in numbers)
        runs += [replace(run, cost=one.cost) for run in planned]
    plain = list(plain)
    if campaign.measurement.plain and wanted:
        largest = max(wanted, key=lambda one: _size(one.point))
        if _size(largest.point) > max((_size(run.point) for run in design.runs if run.plain), default=0.0):
            cost = None if largest.cost is None else plain_share * largest.cost
            plain.append(Wanted(largest.point, 1, cost))
    for one in plain:
        last = sum(run.plain and run.point == one.point for run in design.runs)
        planned = (_planned(campaign, one.point, last + i, plain=True) for i in range(1, one.repetitions + 1))
        runs += [replace(run, cost=one.cost) for run in planned]
    return _with_runs(design, runs, added)


def _size(point: Point) -> float:
    return math.prod(point.values())


def _with_runs(design: CampaignDesign, added: Sequence[PlannedRun], new: CampaignRound) -> CampaignDesign:
    if not added:
        return design
    number = len(design.rounds) + 1
    runs = [replace(run, round=number) for run in added]
    generator = random.Random(f"{design.seed} {number}")
    ordered = []
    for repetition in sorted({run.repetition for run in runs}):
        block = [run for run in runs if run.repetition == repetition]
        generator.shuffle(block)
        ordered += block
    return replace(design, runs=(*design.runs, *ordered), rounds=(*design.rounds, new))


def _planned(
    campaign: Campaign, point: Point, repetition: int, *, unfiltered: bool = False, plain: bool = False
) -> PlannedRun:
    name = campaign.application.name + (PLAIN_NAME if plain else PILOT_NAME if unfiltered else "")
    return PlannedRun(
        name=run_name(name, point, repetition),
        round=1,
        point=point,
        repetition=repetition,
        unfiltered=unfiltered,
        plain=plain,
    )


def write_design(work: Path, design: CampaignDesign) -> None:
    """Store a design."""
    write_json(work / _DESIGN_FILE, asdict(design))


def read_design(work: Path) -> CampaignDesign | None:
    """Read the stored design; None if there is none, InputError if it cannot be read."""
    path = work / _DESIGN_FILE
    try:
        content = json.loads(content_of(path))
        design: CampaignDesign = restored(CampaignDesign, content)
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "move it away: runs that are done stay done, and the others are planned again"
        raise InputError("is not a design of runs", where=str(path), hint=hint) from error
    return design
