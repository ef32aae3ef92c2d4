import numpy as np
import pytest

from ingest.errors import ModelError, UsageError
from pipeline.projection.ensemble import Ensemble
from pipeline.projection.model import bind, choose, maximum, minimum, substitute, symbol
from pipeline.projection.predict import predict
from pipeline.projection.units import BANDWIDTH, BYTES, NONE, TIME, Quantity

SIZE = symbol("x", BYTES)
WIRE = symbol("mach.latency", TIME) + SIZE / symbol("mach.bandwidth", BANDWIDTH)


def ensemble(**draws):
    columns = np.stack([np.asarray(d, dtype=float) for d in draws.values()], axis=1)
    return Ensemble(names=tuple(draws), estimate=columns.mean(axis=0), draws=columns)


def test_binding_another_machine_projects():
    slow = bind(
        WIRE,
        {
            "mach.latency": Quantity(value=1e-5, dimension=TIME),
            "mach.bandwidth": Quantity(value=1e8, dimension=BANDWIDTH),
        },
    )
    fast = bind(
        WIRE,
        {
            "mach.latency": Quantity(value=1e-6, dimension=TIME),
            "mach.bandwidth": Quantity(value=1e9, dimension=BANDWIDTH),
        },
    )
    at = {"x": [0.0, 1e6]}
    assert predict({"t": slow}, at)["t"].value == pytest.approx([1e-5, 1.001e-2])
    assert predict({"t": fast}, at)["t"].value == pytest.approx([1e-6, 1.001e-3])
    assert WIRE.inputs == ("mach.bandwidth", "mach.latency", "x")
    assert slow.inputs == ("x",)


def test_a_value_in_the_wrong_unit_is_refused():
    with pytest.raises(
        UsageError, match=r"unit mismatch: 'mach.latency' is in s, the value given for it in B"
    ):
        bind(WIRE, {"mach.latency": Quantity(value=1.0, dimension=BYTES)})


def test_joint_draws_keep_their_correlation():
    noise = np.linspace(-1, 1, 201)
    both = ensemble(a=10 + noise, b=10 - noise)
    total = bind(symbol("a") + symbol("b"), both)
    found = predict({"sum": total}, {})["sum"]
    assert found.upper - found.lower == pytest.approx(0.0, abs=1e-12)


def test_models_predicted_together_share_their_draws():
    a = bind(symbol("a"), {"a": Quantity(value=5.0, relative_sd=0.1)})
    found = predict({"a": a, "twice": a * 2}, {})
    assert np.array_equal(found["twice"].draws, 2 * found["a"].draws)


def test_a_relative_deviation_gives_an_interval_of_that_width():
    found = predict({"a": bind(symbol("a"), {"a": Quantity(value=100.0, relative_sd=0.02)})}, {})["a"]
    assert found.value == 100.0
    assert found.lower == pytest.approx(100 * np.exp(-1.645 * 0.02), rel=3e-3)
    assert found.upper == pytest.approx(100 * np.exp(1.645 * 0.02), rel=3e-3)


def test_one_name_bound_to_two_values_is_refused():
    one = bind(symbol("a"), {"a": Quantity(value=1.0)})
    two = bind(symbol("a"), {"a": Quantity(value=2.0)})
    with pytest.raises(UsageError, match="'a' is bound to two different values"):
        predict({"sum": one + two}, {})


def test_substituting_composes():
    doubled = substitute(WIRE, {"x": SIZE / 2})
    at = {"x": 1e6, "mach.latency": 0.0, "mach.bandwidth": 1e9}
    assert predict({"t": doubled}, at)["t"].value == pytest.approx([5e-4])
    with pytest.raises(UsageError, match="'x' is in B"):
        substitute(WIRE, {"x": symbol("V", NONE)})


def test_max_and_min_stay_flat_and_unordered():
    a, b, c = symbol("a"), symbol("b"), symbol("c")
    largest = maximum(a, maximum(b, c), 3)
    assert len(largest.expression.args) == 4
    values = predict({"max": largest, "min": minimum(a, b, c, 3)}, {"a": [1, 9], "b": [2, 8], "c": [5, 7]})
    assert values["max"].value.tolist() == [5, 9]
    assert values["min"].value.tolist() == [1, 3]


def test_zero_has_every_dimension():
    assert maximum(0, SIZE).dimension == BYTES
    assert (SIZE + 0).dimension == BYTES


def test_the_branch_for_small_sizes_holds_up_to_its_bound():
    model = choose(
        SIZE, symbol("switch", BYTES), SIZE / 2, choose(SIZE, symbol("next", BYTES), SIZE / 4, SIZE)
    )
    at = {"x": [10, 20, 30], "switch": 10, "next": 20}
    assert predict({"p": model}, at)["p"].value.tolist() == [5, 5, 30]
    with pytest.raises(UsageError, match="cannot choose between no unit and B"):
        choose(SIZE, SIZE, symbol("V"), SIZE)
    with pytest.raises(UsageError, match="cannot compare B and no unit"):
        choose(SIZE, 10.0, SIZE, SIZE)


def test_missing_and_useless_inputs_are_told():
    with pytest.raises(UsageError, match=r"no value for mach.bandwidth, mach.latency"):
        predict({"t": WIRE}, {"x": 1.0})
    with pytest.raises(UsageError, match="different lengths"):
        predict({"t": SIZE + symbol("y", BYTES)}, {"x": [1, 2], "y": [1, 2, 3]})
    with pytest.raises(ModelError, match="'r' has no finite value"):
        predict({"r": 1 / symbol("n")}, {"n": 0})


def test_notices_of_bound_values_reach_the_model():
    noted = bind(WIRE, {"mach.latency": Quantity(value=1.0, dimension=TIME, note="latency is a guess")})
    assert (noted + noted).notices == ("latency is a guess",)
