"""Terms of any formula fitted to measurements."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, ModelError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.expressions.symbolic_model import bind
from pipeline.projection.terms.fitted_term import fitted_term
from tests.pipeline.projection.mistakes import refused

SIZES = (10, 20, 40, 80, 160, 320, 640)


def rows(curve, noise=0.01, **columns):
    random = np.random.default_rng(3)
    return [
        {"n": n, "time": f"{curve(n) * (1 + noise * random.standard_normal())} us", **columns} for n in SIZES
    ]


def fitted(content, **keys):
    whole = {"model": "fitted", "inputs": {"n": "1"}, **content, **keys}
    return fitted_term(TomlTable(whole, Path("cluster.toml"), ("terms", "t")), "t")


def estimates(model):
    ensemble = model.ensembles[-1]
    return dict(zip(ensemble.names, ensemble.estimate.tolist(), strict=True))


def test_a_formula_that_is_linear_in_its_parameters():
    content = {"formula": "a + b * n ** 2", "parameters": {"a": "us", "b": "ns"}}
    inputs, model = fitted(content, data=rows(lambda n: 5 + 0.02 * n**2))
    assert inputs == ("n",)
    assert str(model.dimension) == "s"
    found = estimates(model)
    assert found["t.a"] == pytest.approx(5e-6, rel=0.03)
    assert found["t.b"] == pytest.approx(0.02e-6, rel=0.03)
    at_50 = predict({"t": model}, {"n": 50})["t"]
    assert at_50.lower[0] < 55e-6 < at_50.upper[0]


@pytest.mark.parametrize(
    ("formula", "parameters", "curve", "truth"),
    [
        ("a * n ** k", {"a": "us", "k": "1"}, lambda n: n**1.7, {"a": 1e-6, "k": 1.7}),
        ("max(a, b * n)", {"a": "us", "b": "us"}, lambda n: max(50, n), {"a": 50e-6, "b": 1e-6}),
        (
            "a * n ** k",
            {"a": "s", "k": {"unit": "1", "lower": -2, "upper": 0}},
            lambda n: 700 / n,
            {"a": 7e-4, "k": -1},
        ),
    ],
)
def test_other_formulas_are_searched_without_starting_values(formula, parameters, curve, truth):
    _, model = fitted({"formula": formula, "parameters": parameters}, data=rows(curve))
    assert {name: estimates(model)[f"t.{name}"] for name in truth} == pytest.approx(truth, rel=0.03)


def test_a_search_reaches_sizes_far_from_one():
    data = [{"n": n, "time": f"{1 + 1e17 * n / 2e17} s"} for n in SIZES]
    parameters = {"l": "s", "b": "B/s"}
    content = {"formula": "l + n * 1e17 * unit.B / b", "parameters": parameters, "data": data}
    assert estimates(fitted(content)[1])["t.b"] == pytest.approx(2e17, rel=1e-6)


def test_bounds_are_in_the_unit_of_the_parameter():
    data = rows(lambda n: n - 5)
    content = {"formula": "a * n + b", "parameters": {"a": "us", "b": {"unit": "us"}}}
    assert estimates(fitted(content, data=data)[1])["t.b"] == 0.0
    content["parameters"]["b"] = {"unit": "us", "lower": -np.inf}
    assert estimates(fitted(content, data=data)[1])["t.b"] == pytest.approx(-5e-6, rel=0.1)
    content["parameters"]["b"] = {"unit": "us", "lower": -2, "upper": -1, "start": -1.5}
    assert estimates(fitted(content, data=data)[1])["t.b"] == pytest.approx(-2e-6, rel=1e-4)


def test_rates_are_fitted_in_their_own_unit():
    data = [{"n": n, "speed": f"{100 / n} MB/s"} for n in SIZES]
    content = {"formula": "a / n", "parameters": {"a": "GB/s"}, "time": "speed"}
    model = fitted(content, data=data)[1]
    assert str(model.dimension) == "B/s"
    assert estimates(model)["t.a"] == pytest.approx(1e8)


def test_leaving_the_measured_range_is_said():
    model = fitted({"formula": "a * n", "parameters": {"a": "us"}}, data=rows(lambda n: n))[1]
    assert broken_limits({"t": model}, {"n": 1000}) == ("t was fitted for n from 10 to 640, here 1000",)


def test_equal_weights_let_the_largest_decide():
    data = [*rows(lambda n: n, noise=0.0), {"n": 1, "time": "100 us"}]
    content = {"formula": "a * n", "parameters": {"a": "us"}}
    equal = estimates(fitted(content, data=data, weights="equal")[1])["t.a"]
    relative = estimates(fitted(content, data=data)[1])["t.a"]
    assert abs(equal - 1e-6) < 1e-9 < abs(relative - 1e-6)


@pytest.mark.slow
def test_the_same_file_gives_the_same_fit():
    content = {"formula": "a * n ** k", "parameters": {"a": "us", "k": "1"}, "data": rows(lambda n: n**1.7)}
    first, second = fitted(content)[1], fitted(content)[1]
    assert np.array_equal(first.ensembles[-1].draws, second.ensembles[-1].draws)
    assert bind(first, {}).inputs == ("n",)


DATA = rows(lambda n: n)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ({"parameters": {"a": "us"}, "data": DATA}, "[terms.t]: formula: is missing"),
        ({"formula": "a * n", "data": DATA}, "parameters: is missing; write parameters = { a = "),
        ({"formula": "a * n", "parameters": {"a": "us"}}, "data: is missing; write data = "),
        (
            {"formula": "a * m", "parameters": {"a": "us"}, "data": DATA},
            "[terms.t]: formula: unknown name 'm' in 'm'",
        ),
        (
            {"formula": "a + n", "parameters": {"a": "us"}, "data": DATA},
            "unit mismatch: cannot add s and no unit",
        ),
        ({"formula": "a * n", "parameters": {"a": "B"}, "data": DATA}, "column 'time' is in s, not in B"),
        (
            {"formula": "a * n", "parameters": {"a": "us", "n": "1"}, "data": DATA},
            "'n' is an input and a parameter",
        ),
        (
            {"formula": "n * 1 * unit.s", "parameters": {"a": "us"}, "data": DATA},
            "[terms.t]: t.a is not in the",
        ),
        ({"formula": "a * n", "parameters": {"a": "parsec"}, "data": DATA}, "'parsec' is not a known unit"),
        ({"formula": "a * n", "parameters": {"a": {"units": "us"}}, "data": DATA}, "did you mean 'unit'?"),
        (
            {"formula": "a * n", "parameters": {"a": {"unit": "us", "lower": "1"}}, "data": DATA},
            "[terms.t.parameters.a]: lower: invalid value '1'; write a number",
        ),
        (
            {"formula": "a * n", "parameters": {"a": {"unit": "us", "lower": 2, "upper": 1}}, "data": DATA},
            "no value between 2e-06 and 1e-06; correct the bounds",
        ),
        (
            {"formula": "a * n + b", "parameters": {"a": "us", "b": "us"}, "data": DATA[:2]},
            "[terms.t]: 2 measurements cannot determine 2 parameters; measure at least 3 points",
        ),
        (
            {"formula": "a * n", "parameters": {"a": "us"}, "data": DATA, "model": "fitted", "x": 1},
            "x: unknown key",
        ),
    ],
)
def test_mistakes_are_one_line(content, line):
    assert line in refused(lambda: fitted(content), raises=(InputError, ModelError, UsageError))


@pytest.mark.parametrize("count", [6, 8])
@pytest.mark.parametrize(
    ("formula", "parameters", "least", "most"),
    [
        ("a / P + c", {"a": "s", "c": "s"}, 0.3, 2.7),
        ("a / P ** k", {"a": "s", "k": {"unit": "1", "lower": 0, "upper": 1}}, 0.3, 2.7),
        ("a / P ** k", {"a": "s", "k": "1"}, 0.3, 2.7),
    ],
)
def test_what_equal_rows_leave_open_makes_intervals_wide(formula, parameters, least, most, count):
    """All is 3 s at P = 2: at P = 64 it is between 3 s and 3 / 32 s as either parameter takes all."""
    content = {"formula": formula, "parameters": parameters, "data": [{"P": 2, "time": "3 s"}] * count}
    _, model = fitted(content, inputs={"P": "1"})
    at = predict({"t": model}, {"P": [2.0, 64.0]})["t"]
    assert at.upper[0] - at.lower[0] < 0.01
    assert at.lower[1] < least and at.upper[1] > most
    assert any("do not determine" in notice for notice in model.notices)


def test_what_nothing_ends_is_refused():
    content = {"formula": "a + b * n", "parameters": {"a": "s", "b": "s"}}
    with pytest.raises(ModelError, match="without end; measure at more values"):
        fitted(content, data=[{"n": 0, "time": "3 s"}] * 4)


def test_starts_without_finite_slopes_do_not_end_a_fit():
    parameters = {"a": "s", "k": "1", "m": "1"}
    data = [{"n": 2000, "P": 2, "time": f"{3 + noise} s"} for noise in (0, 0.1, -0.1, 0.05, -0.05, 0)]
    content = {"formula": "a * n ** k / P ** m", "parameters": parameters, "data": data}
    _, model = fitted(content, inputs={"n": "1", "P": "1"})
    at = predict({"t": model}, {"n": 2000, "P": 64})["t"]
    assert at.lower[0] < 1 and at.upper[0] > 2.9
