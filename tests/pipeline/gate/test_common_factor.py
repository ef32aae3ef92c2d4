"""What all kernels share, with and without pairs of runs."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.gate.common_factor import common_change, shared_factor
from pipeline.gate.estimates import Estimates
from pipeline.gate.matching import match
from pipeline.gate.pairs import paired_factor
from tests.pipeline.gate.studies import many, study


def shared(change, noise=0.02, kernels=20, seed=1):
    change = np.broadcast_to(np.asarray(change, dtype=float).T, (kernels,)).reshape(-1, 1)
    values = change + noise * np.random.default_rng(seed).normal(size=change.shape)
    return shared_factor(values, np.full(values.shape, noise**2))


def test_the_factor_of_most_kernels_is_shared_and_that_of_some_is_not():
    assert shared(0.14).log_factor[0] == pytest.approx(0.14, abs=0.02)
    most = np.where(np.arange(20) < 15, 0.14, 0.0)
    assert shared(most).log_factor[0] == pytest.approx(0.14, abs=0.03)
    half = np.where(np.arange(20) < 12, 0.14, 0.0)
    assert shared(half).log_factor[0] == 0.0
    assert shared(0.0).log_factor[0] == 0.0


@pytest.mark.parametrize("kernels", [2, 3, 5])
def test_few_kernels_must_all_have_changed(kernels):
    assert shared(0.2, kernels=kernels).log_factor[0] == pytest.approx(0.2, abs=0.05)
    one_stays = np.where(np.arange(kernels) > 0, 0.2, 0.0)
    if kernels < 4:
        assert shared(one_stays, kernels=kernels).log_factor[0] == 0.0
    assert shared(0.2, kernels=1).log_factor[0] == 0.0


def test_noisy_kernels_do_not_vote():
    rng = np.random.default_rng(1)
    noise = np.where(np.arange(20) < 8, 0.01, 0.5)[:, None]
    change = 0.14 + noise * rng.normal(size=(20, 1))
    assert shared_factor(change, noise**2).log_factor[0] == pytest.approx(0.14, abs=0.01)


def errors(size, points=4, degrees=30.0):
    return Estimates(np.zeros((1, points)), np.full((1, points), size), np.full((1, points), degrees))


def test_slower_and_faster_are_tested_against_the_limits():
    factor = replace(shared_factor(np.zeros((20, 4)), np.full((20, 4), 1e-6)), log_factor=np.full(4, 0.14))
    slower = common_change(factor, errors(0.01), (1.05, 1.1), paired=False)
    assert slower.slower[0] < 0.01 and slower.faster.min() == 1.0
    unsure = common_change(factor, errors(0.2), (1.05, 1.1), paired=False)
    assert unsure.slower.min() > 0.05
    unknown = common_change(factor, errors(np.nan), (1.05, 1.1), paired=False)
    assert np.isnan(unknown.slower).all()


def test_a_factor_at_one_point_is_found_there_and_not_everywhere():
    at_last = np.array([0.0, 0.0, 0.0, 0.3])
    factor = replace(shared_factor(np.zeros((20, 4)), np.full((20, 4), 1e-6)), log_factor=at_last)
    found = common_change(factor, errors(0.01), (1.05, 1.1), paired=False)
    assert (found.slower < 0.05).tolist() == [False, False, False, False, True]


def paired(factor, drift=0.3, **options):
    """Two programs in turn on a machine that drifts a lot from pair to pair."""
    common = np.exp(drift * np.random.default_rng(5).normal(size=(1, 5, 5)))
    one, two = study(many(), seed=1, **options), study(many(), seed=2, **options)
    one, two = replace(one, values=one.values * common), replace(two, values=two.values * common * factor)
    return match(one, two)


def alone(matched):
    return np.flatnonzero(matched.is_callpath)


def test_what_the_machine_does_to_both_runs_of_a_pair_cancels():
    matched = paired(1.1)
    found = paired_factor(matched, alone(matched))
    assert np.exp(found.log_ratio[0]) == pytest.approx(1.1, rel=0.01)
    assert found.error.max() < 0.01


def test_pairs_follow_the_numbers_of_the_repetitions():
    matched = paired(1.1)
    order = np.array([3, 1, 4, 0, 2])
    numbers = np.tile(np.arange(5), (5, 1))
    shuffled = replace(
        matched.candidate, values=matched.candidate.values[:, :, order], repetitions=numbers[:, order]
    )
    one = replace(matched.baseline, repetitions=numbers)
    found = paired_factor(replace(matched, baseline=one, candidate=shuffled), alone(matched))
    assert np.exp(found.log_ratio[0]) == pytest.approx(1.1, rel=0.01)
    unnumbered = paired_factor(replace(matched, candidate=shuffled), alone(matched))
    assert unnumbered.error.min() > 0.05


def test_runs_without_a_partner_cannot_be_paired():
    matched = paired(1.1)
    one = replace(matched.baseline, repetitions=np.tile(np.arange(5), (5, 1)))
    two = replace(matched.candidate, repetitions=np.tile(np.arange(5, 10), (5, 1)))
    with pytest.raises(InputError, match="the runs cannot be paired; run both programs in turn"):
        paired_factor(replace(matched, baseline=one, candidate=two), alone(matched))
