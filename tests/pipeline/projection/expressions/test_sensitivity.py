"""Sensitivities by hand and against finite differences, and intervals of a machine known to a few percent."""

import numpy as np
import pytest

from ingest.errors import UsageError
from ingest.units import Quantity
from pipeline.projection.expressions.evaluation import predict, sensitivities
from pipeline.projection.expressions.expression_text import parse
from pipeline.projection.expressions.symbolic_model import bind, floor, maximum, symbol
from pipeline.projection.machines.machine_values import load_machine, machine_names
from tests.pipeline.projection.stored import no_models

X1E = load_machine("x1e")
BANDWIDTH, PEAK = "mach.bandwidth.tl2.mv11.sl0", "mach.peak.vector.m1"
LOOP = (
    f"n * mach.element / {BANDWIDTH} * mach.vector_length / (n / ceil(n / 64)) + 2 * n * unit.flop / {PEAK}"
    f" + 1e6 * mach.element / {BANDWIDTH}"
)


def read(text, names=None):
    return parse(
        text, {**(names or machine_names(X1E, "mach", no_models)), "n": symbol("n"), "m": symbol("m")}
    )


def at(model, **inputs):
    return float(predict({"t": model}, inputs)["t"].value[0])


def test_a_loop_by_hand():
    """T = n 8 / BW 64 / AVL + 2 n / F + 1e6 8 / BW; between steps of ceil, AVL is proportional to n."""
    found = {s.name: s for s in sensitivities(read(LOOP), {"n": 1e6 + 0.5})}
    n, bandwidth, peak = 1e6 + 0.5, 14e9, 18e9
    memory = 8 / bandwidth * (64 * np.ceil(n / 64) + 1e6)
    assert found["n"].derivative == pytest.approx(2 / peak)
    assert found[BANDWIDTH].derivative == pytest.approx(-memory / bandwidth)
    assert found["mach.element"].elasticity == pytest.approx(memory / (memory + 2 * n / peak))
    assert found[PEAK].elasticity == pytest.approx(-found["n"].elasticity)


@pytest.mark.parametrize("name", ["n", "m"])
def test_sensitivities_equal_finite_differences(name):
    """With maxima, minima, powers and steps: the derivative by m is that of a constant, ceil(2.5)."""
    memory = f"n ** 1.5 * mach.element / min({BANDWIDTH}, mach.bandwidth.tl0.mv11.sl0)"
    text = f"max({memory}, 2 * n * unit.flop / {PEAK}) * ceil(m) + (n * 1e-9 - log(m * n) / 2 ** n) * unit.s"
    model, inputs, step = read(text), {"n": 50.0, "m": 2.5}, 1e-4
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
        sensitivities(read(LOOP), {})


def test_ninety_percent_intervals_cover():
    """Bandwidths known to 15 %, peaks to 5 %: times on machines drawn so fall inside nine times in ten."""
    rng = np.random.default_rng(0)
    spread = {"bandwidth": 0.15, "peak": 0.05, "element": 0.0, "vector_length": 0.0}
    free = {f"mach.{name}": symbol(f"mach.{name}", q.dimension) for name, q in X1E.values.items()}
    model = read(LOOP, free)
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
