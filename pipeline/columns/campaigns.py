"""Tables of a campaign: its runs in their order, how far every scale is, and its rounds."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from pipeline.columns.campaign_sentences import CampaignSummary, mean_times
from pipeline.columns.cells import Audience, DataTable
from pipeline.columns.column import QUANTITY, SHARE, WHOLE, Column, filled
from pipeline.wording.quantities import point_text

TIMES = {
    "seconds": "command takes",
    "measured_seconds": "program measures",
    "difference_seconds": "difference",
}
"""Headings of what `mean_times` returns."""


def runs_table(runs: Sequence[CampaignSummary]) -> DataTable:
    """Return one row per run, in their order."""
    columns: list[Column[Any]] = [
        _numbered("name", heading="run"),
        Column(key="order", kind=WHOLE, each=itemgetter(0), dispensable=2),
        _numbered("round", kind=WHOLE, dispensable=1),
        _numbered("repetition", kind=WHOLE),
        _numbered("status", heading="state"),
        _numbered("expected_core_seconds", heading="cost", kind=QUANTITY, unit="core-s"),
        *(
            _numbered(key, heading=heading, kind=QUANTITY, unit="s", audience=Audience.FILES)
            for key, heading in list(TIMES.items())[:2]
        ),
        _numbered("reason", heading="why it failed", audience=Audience.FILES),
    ]
    return filled(columns, list(enumerate(runs, start=1)))


def _numbered(key: str, **said: Any) -> Column[Any]:  # noqa: ANN401  # what a column takes
    return Column(key=key, each=lambda row: row[1][key], **said)


def scales_table(summary: CampaignSummary) -> DataTable:
    """Return one row per scale: its runs by state, and the mean of their times.

    What commands take is what a campaign costs; what is modelled is what the programs measured.
    """
    by_point: dict[tuple[tuple[str, float], ...], list[CampaignSummary]] = {}
    for run in sorted(summary["runs"], key=lambda run: tuple(run["point"].values())):
        by_point.setdefault(tuple(run["point"].items()), []).append(run)
    rows = [(point_text(dict(point)), runs, mean_times(runs)) for point, runs in by_point.items()]
    columns: list[Column[Any]] = [
        Column(key="scale", each=itemgetter(0)),
        *(Column(key=state, kind=WHOLE, each=_counting(state)) for state in summary["counts"]),
        *(
            Column(key=key, heading=heading, kind=QUANTITY, unit="s", each=_time(place))
            for place, (key, heading) in enumerate(TIMES.items())
        ),
    ]
    return filled(columns, rows)


def _counting(state: str) -> Callable[[Any], int | None]:
    def count(row: tuple[str, Sequence[CampaignSummary], Any]) -> int | None:
        return [run["status"] for run in row[1]].count(state) or None

    return count


def _time(place: int) -> Callable[[Any], float | None]:
    return lambda row: row[2][place]


def rounds_table(summary: CampaignSummary) -> DataTable:
    """Return one row per round: what it was to cost and to reach, and what it did."""
    rows = list(enumerate(summary["rounds"], start=1))
    columns: list[Column[Any]] = [
        Column(key="round", each=lambda row: f"{row[0]} {row[1]['purpose']}"),
        _numbered("runs", kind=WHOLE),
        _numbered("done", kind=WHOLE),
        _numbered("expected_core_seconds", heading="cost planned", kind=QUANTITY, unit="core-s"),
        _numbered("spent_core_seconds", heading="spent", kind=QUANTITY, unit="core-s"),
        _numbered("expected_width", heading="width planned", kind=SHARE),
        _numbered("width", heading="reached", kind=SHARE),
    ]
    return filled(columns, rows)
