"""What is said about single kernels: the evidence in words, what is missing, and what only one study has."""

import datetime
import re
from dataclasses import replace

import numpy as np
import pytest

from pipeline.gate.check_result import Finding, Ground, Outcome, Ruling, StudySide
from pipeline.gate.gate_options import CheckOptions, KernelRule
from pipeline.gate.kernel_values import KernelId, Scope, match
from pipeline.gate.study_check import check
from pipeline.gate.verdicts import hides_regression, new_kernels, vanished_kernels
from pipeline.models.options import ModelOptions
from pipeline.wording.quantities import times
from tests.pipeline.gate.studies import SCALES, many, study, without

TODAY = datetime.date(2026, 11, 21)
P = np.array(SCALES, dtype=float)


def run(after, before, **options):
    return check(after, before, CheckOptions(**options), ModelOptions(), TODAY)


def of(result, *callpath):
    (one,) = [k for k in result.kernels if k.kernel.callpath == callpath]
    return one


def texts(after, before, *callpath, **options):
    """Texts by ground; predictions, which only the models know, as X times if they are the target's ratio."""
    one = of(run(after, before, **options), *callpath)
    predicted = f"predicted {times(one.target[-1].ratio)} "
    return {e.ground: e.text.replace(predicted, "predicted X times ") for e in one.evidence}


@pytest.mark.slow
def test_evidence_in_words():
    before = study(many(), seed=1, noise=0.001)
    worse = texts(study(many(k5=15 * P / 8), seed=2, noise=0.001), before, "main", "k5")
    assert worse == {
        Ground.MEASURED: "measured 16 times the baseline at p = 128, also significant at 3 other points",
        Ground.GROWTH: "scales worse: the ratio to the baseline grows by a factor of 16.0 over the measured "
        "range (growth: constant before, p now); predicted X times the baseline at p = 512",
    }
    better = texts(before, study(many(k5=15 * P / 8), seed=2, noise=0.001), "main", "k5")
    assert better == {
        Ground.MEASURED: "measured 0.0625 times the baseline at p = 128, also significant at 3 other points",
        Ground.GROWTH: "scales better: the ratio to the baseline shrinks by a factor of 16.0 over "
        "the measured range (growth: p before, constant now); predicted X times the baseline at p = 512",
    }
    step = texts(study(many(k5=[15, 15, 15, 30, 30]), seed=2, noise=0.001), before, "main", "k5")
    assert step[Ground.MEASURED].endswith(", also significant at 1 other point")
    last = texts(study(many(k5=[15, 15, 15, 15, 30]), seed=2, noise=0.001), before, "main", "k5")
    assert last[Ground.MEASURED] == "measured 2 times the baseline at p = 128"


def test_without_common_points_the_models_speak():
    scales = (20, 24, 32, 40, 48)
    later = study({"a": 5 * np.array(scales), "b": 5.0}, scales=scales, noise=0.001)
    before = study({"a": 20.0, "b": 5.0}, scales=(4, 5, 6, 8, 10), noise=0.001)
    one = of(run(later, before), "main", "a")
    assert [e.ground for e in one.evidence] == [Ground.MODELS]
    assert one.evidence[0].text == (
        f"predicted {times(one.target[0].ratio)} the baseline at p = 192 by the models alone "
        "(growth: constant before, p now)"
    )
    assert (one.measured, one.detectable) == ((), None)
    assert one.target[0].ratio == pytest.approx(48, rel=0.02)
    assert (one.baseline.value, one.candidate.value) == pytest.approx((20, 240), rel=0.01)
    doubt = of(run(later, before), "main", "b")
    assert doubt.verdict is Ruling.INCONCLUSIVE
    assert doubt.advice == "no point was measured in both studies: measure the points of the baseline again"


def test_evidence_is_sorted_by_strength_and_each_ground_cites_its_strongest_point():
    noise = np.array([0.2, 0.001, 0.2, 0.2, 0.2])[:, None]
    before, after = study(many(), noise=noise, seed=1), study(many(k5=45.0), noise=noise, seed=2)
    evidence = of(run(after, before), "main", "k5").evidence
    assert [e.p for e in evidence] == sorted(e.p for e in evidence)
    assert "at p = 16" in next(e.text for e in evidence if e.ground is Ground.MEASURED)


def test_of_equally_strong_points_the_largest_change_is_cited():
    before, after = study(many(), seed=1), study(many(k5=15 * np.array([9, 99, 9, 9, 9.0])), seed=2)
    result = run(after, before)
    (measured,) = [e for e in of(result, "main", "k5").evidence if e.ground is Ground.MEASURED]
    assert "times the baseline at p = 16," in measured.text


@pytest.mark.slow
def test_the_ratio_stated_is_one_that_the_verdict_rests_on():
    before = study(many(), seed=1)

    def stated(*efforts):
        return of(run(study(many(k5=list(efforts)), seed=2), before), "main", "k5").stated

    small = stated(15, 30, 15, 15, 15)  # found at the second point alone
    assert small.at == {"p": 16.0} and small.ratio == pytest.approx(2, rel=0.05)
    assert small.lower > 1.1
    both = stated(15, 45, 15, 15, 25)  # the largest point is significant, too, if less so
    assert both.at == {"p": 128.0} and both.ratio == pytest.approx(5 / 3, rel=0.05)
    assert stated(15, 15, 15, 15, 15).at == {"p": 128.0}  # unchanged


def test_where_single_points_do_not_count_the_ratio_stated_is_that_over_all():
    once = study(many(k5=[30, 30, 30, 30, 15]), repetitions=1, seed=2)
    one = of(run(once, study(many(), seed=1)), "main", "k5")
    assert [e.ground for e in one.evidence] == [Ground.EVERYWHERE] and one.verdict is Ruling.REGRESSION
    assert one.stated.at == {} and one.stated.ratio == pytest.approx(2**0.8, rel=0.05)
    assert one.evidence[0].text.startswith(f"measured {times(one.stated.ratio)} the baseline over all")


def test_sides_hold_values_shares_models_and_predictions():
    before, after = study(many(), seed=1), study(many(k5=30.0), seed=2)
    one = of(run(after, before, targets=({"p": 256.0}, {"p": 512.0})), "main", "k5")
    row = after.kernels.index(one.kernel)
    assert one.candidate.value == pytest.approx(after.mean[row, -1], rel=0.01)  # without the factors of runs
    assert one.candidate.share == pytest.approx(after.mean[row, -1] / after.mean[0, -1], rel=0.001)
    assert one.baseline.value == pytest.approx(before.mean[row, -1], rel=0.01)
    assert (one.candidate.growth, one.baseline.growth) == ("1", "1")
    assert one.candidate.formula.startswith(("29", "30"))
    assert len(one.candidate.predicted) == 2
    value, lower, upper = one.candidate.predicted[-1]
    assert lower < value < upper and value == pytest.approx(30, rel=0.05)
    assert [c.at for c in one.target] == [{"p": 256.0}, {"p": 512.0}]
    assert [c.at for c in one.measured] == [{"p": p} for p in SCALES]
    assert (one.file, one.line) == ("/src/k5.c", 6)


def test_values_are_those_of_the_largest_common_scale():
    after = study(many(k5=[1, 2, 3, 4.0, 5]), scales=(64, 128, 16, 512, 1024), seed=2)
    one = of(run(after, study(many())), "main", "k5")
    assert one.candidate.value == pytest.approx(2, rel=0.1)
    assert one.baseline.value == pytest.approx(15, rel=0.1)


def test_intervals_hold_for_all_tests_at_once():
    """By Bonferroni's bound: they are as wide as the level of each of the tests asks for."""
    before, after = study(many(), seed=1), study(many(k5=15 * 1.2), seed=2)
    result = run(after, before, factor=1.0, false_alarms=0.05)
    one = of(result, "main", "k5")
    plain = of(run(after, before, factor=1.0, false_alarms=0.5), "main", "k5")
    for wide, narrow in zip(one.measured, plain.measured, strict=True):
        assert wide.lower < narrow.lower < wide.ratio < narrow.upper < wide.upper
    half = np.log(one.measured[0].upper / one.measured[0].lower) / 2
    error = 0.02 * np.sqrt(2 / 5)
    assert 3.0 * error < half < 5.0 * error  # 3.5 standard errors for 126 tests at 2 x 5 %


def test_without_repetitions_the_advice_is_to_repeat():
    before, after = (study(many(), repetitions=1, seed=seed) for seed in (1, 2))
    result = run(after, before)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert {k.advice for k in result.kernels} == {
        "without repetitions the noise is unknown: measure every point at least 3 times in both studies"
    }


def test_the_advice_for_noise_names_repetitions_that_suffice():
    def noisy(repetitions, seed):
        return study(dict.fromkeys("abcdefgh", 5.0), noise=0.5, repetitions=repetitions, seed=seed)

    one = of(run(noisy(4, 2), noisy(4, 1)), "main", "a")
    pattern = r"noise of (\S+) % hides changes below a factor of (\S+): about (\d+) repetitions per point .*"
    noise, factor, needed = map(float, re.fullmatch(pattern, one.advice).groups())
    assert noise == pytest.approx(50, abs=5)
    assert factor == pytest.approx(one.detectable, rel=0.01)
    assert one.advice.endswith("repetitions per point in both studies would reveal a factor of 2")
    with_them = run(noisy(int(needed), 2), noisy(int(needed), 1))
    assert of(with_them, "main", "a").detectable == pytest.approx(2, rel=0.12)


def test_hopeless_noise_is_not_answered_by_thousands_of_repetitions():
    def noisy(noise, seed):
        return study(dict.fromkeys("abcdefgh", 5.0), noise=noise, repetitions=2, seed=seed)

    hopeless = of(run(noisy(1.5, 2), noisy(1.5, 1)), "main", "a")
    assert hopeless.detectable > 1000
    assert re.fullmatch(
        r"noise of \S+ % hides even changes by a factor of 1000: more repetitions will not help, "
        r"a quieter machine or longer runs may",
        hopeless.advice,
    )


def test_repetitions_of_unequal_studies_count_by_their_harmonic_mean():
    def needed(one, two):
        result = run(
            study({"a": 5.0}, noise=0.4, repetitions=one, seed=1),
            study({"a": 5.0}, noise=0.4, repetitions=two, seed=2),
        )
        kernel = of(result, "main", "a")
        return kernel.detectable, float(kernel.advice.split("about ")[1].split()[0])

    detectable, repetitions = needed(3, 6)
    ratio = np.log(detectable / 1.1) / np.log(2 / 1.1)
    assert repetitions == np.ceil(4 * ratio**2)


@pytest.mark.parametrize(
    ("detectable", "share", "hides"),
    [
        (2.0, 1.0, False),
        (2.1, 1.0, True),
        (2.1, 0.09, False),
        (2.1, 0.095, True),
        (11.0, 0.01, False),
        (11.1, 0.01, True),
    ],
)
def test_noise_hides_what_would_make_the_total_worse(detectable, share, hides):
    assert hides_regression(detectable, share, CheckOptions()) == hides


def test_the_larger_share_of_both_sides_counts_for_what_noise_could_hide():
    noise = np.where(np.arange(20)[:, None, None] == 5, 0.9, 0.01)
    large, small = (
        study(many(k5=k5), noise=noise, seed=n, repetitions=3) for n, k5 in enumerate((40.0, 4.0))
    )
    for one, two in ((large, small), (small, large)):
        kernel = of(run(one, two), "main", "k5")
        assert kernel.verdict is Ruling.INCONCLUSIVE or kernel.evidence


def noisy_parts(region_noise):
    """`f` is called from two places, one of them noisy; `region_noise` of both together."""
    noise = np.full((22, 1, 1), 0.02)
    noise[0], noise[1] = region_noise
    paths = {("main", "a", "f"): 30.0, ("main", "b", "f"): 300.0} | many()
    return [study(paths, noise=noise, seed=seed, repetitions=3) for seed in (1, 2)]


def test_a_noisy_call_path_counts_as_unchanged_if_its_region_was_decided():
    result = run(*noisy_parts((0.9, 0.02)))
    assert of(result, "f").verdict is Ruling.UNCHANGED
    noisy = of(result, "main", "a", "f")
    assert noisy.verdict is Ruling.UNCHANGED
    assert hides_regression(noisy.detectable, noisy.candidate.share, CheckOptions(factor=1.01))


def test_a_noisy_call_path_stays_inconclusive_if_its_region_is():
    result = run(*noisy_parts((0.02, 0.9)))
    assert of(result, "f").verdict is Ruling.INCONCLUSIVE
    assert of(result, "main", "b", "f").verdict is Ruling.INCONCLUSIVE
    assert result.outcome is Outcome.INCONCLUSIVE
    assert of(result, "main", "k5").verdict is Ruling.UNCHANGED


def test_a_regression_of_a_call_path_stands_whatever_its_region_says():
    before = study({("main", "a", "f"): 20.0, ("main", "b", "f"): 300.0} | many(), seed=1)
    after = study({("main", "a", "f"): 30.0, ("main", "b", "f"): 300.0} | many(), seed=2)
    result = run(after, before)
    assert of(result, "main", "a", "f").verdict is Ruling.REGRESSION
    assert of(result, "f").verdict is Ruling.UNCHANGED


def test_a_new_region_fails_from_its_share_on_wherever_it_is_largest():
    spike = [0.0, 0, 0, 40, 0]
    matched = match(study(many()), study(many(extra=spike), noise=0))
    share = 40 / (sum(many().values()) + 40)
    (fails,) = new_kernels(matched, CheckOptions(new_share=share * 0.999))
    (passes,) = new_kernels(matched, CheckOptions(new_share=share * 1.001))
    assert (fails.verdict, passes.verdict) == (Ruling.REGRESSION, Ruling.NEW)
    assert fails.kernel == KernelId(Scope.REGION, ("extra",))
    text = f"takes up to {100 * share:.1f} % of the total and is not in the baseline"
    assert fails.evidence == passes.evidence == (Finding(Ground.NEW, text),)
    assert (fails.advice, passes.advice) == ("write a new baseline if this is intended", "")
    assert fails.candidate == StudySide(value=0.0, share=0.0) and fails.baseline is None
    assert (fails.file, fails.line) == ("/src/extra.c", 21)


def test_a_new_kernel_at_the_floor_is_reported_unless_the_baseline_leaves_out_such():
    before = study({"a": 1.0}, noise=0)
    after = study({"a": 1.0, "b": 0.25}, noise=0)
    for floor, smallest, reported in ((0.2, 0.0, 1), (0.21, 0.0, 0), (0.01, 0.2, 1), (0.01, 0.21, 0)):
        matched = match(replace(before, smallest_share=smallest), after)
        assert len(new_kernels(matched, CheckOptions(share_floor=floor))) == reported


def test_a_new_call_path_of_a_known_region_is_reported_and_fails_nothing():
    before = study({("main", "a", "f"): 20.0} | many())
    after = study({("main", "a", "f"): 20.0, ("main", "b", "f"): 200.0} | many())
    (moved,) = new_kernels(match(before, after), CheckOptions())
    assert moved.verdict is Ruling.NEW
    assert moved.kernel == KernelId(Scope.CALLPATH, ("main", "b", "f"))
    assert moved.evidence[0].text.endswith(" is not in the baseline, a new call path of a known region")
    assert moved.candidate.value == pytest.approx(200, rel=0.05)
    (gone,) = vanished_kernels(match(after, before), CheckOptions())
    assert gone.kernel == moved.kernel


def test_a_region_that_moved_altogether_is_known_on_both_sides():
    before = study({("main", "a", "f"): 50.0} | many())
    after = study({("main", "b", "f"): 50.0} | many())
    matched = match(before, after)
    assert [k.kernel.level for k in new_kernels(matched, CheckOptions())] == [Scope.CALLPATH]
    assert [k.kernel.level for k in vanished_kernels(matched, CheckOptions())] == [Scope.CALLPATH]
    assert run(after, before).outcome is Outcome.PASSED


def test_vanished_kernels_have_a_baseline_and_no_candidate():
    before = study({"a": 1.0, "b": [1, 1, 1, 1, 0.5]}, noise=0)
    (gone,) = vanished_kernels(match(before, without(before, "b")), CheckOptions())
    assert gone.verdict is Ruling.VANISHED
    assert gone.evidence == (Finding(Ground.NEW, "took up to 50.0 % of the total and no longer occurs"),)
    assert gone.baseline == StudySide(value=0.5, share=0.5 / 1.5) and gone.candidate is None
    assert vanished_kernels(match(before, without(before, "b")), CheckOptions(share_floor=0.51)) == []


def test_a_rule_replaces_the_verdict_and_comes_before_other_evidence():
    before, after = study(many(), seed=1), study(many(k5=30.0, k6=4.0), seed=2)
    rules = (KernelRule(match="*/k5", share=0.01), KernelRule(match="*/k6", share=0.001))
    result = run(after, before, kernels=rules)
    worse, better = of(result, "main", "k5"), of(result, "main", "k6")
    assert [e.ground for e in worse.evidence] == [Ground.SHARE_RULE, Ground.MEASURED]
    assert [e.ground for e in better.evidence] == [Ground.SHARE_RULE]
    assert better.verdict is Ruling.REGRESSION
