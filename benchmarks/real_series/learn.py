"""How learned constants of the forecasts were chosen, and what they cost an application that was left out.

Each constant in turn takes the values of a small grid beside its own, the others keep theirs. For each
application the best value is that with the least mean error (or interval score, for the constants of
intervals) over the *other* applications; what that choice gives on the application itself is its figure left
out. All applications count alike, however many tasks they have.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import numpy as np

from benchmarks.real_series.forecasts import outcome
from benchmarks.real_series.series import GRID, Array, Task

ERROR, SCORE = 0, 1


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A learned constant of `pipeline.models`: ``module.NAME``.

    Attributes:
        name: where it is.
        others: values that are tried beside its own.
        figure: which of the figures it is chosen by.
    """

    name: str
    others: tuple[float, ...]
    figure: int = ERROR


CONSTANTS = (
    Constant(name="trend.OVERHEAD_POWER", others=(1.2, 2.0)),
    Constant(name="trend.SIZE_POWER", others=(0.75, 1.5)),
    Constant(name="trend.PROPORTIONAL", others=(0.6, 0.9)),
    Constant(name="trend.KEPT_SLOPE", others=(0.25, 1.0)),
    Constant(name="trend.HALF_LIFE", others=(0.5, 2.0)),
    Constant(name="trend.STEEPEST_RISE", others=(1.0, 2.0)),
    Constant(name="back_test.FORMULA_ERROR", others=(0.1, 0.4)),
    Constant(name="back_test.TREND_ERROR", others=(0.1, 0.4)),
    Constant(name="back_test.WORTH", others=(1.0, 10.0)),
    Constant(name="observations.LEAST_MISFIT", others=(0.01**2, 0.1**2)),
    Constant(name="search_space.SIMPLE_SHARE", others=(0.5, 0.95)),
    Constant(name="total.SHARED", others=(0.0, 1.0)),
    Constant(name="trend.BELOW", others=(1.1, 1.8), figure=SCORE),
    Constant(name="trend.ABOVE", others=(1.4, 2.2), figure=SCORE),
    Constant(name="total.BEND", others=(0.25, 1.0), figure=SCORE),
    Constant(name="total.APART", others=(0.25, 1.0), figure=SCORE),
    Constant(name="total.SIDE_BELOW", others=(0.2, 0.8), figure=SCORE),
    Constant(name="total.SIDE_ABOVE", others=(0.4, 1.2), figure=SCORE),
)


def learning(tasks: Sequence[Task], jobs: int, constants: Sequence[Constant] = CONSTANTS) -> Iterator[str]:
    """Yield a table: both figures of each value over all applications, and of the choice left out.

    Args:
        tasks: those along one parameter are used.
        jobs: how many values are tried at once.
        constants: what is tried.
    """
    tasks = [task for task in tasks if task.scaling != GRID]
    own = {constant.name: value_of(constant.name) for constant in constants}
    grids = {constant.name: sorted({own[constant.name], *constant.others}) for constant in constants}
    tried = [{name: value} for name, grid in grids.items() for value in grid if value != own[name]]
    with ProcessPoolExecutor(jobs) as pool:
        at_own, *found = pool.map(partial(figures, tasks), [{}, *tried])
    known = {(name, value): of for one, of in zip(tried, found, strict=True) for name, value in one.items()}
    yield "| constant | chosen | by | error with | score with | left out: error | score | chosen by |"
    yield "|---|---:|---|---|---|---:|---:|---:|"
    for constant in constants:
        grid = grids[constant.name]
        of_values = np.array([known.get((constant.name, value), at_own) for value in grid])
        choices = np.array(chosen_by_others(of_values[..., constant.figure]))
        left_out = of_values[choices, np.arange(len(choices))].mean(axis=0)
        means = of_values.mean(axis=1).T
        shown = [
            ", ".join(f"{v:.4g}: {mean:.3f}" for v, mean in zip(grid, row, strict=True)) for row in means
        ]
        agree = int((choices == grid.index(own[constant.name])).sum())
        cells = [
            f"`{constant.name}`",
            f"{own[constant.name]:.4g}",
            ("error", "score")[constant.figure],
            *shown,
        ]
        cells += [f"{left_out[ERROR]:.3f}", f"{left_out[SCORE]:.3f}", f"{agree} of {len(choices)}"]
        yield f"| {' | '.join(cells)} |"


def chosen_by_others(figures: Array) -> list[int]:
    """Return for each application which value is best for the others; float64[values, applications]."""
    return [
        int(np.delete(figures, application, axis=1).mean(axis=1).argmin())
        for application in range(figures.shape[1])
    ]


def figures(tasks: Sequence[Task], values: Mapping[str, float]) -> Array:
    """Mean error and score of each application with other values of constants, float64[applications, 2]."""
    with changed(values):
        outcomes = [outcome(task, with_extrap=False) for task in tasks]
    of: dict[str, list[tuple[float, float]]] = {}
    for one in outcomes:
        of.setdefault(one.task.application, []).append((one.ours.cut_error, one.score))
    return np.array([np.mean(of[name], axis=0) for name in sorted(of)])


def value_of(name: str) -> float:
    """Return the constant ``module.NAME`` of `pipeline.models`."""
    module, constant = name.split(".")
    return float(getattr(import_module(f"pipeline.models.{module}"), constant))


@contextmanager
def changed(values: Mapping[str, float]) -> Iterator[None]:
    """Give constants other values for a while."""
    before = {name: value_of(name) for name in values}
    _set(values)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, float]) -> None:
    for name, value in values.items():
        module, constant = name.split(".")
        setattr(import_module(f"pipeline.models.{module}"), constant, value)
