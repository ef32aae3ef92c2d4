"""Series of real measurements and what is to be forecast from them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
FEWEST = 3  # points to fit
FACTORS = (2.0, 4.0)  # between the largest scale that is fitted and the one that is forecast
GRID = "grid"  # stands for the kind of scaling where several parameters vary


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """Fit the small scales of a series, forecast a larger one.

    Attributes:
        name: of the series.
        application: what was measured.
        scaling: strong, weak, size, or `GRID` with several parameters.
        parameters: names of the D parameters.
        points: float64[P, D], the scales fitted.
        values: float64[K, P, R], core-seconds of the kernels, NaN where nothing was measured.
        target: float64[D], the scale to forecast.
        truth: float64[K], means measured there.
    """

    name: str
    application: str
    scaling: str
    parameters: tuple[str, ...]
    points: Array
    values: Array
    target: Array
    truth: Array

    @property
    def mean(self) -> Array:
        """float64[K, P], means over the repetitions, NaN where nothing was measured."""
        count = np.isfinite(self.values).sum(axis=2)
        return np.where(count > 0, np.nansum(self.values, axis=2) / np.maximum(count, 1), np.nan)

    @property
    def factor(self) -> int:
        """How far the target lies beyond the largest scale fitted, at most along any parameter: 2, 4 or 8."""
        farthest = float((self.target / self.points.max(axis=0)).max())
        return 2 ** int(np.clip(np.rint(np.log2(farthest)), 1, 3))


def read_tasks(folder: Path) -> list[Task]:
    """Read the series of a folder, one JSON file each, and what to forecast.

    A series has ``application``, ``scaling``, ``parameter``, ``points``, and ``kernels`` that have a list of
    repetitions per point each. The largest scales are forecast (`default_tasks`). If the series lie in a
    folder ``series`` of the folder, there may be two more files beside it: ``tasks.json`` says what to
    forecast instead, a list of objects with ``series``, which is a file's name, ``fit_points`` and
    ``target``; ``two_parameters.json`` has grids as ``sets``, which are like series but for ``parameters``
    and points of several values, and ``tasks`` with ``set``, ``fit`` and ``target``.
    """
    inner = folder / "series"
    files = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    series = {file.stem: json.loads(file.read_text("utf-8")) for file in files}
    listed, grids = (folder / name for name in ("tasks.json", "two_parameters.json"))
    if not inner.is_dir() or not listed.exists():
        wanted = [(name, *task) for name, one in series.items() for task in default_tasks(one["points"])]
    else:
        wanted = [(t["series"], t["fit_points"], t["target"]) for t in json.loads(listed.read_text("utf-8"))]
    tasks = [_of_series(name, series[name], fitted, target) for name, fitted, target in wanted]
    return tasks + (list(_of_grids(grids)) if inner.is_dir() and grids.exists() else [])


def default_tasks(points: list[float]) -> Iterator[tuple[list[float], float]]:
    """Yield the scales to fit and the one to forecast: the largest from those that lie a factor below it."""
    largest, found = max(points), set()
    for factor in FACTORS:
        fitted = [point for point in points if point * factor <= largest]
        if len(fitted) >= FEWEST and len(fitted) not in found:
            found.add(len(fitted))
            yield fitted, largest


def _of_series(name: str, series: Mapping[str, Any], fitted: Sequence[float], target: float) -> Task:
    return _task(
        name,
        {**series, "points": [[point] for point in series["points"]], "parameters": [series["parameter"]]},
        [[point] for point in fitted],
        [target],
    )


def _of_grids(file: Path) -> Iterator[Task]:
    given = json.loads(file.read_text("utf-8"))
    for task in given["tasks"]:
        name = task["set"]
        grid = {"application": name, **given["sets"][name], "scaling": GRID}
        yield _task(name, grid, task["fit"], task["target"])


def values_of(series: Mapping[str, Any]) -> Array:
    """Return the values of a series' ``kernels``, float64[K, P, R], NaN where nothing was measured."""
    kernels = list(series["kernels"].values())
    most = max(len(values) for kernel in kernels for values in kernel)
    values = np.full((len(kernels), len(series["points"]), most), np.nan)
    for k, kernel in enumerate(kernels):
        for p, repetitions in enumerate(kernel):
            known = [np.nan if value is None else value for value in repetitions]
            values[k, p, : len(known)] = known
    return values


def _task(name: str, series: Mapping[str, Any], fitted: Sequence[Any], target: Sequence[float]) -> Task:
    points, values = series["points"], values_of(series)
    at = values[:, points.index(target)]
    there = np.isfinite(at).any(axis=1)
    return Task(
        name=name,
        application=series["application"],
        scaling=series["scaling"],
        parameters=tuple(series["parameters"]),
        points=np.array(fitted, dtype=np.float64),
        values=values[there][:, [points.index(point) for point in fitted]],
        target=np.array(target, dtype=np.float64),
        truth=np.nanmean(at[there], axis=1),
    )
