"""The node that is measured, what the measuring programs print of it, and its figures from these samples.

Figures of a disturbed node contradict one another: `consistent` finds those that cannot be of a quiet one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError
from ingest.number_text import percent

_MIB = 1 << 20
_LEAST_ARRAY, _LARGEST_ARRAY = 32 * _MIB, 256 * _MIB
_ARRAYS = 3  # of the triad
_MEMORY_SHARE = 4  # at most one part in four of the available memory is used


@dataclass(frozen=True)
class CoreCache:
    """A cache of a core: its bytes, and how many of the measured cores share it."""

    size: int
    sharers: int = 1

    @property
    def share(self) -> int:
        """Bytes for each core."""
        return self.size // self.sharers


@dataclass(frozen=True, kw_only=True)
class Host:
    """A node as the operating system describes it.

    Attributes:
        cpus: the logical CPU to use of every core, those of the first NUMA domain first.
        domain_cores: number of cores of the first domain.
        caches: data caches of the first core, from the first level on; at most three.
        available: bytes of it that are free.
    """

    processor: str
    cpus: tuple[int, ...]
    domains: int
    domain_cores: int
    caches: tuple[CoreCache, ...]
    memory: int
    available: int


def working_sets(host: Host, largest: int = _LARGEST_ARRAY) -> tuple[int, int, int, int]:
    """Return the bytes that each core works on in the first, second and third cache and in memory.

    Half of the first cache, and of a core's share of the second; what exceeds the second cache by half of the
    share of the third, which suits caches that keep copies and those that do not. In memory it is the size of
    each of three arrays, together four times the last cache if `largest` and a quarter of the free memory
    allow that, and no smaller than what is worked on in the caches.

    Args:
        largest: bytes of an array at most.

    Returns:
        0 for a level that does not exist.
    """
    first, second, third = (*host.caches, CoreCache(0), CoreCache(0), CoreCache(0))[:3]
    inside_second = max(2 * first.size, second.share // 2) if second.size else 0
    inside_third = min(second.share + third.share // 2, 4 * second.share) if third.size else 0
    last = max(cache.size for cache in (first, second, third))
    free = host.available // (_MEMORY_SHARE * _ARRAYS * len(host.cpus))
    array = min(max(4 * last // _ARRAYS, _LEAST_ARRAY), largest, free)
    return first.size // 2, inside_second, inside_third, max(array, inside_second, inside_third)


Samples: TypeAlias = Mapping[tuple[str, int], FloatArray]
"""By name and size (bytes or ranks; 0 if the figure has none): float64[round], SI units."""

LEAST_SPREAD = 0.01  # no figure is known better than that from one run
_LEAST_SHARE = 0.01  # of a core


@dataclass(frozen=True)
class MeasuredFigure:
    """A measured value in SI units and its relative standard deviation."""

    value: float
    relative_sd: float


def read_samples(printed: str) -> Samples:
    """Return the samples that a measuring program has printed, one ``name [size] value`` per line.

    Raises:
        InputError: a line is not of that form, or a value is not positive.
    """
    found: dict[tuple[str, int], list[float]] = {}
    for line in printed.splitlines():
        name, *rest = line.split()
        try:
            size, value = (int(rest[0]) if len(rest) > 1 else 0), float(rest[-1])
        except (ValueError, IndexError):
            size, value = 0, 0.0
        if not (len(rest) in (1, 2) and 0 < value < np.inf):
            raise InputError(f"the measuring program printed '{line}'", hint="measure again")
        found.setdefault((name, size), []).append(value)
    return {key: np.array(values) for key, values in found.items()}


def rate(samples: FloatArray, shares: FloatArray | None = None) -> MeasuredFigure:
    """Return the figure of samples that are the better the larger they are.

    What disturbs a measurement only makes it slower: the value is the upper quartile, and its standard
    deviation the distance from there to the best (about right for 15 normal samples), at least 1 %.

    Args:
        samples: float64[round].
        shares: float64[round], what threads had of their cores: the undisturbed rate may be larger by that.
    """
    value = float(np.quantile(samples, 0.75))
    undisturbed = samples if shares is None else np.median(samples / np.clip(shares, _LEAST_SHARE, 1.0))
    return _figure(value, float(max(samples.max(), np.max(undisturbed))))


def time(samples: FloatArray) -> MeasuredFigure:
    """Return the figure of samples that are the better the smaller they are: as `rate`, the lower quartile.

    Args:
        samples: float64[round].
    """
    return _figure(float(np.quantile(samples, 0.25)), float(samples.min()))


def _figure(value: float, best: float) -> MeasuredFigure:
    return MeasuredFigure(value, max(abs(best / value - 1), LEAST_SPREAD))


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


def consistent(figures: Mapping[str, MeasuredFigure]) -> tuple[Mapping[str, MeasuredFigure], tuple[str, ...]]:
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
