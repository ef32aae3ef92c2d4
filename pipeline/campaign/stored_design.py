"""The design of a campaign as a file: ``design.json`` in its working folder."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from ingest.errors import InputError
from pipeline.campaign.campaign_design import (
    Answer,
    CampaignDesign,
    CampaignRound,
    Ending,
    PlannedRun,
    Purpose,
)
from pipeline.store.atomic import write_json

DESIGN_FILE = "design.json"


def write_design(work: Path, design: CampaignDesign) -> None:
    """Store a design.

    Raises:
        UsageError: the folder cannot be written.
    """
    write_json(work / DESIGN_FILE, asdict(design))


def read_design(work: Path) -> CampaignDesign | None:
    """Read the stored design; None if there is none.

    Raises:
        InputError: it cannot be read.
    """
    path = work / DESIGN_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return CampaignDesign(
            seed=int(content["seed"]),
            runs=tuple(map(_run, content["runs"])),
            rounds=tuple(map(_round, content["rounds"])),
            ending=_one_of(content["ending"], Ending),
            outlying=tuple(map(str, content["outlying"])),
        )
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        hint = "move it away: runs that are done stay done, and the others are planned again"
        raise InputError("is not a design of runs", where=str(path), hint=hint) from error


def _run(entry: Mapping[str, Any]) -> PlannedRun:
    return PlannedRun(
        name=str(entry["name"]),
        round=int(entry["round"]),
        point={str(name): float(value) for name, value in entry["point"].items()},
        repetition=int(entry["repetition"]),
        unfiltered=bool(entry["unfiltered"]),
        cost=_number(entry["cost"]),
    )


def _round(entry: Mapping[str, Any]) -> CampaignRound:
    answer = entry["answer"]
    return CampaignRound(
        purpose=_one_of(entry["purpose"], Purpose),
        width=_number(entry["width"]),
        answer=None if answer is None else Answer(**{name: float(value) for name, value in answer.items()}),
        build=float(entry["build"]),
    )


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _one_of(value: str, kind: Any) -> Any:  # noqa: ANN401
    if value not in get_args(kind):
        raise ValueError(value)
    return value
