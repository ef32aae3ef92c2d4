"""The answers of a page, made from the runtime of a study."""

import re
from collections.abc import Callable
from html import unescape

import numpy as np
import pytest

from ingest.scaling import Scaling
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning.advice import MeasurementPlan
from pipeline.questions.planning.next_measurement import QUESTION
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page import report_html
from pipeline.stages.model import forecast_at
from pipeline.wording.quantities import figure, quantity, spoken_interval
from tests.pipeline.report.page.studies import (
    ANSWERS,
    EFFORT,
    altered,
    answered,
    study,
    study_of,
    two_parameter_study,
)


def answers_of(
    analysis: Analysis, *, target: float | None = None, plan: MeasurementPlan | None = None
) -> tuple[dict[str, str], Runtime]:
    report = answered(analysis, None if target is None else np.array([[target]]))
    report = altered(report, answers=ANSWERS.but(QUESTION, plan))
    assert report.ahead.runtime is not None
    rows = re.findall(r"<dt>([^<]*)</dt><dd data-says[^>]*>([^<]*)</dd>", report_html(report))
    return {
        name: unescape(text).replace("\N{NO-BREAK SPACE}", " ") for name, text in rows
    }, report.ahead.runtime


def test_losses_name_their_cause_and_the_largest_regions() -> None:
    text, found = answers_of(study())
    losses, (cause, *_) = found.losses[-1], found.causes[-1]
    assert text["What breaks first"].startswith(
        f"Communication, {100 * cause.share:.0f} % of the {losses.total:.0f} core-s lost at p = 256, most in "
        f"MPI_Allreduce {figure(float(losses.core_seconds[0]))}"
    )


def test_nothing_is_lost_by_what_does_not_grow() -> None:
    text, _ = answers_of(study_of({("main",): lambda p: 100 / p**0.1, ("main", "f"): lambda p: 50 / p**0.1}))
    assert "What breaks first" not in text


def test_what_is_no_kernel_is_not_named_among_the_losses() -> None:
    effort = {**EFFORT, ("main", "MPI_Init"): lambda p: 2.0 * p}
    text, _ = answers_of(study_of(effort))
    assert "MPI_Init" not in text["What breaks first"]


def test_trust_has_its_reasons_and_the_back_test() -> None:
    text, found = answers_of(study())
    test = found.back_test
    assert test is not None
    assert text["Confidence"].startswith(f"Trust is {found.trust.verdict.value}: ")
    assert f"without p = 64 the models predict {quantity(test.value, 'core-s')} (" in text["Confidence"]
    assert f"{quantity(test.measured, 'core-s')} were measured" in text["Confidence"]


def test_the_back_test_is_in_one_unit() -> None:
    text, found = answers_of(study_of({path: _times_a_million(of) for path, of in EFFORT.items()}))
    test = found.back_test
    assert test is not None
    value, measured = (figure(number / 3600) for number in (test.value, test.measured))
    ends = spoken_interval(test.lower / 3600, test.upper / 3600)
    assert (
        f"predict {value} core-hours ({ends} core-hours) there; {measured} core-hours" in text["Confidence"]
    )


def _times_a_million(effort: Callable[[float], float]) -> Callable[[float], float]:
    return lambda p: 1e6 * effort(p)


def test_what_next_is_the_first_step_of_the_plan() -> None:
    analysis = study()
    plan = forecast_at(analysis, ()).answers.of(QUESTION)
    text, _ = answers_of(analysis, plan=plan)
    assert plan is not None and text["What next"] == plan.first_step
    assert "What next" not in answers_of(analysis)[0]


@pytest.mark.parametrize("scaling", [Scaling.STRONG, Scaling.WEAK])
def test_how_time_grows_is_said_of_sizes_only(scaling: Scaling) -> None:
    effort = {("main",): lambda p: 10 * p, ("main", "MPI_Wait"): lambda p: 0.1 * p**1.5}
    text, _ = answers_of(study_of(effort, scaling=scaling))
    assert "How time grows" not in text


def test_without_losses_the_largest_region_is_named() -> None:
    text, found = answers_of(two_parameter_study())
    assert found.comparison.value == "unknown"
    assert "What breaks first" not in text
    assert " dominates " in text["What dominates"]
