"""How the learned numbers of the forecasts were chosen, and what they cost an application that was left out.

Each number in turn takes the values of a small grid, the others keep theirs. For each application the best
value is that with the least mean error (or interval score, for the numbers of the intervals) over the *other*
applications; what that choice gives on the application itself is its figure left out.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from benchmarks.real_series.forecasts import Outcome, outcome
from benchmarks.real_series.series import Task
from benchmarks.real_series.table import CUT
from pipeline.models import back_test, fit_context, hypotheses, noise, total, trend


@dataclass(frozen=True, kw_only=True)
class Number:
    """A learned number: where it is, what was tried, and whether it is about intervals."""

    module: ModuleType
    name: str
    values: tuple[float, ...]
    of_intervals: bool = False


NUMBERS = (
    Number(module=back_test, name="FORMULA_ERROR", values=(0.1, 0.2, 0.4)),
    Number(module=back_test, name="TREND_ERROR", values=(0.1, 0.2, 0.4)),
    Number(module=back_test, name="WORTH", values=(1.0, 3.0, 10.0)),
    Number(module=trend, name="HALF_LIFE", values=(0.5, 1.0, 2.0)),
    Number(module=trend, name="STEEPEST_RISE", values=(1.0, 1.5, 2.0)),
    Number(module=noise, name="LEAST_MISFIT", values=(0.01**2, 0.03**2, 0.1**2)),
    Number(module=fit_context, name="SIMPLE_SHARE", values=(0.5, 0.8, 0.95)),
    Number(module=total, name="SHARED", values=(0.0, 0.4, 1.0)),
    Number(module=total, name="BEND", values=(0.25, 0.5, 1.0), of_intervals=True),
    Number(module=total, name="APART", values=(0.25, 0.5, 1.0), of_intervals=True),
    Number(module=total, name="SIDE_BELOW", values=(0.2, 0.4, 0.8), of_intervals=True),
    Number(module=total, name="SIDE_ABOVE", values=(0.4, 0.8, 1.2), of_intervals=True),
)


def learning(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield a table: the figure of each value over all applications, and of the choice left out."""
    yield "| number | figure | value: mean over applications | left out |"
    yield "|---|---|---|---:|"
    applications = sorted({task.application for task in tasks})
    for number in NUMBERS:
        figures = np.array([_figures(number, value, tasks, applications) for value in number.values])
        means = zip(number.values, figures.mean(axis=1), strict=True)
        shown = ", ".join(f"{value:.4g}: {mean:.3f}" for value, mean in means)
        figure = "interval score" if number.of_intervals else "error"
        yield f"| `{number.name}` | {figure} | {shown} | {left_out(figures):.3f} |"


def left_out(figures: np.ndarray) -> float:
    """Mean over applications of what the best value of the others gives; float64[values, applications]."""
    chosen = []
    for application in range(figures.shape[1]):
        others = np.delete(figures, application, axis=1).mean(axis=1)
        chosen.append(figures[int(others.argmin()), application])
    return float(np.mean(chosen))


def _figures(number: Number, value: float, tasks: Sequence[Task], applications: Sequence[str]) -> list[float]:
    of: Callable[[Outcome], float] = (
        (lambda o: o.score) if number.of_intervals else (lambda o: min(o.ours, CUT))
    )
    with _set(number, value):
        outcomes = [outcome(task, with_extrap=False) for task in tasks]
    return [float(np.mean([of(o) for o in outcomes if o.task.application == name])) for name in applications]


@contextmanager
def _set(number: Number, value: float) -> Iterator[None]:
    """Give a number another value for a while."""
    before = getattr(number.module, number.name)
    setattr(number.module, number.name, value)
    hypotheses._space.cache_clear()
    try:
        yield
    finally:
        setattr(number.module, number.name, before)
        hypotheses._space.cache_clear()
