"""Synthetic campaigns: profiles of one program at several problem sizes, written as Score-P would."""

import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.cubex_writer import GroupSpec, MetricSpec, write_cubex

DEEPEST = 16
EXPONENTS = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
SMALLEST, DOUBLINGS = 1000, 6  # the first problem size, and how often it doubles up to the last one
TICK = 1e-6  # seconds; times are multiples of it, as timers give them


@dataclass(frozen=True)
class Shape:
    """How large a campaign is, and how its call paths hang together.

    Attributes:
        compressed: whether the values are.
        a_region_each: whether every call path has a region of its own, instead of ten sharing one.
        chain: whether every call path is called by the one before it, instead of at most `DEEPEST` deep.
    """

    callpaths: int
    locations: int
    points: int
    repetitions: int
    compressed: bool = True
    a_region_each: bool = False
    chain: bool = False

    @property
    def raw_bytes(self) -> int:
        """Time and visits of all profiles, 8 bytes a value."""
        return 16 * self.callpaths * self.locations * self.points * self.repetitions

    def problem_size(self, point: int) -> int:
        """Return the parameter n at a point; up to six points it doubles from one to the next."""
        return round(SMALLEST * math.exp2(point * DOUBLINGS / max(self.points, DOUBLINGS)))


def call_tree(callpaths: int, rng: np.random.Generator) -> list[int]:
    """Return a random tree in preorder, at most `DEEPEST` deep."""
    parent, open_nodes = [-1], [0]
    for node in range(1, callpaths):
        open_nodes = open_nodes[: rng.integers(1, min(len(open_nodes), DEEPEST) + 1)]
        parent.append(open_nodes[-1])
        open_nodes.append(node)
    return parent


def write_profile(folder: Path, shape: Shape, point: int, repetition: int) -> Path:
    """Write one profile below a folder; equal arguments give equal bytes."""
    rng = np.random.default_rng(7)
    n = shape.callpaths
    regions = n if shape.a_region_each else max(n // 10, 2)
    parent = list(range(-1, n - 1)) if shape.chain else call_tree(n, rng)
    callee = np.arange(n) if shape.a_region_each else rng.integers(0, regions, n)
    seconds = rng.lognormal(-2, 1.5, (n, 1))
    visits = rng.integers(1, 5000, (n, 1))
    growth = (shape.problem_size(point) / SMALLEST) ** EXPONENTS[rng.integers(0, len(EXPONENTS), (n, 1))]
    noise = np.random.default_rng((point, repetition))
    time = seconds * growth * noise.lognormal(0.0, 0.04, (1, shape.locations))
    time = time * noise.lognormal(0.0, 0.02, (n, shape.locations))
    run = folder / f"app.n{shape.problem_size(point)}.r{repetition + 1}"
    run.mkdir(parents=True)
    return write_cubex(
        run / "profile.cubex",
        parent=parent,
        regions=[f"region_{number}" for number in range(regions)],
        callee=callee.tolist(),
        groups=[GroupSpec(rank) for rank in range(shape.locations)],
        metrics=[
            MetricSpec("time", np.round(time / TICK) * TICK),
            MetricSpec("visits", np.broadcast_to(visits, time.shape), dtype="UINT64", unit="occ"),
        ],
        compressed=shape.compressed,
        level=1,
    )


def write_campaign(folder: Path, shape: Shape, runs: Sequence[tuple[int, int]] | None = None) -> int:
    """Write the given or all (point, repetition) on two processes; return the bytes on disk."""
    wanted = runs or [(p, r) for p in range(shape.points) for r in range(shape.repetitions)]
    with ProcessPoolExecutor(2) as pool:
        written = [pool.submit(write_profile, folder, shape, *run) for run in wanted]
        return sum(profile.result().stat().st_size for profile in written)
