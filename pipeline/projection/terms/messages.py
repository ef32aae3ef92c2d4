"""The time of one message (paper 004, sections II.D and III.C).

`x` is the message size in bytes. Every function returns a model whose symbols begin with the name given; the
fits bind them to measurements.
"""

from functools import partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import ModelError
from ingest.units import BANDWIDTH, BYTES, TIME_DIMENSION
from pipeline.projection.expressions.ensembles import stream
from pipeline.projection.expressions.symbolic_model import Model, bind, choose, constant, symbol
from pipeline.projection.fitting.bounded_least_squares import (
    identifiable,
    nonnegative_pair,
    solve_linear,
    spread_over_open,
)
from pipeline.projection.fitting.formula_fit import Fit, fit_curve
from pipeline.projection.fitting.measured_columns import MESSAGES, STREAMS
from pipeline.projection.fitting.resampling import Measurements, Resampled
from pipeline.projection.terms.families import TermFamily

_FASTEST = 1e-18
_MOST = 0.5  # share of the draws near the switch from which it counts as determined


def latency_bandwidth(name: str) -> Model:
    """Return ``latency + x / bandwidth``, the effective time of a message as the application sees it."""
    return symbol(f"{name}.latency", TIME_DIMENSION) + symbol("x", BYTES) / symbol(
        f"{name}.bandwidth", BANDWIDTH
    )


def loggp(name: str) -> Model:
    """Return LogGP's time of a message, ``L + 2 o + (x - 1) k G``, valid for o > g.

    o and G are ``<name>.small.o``, ``<name>.small.G`` up to ``<name>.switch`` bytes and ``<name>.large...``
    above; k is ``<name>.congestion``, the number of processes that share a link.
    """
    size, latency = symbol("x", BYTES), symbol(f"{name}.L", TIME_DIMENSION)
    on_wire = (size - constant(1, BYTES)) * symbol(f"{name}.congestion")
    small, large = (
        latency
        + 2 * symbol(f"{name}.{side}.o", TIME_DIMENSION)
        + on_wire * symbol(f"{name}.{side}.G", TIME_DIMENSION / BYTES)
        for side in ("small", "large")
    )
    return choose(size, symbol(f"{name}.switch", BYTES), small, large)


def fit_latency_bandwidth(name: str, data: Measurements) -> Fit:
    """Return latency and bandwidth fitted to measured message times by x.

    The formula is linear in the latency and in the time per byte, whose inverse is the bandwidth.
    """
    sizes = data.inputs["x"]
    design, lower = np.column_stack([np.ones_like(sizes), sizes]), np.array([0.0, _FASTEST])
    return fit_curve(
        name,
        latency_bandwidth(name),
        [f"{name}.latency", f"{name}.bandwidth"],
        (
            lambda targets, point: _last_inverted(solve_linear(design, lower, targets, point)),
            lambda parameters: _last_inverted(parameters) @ design.T,
        ),
        data,
        lambda found: identifiable(design, found.weights),
        lambda found: _last_inverted(
            spread_over_open(
                _last_inverted(found.draws),
                design,
                found.weights,
                lower,
                stream(name, "open", data.values.tobytes()),
            )
        ),
    )


def _last_inverted(parameters: FloatArray) -> FloatArray:
    return np.column_stack([parameters[:, :-1], 1.0 / parameters[:, -1]])


def fit_loggp(name: str, data: Measurements, *, congestion: float = 1.0) -> Fit:
    """Return LogGP with a protocol switch fitted to the times by x of single messages on an idle link.

    The switch is the measured size that is the last of the small protocol; it is found by fitting both
    protocols for every candidate. A ping-pong does not separate L from o: L holds what both protocols have in
    common, and o half of what a protocol takes beyond it. `congestion` is the k of the model returned; the
    measurements have k = 1.
    """
    sizes = data.inputs["x"]
    switches = np.unique(sizes)[1:-2]
    if not len(switches):
        hint = "measure more sizes"
        raise ModelError(f"{name}: two protocols need at least four different sizes", hint=hint)
    below = sizes[:, None] <= switches
    return fit_curve(
        name,
        bind(loggp(name), {f"{name}.congestion": congestion}),
        [f"{name}.{p}" for p in ("L", "small.o", "small.G", "large.o", "large.G", "switch")],
        (partial(solve_protocols, sizes, below, switches), partial(protocols, sizes)),
        data,
        _switch_identified,
    )


def _switch_identified(found: Resampled) -> BoolArray:
    near = np.abs(np.log2(found.draws[:, -1] / found.estimate[-1])) <= 1
    return np.array([True] * 5 + [bool(np.mean(near) >= _MOST)])


def solve_protocols(
    sizes: FloatArray, below: BoolArray, switches: FloatArray, targets: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return float64[row, 6]: L, small.o, small.G, large.o, large.G and the switch with the least cost.

    `below` bool[n, candidate] tells whether a size belongs to the small protocol of a candidate switch;
    targets and weights, factors on the residuals, are float64[row, n].
    """
    squared, further = weights**2, sizes - 1
    sides = []
    for side in (below, ~below):
        one, wire = side.astype(float), side * further[:, None]
        of_target = squared * targets
        sums = (squared @ one, squared @ wire, squared @ wire**2, of_target @ one, of_target @ wire)
        sides.append(nonnegative_pair(*sums))
    (first, small, cost), (second, large, more) = sides
    best = np.argmin(cost + more, axis=1)
    row = np.arange(len(targets))
    starts = np.stack([first[row, best], second[row, best]])
    common = starts.min(axis=0)
    own = (starts - common) / 2
    return np.column_stack([common, own[0], small[row, best], own[1], large[row, best], switches[best]])


def protocols(sizes: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return float64[row, n], the times that rows of parameters give for n sizes without congestion."""
    common, small_o, small_g, large_o, large_g, switch = parameters.T[:, :, None]
    small = sizes <= switch
    overhead, gap = np.where(small, small_o, large_o), np.where(small, small_g, large_g)
    return np.asarray(common + 2 * overhead + (sizes - 1) * gap)


FAMILIES = {
    "latency_bandwidth": TermFamily(
        build=latency_bandwidth, inputs=("x",), fit=fit_latency_bandwidth, benchmarks=(*MESSAGES, *STREAMS)
    ),
    "loggp": TermFamily(
        build=loggp,
        inputs=("x",),
        defaults={"congestion": 1.0},
        fit=fit_loggp,
        stated=("congestion",),
        benchmarks=MESSAGES,
    ),
}
