"""Trends and change points of all kernels of a history, as one page and as Markdown for a pull request."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Annotated, TypeAlias
from urllib.parse import quote

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.record_codec import NO_ENTRY
from pipeline.columns.column import FIGURE, SHARE, WHOLE_KIND, Column
from pipeline.gate.change_points import ENOUGH, FALSE_ALARMS
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import (
    Entries,
    KernelTrends,
    Measure,
    MeasureTrend,
    ProgramChange,
    at_their_places,
    entries_text,
    findings,
    steps_by_kernel,
    too_few,
    trends,
)
from pipeline.report.check.history import CHANGED, DIGEST, STEP_LABELS, label_text, step_text
from pipeline.report.page.embedding import columns_data, few_digits, packed, page_text
from pipeline.report.page.payload import ColumnPayload, Floats
from pipeline.wording.escaping import markdown, shown_name, visible
from pipeline.wording.quantities import (
    callpath_text,
    figure,
    growth_text,
    interval_text,
    percent,
    point_text,
    quantity,
)

_LEADING = (Measure.TARGET, Measure.MEASURED, Measure.GROWTH, Measure.EFFICIENCY)
_PLACE = "{commit}"
_CALLERS_WIDTH = 90
_NOTHING = "–"
_RECENT = 20  # entries in which changes are recent
_MOST_NAMED = 3  # other kernels of a change
_MOST_CHANGES = 50  # rows of the page's table of changes
_MOST_ENTRIES = 1000  # the newest, that the charts show
_DATES = 6  # below the axis at most
_SECONDS_PER_DAY = 86_400
_ROWS = 10  # of the tables for a pull request
_LEVEL_ENTRIES = 50  # before the newest, that its value is compared with
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def checked_template(template: str) -> str:
    """Return the template of addresses as it is given.

    UsageError if it is not an address of the web, or does not say where the commit goes.
    """
    if _ADDRESS.fullmatch(template) and _PLACE in template:
        return template
    raise UsageError(
        f"'{template}' is not an address with {_PLACE}",
        where="--commit-url",
        hint="write it as in https://github.com/owner/name/commit/{commit}",
    )


@dataclass(frozen=True, kw_only=True)
class ChangeTexts:
    """A change of one kernel in words, by the measure that matters most."""

    at: int = field(metadata=NO_ENTRY)  # index of the first entry after it
    name: str  # and `address`, `date`: of that entry; the address may be empty
    address: str
    date: str
    between: str  # the entries that it may be instead; empty if there are none
    what: str  # the measure
    factor: str  # and `interval`: between the levels, with an arrow up or down
    interval: str
    before: str  # and `after`: the levels
    after: str
    direction: str  # ``better`` or ``worse``


StretchPayload: TypeAlias = tuple[int, int, float]
"""First entry, end and median of a level, counted from the first entry shown."""

StepPayload: TypeAlias = tuple[int, int, int, str]
"""Place, first and last place that a change may have, and its direction."""


@dataclass(frozen=True, kw_only=True)
class MeasurePayload:
    """A measure of all kernels: values, levels and changes per kernel."""

    kind: str
    title: str
    unit: str
    values: Floats
    levels: Sequence[Sequence[StretchPayload]]
    changes: Sequence[Sequence[StepPayload]]


@dataclass(frozen=True, kw_only=True)
class HistoryPayload:
    """All that the script of a history knows of entries and kernels, the whole program first."""

    names: Annotated[Sequence[str], "of the entries"]
    dates: Sequence[str]
    ticks: Annotated[Sequence[tuple[int, str]], "entries, and what is written below them"]
    opening: Annotated[str, "kind of the measure that the page opens with"]
    columns: Sequence[ColumnPayload]
    levels: Annotated[Sequence[str], "of the kernels"]
    places: Annotated[Sequence[str], "their callers"]
    changes: Annotated[Sequence[Sequence[ChangeTexts]], "per kernel, the newest first"]
    measures: Sequence[MeasurePayload]


@dataclass(frozen=True, eq=False, kw_only=True)
class HistoryView:
    """The kernels of a history with their changes, in words."""

    entries: Entries  # of the history
    template: str  # address of a commit, with ``{commit}`` for its name; empty without links
    kernels: Sequence[KernelTrends]  # their trends, in the order of the entries' kernels
    # changes of the program, of one kernel or several each, in the order of entries
    findings: Sequence[ProgramChange]

    @property
    def is_timed(self) -> bool:
        """Whether predictions at the target are wall times."""
        return bool(np.isfinite(self.entries.seconds_per_value))

    def name(self, entry: int) -> str:
        """Return the label of an entry as it is shown: digests are cut as version control does."""
        return label_text(self.entries.labels[entry])

    def tested(self, entry: int) -> str:
        """Say what the test of an entry against the one before found; empty without one."""
        total = self.entries.totals[entry]
        return step_text(total.step, total.previous, visible(total.said)) if total.step else ""

    @property
    def early(self) -> list[str]:
        """Say what these tests found while there are too few entries for anything else, the newest first."""
        few = range(len(self.entries) - 1, 0, -1) if too_few(len(self.entries)) else ()
        return [f"{self.name(n)}: {self.tested(n)}" for n in few if self.entries.totals[n].step in CHANGED]

    def date(self, entry: int) -> str:
        """Return the day on which an entry was added."""
        added = datetime.datetime.fromtimestamp(int(self.entries.added[entry]), tz=datetime.UTC)
        return f"{added:%Y-%m-%d}"

    def address(self, entry: int) -> str:
        """Return the address of an entry's commit, the one stored or a label that is a digest, or nothing."""
        stored, label = self.entries.commits[entry], self.entries.labels[entry]
        commit = quote(stored or (label if DIGEST.fullmatch(label) else ""), safe="")
        return self.template.replace(_PLACE, commit) if commit else ""

    @property
    def units(self) -> Mapping[Measure, str]:
        """Units of the two measures that have one."""
        unit = self.entries.unit
        return {Measure.MEASURED: unit, Measure.TARGET: "s" if self.is_timed else unit}

    def title(self, measure: Measure) -> str:
        """Return what a measure is called in headings."""
        metric = visible(self.entries.metric)
        metric = f"{metric[:1].upper()}{metric[1:]}"
        target = point_text(self.entries.target)
        return {
            Measure.MEASURED: f"{metric} measured at {point_text(self.entries.at)}",
            Measure.TARGET: f"{'Time' if self.is_timed else metric} at {target}",
            Measure.GROWTH: "Growth per doubling",
            Measure.EFFICIENCY: f"Efficiency at {target}",
        }[measure]

    def value(self, measure: Measure, value: float) -> str:
        """Write a value of a measure."""
        if not np.isfinite(value):
            return _NOTHING
        if measure is Measure.GROWTH:
            return f"× {figure(value)}"
        if measure is Measure.EFFICIENCY:
            return percent(value)
        return quantity(value, self.units[measure])

    def kernel(self, n: int) -> str:
        """Return the name of a kernel."""
        kernel = self.entries.kernels[n]
        return "whole program" if kernel.level is Scope.TOTAL else shown_name(kernel.region)

    def drift(self, trend: MeasureTrend) -> str:
        """Say by how much a trend drifts, and from where to where; empty if it does not."""
        if trend.drift is None:
            return ""
        ends = f"from {self.name(trend.drift.first)} to {self.name(trend.drift.last)}"
        return f"drift by a factor of {figure(trend.drift.factor)} {ends}"

    def drifts(self) -> list[str]:
        """Say which kernels drift, by the first of their measures that does."""
        found = []
        for n, one in enumerate(self.kernels):
            texts = (self.drift(one.measures[measure]) for measure in _LEADING)
            if text := next(filter(None, texts), ""):
                found.append(f"{self.kernel(n)}: {text}")
        return found

    def changes(self, n: int) -> list[ChangeTexts]:
        """Return the changes of a kernel, the newest first."""
        return [self.change(one, n) for one in reversed(self.findings) if one.of(n) is not None]

    def change(self, finding: ProgramChange, n: int) -> ChangeTexts:
        """Return a change as of one of the kernels that changed."""
        step = finding.of(n)
        assert step is not None
        measure = next(measure for measure in _LEADING if measure in step.changes)
        change = step.changes[measure]
        levels = self.kernels[n].measures[measure].levels()
        after = next(i for i, (start, _, _) in enumerate(levels) if start == change.at)
        between = ""
        if step.last > step.first:
            count = step.last - step.first + 1
            between = f"{self.name(step.first)} to {self.name(step.last)}, {count} entries"
        return ChangeTexts(
            at=step.at,
            name=self.name(step.at),
            address=self.address(step.at),
            date=self.date(step.at),
            between=between,
            what=self.title(measure),
            factor=f"{'▲' if change.factor > 1 else '▼'} × {figure(change.factor)}",
            interval=interval_text(change.lower, change.upper),
            before=self.value(measure, levels[after - 1][2]),
            after=self.value(measure, levels[after][2]),
            direction="better" if step.better else "worse",
        )

    def others(self, finding: ProgramChange) -> str:
        """Name the other kernels of a change, such as the whole program: ``also whole program, MPI_Send``."""
        names = list(dict.fromkeys(self.kernel(n) for n, _ in finding.changed if n != finding.row))
        more = f" and {len(names) - _MOST_NAMED} others" if len(names) > _MOST_NAMED else ""
        return f"also {', '.join(names[:_MOST_NAMED])}{more}" if names else ""

    def recent(self) -> list[ProgramChange]:
        """Return the changes within the last `_RECENT` entries, the newest first."""
        return [one for one in reversed(self.findings) if one.at >= len(self.entries) - _RECENT]


def history_view(entries: Entries, template: str = "") -> HistoryView:
    """Find the changes of all kernels, each at the place of its finding."""
    measured = trends(entries)
    found = findings(measured)
    kernels = at_their_places(measured, steps_by_kernel(measured, found))
    return HistoryView(entries=entries, template=template, kernels=kernels, findings=found)


def history_page(view: HistoryView) -> str:
    """Return the page."""
    newest = list(reversed(view.findings))[:_MOST_CHANGES]
    count = len(view.entries)
    rest = [f"charts show the newest {_MOST_ENTRIES} of {count} entries"] if count > _MOST_ENTRIES else []
    facts = dict(_facts(view))
    known = (m for m in _LEADING[:2] if np.isfinite(view.kernels[0].measures[m].values[-1]))
    leading = next(known, None)
    return page_text(
        "history",
        _data(view, leading or Measure.MEASURED),
        verdict=_verdict(view, leading) if leading else "Nothing is known of the newest entry",
        heading=facts["Newest entry"],
        origin=[f"Entries: {facts['Entries']}", *([facts["Machine"]] if "Machine" in facts else [])],
        changes=[(view.kernel(one.row), view.others(one), view.change(one, one.row)) for one in newest],
        more=len(view.findings) - len(newest),
        chance=_chance(view),
        drifts=[*view.early, *view.drifts()[:_MOST_CHANGES]],
        too_few=too_few(count),
        notices=[*view.entries.notices, *rest],
    )


def _verdict(view: HistoryView, measure: Measure) -> str:
    """Write the newest value of the program, and how it compares with the level and the change before it."""
    trend = view.kernels[0].measures[measure]
    start, _, level = trend.levels()[-1]
    text = f"{view.title(measure)} is {view.value(measure, float(trend.values[-1]))}"
    if tested := view.tested(-1):
        text = f"{text}; {tested}"
    if drifting := view.drift(trend):
        return f"{text}; {drifting}"
    if few := too_few(len(trend.values)):
        return f"{text}; {few}"
    median = view.value(measure, level)
    if not trend.changes:
        return f"{text}; the median of all entries is {median}, no change point"
    before = trend.levels()[-2][2]
    since = f"since {view.name(trend.changes[-1].at)} ({view.date(start)})"
    way = "up" if level > before else "down"
    return f"{text}; {since} its median is {median}, {way} from {view.value(measure, before)}"


def _facts(view: HistoryView) -> list[tuple[str, str]]:
    """Return what the history is of."""
    entries = view.entries
    newest = len(entries) - 1
    return [
        ("Newest entry", f"{view.name(newest)}, {view.date(newest)}"),
        ("Entries", f"{len(entries)} from {view.date(int(entries.added.argmin()))} on"),
        ("Kernels", str(len(entries.kernels))),
        ("Measured at", point_text(entries.at)),
        ("Target", point_text(entries.target)),
        *([("Machine", visible(entries.machine))] if entries.machine else []),
    ]


def _chance(view: HistoryView) -> str:
    """Say how many series have a change point by chance, and how many have one."""
    every = [trend for kernel in view.kernels for trend in kernel.measures.values()]
    enough = [trend for trend in every if np.isfinite(trend.values).sum() >= ENOUGH]
    having = sum(bool(trend.changes) for trend in enough)
    return (
        f"{having} of {len(enough)} series have a change point; if nothing changed, about "
        f"{figure(FALSE_ALARMS * len(enough), 2)} of them would by chance"
    )


def _data(view: HistoryView, opening: Measure) -> HistoryPayload:
    """Return the charts and the table of kernels."""
    entries = view.entries
    first = max(len(entries) - _MOST_ENTRIES, 0)
    kept = range(first, len(entries))
    changes = [view.changes(n) for n in range(len(view.kernels))]
    return HistoryPayload(
        names=[view.name(n) for n in kept],
        dates=[view.date(n) for n in kept],
        ticks=_ticks(view, first),
        opening=opening.value,
        columns=columns_data(_columns(view, changes), range(len(view.kernels))),
        levels=[one.kernel.level.value for one in view.kernels],
        places=[_place(one.kernel) for one in view.kernels],
        changes=changes,
        measures=[
            MeasurePayload(
                kind=measure.value,
                title=view.title(measure),
                unit=view.units.get(measure, ""),
                values=packed(np.stack([one.measures[measure].values[first:] for one in view.kernels])),
                levels=[
                    [
                        (max(start - first, 0), end - first, few_digits(level))
                        for start, end, level in one.measures[measure].levels()
                        if end > first
                    ]
                    for one in view.kernels
                ],
                changes=[_changes(one.measures[measure], first) for one in view.kernels],
            )
            for measure in Measure
        ],
    )


def _changes(trend: MeasureTrend, first: int) -> list[StepPayload]:
    return [
        (
            one.at - first,
            max(one.first - first, 0),
            one.last - first,
            "better" if (one.factor - 1) * trend.measure.better > 0 else "worse",
        )
        for one in trend.changes
        if one.at > first
    ]


def _ticks(view: HistoryView, first: int) -> list[tuple[int, str]]:
    """Return entries at even distances, the newest last, with dates, or labels if all are of two days."""
    added = view.entries.added[first:]
    places = range(len(added) - 1, -1, -ceil(len(added) / _DATES))
    text = view.date if np.ptp(added) >= 2 * _SECONDS_PER_DAY else view.name
    return [(n, text(first + n)) for n in reversed(places)]


def _columns(view: HistoryView, changes: Sequence[Sequence[ChangeTexts]]) -> Iterator[Column[Sequence[int]]]:
    """Yield the columns of the table of kernels, whose rows are indices of kernels."""
    entries = view.entries
    yield Column(key="kernel", heading="Kernel", each=view.kernel)
    yield Column(key="share", heading="Share", kind=SHARE, each=lambda n: _last(entries.share[n]))
    for measure in _LEADING:
        yield Column(
            key=measure.value,
            heading=view.title(measure),
            kind=FIGURE,
            each=lambda n, measure=measure: _last(view.kernels[n].measures[measure].values[-1:]),  # type: ignore[misc]
            write=partial(view.value, measure),
        )
    yield Column(
        key="change",
        heading="Newest change",
        kind=WHOLE_KIND,
        each=lambda n: changes[n][0].at if changes[n] else None,
        write=view.name,
    )
    growths, verdicts = (*map(growth_text, entries.growths), ""), (*map(visible, entries.verdicts), "")
    yield Column(key="model", heading="Growth of the model", each=lambda n: growths[entries.growth[n, -1]])
    if (entries.step[:, -1] >= 0).any():
        steps = (*(STEP_LABELS.get(step, step) for step in entries.steps), "")
        against = f"Against {label_text(entries.totals[-1].previous)}"
        yield Column(key="step", heading=against, each=lambda n: steps[entries.step[n, -1]])
    if (entries.verdict[:, -1] >= 0).any():
        yield Column(key="verdict", heading="Verdict", each=lambda n: verdicts[entries.verdict[n, -1]])


def _last(values: FloatArray) -> float | None:
    """Return the last value that is known."""
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else None


def _place(kernel: KernelId) -> str:
    """Return where a kernel is: its callers, or that it is a region; empty without callers."""
    if kernel.level is Scope.TOTAL:
        return ""
    if kernel.level is Scope.REGION:
        return "region, all its call paths"
    callers = kernel.callpath[:-1]
    return callpath_text(callers, _CALLERS_WIDTH) if callers else ""


def pull_request(view: HistoryView) -> str:
    """Return Markdown: the whole program, recent changes, and kernels outside of their usual range."""
    newest = len(view.entries) - 1
    name = _linked(view.name(newest), view.address(newest))
    tested = [f"{markdown(text)}." for text in (view.tested(-1), *view.early) if text]
    parts = [f"## Scaling at {name}", *tested, _whole(view), *_recent_changes(view), *_against_the_last(view)]
    parts.append(f"<sub>{'; '.join(f'{markdown(k)}: {markdown(v)}' for k, v in _facts(view)[1:])}</sub>")
    return "\n\n".join(parts) + "\n"


def _whole(view: HistoryView) -> str:
    """Return the measures of the whole program at the newest entry beside their level before it."""
    rows = ["| | newest | level before | ratio |", "|---|---:|---:|---:|"]
    for measure, trend in view.kernels[0].measures.items():
        now, start = float(trend.values[-1]), trend.changes[-1].at if trend.changes else 0
        before = trend.values[start:-1]
        before = before[np.isfinite(before)][-_LEVEL_ENTRIES:]
        if not np.isfinite(now):
            continue
        level = float(np.median(before)) if len(before) else np.nan
        ratio = f"× {figure(now / level)}" if np.isfinite(level) else _NOTHING
        cells = (view.title(measure), view.value(measure, now), view.value(measure, level), ratio)
        rows.append(f"| {' | '.join(map(markdown, cells))} |")
    return "\n".join(rows)


def _recent_changes(view: HistoryView) -> Iterator[str]:
    recent, count = view.recent(), len(view.entries)
    if drifting := view.drifts():
        yield "### Drift\n\n" + "\n".join(f"* {markdown(text)}" for text in drifting[:_ROWS])
    last = entries_text(min(_RECENT, count))
    if not recent:
        few = too_few(count)
        yield f"{few[:1].upper()}{few[1:]}." if few else f"No change point in the last {last}."
        return
    yield f"### Changes in the last {last} ({len(recent)})"
    head = "| kernel | since | what | factor | 90 % interval | before | after |\n"
    head += "|---|---|---|---:|---|---:|---:|\n"
    yield head + "\n".join(_change_row(one, view) for one in recent[:_ROWS])
    if len(recent) > _ROWS:
        yield f"{_ROWS} of {len(recent)} shown"


def _change_row(finding: ProgramChange, view: HistoryView) -> str:
    row, others = view.change(finding, finding.row), view.others(finding)
    texts = [
        _kernel(view, finding.row) + (f"<br><sub>{markdown(others)}</sub>" if others else ""),
        _linked(row.name, row.address),
        markdown(row.what),
        f"{'🔺' if row.direction == 'worse' else '🟢'} {markdown(row.factor[2:])}",
        *map(markdown, (row.interval, row.before, row.after)),
    ]
    return f"| {' | '.join(texts)} |"


def _against_the_last(view: HistoryView) -> Iterator[str]:
    """Name the kernels that differ from the entry before."""
    entries = view.entries
    steps = [(n, entries.steps[code]) for n, code in enumerate(entries.step[:, -1].tolist()) if code >= 0]
    changed = [f"* {_kernel(view, n)}: {STEP_LABELS[step]}" for n, step in steps if step in CHANGED]
    if changed:
        yield f"### Against {markdown(label_text(entries.totals[-1].previous))} ({len(changed)})"
        yield "\n".join(changed[:_ROWS])


def _kernel(view: HistoryView, n: int) -> str:
    place, name = _place(view.entries.kernels[n]), markdown(view.kernel(n))
    return f"{name}<br><sub>{markdown(place)}</sub>" if place else name


def _linked(text: str, address: str) -> str:
    return f"[{markdown(text)}](<{address}>)" if address else markdown(text)
