"""How entries of a history, measures and changes are named and written, and where commits are found."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from ingest.errors import UsageError
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.trends import Entries, KernelStep, KernelTrends, Measure, MeasureTrend
from pipeline.wording.escaping import shown_name, visible
from pipeline.wording.quantities import (
    callpath_text,
    figure,
    interval_text,
    percent,
    point_text,
    quantity,
    shorten_middle,
)

PLACE = "{commit}"
SHORT = 10  # characters of a digest that are shown
LONGEST = 24  # characters of other labels that are shown
WHOLE = "whole program"
CALLERS_WIDTH = 90
NOTHING = "–"
_DIGEST = re.compile(r"[0-9a-f]{7,64}")
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


@dataclass(frozen=True)
class HistoryWords:
    """Names, dates and addresses of the entries of a history, titles and values of its measures.

    Attributes:
        entries: of the history.
        template: address of a commit, with ``{commit}`` for its name; empty without links.
    """

    entries: Entries
    template: str = ""

    def name(self, entry: int) -> str:
        """Return the label of an entry as it is shown: digests are cut as version control does."""
        return short_label(self.entries.labels[entry])

    def date(self, entry: int) -> str:
        """Return the day on which an entry was added."""
        return date_text(int(self.entries.added[entry]))

    def commit(self, entry: int) -> str:
        """Return the commit of an entry as addresses have it: the one stored, or a label that is a digest."""
        stored, label = self.entries.commits[entry], self.entries.labels[entry]
        return quote(stored or (label if _DIGEST.fullmatch(label) else ""), safe="")

    def address(self, entry: int) -> str:
        """Return the address of an entry's commit; empty if there is none."""
        commit = self.commit(entry)
        return self.template.replace(PLACE, commit) if commit else ""

    @property
    def _is_timed(self) -> bool:
        return bool(np.isfinite(self.entries.seconds_per_value))

    @property
    def units(self) -> Mapping[Measure, str]:
        """Units of the two measures that have one."""
        return {
            Measure.MEASURED: self.entries.unit,
            Measure.TARGET: "s" if self._is_timed else self.entries.unit,
        }

    def title(self, measure: Measure) -> str:
        """Return what a measure is called in headings."""
        metric = visible(self.entries.metric)
        metric = f"{metric[:1].upper()}{metric[1:]}"
        target = point_text(self.entries.target)
        return {
            Measure.MEASURED: f"{metric} measured at {point_text(self.entries.at)}",
            Measure.TARGET: f"{'Time' if self._is_timed else metric} at {target}",
            Measure.GROWTH: "Growth per doubling",
            Measure.EFFICIENCY: f"Efficiency at {target}",
        }[measure]

    def value(self, measure: Measure, value: float) -> str:
        """Write a value of a measure."""
        if not np.isfinite(value):
            return NOTHING
        if measure is Measure.GROWTH:
            return f"× {figure(value)}"
        if measure is Measure.EFFICIENCY:
            return percent(value)
        return quantity(value, self.units[measure])


def short_label(label: str) -> str:
    """Return a label as it is shown."""
    return label[:SHORT] if _DIGEST.fullmatch(label) else shorten_middle(visible(label), LONGEST)


def date_text(seconds: int) -> str:
    """Write the day of a time in seconds since 1970."""
    return f"{datetime.datetime.fromtimestamp(seconds, tz=datetime.UTC):%Y-%m-%d}"


def checked_template(template: str) -> str:
    """Return the template of addresses as it is given.

    Raises:
        UsageError: it is not an address of the web, or does not say where the commit goes.
    """
    if _ADDRESS.fullmatch(template) and PLACE in template:
        return template
    raise UsageError(
        f"'{template}' is not an address with {PLACE}",
        where="--commit-url",
        hint="write it as in https://github.com/owner/name/commit/{commit}",
    )


def kernel_name(kernel: KernelId) -> str:
    """Return the name that a kernel has on its page and in the matrix."""
    return WHOLE if kernel.level is Scope.TOTAL else shown_name(kernel.region)


def kernel_place(kernel: KernelId) -> str:
    """Return where a kernel is: its callers, or that it is a region; empty for the whole program."""
    if kernel.level is Scope.TOTAL:
        return ""
    if kernel.level is Scope.REGION:
        return "region, all its call paths"
    callers = kernel.callpath[:-1]
    return callpath_text(callers, CALLERS_WIDTH) if callers else "root"


def direction(measure: Measure, factor: float) -> str:
    """Return whether a factor is for the better or for the worse."""
    return "better" if (factor - 1) * measure.better > 0 else "worse"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The entry of a change as it is shown.

    Attributes:
        name, address: of the first entry after the change; the address may be empty.
        date: when it was added.
        between: the entries that it may be instead, in words; empty if there are none.
    """

    name: str
    address: str
    date: str
    between: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The change of one measure.

    Attributes:
        factor, interval: in words.
        before, after: the levels on either side, in words.
        direction: ``better`` or ``worse``.
        arrow: up or down, as the values went.
    """

    factor: str
    interval: str
    before: str
    after: str
    direction: str
    arrow: str


@dataclass(frozen=True, eq=False, kw_only=True)
class StepRow:
    """A change of a kernel.

    Attributes:
        kernel: which.
        step: the change.
        place: where it is.
        cells: one per measure, None if that did not change.
        direction: ``better`` or ``worse``.
    """

    kernel: KernelTrends
    step: KernelStep
    place: Place
    cells: Sequence[Cell | None]
    direction: str

    @property
    def leading(self) -> Cell:
        """The change of the measure that matters most."""
        known = dict(zip(Measure, self.cells, strict=True))
        order = (Measure.TARGET, Measure.MEASURED, Measure.GROWTH, Measure.EFFICIENCY)
        return next(cell for measure in order if (cell := known[measure]) is not None)


def step_rows(kernel: KernelTrends, steps: Sequence[KernelStep], words: HistoryWords) -> list[StepRow]:
    """Return the changes of a kernel, the newest first."""
    return [_row(kernel, step, words) for step in reversed(steps)]


def drift_text(trend: MeasureTrend, words: HistoryWords) -> str:
    """Say by how much a trend drifts, and from where to where; empty if it does not."""
    if trend.drift is None:
        return ""
    ends = f"from {words.name(trend.drift.first)} to {words.name(trend.drift.last)}"
    return f"drift by a factor of {figure(trend.drift.factor)} {ends}"


def _row(kernel: KernelTrends, step: KernelStep, words: HistoryWords) -> StepRow:
    return StepRow(
        kernel=kernel,
        step=step,
        place=_place(step, words),
        cells=[_cell(kernel, step, measure, words) for measure in Measure],
        direction="better" if step.better else "worse",
    )


def _place(step: KernelStep, words: HistoryWords) -> Place:
    between = ""
    if step.last > step.first:
        between = f"{words.name(step.first)} to {words.name(step.last)}, {step.last - step.first + 1} entries"
    return Place(
        name=words.name(step.at),
        address=words.address(step.at),
        date=words.date(step.at),
        between=between,
    )


def _cell(kernel: KernelTrends, step: KernelStep, measure: Measure, words: HistoryWords) -> Cell | None:
    change = step.changes.get(measure)
    if change is None:
        return None
    levels = kernel.measures[measure].levels()
    after = next(n for n, (start, _, _) in enumerate(levels) if start == change.at)
    return Cell(
        factor=f"× {figure(change.factor)}",
        interval=interval_text(change.lower, change.upper),
        before=words.value(measure, levels[after - 1][2]),
        after=words.value(measure, levels[after][2]),
        direction=direction(measure, change.factor),
        arrow="▲" if change.factor > 1 else "▼",
    )
