"""Paper 000: four models of a kernel compared, the ports of its paper's scheduler, and counters of two codes.

The fitted model itself is `pipeline.projection.ports.port_fit`; what is here only figures need.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.applications.application_file import load_application
from pipeline.projection.ports.port_fit import (
    PortMap,
    PortTerm,
    Variants,
    cycles,
    estimate_cpi,
    read_port_term,
)
from tools.gallery.asking import ROOT

MODELS = ("constant ratio", "equal IPC", "superscalar", "contention")
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "division": ("div",),
    "floating point": ("mul", "add"),
    "integer": ("shuffle", "vector", "alu"),
    "store": ("store",),
}
"""The paper's four categories for the superscalar model; loads are in none."""


def port_terms(path: str) -> dict[str, PortTerm]:
    """Return the port terms of an application file."""
    return {name: read_port_term(table) for name, table in load_application(ROOT / path).terms.items()}


def superscalar(portmap: PortMap) -> tuple[PortMap, FloatArray]:
    """Return a map with one port for each category of classes (Eq. 6), and which class is in which.

    The second value, float64[class, category], turns counts of classes into counts of categories.
    """
    names = tuple(CATEGORIES)
    members = np.array([[kind in CATEGORIES[name] for name in names] for kind in portmap.classes])
    least = np.where(members, portmap.occupancy[:, None], np.inf).min(axis=0)
    ports = np.eye(len(names), dtype=bool)
    return replace(portmap, ports=names, classes=names, allowed=ports, occupancy=least), members.astype(float)


def by_difference(
    portmap: PortMap, mini: float, target: FloatArray, counts_mini: FloatArray, cpi: FloatArray
) -> float:
    """Return C_target = C_mini + C(n_target) - C(n_mini) (Eq. 7 with Eq. 9)."""
    modelled = cycles(portmap, np.stack([target, counts_mini]), cpi)
    return mini + float(modelled[0] - modelled[1])


def compared(portmap: PortMap, variants: Variants, ratios: Mapping[str, float]) -> FloatArray:
    """Return float64[4, m], every variant but "base" by each model from the base and all variants but itself.

    Args:
        ratios: the constant ratio of every variant to the base; none if this is where it was measured.
    """
    mini, at = variants.index("base"), float(variants.cycles[variants.index("base")])
    simple, members = superscalar(portmap)
    counts, grouped = variants.counts, variants.counts @ members
    rows = []
    for k, name in enumerate(variants.names):
        if k == mini:
            continue
        known = np.arange(len(variants.names)) != k
        apart = estimate_cpi(simple, grouped[known], variants.cycles[known]).cpi
        shared = estimate_cpi(portmap, counts[known], variants.cycles[known]).cpi
        rows.append(
            (
                ratios.get(name, np.nan) * at,  # Eq. 4
                at * variants.instructions[k] / variants.instructions[mini],  # Eq. 5
                by_difference(simple, at, grouped[k], grouped[mini], apart),
                by_difference(portmap, at, counts[k], counts[mini], shared),
            )
        )
    return np.array(rows).T


def levelled(term: PortTerm) -> FloatArray:
    """Return float64[port, class], the cycles of each class on each port in the paper's order of scheduling.

    Classes with fewest ports come first and each is spread so as to level its ports (Figure 6; the matrix A
    of Eq. 8 times the class's cycles and counts).
    """
    portmap = term.portmap
    cpi = estimate_cpi(portmap, term.variants.counts, term.variants.cycles).cpi
    spread = np.zeros((len(portmap.ports), len(portmap.classes)))
    for k in np.argsort(portmap.allowed.sum(axis=1), kind="stable"):
        ports = np.flatnonzero(portmap.allowed[k])
        loads, amount = spread[ports].sum(axis=1), float(term.target[k] * cpi[k])
        ordered = np.sort(loads)
        reached = (amount + np.cumsum(ordered)) / np.arange(1, len(ordered) + 1)
        spread[ports, k] = np.maximum(reached[np.flatnonzero(reached >= ordered)[-1]] - loads, 0.0)
    return spread


def rows_in(path: Path) -> list[dict[str, float]]:
    """Return the numbers of a table with headings such as ``hz [GHz]``, which lose their unit."""
    with path.open(encoding="utf-8") as file:
        return [
            {name.partition(" [")[0]: float(cell) for name, cell in row.items()}
            for row in csv.DictReader(file)
        ]


def correlations(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return Pearson's correlation of every counter with the loss of parallel efficiency (section 5).

    Args:
        runs: threads, time and counters of every run; repetitions are averaged.
    """
    threads = sorted({row["threads"] for row in runs})
    means = {
        name: np.array([np.mean([row[name] for row in runs if row["threads"] == t]) for t in threads])
        for name in runs[0]
    }
    cost = means["threads"] * means["time"]
    loss = 1.0 - cost[0] / cost
    counters = [name for name in means if name not in ("threads", "time", "repetition")]
    return {name: float(np.corrcoef(means[name], loss)[0, 1]) for name in counters}
