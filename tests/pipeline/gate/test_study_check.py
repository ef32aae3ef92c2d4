"""The check as a whole; `test_verdict_matrix` goes over the truths that single kernels may have."""

import datetime
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.gate.check_result import Cause, Ground, Outcome, Ruling
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import Scope
from pipeline.gate.study_check import check
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.checks import TODAY, found, grounds, of, run, texts
from tests.pipeline.gate.studies import SCALES, many, study

P = np.array(SCALES, dtype=float)
LOG2 = (Fraction(0), 1)


def test_the_same_program_measured_again_passes():
    result = run(study(many(), seed=2), study(many(), seed=1))
    assert result.outcome is Outcome.PASSED
    assert {k.verdict for k in result.kernels} == {Ruling.UNCHANGED}
    assert len(result.kernels) == 21
    assert 21 * (len(SCALES) + 1) <= result.tests <= 21 * (len(SCALES) + 2)


@pytest.mark.slow
def test_the_result_names_points_targets_unit_and_what_was_ignored():
    result = run(
        study(many(tiny=0.01), scales=(16, 32, 64, 256, 8)), study(many(tiny=0.01)), allow_missing=True
    )
    assert result.points == tuple({"p": float(p)} for p in (8, 16, 32, 64))
    assert result.targets == ({"p": 1024.0},)
    assert result.unit == "core-s"
    assert result.below_share_floor == 1
    assert "tiny" not in {k.kernel.region for k in result.kernels}
    assert result.missing == ({"p": 128.0},)
    assert (result.reasons, result.notices) == (
        (),
        ("not measured, which is allowed: p = 128 of the baseline",),
    )
    assert run(study(many()), study(many()), targets=({"p": 5.0}, {"p": 6.0})).targets == (
        {"p": 5.0},
        {"p": 6.0},
    )


def test_regressions_come_first():
    result = run(study(many(k5=30.0, k6=4.0, extra=10.0), seed=2), study(many(), seed=1))
    order = [k.verdict for k in result.kernels]
    assert order == sorted(order, key=list(Ruling).index)
    assert [v for v in Ruling if v in order] == [
        Ruling.REGRESSION,
        Ruling.NEW,
        Ruling.IMPROVEMENT,
        Ruling.UNCHANGED,
    ]


def test_the_total_of_a_regression_is_traced_to_its_call_path():
    result = run(study(many(k5=15 * P / 8), seed=2), study(many(), seed=1))
    assert of(result, "total").located == (("main", "k5"),)


def test_a_regression_decides_though_other_kernels_are_too_noisy():
    noise = np.where(np.arange(20)[:, None, None] == 5, 0.9, 0.02)
    before = study(many(k5=40.0), noise=noise, seed=1, repetitions=3)
    after = study(many(k5=40.0, k6=40.0), noise=noise, seed=2, repetitions=3)
    result = run(after, before)
    assert found(result, Ruling.INCONCLUSIVE) == {"k5"}
    assert "k6" in found(result)
    assert result.outcome is Outcome.REGRESSED


def test_a_kernel_may_jump_where_it_is_negligible_though_it_matters_elsewhere():
    before = study(many(spiky=[1e-6, 1e-6, 1e-6, 10, 10]), seed=1)
    result = run(study(many(spiky=[1e-6, 1e-3, 1e-6, 10, 10]), seed=2), before)
    assert result.outcome is Outcome.PASSED
    assert "spiky" in {k.kernel.region for k in result.kernels}


@pytest.mark.slow
def test_waivers_need_not_name_what_follows_from_the_kernel_but_then_it_fails():
    before, after = study(many(), seed=1), study(many(k5=150.0), seed=2)
    kernel = Waiver(match="*/k5", reason="known, see the tracker", until=TODAY)
    total = Waiver(match="total", reason="follows from it", until=TODAY)
    held = run(after, before, waivers=(kernel, total))
    assert (held.outcome, found(held, Ruling.WAIVED)) == (Outcome.PASSED, {"k5", "total"})
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
    assert found(result, Ruling.UNCHANGED) == {"k6", "k7"}
    assert grounds(result, "k5") == {Ground.GROWTH_RULE}
    assert (result.tests, result.below_share_floor, result.reasons) == (3, 0, ())
    assert result.points == tuple({"p": p} for p in P)
    k5 = of(result, "k5")
    assert (k5.file, k5.line, k5.baseline) == ("/src/k5.c", 6, None)
    assert k5.candidate.value == pytest.approx(np.sqrt(128), rel=0.05)
    assert k5.candidate.growth in ("p^(1/2)", "p^(2/3)")  # of the prediction, which is steeper than the truth


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


@pytest.mark.slow
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
    assert (broken.verdict, broken.advice) == (Ruling.REGRESSION, "")
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


def test_without_the_largest_scales_a_check_is_inconclusive():
    before, after = study(many()), study(many(), scales=SCALES[:3], seed=2)
    result = run(after, before)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.missing == ({"p": 64.0}, {"p": 128.0})
    assert [reason.cause for reason in result.reasons] == [Cause.MISSING] * 2
    assert (
        result.reasons[0].text
        == "p = 64 of the baseline was not measured: measure it, or pass --allow-missing"
    )
    allowed = run(after, before, allow_missing=True)
    assert allowed.outcome is Outcome.PASSED
    assert allowed.notices == ("not measured, which is allowed: p = 64; p = 128 of the baseline",)
    assert run(study(many(k5=45.0), scales=SCALES[:3], seed=2), before).outcome is Outcome.REGRESSED


def test_skipped_input_makes_a_check_inconclusive():
    result = check(
        study(many(), seed=2),
        study(many()),
        CheckOptions(),
        ModelOptions(),
        TODAY,
        skipped=["skipped x: broken"],
    )
    assert (result.outcome, result.reasons[0].cause) == (Outcome.INCONCLUSIVE, Cause.SKIPPED)


def test_points_measured_once_in_both_studies_are_inconclusive():
    result = run(study(many(), repetitions=1, seed=2), study(many(), repetitions=1))
    assert result.outcome is Outcome.INCONCLUSIVE
    need = "every point of both studies was measured once: measure one of them at least 3 times"
    assert need in texts(result)


@pytest.mark.parametrize("once", ["the baseline", "this study"])
def test_a_study_measured_once_takes_the_noise_of_the_other(once):
    def checked(**changed):
        baseline, candidate = (1, 5) if once == "the baseline" else (5, 1)
        now = study(many(**changed), repetitions=candidate, seed=2)
        return run(now, study(many(), repetitions=baseline))

    unchanged = checked()
    assert unchanged.outcome is Outcome.PASSED
    assert any(f"every point of {once} was measured once: its noise" in one for one in unchanged.notices)
    slower = checked(k3=1.5 * 13.0)
    assert [one.kernel.region for one in slower.of(Ruling.REGRESSION)] == ["k3"]
    disturbed = checked(k3=[13.0, 13, 26, 13, 13])  # which may be one disturbed value
    assert disturbed.outcome is Outcome.PASSED


def rounded(whole, step):
    """Round call paths as a log does."""
    paths = whole.rows_of(Scope.CALLPATH)
    values = whole.values.copy()
    values[paths] = np.round(values[paths] / step) * step
    for row, kernel in enumerate(whole.kernels):
        same = [p for p in paths.tolist() if whole.kernels[p].region == kernel.region]
        if kernel.level is not Scope.CALLPATH:
            values[row] = values[paths if kernel.level is Scope.TOTAL else same].sum(axis=0)
    return replace(whole, values=values)


@pytest.mark.slow
def test_rounded_values_are_no_regressions():
    efforts = {f"k{i}": 1.0 + 0.137 * i for i in range(40)}
    alike = [
        run(rounded(study(efforts, seed=2 * n), 0.5), rounded(study(efforts, seed=2 * n + 1), 0.5))
        for n in range(6)
    ]
    assert {one.outcome for one in alike} == {Outcome.INCONCLUSIVE}  # too few steps to see what matters
    assert not any(one.of(Ruling.REGRESSION) for one in alike)
    slower = efforts | {"k39": 1.3 * efforts["k39"]}
    found = run(rounded(study(slower, seed=2), 0.5), rounded(study(efforts), 0.5))
    assert [one.kernel.region for one in found.of(Ruling.REGRESSION)] == ["k39"]


def slow_runs(whole, factor, *runs):
    values = whole.values.copy()
    for point, repetition in runs:
        values[:, point, repetition] *= factor
    return replace(whole, values=values)


def test_slow_runs_are_named_and_compared_without_their_factor():
    slow = slow_runs(study(many(), seed=2), 2.0, (1, 3), (4, 0))
    result = run(slow, study(many()))
    assert result.outcome is Outcome.PASSED
    (notice,) = result.notices
    assert re.fullmatch(
        r"runs of this study that were slow or fast in all kernels, compared without that factor: "
        r"p = 16 repetition 4 \((2|1.99|2.01) times\), p = 128 repetition 1 \((2|1.99|2.01) times\)",
        notice,
    )
    quiet = run(study(many(), seed=2), study(many()))
    assert of(result, "k5").detectable == pytest.approx(of(quiet, "k5").detectable, rel=0.02)
    assert of(result, "total").candidate.value == pytest.approx(of(quiet, "total").candidate.value, rel=0.01)


def test_a_regression_is_found_beside_slow_runs():
    slow = slow_runs(study(many(k5=18.0), seed=2), 2.0, (0, 1), (2, 2), (4, 0))
    assert found(run(slow, study(many()))) == {"k5"}


@pytest.mark.slow
def test_the_power_is_that_of_the_tests():
    quiet, noisy = (run(study(many(), noise=n, seed=2), study(many(), noise=n)).power for n in (0.01, 0.1))
    assert quiet.kernel_everywhere < quiet.kernel_factor < noisy.kernel_factor
    assert 1.1 < quiet.total_factor < quiet.kernel_factor
    assert (quiet.at, quiet.points, quiet.kernels) == ({"p": 128.0}, 5, 14)
    assert quiet.share == pytest.approx(0.82, abs=0.03)
    just_seen = study(many(k5=15 * np.array([1, 1, 1, 1, 1.01 * quiet.kernel_factor])), noise=0.01, seed=3)
    assert found(run(just_seen, study(many(), noise=0.01))) == {"k5"}


@pytest.mark.parametrize(("detect", "outcome"), [(1.5, Outcome.PASSED), (1.12, Outcome.INCONCLUSIVE)])
def test_a_check_that_could_have_missed_the_factor_to_detect_is_inconclusive(detect, outcome):
    result = run(study(many(), seed=2), study(many()), detect=detect)
    assert result.outcome is outcome
    assert {reason.cause for reason in result.reasons} == ({Cause.POWER} if result.reasons else set())


@pytest.mark.slow
def test_a_kernel_that_appears_at_a_point_is_new_there():
    before = study(many(burst=[40, 0, 0, 0, 0]), noise=0.01)
    result = run(study(many(burst=[40, 0, 0, 0, 30]), noise=0.01, seed=2), before)
    (evidence,) = of(result, "burst").evidence
    assert (evidence.ground, result.outcome) == (Ground.NEW, Outcome.REGRESSED)
    assert re.fullmatch(r"takes 7\.\d* % of the total at p = 128, and took nothing there", evidence.text)
    small = run(study(many(burst=[40, 0, 0, 0, 10]), noise=0.01, seed=2), before)
    assert "burst" not in found(small)


def test_one_scale_says_nothing_of_others():
    one = run(study(many(), scales=(8,), seed=2), study(many(), scales=(8,)))
    assert one.outcome is Outcome.PASSED
    assert (one.power.points, one.power.kernel_everywhere) == (1, None)


@pytest.mark.slow
def test_noise_of_few_kernels_leaves_the_rest_to_be_judged():
    rough = np.where(np.arange(20)[:, None, None] % 4 == 0, 0.6, 0.02)
    result = run(study(many(), noise=rough, seed=2), study(many(), noise=rough), share_floor=0.02)
    assert result.outcome is Outcome.PASSED
    all_rough = run(study(many(), noise=0.9, seed=2, repetitions=3), study(many(), noise=0.9, repetitions=3))
    assert all_rough.outcome is Outcome.INCONCLUSIVE
    assert Cause.NOISE in {reason.cause for reason in all_rough.reasons}


def test_regions_are_decided_beside_their_call_paths():
    before = study({("main", "x", "k0"): 5.0} | many(), seed=1)
    after = study({("main", "x", "k0"): 9.0} | many(k0=18.0), seed=2)
    result = run(after, before)
    assert {k.kernel.level for k in result.of(Ruling.REGRESSION)} == {Scope.REGION, Scope.CALLPATH}
    (region,) = [k for k in result.kernels if k.kernel.level is Scope.REGION]
    assert region.located == (("main", "k0"), ("main", "x", "k0"))


@pytest.mark.slow
def test_what_a_correction_leaves_uncertain_does_not_fail_a_check():
    before, after = study(many()), study(many(k3=13.0 * 1.5), seed=2)

    def verdict(candidate, baseline):
        found = check(candidate, baseline, CheckOptions(), ModelOptions(), datetime.date(2026, 1, 1))
        return {result.kernel.region: result.verdict for result in found.kernels}["k3"]

    assert verdict(after, before) is Ruling.REGRESSION
    uncertain = np.where([kernel.region == "k3" for kernel in after.kernels], 0.5, 0.0)
    unsure = (replace(one, common_error=uncertain) for one in (after, before))
    assert verdict(*unsure) is not Ruling.REGRESSION
