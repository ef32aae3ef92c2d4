"""The runs of a campaign in their order.

Repetitions are the outermost blocks, and the scales of each block are shuffled: a machine that slows down for
an hour then disturbs all scales alike instead of looking like scaling (a randomised complete block design,
Box, Hunter and Hunter, Statistics for Experimenters, chapter 4).
"""

import json
import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from ingest.errors import InputError
from pipeline.campaign.description import Campaign, Point
from pipeline.campaign.folders import run_name
from pipeline.store.atomic import write_json

DESIGN_FILE = "design.json"


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """A run: its name, its round and block from 1, its parameters and the number of its repetition."""

    name: str
    round: int
    point: Point
    repetition: int


@dataclass(frozen=True)
class Design:
    """All planned runs in order, and the seed that their order follows from."""

    seed: int
    runs: tuple[PlannedRun, ...] = ()


def extended(design: Design, campaign: Campaign, begun: Collection[str] = ()) -> Design:
    """Return a design with all runs that a campaign describes.

    Runs that are missing become a further round. Those that the campaign no longer describes are left out
    unless they have begun.

    Args:
        design: what is planned so far.
        campaign: the description.
        begun: names of runs that have been submitted or started.
    """
    described = _described(campaign)
    kept = tuple(run for run in design.runs if run.name in described or run.name in begun)
    known = {run.name for run in kept}
    number = max((run.round for run in kept), default=0) + 1
    added = [replace(run, round=number) for run in described.values() if run.name not in known]
    return Design(design.seed, (*kept, *_in_blocks(added, random.Random(f"{design.seed} {number}"))))


def _described(campaign: Campaign) -> dict[str, PlannedRun]:
    points = [
        dict(zip(campaign.scales, values, strict=True)) for values in product(*campaign.scales.values())
    ]
    runs = (
        PlannedRun(
            name=run_name(campaign.application.name, point, repetition),
            round=1,
            point=point,
            repetition=repetition,
        )
        for repetition in range(1, campaign.repetitions + 1)
        for point in points
    )
    return {run.name: run for run in runs}


def _in_blocks(runs: list[PlannedRun], generator: random.Random) -> list[PlannedRun]:
    """Order runs by repetition, shuffled within each."""
    ordered = []
    for repetition in sorted({run.repetition for run in runs}):
        block = [run for run in runs if run.repetition == repetition]
        generator.shuffle(block)
        ordered += block
    return ordered


def write_design(work: Path, design: Design) -> None:
    """Store a design.

    Raises:
        UsageError: the folder cannot be written.
    """
    runs = [
        {"name": run.name, "round": run.round, "point": dict(run.point), "repetition": run.repetition}
        for run in design.runs
    ]
    write_json(work / DESIGN_FILE, {"seed": design.seed, "runs": runs})


def read_design(work: Path) -> Design | None:
    """Read the stored design; None if there is none.

    Raises:
        InputError: it cannot be read.
    """
    path = work / DESIGN_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Design(int(content["seed"]), tuple(map(_read_run, content["runs"])))
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "move it away: runs that are done stay done, and the others are planned again"
        raise InputError("is not a design of runs", where=str(path), hint=hint) from error


def _read_run(entry: Mapping[str, Any]) -> PlannedRun:
    return PlannedRun(
        name=str(entry["name"]),
        round=int(entry["round"]),
        point={str(name): float(value) for name, value in entry["point"].items()},
        repetition=int(entry["repetition"]),
    )
