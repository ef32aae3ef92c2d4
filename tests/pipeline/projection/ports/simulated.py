"""Variants of an invented kernel on Golden Cove, whose true cycles per instruction are known."""

from dataclasses import replace

import numpy as np

from pipeline.projection.ports.port_map import read_port_map

COARSE = ("div", "mul", "add", "shuffle", "vector", "alu", "load", "store")


def coarse(portmap):
    """Return a shipped map with the eight classes of the paper only."""
    kept = [portmap.classes.index(name) for name in COARSE]
    return replace(
        portmap,
        classes=COARSE,
        allowed=portmap.allowed[kept],
        occupancy=portmap.occupancy[kept],
        counted_as={},
    )


GOLDEN = coarse(read_port_map("golden-cove"))
USUAL = np.array([10, 70, 40, 0, 1, 19, 80, 24], dtype=np.float64)
TRUE = np.array([6.5, 1.4, 1.8, 1, 1, 1, 1.2, 1])


def simulated_counts(rng, n):
    """Counts of n variants around the usual ones, some with most of the work taken out."""
    less = np.where(rng.random((n, 1)) < 0.2, 0.4, 1.0)
    counts = np.round(USUAL * rng.uniform(0.2, 1.3, (n, 8)) * less)
    counts[:, 4] = 1
    return counts
