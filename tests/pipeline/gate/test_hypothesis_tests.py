"""The family of tests: which there are, and how they share the probability of a false alarm."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pipeline.gate.check_result import Ground
from pipeline.gate.estimates import POWER
from pipeline.gate.gate_options import CheckOptions, KernelRule
from pipeline.gate.hypothesis_tests import run_tests
from pipeline.gate.matching import match
from pipeline.gate.rules import rule_tests
from pipeline.gate.target_forecast import Forecast, Forecasts, forecast
from pipeline.models.options import ModelOptions
from pipeline.models.prediction import Prediction
from tests.pipeline.gate.studies import SCALES, many, study

TARGETS = np.array([[256.0], [512.0]])
P = np.array(SCALES, dtype=float)


MODELS = forecast(study({"a": 1.0}), TARGETS, ModelOptions()).models


def as_measured(whole, share=None):
    """A forecast that predicts what was measured at the largest scale, with a factor of 2 on both sides."""
    models = MODELS.take(np.zeros(len(whole.kernels), dtype=int))
    value = np.repeat(whole.mean[:, -1:], len(TARGETS), axis=1)
    least = np.repeat(whole.share[:, -1:], len(TARGETS), axis=1) if share is None else share
    return Forecast(models, Prediction(value, value / 2, value * 2), least)


def run(before, after, share=None, **options):
    options = CheckOptions(**options)
    matched = match(before, after)
    forecasts = Forecasts(
        baseline=as_measured(matched.baseline, share),
        candidate=as_measured(matched.candidate, share),
        targets=TARGETS,
        scale=TARGETS[:, 0],
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
    ahead = family.estimates[Ground.TARGET].log_ratio[:, -1]
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
    for ground in (Ground.MEASURED, Ground.TARGET):
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
def test_growth_counts_only_if_the_ratio_extrapolated_to_the_target_exceeds_the_factor(way):
    falling = 15 * np.array([0.25, 0.3, 0.35, 0.4, 0.45])  # rises, yet stays far below the baseline
    rising = 15 * P / P[-1]  # below the baseline, too, but above it at the target
    before = study(many(), seed=1)
    for effort, counts in ((falling, False), (rising, True)):
        after = study(many(k5=effort), seed=2)
        matched, family = run(*((before, after) if way == "worse" else (after, before)))
        k = row_of(matched, family, "k5")
        assert np.isfinite(getattr(family, way)[Ground.GROWTH][k, 0]) == counts


def test_only_tests_of_shares_that_matter_are_made():
    dust = [0.1, 0.1, 0.1, 20, 0.1]
    before, after = study(many(odd=dust), seed=1), study(many(odd=dust), seed=2)
    matched, family = run(before, after)
    k = row_of(matched, family, "odd")
    assert np.isfinite(family.worse[Ground.MEASURED][k]).tolist() == [False, False, False, True, False]
    assert np.isnan(family.worse[Ground.TARGET][k]).all()
    assert np.isnan(family.worse[Ground.GROWTH][k]).all()


def test_a_share_that_matters_on_either_side_or_at_the_target_is_enough():
    small, large = [0.1] * 5, [0.1, 0.1, 0.1, 0.1, 20]
    for before, after in ((small, large), (large, small)):
        matched, family = run(study(many(odd=before), seed=1), study(many(odd=after), seed=2))
        k = row_of(matched, family, "odd")
        assert np.isfinite(family.worse[Ground.MEASURED][k]).tolist() == [False] * 4 + [True]
        assert np.isfinite(family.worse[Ground.TARGET][k]).all()
    share = np.zeros((22, 2))
    share[-1, 0] = 0.5
    matched, family = run(study(many(odd=small), seed=1), study(many(odd=small), seed=2), share)
    k = row_of(matched, family, "odd")
    assert np.isfinite(family.worse[Ground.TARGET][k]).tolist() == [True, False]
    assert np.isnan(family.worse[Ground.GROWTH][k, 0])


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
