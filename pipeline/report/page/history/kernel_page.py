"""The page of a kernel: charts of its measures, its changes, and its entries."""

import base64
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ingest.arrays import IntArray
from pipeline.gate.kernel_values import Scope
from pipeline.gate.trends import KernelTrends, Measure, MeasureTrend
from pipeline.report.page.embedding import packed
from pipeline.report.page.history.history_words import Wording, kernel_name, kernel_place
from pipeline.report.page.history.index_page import Site, no_change
from pipeline.report.page.history.trend_drawing import CHART, LEFT, RIGHT, SECONDS_PER_DAY, chart, date_text
from pipeline.wording.escaping import visible
from pipeline.wording.quantities import BETWEEN, counted, growth_text, percent

MOST_ENTRIES = 2000  # the newest, that the page can show one by one
FIRST_ROWS = 25  # of the table of entries; the script shows the others
_HEXADECIMAL = re.compile(r"[0-9a-f]+")


def kernel_content(site: Site, n: int) -> dict[str, Any]:
    """Return what the template of a kernel's page shows."""
    kernel, entries = site.kernels[n], site.entries
    wording = Wording(entries)
    charts = [_chart(kernel.measures[measure], site, wording) for measure in Measure]
    shown = [one for one in charts if one is not None]
    newest = range(len(entries) - 1, max(len(entries) - 1 - FIRST_ROWS, -1), -1)
    return {
        "name": kernel_name(kernel.kernel),
        "place": kernel_place(kernel.kernel),
        "level": kernel.kernel.level.value,
        "path": [] if kernel.kernel.level is Scope.TOTAL else list(map(visible, kernel.kernel.callpath)),
        "facts": _facts(site, n, wording),
        "charts": shown,
        "titles": [wording.title(measure) for measure in Measure],
        "changes": site.changes[n],
        "too_few": no_change(site),
        "entries": [_entry(site, kernel, entry, wording) for entry in newest],
        "count": len(entries),
        "carried": min(len(entries), MOST_ENTRIES),
        "data": _data(site, kernel, [one["measure"] for one in shown]),
    }


def _facts(site: Site, n: int, wording: Wording) -> list[tuple[str, str]]:
    """Return what the newest entry says of a kernel."""
    entries = site.entries
    if not np.isfinite(entries.value[n, -1]):
        return [("Newest entry", "does not have this kernel")]
    found = [("Share", percent(float(entries.share[n, -1])))]
    growth = int(entries.growth[n, -1])
    if growth >= 0:
        found.append(("Growth of its model", growth_text(entries.growths[growth])))
    target = site.kernels[n].measures[Measure.TARGET].values[-1]
    if np.isfinite(target):
        found.append((wording.title(Measure.TARGET), wording.value(Measure.TARGET, float(target))))
    lower, value, upper = (m[n, -1] for m in (entries.lower, entries.predicted, entries.upper))
    if np.isfinite([lower, upper]).all() and value > 0:
        ends = (wording.value(Measure.TARGET, float(target * end / value)) for end in (lower, upper))
        found.append(("90 % interval of the newest prediction", BETWEEN.join(ends)))
    verdict = int(entries.verdict[n, -1])
    if verdict >= 0:
        found.append(("Verdict of its check", visible(entries.verdicts[verdict])))
    return found


def _chart(trend: MeasureTrend, site: Site, wording: Wording) -> dict[str, Any] | None:
    title = wording.title(trend.measure)
    levels = trend.levels()
    if not levels:
        return None
    ends = " to ".join(wording.value(trend.measure, level) for _, _, level in (levels[0], levels[-1]))
    spoken = f"{title}: {ends}, {counted(len(trend.changes), 'change point')}"
    drawn = chart(trend, site.entries, spoken)
    assert drawn is not None  # there are levels
    return {"measure": trend.measure, "title": title, "chart": drawn}


def _entry(site: Site, kernel: KernelTrends, entry: int, wording: Wording) -> dict[str, Any]:
    """Return a row of the table of entries."""
    entries, row = site.entries, kernel.row
    growth, verdict = int(entries.growth[row, entry]), int(entries.verdict[row, entry])
    return {
        "name": site.commits.name(entry),
        "url": site.commits.address(entry),
        "added": date_text(int(entries.added[entry])),
        "values": [wording.value(m, float(kernel.measures[m].values[entry])) for m in Measure],
        "growth": growth_text(entries.growths[growth]) if growth >= 0 else "",
        "verdict": visible(entries.verdicts[verdict]) if verdict >= 0 else "",
    }


def _data(site: Site, kernel: KernelTrends, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return what the script knows of the newest entries, in little space."""
    entries, row = site.entries, kernel.row
    first = max(len(entries) - MOST_ENTRIES, 0)
    every, kept = range(first, len(entries)), slice(first, None)
    days = entries.added[kept] // SECONDS_PER_DAY
    commits = [site.commits.commit(n) for n in every] if site.commits.template else []
    names = [site.commits.name(n) for n in every]
    own_names = any(not commit.startswith(name) for name, commit in zip(names, commits, strict=False))
    wording = Wording(entries)
    return {
        "count": len(entries),
        "first": first,
        "names": names if own_names or not commits else None,
        "shown": len(names[0]) if names else 0,
        "commits": _packed_texts(commits),
        "template": site.commits.template,
        "day": int(days.min()),
        "days": _packed_integers(days - days.min()),
        "growths": [growth_text(text) for text in entries.growths],
        "growth": _packed_integers(entries.growth[row, kept] + 1),
        "verdicts": list(map(visible, entries.verdicts)),
        "verdict": _packed_integers(entries.verdict[row, kept] + 1),
        "units": [wording.units.get(measure, "") for measure in Measure],
        "values": [packed(kernel.measures[measure].values[kept], 0) for measure in Measure],
        "charted": [list(Measure).index(measure) for measure in measures],
        "plot": [LEFT, CHART[0] - RIGHT],
    }


def _packed_texts(texts: Sequence[str]) -> Any:  # noqa: ANN401
    """Return texts; digests of the same length as base64 of their bytes, in a third less space."""
    lengths = {len(text) for text in texts}
    if len(lengths) == 1 and lengths.pop() % 2 == 0 and all(map(_HEXADECIMAL.fullmatch, texts)):
        whole = base64.b64encode(bytes.fromhex("".join(texts))).decode()
        return {"bytes": len(texts[0]) // 2, "packed": whole}
    return list(texts)


def _packed_integers(values: IntArray) -> str:
    """Return integers from 0 on as base64, of one or two bytes each."""
    return base64.b64encode(values.astype("<u1" if values.max() < 1 << 8 else "<u2").tobytes()).decode()
