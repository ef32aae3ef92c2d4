"""Fits of any formula: parameters, intervals of new data, and what is said of doubtful ones."""

import numpy as np
import pytest
from scipy import stats

from ingest.errors import ModelError, UsageError
from ingest.units import TIME_DIMENSION
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.expressions.symbolic_model import bind, log2, symbol
from pipeline.projection.fitting.formula_fit import Parameter, fit
from pipeline.projection.fitting.resampling import Measurements
from tests.pipeline.projection.fitting.by_hand import best_line, parameters_of

TREE = symbol("c", TIME_DIMENSION) + symbol("d", TIME_DIMENSION) * log2(symbol("P"))
TWO = [Parameter("c"), Parameter("d")]
P = np.array([16.0, 32, 64, 128, 256, 512, 1024, 2048])


def simulated(random, noise, c=20e-6, d=8e-6, points=P):
    return (c + d * np.log2(points)) * (1 + noise * random.standard_normal(len(points)))


def test_exact_data_give_the_parameters_back():
    found = fit("red", TREE, TWO, Measurements({"P": P}, 20e-6 + 8e-6 * np.log2(P)))
    assert [p.value for p in parameters_of(found)] == pytest.approx([20e-6, 8e-6], rel=1e-9)
    assert [p.name for p in parameters_of(found)] == ["c", "d"]
    assert all(p.identified for p in parameters_of(found))
    assert found.model.inputs == ("P",)
    assert found.model.notices == ()


def test_parameters_have_ninety_percent_intervals():
    found = fit("red", TREE, TWO, Measurements({"P": P}, simulated(np.random.default_rng(2), 0.05), "equal"))
    design = np.column_stack([np.ones_like(P), np.log2(P)])
    standard = found.quality.sigma * np.sqrt(np.diagonal(np.linalg.inv(design.T @ design)))
    for parameter, error in zip(parameters_of(found), standard, strict=True):
        assert parameter.upper - parameter.lower == pytest.approx(2 * stats.t(6).ppf(0.95) * error, rel=0.1)
        assert parameter.lower < parameter.value < parameter.upper


@pytest.mark.parametrize("weights", ["relative", "equal"])
def test_the_interval_of_new_data_is_students(weights):
    """The curve's own uncertainty and the scatter of one new measurement add up."""
    random = np.random.default_rng(3)
    values = 1e-3 + 1e-5 * np.log2(P) + 1e-5 * random.standard_normal(len(P))
    found = fit("red", TREE, TWO, Measurements({"P": P}, values, weights))
    at = predict({"t": found.model}, {"P": [64, 2048]})["t"]
    line = np.column_stack([np.ones_like(P), np.log2(P)])
    best = best_line(line, values, weights)
    design = line / (line @ best if weights == "relative" else np.ones_like(P))[:, None]
    new = np.array([[1, 6], [1, 11]])
    curve_variance = np.diagonal(new @ np.linalg.inv(design.T @ design) @ new.T)
    scale = at.value if weights == "relative" else 1.0
    width = 2 * stats.t(6).ppf(0.95) * found.quality.sigma * np.sqrt(curve_variance + scale**2)
    assert at.upper - at.lower == pytest.approx(width, rel=0.12)
    assert at.value == pytest.approx(new @ best)
    assert found.model.dimension == TIME_DIMENSION


def test_relative_scatter_never_makes_a_time_negative():
    found = fit("red", TREE, TWO, Measurements({"P": P}, simulated(np.random.default_rng(1), 0.6)))
    scatter = found.model.ensembles[-1].draws[:, -1]
    assert scatter.min() == 0.0
    assert found.model.ensembles[-1].names == ("c", "d", "red.scatter")
    assert found.model.ensembles[-1].estimate[-1] == 1.0


@pytest.mark.parametrize("weights", ["relative", "equal"])
def test_a_new_measurement_is_a_draw_of_the_curve_and_of_its_scatter(weights):
    found = fit("red", TREE, TWO, Measurements({"P": P}, simulated(np.random.default_rng(6), 0.05), weights))
    c, d, scatter = found.model.ensembles[-1].draws.T
    drawn = predict({"t": found.model}, {"P": 64})["t"].draws[:, 0]
    curve = c + 6 * d
    neutral = 1.0 if weights == "relative" else 0.0
    assert scatter == pytest.approx(neutral + found.quality.scatter)
    assert found.model.ensembles[-1].estimate[-1] == neutral
    assert drawn == pytest.approx(curve * scatter if weights == "relative" else curve + scatter)


@pytest.mark.slow
def test_a_nonlinear_formula_is_fitted_within_bounds():
    x = np.linspace(1, 10, 12)
    model = symbol("a") * symbol("x") ** symbol("k")
    found = fit(
        "power", model, [Parameter("a"), Parameter("k", lower=0, upper=3)], Measurements({"x": x}, 2 * x**1.5)
    )
    assert [p.value for p in parameters_of(found)] == pytest.approx([2, 1.5], rel=1e-6)
    assert found.quality.draws.shape == (200, 2)
    free = fit("power", model, [Parameter("a"), Parameter("k")], Measurements({"x": x}, 2 * x**1.5))
    assert [p.value for p in parameters_of(free)] == pytest.approx([2, 1.5], rel=1e-6)
    three = [Parameter("a"), Parameter("k"), Parameter("b")]
    offset = fit("power", model + symbol("b"), three, Measurements({"x": x}, 2 * x**1.5 + 3, "equal"))
    assert [p.value for p in parameters_of(offset)] == pytest.approx([2, 1.5, 3], rel=1e-5)
    low = fit(
        "power",
        model,
        [Parameter("a"), Parameter("k", lower=0, upper=1.2)],
        Measurements({"x": x}, 2 * x**1.5),
    )
    assert parameters_of(low)[1].value == pytest.approx(1.2, rel=1e-5)


@pytest.mark.slow
def test_an_upper_bound_holds_for_a_linear_formula_too():
    found = fit(
        "red",
        TREE,
        [Parameter("c", upper=1e-5, start=1e-6), Parameter("d")],
        Measurements({"P": P}, 20e-6 + 8e-6 * np.log2(P)),
    )
    assert parameters_of(found)[0].value == pytest.approx(1e-5, rel=1e-4)
    assert fit(
        "red", TREE, TWO, Measurements({"P": P}, simulated(np.random.default_rng(1), 0.01))
    ).quality.draws.shape == (
        1000,
        2,
    )


@pytest.mark.slow
def test_a_formula_with_a_part_that_no_parameter_scales():
    data = {"P": P, "e": np.full(8, 5e-6)}
    found = fit("red", TREE + symbol("e", TIME_DIMENSION), TWO, Measurements(data, 25e-6 + 8e-6 * np.log2(P)))
    assert [p.value for p in parameters_of(found)] == pytest.approx([20e-6, 8e-6], rel=1e-4)


def test_values_bound_before_enter_the_fit():
    bound = bind(symbol("c", TIME_DIMENSION) * symbol("factor") * symbol("P"), {"factor": 4.0})
    found = fit("f", bound, [Parameter("c")], Measurements({"P": P}, 8e-6 * P))
    assert parameters_of(found)[0].value == pytest.approx(2e-6)
    assert predict({"t": found.model}, {"P": 100})["t"].value == pytest.approx(8e-4)


def test_a_coefficient_stays_above_its_lower_bound():
    found = fit("red", TREE, TWO, Measurements({"P": P}, 8e-6 * np.log2(P) - 5e-6))
    assert parameters_of(found)[0].value == pytest.approx(0.0, abs=1e-12)
    free = fit(
        "red",
        TREE,
        [Parameter("c", lower=-1.0), Parameter("d")],
        Measurements({"P": P}, 8e-6 * np.log2(P) - 5e-6),
    )
    assert parameters_of(free)[0].value == pytest.approx(-5e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "noise"), [("relative", 0.03), ("equal", 2e-6)])
def test_intervals_for_new_data_cover(weights, noise):
    random = np.random.default_rng(7)
    inside = []
    for _ in range(100):
        points = np.append(P, [100.0, 4096.0])
        truth = simulated(random, 0.0, points=points)
        measured = truth + noise * random.standard_normal(len(points)) * (
            truth if weights == "relative" else 1.0
        )
        found = fit("red", TREE, TWO, Measurements({"P": P}, measured[:-2], weights))
        at = predict({"t": found.model}, {"P": points[-2:]})["t"]
        inside.append((at.lower <= measured[-2:]) & (measured[-2:] <= at.upper))
    assert 0.85 <= np.mean(inside) <= 0.97


def test_what_the_data_do_not_determine_is_flagged():
    model = (symbol("a", TIME_DIMENSION) + symbol("b", TIME_DIMENSION)) * symbol("P") + symbol(
        "c", TIME_DIMENSION
    )
    parameters = [Parameter("a"), Parameter("b"), Parameter("c")]
    found = fit("f", model, parameters, Measurements({"P": P}, 1e-6 * P + 1e-3))
    assert [p.identified for p in parameters_of(found)] == [False, False, True]
    assert found.model.notices == ("f: the data do not determine a, b",)


def test_too_few_points_are_refused():
    with pytest.raises(ModelError, match="2 measurements cannot determine 2 parameters; measure at least 3"):
        fit("red", TREE, TWO, Measurements({"P": P[:2]}, P[:2]))


def test_relative_weights_need_positive_values():
    with pytest.raises(ModelError, match="positive"):
        fit("red", TREE, TWO, Measurements({"P": P}, P - 16))


def test_symbols_without_data_and_parameters_without_symbols_are_named():
    line = "^no measurements of V, W; add a column, or make it a parameter to fit$"
    with pytest.raises(UsageError, match=line):
        fit("red", TREE * symbol("V") * symbol("W"), TWO, Measurements({"P": P}, P))
    with pytest.raises(UsageError, match=r"^e, g is not in the formula; remove it from the parameters$"):
        fit("red", TREE, [*TWO, Parameter("g"), Parameter("e")], Measurements({"P": P}, P))


def test_inputs_without_a_finite_value_are_named():
    line = "no finite value at some measured inputs; remove those measurements, or change the starting values"
    with pytest.raises(ModelError, match=line):
        fit("red", TREE, TWO, Measurements({"P": P - 16}, P))


def test_a_jump_is_a_lack_of_fit_with_and_without_repetitions():
    jump = np.where(P > 256, 60e-6, 10e-6)
    found = fit("red", TREE, TWO, Measurements({"P": P}, jump))
    assert found.model.notices[0] == f"red: {found.quality.lack.notice}"
    points = np.repeat(P, 3)
    noise = 1 + 0.01 * np.random.default_rng(1).standard_normal(len(points))
    repeated = fit("red", TREE, TWO, Measurements({"P": points}, np.repeat(jump, 3) * noise))
    assert repeated.quality.lack.poor
    assert repeated.quality.lack.probability < 1e-6


def test_the_lack_of_fit_counts_the_parameters():
    points = np.repeat(P[:3], 2)
    values = simulated(np.random.default_rng(4), 0.02, points=points)
    assert np.isfinite(fit("r", TREE, TWO, Measurements({"P": points}, values)).quality.lack.probability)
    three = TREE + symbol("e", TIME_DIMENSION) * symbol("P")
    assert np.isnan(
        fit("r", three, [*TWO, Parameter("e")], Measurements({"P": points}, values)).quality.lack.probability
    )


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("repetitions", [1, 5])
def test_noise_neither_moves_the_curve_nor_condemns_the_formula(skewed, repetitions):
    """With weights from what was measured, times were 10 to 20 % too low, and the form was wrong."""
    random = np.random.default_rng(1)
    points = np.tile(np.append(P, 2 * P.max()), repetitions)
    off, poor = [], []
    for _ in range(60):
        noise = random.exponential(size=len(points)) - 1 if skewed else random.standard_normal(len(points))
        truth = 1e-5 + 4e-6 * np.log2(points)
        found = fit("r", TREE, TWO, Measurements({"P": points}, truth * np.maximum(1 + 0.3 * noise, 0.02)))
        off.append(predict({"t": found.model}, {"P": P})["t"].value / truth[: len(P)] - 1)
        poor.append(found.quality.lack.poor)
    error = 3 * 0.3 / np.sqrt(60 * len(points))
    assert abs(np.mean(off)) < error
    assert np.mean(poor) <= 0.05


def test_a_right_formula_is_not_called_poor():
    random = np.random.default_rng(5)
    points = np.repeat(P, 4)
    found = [
        fit("r", TREE, TWO, Measurements({"P": points}, simulated(random, 0.02, points=points))).quality.lack
        for _ in range(12)
    ]
    assert not any(lack.poor for lack in found)
    assert min(lack.probability for lack in found) > 1e-4


def test_leaving_the_fitted_range_gives_a_notice():
    found = fit("red", TREE, TWO, Measurements({"P": P}, simulated(np.random.default_rng(1), 0.01)))
    assert broken_limits({"t": found.model}, {"P": [16, 64, 2048]}) == ()
    assert broken_limits({"t": found.model * 2}, {"P": 4096}) == (
        "red was fitted for P from 16 to 2048, here 4096",
    )
    assert broken_limits({"t": found.model}, {"P": 8}) == ("red was fitted for P from 16 to 2048, here 8",)
