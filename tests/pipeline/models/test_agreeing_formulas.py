"""The formulas that are shown agree with the predictions, over the measured range and up to the targets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.models.agreeing_formulas import (
    AGREEMENT,
    Curves,
    FormulaSequences,
    TriedTerms,
    formula_range,
    prediction_formulas,
    sum_formula,
    total_formula,
)
from pipeline.models.fit import fit
from pipeline.models.forms import term
from pipeline.models.formulas import FormulaRange
from pipeline.models.total import predict_total
from tests.pipeline.models.made import changed, one_parameter

SCALES = 100


def apart(formula, value, points):
    """How far a formula is from predictions float64[Q]: the largest logarithm of a ratio."""
    found = formula.values(points)
    some = value > 1e-9 * value.max(initial=0.0)
    assert (np.abs(found[~some]) <= 2e-9 * value.max(initial=0.0)).all()
    return np.abs(np.log(np.maximum(found[some], 1e-300) / value[some])).max(initial=0.0)


def line_of(within):
    logs = np.linspace(np.log(within.first), np.log(within.last), SCALES)
    return np.clip(np.exp(logs), within.first, within.last)


def assert_agreement(models, within):
    for k, formula in enumerate(prediction_formulas(models, within)):
        points = line_of(formula.within)
        value = models.expected(points)[k]
        assert apart(formula, value, points) <= np.log1p(AGREEMENT), formula.text()


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    scales=st.integers(3, 7),
    noise=st.sampled_from([0.0, 0.02, 0.1, 0.4]),
    reach=st.sampled_from([1.0, 2.0, 4.0, 32.0]),
    first=st.sampled_from([1.0, 3.0, 0.5]),
)
@example(seed=333, scales=5, noise=0.4, reach=2.0, first=3.0)  # bends between two scales
def test_formulas_of_one_parameter_agree(seed, scales, noise, reach, first):
    random = np.random.default_rng(seed)
    points = first * 2.0 ** np.arange(scales)[:, None]
    shapes = np.stack([points[:, 0] ** e for e in (-1, 0, 0.5, 1, 2)])
    value = 10.0 ** random.uniform(-3, 3, (6, 5)) @ shapes * random.choice([0, 1], (6, 1), p=[0.1, 0.9])
    value[-1, 0] = 0.0
    models = fit(("p",), points, value[..., None] * random.lognormal(0, noise, (*value.shape, 3)), parts=True)
    within = formula_range(models, 0, points[-1:] * reach)
    assert_agreement(models, within)
    line = line_of(within)
    total = predict_total(models, line).value[0]
    assert apart(total_formula(models, within), total, line) <= np.log1p(AGREEMENT)


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), noise=st.sampled_from([0.0, 0.1]))
def test_formulas_of_two_parameters_agree(seed, noise):
    random = np.random.default_rng(seed)
    points = np.array([[p, n] for p in (1.0, 2.0, 4.0, 8.0) for n in (10.0, 20.0, 40.0)])
    p, n = points.T
    value = 10.0 ** random.uniform(-2, 2, (3, 4)) @ np.stack([np.ones(len(p)), n**2, n / p, p * n])
    models = fit(("p", "n"), points, value[..., None] * random.lognormal(0, noise, (*value.shape, 3)))
    within = formula_range(models, 0, np.array([[32.0, 40.0]]))
    assert_agreement(models, within)
    corners = np.array([[a, b] for a in (1.0, 8.0, 32.0) for b in (10.0, 40.0)])
    predicted = models.expected(corners)
    for formula, of_kernel in zip(prediction_formulas(models, within), predicted, strict=True):
        if not formula.fixed:
            assert apart(formula, of_kernel, corners) <= np.log1p(AGREEMENT)


def test_the_fitted_formula_is_shown_if_it_agrees():
    models = one_parameter([[[5.0, 2.0]], [[9.0, 0.0]]], [[1], [0]])
    found = prediction_formulas(models, formula_range(models, 0, np.array([[256.0]])))
    assert [one.pieces for one in found] == [(models.formula(0),), (models.formula(1),)]


def test_rivals_that_outweigh_the_fitted_formula_are_what_is_shown():
    coefficients = [[[0.0, 0.5], [0.0, 5.0], [0.0, 5.0]]]
    models = one_parameter(coefficients, [[2, 1, 1]], weight=np.array([[0.4, 0.3, 0.3]]))
    (found,) = prediction_formulas(models, formula_range(models, 0, np.array([[256.0]])))
    assert (found.growth, found.last.terms[0][0]) == ("p", pytest.approx(5, rel=0.01))
    assert models.formula(0).text() == "0.5 * p^2"


def test_what_is_written_agrees_although_coefficients_cancel():
    models = one_parameter([[[12345.6, -96.44]]], [[1]], last=np.array([127.0]))
    within = formula_range(models, 0, np.array([[128.0]]))
    (found,) = prediction_formulas(models, within)
    points = line_of(within)
    written = eval(found.text().replace("^", "**").split(" for ")[0], {"p": points[:, 0], "log2": np.log2})
    if not found.ends:
        assert np.abs(np.log(written / models.expected(points)[0])).max() <= np.log1p(AGREEMENT)
    assert apart(found, models.expected(points)[0], points) <= np.log1p(AGREEMENT)


def test_formulas_of_few_kernels_are_those_among_all():
    models = one_parameter([[[5.0, 2.0]], [[9.0, 0.0]], [[1.0, 3.0]]], [[1], [0], [2]])
    within = formula_range(models, 0, np.array([[256.0]]))
    every = prediction_formulas(models, within)
    one = prediction_formulas(models, within, np.array([2]))
    two = prediction_formulas(models, within, np.array([2, 0]))
    assert [f.text() for f in (*one, *two)] == [every[k].text() for k in (2, 2, 0)]
    assert prediction_formulas(models.take([1]), within)[0] is every[1]  # remembered
    farther = formula_range(models, 0, np.array([[512.0]]))
    assert prediction_formulas(models, farther)[0].range_text == "p = 4 .. 512"


def test_the_range_reaches_from_the_smallest_to_the_farthest_point():
    models = one_parameter([[[5.0, 2.0]]], [[1]])
    within = formula_range(models, 0, np.array([[2.0], [96.0]]))
    assert (within.first.tolist(), within.last.tolist()) == ([2], [96])


def test_the_formula_of_a_sum_is_that_of_its_predictions():
    models = one_parameter([[[5.0, 2.0]], [[9.0, 0.0]]], [[1], [0]])
    assert sum_formula(models, formula_range(models, 0, np.array([[256.0]]))).text() == "14 + 2 * p"


def test_one_scale_has_a_constant():
    models = replace(one_parameter([[[5.0, 2.0]]], [[1]]), last=np.array([4.0]))
    (found,) = prediction_formulas(models, formula_range(models, 0, np.array([[4.0]])))
    assert found.values(np.array([[4.0]])) == pytest.approx(13, rel=0.1)


def test_predictions_that_end_at_0_have_a_piece_that_is_0():
    models = changed(one_parameter([[[9.0, -1.0]]], [[1]]), first=np.array([1.0]), last=np.array([16.0]))
    within = formula_range(models, 0, np.array([[16.0]]))
    (found,) = prediction_formulas(models, within)
    assert found.pieces[-1].text() == "0"
    assert found.values(np.array([[1.0], [16.0]])) == pytest.approx([8, 0], rel=0.1)


def test_a_single_prediction_below_0_has_a_formula():  # rests of logs are below, by what was rounded
    point = np.array([[4.0]])
    line = FormulaRange(first=point[0], last=point[0], column=0)
    sequences = FormulaSequences(TriedTerms.of(("p",), [term((1, 0))]), line, 4.0)

    def predict(points, kernels):
        return np.full((1, len(points)), -5.0)

    found = sequences.of(Curves.of(point, predict(point, None)), np.array([0]), predict)
    assert found[0].values(point) == pytest.approx([-5])
