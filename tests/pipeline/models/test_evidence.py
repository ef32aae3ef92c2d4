from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import ModelError
from pipeline.models.fit import fit
from pipeline.models.forms import term, term_values, tried_exponents
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.store.results import from_table, to_table
from tests.pipeline.models.made import grid_of

POWERS_OF_TWO = 2.0 ** np.arange(2, 8)[:, None]


def noisy(truth, points, relative, kernels=40, repetitions=5, seed=1):
    random = np.random.default_rng(seed)
    exact = truth(points[:, 0])[None, :, None]
    return exact * (1 + relative * random.standard_normal((kernels, len(points), repetitions)))


def test_every_exact_term_is_found_again():
    points = 2.0 ** np.arange(1, 6)[:, None]
    terms = tuple((e,) for e in tried_exponents())
    models = fit(("p",), points, (200 + 10 * term_values(terms, points)).T[:, :, None])
    assert [models.hypothesis(k) for k in range(len(models))] == [(t,) for t in terms]
    far = np.array([[512.0]])
    assert models.predict(far).value[:, 0] == pytest.approx(200 + 10 * term_values(terms, far)[0], rel=1e-6)


def test_more_kernels_than_errors_are_learned_from_keep_their_order():
    slope = np.random.default_rng(3).permutation(np.arange(1.0, 801.0))
    models = fit(("p",), POWERS_OF_TWO, (slope[:, None] * POWERS_OF_TWO.T)[:, :, None])
    assert models.predict(np.array([[512.0]])).value[:, 0] == pytest.approx(512 * slope, rel=1e-6)


def test_constants_are_called_constant_and_are_plain_means():
    values = noisy(lambda p: 5 + 0 * p, POWERS_OF_TWO, 0.1, kernels=200)
    models = fit(("p",), POWERS_OF_TWO, values)
    constant = np.array([models.hypothesis(k) == () for k in range(len(models))])
    assert constant.mean() >= 0.97
    assert grid_of(models).coefficients[constant, 0, 0] == pytest.approx(
        values[constant].mean(axis=(1, 2)), rel=1e-3
    )
    assert models.quality.probability_growing.mean() < 0.4


# With little noise, similar steep terms leave a misfit, which widens the intervals.
@pytest.mark.parametrize(("relative", "most"), [(0.02, 1.0), (0.05, 0.98), (0.1, 0.98)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(relative, most):
    random = np.random.default_rng(8)
    terms = tuple((tried_exponents()[n],) for n in random.integers(len(tried_exponents()), size=300))
    at = np.concatenate([POWERS_OF_TWO, [[512.0], [2048.0]]])
    share = random.uniform(0.3, 1, len(terms)) / term_values(terms, POWERS_OF_TWO[-1:])[0]
    truth = 1 + term_values(terms, at).T * share[:, None]
    noise = 1 + relative * random.standard_normal((len(terms), 6, 5))
    models = fit(("p",), POWERS_OF_TWO, truth[:, :6, None] * noise)
    predicted = replace(models, trend=None).predict(at[6:])
    inside = (predicted.lower <= truth[:, 6:]) & (truth[:, 6:] <= predicted.upper)
    assert 0.85 <= inside.mean() <= most


def test_intervals_widen_with_distance():
    models = fit(("p",), POWERS_OF_TWO, noisy(lambda p: 3 + p, POWERS_OF_TWO, 0.1))
    predicted = models.predict(2.0 ** np.arange(8, 14)[:, None])
    ratio = np.median(predicted.upper / predicted.lower, axis=0)
    assert (np.diff(ratio) > 0).all()


def test_a_share_that_is_divided_is_told_from_one_that_grows():
    def truth(p):
        return 1000 / p + 4 * np.log2(p)

    models = fit(("p",), POWERS_OF_TWO, noisy(truth, POWERS_OF_TWO, 0.02))
    far = np.array([512.0, 2048.0])
    predicted = models.predict(far[:, None])
    assert (predicted.lower >= 0).all()
    assert np.median(np.abs(predicted.value / truth(far) - 1), axis=0) == pytest.approx(0, abs=0.2)
    assert any(len(models.hypothesis(k)) == 2 for k in range(len(models)))


def test_the_space_grows_where_the_data_are_steeper_than_cubic():
    points = np.array([[8.0], [12], [16], [24], [32], [40]])
    models = fit(("n",), points, noisy(lambda n: 1e-3 + 4e-7 * n**4.25, points, 0.02, kernels=12))
    assert all(models.hypothesis(k)[-1][0][0] >= 4 for k in range(len(models)))


def test_two_terms_are_found_where_one_is_not_enough():
    points = 2.0 ** np.arange(9)[:, None]

    def truth(p):
        return 5 + 2 * np.log2(p) + 0.01 * p**2

    models = fit(("p",), points, noisy(truth, points, 0.01))
    log_and_square = {term((0, 1)), term((2, 0))}
    assert np.mean([set(models.hypothesis(k)) == log_and_square for k in range(len(models))]) > 0.8
    assert models.predict(np.array([[1024.0]])).value[:, 0] == pytest.approx(truth(1024.0), rel=0.03)


def test_the_last_regime_is_extrapolated_and_said():
    points = 2.0 ** np.arange(9)[:, None]

    def truth(p):
        return np.where(p <= 16, 50.0, 50 * (p / 16) ** 1.5)

    models = fit(("p",), points, noisy(truth, points, 0.02))
    assert (models.quality.valid_from[:, 0] >= 8).all()
    assert "behaviour changes within the range: model of the last segment" in models.notes(0)
    predicted, expected = models.predict(np.array([[1024.0]])), truth(1024.0)
    assert ((predicted.lower <= expected) & (expected <= predicted.upper)).mean() > 0.9


def test_disagreement_is_said_in_words():
    points = np.array([[4.0], [8.0], [16.0]])
    models = fit(("p",), points, noisy(lambda p: 1 + p, points, 0.2, kernels=5))
    assert "cannot tell" in models.notes(0)
    assert "fewer than 5 points" in models.notes(0)


def test_units_and_order_of_kernels_do_not_matter():
    values = np.concatenate(
        [noisy(lambda p: 1 + p, POWERS_OF_TWO, 0.05), noisy(lambda p: 9 + p**0.5, POWERS_OF_TWO, 0.05)]
    )
    order = np.random.default_rng(3).permutation(len(values))
    far = np.array([[1024.0]])
    plain = fit(("p",), POWERS_OF_TWO, values).predict(far)
    moved = fit(("p",), POWERS_OF_TWO, 1e6 * values[order]).predict(far)
    for one, other in ((plain.lower, moved.lower), (plain.value, moved.value), (plain.upper, moved.upper)):
        assert other == pytest.approx(1e6 * one[order], rel=1e-3)


def test_simple_prior_prefers_simple_exponents():
    values = noisy(lambda p: 10 + 2 * p, POWERS_OF_TWO, 0.1, kernels=100)
    linear = {
        prior: np.mean([m.hypothesis(k) == (term((1, 0)),) for k in range(len(m))])
        for prior in ("uniform", "simple")
        for m in [fit(("p",), POWERS_OF_TWO, values, ModelOptions(prior=prior))]
    }
    assert linear["simple"] > linear["uniform"] + 0.2


def test_a_users_prior_names_the_only_exponents_tried():
    prior = {term((1, 0))[0]: 1.0, term((2, 0))[0]: 3.0}
    models = fit(
        ("p",), POWERS_OF_TWO, noisy(lambda p: 1 + p**3, POWERS_OF_TWO, 0.05), ModelOptions(prior=prior)
    )
    assert set(models.hypotheses.terms) == {term((1, 0)), term((2, 0))}


def test_tables_lose_nothing():
    models = fit(("p",), POWERS_OF_TWO, noisy(lambda p: 1 + p, POWERS_OF_TWO, 0.1))
    back = from_table(to_table(models))
    for name in ("parameters", "first", "last", "nonnegative", "correlation", "common_error"):
        assert np.array_equal(getattr(back, name), getattr(models, name)), name
    for record in ("hypotheses", "rivals", "quality"):
        one, other = getattr(back, record), getattr(models, record)
        for name in type(one).__dataclass_fields__:
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert_same_trend(back.trend, models.trend)


def assert_same_trend(one, other):
    for name in ("noise", "shift"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("points", "logs", "steepest", "misfit"):
        assert np.array_equal(getattr(one.trend, name), getattr(other.trend, name), equal_nan=True), name
    for name in ("formula", "trend", "formulas_hold"):
        assert np.array_equal(getattr(one.errors, name), getattr(other.errors, name)), name


def test_the_model_of_the_sum_is_stored_with_its_parts():
    values = noisy(lambda p: 1 + p, POWERS_OF_TWO, 0.1)
    models = fit(("p",), POWERS_OF_TWO, values, parts=True)
    back = from_table(to_table(models))
    far = np.array([[512.0]])
    for name in ("value", "lower", "upper"):
        assert np.array_equal(getattr(back.predict(far), name), getattr(models.predict(far), name))
        assert np.array_equal(
            getattr(predict_total(back, far), name), getattr(predict_total(models, far), name)
        )


RANDOM = np.random.default_rng(5)
SOME = RANDOM.lognormal(size=(6, 5, 3))
FIVE = [2.0, 4, 8, 16, 32]


@pytest.mark.parametrize(
    ("points", "values"),
    [
        ([4.0], SOME[:, :1]),
        ([4.0], SOME[:, :1, :1]),
        ([4.0, 8], SOME[:, :2]),
        ([4.0, 8, 16], SOME[:, :3, :1]),
        (FIVE, np.full((2, 5, 3), 7.0)),
        (FIVE, np.zeros((2, 5, 3))),
        (FIVE, np.full((2, 5, 3), np.nan)),
        (FIVE, np.where(RANDOM.uniform(size=SOME.shape) < 0.4, np.nan, SOME)),
        (FIVE, 10.0 ** RANDOM.uniform(-6, 6, SOME.shape)),
        (FIVE, 1e-300 * SOME),
        (FIVE, RANDOM.normal(size=SOME.shape)),
        (FIVE, SOME[:0]),
        ([3.0, 7, 11, 104, 312], SOME),
        ([0.1, 0.2, 0.5, 0.9, 2.0], SOME),
        ([1.0, 2, 3, 4, 5], SOME),
        ([4.0, 4, 4, 8, 8], SOME),
        ([4.0, 4, 4, 4, 4], SOME),
        ([1000.0, 1001, 1002, 1003, 1004], SOME),
        ([1e6, 1e8, 1e10, 1e12, 1e14], SOME),
    ],
)
@pytest.mark.parametrize("method", ["evidence", "extra-p"])
def test_odd_input_gives_finite_models(points, values, method):
    models = fit(("p",), np.array(points)[:, None], values, ModelOptions(method=method))
    predicted = models.predict(max(points) * np.array([[0.5], [1.0], [16.0]]))
    for array in (
        predicted.value,
        predicted.lower,
        predicted.upper,
        grid_of(models).coefficients,
        grid_of(models).weight,
    ):
        assert np.isfinite(array).all()
    assert (predicted.lower <= predicted.value).all()
    assert (predicted.value <= predicted.upper).all()


def test_a_value_that_is_no_measurement_is_refused():
    with pytest.raises(ModelError, match="infinite"):
        fit(("p",), POWERS_OF_TWO, np.full((1, 6, 1), np.inf))
