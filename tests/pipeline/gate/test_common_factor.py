from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError
from pipeline.gate.check_result import Cause, Outcome, Ruling
from pipeline.gate.estimates import Estimates
from pipeline.gate.kernel_values import match
from pipeline.gate.repetition_noise import common_change, paired_factor, shared_factor
from tests.pipeline.gate.checks import found, of, run, texts
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


def everywhere(factor, **options):
    return study({name: effort * factor for name, effort in many().items()}, **({"seed": 2} | options))


def test_all_kernels_slower_together_is_one_verdict_of_its_own():
    result = run(everywhere(1.15), study(many()))
    (reason,) = result.reasons
    assert (result.outcome, reason.cause) == (Outcome.INCONCLUSIVE, Cause.COMMON)
    assert reason.text.startswith(
        "all kernels together take 1.15 times the baseline over all points: machine or"
    )
    assert {k.verdict for k in result.kernels} == {Ruling.UNCHANGED}
    assert result.common.verdict is Ruling.REGRESSION
    assert result.common.mean.ratio == pytest.approx(1.15, rel=0.02)
    assert [round(change.ratio, 1) for change in result.common.points] == pytest.approx([1.1] * 5, abs=0.11)


@pytest.mark.parametrize(
    ("policy", "outcome", "notices"),
    [("inconclusive", Outcome.INCONCLUSIVE, 0), ("fail", Outcome.REGRESSED, 0), ("warn", Outcome.PASSED, 1)],
)
def test_the_user_decides_what_a_slower_machine_or_build_is(policy, outcome, notices):
    result = run(everywhere(1.15), study(many()), common=policy)
    assert (result.outcome, len(result.notices)) == (outcome, notices)
    assert found(result) == ({"total"} if policy == "fail" else set())
    assert sum("machine or build, cannot tell which" in text for text in texts(result)) == 1


@pytest.mark.parametrize(("factor", "slower"), [(1.03, False), (1.08, True)])
def test_a_small_common_shift_is_accepted_up_to_the_common_factor(factor, slower):
    result = run(everywhere(factor, noise=0.005), study(many(), noise=0.005))
    assert bool(result.reasons) == slower
    wider = run(everywhere(factor, noise=0.005), study(many(), noise=0.005), common_factor=1.1)
    assert not wider.reasons


def test_all_kernels_faster_together_pass_with_a_notice():
    result = run(everywhere(0.8), study(many()))
    assert result.outcome is Outcome.PASSED
    assert result.common.verdict is Ruling.IMPROVEMENT
    assert result.notices[0].startswith("all kernels together take 0.8 times the baseline over all points")


def test_a_kernel_is_compared_with_what_all_kernels_share():
    slow = {name: effort * 1.2 for name, effort in many(k5=15 * 1.3).items()}
    result = run(study(slow, seed=2), study(many()))
    assert (result.outcome, found(result)) == (Outcome.REGRESSED, {"k5"})
    assert any("times what all kernels share" in e.text for e in of(result, "k5").evidence)


def test_a_kernel_that_stays_while_all_others_get_faster_did_not_regress():
    fast = {name: effort * 0.8 for name, effort in many().items()} | {"k5": 15.0}
    result = run(study(fast, seed=2, noise=0.01), study(many(), noise=0.01))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert found(result) == set()
    assert of(result, "k5").verdict is Ruling.INCONCLUSIVE
    assert "if the machine was faster, this kernel got slower" in of(result, "k5").advice


def test_two_kernels_of_three_are_not_the_machine():
    before = {"a": 10.0, "b": 20.0, "c": 30.0}
    result = run(study(before | {"a": 13.0, "b": 26.0}, seed=2), study(before))
    assert found(result) >= {"a", "b"}
    assert result.common.verdict is Ruling.UNCHANGED
