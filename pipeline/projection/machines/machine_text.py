"""The machine file that samples of the measuring programs give: values with spreads, provenance in comments.

Figures of a disturbed node contradict one another: `consistent` finds those that cannot be of a quiet one.

A ping-pong becomes LogGP's two protocols, an allreduce a tree within the node and one over the nodes.
"""

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, one_line
from ingest.number_text import percent
from ingest.units import MOST_SPREAD, Quantity
from pipeline.projection.terms.messages import protocols, solve_protocols

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
    """A node as the operating system describes it."""

    processor: str
    cpus: tuple[int, ...]  # the logical CPU to use of every core, those of the first NUMA domain first
    domains: int
    domain_cores: int  # number of cores of the first domain
    caches: tuple[CoreCache, ...]  # data caches of the first core, from the first level on; at most three
    memory: int
    available: int  # bytes of it that are free


def working_sets(host: Host, largest: int = _LARGEST_ARRAY) -> tuple[int, int, int, int]:
    """Return the bytes that each core works on in the first, second and third cache and in memory.

    Half of the first cache, and of a core's share of the second; what exceeds the second cache by half of the
    share of the third, which suits caches that keep copies and those that do not. In memory it is the size of
    each of three arrays, together four times the last cache if `largest` and a quarter of the free memory
    allow that, and no smaller than what is worked on in the caches. A level that does not exist has 0.
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

_LEAST_SPREAD = 0.01  # no figure is known better than that from one run
_LEAST_SHARE = 0.01  # of a core


def read_samples(printed: str) -> Samples:
    """Return the samples that a program printed, one ``name [size] value`` per line; else InputError."""
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


def rate(samples: FloatArray, shares: FloatArray | None = None) -> Quantity:
    """Return the figure of samples that are the better the larger they are.

    What disturbs a measurement only makes it slower: the value is the upper quartile, and its standard
    deviation the distance from there to the best (about right for 15 normal samples), at least 1 %. Shares,
    float64[round], are what threads had of their cores: undisturbed, the rate may be larger by that.
    """
    value = float(np.quantile(samples, 0.75))
    undisturbed = samples if shares is None else np.median(samples / np.clip(shares, _LEAST_SHARE, 1.0))
    return _figure(value, float(max(samples.max(), np.max(undisturbed))))


def time(samples: FloatArray) -> Quantity:
    """Return the figure of samples, float64[round], the better the smaller: as `rate`, the lower quartile."""
    return _figure(float(np.quantile(samples, 0.25)), float(samples.min()))


def _figure(value: float, best: float) -> Quantity:
    return Quantity(value=value, relative_sd=max(abs(best / value - 1), _LEAST_SPREAD))


_NODE_FIGURES = {
    "hz": ("Hz", "all cores, beside some vector arithmetic"),
    "peak_dp": ("flop/s", "vectors of the widest kind compiled for, multiply-add, all cores"),
    "peak_simd": ("flop/s", "the same, multiplications and additions apart"),
    "peak_scalar": ("flop/s", "scalar multiply-add, all cores"),
    "peak_divide": ("flop/s", "divisions of such vectors, all cores"),
    "bw_node": ("B/s", "triad from memory, all cores"),
    "bw_numa": ("B/s", "triad from memory, the cores of one NUMA domain"),
    "bw_core": ("B/s", "triad from memory, one core alone"),
    "bw_l1": ("B/s", "sums from the first cache, all cores"),
    "bw_l2": ("B/s", "sums from the second cache, all cores"),
    "bw_l3": ("B/s", "sums from the third cache, all cores"),
    "latency_add": ("s", "from an addition to the next that needs its sum"),
    "latency_fma": ("s", "the same of multiply-adds"),
    **{f"latency_{level}": ("s", "pointer chase, one core") for level in ("l1", "l2", "l3", "memory")},
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
_OWN = ("_l1", "_add", "_fma")  # which nobody else uses
_SHARE = "share_"  # before the name of a figure that was timed on the wall


def node_figures(node: Samples, others: float = 0.0) -> Mapping[str, Quantity]:
    """Return the figures in the order of the file; a node that is one NUMA domain is measured once.

    Memory and larger caches, which other programs use as well, are at least as uncertain as these took time.
    `others` is which part of the processors other programs used, below 1.
    """
    samples = {("bw_numa", 0): node["bw_node", 0], **node}
    if (f"{_SHARE}bw_node", 0) in node:
        samples[f"{_SHARE}bw_numa", 0] = samples.get((f"{_SHARE}bw_numa", 0), node[f"{_SHARE}bw_node", 0])
    disturbed = others / (1.0 - others)
    found = {}
    for name in (name for name in _NODE_FIGURES if (name, 0) in samples):
        values = samples[name, 0]
        figure = time(values) if name.startswith("latency") else rate(values, samples.get((_SHARE + name, 0)))
        shared = name.startswith(("bw", "latency")) and not name.endswith(_OWN)
        found[name] = replace(figure, relative_sd=max(figure.relative_sd, disturbed if shared else 0.0))
    return found


def consistent(figures: Mapping[str, Quantity]) -> tuple[Mapping[str, Quantity], tuple[str, ...]]:
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


_LEAST_POINTS = 3  # of a protocol
_FEWEST_SIZES = 2 * _LEAST_POINTS


@dataclass(frozen=True, kw_only=True)
class Protocols:
    """LogGP's two protocols: `latency` L, and 2 o and G of messages up to `switch` bytes and beyond.

    A ping-pong does not distinguish LogGP's overhead from its latency: L holds what both have in common.
    """

    switch: int
    latency: Quantity
    overheads: tuple[Quantity, Quantity]
    gaps: tuple[Quantity, Quantity]


@dataclass(frozen=True, kw_only=True)
class Allreduce:
    """Seconds of an allreduce of 8 B on all `ranks` of a node, and of a doubling of nodes, if measured."""

    ranks: int
    node: Quantity
    step: Quantity | None


def sizes_and_times(samples: Samples, name: str) -> tuple[FloatArray, list[Quantity]]:
    """Return the sizes at which a figure was measured, float64[n] in order, and its n times."""
    sizes = sorted(size for found, size in samples if found == name)
    return np.array(sizes, dtype=float), [time(samples[name, size]) for size in sizes]


def fit_protocols(sizes: FloatArray, times: list[Quantity]) -> Protocols:
    """Return the two lines, least squares of relative errors, whose switch fits the times best.

    The spread of every parameter is the scatter of the times around its line, or their own if that is larger.
    `sizes` are bytes in order, float64[n] with n >= `_FEWEST_SIZES`.
    """
    seconds = np.array([each.value for each in times])
    own = float(np.median([each.relative_sd for each in times]))
    switches = sizes[_LEAST_POINTS - 1 : -_LEAST_POINTS]
    rows = solve_protocols(sizes, sizes[:, None] <= switches, switches, seconds[None], 1 / seconds[None])
    misfit = protocols(sizes, rows)[0] / seconds - 1
    latency, small_o, small_gap, large_o, large_gap, switch = rows[0].tolist()
    small, large = (
        max(float(np.sqrt(np.mean(misfit[side] ** 2))), own, _LEAST_SPREAD)
        for side in (sizes <= switch, sizes > switch)
    )
    return Protocols(
        switch=int(switch),
        latency=Quantity(value=latency, relative_sd=small),
        overheads=(Quantity(value=small_o, relative_sd=small), Quantity(value=large_o, relative_sd=large)),
        gaps=(Quantity(value=small_gap, relative_sd=small), Quantity(value=large_gap, relative_sd=large)),
    )


def read_allreduce(samples: Samples) -> Allreduce | None:
    """Return the allreduce of a run; None if it had one rank per node, or one in all."""
    ((_, ranks),) = [key for key in samples if key[0] == "ranks"]
    sizes, times = sizes_and_times(samples, "allreduce")
    at = dict(zip(sizes.tolist(), times, strict=True))
    if ranks not in at:
        return None
    node, more = at[ranks], [size for size in at if size > ranks]
    if not more:
        return Allreduce(ranks=ranks, node=node, step=None)
    doublings = np.log2(np.array(more) / ranks)
    added = np.array([at[size].value for size in more]) - node.value
    step = max(float(doublings @ added / (doublings @ doublings)), 0.0)
    measured = added + node.value
    misfit = (node.value + step * doublings) / measured - 1
    spread = max(float(np.sqrt(np.mean(misfit**2))), *(at[size].relative_sd for size in more), _LEAST_SPREAD)
    return Allreduce(ranks=ranks, node=node, step=Quantity(value=step, relative_sd=spread))


_WIDTH = 116
_COLUMN = 40  # where comments behind values begin
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_PARTS = ((1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


@dataclass(frozen=True, kw_only=True)
class MachineProvenance:
    """How a machine was measured, and what disturbed it, a sentence each."""

    date: str
    host: str
    compiler: str
    network: str
    rounds: int
    doubts: tuple[str, ...] = ()


def machine_file(
    host: Host, node: Mapping[str, Quantity], network: Samples, provenance: MachineProvenance
) -> str:
    """Return the text of a machine file, which `machine_values.load_machine` reads.

    `network` is what `network.c` printed; empty if it was not run.
    """
    allreduce = read_allreduce(network) if network else None
    lines = [
        *_head(host, provenance),
        "",
        "[values]",
        f"cores = {len(host.cpus)}",
        f"numa_domains = {host.domains}",
        f'memory = "{host.memory / 2**30:.4g} GiB"',
        *_caches(host),
        *(_value(name, figure, *_NODE_FIGURES[name]) for name, figure in node.items()),
        *_allreduce_values(allreduce),
        *_message(network, "message", "Between two nodes."),
        *_message(
            network, "message_node", "Between two cores of the node: neighbours and the farthest ranks."
        ),
        *_allreduce_term(allreduce),
    ]
    return "\n".join(lines) + "\n"


def _caches(host: Host) -> Iterator[str]:
    for level, cache in enumerate(host.caches, 1):
        yield f'cache_l{level} = "{cache.size / 2**10:g} KiB"'
        if cache.sharers > 1:
            yield f"cores_l{level} = {cache.sharers}"


def _head(host: Host, provenance: MachineProvenance) -> Iterator[str]:
    caches = ", ".join(
        f"{cache.size / 2**10:g} KiB" + (f" shared by {cache.sharers}" if cache.sharers > 1 else "")
        for cache in host.caches
    )
    cores = f"{len(host.cpus)} cores in {host.domains} NUMA domain{'s' if host.domains > 1 else ''}"
    yield from _comment(f"Measured by `pipeline machine measure` on {provenance.date} on {provenance.host}.")
    yield from _comment(f"Node: {host.processor}, {cores}; data caches of a core: {caches}.")
    yield from _comment(f"Compiler: {provenance.compiler}.")
    yield from _comment(f"Network: {provenance.network}.")
    yield from _comment(
        f"Every value is the upper quartile of {provenance.rounds} rounds (of times the lower), its standard "
        "deviation the distance from there to the best, at least 1 %: what disturbs a measurement only makes "
        "it slower. That of bandwidths holds what waiting for cores may have cost."
    )
    for doubt in provenance.doubts:
        yield from _comment(f"Doubt: {doubt}.")
    yield ""
    yield f"name = {_text(f'{host.processor}, {len(host.cpus)} cores')}"
    yield f"source = {_text(f'pipeline machine measure, {provenance.date}')}"


def _comment(sentence: str) -> list[str]:
    lines = textwrap.wrap(one_line(sentence), _WIDTH - 2, break_on_hyphens=False)
    return [f"# {line}" for line in lines]


def _text(text: str) -> str:
    return json.dumps(one_line(text), ensure_ascii=False)


def _value(name: str, figure: Quantity, unit: str, meaning: str) -> str:
    return f"{f'{name} = {quantity(figure, unit)}':<{_COLUMN}} # {meaning}"


def quantity(figure: Quantity, unit: str) -> str:
    """Return a value and its spread as a machine file states them, such as ``"195 us +- 0.4 %"``.

    The unit is ``s``, ``s/B`` or one that takes the prefixes k, M, G and T.
    """
    steps, rest = (_PARTS, unit[1:]) if unit in ("s", "s/B") else (_PREFIXES, unit)
    size, prefix = next((step for step in steps if figure.value >= step[0]), steps[-1])
    return f'"{figure.value / size:.4g} {prefix}{rest} +- {100 * min(figure.relative_sd, MOST_SPREAD):.3g} %"'


def _allreduce_values(allreduce: Allreduce | None) -> Iterator[str]:
    if allreduce is None:
        return
    yield _value("allreduce_node", allreduce.node, "s", f"8 B, the {allreduce.ranks} ranks of a node")
    if allreduce.step is not None:
        yield _value("allreduce_step", allreduce.step, "s", "for every doubling of the nodes")


def _message(network: Samples, name: str, meaning: str) -> Iterator[str]:
    sizes, times = sizes_and_times(network, name)
    if len(sizes) < _FEWEST_SIZES:
        return
    found = fit_protocols(sizes, times)
    yield from (
        "",
        f"# {meaning} A ping-pong does not distinguish o from L.",
        f"[terms.{name}]",
        'model = "loggp"',
        f'switch = "{found.switch} B"',
        f"L = {quantity(found.latency, 's')}",
        *(
            f"{side} = {{ o = {_or_none(overhead)}, G = {quantity(gap, 's/B')} }}"
            for side, overhead, gap in zip(("small", "large"), found.overheads, found.gaps, strict=True)
        ),
    )


def _or_none(figure: Quantity) -> str:
    return quantity(figure, "s") if figure.value else '"0 s"'


def _allreduce_term(allreduce: Allreduce | None) -> Iterator[str]:
    if allreduce is None or allreduce.step is None:
        return
    ranks = allreduce.ranks
    within = f"allreduce_node * log2(min(P, {ranks})) / log2({ranks})"
    yield from (
        "",
        f"# Full nodes; below {ranks} ranks the logarithm of their number.",
        "[terms.allreduce]",
        'inputs = { P = "1" }',
        f'expression = "{within} + allreduce_step * log2(max(P / {ranks}, 1))"',
    )
