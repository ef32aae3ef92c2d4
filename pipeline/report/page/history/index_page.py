"""The first page of the site: the newest entry in a few sentences, the matrix of kernels, recent changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.columns.column import FIGURE, SHARE, WHOLE, Column
from pipeline.gate.change_points import ENOUGH, LEVEL
from pipeline.gate.findings import Finding
from pipeline.gate.trends import Entries, KernelTrends, Measure, MeasureTrend, entries_text, too_few
from pipeline.report.page.embedding import columns_data
from pipeline.report.page.history.history_words import (
    HistoryWords,
    StepRow,
    drift_text,
    kernel_name,
    kernel_place,
)
from pipeline.report.page.history.trend_data import trends_data
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import counted, figure, point_text

MATRIX = (Measure.TARGET, Measure.GROWTH, Measure.EFFICIENCY)
RECENT = 20  # entries in which changes are recent
MOST_NAMED = 3  # other kernels of a change
LEADING = (Measure.TARGET, Measure.MEASURED, Measure.GROWTH, Measure.EFFICIENCY)
MOST_CHANGES = 50  # rows of the table of changes
PARTS = 66  # of a line in the matrix


@dataclass(frozen=True, eq=False, kw_only=True)
class Site:
    """What all pages are made from.

    Attributes:
        entries: of the history.
        kernels: their trends, in the order of the entries' kernels.
        words: names of entries and measures.
        addresses: of the kernels' pages, relative to the first page.
        changes: per kernel its changes, the newest first.
        findings: changes of the program, of one kernel or several each, in the order of entries.
    """

    entries: Entries
    kernels: Sequence[KernelTrends]
    words: HistoryWords
    addresses: Sequence[str]
    changes: Sequence[Sequence[StepRow]]
    findings: Sequence[Finding]

    @property
    def newest_changes(self) -> list[StepRow]:
        """All changes, each as of the kernel that shows it most clearly; the newest first."""
        return [self.row_of(one, one.row) for one in reversed(self.findings)]

    @property
    def recent_changes(self) -> list[StepRow]:
        """The changes within the last `RECENT` entries."""
        return [row for row in self.newest_changes if row.step.at >= len(self.entries) - RECENT]

    def row_of(self, finding: Finding, kernel: int) -> StepRow:
        """Return a change as of one of the kernels that changed."""
        step = finding.of(kernel)
        return next(row for row in self.changes[kernel] if row.step == step)

    def others(self, row: StepRow) -> list[StepRow]:
        """Return the same change as of the other kernels, the total and those of large shares first."""
        (finding,) = (one for one in self.findings if one.row == row.kernel.row and one.at == row.step.at)
        return [self.row_of(finding, n) for n, _ in finding.changed if n != finding.row]


def index_content(site: Site) -> dict[str, Any]:
    """Return what the template of the first page shows."""
    newest = site.newest_changes
    return {
        "verdict": verdict(site),
        "titles": [site.words.title(measure) for measure in Measure],
        "answers": answers(site),
        "facts": facts(site),
        "data": _matrix(site),
        "changes": [
            {
                "name": kernel_name(row.kernel.kernel),
                "url": site.addresses[row.kernel.row],
                "row": row,
                "others": also(site, row),
            }
            for row in newest[:MOST_CHANGES]
        ],
        "more": max(len(newest) - MOST_CHANGES, 0),
        "chance": chance(site),
        "drifts": drifts(site)[:MOST_CHANGES],
        "too_few": no_change(site),
        "notices": site.entries.notices,
    }


def verdict(site: Site, n: int = 0) -> str:
    """Return what a kernel takes in the newest entry, at the target if that is known, and took before."""
    whole = site.kernels[n].measures
    known = (m for m in (Measure.TARGET, Measure.MEASURED) if np.isfinite(whole[m].values[-1]))
    measure = next(known, None)
    if measure is None:
        return "Nothing is known of the newest entry"
    title = site.words.title(measure)
    return _since(whole[measure], site.words, f" {title[:1].lower()}{title[1:]}")


def answers(site: Site) -> list[tuple[str, str]]:
    """Return questions about the whole program at the newest entry, and what the history says."""
    entries, whole = site.entries, site.kernels[0]
    found = []
    for measure in (Measure.TARGET, Measure.EFFICIENCY, Measure.GROWTH):
        trend = whole.measures[measure]
        if np.isfinite(trend.values[-1]):
            found.append((site.words.title(measure), _since(trend, site.words)))
    worse = sum(row.direction == "worse" for row in site.recent_changes)
    changes = no_change(site) or (
        f"{counted(worse, 'change')} for the worse and {len(site.recent_changes) - worse} for the better in "
        f"the last {entries_text(min(RECENT, len(entries)))}"
    )
    found.append(("Changes", changes))
    return found


def no_change(site: Site) -> str:
    """Say that there are too few entries to tell; empty if there are enough."""
    return too_few(len(site.entries))


def also(site: Site, row: StepRow) -> str:
    """Name the other kernels of a change, such as the whole program: ``also whole program, MPI_Send``."""
    names = list(dict.fromkeys(kernel_name(one.kernel.kernel) for one in site.others(row)))
    more = f" and {len(names) - MOST_NAMED} others" if len(names) > MOST_NAMED else ""
    return f"also {', '.join(names[:MOST_NAMED])}{more}" if names else ""


def drifts(site: Site) -> list[str]:
    """Say which kernels drift, by the first of their measures that does."""
    found = []
    for one in site.kernels:
        texts = (drift_text(one.measures[measure], site.words) for measure in LEADING)
        if text := next(filter(None, texts), ""):
            found.append(f"{kernel_name(one.kernel)}: {text}")
    return found


def _since(trend: MeasureTrend, words: HistoryWords, title: str = "") -> str:
    """Write the newest value of a trend, and how it compares with the level and the change before it."""
    now = words.value(trend.measure, float(trend.values[-1]))
    start, _, level = trend.levels()[-1]
    text = f"{now}{title}; {words.value(trend.measure, level)} is the median "
    if drifting := drift_text(trend, words):
        return f"{now}{title}; {drifting}"
    if not trend.changes:
        few = too_few(len(trend.values))
        return text + (f"of all entries; {few}" if few else "of all entries, no change point")
    change = trend.changes[-1]
    before = words.value(trend.measure, trend.levels()[-2][2])
    return text + f"since {words.name(change.at)} ({words.date(start)}), {before} before"


def facts(site: Site) -> list[tuple[str, str]]:
    """Return what the history is of."""
    entries = site.entries
    newest = len(entries) - 1
    return [
        ("Newest entry", f"{site.words.name(newest)}, {site.words.date(newest)}"),
        ("Entries", f"{len(entries)} from {site.words.date(int(entries.added.argmin()))} on"),
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


def _matrix(site: Site) -> dict[str, Any]:
    """Return the matrix of kernels; ``js/history/index.js`` has its types."""
    return {
        "columns": columns_data(_columns(site), range(len(site.kernels))),
        "levels": [one.kernel.level.value for one in site.kernels],
        "places": [kernel_place(one.kernel) for one in site.kernels],
        "addresses": site.addresses,
        "changes": [_newest(rows[0]) if rows else None for rows in site.changes],
        "trends": {
            measure.value: trends_data([one.measures[measure] for one in site.kernels], PARTS)
            for measure in MATRIX
        },
        "spoken": {
            measure.value: [_spoken(one.measures[measure], site.words) for one in site.kernels]
            for measure in MATRIX
        },
    }


def _columns(site: Site) -> Iterator[Column[Sequence[int]]]:
    """Yield the columns of the matrix, whose rows are indices of kernels."""
    kernels, words = site.kernels, site.words
    yield Column(key="kernel", heading="Kernel", each=lambda n: kernel_name(kernels[n].kernel))
    yield Column(key="share", heading="Share", kind=SHARE, each=lambda n: _last(site.entries.share[n]))
    for measure in MATRIX:
        yield Column(
            key=measure.value,
            heading=words.title(measure),
            kind=FIGURE,
            each=lambda n, measure=measure: _last(kernels[n].measures[measure].values[-1:]),  # type: ignore[misc]
            write=partial(words.value, measure),
        )
    yield Column(
        key="change",
        heading="Newest change",
        kind=WHOLE,
        each=lambda n: site.changes[n][0].step.at if site.changes[n] else None,
        write=words.name,
    )


def _newest(row: StepRow) -> dict[str, str]:
    """Return the newest change of a kernel, as of its leading measure."""
    cell = row.leading
    return {"direction": row.direction, "factor": f"{cell.arrow} {cell.factor}", **vars(row.place)}


def _spoken(trend: MeasureTrend, words: HistoryWords) -> str:
    """Say what a line of the matrix shows."""
    known = trend.values[np.isfinite(trend.values)]
    if not len(known):
        return ""
    ends = (words.value(trend.measure, float(value)) for value in (known[0], known[-1]))
    return f"{' to '.join(ends)}, {counted(len(trend.changes), 'change point')}"


def _last(values: FloatArray) -> float | None:
    """Return the last value that is known."""
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else None
