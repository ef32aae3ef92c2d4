"""The family of tests: which there are, and how they share the probability of a false alarm."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pipeline.gate.check_result import Ground
from pipeline.gate.estimates import POWER
from pipeline.gate.gate_options import CheckOptions, KernelRule
from pipeline.gate.kernel_values import match
from pipeline.gate.rules import rule_tests
from pipeline.gate.target_forecast import Forecasts, forecast
from pipeline.gate.verdicts import run_tests
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from tests.pipeline.gate.studies import SCALES, many, study

TARGETS = np.array([[256.0], [512.0]])
P = np.array(SCALES, dtype=float)


SINGLE = forecast(study({"a": 1.0}), TARGETS, ModelOptions())


def as_measured(whole, share=None):
    """A forecast that predicts what was measured at the largest scale, with a factor of 2 on both sides."""
    largest = [int(np.argmax(whole.scale))]
    value = np.repeat(whole.mean[:, largest], len(TARGETS), axis=1)
    least = np.repeat(whole.share[:, largest], len(TARGETS), axis=1) if share is None else share
    return replace(
        SINGLE.take(np.zeros(len(whole.kernels), dtype=int)),
        kernels=whole.kernels,
        prediction=Prediction(value, value / 2, value * 2),
        least_share=least,
    )


def run(before, after, share=None, factors=None, **options):
    """Run the tests; `factors` are on what was measured, in the forecast of the candidate, by region."""
    options = CheckOptions(**options)
    matched = match(before, after)
    ahead = as_measured(matched.candidate, share)
    on = np.array([(factors or {}).get(kernel.region, 1.0) for kernel in matched.candidate.kernels])
    forecasts = Forecasts(
        baseline=as_measured(matched.baseline, share),
        candidate=replace(
            ahead, prediction=Prediction(*(on[:, None] * e for e in vars(ahead.prediction).values()))
        ),
        targets=TARGETS,
    )
    return matched, run_tests(matched, forecasts, rule_tests(after, options), options)


def row_of(matched, family, name):
    (k,) = [k for k, row in enumerate(family.rows) if matched.candidate.kernels[row].region == name]
    return k


def test_every_p_value_is_adjusted_by_holm_over_all_kernels_grounds_and_rules():
    before, after = study(many(), seed=1), study(many(k5=30.0, k6=16 * P / 8), seed=2)
    rules = (KernelRule(match="*/k5", share=0.01), KernelRule(match="*/k7", growth=(0, 0)))
    _, family = run(before, after, kernels=rules, factor=1.2)
    tests = rule_tests(after, CheckOptions(kernels=rules))
    raw = {ground: one.above(family.log_factor) for ground, one in family.estimates.items()}
    ahead = np.log(family.predicted.value[:, -1]) - family.changes.shared.log_factor[-1]
    raw[Ground.GROWTH][ahead <= np.log(1.2)] = np.nan
    raw[Ground.MODELS][:] = np.nan
    flat = np.concatenate([*(p.ravel() for p in raw.values()), tests.p])
    known = np.isfinite(flat)
    expected = np.full(flat.shape, np.nan)
    expected[known] = multipletests(flat[known], method="holm")[1]
    found = np.concatenate([*(p.ravel() for p in family.worse.values()), family.rules])
    assert np.allclose(found, expected, equal_nan=True)
    assert family.tests == known.sum()
    assert len(family.rules) == 2
    assert set(family.worse) == set(family.better) == set(raw)


def test_improvements_are_a_family_of_their_own():
    before, after = study(many(), seed=1), study(many(k5=5.0), seed=2)
    matched, family = run(before, after, kernels=(KernelRule(match="*/k7", growth=(0, 0)),))
    swapped_matched, swapped = run(after, before)
    k, other = row_of(matched, family, "k5"), row_of(swapped_matched, swapped, "k5")
    for ground in (Ground.MEASURED, Ground.EVERYWHERE):
        assert np.allclose(family.better[ground][k], swapped.worse[ground][other], rtol=1e-9, atol=0)
        assert (family.better[ground][k] < 0.01).all()
        assert (family.worse[ground][k] == 1).all()


@pytest.mark.parametrize(("jobs", "factor"), [(0.0, 1.0), (0.05, 1.1)])
def test_one_alarm_in_twenty_checks_at_most(jobs, factor):
    """Forty programs measured twice; `jobs` is noise that all repetitions of a study share."""
    rng = np.random.default_rng(5)

    def measured(seed):
        efforts = dict(zip(many(), 20 * np.exp(jobs * rng.normal(size=(20, 5))), strict=True))
        return study(efforts, noise=0.05, repetitions=10, seed=seed)

    families = [run(measured(2 * n), measured(2 * n + 1), factor=factor)[1] for n in range(40)]
    assert sum(any((p <= 0.05).any() for p in family.worse.values()) for family in families) <= 2


@pytest.mark.parametrize("way", ["worse", "better"])
def test_growth_counts_only_if_the_ratio_of_the_predictions_exceeds_the_factor(way):
    rising = 15 * P / P[-1]  # below the baseline at every scale
    before, after = study(many(), seed=1), study(many(k5=rising), seed=2)
    for factor, counts in ((1.05, False), (1.2, True)):
        order = (before, after) if way == "worse" else (after, before)
        on = factor if way == "worse" else 1 / factor
        matched, family = run(*order, factors={"k5": on})
        k = row_of(matched, family, "k5")
        assert np.isfinite(getattr(family, way)[Ground.GROWTH][k, 0]) == counts


def test_without_predictions_growth_counts_if_the_last_measured_ratio_exceeds_the_factor():
    before = study(many(), seed=1)
    for last, counts in ((1.3, True), (0.9, False)):
        after = study(many(k5=15 * last * P / P[-1]), seed=2)
        matched, family = run(before, after, factors={"k5": np.nan})
        k = row_of(matched, family, "k5")
        assert np.isfinite(family.worse[Ground.GROWTH][k, 0]) == counts


def test_what_all_kernels_share_does_not_make_growth_count():
    """A day that is twice as slow: the predictions have the factor, too."""
    slow = study({name: 2 * effort for name, effort in many().items()} | {"k5": 15 * P / P[-1]}, seed=2)
    for on, counts in ((1.0, False), (2.4, True)):
        matched, family = run(study(many(), seed=1), slow, factors={"k5": on})
        k = row_of(matched, family, "k5")
        assert np.isfinite(family.relative[Ground.GROWTH][k, 0]) == counts


def test_only_tests_of_shares_that_matter_are_made():
    dust = [0.1, 0.1, 0.1, 20, 0.1]
    before, after = study(many(odd=dust), seed=1), study(many(odd=dust), seed=2)
    matched, family = run(before, after)
    k = row_of(matched, family, "odd")
    assert np.isfinite(family.worse[Ground.MEASURED][k]).tolist() == [False, False, False, True, False]
    assert np.isnan(family.worse[Ground.GROWTH][k]).all()


def test_a_share_that_matters_on_either_side_or_at_the_target_is_enough():
    small, large = [0.1] * 5, [0.1, 0.1, 0.1, 0.1, 20]
    for before, after in ((small, large), (large, small)):
        matched, family = run(study(many(odd=before), seed=1), study(many(odd=after), seed=2))
        k = row_of(matched, family, "odd")
        assert np.isfinite(family.worse[Ground.MEASURED][k]).tolist() == [False] * 4 + [True]
        way = family.worse if after is large else family.better
        assert np.isfinite(way[Ground.GROWTH][k, 0])
    for target, counts in ((0, False), (1, True)):  # the share at the last target counts
        share = np.zeros((22, 2))
        share[-1, target] = 0.5
        whole = study(many(odd=small), seed=1), study(many(odd=small), seed=2)
        matched, family = run(*whole, share, factors={"odd": 2.0})
        k = row_of(matched, family, "odd") if counts else None
        assert counts == (k is not None and np.isfinite(family.worse[Ground.GROWTH][k, 0]))


def test_a_kernel_at_the_share_floor_is_tested():
    before = study({"a": 1.0, "b": 3.0}, noise=0)
    matched, family = run(before, before, share_floor=0.25)
    assert len(family.rows) == len(matched.candidate.kernels)
    assert len(run(before, before, share_floor=0.26)[1].rows) == 2


def test_models_decide_only_about_kernels_without_a_common_point():
    before, later = study(many()), study(many(), scales=(256, 512, 1024))
    _, family = run(before, later)
    assert np.isfinite(family.worse[Ground.MODELS]).all()
    assert family.worse[Ground.MEASURED].shape[1] == 0
    assert np.isnan(family.detectable).all()
    once = replace(before, values=np.where(np.arange(5)[:, None] > 0, np.nan, before.values))
    _, family = run(once, study(many(), seed=2))
    assert np.isnan(family.worse[Ground.MODELS]).all()
    assert np.isfinite(family.worse[Ground.MEASURED][:, 0]).all()


def test_rules_change_the_factor_of_their_kernels():
    rules = (KernelRule(match="*/k5", factor=2.0), KernelRule(match="*/k6", share=0.5))
    matched, family = run(study(many(), seed=1), study(many(), seed=2), factor=1.3, kernels=rules)
    factors = np.exp(family.log_factor)
    assert factors[row_of(matched, family, "k5")] == pytest.approx(2.0)
    assert (np.sort(factors)[:-1] == pytest.approx(1.3)) and len(factors) == 21


def test_the_detectable_factor_is_found_with_the_power_that_is_stated():
    """By simulation: shifted by the detectable factor, nine of ten tests at the level given reject."""
    _, family = run(study(many(), seed=1), study(many(), seed=2))
    measured, level = family.changes.measured, 0.05 / family.tests
    degrees, error = measured.degrees[3, -1], measured.error[3, -1]
    shift = (np.log(family.detectable[3]) - family.log_factor[3]) / error
    power = stats.nct.sf(stats.t.ppf(1 - level, degrees), degrees, shift)
    assert power == pytest.approx(POWER, abs=0.01)
    assert POWER == 0.9


def test_the_detectable_factor_is_that_of_the_largest_scale_that_can_be_compared():
    noise = np.linspace(0.02, 0.2, 5)[:, None]
    before, after = study(many(), noise=noise, seed=1), study(many(), noise=noise, seed=2)
    _, family = run(before, after)
    gap = replace(after, values=after.values.copy())
    gap.values[5, 4] = gap.values[25, 4] = np.nan
    matched, without_last = run(before, gap)
    k = row_of(matched, without_last, "k4")
    assert without_last.detectable[k] < 0.9 * family.detectable[k]
    shuffled = replace(before, points=before.points[::-1], values=before.values[:, ::-1])
    _, family_again = run(shuffled, study(many(), noise=noise, seed=2))
    assert np.allclose(family_again.detectable, family.detectable)


def test_noise_beyond_measure_is_detectable_by_no_number():
    _, family = run(study({"a": 1.0}, noise=300, seed=1), study({"a": 1.0}, noise=300, seed=2))
    assert np.isfinite(family.detectable).all()
