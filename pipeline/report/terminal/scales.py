"""Wall time, speed-up and efficiency as a table: a column per measured scale, a bar, then the targets.

If there is no room, scales are left out in a fixed order, and if not even three of them fit, every scale
becomes a sentence. Numbers are never cut.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from pipeline.columns.column import ABSENT
from pipeline.columns.scales import scale_columns
from pipeline.questions.runtime_summary import RuntimeSummary, Scale
from pipeline.report.render.console import show_sentence
from pipeline.wording.quantities import (
    ELLIPSIS,
    Figure,
    figure,
    point_text,
    predicted_interval,
    value_text,
)

_GAP = "  "
_MOST_COLUMNS = 40  # scales that are tried
_SMALL, _LARGE = 0.1, 36_000.0  # seconds below and from which another unit is easier to read


@dataclass(frozen=True, kw_only=True)
class ScaleFigure:
    """A figure of every scale: its name, its key in ``summary.json``, and how its numbers are written."""

    name: str
    key: str
    factor: float = 1.0
    write: Callable[[float], str] = figure

    def value(self, entry: Scale) -> str:
        """Write the figure of a scale; ``-`` if it is not available."""
        found = self._of(entry)
        return self.write((found.value or 0.0) * self.factor) if found else ABSENT

    def interval(self, entry: Scale) -> str:
        """Write its 90 % interval; empty if it is unknown."""
        found = self._of(entry)
        if not found or found.lower is None or found.upper is None:
            return ""
        value, lower, upper = (end * self.factor for end in (found.value or 0.0, found.lower, found.upper))
        return predicted_interval(value, lower, upper, self.write)

    def _of(self, entry: Scale) -> Figure | None:
        found: Figure | None = getattr(entry, self.key)
        return found


@dataclass(frozen=True, kw_only=True)
class ShownScales:
    """What the table can show."""

    parameter: str  # the one that scales
    # `measured` and `targets`: entries of ``runtime.at``, ascending; measured ones with the same other
    # parameters
    measured: Sequence[Scale]
    targets: Sequence[Scale]
    wanted: Sequence[Scale]  # all of them, those that are shown first at the front
    other: Sequence[str]  # names of the other parameters in which they differ
    rows: Sequence[ScaleFigure]  # the figures


def show_scales(out: Console, runtime: RuntimeSummary) -> None:
    """Print wall time and what scales are compared by, at measured scales and at targets."""
    scales = _scales_of(runtime)
    shown = _that_fit(scales, out.width)
    if not shown:
        for entry in _by_scale([*scales.measured, *scales.targets], scales.parameter):
            show_sentence(out, _sentence(scales, entry, runtime.observed))
        return
    for line in _lines(scales, shown):
        out.print(line, soft_wrap=True)
    left_out = len(scales.measured) + len(scales.targets) - len(shown)
    if left_out:
        total = len(shown) + left_out
        show_sentence(out, f"{len(shown)} of {total} scales shown; --json has all.", "dim")


def _scales_of(runtime: RuntimeSummary) -> ShownScales:
    """Collect the scales that are compared with the last target, and their figures."""
    parameter, entries = runtime.parameter, runtime.at
    targets = [entry for entry in entries if not entry.measured]
    largest = max((e for e in entries if e.measured), key=lambda e: e.point[parameter])
    others = _others(targets[-1] if targets else largest, parameter)
    measured = [e for e in entries if e.measured and _others(e, parameter) == others]
    if not measured:
        others = _others(largest, parameter)
        measured = [e for e in entries if e.measured and _others(e, parameter) == others]
    measured = _by_scale(measured, parameter)
    shown_targets = _by_scale(targets, parameter)
    together = [*measured, *shown_targets]
    return ShownScales(
        parameter=parameter,
        measured=measured,
        targets=shown_targets,
        wanted=_wanted(runtime, measured, targets),
        other=[name for name, value in others.items() if any(e.point[name] != value for e in together)],
        rows=list(_rows(runtime, together)),
    )


def shared_values(runtime: RuntimeSummary | None) -> dict[str, float]:
    """Return the values of parameters that all scales of the table have in common, to be said once."""
    if runtime is None:
        return {}
    scales = _scales_of(runtime)
    apart = (scales.parameter, *scales.other)
    return {name: value for name, value in scales.wanted[0].point.items() if name not in apart}


def _others(entry: Scale, parameter: str) -> dict[str, float]:
    return {name: value for name, value in entry.point.items() if name != parameter}


def _by_scale(entries: Sequence[Scale], parameter: str) -> list[Scale]:
    return sorted(entries, key=lambda entry: float(entry.point[parameter]))


def _wanted(runtime: RuntimeSummary, measured: Sequence[Scale], targets: Sequence[Scale]) -> list[Scale]:
    """Order scales: the last target, the ends of the measured range, the limits, other targets, the rest."""
    limits = (runtime.fastest, runtime.efficient_up_to.point)
    first = [
        *targets[-1:],
        measured[-1],
        measured[0],
        *(entry for point in limits for entry in measured if entry.point == point),
        *reversed(targets[:-1]),
    ]
    found = {id(entry): entry for entry in [*first, *_spread(measured)]}
    return list(found.values())[:_MOST_COLUMNS]


def _spread(entries: Sequence[Scale]) -> Iterator[Scale]:
    """Yield the one in the middle, then those in the middle of both halves, and so on."""
    pending = [(0, len(entries))]
    for start, end in pending:
        if start < end:
            middle = (start + end) // 2
            yield entries[middle]
            pending += [(middle + 1, end), (start, middle)]


def _rows(runtime: RuntimeSummary, entries: Sequence[Scale]) -> Iterator[ScaleFigure]:
    """Yield the figures that are available: wall time or effort, then what scales are compared by."""
    if any(entry.wall_seconds for entry in entries):
        measured = [e.wall_seconds.value or 0.0 for e in entries if e.wall_seconds and e.measured]
        unit, factor = _time_unit(max(measured, default=1.0))
        yield ScaleFigure(name=f"wall time [{unit}]", key="wall_seconds", factor=factor)
    else:
        yield ScaleFigure(name=f"effort [{runtime.effort_unit}]", key="effort")
    if any(entry.rate for entry in entries):
        yield ScaleFigure(name=runtime.rate_unit, key="rate")
    compared_by = ("work_rate", "speedup", "efficiency", "weak_efficiency", "gpu_hours", "gpu_busy")
    for column in scale_columns(*compared_by, parameter=runtime.parameter):
        if column.key == "speedup" and any(entry.rate or entry.gpu_hours for entry in entries):
            continue  # the rate grows by the same factor; of GPUs the cost counts
        compared = column.key != "work_rate" or (runtime.compared_by == "size" and len(entries) > 1)
        if compared and any(getattr(entry, column.key) for entry in entries):
            yield ScaleFigure(name=column.heading, key=column.key, write=column.write or figure)


def _time_unit(seconds: float) -> tuple[str, float]:
    if seconds >= _LARGE:
        return "h", 1 / 3600
    return ("s", 1.0) if seconds >= _SMALL else ("ms", 1e3)


def _that_fit(scales: ShownScales, width: int) -> list[Scale]:
    """Return the scales that fit into a width, taken in their order; none if the first three do not fit."""
    for count in range(len(scales.wanted), min(3, len(scales.wanted)) - 1, -1):
        shown = scales.wanted[:count]
        if all(len(line) <= width for line in _lines(scales, shown)):
            return list(shown)
    return []


def _lines(scales: ShownScales, shown: Sequence[Scale]) -> list[Text]:
    kept = {id(entry) for entry in shown}
    names = (scales.parameter, *scales.other)
    labels = [scales.parameter, *scales.other, *(row.name for row in scales.rows)]
    columns = [([label.ljust(max(map(len, labels))) for label in labels], "")]
    for entries in (scales.measured, scales.targets):
        if entries is scales.targets and entries:
            columns.append((["|"] * len(labels), "dim"))
        gap = False
        for entry in entries:
            if id(entry) in kept:
                columns += _cells(scales, names, entry)
            elif not gap:
                columns.append(([ELLIPSIS, *[""] * (len(labels) - 1)], "dim"))
            gap = id(entry) not in kept
    lines = [Text() for _ in labels]
    for number, (cells, style) in enumerate(columns):
        width = max(map(len, cells))
        for line, cell in zip(lines, cells, strict=True):
            line.append((_GAP if number else "") + cell.rjust(width), style)
    for line in lines:
        line.rstrip()
    return lines


def _cells(scales: ShownScales, names: Sequence[str], entry: Scale) -> Iterator[tuple[list[str], str]]:
    """Yield the column of a scale and, of a target, that of its intervals, with their style."""
    at = [value_text(entry.point[name]) for name in names]
    yield [*at, *(row.value(entry) for row in scales.rows)], _style(entry)
    intervals = ["" if entry.measured else row.interval(entry) for row in scales.rows]
    if not entry.measured:
        yield ["(predicted)", *[""] * (len(names) - 1), *intervals], _style(entry)


def _style(entry: Scale) -> str:
    return "dim" if entry.reach in ("far", "very far") else ""


def _sentence(scales: ShownScales, entry: Scale, observed: str) -> str:
    parts = []
    for row in scales.rows:
        interval = "" if entry.measured else row.interval(entry)
        parts.append(f"{row.name} {row.value(entry)}" + (f" ({interval})" if interval else ""))
    kind = observed if entry.measured else "predicted"
    at = {name: entry.point[name] for name in (scales.parameter, *scales.other)}
    return f"{point_text(at)}, {kind}: {', '.join(parts)}"
