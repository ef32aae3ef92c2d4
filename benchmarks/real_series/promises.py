"""Whether further measurements narrow forecasts as far as `pipeline choose --measure` says.

    python -m benchmarks.real_series.promises FOLDER ...

Of the scales that a task fits, the largest is hidden: what measuring it is promised to make of the interval
of the total at the target is held against what it made of it. The same is done with a scale in the middle,
about which nothing is promised.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.real_series.series import GRID, Array, Task, read_tasks
from pipeline.models.fit import fit
from pipeline.models.scaling_models import ScalingModels
from pipeline.questions.planning.advice import LEAST_GAIN, widths_after, worth_it

FEWEST = 4  # scales of a task: three are left
CLOSE = 1.5  # factor between promise and outcome


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What measuring the next scale was promised to do, and did, to the relative width of an interval.

    Attributes:
        task: what was measured.
        before, promised, reached: widths without the scale, as promised, and with it.
        advised: whether it was worth advising.
        inside: the width without a scale in the middle over that with it.
    """

    task: Task
    before: float
    promised: float
    reached: float
    advised: bool
    inside: float


def promise(task: Task) -> Promise:
    """Hide the largest scale of a task, and one in the middle."""
    every = np.arange(len(task.points))
    whole, known = _models(task, every), _models(task, every[:-1])
    (before,), _ = widths_after(known, task.target, known.last[None])
    (promised,), spans = widths_after(known, task.target, task.points[-1:])
    (reached,), _ = widths_after(whole, task.target, whole.last[None])
    (without,), _ = widths_after(
        _models(task, np.delete(every, len(every) // 2)), task.target, whole.last[None]
    )
    return Promise(
        task=task,
        before=float(before),
        promised=float(promised),
        reached=float(reached),
        advised=bool(worth_it(float(before), np.array([promised]), spans)[0]),
        inside=float(without / reached),
    )


def _models(task: Task, points: Array) -> ScalingModels:
    return fit(task.parameters, task.points[points], task.values[:, points], parts=True)


def table(found: Sequence[Promise]) -> Iterator[str]:
    """Yield a row for all, for each kind of scaling and for each application."""
    yield (
        "| | tasks | before / with it | promised / with it | within 1.5 | advised "
        "| of them narrower by a fifth | others | without / with one inside |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    keys: tuple[Callable[[Promise], str], ...] = (
        lambda one: "all",
        lambda one: one.task.scaling,
        lambda one: one.task.application,
    )
    for key in keys:
        for name in sorted({key(one) for one in found}):
            yield _row(name, [one for one in found if key(one) == name])


def _row(name: str, found: Sequence[Promise]) -> str:
    before, promised, reached, inside = (
        np.array([getattr(one, name) for one in found])
        for name in ("before", "promised", "reached", "inside")
    )
    advised = np.array([one.advised for one in found])
    narrower = reached <= (1 - LEAST_GAIN) * before
    close = np.abs(np.log(promised / reached)) <= np.log(CLOSE)
    shares = [f"{100 * narrower[some].mean():.0f} %" if some.any() else "" for some in (advised, ~advised)]
    return (
        f"| {name} | {len(found)} | {np.median(before / reached):.2f} | {np.median(promised / reached):.2f} "
        f"| {100 * close.mean():.0f} % | {100 * advised.mean():.0f} % | {shares[0]} | {shares[1]} "
        f"| {np.median(inside):.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    tasks = [task for folder in parser.parse_args().folders for task in read_tasks(folder)]
    usable = [task for task in tasks if task.scaling != GRID and len(task.points) >= FEWEST]
    print("\n".join(table([promise(task) for task in usable])))


if __name__ == "__main__":
    main()
