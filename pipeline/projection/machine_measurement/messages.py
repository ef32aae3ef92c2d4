"""A ping-pong as LogGP's two protocols, and an allreduce as a tree within the node and one over the nodes."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray
from pipeline.projection.least_squares import solve_linear
from pipeline.projection.machine_measurement.samples import LEAST_SPREAD, Figure, Samples, time

_LEAST_POINTS = 3  # of a protocol
FEWEST_SIZES = 2 * _LEAST_POINTS


@dataclass(frozen=True, kw_only=True)
class Protocols:
    """Message times: `latency + x small_gap` up to `switch` bytes, `latency + start + x large_gap` beyond.

    A ping-pong does not distinguish LogGP's overhead from its latency: up to the switch all is latency.
    """

    switch: int
    latency: Figure
    small_gap: Figure
    start: Figure
    large_gap: Figure


@dataclass(frozen=True, kw_only=True)
class Allreduce:
    """Times of an allreduce of 8 B: on all `ranks` of a node, and for every doubling of the nodes.

    Attributes:
        ranks: of a node.
        node: seconds of one node.
        step: seconds for every doubling; None if only one node was measured.
    """

    ranks: int
    node: Figure
    step: Figure | None


def sizes_and_times(samples: Samples, name: str) -> tuple[FloatArray, list[Figure]]:
    """Return the sizes at which a figure was measured, float64[n] in order, and its n times."""
    sizes = sorted(size for found, size in samples if found == name)
    return np.array(sizes, dtype=float), [time(samples[name, size]) for size in sizes]


def fit_protocols(sizes: FloatArray, times: list[Figure]) -> Protocols:
    """Return the two lines, least squares of relative errors, whose switch fits the times best.

    The spread of every parameter is the scatter of the times around its line, or their own if that is larger.

    Args:
        sizes: float64[n], bytes, in order; n >= `FEWEST_SIZES`.
        times: n of them.
    """
    seconds = np.array([each.value for each in times])
    own = float(np.median([each.relative_sd for each in times]))
    splits = range(_LEAST_POINTS, len(sizes) - _LEAST_POINTS + 1)
    lines = [(_line(sizes[:k], seconds[:k]), _line(sizes[k:], seconds[k:])) for k in splits]
    errors = [sum(float(np.sum(line.misfit**2)) for line in pair) for pair in lines]
    best = int(np.argmin(errors))
    small, large = lines[best]
    return Protocols(
        switch=int(sizes[best + _LEAST_POINTS - 1]),
        latency=small.figure(small.start, own),
        small_gap=small.figure(small.gap, own),
        start=large.figure(max(large.start - small.start, 0.0), own),
        large_gap=large.figure(large.gap, own),
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
    return Allreduce(ranks=ranks, node=node, step=Figure(step, spread))


@dataclass(frozen=True, eq=False)
class _Line:
    start: float
    gap: float
    misfit: FloatArray

    def figure(self, value: float, own: float) -> Figure:
        return Figure(value, max(float(np.sqrt(np.mean(self.misfit**2))), own, LEAST_SPREAD))


def _line(sizes: FloatArray, seconds: FloatArray) -> _Line:
    """Return the line with start, gap >= 0 that has the smallest relative errors."""
    design = np.column_stack([np.ones_like(sizes), sizes])
    ((start, gap),) = solve_linear(design, np.zeros(2), seconds[None], 1 / seconds[None])
    return _Line(float(start), float(gap), design @ (start, gap) / seconds - 1)
