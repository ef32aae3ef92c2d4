"""The newest entry and recent changes as Markdown, for a pull request."""

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.gate.trends import KernelTrends, Measure, MeasureTrend, entries_text
from pipeline.report.page.history.history_words import StepRow, kernel_name, kernel_place
from pipeline.report.page.history.index_page import RECENT, Site, also, drifts, facts, no_change
from pipeline.wording.escaping import markdown
from pipeline.wording.quantities import figure, percent

ROWS = 10
FEWEST_ENTRIES = 20  # before the newest, to say that it is unusual
LEVEL_ENTRIES = 50  # before the newest, that its value is compared with


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
