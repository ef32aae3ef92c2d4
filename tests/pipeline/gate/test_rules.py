import datetime
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from ingest.errors import UsageError
from pipeline.gate.check_result import Finding, Ground, KernelResult, Ruling
from pipeline.gate.gate_options import CheckOptions, KernelRule, Waiver
from pipeline.gate.kernel_values import KernelId, Scope
from pipeline.gate.repetition_noise import log_means, moderated_noise
from pipeline.gate.rules import (
    MATERIAL_RISE,
    allowed_factors,
    rule_evidence,
    rule_tests,
    total_evidence,
    waive,
)
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from tests.pipeline.gate.studies import SCALES, many, study

P = np.array(SCALES, dtype=float)
TODAY = datetime.date(2026, 11, 21)
DAY = datetime.timedelta(days=1)


def run(whole, *rules, **options):
    return rule_tests(whole, CheckOptions(kernels=rules, **options))


def kernels_of(whole, tests):
    return [whole.kernels[row].callpath for row in tests.row.tolist()]


def test_the_last_factor_that_matches_decides():
    kernels = [KernelId(Scope.CALLPATH, ("main", name)) for name in "abc"]
    rules = (
        KernelRule(match="*", factor=1.5),
        KernelRule(match="*/b", factor=2.0),
        KernelRule(match="*/b", share=0.1),
        KernelRule(match="*/c", share=0.1),
    )
    assert allowed_factors(kernels, CheckOptions(factor=1.2, kernels=rules)).tolist() == [1.5, 2.0, 1.5]
    assert allowed_factors(kernels, CheckOptions(factor=1.2)).tolist() == [1.2] * 3


def test_a_rule_is_tested_on_every_kernel_that_matches_and_matters():
    whole = study(many(tiny=0.1))
    tests = run(whole, KernelRule(match="*", share=0.5, growth=(Fraction(0), 0)))
    assert len(tests.row) == 2 * 20
    assert tests.ground == (Ground.GROWTH_RULE,) * 20 + (Ground.SHARE_RULE,) * 20
    assert tests.rule == (KernelRule(match="*", share=0.5, growth=(Fraction(0), 0)),) * 40
    assert all(whole.kernels[row].level is Scope.CALLPATH for row in tests.row)
    exact = study({"a": 1.0, "b": 3.0}, noise=0)
    assert len(run(exact, KernelRule(match="*", share=0.5), share_floor=0.25).row) == 2
    assert len(run(exact, KernelRule(match="*", share=0.5), share_floor=0.26).row) == 1


def test_a_share_that_matters_at_one_point_is_enough():
    late = study(many(late=[0.1, 0.1, 0.1, 0.1, 9.0]))
    assert kernels_of(late, run(late, KernelRule(match="*/late", share=0.5))) == [("main", "late")]


def test_rules_about_a_region_mean_its_sum_and_all_call_paths():
    whole = study(many() | {("main", "x", "k3"): 20.0})
    found = kernels_of(whole, run(whole, KernelRule(match="*/k3", share=0.5)))
    assert found == [("k3",), ("main", "k3"), ("main", "x", "k3")]
    assert kernels_of(whole, run(whole, KernelRule(match="total", share=0.5))) == [("total",)]


def test_a_rule_that_matches_nothing_is_refused():
    with pytest.raises(UsageError) as error:
        run(study(many()), KernelRule(match="*/nix", share=0.1, place="pipeline.toml:7"))
    assert (
        str(error.value)
        == "pipeline.toml:7: '*/nix' matches no kernel; `pipeline bottlenecks --tree` lists the names"
    )


def test_a_rule_about_a_kernel_that_does_not_matter_is_no_test():
    tests = run(study(many(tiny=0.1)), KernelRule(match="*/tiny", share=0.1))
    assert len(tests.row) == 0 and tests.p.shape == (0,)


def test_a_share_is_a_t_test_of_the_kernel_at_the_largest_scale():
    whole = study(many(k5=[15, 15, 15, 15, 60.0]), seed=3)
    shuffled = whole.points[::-1], whole.values[:, ::-1]
    for one in (whole, replace(whole, points=shuffled[0], values=shuffled[1])):
        tests = run(one, KernelRule(match="*/k5", share=0.12))
        logs = log_means(whole.values)
        noise = moderated_noise(logs.squares, logs.degrees)
        row = whole.kernels.index(KernelId(Scope.CALLPATH, ("main", "k5")))
        excess = np.log(whole.mean[row, -1] / whole.mean[0, -1] / 0.12)
        error = np.sqrt(noise.variance[row, -1] / 5)
        assert tests.excess.log_ratio[0, 0] == pytest.approx(excess)
        assert tests.excess.error[0, 0] == pytest.approx(error)
        assert tests.p[0] == pytest.approx(stats.t.sf(excess / error, noise.degrees[row, -1]))


def test_a_share_of_nothing_is_allowed_to_no_kernel():
    assert run(study(many()), KernelRule(match="*/k5", share=0.0)).p[0] < 1e-10


def test_a_kernel_without_values_at_the_largest_scale_has_no_share():
    assert len(run(study(many(k5=[15, 15, 15, 15, 0.0])), KernelRule(match="*/k5", share=0.1)).row) == 0


@pytest.mark.parametrize(
    ("effort", "growth", "exceeds"),
    [
        (P**0.5, (Fraction(0), 1), True),
        (np.log2(P), (Fraction(0), 1), False),
        (3 + np.log2(P), (Fraction(0), 1), False),
        (P, (Fraction(1, 2), 0), True),
        (P, (Fraction(1), 0), False),
        (P * np.log2(P), (Fraction(1), 0), True),
        (P * np.log2(P), (Fraction(1), 1), False),
        (np.full(5, 5.0), (Fraction(0), 0), False),
        (5 * (P / 8) ** 0.05, (Fraction(0), 0), True),  # rises by 1.15 over the range
        (5 * (P / 8) ** 0.02, (Fraction(0), 0), False),  # by 1.06, which is allowed
    ],
)
def test_growth_beyond_the_ceiling_is_found_and_growth_below_is_not(effort, growth, exceeds):
    whole = study(many(k5=effort * 20 / effort.mean()), noise=0.005, repetitions=8)
    (p,) = run(whole, KernelRule(match="*/k5", growth=growth)).p
    assert (p < 1e-3) == exceeds
    assert exceeds or p > 0.5


def test_the_rise_against_a_ceiling_is_that_of_the_ratio_over_the_range():
    whole = study(many(k5=15 * P / 8), noise=0)
    tests = run(whole, KernelRule(match="*/k5", growth=(Fraction(1, 2), 0)))
    assert np.exp(tests.excess.log_ratio[0, 0]) * MATERIAL_RISE == pytest.approx(4.0)
    assert MATERIAL_RISE == 1.1


def test_a_logarithm_that_is_zero_leaves_its_point_out():
    scales = (1, 2, 4, 8)
    whole = study(many(k5=[200, 10, 20, 30]), scales=scales, noise=0)
    tests = run(whole, KernelRule(match="*/k5", growth=(Fraction(0), 1)))
    assert tests.excess.log_ratio[0, 0] == pytest.approx(-np.log(MATERIAL_RISE), abs=1e-6)


def test_noise_of_rules_is_learnt_from_the_kernels_that_matter():
    calm = many() | {f"tiny{i}": 1e-3 for i in range(30)}
    rough = np.where(np.arange(50)[:, None, None] < 20, 0.01, 1.0)
    tests = run(study(calm, noise=rough), KernelRule(match="*/k5", share=0.5))
    assert tests.excess.error[0, 0] == pytest.approx(0.01 / np.sqrt(5), rel=0.3)


def test_broken_rules_in_words():
    whole = study(many(k5=15 * P / 8), noise=0)
    rule = KernelRule(match="*/k5", growth=(Fraction(1, 2), 0), share=0.2, place="pipeline.toml:7")
    tests = run(whole, rule, KernelRule(match="*/k6", growth=(Fraction(0), 0)))
    adjusted = np.array([0.01, 0.02, 0.03])
    growth, share, constant = (rule_evidence(tests, adjusted, "p", n) for n in range(3))
    assert growth == Finding(
        Ground.GROWTH_RULE,
        "grows faster than p^(1/2), the ceiling for '*/k5' (pipeline.toml:7): by a factor of 4.00 over the "
        "measured range",
        0.01,
    )
    assert share == Finding(
        Ground.SHARE_RULE,
        "takes 39.0 % of the total at the largest scale; the ceiling for '*/k5' is 20 % (pipeline.toml:7)",
        0.02,
    )
    assert constant.text.startswith("grows faster than constant, the ceiling for '*/k6': ")


def test_rules_about_the_whole():
    whole = study(many())  # parallel efficiency 0.9, 0.825, 0.75, 0.675, 0.6
    ahead = forecast(whole, np.array([[256.0], [512.0]]), ModelOptions())

    def texts(study=whole, **options):
        return [(e.ground, e.text) for e in total_evidence(study, ahead, CheckOptions(**options))]

    assert texts() == texts(parallel_efficiency=0.6) == []
    assert texts(parallel_efficiency=0.7) == [
        (Ground.EFFICIENCY_RULE, "parallel efficiency 67.5 % at p = 64; at least 70 % is required"),
        (Ground.EFFICIENCY_RULE, "parallel efficiency 60.0 % at p = 128; at least 70 % is required"),
    ]
    unknown = replace(whole, parallel_efficiency=np.full(5, np.nan))
    assert texts(unknown, parallel_efficiency=1.0) == []
    value, lower = ahead.prediction.value[0, -1], ahead.prediction.lower[0, -1]
    assert texts(total=lower) == []
    assert texts(total=lower * 0.999) == [
        (
            Ground.TOTAL_RULE,
            f"{value:.4g} core-s predicted at the last target (at least {lower:.4g}); "
            f"at most {lower * 0.999:.12g} core-s are allowed",
        )
    ]


def regression(name, verdict=Ruling.REGRESSION):
    return KernelResult(kernel=KernelId(Scope.CALLPATH, ("main", name)), verdict=verdict, advice="before")


def test_a_waiver_holds_up_to_its_last_day_and_for_regressions_only():
    results = [regression("a"), regression("b"), regression("c", Ruling.INCONCLUSIVE)]
    waivers = (
        Waiver(match="*/a", reason="known", until=TODAY),
        Waiver(match="*/b", reason="old", until=TODAY - DAY, place="pipeline.toml:3"),
        Waiver(match="*/c", reason="noisy", until=TODAY + DAY, place="pipeline.toml:9"),
        Waiver(match="*/d", reason="gone", until=TODAY + DAY),
    )
    out, notices = waive(results, waivers, TODAY)
    assert [r.verdict for r in out] == [Ruling.WAIVED, Ruling.REGRESSION, Ruling.INCONCLUSIVE]
    assert out[0].advice == f"waived until {TODAY}: known"
    assert out[1:] == results[1:]
    assert notices == [
        f"pipeline.toml:3: the waiver expired on {TODAY - DAY}",
        "pipeline.toml:9: the waiver of '*/c' matches no regression",
        "*/d: the waiver of '*/d' matches no regression",
    ]


def test_a_second_waiver_of_the_same_kernel_is_used_too():
    waivers = (
        Waiver(match="*/a", reason="expired", until=TODAY - DAY),
        Waiver(match="main/*", reason="holds", until=TODAY),
    )
    (out,), notices = waive([regression("a")], waivers, TODAY)
    assert out.verdict is Ruling.WAIVED and out.advice.endswith(": holds")
    assert len(notices) == 1
