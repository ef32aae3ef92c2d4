"""Why efficiency is lost, as plain data and in one line."""

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.region_class import Activity
from pipeline.questions.groups import NAMES
from pipeline.questions.runtime.losses import IMBALANCE, LossCause
from pipeline.wording.escaping import shown_name
from pipeline.wording.quantities import number, point_text, shorten_middle

LEAST = 0.01  # of what is lost: smaller parts are not named
NAME_WIDTH = 32
START_UP = NAMES[Activity.START_UP]
WORDS = {NAMES[Activity.COMPUTATION]: "more computation"}

Row = Mapping[str, Any]


def causes_json(causes: Sequence[LossCause]) -> list[dict[str, Any]]:
    """Return the ``causes`` of a loss in summary.json."""
    return [
        {
            "cause": one.name,
            "core_seconds": number(one.core_seconds),
            "share": number(one.share),
            "interval": None if one.interval is None else [number(end) for end in one.interval],
            "region": one.region,
        }
        for one in causes
    ]


def causes_sentence(lost: Sequence[Row]) -> str:
    """Say why efficiency is lost at the points of ``lost``; empty if that is unknown."""
    known = [one for one in lost if one.get("causes")]
    found = [f"at {point_text(one['at'])} to {causes_text(one['causes'])}" for one in known]
    uneven = any(row["cause"] == IMBALANCE for one in known for row in one["causes"])
    return f"Lost {'; '.join(found)}{'' if uneven else '; load imbalance: unknown'}." if found else ""


def causes_text(rows: Sequence[Row]) -> str:
    """Name what loses with its shares, of the largest the region: ``communication 61 % (MPI_Send), ...``."""
    parts = [_part(row) for row in rows if abs(row["share"]) >= LEAST]
    region = rows[0]["region"]
    if region and rows[0]["cause"] != START_UP:  # which says by itself what it is
        parts[0] += f" ({shorten_middle(shown_name(region), NAME_WIDTH)})"
    return ", ".join(parts)


def _part(row: Row) -> str:
    text = f"{WORDS.get(row['cause'], row['cause'])} {100 * row['share']:.0f} %"
    if row["interval"] is None:
        return text
    low, high = row["interval"]
    return f"{text} [{100 * low:.0f} .. {100 * high:.0f}]"
