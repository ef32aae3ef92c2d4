"""Series of real measurements and what is to be forecast from them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
FEWEST = 3  # points to fit
FACTORS = (2.0, 4.0)  # between the largest scale that is fitted and the one that is forecast


@dataclass(frozen=True, kw_only=True)
class Task:
    """Fit the small scales of a series, forecast a larger one.

    Attributes:
        name: of the series.
        application: what was measured.
        scaling: strong, weak or size.
        parameter: what was varied.
        points: float64[P], the scales fitted.
        values: float64[K, P, R], core-seconds of the kernels, NaN where nothing was measured.
        target: the scale to forecast.
        truth: float64[K], means measured there.
    """

    name: str
    application: str
    scaling: str
    parameter: str
    points: Array
    values: Array
    target: float
    truth: Array

    @property
    def mean(self) -> Array:
        """float64[K, P], means over the repetitions, NaN where nothing was measured."""
        count = np.isfinite(self.values).sum(axis=2)
        return np.where(count > 0, np.nansum(self.values, axis=2) / np.maximum(count, 1), np.nan)


def read_tasks(folder: Path, listed: Path | None = None) -> list[Task]:
    """Read the series of a folder, and what to forecast from a file; without it `default_tasks`.

    A series is a JSON file with ``application``, ``scaling``, ``parameter``, ``points``, and ``kernels`` that
    have a list of repetitions per point each. The tasks are a JSON list of objects with ``series``,
    which is the file's name, ``fit_points`` and ``target``.
    """
    series = {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))}
    if listed is None:
        wanted = [(name, *task) for name, one in series.items() for task in default_tasks(one["points"])]
    else:
        wanted = [(t["series"], t["fit_points"], t["target"]) for t in json.loads(listed.read_text("utf-8"))]
    return [_task(name, series[name], list(fitted), target) for name, fitted, target in wanted]


def default_tasks(points: list[float]) -> Iterator[tuple[list[float], float]]:
    """Yield the scales to fit and the one to forecast: the largest from those that lie a factor below it."""
    largest, found = max(points), set()
    for factor in FACTORS:
        fitted = [point for point in points if point * factor <= largest]
        if len(fitted) >= FEWEST and len(fitted) not in found:
            found.add(len(fitted))
            yield fitted, largest


def _task(name: str, series: dict[str, Any], fitted: list[float], target: float) -> Task:
    points, kernels = series["points"], list(series["kernels"].values())
    most = max(len(values) for kernel in kernels for values in kernel)
    values = np.full((len(kernels), len(points), most), np.nan)
    for k, kernel in enumerate(kernels):
        for p, repetitions in enumerate(kernel):
            known = [np.nan if value is None else value for value in repetitions]
            values[k, p, : len(known)] = known
    at = values[:, points.index(target)]
    there = np.isfinite(at).any(axis=1)
    return Task(
        name=name,
        application=series["application"],
        scaling=series["scaling"],
        parameter=series["parameter"],
        points=np.array(fitted, dtype=np.float64),
        values=values[there][:, [points.index(point) for point in fitted]],
        target=float(target),
        truth=np.nanmean(at[there], axis=1),
    )
