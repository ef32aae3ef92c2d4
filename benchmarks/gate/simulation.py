"""Simulated studies: 60 kernels before and after a change, on a machine with some kind of noise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.gate.kernel_values import KernelId, KernelValues, Scope

KERNELS = 60
CHANGED = 2  # row of the changed kernel among the measured ones: behind the total and the first kernel
CHANGED_SHARE = 0.1
FIRST_SCALE = 8
PERSISTENCE = 0.9  # correlation of the drift of one run with that of the next
SLOWEST = (1.5, 3.0)  # factors of outlying runs and values
NODE = 8  # processes of a node
SLOW_NODE, SLOW_CLOCK = 1.3, 1.15  # what they make of kernels that compute only
GROUP = 10  # kernels that have something in common, such as the memory or the network


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What disturbs measurements; all numbers are standard deviations of logarithms or shares.

    Attributes:
        noise: of single values.
        uneven: kernels differ in noise (log-normal, sigma 0.5) and noise doubles from the middle to the end.
        jobs: of what all repetitions of a kernel and point in one study share.
        day: factor of the candidate's day on all kernels.
        run: of what all kernels of a run share.
        point: of what all kernels of a point in one study share.
        drift: of an autocorrelated factor of runs, which kernels follow by 0.7 to 1.3 of it.
        in_blocks: the repetitions of a point run one after the other, so that drift hits it alone.
        slow_runs, slow_values: share of the runs or values that take 1.5 to 3 times as long.
        waiting: noise of every other kernel instead of `noise`, as of MPI.
        resolution: of the timer, as a share of the total.
        group: of what all kernels of a group share in a run.
        placement: of what all kernels of a group share in all runs of a point in one study.
        slow_nodes: share of the nodes that slow down every run on them; kernels follow by 0 to 1 of it.
        slow_clocks: share of the runs at a lower clock, which kernels follow in the same way.
        placed_once: all runs of a point in one study have the same nodes and clock.
    """

    noise: float = 0.02
    uneven: bool = False
    jobs: float = 0.0
    day: float = 1.0
    run: float = 0.0
    point: float = 0.0
    drift: float = 0.0
    in_blocks: bool = False
    slow_runs: float = 0.0
    slow_values: float = 0.0
    waiting: float = 0.0
    resolution: float = 0.0
    group: float = 0.0
    placement: float = 0.0
    slow_nodes: float = 0.0
    slow_clocks: float = 0.0
    placed_once: bool = False


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is simulated.

    Attributes:
        machine: the noise.
        change: ``none``, ``log p``, ``p^(1/2)``; ``1.2x`` of one kernel at all scales; ``1.5x`` too;
            ``1.5x at the last`` at the largest scale only; ``all 1.1x`` of all kernels at all scales.
        points: number of scales, 8, 16, 32, ...
        repetitions: per point.
        interleaved: both programs ran in turn, on the same days and nodes.
    """

    machine: Machine
    change: str = "none"
    points: int = 5
    repetitions: int = 5
    interleaved: bool = False


def scales(setting: Setting) -> np.ndarray:
    return FIRST_SCALE * 2.0 ** np.arange(setting.points)


def effect(setting: Setting) -> np.ndarray:
    """Factor on the effort of all kernels at all scales, float64[KERNELS, P]."""
    p = scales(setting)
    factor = np.ones((KERNELS, len(p)))
    changed = CHANGED - 1
    match setting.change:
        case "log p":
            factor[changed] = np.log2(p) / np.log2(p[0])
        case "p^(1/2)":
            factor[changed] = np.sqrt(p / p[0])
        case "1.2x":
            factor[changed] = 1.2
        case "1.5x":
            factor[changed] = 1.5
        case "1.5x at the last":
            factor[changed, -1] = 1.5
        case "all 1.1x":
            factor[:] = 1.1
    return factor


def simulate(setting: Setting, rng: np.random.Generator) -> tuple[KernelValues, KernelValues]:
    """Return baseline and candidate: constant efforts with log-normal shares, one of exactly 10 %."""
    machine = setting.machine
    effort = rng.lognormal(0.0, 1.0, KERNELS)
    changed = CHANGED - 1
    effort[changed] = np.delete(effort, changed).sum() * CHANGED_SHARE / (1 - CHANGED_SHARE)
    noise = np.full((KERNELS, setting.points, 1), machine.noise)
    if machine.waiting:
        noise[::2] = machine.waiting
    if machine.uneven:
        noise *= rng.lognormal(0.0, 0.5, (KERNELS, 1, 1)) * np.linspace(0.5, 2.0, setting.points)[:, None]
    drifts = _drifts(setting, rng)
    follows = rng.uniform(0.7, 1.3, (KERNELS, 1, 1))
    before = np.repeat(effort[:, None], setting.points, axis=1)
    studies = 1 if setting.interleaved else 2
    drifts = drifts + machine.point * rng.normal(size=(studies, setting.points, 1))
    common = follows * drifts[:, None]
    if machine.placement:
        placed = [_of_groups((KERNELS, setting.points, 1), rng) for _ in range(studies)]
        common = common + machine.placement * np.stack(placed)
    if machine.slow_nodes or machine.slow_clocks:
        common = common + rng.uniform(0.0, 1.0, (KERNELS, 1, 1)) * _slowed(setting, studies, rng)
    baseline = _measured(setting, before, noise, common[0], rng)
    day = 0.0 if setting.interleaved else np.log(machine.day)
    after = before * effect(setting)
    return baseline, _measured(setting, after, noise, day + common[1], rng)


def _slowed(setting: Setting, studies: int, rng: np.random.Generator) -> np.ndarray:
    """Logarithms of what slow nodes and clocks do to the runs of both studies, float64[1 or 2, 1, P, R]."""
    machine = setting.machine
    once = machine.placed_once
    runs = (studies if once else 2, 1, setting.points, 1 if once else setting.repetitions)
    any_slow = 1 - (1 - machine.slow_nodes) ** (scales(setting) / NODE)
    slow: np.ndarray = np.log(SLOW_NODE) * (rng.random(runs) < any_slow[:, None])
    return slow + np.log(SLOW_CLOCK) * (rng.random(runs) < machine.slow_clocks)


def _of_groups(shape: tuple[int, int, int], rng: np.random.Generator) -> np.ndarray:
    """Standard normal values that the kernels of a group share, float64[K, P, R]."""
    return np.repeat(rng.normal(size=(shape[0] // GROUP, *shape[1:])), GROUP, axis=0)


def _drifts(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Drift of the runs of both studies, float64[2, P, R], in the order in which they ran."""
    points, repetitions = setting.points, setting.repetitions
    if setting.interleaved:
        return np.moveaxis(_series(setting, (repetitions, points, 2), rng), (0, 1, 2), (2, 1, 0))
    if setting.machine.in_blocks:
        return np.stack([_series(setting, (points, repetitions), rng) for _ in range(2)])
    return np.stack([_series(setting, (repetitions, points), rng).T for _ in range(2)])


def _series(setting: Setting, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    steps = rng.normal(size=int(np.prod(shape))) * setting.machine.drift
    level = steps.copy()
    for n in range(1, len(level)):
        level[n] = PERSISTENCE * level[n - 1] + np.sqrt(1 - PERSISTENCE**2) * steps[n]
    return level.reshape(shape)


def _measured(
    setting: Setting, mean: np.ndarray, noise: np.ndarray, common: np.ndarray, rng: np.random.Generator
) -> KernelValues:
    machine, shape = setting.machine, (*mean.shape, setting.repetitions)
    logs = noise * rng.normal(size=shape) + common
    logs += machine.jobs * rng.normal(size=(*mean.shape, 1))
    logs += machine.run * rng.normal(size=(1, *shape[1:]))
    if machine.group:
        logs += machine.group * _of_groups(shape, rng)
    for share, size in ((machine.slow_runs, (1, *shape[1:])), (machine.slow_values, shape)):
        slow = np.log(rng.uniform(*SLOWEST, size=size))
        logs += slow * (rng.random(size) < share)
    values = mean[:, :, None] * np.exp(logs)
    if machine.resolution:
        tick = float(f"{machine.resolution * mean[:, 0].sum():.1g}")
        values = np.round(values / tick) * tick
    return study_of([f"kernel{k}" for k in range(len(values))], scales(setting), values)


def study_of(kernels: Sequence[str], p: np.ndarray, values: np.ndarray) -> KernelValues:
    """Return a study of kernels at scales, float64[P], from values float64[K, P, R], NaN without a run."""
    names = [KernelId(Scope.TOTAL, ("total",))]
    names += [KernelId(Scope.CALLPATH, ("main", kernel)) for kernel in kernels]
    total = np.where(np.isfinite(values).any(axis=0), np.nansum(values, axis=0), np.nan)
    return KernelValues(
        parameters=("p",),
        parameter="p",
        scaling="strong",
        metric="effort",
        unit="core-s",
        points=p[:, None],
        kernels=tuple(names),
        values=np.concatenate([total[None], values]),
        files=("",) * len(names),
        lines=np.full(len(names), -1),
        parallel_efficiency=np.full(len(p), np.nan),
    )


MACHINES: dict[str, Machine] = {
    "even": Machine(),
    "uneven over kernels and scales": Machine(uneven=True),
    "3 % between jobs": Machine(jobs=0.03),
    "a day 15 % slower": Machine(day=1.15),
    "a day 15 % faster": Machine(day=1 / 1.15),
    "5 % common to a run": Machine(run=0.05),
    "5 % common to a point": Machine(point=0.05),
    "3 % drift": Machine(drift=0.03),
    "3 % drift, points in blocks": Machine(drift=0.03, in_blocks=True),
    "5 % of the runs slow": Machine(slow_runs=0.05),
    "5 % of the values slow": Machine(slow_values=0.05),
    "every other kernel 25 %": Machine(waiting=0.25),
    "a tick of 0.1 % of the total": Machine(resolution=0.001),
    "a tick of 0.2 % of the total": Machine(resolution=0.002),
    "a tick of 0.5 % of the total": Machine(resolution=0.005),
    "a tick of 1 % of the total": Machine(resolution=0.01),
    "5 % common to groups of a run": Machine(group=0.05),
    "3 % by placement, common to groups": Machine(placement=0.03),
    "2 % of the nodes slow": Machine(slow_nodes=0.02),
    "2 % of the nodes slow, placed once": Machine(slow_nodes=0.02, placed_once=True),
    "two clocks": Machine(slow_clocks=0.5),
    "two clocks, one at each point": Machine(slow_clocks=0.5, placed_once=True),
}


def with_noise(machine: Machine, noise: float) -> Machine:
    """Return a machine with another noise of single values."""
    return replace(machine, noise=noise)
