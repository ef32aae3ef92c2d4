"""The page of a kernel: charts of its measures, its changes, and its entries."""

from typing import Any

import numpy as np

from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import KernelTrends, Measure, MeasureTrend
from pipeline.report.page.embedding import integers, packed
from pipeline.report.page.history.history_words import (
    SHORT,
    HistoryWords,
    drift_text,
    kernel_name,
    kernel_place,
)
from pipeline.report.page.history.index_page import Site, no_change, verdict
from pipeline.report.page.history.trend_data import trends_data
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import BETWEEN, counted, growth_text, percent

MOST_ENTRIES = 2000  # the newest, that the page can show one by one
PARTS = 240  # of a line in a chart
DATES = 5  # below the axis
SECONDS_PER_DAY = 86_400


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
