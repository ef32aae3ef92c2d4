"""All files of the site: pages, badge and the text for a pull request."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np

from ingest.arrays import FloatArray
from pipeline.columns.column import FIGURE, SHARE, WHOLE, Column
from pipeline.gate.change_points import ENOUGH, LEVEL
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import (
    Entries,
    Finding,
    KernelTrends,
    Measure,
    MeasureTrend,
    at_their_places,
    entries_text,
    findings,
    steps_by_kernel,
    too_few,
    trends,
)
from pipeline.report.page.embedding import columns_data, integers, packed, page_text
from pipeline.report.page.history.history_words import (
    NOTHING,
    SHORT,
    HistoryWords,
    StepRow,
    drift_text,
    kernel_name,
    kernel_place,
    step_rows,
)
from pipeline.report.page.history.trend_data import trends_data
from pipeline.wording.escaping import markdown, visible
from pipeline.wording.quantities import BETWEEN, counted, figure, growth_text, percent, point_text

MATRIX = (Measure.TARGET, Measure.GROWTH, Measure.EFFICIENCY)
RECENT = 20  # entries in which changes are recent
MOST_NAMED = 3  # other kernels of a change
LEADING = (Measure.TARGET, Measure.MEASURED, Measure.GROWTH, Measure.EFFICIENCY)
MOST_CHANGES = 50  # rows of the table of changes
MATRIX_PARTS = 66  # of a line in the matrix


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


MOST_ENTRIES = 2000  # the newest, that the page can show one by one
PARTS = 240  # of a line in a chart
DATES = 5  # below the axis
SECONDS_PER_DAY = 86_400
ROWS = 10
FEWEST_ENTRIES = 20  # before the newest, to say that it is unusual
LEVEL_ENTRIES = 50  # before the newest, that its value is compared with
HEIGHT = 20
MARGIN = 7  # pixels on either side of a text
CHARACTER = 6.4  # pixels, on average
LABEL = "#3b4148"
COLOURS = {
    "worse": "#b03a22",
    "better": "#00704f",
    "": "#1c5fb8",
}  # white text has a contrast of 5.9 at least


def badge(site: Site) -> str:
    """Return the SVG; its title says the same in words."""
    whole = site.kernels[0].measures
    value = site.words.value(Measure.TARGET, float(whole[Measure.TARGET].values[-1]))
    efficiency = float(whole[Measure.EFFICIENCY].values[-1])
    if np.isfinite(efficiency):
        value += f", {percent(efficiency)} efficient"
    change = next(iter(site.changes[0]), None)
    if change is not None and change.step.at < len(site.entries) - RECENT:
        change = None
    if change is not None and value != NOTHING:
        value += f" {change.leading.arrow} {change.leading.factor}"
    return _svg(f"at {point_text(site.entries.target)}", value, COLOURS[change.direction if change else ""])


def _svg(label: str, value: str, colour: str) -> str:
    left, right = (2 * MARGIN + CHARACTER * len(text) for text in (label, value))
    label, value = escape(label), escape(value)
    text = 'y="14" text-anchor="middle" lengthAdjust="spacingAndGlyphs" textLength'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="{HEIGHT}" role="img" '
        f'aria-label="{label}: {value}"><title>{label}: {value}</title>'
        f'<rect width="{left + right:.0f}" height="{HEIGHT}" rx="3" fill="{LABEL}"/>'
        f'<path d="M{left:.0f} 0h{right - 3:.0f}q3 0 3 3v{HEIGHT - 6}q0 3 -3 3h-{right - 3:.0f}z" '
        f'fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:.1f}" {text}="{left - 2 * MARGIN:.0f}">{label}</text>'
        f'<text x="{left + right / 2:.1f}" {text}="{right - 2 * MARGIN:.0f}">{value}</text></g></svg>\n'
    )


INDEX, BADGE, PULL_REQUEST = "index.html", "badge.svg", "pull-request.md"
SLUG = 40  # characters of a kernel's name in the name of its page


def site(entries: Entries, template: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file; the first page comes last.

    Args:
        entries: of the history.
        template: address of a commit with ``{commit}`` for its name; empty without links.
    """
    measured, words = trends(entries), HistoryWords(entries, template)
    found = findings(measured)
    steps_of_each = steps_by_kernel(measured, found)
    kernels = at_their_places(measured, steps_of_each)
    whole = Site(
        entries=entries,
        kernels=kernels,
        words=words,
        addresses=[page_of(one.kernel) for one in kernels],
        changes=[
            step_rows(kernel, steps, words) for kernel, steps in zip(kernels, steps_of_each, strict=True)
        ],
        findings=found,
    )
    for n, address in enumerate(whole.addresses):
        yield address, page_text("history_kernel", **kernel_content(whole, n))
    yield BADGE, badge(whole)
    yield PULL_REQUEST, pull_request(whole)
    yield INDEX, page_text("history", **index_content(whole))


def page_of(kernel: KernelId) -> str:
    """Return the path of a kernel's page, which stays the same from one site to the next."""
    slug = re.sub(r"[^a-z0-9]+", "-", kernel_name(kernel).lower()).strip("-")[:SLUG].strip("-")
    identity = "\0".join((kernel.level.value, *kernel.callpath)).encode(errors="surrogatepass")
    return f"kernels/{slug or 'kernel'}-{hashlib.sha256(identity).hexdigest()[:10]}.html"


def pull_request(site: Site) -> str:
    """Return the document: the whole program, recent changes, and kernels outside of their usual range."""
    newest = len(site.entries) - 1
    name = _linked(site.words.name(newest), site.words.address(newest))
    parts = [f"## Scaling at {name}", _whole(site), *_changes(site), *_unusual(site)]
    parts.append(f"<sub>{'; '.join(f'{markdown(k)}: {markdown(v)}' for k, v in facts(site)[1:])}</sub>")
    return "\n\n".join(parts) + "\n"


def _whole(site: Site) -> str:
    """Return the measures of the whole program at the newest entry beside their level before it."""
    words = site.words
    rows = ["| | newest | level before | ratio |", "|---|---:|---:|---:|"]
    for measure, trend in site.kernels[0].measures.items():
        now, before = float(trend.values[-1]), _usual(trend)
        if not np.isfinite(now):
            continue
        level = float(np.median(before)) if len(before) else np.nan
        ratio = f"× {figure(now / level)}" if np.isfinite(level) else "–"
        cells = (words.title(measure), words.value(measure, now), words.value(measure, level), ratio)
        rows.append(f"| {' | '.join(map(markdown, cells))} |")
    return "\n".join(rows)


def _usual(trend: MeasureTrend) -> np.ndarray:
    """Return the values since the last change, without the newest; at most `LEVEL_ENTRIES`."""
    start = trend.changes[-1].at if trend.changes else 0
    before = trend.values[start:-1]
    return before[np.isfinite(before)][-LEVEL_ENTRIES:]


def _changes(site: Site) -> Iterator[str]:
    recent, count = site.recent_changes, min(RECENT, len(site.entries))
    if drifting := drifts(site):
        yield "### Drift\n\n" + "\n".join(f"* {markdown(text)}" for text in drifting[:ROWS])
    if not recent:
        few = no_change(site)
        yield f"{few[:1].upper()}{few[1:]}." if few else f"No change point in the last {entries_text(count)}."
        return
    yield f"### Changes in the last {entries_text(count)} ({len(recent)})"
    head = "| kernel | since | what | factor | 90 % interval | before | after |\n"
    head += "|---|---|---|---:|---|---:|---:|\n"
    yield head + "\n".join(_change(row, site) for row in recent[:ROWS])
    if len(recent) > ROWS:
        yield f"{ROWS} of {len(recent)} shown"


def _change(row: StepRow, site: Site) -> str:
    cell = row.leading
    measure = list(Measure)[list(row.cells).index(cell)]
    texts = [
        _kernel(row.kernel) + (f"<br><sub>{markdown(others)}</sub>" if (others := also(site, row)) else ""),
        _linked(row.place.name, row.place.address),
        markdown(site.words.title(measure)),
        f"{'🔺' if row.direction == 'worse' else '🟢'} {markdown(cell.factor)}",
        *map(markdown, (cell.interval, cell.before, cell.after)),
    ]
    return f"| {' | '.join(texts)} |"


def _unusual(site: Site) -> Iterator[str]:
    """Yield the kernels whose newest measured value is outside of all values since their last change.

    Of n + 1 values in any order the last is the largest or the smallest with probability 2 / (n + 1).
    """
    found, expected = [], 0.0
    for kernel in site.kernels:
        trend = kernel.measures[Measure.MEASURED]
        now, before = float(trend.values[-1]), _usual(trend)
        if not np.isfinite(now) or len(before) < FEWEST_ENTRIES:
            continue
        expected += 2 / (len(before) + 1)
        if now > before.max() or now < before.min():
            found.append((kernel, now / float(np.median(before))))
    if not found:
        return
    found.sort(key=lambda one: -abs(np.log(one[1])))
    chance = f"by chance about {figure(expected, 2)}"
    yield f"### Outside of all values since the last change ({len(found)}, {chance})"
    yield "\n".join(_unusual_rows(found[:ROWS], site))


def _unusual_rows(found: Sequence[tuple[KernelTrends, float]], site: Site) -> Iterator[str]:
    words = site.words
    yield f"| kernel | {markdown(words.title(Measure.MEASURED))} | × level | share | verdict |"
    yield "|---|---:|---:|---:|---|"
    for kernel, ratio in found:
        n = kernel.row
        verdict = int(site.entries.verdict[n, -1])
        cells = (
            words.value(Measure.MEASURED, float(kernel.measures[Measure.MEASURED].values[-1])),
            figure(ratio),
            percent(float(site.entries.share[n, -1])),
            site.entries.verdicts[verdict] if verdict >= 0 else "",
        )
        yield f"| {_kernel(kernel)} | {' | '.join(map(markdown, cells))} |"


def _kernel(kernel: KernelTrends) -> str:
    place = kernel_place(kernel.kernel)
    name = markdown(kernel_name(kernel.kernel))
    return f"{name}<br><sub>{markdown(place)}</sub>" if place else name


def _linked(text: str, address: str) -> str:
    return f"[{markdown(text)}](<{address}>)" if address else markdown(text)


def kernel_content(site: Site, n: int) -> dict[str, Any]:
    """Return what the template of a kernel's page shows."""
    kernel, entries = site.kernels[n], site.entries
    return {
        "name": kernel_name(kernel.kernel),
        "place": kernel_place(kernel.kernel),
        "verdict": verdict(site, n),
        "facts": [*_path(kernel.kernel), *_facts(site, n)],
        "titles": [site.words.title(measure) for measure in Measure],
        "changes": site.changes[n],
        "drifts": [
            f"{site.words.title(measure)}: {text}"
            for measure, trend in kernel.measures.items()
            if (text := drift_text(trend, site.words))
        ],
        "too_few": no_change(site),
        "count": len(entries),
        "carried": min(len(entries), MOST_ENTRIES),
        "data": _data(site, kernel),
    }


def _path(kernel: KernelId) -> list[tuple[str, str]]:
    """Return the whole name of a kernel, if its heading is shorter."""
    path = [] if kernel.level is Scope.TOTAL else list(map(visible, kernel.callpath))
    if path in ([], [kernel_name(kernel)]):
        return []
    return [("Region" if kernel.level is Scope.REGION else "Call path", " › ".join(path))]


def _facts(site: Site, n: int) -> list[tuple[str, str]]:
    """Return what the newest entry says of a kernel."""
    entries, words = site.entries, site.words
    if not np.isfinite(entries.value[n, -1]):
        return [("Newest entry", "does not have this kernel")]
    found = [("Share", percent(float(entries.share[n, -1])))]
    growth = int(entries.growth[n, -1])
    if growth >= 0:
        found.append(("Growth of its model", growth_text(entries.growths[growth])))
    target = site.kernels[n].measures[Measure.TARGET].values[-1]
    if np.isfinite(target):
        found.append((words.title(Measure.TARGET), words.value(Measure.TARGET, float(target))))
    lower, value, upper = (m[n, -1] for m in (entries.lower, entries.predicted, entries.upper))
    if np.isfinite([lower, upper]).all() and value > 0:
        ends = (words.value(Measure.TARGET, float(target * end / value)) for end in (lower, upper))
        found.append(("90 % interval of the newest prediction", BETWEEN.join(ends)))
    verdict = int(entries.verdict[n, -1])
    if verdict >= 0:
        found.append(("Verdict of its check", visible(entries.verdicts[verdict])))
    return found


def _data(site: Site, kernel: KernelTrends) -> dict[str, Any]:
    """Return the charts and the newest entries; ``js/history/kernel.js`` has the types."""
    entries, row, words = site.entries, kernel.row, site.words
    first = max(len(entries) - MOST_ENTRIES, 0)
    every, kept = range(first, len(entries)), slice(first, None)
    days = entries.added[kept] // SECONDS_PER_DAY
    commits = [words.commit(n) for n in every] if words.template else [""] * len(every)
    names = [words.name(n) for n in every]
    own = [name for name, commit in zip(names, commits, strict=True) if name != commit[:SHORT]]
    return {
        "first": first,
        "names": names if own else [],
        "digits": SHORT,
        "commits": commits,
        "template": words.template,
        "days": integers(np.diff(days, prepend=0)),
        "growths": [growth_text(text) for text in entries.growths],
        "growth": integers(entries.growth[row, kept]),
        "verdicts": list(map(visible, entries.verdicts)),
        "verdict": integers(entries.verdict[row, kept]),
        "measures": [
            {
                "kind": measure.value,
                "title": words.title(measure),
                "spoken": _spoken(kernel.measures[measure], words),
                "unit": words.units.get(measure, ""),
                "values": packed(kernel.measures[measure].values[kept]),
            }
            for measure in Measure
        ],
        "trends": trends_data([kernel.measures[measure] for measure in Measure], PARTS),
        "ticks": _ticks(words),
    }


def _spoken(trend: MeasureTrend, words: HistoryWords) -> str:
    """Say what a chart shows."""
    levels = trend.levels()
    ends = " to ".join(words.value(trend.measure, level) for _, _, level in (levels[:1] + levels[-1:]))
    return f"{words.title(trend.measure)}: {ends}, {counted(len(trend.changes), 'change point')}"


def _ticks(words: HistoryWords) -> list[tuple[int, str]]:
    """Return some entries with their dates, or with their labels if all were added within two days."""
    entries = words.entries
    count = len(entries)
    places = np.unique(np.linspace(0, count - 1, min(DATES, count)).round().astype(np.int64)).tolist()
    if np.ptp(entries.added) >= 2 * SECONDS_PER_DAY:
        return [(n, words.date(n)) for n in places]
    return [(n, words.name(n)) for n in places]


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
            measure.value: trends_data([one.measures[measure] for one in site.kernels], MATRIX_PARTS)
            for measure in MATRIX
        },
        "spoken": {
            measure.value: [_spoken_row(one.measures[measure], site.words) for one in site.kernels]
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


def _spoken_row(trend: MeasureTrend, words: HistoryWords) -> str:
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
