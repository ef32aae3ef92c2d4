"""Studies made in code: efforts per kernel and scale, with noise from a fixed seed."""

from collections.abc import Mapping, Sequence

import numpy as np

from pipeline.gate.kernel_values import KernelId, KernelValues, Origin, Scope

SCALES = (8, 16, 32, 64, 128)
Efforts = Mapping[str | tuple[str, ...], float | Sequence[float]]


def study(
    efforts: Efforts,
    *,
    scales: Sequence[float] = SCALES,
    noise: float | np.ndarray = 0.02,
    repetitions: int = 5,
    seed: int = 1,
    origin: Origin | None = None,
) -> KernelValues:
    """Make a study of call paths; a name stands for ``main/<name>``, a single effort holds at all scales."""
    rng = np.random.default_rng(seed)
    mean = np.array([np.broadcast_to(e, len(scales)) for e in efforts.values()], dtype=np.float64)
    values = mean[:, :, None] * np.exp(noise * rng.normal(size=(*mean.shape, repetitions)))
    paths = [("main", key) if isinstance(key, str) else key for key in efforts]
    regions = list(dict.fromkeys(path[-1] for path in paths))
    sums = [values[[path[-1] == name for path in paths]].sum(axis=0) for name in regions]
    kernels = (
        KernelId(Scope.TOTAL, ("total",)),
        *(KernelId(Scope.REGION, (name,)) for name in regions),
        *(KernelId(Scope.CALLPATH, path) for path in paths),
    )
    line = {name: n for n, name in enumerate(regions, 1)}
    return KernelValues(
        parameters=("p",),
        parameter="p",
        scaling="strong",
        metric="effort",
        unit="core-s",
        points=np.array(scales, dtype=np.float64)[:, None],
        kernels=kernels,
        values=np.concatenate([values.sum(axis=0, keepdims=True), sums, values]),
        files=("", *(f"/src/{kernel.region}.c" for kernel in kernels[1:])),
        lines=np.array([-1, *(line[kernel.region] for kernel in kernels[1:])]),
        parallel_efficiency=np.linspace(0.9, 0.6, len(scales)),
        origin=origin or Origin(),
    )


def many(**changed: float | Sequence[float]) -> dict[str, float | Sequence[float]]:
    """Efforts of twenty constant kernels, with some replaced."""
    return {f"k{i}": 10.0 + i for i in range(20)} | changed


def without(whole: KernelValues, name: str) -> KernelValues:
    """Drop a region from a study, but not from its total."""
    return whole.take(np.array([kernel.region != name for kernel in whole.kernels]))
