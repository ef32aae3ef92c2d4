"""Change points as rows of tables, for the site and for Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.gate.trends import KernelStep, KernelTrends, Measure, steps
from pipeline.report.page.history.history_words import Commits, Wording, factor_text
from pipeline.report.page.history.trend_drawing import date_text, direction
from pipeline.wording.quantities import interval_text


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


def step_rows(kernel: KernelTrends, commits: Commits) -> list[StepRow]:
    """Return the changes of a kernel, the newest first."""
    wording = Wording(commits.entries)
    return [_row(kernel, step, commits, wording) for step in reversed(steps(kernel))]


def _row(kernel: KernelTrends, step: KernelStep, commits: Commits, wording: Wording) -> StepRow:
    return StepRow(
        kernel=kernel,
        step=step,
        place=_place(step, commits),
        cells=[_cell(kernel, step, measure, wording) for measure in Measure],
        direction="better" if step.better else "worse",
    )


def _place(step: KernelStep, commits: Commits) -> Place:
    between = ""
    if step.last > step.first:
        between = (
            f"{commits.name(step.first)} to {commits.name(step.last)}, {step.last - step.first + 1} entries"
        )
    return Place(
        name=commits.name(step.at),
        address=commits.address(step.at),
        date=date_text(int(commits.entries.added[step.at])),
        between=between,
    )


def _cell(kernel: KernelTrends, step: KernelStep, measure: Measure, wording: Wording) -> Cell | None:
    change = step.changes.get(measure)
    if change is None:
        return None
    levels = kernel.measures[measure].levels()
    after = next(n for n, (start, _, _) in enumerate(levels) if start == change.at)
    return Cell(
        factor=factor_text(change),
        interval=interval_text(change.lower, change.upper),
        before=wording.value(measure, levels[after - 1][2]),
        after=wording.value(measure, levels[after][2]),
        direction=direction(measure, change.factor),
        arrow="▲" if change.factor > 1 else "▼",
    )
