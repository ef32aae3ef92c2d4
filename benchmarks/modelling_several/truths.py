"""Functions of several parameters with known truth, and the designs they are measured in."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

AXES = {
    "x": (20.0, 30.0, 40.0, 50.0, 60.0),
    "y": (1.0, 2.0, 3.0, 4.0, 5.0),
    "z": (10.0, 20.0, 30.0, 40.0, 50.0),
}
FAR = 16.0

TRUTHS: dict[str, Callable[..., Array]] = {
    "1 + 0.2 x^2 log2 y": lambda x, y: 1 + 0.2 * x**2 * np.log2(y),
    "50 + 2 x^(3/2) + 30 y log2 y": lambda x, y: 50 + 2 * x**1.5 + 30 * y * np.log2(y),
    "5 + 0.3 x y": lambda x, y: 5 + 0.3 * x * y,
    "10 + 0.05 x^2 y + 3 y log2 y": lambda x, y: 10 + 0.05 * x**2 * y + 3 * y * np.log2(y),
    "1 + 0.3 x^(3/2) y^(1/2)": lambda x, y: 1 + 0.3 * x**1.5 * y**0.5,
    "2 + 0.3 x^(1/3) y^(2/3)": lambda x, y: 2 + 0.3 * x ** (1 / 3) * y ** (2 / 3),
    "5 + 0.3 x^2": lambda x, y: 5 + 0.3 * x**2 + 0 * y,
    "7": lambda x, y: 7 + 0 * x,
    "1 + 0.2 x^2 log2 y + 0.1 x y^2 z": lambda x, y, z: 1 + 0.2 * x**2 * np.log2(y) + 0.1 * x * y**2 * z,
    "1 + 0.2 x^2 y z": lambda x, y, z: 1 + 0.2 * x**2 * y * z,
}


@dataclass(frozen=True, eq=False)
class Series:
    """Kernels that all have the same truth: float64[P, D] points and float64[K, P, R] values."""

    parameters: tuple[str, ...]
    points: Array
    values: Array
    target: Array
    truth: float


def design(kind: str, count: int) -> Array:
    """Return the full grid of `count` parameters, or lines through their second values and 2^D corners."""
    axes = list(AXES.values())[:count]
    grid = np.array(list(itertools.product(*axes)))
    if kind == "grid":
        return grid
    lines = (grid == [axis[1] for axis in axes]).sum(axis=1) >= count - 1
    corners = np.all([np.isin(grid[:, d], axes[d][2::2]) for d in range(count)], axis=0)
    return grid[lines | corners]


def series(name: str, kind: str, noise: float, kernels: int, seed: int) -> Series:
    """Draw five repetitions of every point with normal relative noise."""
    truth = TRUTHS[name]
    count = truth.__code__.co_argcount
    points = design(kind, count)
    rng = np.random.default_rng(seed)
    exact = truth(*points.T)[None, :, None]
    values = exact * np.maximum(1e-3, 1 + noise * rng.standard_normal((kernels, len(points), 5)))
    target = points.max(axis=0) * FAR
    return Series(tuple(AXES)[:count], points, values, target, float(truth(*target)))
