"""The first page of the site: the newest entry in a few sentences, the matrix of kernels, recent changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from markupsafe import Markup

from pipeline.gate.change_points import ENOUGH, LEVEL
from pipeline.gate.kernel_values import Scope
from pipeline.gate.trends import Entries, KernelTrends, Measure, MeasureTrend, entries_text
from pipeline.report.page.history.history_words import Commits, Wording, kernel_name, kernel_place
from pipeline.report.page.history.steps_table import StepRow, step_rows
from pipeline.report.page.history.trend_drawing import date_text, sparkline
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import counted, figure, percent, point_text

MATRIX = (Measure.TARGET, Measure.GROWTH, Measure.EFFICIENCY)
RECENT = 20  # entries in which changes are recent
MOST_CHANGES = 50  # rows of the table of changes


@dataclass(frozen=True, eq=False, kw_only=True)
class Site:
    """What all pages are made from.

    Attributes:
        entries: of the history.
        kernels: their trends, in the order of the entries' kernels.
        commits: names and addresses of entries.
        addresses: of the kernels' pages, relative to the first page.
        changes: per kernel its changes, the newest first.
    """

    entries: Entries
    kernels: Sequence[KernelTrends]
    commits: Commits
    addresses: Sequence[str]
    changes: Sequence[Sequence[StepRow]]

    @property
    def newest_changes(self) -> list[StepRow]:
        """All changes, the newest first; of the same entry those of larger kernels first."""
        return sorted(chain.from_iterable(self.changes), key=lambda row: (-row.step.at, row.kernel.row))

    @property
    def recent_changes(self) -> list[StepRow]:
        """The changes within the last `RECENT` entries."""
        return [row for row in self.newest_changes if row.step.at >= len(self.entries) - RECENT]


def all_changes(kernels: Sequence[KernelTrends], commits: Commits) -> list[list[StepRow]]:
    """Return the changes of each kernel."""
    return [step_rows(kernel, commits) for kernel in kernels]


def index_content(site: Site) -> dict[str, Any]:
    """Return what the template of the first page shows."""
    wording = Wording(site.entries)
    newest = site.newest_changes
    return {
        "headline": _headline(site, wording),
        "titles": [wording.title(measure) for measure in MATRIX],
        "all_titles": [wording.title(measure) for measure in Measure],
        "answers": answers(site),
        "facts": facts(site),
        "rows": [_row(site, n, wording) for n in range(len(site.kernels))],
        "levels": sorted({kernel.kernel.level.value for kernel in site.kernels} - {Scope.TOTAL.value}),
        "changes": [
            {"name": kernel_name(row.kernel.kernel), "url": site.addresses[row.kernel.row], "row": row}
            for row in newest[:MOST_CHANGES]
        ],
        "more": max(len(newest) - MOST_CHANGES, 0),
        "chance": chance(site),
        "too_few": no_change(site),
        "notices": site.entries.notices,
    }


def _headline(site: Site, wording: Wording) -> dict[str, str]:
    """Return what the whole program takes in the newest entry, at the target if that is known."""
    whole = site.kernels[0].measures
    known = (m for m in (Measure.TARGET, Measure.MEASURED) if np.isfinite(whole[m].values[-1]))
    measure = next(known, None)
    if measure is None:
        return {"value": "Trends", "title": ""}
    title = wording.title(measure)
    value = wording.value(measure, float(whole[measure].values[-1]))
    return {"value": value, "title": title[:1].lower() + title[1:]}


def answers(site: Site) -> list[tuple[str, str]]:
    """Return questions about the whole program at the newest entry, and what the history says."""
    entries, whole = site.entries, site.kernels[0]
    wording = Wording(entries)
    found = []
    for measure in (Measure.TARGET, Measure.EFFICIENCY, Measure.GROWTH):
        trend = whole.measures[measure]
        if np.isfinite(trend.values[-1]):
            found.append((wording.title(measure), _since(trend, wording, site.commits)))
    worse = sum(row.direction == "worse" for row in site.recent_changes)
    changes = no_change(site) or (
        f"{counted(worse, 'change')} for the worse and {len(site.recent_changes) - worse} for the better in "
        f"the last {entries_text(min(RECENT, len(entries)))}"
    )
    found.append(("Changes", changes))
    return found


def no_change(site: Site) -> str:
    """Say that there are too few entries for change points; empty if there are enough."""
    few = len(site.entries)
    return f"too few entries for change points: {few}, at least {ENOUGH} are needed" if few < ENOUGH else ""


def _since(trend: MeasureTrend, wording: Wording, commits: Commits) -> str:
    """Write the newest value of a trend, and how it compares with the level and the change before it."""
    now = wording.value(trend.measure, float(trend.values[-1]))
    start, _, level = trend.levels()[-1]
    text = f"{now}; {wording.value(trend.measure, level)} is the median "
    if not trend.changes:
        return text + "of all entries, no change point"
    change = trend.changes[-1]
    before = wording.value(trend.measure, trend.levels()[-2][2])
    date = date_text(int(commits.entries.added[start]))
    return text + f"since {commits.name(change.at)} ({date}), {before} before"


def facts(site: Site) -> list[tuple[str, str]]:
    """Return what the history is of."""
    entries = site.entries
    newest = len(entries) - 1
    return [
        ("Newest entry", f"{site.commits.name(newest)}, {date_text(int(entries.added[newest]))}"),
        ("Entries", f"{len(entries)} from {date_text(int(entries.added.min()))} on"),
        ("Kernels", str(len(entries.kernels))),
        ("Measured at", point_text(entries.at)),
        ("Target", point_text(entries.target)),
        *([("Machine", visible(entries.machine))] if entries.machine else []),
    ]


def chance(site: Site) -> str:
    """Say how many series have a change point by chance, and how many have one."""
    trends = [trend for kernel in site.kernels for trend in kernel.measures.values()]
    enough = [trend for trend in trends if np.isfinite(trend.values).sum() >= ENOUGH]
    having = sum(bool(trend.changes) for trend in enough)
    return (
        f"{having} of {len(enough)} series have a change point; if nothing changed, about "
        f"{figure(LEVEL * len(enough), 2)} of them would by chance"
    )


def _row(site: Site, n: int, wording: Wording) -> dict[str, Any]:
    """Return a row of the matrix."""
    kernel, changes = site.kernels[n], site.changes[n]
    share = _last(site.entries.share[n])
    return {
        "url": site.addresses[n],
        "name": kernel_name(kernel.kernel),
        "place": kernel_place(kernel.kernel),
        "level": kernel.kernel.level.value,
        "share": {"text": percent(share) if np.isfinite(share) else "–", "key": _key(share)},
        "cells": [_cell(kernel.measures[measure], wording) for measure in MATRIX],
        "change": changes[0] if changes else None,
        "age": changes[0].step.at if changes else -1,
    }


def _cell(trend: MeasureTrend, wording: Wording) -> Mapping[str, Any]:
    newest = float(trend.values[-1])
    text = wording.value(trend.measure, newest)
    changes = counted(len(trend.changes), "change point")
    known = trend.values[np.isfinite(trend.values)]
    spoken = ""
    if len(known):
        ends = (wording.value(trend.measure, float(v)) for v in (known[0], known[-1]))
        spoken = f"{' to '.join(ends)}, {changes}"
    drawn = sparkline(trend, spoken) if len(known) else Markup()
    return {"text": text, "key": _key(newest), "spark": drawn}


def _last(values: Any) -> float:  # noqa: ANN401
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else float("nan")


def _key(value: float) -> str:
    """Return what the script sorts by; empty sorts last."""
    return f"{value:.6g}" if np.isfinite(value) else ""
