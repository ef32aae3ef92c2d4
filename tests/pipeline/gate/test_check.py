"""The check as a whole; `test_verdict_matrix` goes over the truths that single kernels may have."""

import datetime
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ingest.errors import InputError, UsageError
from pipeline.gate.check import COMMON_SHIFT, check
from pipeline.gate.measurements import Level, Origin
from pipeline.gate.options import CheckOptions, KernelRule, Waiver
from pipeline.gate.result import Ground, Outcome, Verdict
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import SCALES, many, study

TODAY = datetime.date(2026, 11, 21)
P = np.array(SCALES, dtype=float)
LOG2 = (Fraction(0), 1)


def run(candidate, baseline, **options):
    return check(candidate, baseline, CheckOptions(**options), ModelOptions(), TODAY)


def found(result, verdict=Verdict.REGRESSION):
    return {k.kernel.region for k in result.of(verdict)}


def of(result, region):
    (one,) = [k for k in result.kernels if k.kernel.region == region]
    return one


def grounds(result, region):
    return {e.ground for e in of(result, region).evidence}


def test_the_same_program_measured_again_passes():
    result = run(study(many(), seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.PASSED
    assert {k.verdict for k in result.kernels} == {Verdict.UNCHANGED}
    assert len(result.kernels) == 21
    assert 21 * (len(SCALES) + 1) <= result.tests <= 21 * (len(SCALES) + 2)


def test_the_result_names_points_targets_unit_and_what_was_ignored():
    result = run(study(many(tiny=0.01), scales=(16, 32, 64, 256, 8)), study(many(tiny=0.01)))
    assert result.points == tuple({"p": float(p)} for p in (8, 16, 32, 64))
    assert result.targets == ({"p": 1024.0},)
    assert result.unit == "core-s"
    assert result.below_share_floor == 1
    assert "tiny" not in {k.kernel.region for k in result.kernels}
    assert (result.reasons, result.notices) == ((), ())
    assert run(study(many()), study(many()), targets=({"p": 5.0}, {"p": 6.0})).targets == (
        {"p": 5.0},
        {"p": 6.0},
    )


def test_regressions_come_first():
    result = run(study(many(k5=30.0, k6=4.0, extra=10.0), seed=2), study(many(), seed=1))
    order = [k.verdict for k in result.kernels]
    assert order == sorted(order, key=list(Verdict).index)
    assert [v for v in Verdict if v in order] == [
        Verdict.REGRESSION,
        Verdict.NEW,
        Verdict.IMPROVEMENT,
        Verdict.UNCHANGED,
    ]


def test_the_total_of_a_regression_is_traced_to_its_call_path():
    result = run(study(many(k5=15 * P / 8), seed=2), study(many(), seed=1))
    assert of(result, "total").located == (("main", "k5"),)


def test_a_regression_decides_though_other_kernels_are_too_noisy():
    noise = np.where(np.arange(20)[:, None, None] == 5, 0.9, 0.02)
    before = study(many(k5=40.0), noise=noise, seed=1, repetitions=3)
    after = study(many(k5=40.0, k6=40.0), noise=noise, seed=2, repetitions=3)
    result = run(after, before)
    assert found(result, Verdict.INCONCLUSIVE) == {"k5"}
    assert "k6" in found(result)
    assert result.outcome is Outcome.REGRESSED


def test_a_kernel_may_jump_where_it_is_negligible_though_it_matters_elsewhere():
    before = study(many(spiky=[1e-6, 1e-6, 1e-6, 10, 10]), seed=1)
    result = run(study(many(spiky=[1e-6, 1e-3, 1e-6, 10, 10]), seed=2), before)
    assert result.outcome is Outcome.PASSED
    assert "spiky" in {k.kernel.region for k in result.kernels}


@pytest.mark.parametrize("what", ["machine", "filter"])
def test_another_machine_or_filter_is_inconclusive(what):
    one, two = Origin(**{what: "a"}), Origin(**{what: "b"})
    result = run(study(many(k5=60.0), origin=two), study(many(), origin=one))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert f"different {what}: a in the baseline, b here" in result.reasons[0]
    assert "k5" in found(result)


def test_without_repetitions_a_check_is_inconclusive():
    result = run(study(many(), repetitions=1, seed=2), study(many(), repetitions=1))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert {k.verdict for k in result.kernels} == {Verdict.INCONCLUSIVE}


def test_waivers_need_not_name_what_follows_from_the_kernel_but_then_it_fails():
    before, after = study(many(), seed=1), study(many(k5=150.0), seed=2)
    kernel = Waiver(match="*/k5", reason="known, see the tracker", until=TODAY)
    total = Waiver(match="total", reason="follows from it", until=TODAY)
    held = run(after, before, waivers=(kernel, total))
    assert (held.outcome, found(held, Verdict.WAIVED)) == (Outcome.PASSED, {"k5", "total"})
    assert held.notices == ()
    assert run(after, before, waivers=(kernel,)).outcome is Outcome.REGRESSED
    expired = replace(kernel, until=TODAY - datetime.timedelta(days=1))
    result = run(after, before, waivers=(expired, total))
    assert found(result) == {"k5"}
    assert result.notices == ("*/k5: the waiver expired on 2026-11-20",)


def test_rules_need_no_baseline():
    grows = study(many(k5=np.sqrt(P), k6=np.log2(P) + 3))
    rules = tuple(KernelRule(match=f"*/{name}", growth=LOG2) for name in ("k5", "k6", "k7"))
    result = run(grows, None, kernels=rules, share_floor=0.001)
    assert found(result) == {"k5"}
    assert found(result, Verdict.UNCHANGED) == {"k6", "k7"}
    assert grounds(result, "k5") == {Ground.GROWTH_RULE}
    assert (result.tests, result.below_share_floor, result.reasons) == (3, 0, ())
    assert result.points == tuple({"p": p} for p in P)
    k5 = of(result, "k5")
    assert (k5.file, k5.line, k5.baseline) == ("/src/k5.c", 6, None)
    assert k5.candidate.value == pytest.approx(np.sqrt(128), rel=0.05)
    assert k5.candidate.growth.startswith("p^(1/")


def test_rules_without_a_baseline_share_the_false_alarms():
    whole, options = study(many()), {"false_alarms": 0.5}
    alone = run(whole, None, kernels=(KernelRule(match="*/k5", share=0.0375),), **options)
    every = run(whole, None, kernels=(KernelRule(match="*", share=0.0375),), **options)
    assert (alone.tests, every.tests) == (1, 20)
    (single,), (shared,) = (of(result, "k5").evidence for result in (alone, every))
    assert 2 * single.p < shared.p < 20 * single.p


def test_a_rule_is_broken_up_to_the_level_of_false_alarms():
    def regressions(level):
        return run(study(many()), None, kernels=(KernelRule(match="*/k5", share=0.038),), false_alarms=level)

    p = of(regressions(0.5), "k5").evidence[0].p
    assert found(regressions(p)) == {"k5"}
    assert found(regressions(p * 0.999)) == set()


def test_ceilings_on_share_efficiency_and_total():
    whole = study(many(big=400.0))
    assert "big" in found(run(whole, None, kernels=(KernelRule(match="*/big", share=0.3),)))
    assert run(whole, None, kernels=(KernelRule(match="*/big", share=0.6),)).outcome is Outcome.PASSED
    assert found(run(whole, None, parallel_efficiency=0.7)) == {"total"}
    assert run(whole, None, parallel_efficiency=0.5).outcome is Outcome.PASSED
    both = run(whole, None, total=100.0, parallel_efficiency=0.7)
    assert grounds(both, "total") == {Ground.TOTAL_RULE, Ground.EFFICIENCY_RULE}
    assert both.tests == 0
    assert found(run(whole, whole, total=100.0)) == {"total"}


def test_an_inconclusive_kernel_that_breaks_a_rule_is_a_regression_without_advice():
    before, after = (study({"a": 5.0, "b": 7.0}, noise=0.5, repetitions=2, seed=n) for n in (1, 2))
    assert of(run(after, before), "total").advice
    broken = of(run(after, before, parallel_efficiency=0.9), "total")
    assert (broken.verdict, broken.advice) == (Verdict.REGRESSION, "")
    assert len(broken.evidence) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "check: nothing to check; give --baseline FILE, or write rules in [check] of pipeline.toml"),
        ({"kernels": (KernelRule(match="nix", share=0.1),)}, "'nix' matches no kernel"),
        ({"targets": ({"q": 4.0},), "total": 1.0}, "no parameter 'q'"),
    ],
)
def test_invalid_checks_are_refused(options, message):
    with pytest.raises(UsageError) as error:
        run(study(many()), None, **options)
    assert message in str(error.value)


def test_studies_of_different_kinds_are_refused():
    other = replace(study(many()), metric="visits")
    with pytest.raises(InputError, match="different metric: effort in the baseline, visits here"):
        run(other, study(many()))


@pytest.mark.parametrize(("factor", "text"), [(1.3, "1.3 or more at p = 64"), (0.7, "0.7 or less at p = 64")])
def test_all_kernels_changing_together_point_to_the_machine(factor, text):
    shift = np.array([1, 1, 1, factor, 1])
    after = study({name: effort * shift for name, effort in many().items()}, seed=2, noise=0.001)
    result = run(after, study(many(), seed=1, noise=0.001))
    assert result.notices == (
        f"half of all kernels changed by a factor of {text}: that points to the machine, the compiler or its "
        "options rather than to single kernels",
    )


def test_a_small_common_shift_is_not_mentioned():
    for factor, mentioned in ((COMMON_SHIFT * 1.002, True), (COMMON_SHIFT * 0.998, False), (1 / 1.06, True)):
        after = study({name: effort * factor for name, effort in many().items()}, noise=0)
        assert bool(run(after, study(many(), noise=0)).notices) == mentioned
    assert COMMON_SHIFT == 1.05


def test_regions_are_decided_beside_their_call_paths():
    before = study({("main", "x", "k0"): 5.0} | many(), seed=1)
    after = study({("main", "x", "k0"): 9.0} | many(k0=18.0), seed=2)
    result = run(after, before)
    assert {k.kernel.level for k in result.of(Verdict.REGRESSION)} == {Level.REGION, Level.CALLPATH}
    (region,) = [k for k in result.kernels if k.kernel.level is Level.REGION]
    assert region.located == (("main", "k0"), ("main", "x", "k0"))
