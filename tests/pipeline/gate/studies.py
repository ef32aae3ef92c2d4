"""Studies made in code: efforts per kernel and scale, with noise from a fixed seed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.gate.measurements import KernelId, Level, Measurements, Origin

SCALES = (8, 16, 32, 64, 128)


def study(
    efforts: Mapping[str, float | Sequence[float]],
    *,
    scales: Sequence[float] = SCALES,
    noise: float = 0.02,
    repetitions: int = 5,
    seed: int = 1,
    origin: Origin | None = None,
) -> Measurements:
    """Make a study whose call paths are ``main/<name>``; a single effort holds at all scales."""
    rng = np.random.default_rng(seed)
    mean = np.array([np.broadcast_to(e, len(scales)) for e in efforts.values()], dtype=np.float64)
    values = mean[:, :, None] * np.exp(noise * rng.normal(size=(*mean.shape, repetitions)))
    kernels = (
        KernelId(Level.TOTAL, ("total",)),
        *(KernelId(Level.REGION, (name,)) for name in efforts),
        *(KernelId(Level.CALLPATH, ("main", name)) for name in efforts),
    )
    return Measurements(
        parameters=("p",),
        parameter="p",
        scaling="strong",
        metric="effort",
        unit="core-s",
        points=np.array(scales, dtype=np.float64)[:, None],
        kernels=kernels,
        values=np.concatenate([values.sum(axis=0, keepdims=True), values, values]),
        files=("", *(f"/src/{name}.c" for name in efforts), *(f"/src/{name}.c" for name in efforts)),
        lines=np.array([-1, *range(1, len(efforts) + 1), *range(1, len(efforts) + 1)]),
        parallel_efficiency=np.linspace(0.9, 0.6, len(scales)),
        origin=origin or Origin(),
    )


def many(**changed: float | Sequence[float]) -> dict[str, float | Sequence[float]]:
    """Efforts of twenty constant kernels, with some replaced."""
    return {f"k{i}": 10.0 + i for i in range(20)} | changed


def without(whole: Measurements, name: str) -> Measurements:
    """Drop a kernel from a study."""
    rows = [i for i, kernel in enumerate(whole.kernels) if kernel.callpath[-1] != name]
    return replace(whole.take(rows))
