"""How kernels grow, in words."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.models.fit import SURELY_GROWING, fit, with_remarks
from pipeline.models.growth import growth_classes, growth_statement, stated_law, total_statement
from pipeline.models.observations import observe
from pipeline.models.quality import Note
from pipeline.models.total import agreeing, predict_total
from tests.pipeline.models.made import changed

P = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0])


def models_of(*values, noise=0.0, parameters=("p",), points=P[:, None]):
    rng = np.random.default_rng(5)
    data = np.stack(values)[:, :, None] * (1 + noise * rng.standard_normal((len(values), len(points), 4)))
    return fit(parameters, points, data)


def test_the_exponent_of_a_power_is_found():
    assert growth_classes(models_of(0.1 + P, 5 + P**1.5)) == ["grows, about p", "grows, about p^1.5"]


def test_what_is_constant_is_constant():
    assert growth_classes(models_of(7 + 0 * P)) == ["constant"]


def test_a_logarithm_counts_as_the_power_that_it_looks_like():
    """From 128 to 512, p log2(p) rises like p^(1 + log4(9/7))."""
    assert growth_classes(models_of(0.1 + P * np.log2(P))) == ["grows, about p^1.2"]


def test_what_falls_falls():
    assert growth_classes(models_of(100 / P, noise=0.05)) == ["falls"]


def test_what_falls_up_to_the_target_falls_whatever_term_leads_beyond():
    models = models_of(1000 / P + 0.01 * P, noise=0.002)
    assert models.formula(0).growth == "p" and models.quality.probability_growing[0] > 0.9
    (falling,) = growth_classes(models)
    assert falling == "falls, then grows" and models.predict(P[-1:, None] * 4).value < 1000 / P[-1]
    assert growth_classes(models_of(1000 / P + 1e-4 * P, noise=0.002)) == ["falls, may grow"]


def test_rivals_that_disagree_give_a_range():
    (text,) = growth_classes(models_of(100 + P, noise=0.1))
    low, high = text.removeprefix("grows, about ").split(" to ")
    assert float((low + "^1").split("^")[1]) < float((high + "^1").split("^")[1])


def test_a_model_that_misses_the_measurements_has_no_law():
    models = models_of(0.1 + P)
    assert growth_classes(changed(models, note=models.quality.note | Note.UNRELIABLE)) == [
        "grows (law unclear)"
    ]


@pytest.mark.parametrize("count", [1, 2])
def test_one_or_two_points_are_no_law(count):
    few = models_of(0.1 + P[:count], points=P[:count, None])
    assert growth_classes(few) == [f"law unclear: {count} point{'s' * (count > 1)}"]


LAW = "grows, about p to p^1.7"


@pytest.mark.parametrize(
    ("changes", "statement"),
    [
        ({}, LAW),
        ({"probability": 0.9}, LAW),
        ({"probability": 0.89}, "may grow"),
        ({"probability": 0.11}, "may grow"),
        ({"probability": 0.1}, "constant"),
        ({"probability": 0.1, "falls": True}, "falls"),
        ({"probability": 0.5, "falls": True}, "may grow"),
        ({"probability": 0.5, "falls_first": True}, "may grow"),
        ({"probability": 0.5, "falls": True, "falls_first": True}, "falls, may grow"),
        ({"falls": True}, LAW),
        ({"falls_first": True}, "falls, then grows"),
        ({"points": 3}, LAW),
        ({"points": 2}, "law unclear: 2 points"),
        ({"points": 2, "probability": 0.0, "unreliable": True}, "law unclear: 2 points"),
        ({"unreliable": True}, "grows (law unclear)"),
        ({"unreliable": True, "falls_first": True}, "unclear"),
        ({"unreliable": True, "probability": 0.5}, "may grow"),
        ({"unreliable": True, "probability": 0.1}, "unclear"),
    ],
)
def test_the_statement_follows_from_the_probability_and_the_model(changes, statement):
    known = {"probability": 1.0, "falls": False, "falls_first": False, "points": 5, "unreliable": False}
    assert growth_statement(**known | {"law": LAW} | changes) == statement


@given(
    probability=st.floats(0, 1),
    falls=st.booleans(),
    falls_first=st.booleans(),
    points=st.integers(0, 6),
    unreliable=st.booleans(),
    law=st.sampled_from([LAW, "grows slowly", "grows (p unclear: 2 values)", f"{LAW} (n unclear: 2 values)"]),
    leading=st.sampled_from(["1", "p", "p^(3/2)"]),
)
def test_probability_statement_and_leading_term_never_contradict(leading, law, **known):
    statement = growth_statement(law=law, **known)
    growth = stated_law(statement, leading)
    has_exponents = "p^" in statement
    is_law = growth not in ("1", "unclear")
    if known["probability"] >= 0.9:
        assert statement not in ("constant", "falls") and growth != "1"
    if known["probability"] <= 0.1:
        assert "grow" not in statement
    if known["probability"] < 0.9 or known["unreliable"] or known["points"] < 3:
        assert not has_exponents and not is_law
    if statement in ("constant", "falls"):
        assert growth == "1"
    assert not is_law or (statement.startswith("grows") and "unclear" not in statement)


@pytest.mark.parametrize(
    ("leading", "probability", "statement"),
    [
        ("p", 0.9, "grows, about p"),
        ("1", 0.9, "grows slowly"),
        ("p", 0.5, "may grow"),
        ("p", 0.0, "constant"),
    ],
)
def test_a_total_without_a_model_grows_like_its_formula(leading, probability, statement):
    assert total_statement(models_of(P), leading, probability, 6) == statement


def test_a_total_has_no_law_over_two_values_of_a_parameter():
    points = np.array([[p, n] for p in (1.0, 2.0) for n in (2.0, 3.0, 4.0)])
    models = models_of(points.sum(axis=1), parameters=("p", "n"), points=points)
    assert total_statement(models, "p * n", 1.0, 6) == "grows (p unclear: 2 values)"


def test_every_parameter_has_its_exponent():
    points = np.array([[x, y] for x in (4.0, 8.0, 16.0, 32.0, 64.0) for y in (10.0, 20.0, 40.0, 80.0, 160.0)])
    values = points[:, 0] ** 2 * points[:, 1]
    models = models_of(values, parameters=("x", "y"), points=points)
    assert growth_classes(models) == ["grows, about x^2, y"]


def test_two_values_of_a_parameter_are_no_law():
    points = np.array([[p, n] for p in (1.0, 2.0) for n in (2.0, 3.0, 4.0, 6.0, 8.0)])
    p, n = points.T
    values = np.stack([3 * p**2 * n**3, 2 * n**2, 5 * p**2])[..., None] * np.ones(2)
    both, one, other = growth_classes(fit(("p", "n"), points, values))
    assert both.startswith("grows, about n^3") and both.endswith("(p unclear: 2 values)")
    assert one == "grows, about n^2"
    assert other == "grows (p unclear: 2 values)"


@pytest.mark.parametrize("count", [1, 2])
def test_all_kernels_get_a_text(count):
    assert len(growth_classes(models_of(*[P] * count))) == count


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0.01, 0.1, 0.4]))
def test_what_surely_grows_has_no_interval_below_what_was_measured(seed, noise):
    """Regions, call paths and their total agree with the growth that is written beside them."""
    random = np.random.default_rng(seed)
    points = 2.0 ** np.arange(5)[:, None]
    powers, constants = random.uniform(0.2, 2, (4, 1)), random.uniform(0, 20, (4, 1))
    values = (constants + points.T**powers)[..., None] * random.lognormal(0, noise, (4, 5, 3))
    fine = fit(("p",), points, values, parts=True)
    coarse = fit(("p",), points, values.reshape(2, 2, 5, 3).sum(axis=1), parts=True)
    for models, measured in (
        (fine, values),
        (agreeing(coarse, fine), values.reshape(2, 2, 5, 3).sum(axis=1)),
    ):
        sure = models.quality.probability_growing >= SURELY_GROWING
        largest = measured.mean(axis=2)[:, -1:]
        found = models.predict(np.array([[20.0], [64.0], [1024.0]]))
        assert (found.lower <= found.value).all()
        least = np.minimum(largest, found.value) * (1 - 1e-9)
        assert (found.lower >= least)[sure].all()
        inside = models.predict(points)
        assert (inside.lower <= inside.value).all()
    if fine.whole.quality.probability_growing[0] >= SURELY_GROWING:
        total = predict_total(fine, np.array([[64.0]]))
        now = values.mean(axis=2)[:, -1].sum()
        assert total.lower[0, 0] >= min(now, total.value[0, 0]) * (1 - 1e-9)


def surely(models, grows):
    return replace(models, trend=replace(models.trend, grows=np.full(len(models), grows)))


def test_lower_ends_near_the_measured_range_are_raised_gradually():
    models = surely(models_of(100 + P, noise=0.3), grows=True)
    lower, value = np.full((1, 4), 50.0), np.full((1, 4), 1000.0)
    largest = np.exp(models.trend.trend.logs[0, -1])
    raised = models.raised(lower, value, P[-1] * np.array([[1.0], [1.001], [1.1], [1.3]]))[0]
    assert raised[0] == 50.0
    assert raised[1] == pytest.approx(50.0, rel=0.01)
    assert raised[1] < raised[2] < raised[3] == pytest.approx(largest)
    unsure = surely(models, grows=False)
    assert (unsure.raised(lower, value, P[-1:, None].repeat(4, axis=0) * 4) == 50.0).all()


def test_an_unreliable_model_is_one_that_misses_points():
    steady = 100 + P
    jumping = np.where(P == 8, 0.02, 1.0) * steady
    good, bad = models_of(steady, jumping, noise=0.01).quality.note & Note.UNRELIABLE
    assert not good
    assert bad


@pytest.mark.parametrize(("count", "unreliable"), [(2, True), (3, False)])
def test_two_points_tell_nothing(count, unreliable):
    (note,) = (
        models_of(10 + 0 * P[:count], noise=0.001, points=P[:count, None]).quality.note & Note.UNRELIABLE
    )
    assert bool(note) == unreliable


def remarked(cv_smape=10.0, missed_by=1.0):
    """The note of a kernel with this left-out error, whose formula misses one point by this factor."""
    points = P[:, None]
    models = changed(models_of(10 + P), cv_smape=np.array([cv_smape]))
    mean = models.formula_values(points)
    mean[0, 2] *= missed_by
    (note,) = with_remarks(models, observe(points, mean[:, :, None])).quality.note & Note.UNRELIABLE
    return bool(note)


def test_unreliable_is_a_left_out_error_above_30_percent_or_a_miss_by_more_than_a_factor_of_3():
    assert not remarked()
    assert not remarked(cv_smape=30.0)
    assert remarked(cv_smape=30.1)
    assert not remarked(missed_by=2.9)
    assert remarked(missed_by=3.1)
    assert not remarked(missed_by=1 / 2.9)
    assert remarked(missed_by=1 / 3.1)


def test_a_total_that_surely_grows_has_no_interval_below_what_was_measured():
    values = np.stack([1000 + P, 500 + 0.5 * P])[:, :, None] * np.array([0.5, 1.0, 1.5])
    models = fit(("p",), P[:, None], values, parts=True)
    whole = surely(models.whole, grows=True)
    target, now = np.array([[4 * P[-1]]]), values.mean(axis=2)[:, -1].sum()
    total = predict_total(changed(models, whole=whole), target)
    assert total.lower[0, 0] >= min(now, total.value[0, 0]) * (1 - 1e-9)
    unsure = surely(models.whole, grows=False)
    assert predict_total(changed(models, whole=unsure), target).lower[0, 0] < now
