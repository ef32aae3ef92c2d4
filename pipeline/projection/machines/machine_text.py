"""The machine file that measurements give: every value with its spread, provenance in comments.

A ping-pong becomes LogGP's two protocols, an allreduce a tree within the node and one over the nodes.
"""

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import one_line
from ingest.units import MOST_SPREAD
from pipeline.projection.machines.node_samples import (
    LEAST_SPREAD,
    NODE_FIGURES,
    Host,
    MeasuredFigure,
    Samples,
    time,
)
from pipeline.projection.terms.messages import protocols, solve_protocols

_LEAST_POINTS = 3  # of a protocol
_FEWEST_SIZES = 2 * _LEAST_POINTS


@dataclass(frozen=True, kw_only=True)
class Protocols:
    """LogGP's two protocols: `latency` L, and 2 o and G of messages up to `switch` bytes and beyond.

    A ping-pong does not distinguish LogGP's overhead from its latency: L holds what both have in common.
    """

    switch: int
    latency: MeasuredFigure
    overheads: tuple[MeasuredFigure, MeasuredFigure]
    gaps: tuple[MeasuredFigure, MeasuredFigure]


@dataclass(frozen=True, kw_only=True)
class Allreduce:
    """Times of an allreduce of 8 B: on all `ranks` of a node, and for every doubling of the nodes.

    Attributes:
        node: seconds of one node.
        step: seconds for every doubling; None if only one node was measured.
    """

    ranks: int
    node: MeasuredFigure
    step: MeasuredFigure | None


def sizes_and_times(samples: Samples, name: str) -> tuple[FloatArray, list[MeasuredFigure]]:
    """Return the sizes at which a figure was measured, float64[n] in order, and its n times."""
    sizes = sorted(size for found, size in samples if found == name)
    return np.array(sizes, dtype=float), [time(samples[name, size]) for size in sizes]


def fit_protocols(sizes: FloatArray, times: list[MeasuredFigure]) -> Protocols:
    """Return the two lines, least squares of relative errors, whose switch fits the times best.

    The spread of every parameter is the scatter of the times around its line, or their own if that is larger.

    Args:
        sizes: float64[n], bytes, in order; n >= `_FEWEST_SIZES`.
    """
    seconds = np.array([each.value for each in times])
    own = float(np.median([each.relative_sd for each in times]))
    switches = sizes[_LEAST_POINTS - 1 : -_LEAST_POINTS]
    rows = solve_protocols(sizes, sizes[:, None] <= switches, switches, seconds[None], 1 / seconds[None])
    misfit = protocols(sizes, rows)[0] / seconds - 1
    latency, small_o, small_gap, large_o, large_gap, switch = rows[0].tolist()
    small, large = (
        max(float(np.sqrt(np.mean(misfit[side] ** 2))), own, LEAST_SPREAD)
        for side in (sizes <= switch, sizes > switch)
    )
    return Protocols(
        switch=int(switch),
        latency=MeasuredFigure(latency, small),
        overheads=(MeasuredFigure(small_o, small), MeasuredFigure(large_o, large)),
        gaps=(MeasuredFigure(small_gap, small), MeasuredFigure(large_gap, large)),
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
    spread = max(float(np.sqrt(np.mean(misfit**2))), *(at[size].relative_sd for size in more), LEAST_SPREAD)
    return Allreduce(ranks=ranks, node=node, step=MeasuredFigure(step, spread))


_WIDTH = 116
_COLUMN = 40  # where comments behind values begin
_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_PARTS = ((1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


@dataclass(frozen=True, kw_only=True)
class MachineProvenance:
    """How a machine was measured.

    Attributes:
        network: launcher and ranks, or why nothing was measured.
        doubts: what disturbed the measurement, one sentence each.
    """

    date: str
    host: str
    compiler: str
    network: str
    rounds: int
    doubts: tuple[str, ...] = ()


def machine_file(
    host: Host, node: Mapping[str, MeasuredFigure], network: Samples, provenance: MachineProvenance
) -> str:
    """Return the text of a machine file, which `machine_values.load_machine` reads.

    Args:
        network: what `network.c` printed; empty if it was not run.
    """
    allreduce = read_allreduce(network) if network else None
    lines = [
        *_head(host, provenance),
        "",
        "[values]",
        f"cores = {len(host.cpus)}",
        f"numa_domains = {host.domains}",
        f'memory = "{host.memory / 2**30:.4g} GiB"',
        *(_value(name, figure, *NODE_FIGURES[name]) for name, figure in node.items()),
        *_allreduce_values(allreduce),
        *_message(network, "message", "Between two nodes."),
        *_message(
            network, "message_node", "Between two cores of the node: neighbours and the farthest ranks."
        ),
        *_allreduce_term(allreduce),
    ]
    return "\n".join(lines) + "\n"


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


def _value(name: str, figure: MeasuredFigure, unit: str, meaning: str) -> str:
    return f"{f'{name} = {quantity(figure, unit)}':<{_COLUMN}} # {meaning}"


def quantity(figure: MeasuredFigure, unit: str) -> str:
    """Return a value and its spread as a machine file states them, such as ``"195 us +- 0.4 %"``.

    Args:
        figure: in SI units.
        unit: ``s``, ``s/B`` or a unit that takes the prefixes k, M, G and T.
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


def _or_none(figure: MeasuredFigure) -> str:
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
