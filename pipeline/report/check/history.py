"""A kernel across commits: its series, change points and drift; the newest entry as a badge."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, TypeAlias
from xml.sax.saxutils import escape

import numpy as np
from rich.console import Console

from pipeline.columns.cells import DataTable
from pipeline.columns.column import (
    FIGURE,
    GROWTH,
    PATH,
    SHARE,
    TEXT,
    Column,
    Kind,
    filled,
    parameters,
    stored,
)
from pipeline.gate.change_points import FALSE_ALARMS, ChangePoint
from pipeline.gate.check_result import Cause, CheckResult, Outcome, Ruling
from pipeline.gate.kernel_values import KernelId
from pipeline.gate.trends import Entries, HistoryRow, ProgramChange, development, measured_places, too_few
from pipeline.questions.pop_efficiency import FAIR, GOOD
from pipeline.report.check.terminal import TOTAL_KERNEL, leading_change
from pipeline.report.check.wording import VERDICT_ROWS, change_text
from pipeline.report.render.console import show_sentence
from pipeline.report.render.terminal_tables import show_notes, terminal_table
from pipeline.wording.escaping import visible, xml
from pipeline.wording.quantities import (
    callpath_text,
    counted,
    figure,
    number,
    point_text,
    quantity,
    shorten_middle,
    times,
    value_text,
)

_BAR = 20  # characters
_DIGITS = 10  # of a digest that are shown
_LONGEST = 24  # characters of other labels that are shown
DIGEST = re.compile(r"[0-9a-f]{7,64}")
CHANGED = (Ruling.REGRESSION.value, Ruling.IMPROVEMENT.value)
STEP_LABELS = {ruling.value: row.label for ruling, row in VERDICT_ROWS.items()}
_LEVEL_NAMES = {"callpath": "call path", "region": "region"}  # the total needs none


def step_verdicts(result: CheckResult) -> dict[KernelId, str]:
    """Return what the test of an entry against the one before found of every kernel.

    The total is unchanged only if the whole check says so.
    """
    if any(reason.cause is Cause.INCOMPARABLE for reason in result.reasons):
        return {TOTAL_KERNEL: Ruling.INCONCLUSIVE.value}
    found = {one.kernel: one.verdict.value for one in result.kernels}
    shared = result.common is not None and result.common.verdict is not Ruling.UNCHANGED
    doubtful = result.outcome is Outcome.INCONCLUSIVE or shared
    if doubtful and found.get(TOTAL_KERNEL) == Ruling.UNCHANGED.value:
        found[TOTAL_KERNEL] = Ruling.INCONCLUSIVE.value
    return found


def step_words(result: CheckResult) -> dict[KernelId, str]:
    """Return what these verdicts rest on; of the total all doubts, and the kernel that got slower most."""
    changed = {
        one.kernel: change_text(one, result.unit) for one in result.kernels if one.verdict.value in CHANGED
    }
    unclear = {one.kernel: one.advice for one in result.of(Ruling.INCONCLUSIVE)}
    shared = "" if result.common is None else result.common.text
    doubts = (*(reason.text for reason in result.reasons), shared)
    parts = any(one.kernel != TOTAL_KERNEL for one in result.of(Ruling.REGRESSION))
    texts = (changed.get(TOTAL_KERNEL, ""), *doubts, leading_change(result) if parts else "")
    whole = "; ".join(dict.fromkeys(filter(None, texts)))
    return changed | unclear | {TOTAL_KERNEL: whole}


def step_text(step: str, previous: str, said: str) -> str:
    """Write a verdict as a check does: ``REGRESSION against c1: 15.0 times slower at p = 32``."""
    return f"{STEP_LABELS.get(step, step)} against {label_text(previous)}{f': {said}' if said else ''}"


def label_text(label: str) -> str:
    """Write a label in one short line: digests are cut as version control does."""
    return label[:_DIGITS] if DIGEST.fullmatch(label) else shorten_middle(visible(label), _LONGEST)


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """A kernel at one label."""

    label: str
    added: Annotated[str, "when, by ISO 8601"]
    value: float
    share: float
    growth: str
    predicted: float
    verdict: str
    previous: Annotated[str, "label of the entry that this one was tested against; empty if it was not"]
    step: Annotated[str, "verdict of that test; empty if the kernel is small"]
    said: Annotated[str, "what that verdict rests on"]

    @property
    def tested(self) -> str:
        """What the test against the entry before says; empty without one."""
        return step_text(self.step, self.previous, self.said) if self.step and self.previous else ""


_OF_ROW = [one.name for one in fields(HistoryEntry) if one.name != "added"]


@dataclass(frozen=True, kw_only=True)
class KernelChange:
    """A change of a kernel, with the labels between which it surely lies."""

    document_name: ClassVar[str] = "change_point"

    label: str
    first_label: str
    last_label: str
    factor: float
    lower: float
    upper: float
    p: float
    named_by: Annotated[Sequence[str], "the call path that shows it best"]


KernelPlace: TypeAlias = Callable[..., KernelChange]
"""A change that has its labels, and lacks its size."""


@dataclass(frozen=True, kw_only=True)
class KernelDrift:
    """A slow change over the series, or over the part of it between two labels."""

    document_name: ClassVar[str] = "drift"

    first_label: str
    last_label: str
    factor: float
    p: float


@dataclass(frozen=True, kw_only=True)
class KernelHistory:
    """The series of one kernel."""

    level: Literal["total", "region", "callpath"]
    callpath: Sequence[str]
    unit: str
    at: Mapping[str, float]
    entries: Sequence[HistoryEntry]
    other_functions: Annotated[Sequence[str], "labels from which on other functions were recorded"]
    change_points: Sequence[KernelChange]
    drift: KernelDrift | None

    def __str__(self) -> str:
        """Say which kernel it is of, and at which point."""
        name = callpath_text(self.callpath, 100)
        level = f" ({_LEVEL_NAMES[self.level]})" if self.level in _LEVEL_NAMES else ""
        return f"{name}{level} at {point_text(self.at)}"

    @property
    def recording_note(self) -> str:
        """From where on other functions were recorded; empty if they were always the same."""
        if not self.other_functions:
            return ""
        labels = ", ".join(self.other_functions)
        return f"other functions were recorded from {labels} on, so time moved between callers and callees"

    @property
    def conclusions(self) -> Sequence[str]:
        """What the test of the newest entry found, how many change points there are, and any drift."""
        tested = [one.tested for one in self.entries[-1:] if one.tested]
        few = too_few(len(self.entries))
        earlier = self.entries[-2::-1] if few else ()
        tested += [f"{label_text(one.label)}: {one.tested}" for one in earlier if one.step in CHANGED]
        return [*tested, few or self._development]

    @property
    def _development(self) -> str:
        trend, points, level = self.drift, self.change_points, f"(level {value_text(FALSE_ALARMS)})"
        if not points and trend is None:
            return f"no change {level}"
        parts = [f"{counted(len(points), 'change point')} {level}"] if points else []
        if trend is not None:
            ends = f"from {trend.first_label} to {trend.last_label}"
            test = f"Mann-Kendall test, p = {figure(trend.p, 2)}"
            parts.append(f"drift by a factor of {figure(trend.factor)} {ends} ({test})")
        return "; ".join(parts)

    @property
    def factors(self) -> Mapping[str, float]:
        """By how much it changed, by the label of the first entry after that."""
        return {change.label: change.factor for change in self.change_points}


@dataclass(frozen=True, kw_only=True)
class History:
    """Kernels across commits."""

    kernels: Sequence[KernelHistory]


def places_of(entries: Entries) -> dict[KernelId, list[KernelPlace]]:
    """Return where the measured value of each kernel changed, as named by the kernels that show it best."""
    return {
        kernel: [_named(entries.labels, change, best) for change, best in found]
        for kernel, found in measured_places(entries).items()
    }


def kernel_history(
    kernel: KernelId, rows: Sequence[HistoryRow], places: Sequence[KernelPlace] = ()
) -> KernelHistory:
    """Return the series of one kernel with its change points and drift.

    Only entries measured at the same point as the last one are compared, and on the same machine if it is
    known.

    Args:
        places: of its changes as all kernels show them; without them its own series names the entries.
    """
    last = rows[-1]
    known = ("", last.machine)
    same = [row for row in rows if row.at == last.at and row.machine in known and row.value > 0]
    recorded = [row for row in same if row.recorded]  # whose functions are known
    found = development(np.array([row.value for row in same], dtype=np.float64))
    labels, trend = [row.label for row in same], found.drift
    if len(places) != len(found.steps):
        places = [_named(labels, step, kernel) for step in found.steps]
    return KernelHistory(
        level=kernel.level.value,
        callpath=kernel.callpath,
        unit=last.unit,
        at=json.loads(last.at),
        entries=[
            HistoryEntry(**{name: getattr(row, name) for name in _OF_ROW}, added=row.added.isoformat())
            for row in same
        ],
        other_functions=[row.label for one, row in pairwise(recorded) if row.recorded != one.recorded],
        change_points=[
            place(factor=step.factor, lower=step.lower, upper=step.upper, p=step.p)
            for step, place in zip(found.steps, places, strict=True)
        ],
        drift=None
        if trend is None
        else KernelDrift(
            first_label=labels[trend.first], last_label=labels[trend.last], factor=trend.factor, p=trend.p
        ),
    )


def _named(labels: Sequence[str], change: ChangePoint | ProgramChange, kernel: KernelId) -> KernelPlace:
    return partial(
        KernelChange,
        label=labels[change.at],
        first_label=labels[change.first],
        last_label=labels[change.last],
        named_by=kernel.callpath,
    )


def show_history(out: Console, history: KernelHistory, limit: int) -> None:
    """Print what is found of a series, its entries, the newest last, and what is known besides."""
    answer, *others = history.conclusions
    show_sentence(out, f"{history}: {answer}.", "bold")
    if history.entries:
        columns = _columns(history, max(one.value for one in history.entries))
        out.print(terminal_table(filled(columns, history.entries[-limit:]), out.width))
    for text in others:
        show_sentence(out, f"{text}.")
    if text := history.recording_note:
        show_notes(out, [text])


def _columns(history: KernelHistory, largest: float) -> list[Column[Any]]:
    def bar(one: HistoryEntry) -> str:
        return "█" * max(1, round(_BAR * one.value / largest))

    def remark(one: HistoryEntry) -> str:
        factor = history.factors.get(one.label)
        step = STEP_LABELS.get(one.step, "") if one.step != Ruling.UNCHANGED.value else ""
        return one.verdict or step if factor is None else f"{figure(factor)} × before"

    return [
        Column(key="label", write=label_text),
        Column(key="value", kind=FIGURE, heading=history.unit or "value"),
        Column(key="bar", each=bar, heading=" ", dispensable=2),
        Column(key="share", kind=SHARE),
        Column(key="growth", kind=GROWTH, dispensable=1),
        Column(key="remark", each=remark, heading=" ", styles=lambda rows: ["yellow"] * len(rows)),
    ]


def history_table(histories: Sequence[KernelHistory], *, limit: int) -> DataTable:
    """Return one row per kernel and entry, the newest last, at most `limit` of both."""
    shown = histories[:limit]
    rows = [(one, entry) for one in shown for entry in one.entries[-limit:]]
    of_kernels, entries = [one for one, _ in rows], [entry for _, entry in rows]

    def of_kernel(key: str, kind: Kind = TEXT, name: str = "") -> Column[Any]:
        return Column(key=key, kind=kind, name=name, values=lambda _: stored(key, of_kernels))

    columns: list[Column[Any]] = [
        of_kernel("callpath", PATH, "kernel"),
        of_kernel("level"),
        *parameters(
            dict.fromkeys(name for one in of_kernels for name in one.at), [one.at for one in of_kernels]
        ),
        Column(key="label"),
        Column(key="added"),
        Column(key="value", kind=FIGURE),
        of_kernel("unit"),
        Column(key="share", kind=SHARE),
        Column(key="growth", kind=GROWTH),
        Column(key="predicted", kind=FIGURE),
        Column(key="verdict"),
        Column(key="previous"),
        Column(key="step"),
        Column(
            key="change_factor",
            kind=FIGURE,
            values=lambda _: [
                None if (factor := one.factors.get(entry.label)) is None else number(factor)
                for one, entry in rows
            ],
        ),
    ]
    said = [f"{one}: {'; '.join(one.conclusions)}" for one in shown]
    notes = filter(None, (one.recording_note for one in shown))
    return filled(columns, entries, notes=[*said, *notes])


_GOOD, _FAIR, _POOR, _UNKNOWN = "#009e73", "#b57900", "#c4452a", "#6b7280"  # as on pages
_CHARACTER, _MARGIN = 6.6, 6  # pixels
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{text}">'
    '<title>{text}</title><rect width="{width}" height="20" rx="3" fill="#434b54"/>'
    '<path d="M{left} 0h{inside}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inside}z" fill="{colour}"/>'
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
    '<text x="{label_at}" y="14">{label}</text><text x="{message_at}" y="14">{message}</text></g></svg>\n'
)


@dataclass(frozen=True, kw_only=True)
class Badge:
    """Where was measured, what, and how it stands; names are those of shields.io's endpoint."""

    schemaVersion: int = 1  # noqa: N815
    label: str
    message: str
    color: str

    @property
    def svg(self) -> str:
        """The badge as an image."""
        left, right = (round(_CHARACTER * len(one)) + 2 * _MARGIN for one in (self.label, self.message))
        label, message = escape(xml(self.label)), escape(xml(self.message))
        return _SVG.format(
            width=left + right,
            left=left,
            inside=right - 3,
            colour=self.color,
            label=label,
            message=message,
            text=f"{label}: {message}".replace('"', "&quot;"),
            label_at=left / 2,
            message_at=left + right / 2,
        )


def history_badge(entries: Entries) -> Badge:
    """Return the newest entry's wall time, else its value, at the largest scale, against the entry before."""
    newest = entries.totals[-1]
    before = next((one for one in entries.totals[:-1] if one.label == newest.previous), None)
    value, unit = _time_or_value(newest)
    message = quantity(value, unit)
    if before is not None and newest.step:
        message = f"{message} {_arrow(value / _time_or_value(before)[0], newest.step)}"
    return Badge(label=visible(point_text(entries.at)), message=message, color=_colour(newest))


def _time_or_value(total: HistoryRow) -> tuple[float, str]:
    return (total.wall_seconds, "s") if total.wall_seconds > 0 else (total.value, total.unit)


def _arrow(ratio: float, step: str) -> str:
    """Write an arrow and by how much, where the test says that something changed, or does not know."""
    if step == Ruling.UNCHANGED.value:
        return "→"
    size = f"{figure(100 * abs(ratio - 1), 2)} %" if 0.5 < ratio < 2 else times(max(ratio, 1 / ratio))
    doubt = " unclear" if step == Ruling.INCONCLUSIVE.value else ""
    return f"{'↑' if ratio > 1 else '↓'} {size}{doubt}"


def _colour(total: HistoryRow) -> str:
    """Colour a regression as poor, else by the efficiency at the largest scale as pages do."""
    if total.step == Ruling.REGRESSION.value:
        return _POOR
    if not total.efficiency > 0:
        return _UNKNOWN
    return _GOOD if total.efficiency >= GOOD else _FAIR if total.efficiency >= FAIR else _POOR
