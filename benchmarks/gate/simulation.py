"""Simulated studies: a program of 60 kernels before and after a change."""

from dataclasses import dataclass

import numpy as np

from pipeline.gate.measurements import KernelId, Level, Measurements

KERNELS = 60
CHANGED = 1  # row of the changed kernel; the total is row 0
CHANGED_SHARE = 0.1
FIRST_SCALE = 8


@dataclass(frozen=True)
class Setting:
    """What is simulated.

    Attributes:
        points: number of scales, 8, 16, 32, ...
        noise: standard deviation of the logarithm of one repetition.
        change: ``none``, ``log p``, ``p^(1/2)`` or ``1.5x``.
        repetitions: per point.
        uneven: kernels differ in noise (log-normal, sigma 0.5) and noise doubles from the middle to the end.
        jobs: standard deviation of what all repetitions of a kernel and point in one study share.
        spikes: probability that a repetition takes 1.5 times as long.
    """

    points: int
    noise: float
    change: str = "none"
    repetitions: int = 5
    uneven: bool = False
    jobs: float = 0.0
    spikes: float = 0.0


def scales(setting: Setting) -> np.ndarray:
    return FIRST_SCALE * 2.0 ** np.arange(setting.points)


def effect(setting: Setting) -> np.ndarray:
    """Factor on the changed kernel's effort at every scale, 1 at the smallest."""
    p = scales(setting)
    if setting.change == "log p":
        return np.log2(p) / np.log2(p[0])
    if setting.change == "p^(1/2)":
        return np.sqrt(p / p[0])
    factor = np.ones(len(p))
    if setting.change == "1.5x":
        factor[-1] = 1.5
    return factor


def simulate(setting: Setting, rng: np.random.Generator) -> tuple[Measurements, Measurements]:
    """Return baseline and candidate: constant efforts with log-normal shares, one of exactly 10 %."""
    effort = rng.lognormal(0.0, 1.0, KERNELS)
    effort[0] = effort[1:].sum() * CHANGED_SHARE / (1 - CHANGED_SHARE)
    level = np.ones((KERNELS, setting.points, 1))
    if setting.uneven:
        level *= rng.lognormal(0.0, 0.5, (KERNELS, 1, 1)) * np.linspace(0.5, 2.0, setting.points)[:, None]
    before = np.repeat(effort[:, None], setting.points, axis=1)
    after = before.copy()
    after[0] *= effect(setting)
    return tuple(_measured(setting, mean, setting.noise * level, rng) for mean in (before, after))


def _measured(
    setting: Setting, mean: np.ndarray, noise: np.ndarray, rng: np.random.Generator
) -> Measurements:
    shape = (*mean.shape, setting.repetitions)
    logs = noise * rng.normal(size=shape) + setting.jobs * rng.normal(size=(*mean.shape, 1))
    logs += np.log(1.5) * (rng.random(shape) < setting.spikes)
    values = mean[:, :, None] * np.exp(logs)
    names = [KernelId(Level.TOTAL, ("total",))]
    names += [KernelId(Level.CALLPATH, ("main", f"kernel{k}")) for k in range(len(values))]
    p = scales(setting)
    return Measurements(
        parameters=("p",),
        parameter="p",
        scaling="strong",
        metric="effort",
        unit="core-s",
        points=p[:, None],
        kernels=tuple(names),
        values=np.concatenate([values.sum(axis=0, keepdims=True), values]),
        files=("",) * len(names),
        lines=np.full(len(names), -1),
        parallel_efficiency=np.full(len(p), np.nan),
    )
