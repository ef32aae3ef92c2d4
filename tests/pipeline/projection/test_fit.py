import numpy as np
import pytest

from ingest.errors import ModelError, UsageError
from pipeline.projection.fit import Parameter, fit
from pipeline.projection.model import log2, symbol
from pipeline.projection.predict import broken_limits, predict
from pipeline.projection.resampling import lack_of_fit
from pipeline.projection.units import NONE, TIME

TREE = symbol("c", TIME) + symbol("d", TIME) * log2(symbol("P"))
TWO = [Parameter("c"), Parameter("d")]
P = np.array([16.0, 32, 64, 128, 256, 512, 1024, 2048])


def simulated(random, noise, c=20e-6, d=8e-6, points=P):
    return (c + d * np.log2(points)) * (1 + noise * random.standard_normal(len(points)))


def test_exact_data_give_the_parameters_back():
    found = fit("red", TREE, TWO, {"P": P}, 20e-6 + 8e-6 * np.log2(P))
    assert [p.value for p in found.parameters] == pytest.approx([20e-6, 8e-6], rel=1e-9)
    assert all(p.identified for p in found.parameters)
    assert found.model.inputs == ("P",)


def test_a_nonlinear_formula_is_fitted_within_bounds():
    x = np.linspace(1, 10, 12)
    model = symbol("a") * symbol("x") ** symbol("k")
    found = fit("power", model, [Parameter("a"), Parameter("k", 0, 3)], {"x": x}, 2 * x**1.5)
    assert [p.value for p in found.parameters] == pytest.approx([2, 1.5], rel=1e-6)


def test_a_coefficient_stays_above_its_lower_bound():
    found = fit("red", TREE, TWO, {"P": P}, 8e-6 * np.log2(P) - 5e-6)
    assert found.parameters[0].value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("weights", "noise"), [("relative", 0.03), ("equal", 2e-6)])
def test_intervals_for_new_data_cover(weights, noise):
    random = np.random.default_rng(7)
    inside = []
    for _ in range(150):
        points = np.append(P, [100.0, 4096.0])
        truth = simulated(random, 0.0, points=points)
        measured = truth + noise * random.standard_normal(len(points)) * (
            truth if weights == "relative" else 1.0
        )
        found = fit("red", TREE, TWO, {"P": P}, measured[:-2], weights=weights)
        at = predict({"t": found.model}, {"P": points[-2:]})["t"]
        inside.append((at.lower <= measured[-2:]) & (measured[-2:] <= at.upper))
    assert 0.85 <= np.mean(inside) <= 0.97


def test_what_the_data_do_not_determine_is_flagged():
    model = (symbol("a", TIME) + symbol("b", TIME)) * symbol("P") + symbol("c", TIME)
    parameters = [Parameter("a"), Parameter("b"), Parameter("c")]
    found = fit("f", model, parameters, {"P": P}, 1e-6 * P + 1e-3)
    assert [p.identified for p in found.parameters] == [False, False, True]
    assert "f: the data do not determine a, b" in found.model.notices


def test_too_few_points_are_refused():
    with pytest.raises(ModelError, match="2 measurements cannot determine 2 parameters; measure at least 3"):
        fit("red", TREE, TWO, {"P": P[:2]}, P[:2])


def test_relative_weights_need_positive_values():
    with pytest.raises(ModelError, match="positive"):
        fit("red", TREE, TWO, {"P": P}, P - 16)


def test_symbols_without_data_and_parameters_without_symbols_are_told():
    with pytest.raises(UsageError, match="nothing is measured for V"):
        fit("red", TREE * symbol("V"), TWO, {"P": P}, P)
    with pytest.raises(UsageError, match="e is not in the formula"):
        fit("red", TREE, [*TWO, Parameter("e")], {"P": P}, P)


def test_inputs_without_a_finite_value_are_told():
    with pytest.raises(ModelError, match="no finite value at some measured inputs"):
        fit("red", TREE, TWO, {"P": P - 16}, P)


def test_a_jump_is_a_lack_of_fit_with_and_without_repetitions():
    jump = np.where(P > 256, 60e-6, 10e-6)
    assert "the formula does not fit its data" in fit("red", TREE, TWO, {"P": P}, jump).model.notices[0]
    points = np.repeat(P, 3)
    noise = 1 + 0.01 * np.random.default_rng(1).standard_normal(len(points))
    repeated = fit("red", TREE, TWO, {"P": points}, np.repeat(jump, 3) * noise)
    assert repeated.lack.poor
    assert repeated.lack.probability < 1e-6


def test_a_right_formula_is_not_called_poor():
    random = np.random.default_rng(5)
    points = np.repeat(P, 4)
    verdicts = [
        fit("r", TREE, TWO, {"P": points}, simulated(random, 0.02, points=points)).lack for _ in range(20)
    ]
    assert not any(v.poor for v in verdicts)
    assert min(v.probability for v in verdicts) > 1e-4


def test_without_repetitions_the_probability_is_unknown():
    verdict = lack_of_fit({"P": P}, P, P, "relative")
    assert np.isnan(verdict.probability)
    assert not verdict.poor


def test_leaving_the_fitted_range_is_told():
    found = fit("red", TREE, TWO, {"P": P}, simulated(np.random.default_rng(1), 0.01))
    assert broken_limits({"t": found.model}, {"P": 64}) == ()
    (sentence,) = broken_limits({"t": found.model * 2}, {"P": 4096})
    assert sentence == "red was fitted to P 16 to 2048, here 4096"


def test_equal_weights_add_their_scatter():
    random = np.random.default_rng(3)
    values = 1e-3 + 1e-5 * np.log2(P) + 1e-5 * random.standard_normal(len(P))
    found = fit("red", TREE, TWO, {"P": P}, values, weights="equal")
    at = predict({"t": found.model}, {"P": 64})["t"]
    assert at.upper - at.lower == pytest.approx(2 * 1.94 * 1e-5, rel=0.6)
    assert found.model.dimension == TIME
    assert NONE not in {d for n, d in found.model.symbols.items() if n == "red.scatter"}
