"""The rules of docs/explanations/runtime.md."""

from dataclasses import replace

import numpy as np
import pytest

from ingest.experiment import OverheadCorrection
from pipeline.models.back_test import BackTest
from pipeline.questions.runtime.trust import Trust, extrapolation_text, noise_of, verdict


def compared(value, lower=0.0, upper=1e9):
    return BackTest(point=(8.0,), extrapolation=2.0, value=value, lower=lower, upper=upper, measured=100.0)


GOOD = {
    "scales": 5,
    "repetitions": 3,
    "noise": 0.05,
    "extrapolation": 4.0,
    "spread": 1.8,
    "back_test": compared(109.0),
}


def test_a_good_study_is_trusted():
    found = verdict(**GOOD)
    assert found.verdict is Trust.HIGH
    assert [reason.name for reason in found.reasons] == [
        "scales",
        "repetitions",
        "noise",
        "extrapolation",
        "interval",
        "back-test",
    ]


@pytest.mark.parametrize(
    ("name", "value", "trust"),
    [
        ("scales", 3, Trust.MEDIUM),
        ("scales", 2, Trust.LOW),
        ("noise", 0.051, Trust.MEDIUM),
        ("noise", 0.151, Trust.LOW),
        ("extrapolation", 4.1, Trust.MEDIUM),
        ("extrapolation", 8.0, Trust.MEDIUM),
        ("extrapolation", 8.1, Trust.LOW),
        ("spread", 1.9, Trust.MEDIUM),
        ("spread", 3.1, Trust.LOW),
        ("back_test", None, Trust.MEDIUM),
        ("back_test", compared(88.0), Trust.MEDIUM),
        ("back_test", compared(69.0), Trust.LOW),
        ("back_test", compared(131.0), Trust.LOW),
        ("back_test", compared(105.0, lower=101.0), Trust.MEDIUM),
    ],
)
def test_the_worst_reason_counts(name, value, trust):
    found = verdict(**{**GOOD, name: value})
    assert found.verdict is trust
    assert [reason.trust for reason in found.reasons if reason.trust is not Trust.HIGH] == [trust]


def test_one_run_of_each_scale_is_said_but_costs_no_trust():
    once = verdict(**GOOD | {"repetitions": 1, "noise": float("nan")})
    assert once.verdict is Trust.HIGH
    assert [one.text for one in once.reasons[1:3]] == [
        "1 repetition (3 wanted)",
        "the noise is unknown: nothing was repeated",
    ]


@pytest.mark.parametrize(("deviation", "trust"), [(0.2, Trust.HIGH), (0.3, Trust.MEDIUM), (0.5, Trust.LOW)])
def test_corrected_overhead_is_a_reason(deviation, trust):
    correction = OverheadCorrection(
        share=0.97,
        cost=7e-8,
        deviation=np.zeros(1),
        total_deviation=deviation,
        measurable=np.ones(1, dtype=np.bool_),
        source="",
        supported=True,
    )
    found = verdict(**GOOD, correction=correction)
    assert found.verdict is trust
    alone = verdict(**GOOD, correction=replace(correction, supported=False))
    assert alone.verdict is min(trust, Trust.MEDIUM)  # nothing but the profiles speaks for it
    hooks = verdict(**GOOD, correction=replace(correction, hooks=0.1, hooks_counted=False))
    assert hooks.verdict is min(trust, Trust.MEDIUM)
    little = verdict(**GOOD, correction=replace(correction, supported=False, share=0.2))
    assert little.verdict is trust
    (reason,) = (one for one in found.reasons if one.name == "overhead")
    assert reason.value == pytest.approx(np.exp(2 * 1.645 * deviation))
    assert reason.text.startswith("instrumentation takes 97.0 % of the measured computing time; what is left")


@pytest.mark.parametrize(("share", "trust"), [(0.04, Trust.HIGH), (0.2, Trust.MEDIUM), (0.3, Trust.LOW)])
def test_overhead_that_is_left_is_a_reason(share, trust):
    found = verdict(**GOOD, overhead_left=share)
    assert found.verdict is trust
    (reason,) = (one for one in found.reasons if one.name == "overhead")
    assert reason.text.endswith("of the computing time, and times are as measured")


def test_reasons_say_what_they_judge():
    texts = [reason.text for reason in verdict(**{**GOOD, "scales": 3, "extrapolation": 8.0}).reasons]
    assert texts == [
        "3 scales (5 wanted)",
        "3 repetitions",
        "repetitions differ by 5 %",
        "8 times beyond the measured range (far)",
        "the 90 % interval spans a factor of 1.8",
        "without the largest scale, its total is predicted 9 % above what was measured, which lies inside "
        "the 90 % interval",
    ]


@pytest.mark.parametrize(
    ("factor", "text"),
    [(1, "inside"), (1.1, "near"), (4, "near"), (4.1, "far"), (8, "far"), (9, "very far")],
)
def test_extrapolation_in_words(factor, text):
    assert extrapolation_text(factor) == text


@pytest.mark.parametrize(
    ("noise", "text"), [(0.99, "99 %"), (0.995, "a factor of 2.7"), (2.9, "a factor of 18")]
)
def test_large_noise_is_said_as_a_factor(noise, text):
    reasons = verdict(**GOOD | {"noise": noise}).reasons
    assert f"repetitions differ by {text}" in [reason.text for reason in reasons]


def test_noise_is_pooled_over_the_points():
    totals = np.array([[1.0, 1.1], [2.0, np.nan], [3.0, 2.9]])
    squares = [np.log(row).var(ddof=1) for row in (totals[0], totals[2])]
    assert noise_of(totals) == pytest.approx(np.sqrt(np.mean(squares)))
    assert np.isnan(noise_of(totals[1:2]))
