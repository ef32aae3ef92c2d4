"""Predictions over joint draws, and the ranges that inputs leave."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import ModelError, UsageError
from ingest.units import BYTES, Quantity
from pipeline.projection.expressions.ensembles import Ensemble
from pipeline.projection.expressions.evaluation import LEVEL, broken_limits, predict, sensitivities
from pipeline.projection.expressions.expression_text import parse
from pipeline.projection.expressions.symbolic import real_symbol
from pipeline.projection.expressions.symbolic_model import ValidRange, bind, floor, limited, maximum, symbol
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import load_machine
from tests.pipeline.projection.stored import no_models

A, N = symbol("a"), symbol("n")


def drawn(name, values, estimate, *, rivals=False):
    draws = np.asarray(values, dtype=float)[:, None]
    return Ensemble(names=(name,), estimate=np.array([estimate]), draws=draws, rivals=rivals)


def test_the_interval_holds_the_level_with_equal_tails():
    model = bind(A * N, drawn("a", np.arange(101), 40.0))
    found = predict({"t": model}, {"n": [1.0, 2.0]})["t"]
    assert LEVEL == 0.9
    assert found.value.tolist() == [40.0, 80.0]
    assert found.lower.tolist() == pytest.approx([5.0, 10.0])
    assert found.upper.tolist() == pytest.approx([95.0, 190.0])
    assert found.draws.shape == (101, 2)
    half = predict({"t": model}, {"n": 1.0}, level=0.5)["t"]
    assert (half.lower[0], half.upper[0]) == (pytest.approx(25.0), pytest.approx(75.0))


def test_the_interval_holds_the_value():
    for estimate in (-10.0, 110.0):
        found = predict({"t": bind(A, drawn("a", np.arange(101), estimate))}, {})["t"]
        assert found.lower[0] <= found.value[0] == estimate <= found.upper[0]


def test_rivals_are_summarised_by_their_median():
    found = predict({"t": bind(A + N, drawn("a", [1, 2, 9], 5.0, rivals=True))}, {"n": [0, 1]})["t"]
    assert found.value.tolist() == [2.0, 3.0]
    mixed = bind(A + N, drawn("a", [1, 2, 9], 5.0, rivals=True))
    found = predict({"t": bind(mixed, drawn("n", [0.0, 0.0, 0.0], 0.0))}, {})["t"]
    assert found.value == 2.0


def test_joint_draws_keep_their_correlation():
    noise = np.linspace(-1, 1, 201)
    both = Ensemble(
        names=("a", "b"), estimate=np.array([10.0, 10.0]), draws=np.stack([10 + noise, 10 - noise], axis=1)
    )
    found = predict({"sum": bind(A + symbol("b"), both)}, {})["sum"]
    assert found.upper - found.lower == pytest.approx(0.0, abs=1e-12)


def test_models_predicted_together_share_their_draws():
    a = bind(A, {"a": Quantity(value=5.0, relative_sd=0.1)})
    found = predict({"a": a, ("twice", "a"): a * 2, "n": N}, {"n": 3.0})
    assert np.array_equal(found["twice", "a"].draws, 2 * found["a"].draws)
    assert found["n"].draws.shape == found["a"].draws.shape
    assert (found["n"].lower, found["n"].upper) == (3.0, 3.0)


def test_a_relative_deviation_gives_an_interval_of_that_width():
    found = predict({"a": bind(A, {"a": Quantity(value=100.0, relative_sd=0.02)})}, {})["a"]
    assert found.value == 100.0
    assert found.lower == pytest.approx(100 * np.exp(-1.645 * 0.02), rel=3e-3)
    assert found.upper == pytest.approx(100 * np.exp(1.645 * 0.02), rel=3e-3)


def test_a_model_without_uncertain_values_has_one_draw():
    found = predict({"n": N * 2}, {"n": [1, 2, 3]})["n"]
    assert found.draws.tolist() == [[2.0, 4.0, 6.0]]


def test_inputs_that_no_model_uses_are_ignored():
    assert predict({"n": N}, {"n": 2.0, "m": [1.0, 2.0, 3.0]})["n"].value.tolist() == [2.0]
    assert predict({"n": N + symbol("m")}, {"n": 2.0, "m": [1.0, 2.0]})["n"].value.tolist() == [3.0, 4.0]


def test_missing_and_unequal_inputs_are_refused():
    with pytest.raises(UsageError, match=r"^no value for a, n; give one, such as --at a=8$"):
        predict({"t": A + N}, {})
    with pytest.raises(
        UsageError, match=r"^the inputs are sequences of different lengths; give all of them the same"
    ):
        predict({"t": A + N}, {"a": [1, 2], "n": [1, 2, 3]})


def test_values_that_are_not_finite_are_named():
    hint = "check for inputs that are zero or negative"
    with pytest.raises(ModelError, match=rf"^'r' has no finite value at these inputs; {hint}$"):
        predict({"r": 1 / N}, {"n": [1.0, 0.0]})
    with pytest.raises(ModelError, match=r"'part\.network' has no finite value"):
        predict({("part", "network"): 1 / N}, {"n": 0.0})
    # Finite at the estimate, not in the draws, and the other way round.
    with pytest.raises(ModelError, match="'t' has no finite value"):
        predict({"t": bind(1 / A, drawn("a", [0.0, 1.0], 1.0))}, {})
    with pytest.raises(ModelError, match="'t' has no finite value"):
        predict({"t": bind(1 / (A - N), drawn("a", [5.0, 6.0], 1.0))}, {"n": [1.0, 2.0]})


def ranged(low, high, *, points=(), name="n"):
    return limited(symbol(name), name, low, high, f"x was fitted for {name}", points)


def test_leaving_a_range_gives_one_sentence():
    model = ranged(16.0, 2048.0)
    for inside in (16, 64, 2048):
        assert broken_limits({"t": model}, {"n": inside}) == ()
    assert broken_limits({"t": model}, {"n": 15.5}) == ("x was fitted for n from 16 to 2048, here 15.5",)
    assert broken_limits({"t": model}, {"n": [100, 2049, 9999]}) == (
        "x was fitted for n from 16 to 2048, here 2049",
    )
    twice = {"t": model, "u": ranged(16.0, 2048.0) * 2}
    assert broken_limits(twice, {"n": 4096}) == ("x was fitted for n from 16 to 2048, here 4096",)
    assert broken_limits({"t": model, "u": ranged(0, 1, name="m")}, {"n": 1, "m": 2}) == (
        "x was fitted for n from 16 to 2048, here 1",
        "x was fitted for m from 0 to 1, here 2",
    )
    assert broken_limits({"t": A}, {"a": 1}) == ()


def test_ranges_may_depend_on_bound_values():
    limit = ValidRange(expression=real_symbol("n") / real_symbol("a"), lower=0.0, upper=1.0, basis="share")
    model = replace(bind(N * A, drawn("a", [1.0, 100.0], 4.0)), limits=(limit,))
    assert broken_limits({"t": model}, {"n": 4}) == ()
    assert broken_limits({"t": model}, {"n": 8}) == ("share from 0 to 1, here 2",)


def test_a_table_is_interpolated_inside_and_refused_outside():
    model = ranged(16.0, 64.0, points=(16.0, 32.0, 64.0))
    assert broken_limits({"t": model}, {"n": [16, 32, 64]}) == ()
    assert broken_limits({"t": model}, {"n": [16, 40, 50]}) == (
        "x was fitted for n 16, 32, 64; 40 is interpolated",
    )
    for outside in (8, [16, 65], 65):
        with pytest.raises(
            UsageError,
            match=f"^x was fitted for n 16, 32, 64, not {np.ravel(outside)[-1]}; choose a value in between",
        ):
            broken_limits({"t": model}, {"n": outside})


def test_limits_want_all_inputs():
    with pytest.raises(UsageError, match="no value for n"):
        broken_limits({"t": ranged(0, 1)}, {"m": 1})


def test_predictions_are_in_the_unit_of_the_model():
    assert predict({"x": symbol("x", BYTES) / 2}, {"x": 3.0})["x"].value == 1.5


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
