"""Runs of a program on accelerators whose times are known, as Score-P's profiles.

Each process has one accelerator. Strong scaling: kernels share their work, the host's own work and the copies
of each process stay, and a collective grows.
"""

from pathlib import Path

import numpy as np

from tests.cubex_writer import GroupSpec, MetricSpec, RegionSpec, write_cubex

SCALES = (1, 2, 4, 8, 16)
REGIONS = (
    RegionSpec("main", paradigm="compiler"),
    RegionSpec("cudaStreamSynchronize", paradigm="cuda"),
    RegionSpec("MPI_Allreduce", paradigm="mpi"),
    RegionSpec("axpy", paradigm="cuda"),
    RegionSpec("stencil", paradigm="cuda"),
)
LAUNCHES = {"axpy": 800, "stencil": 200}  # of each process


def host_seconds(p: float) -> dict[str, float]:
    """Return what a process takes on its core: it waits while kernels run."""
    return {"main": 2.0, "cudaStreamSynchronize": 90.0 / p + 1.0, "MPI_Allreduce": 0.1 * p**0.5}


def device_seconds(p: float) -> dict[str, float]:
    """Return what a process takes on its accelerator."""
    return {"axpy": 60.0 / p, "stencil": 30.0 / p}


def wall_seconds(p: float) -> float:
    return sum(host_seconds(p).values())


def busy_share(p: float) -> float:
    return sum(device_seconds(p).values()) / wall_seconds(p)


def write_accelerated_runs(
    folder: Path, scales: tuple[int, ...] = SCALES, repetitions: int = 2, noise: float = 0.0
) -> Path:
    """Write ``app.p<processes>.r<repetition>/profile.cubex`` for all scales."""
    random = np.random.default_rng(5)
    for p in scales:
        groups = [
            *(GroupSpec(rank) for rank in range(p)),
            *(
                GroupSpec(rank, "accelerator", ("accelerator stream",) * 2, creator=f"process {rank}")
                for rank in range(p)
            ),
        ]
        for repetition in range(1, repetitions + 1):
            factor = random.lognormal(0.0, noise)
            run = folder / f"app.p{p}.r{repetition}"
            run.mkdir(parents=True)
            metrics = [
                MetricSpec("time", _times(p) * factor),
                MetricSpec("visits", _visits(p), unit="occ"),
            ]
            write_cubex(
                run / "profile.cubex",
                parent=[-1, 0, 0, -1, -1],
                regions=REGIONS,
                metrics=metrics,
                groups=groups,
            )
    return folder


def _times(p: int) -> np.ndarray:
    host, device = host_seconds(p), device_seconds(p)
    on_cores = [[host.get(region.name, 0.0)] * p for region in REGIONS]
    streams = {"axpy": (device["axpy"], 0.0), "stencil": (0.0, device["stencil"])}
    on_streams = [streams.get(region.name, (0.0, 0.0)) * p for region in REGIONS]
    return np.hstack([on_cores, on_streams])


def _visits(p: int) -> np.ndarray:
    on_cores = [[1.0 if region.name not in LAUNCHES else 0.0] * p for region in REGIONS]
    streams = {"axpy": (LAUNCHES["axpy"], 0), "stencil": (0, LAUNCHES["stencil"])}
    return np.hstack([on_cores, [streams.get(region.name, (0, 0)) * p for region in REGIONS]])


def kernel_seconds(n: float) -> float:
    """Return what a thousand launches take on a vector of length n: latency, then bandwidth."""
    return 1000 * float(((5e-6) ** 4 + (2e-11 * n) ** 4) ** 0.25)


def write_runs_over_size(folder: Path) -> Path:
    """Write ``axpy.n<length>.r<repetition>/profile.cubex`` of one process, with a noise of 2 %."""
    random = np.random.default_rng(1)
    groups = [GroupSpec(0), GroupSpec(0, "accelerator", ("accelerator stream",), creator="process 0")]
    for n in (4**k for k in range(5, 12)):
        for repetition in (1, 2, 3):
            seconds = kernel_seconds(n) * random.lognormal(0.0, 0.02)
            run = folder / f"axpy.n{n}.r{repetition}"
            run.mkdir(parents=True)
            metrics = [
                MetricSpec("time", [[0.01, 0.0], [seconds, 0.0], [0.0, seconds]]),
                MetricSpec("visits", [[1.0, 0.0], [1.0, 0.0], [0.0, 1000.0]], unit="occ"),
            ]
            write_cubex(
                run / "profile.cubex",
                parent=[-1, 0, -1],
                regions=REGIONS[:2] + REGIONS[3:4],
                metrics=metrics,
                groups=groups,
            )
    return folder
