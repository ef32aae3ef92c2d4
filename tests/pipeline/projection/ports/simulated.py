"""Variants of an invented kernel on Golden Cove, whose true cycles per instruction are known."""

from dataclasses import replace

import numpy as np

from pipeline.projection.ports.port_map import read_port_map
from pipeline.projection.ports.schedule import cycles

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


def variant_lines(**columns):
    """Return the lines of a CSV file of twelve variants, measured with a scatter of 2 %."""
    rng = np.random.default_rng(6)
    counts = simulated_counts(rng, 12)
    measured = cycles(GOLDEN, counts, TRUE) * (1 + 0.02 * rng.standard_normal(12))
    lines = [",".join([*columns, "variant", "instructions", *GOLDEN.classes, "cycles"])]
    for k, (row, value) in enumerate(zip(counts, measured, strict=True)):
        lines.append(",".join(map(str, [*columns.values(), f"v{k}", row.sum(), *row, value])))
    return lines
