"""The figures of a node from the samples of a run, and whether they can be of one quiet machine."""

from collections.abc import Mapping
from dataclasses import replace

from ingest.number_text import percent
from pipeline.projection.machines.node_samples import MeasuredFigure, Samples, rate, time

NODE_FIGURES = {
    "hz": ("Hz", "all cores, beside some vector arithmetic"),
    "peak_dp": ("flop/s", "vectors of the widest kind compiled for, multiply-add, all cores"),
    "peak_simd": ("flop/s", "the same, multiplications and additions apart"),
    "peak_scalar": ("flop/s", "scalar multiply-add, all cores"),
    "bw_node": ("B/s", "triad from memory, all cores"),
    "bw_numa": ("B/s", "triad from memory, the cores of one NUMA domain"),
    "bw_core": ("B/s", "triad from memory, one core alone"),
    "bw_l1": ("B/s", "sums from the first cache, all cores"),
    "bw_l2": ("B/s", "sums from the second cache, all cores"),
    "bw_l3": ("B/s", "sums from the third cache, all cores"),
    "latency_l1": ("s", "pointer chase, one core"),
    "latency_l2": ("s", "pointer chase, one core"),
    "latency_l3": ("s", "pointer chase, one core"),
    "latency_memory": ("s", "pointer chase, one core"),
}
"""Unit and meaning of every figure, in the order of the file."""
_ASCENDING = (
    ("peak_scalar", "peak_dp"),
    ("bw_core", "bw_node"),
    ("bw_numa", "bw_node"),
    ("bw_l3", "bw_l2"),
    ("bw_l2", "bw_l1"),
    ("latency_l1", "latency_l2"),
    ("latency_l2", "latency_l3"),
    ("latency_l3", "latency_memory"),
)
_SHARE = "share_"  # before the name of a figure that was timed on the wall


def node_figures(node: Samples, others: float = 0.0) -> Mapping[str, MeasuredFigure]:
    """Return the figures in the order of the file; a node that is one NUMA domain is measured once.

    Memory and larger caches, which other programs use as well, are at least as uncertain as these took time.

    Args:
        node: what `node.c` printed.
        others: which part of the processors other programs used, below 1.
    """
    samples = {("bw_numa", 0): node["bw_node", 0], **node}
    if (f"{_SHARE}bw_node", 0) in node:
        samples[f"{_SHARE}bw_numa", 0] = samples.get((f"{_SHARE}bw_numa", 0), node[f"{_SHARE}bw_node", 0])
    disturbed = others / (1.0 - others)
    found = {}
    for name in (name for name in NODE_FIGURES if (name, 0) in samples):
        values = samples[name, 0]
        figure = time(values) if name.startswith("latency") else rate(values, samples.get((_SHARE + name, 0)))
        shared = name.startswith(("bw", "latency")) and not name.endswith("_l1")
        found[name] = replace(figure, relative_sd=max(figure.relative_sd, disturbed if shared else 0.0))
    return found


def consistent(
    figures: Mapping[str, MeasuredFigure],
) -> tuple[Mapping[str, MeasuredFigure], tuple[str, ...]]:
    """Return figures whose spreads hold one another, and a sentence for each pair that contradicts.

    One core has no more bandwidth than its node, and a farther cache is not faster.
    """
    found, sentences = dict(figures), []
    for less, more in _ASCENDING:
        if less not in figures or more not in figures:
            continue
        one, other = figures[less], figures[more]
        excess = one.value / other.value - 1.0
        if excess > one.relative_sd + other.relative_sd:
            sentences.append(
                f"{less} exceeds {more} by {percent(excess)}, which cannot be: one of them was disturbed, "
                "their spreads hold both; measure again on an idle node"
            )
        if excess > 0:
            for name in (less, more):
                found[name] = replace(found[name], relative_sd=max(found[name].relative_sd, round(excess, 4)))
    return found, tuple(sentences)
