"""Variants of an invented kernel on Golden Cove, whose true cycles per instruction are known."""

import numpy as np

from ingest.toml_table import TomlTable, read_toml
from pipeline.projection.ports.port_fit import cycles, port_map
from tools.gallery.asking import ROOT

MAP = ROOT / "sample_profiles" / "mg-cfd-variants" / "golden-cove.toml"
GOLDEN = port_map(read_toml(MAP))
_SKYLAKE_PORTS = {
    "div": "P0",
    "mul": "P0 P1",
    "add": "P0 P1",
    "shuffle": "P5",
    "vector": "P0 P1 P5",
    "alu": "P0 P1 P5 P6",
    "load": "P2 P3",
    "store": "P4",
}
SKYLAKE = port_map(
    TomlTable(
        {
            "name": "Skylake-X",
            "ports": [f"P{k}" for k in range(7)],
            "classes": {
                kind: {"ports": ports.split(), "cycles": 4 if kind == "div" else 1}
                for kind, ports in _SKYLAKE_PORTS.items()
            },
        },
        MAP,
    )
)
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
