"""Checks of studies whose kernels all take longer or less together."""

import pytest

from pipeline.gate.result import Cause, Outcome, Ruling
from tests.pipeline.gate.checks import found, of, run, texts
from tests.pipeline.gate.studies import many, study


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
