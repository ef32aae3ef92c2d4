import datetime
from dataclasses import replace

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from pipeline.gate.check import check
from pipeline.gate.measurements import Level, Origin
from pipeline.gate.options import CheckOptions, KernelRule, Waiver
from pipeline.gate.result import Ground, Outcome, Verdict
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import SCALES, many, study, without

TODAY = datetime.date(2026, 11, 21)
P = np.array(SCALES, dtype=float)


def run(candidate, baseline, **options):
    return check(candidate, baseline, CheckOptions(**options), ModelOptions(), TODAY)


def found(result, verdict=Verdict.REGRESSION):
    return {d.kernel.callpath[-1] for d in result.of(verdict)}


def grounds(result, name):
    (decision,) = [d for d in result.kernels if d.kernel.callpath[-1] == name]
    return {e.ground for e in decision.evidence}


def test_the_same_program_measured_again_passes():
    result = run(study(many(), seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.PASSED
    assert not found(result) and not found(result, Verdict.IMPROVEMENT)
    assert 21 * (len(SCALES) + 1) <= result.tests <= 21 * (len(SCALES) + 2)


@pytest.mark.parametrize(
    ("effort", "ground"),
    [
        (15 * P / P[0], Ground.GROWTH),
        (15 * np.log2(P) / 3, Ground.TARGET),
        (15 * np.array([1, 1, 1, 1, 1.5]), Ground.MEASURED),
        (15 * P / P[-1], Ground.GROWTH),  # better at every scale but the largest, and heading up
    ],
)
def test_a_kernel_that_got_worse_is_found_alone(effort, ground):
    result = run(study(many(k5=effort), seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.REGRESSED
    assert found(result) - {"total"} == {"k5"}
    assert ground in grounds(result, "k5")
    worst = result.of(Verdict.REGRESSION)[-1]
    assert worst.file == "/src/k5.c" or worst.kernel.level is Level.TOTAL


def test_a_change_within_the_factor_passes_and_a_stricter_rule_finds_it():
    before, after = study(many(), seed=1), study(many(k5=15 * 1.08), seed=2)
    assert run(after, before).outcome is Outcome.PASSED
    assert found(run(after, before, kernels=(KernelRule(match="*/k5", factor=1.0),))) == {"k5"}


def test_improvements_are_told_and_pass():
    result = run(study(many(k5=5.0), seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.PASSED
    assert found(result, Verdict.IMPROVEMENT) == {"k5"}


def test_small_kernels_are_left_alone():
    before = study(many(tiny=0.01), seed=1)
    result = run(study(many(tiny=0.05), seed=2), before)
    assert result.outcome is Outcome.PASSED
    assert "tiny" not in {d.kernel.callpath[-1] for d in result.kernels}


def test_dust_may_jump_where_it_is_dust_though_it_matters_elsewhere():
    before = study(many(spiky=[1e-6, 1e-6, 1e-6, 10, 10]), seed=1)
    result = run(study(many(spiky=[1e-6, 1e-3, 1e-6, 10, 10]), seed=2), before)
    assert result.outcome is Outcome.PASSED
    assert "spiky" in {d.kernel.callpath[-1] for d in result.kernels}


@pytest.mark.parametrize("what", ["machine", "filter"])
def test_another_machine_or_filter_is_inconclusive(what):
    one, two = Origin(**{what: "a"}), Origin(**{what: "b"})
    result = run(study(many(k5=60.0), origin=two), study(many(), origin=one))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert f"another {what}: a in the baseline, b here" in result.reasons[0]


def test_without_repetitions_the_answer_is_that_nothing_can_be_said():
    result = run(study(many(), repetitions=1, seed=2), study(many(), repetitions=1))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "at least 3 times" in result.of(Verdict.INCONCLUSIVE)[0].advice


def test_noise_that_hides_large_changes_is_inconclusive_and_says_what_would_settle_it():
    result = run(
        study({"a": 5.0, "b": 7.0}, noise=0.5, repetitions=2, seed=2),
        study({"a": 5.0, "b": 7.0}, noise=0.5, repetitions=2),
    )
    assert result.outcome is Outcome.INCONCLUSIVE
    assert (
        "repetitions per point in both studies would reveal a factor of 2"
        in result.of(Verdict.INCONCLUSIVE)[0].advice
    )


def test_without_common_points_only_the_models_speak():
    later = study(
        {"a": 100 * np.array([20.0, 24, 32, 40, 48]), "b": 5.0}, scales=(20, 24, 32, 40, 48), noise=0.001
    )
    before = study({"a": 100.0, "b": 5.0}, scales=(4, 5, 6, 8, 10), noise=0.001)
    result = run(later, before)
    assert grounds(result, "a") == {Ground.MODELS}
    assert result.points == ()


def test_a_new_kernel_fails_from_its_share_on():
    before = study(many(), seed=1)
    large, small = study(many(new=50.0), seed=2), study(many(new=8.0), seed=2)
    assert found(run(large, before)) - {"total"} == {"new"}
    assert run(small, before).outcome is Outcome.PASSED
    assert found(run(small, before), Verdict.NEW) == {"new"}


def test_a_vanished_kernel_is_told():
    result = run(without(study(many(), seed=2), "k19"), study(many(), seed=1))
    assert found(result, Verdict.VANISHED) == {"k19"}
    assert result.outcome is Outcome.PASSED


def test_waivers_hold_until_their_day():
    before, after = study(many(), seed=1), study(many(k5=60.0), seed=2)
    waive = (
        Waiver(match="*/k5", reason="known, see the tracker", until=TODAY),
        Waiver(match="total", reason="follows from it", until=TODAY),
    )
    held = run(after, before, waivers=waive)
    assert held.outcome is Outcome.PASSED
    assert found(held, Verdict.WAIVED) >= {"k5"}
    day_before = TODAY - datetime.timedelta(days=1)
    ended = run(after, before, waivers=(Waiver(match="*/k5", reason="known", until=day_before),))
    assert ended.outcome is Outcome.REGRESSED
    assert any("the waiver expired on" in notice for notice in ended.notices)


def test_rules_need_no_baseline():
    grows = study(many(k5=np.sqrt(P), k6=np.log2(P) + 3))
    rules = tuple(KernelRule(match=f"*/{name}", growth=(0, 1)) for name in ("k5", "k6", "k7"))
    result = run(grows, None, kernels=rules, share_floor=0.001)
    assert found(result) == {"k5"}
    assert grounds(result, "k5") == {Ground.GROWTH_RULE}
    assert "grows faster than log2(p)" in result.of(Verdict.REGRESSION)[0].evidence[0].text


def test_ceilings_on_share_efficiency_and_total():
    whole = study(many(big=400.0))
    assert "big" in found(run(whole, None, kernels=(KernelRule(match="*/big", share=0.3),)))
    assert run(whole, None, kernels=(KernelRule(match="*/big", share=0.6),)).outcome is Outcome.PASSED
    assert found(run(whole, None, parallel_efficiency=0.7)) == {"total"}
    assert run(whole, None, parallel_efficiency=0.5).outcome is Outcome.PASSED
    assert found(run(whole, None, total=100.0)) == {"total"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to check"),
        ({"kernels": (KernelRule(match="nix", share=0.1),)}, "matches no kernel"),
        ({"targets": ({"q": 4.0},), "total": 1.0}, "no parameter 'q'"),
    ],
)
def test_checks_that_cannot_be_meant(options, message):
    with pytest.raises(UsageError, match=message):
        run(study(many()), None, **options)


def test_studies_of_different_kinds_are_refused():
    other = replace(study(many()), metric="visits")
    with pytest.raises(InputError, match="metric differ: effort in the baseline, visits here"):
        run(other, study(many()))


def test_all_kernels_moving_together_point_at_the_machine():
    shifted = {name: 1.3 * effort for name, effort in many().items()}
    result = run(study(shifted, seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.REGRESSED
    assert any("points to the machine" in notice for notice in result.notices)
