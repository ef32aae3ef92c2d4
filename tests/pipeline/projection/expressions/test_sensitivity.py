"""Sensitivities by hand and against finite differences, and intervals of a machine known to a few percent."""

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.projection.expressions.evaluation import predict, sensitivities
from pipeline.projection.expressions.symbolic_model import bind, ceiling, constant, floor, maximum, symbol
from pipeline.projection.expressions.units import BANDWIDTH, BYTES, FLOP_RATE, NONE, TIME, Quantity
from pipeline.projection.vector_loops.vector_loop import Conventions, loop_time
from tests.pipeline.projection.vector_loops.x1e import LOOP, VALUES, X1E, at

DIMENSIONS = {"bandwidth": BANDWIDTH, "peak": FLOP_RATE, "element": BYTES, "vector_length": NONE}


def test_a_loop_by_hand():
    """T = n 8 / BW 64 / AVL + 2 n / F + 1e6 8 / BW; between steps of ceil, AVL is proportional to n."""
    total = loop_time(LOOP, VALUES).total
    found = {s.name: s for s in sensitivities(total, {"n": 1e6 + 0.5})}
    n, bandwidth, peak = 1e6 + 0.5, 14e9, 18e9
    memory = 8 / bandwidth * (64 * np.ceil(n / 64) + 1e6)
    assert found["n"].derivative == pytest.approx(2 / peak)
    assert found["mach.bandwidth.tl2.mv11.sl0"].derivative == pytest.approx(-memory / bandwidth)
    assert found["mach.element"].elasticity == pytest.approx(memory / (memory + 2 * n / peak))
    assert found["mach.peak.vector.m1"].elasticity == pytest.approx(-found["n"].elasticity)


@pytest.mark.parametrize("name", ["n", "m"])
def test_sensitivities_equal_finite_differences(name):
    """With maxima, minima and steps: the derivative by m is that of a constant, ceil(2.5)."""
    conventions = Conventions(strategy="pred_lb", overlap=True)
    model = loop_time(LOOP, VALUES, conventions).total * ceiling(symbol("m")) + symbol("n") * constant(
        1e-9, TIME
    )
    inputs, step = {"n": 5000.0, "m": 2.5}, 1e-3
    found = {s.name: s.derivative for s in sensitivities(model, inputs)}[name]
    up, down = (at(model, **{**inputs, name: inputs[name] + move}) for move in (step, -step))
    assert found == pytest.approx((up - down) / (2 * step), rel=1e-6)


def test_the_strongest_come_first_and_ties_by_name():
    a, b, c = (symbol(name) for name in "cab")
    found = sensitivities(a * b * c**3, {"a": 2.0, "b": 5.0, "c": 7.0, "unused": 1.0})
    assert [(s.name, s.elasticity) for s in found] == [
        ("b", pytest.approx(3)),
        ("a", pytest.approx(1)),
        ("c", pytest.approx(1)),
    ]
    falling = sensitivities(symbol("x") ** -2 * symbol("y"), {"x": 4.0, "y": 1.0})
    assert [s.name for s in falling] == ["x", "y"]
    assert falling[0].derivative == pytest.approx(-2 * 4.0**-3)


def test_steps_count_as_constant():
    model = floor(symbol("x")) * symbol("x") + maximum(symbol("x"), symbol("y"))
    assert {s.name: s.derivative for s in sensitivities(model, {"x": 2.5, "y": 9.0})} == {"x": 2.0, "y": 1.0}


def test_missing_inputs():
    with pytest.raises(UsageError, match="no value for n; give one, such as --at n=8"):
        sensitivities(loop_time(LOOP, VALUES).total, {})


def test_ninety_percent_intervals_cover():
    """Bandwidths known to 15 %, peaks to 5 %: times on machines drawn so fall inside nine times in ten."""
    rng = np.random.default_rng(0)
    spread = {"bandwidth": 0.15, "peak": 0.05, "element": 0.0, "vector_length": 0.0}
    model = loop_time(LOOP, lambda name: symbol(f"mach.{name}", DIMENSIONS[name.split(".")[0]])).total
    stated = {
        f"mach.{name}": Quantity(value=q.value, dimension=q.dimension, relative_sd=spread[name.split(".")[0]])
        for name, q in X1E.values.items()
    }
    found = predict({"t": bind(model, stated)}, {"n": 1e7})["t"]
    drawn = {
        name: q.value * np.exp(np.sqrt(np.log1p(q.relative_sd**2)) * rng.standard_normal(2000))
        for name, q in stated.items()
        if name in model.symbols
    }
    truth = predict({"t": model}, {**drawn, "n": np.full(2000, 1e7)})["t"].value
    assert 0.85 <= np.mean((found.lower <= truth) & (truth <= found.upper)) <= 0.97
