"""The answers of the first screen, made from the runtime of a study."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ingest.scaling import Scaling
from pipeline.questions.analysis import Analysis
from pipeline.questions.planning.advice import MeasurementPlan
from pipeline.questions.planning.next_measurement import QUESTION
from pipeline.questions.question import Answers
from pipeline.questions.runtime.runtime import Runtime
from pipeline.report.page.page import answers, other_notices
from pipeline.report.page.verdict_sentences import Findings
from pipeline.stages.model import forecast_at
from pipeline.wording.quantities import estimate_text, figure, percent, quantity
from tests.pipeline.report.page.studies import EFFORT, answered, study, study_of, two_parameter_study

QUESTIONS = ["How long", "How far", "What breaks first", "Lost to", "How sure", "What next"]


def answers_of(
    analysis: Analysis, *, target: float | None = None, plan: MeasurementPlan | None = None
) -> tuple[dict[str, str], Runtime]:
    ahead = answered(analysis, None if target is None else np.array([[target]])).ahead
    assert ahead.runtime is not None
    findings = Findings(analysis, *ahead.outlooks, ahead.targets[-1])
    found = answers(findings, ahead.runtime, Answers({"next_measurement": plan}))
    return {question: text.replace("\N{NO-BREAK SPACE}", " ") for question, text in found}, ahead.runtime


def test_wall_time_at_the_target_has_its_interval_and_what_was_measured() -> None:
    text, found = answers_of(study())
    assert list(text) == QUESTIONS
    wall, effort = found.figures.wall, found.figures.effort
    value = estimate_text(*(float(end[-1]) for end in (wall.value, wall.lower, wall.upper)), unit="s")
    hours = quantity(float(effort.value[-1]), "core-s")
    measured = quantity(float(wall.value[4]), "s")
    assert text["How long"] == (
        f"{value} of wall time at p = 256 (90 % interval; {hours}), after {measured} "
        "measured at p = 64. The target lies 4 times beyond the measured range."
    )


@pytest.mark.parametrize(
    ("target", "warning"),
    [
        (64, "measured at p = 64."),
        (320, "range: far; measure in"),
        (2048, "range: far too much to decide on"),
    ],
)
def test_far_targets_have_a_warning(target: float, warning: str) -> None:
    text, _ = answers_of(study(), target=target)
    assert warning in text["How long"]
    assert ("beyond the measured range" in text["How long"]) == (target > 64)


@pytest.mark.parametrize("at_the_end", [False, True])
def test_how_far_names_the_fastest_scale_and_the_largest_efficient_one(at_the_end: bool) -> None:
    ahead = answered(study()).ahead
    assert ahead.runtime is not None and ahead.runtime.fastest and ahead.runtime.efficient_up_to
    fastest, efficient = (
        replace(limit, at_the_end=at_the_end)
        for limit in (ahead.runtime.fastest, ahead.runtime.efficient_up_to)
    )
    findings = Findings(ahead.analysis, *ahead.outlooks, ahead.targets[-1])
    found = replace(ahead.runtime, fastest=fastest, efficient_up_to=efficient)
    text = answers(findings, found, Answers())[1][1].replace("\N{NO-BREAK SPACE}", " ")
    end = ", the largest scale considered" if at_the_end else ""
    assert f"Fastest at p = {fastest.point[0]:.0f}{end} (" in text
    assert f"At least 75 % efficient up to p = {efficient.point[0]:.0f} [64 .. 108]{end} (" in text
    assert f"speed-up {found.figures.speedup.value[-1]:.1f}" in text


def test_no_scale_is_efficient_enough() -> None:
    ahead = answered(study()).ahead
    assert ahead.runtime is not None
    findings = Findings(ahead.analysis, *ahead.outlooks, ahead.targets[-1])
    text = answers(findings, replace(ahead.runtime, efficient_up_to=None), Answers())[1][1]
    assert "Below 75 % efficiency at every scale considered." in text


def test_losses_name_the_largest_regions_measured_and_predicted() -> None:
    text, found = answers_of(study())
    measured, predicted = found.losses
    assert text["What breaks first"].startswith(
        f"{measured.total:.1f} core-s are lost at p = 64 (measured), most in MPI_Allreduce "
    )
    assert (
        f"{predicted.total:.0f} core-s are lost at p = 256 (predicted), most in" in text["What breaks first"]
    )


def test_nothing_is_lost_by_what_does_not_grow() -> None:
    text, _ = answers_of(study_of({("main",): lambda p: 100 / p**0.1, ("main", "f"): lambda p: 50 / p**0.1}))
    assert text["What breaks first"].startswith("Nothing is lost at p = 64 (measured) against ideal scaling.")


def test_start_up_is_named_apart_from_the_kernels() -> None:
    effort = {**EFFORT, ("main", "MPI_Init"): lambda p: 2.0 * p}
    text, _ = answers_of(study_of(effort))
    assert "MPI_Init" not in text["What breaks first"]
    assert "; start-up, shut-down and measuring " in text["What breaks first"]


def test_trust_has_its_reasons_and_the_back_test() -> None:
    text, found = answers_of(study())
    test = found.back_test
    assert test is not None
    assert text["How sure"].startswith(f"Trust is {found.trust.trust.word}: ")
    assert f"without p = 64 the models predict {quantity(test.value, 'core-s')} [" in text["How sure"]
    assert f"{quantity(test.measured, 'core-s')} were measured" in text["How sure"]


def test_the_back_test_is_in_one_unit() -> None:
    text, found = answers_of(study_of({path: _times_a_million(of) for path, of in EFFORT.items()}))
    test = found.back_test
    assert test is not None
    value, lower, upper, measured = (
        figure(number / 3600) for number in (test.value, test.lower, test.upper, test.measured)
    )
    assert f"predict {value} core-hours [{lower} .. {upper}] there; {measured} core-hours" in text["How sure"]


def _times_a_million(effort: Callable[[float], float]) -> Callable[[float], float]:
    return lambda p: 1e6 * effort(p)


def test_what_next_is_the_sentence_of_the_terminal() -> None:
    analysis = study()
    plan = forecast_at(analysis, ()).answers.of(QUESTION)
    text, _ = answers_of(analysis, plan=plan)
    assert plan is not None and text["What next"] == plan.sentence
    assert answers_of(analysis)[0]["What next"] == "What a run would cost is unknown, so nothing is planned."


def test_weak_scaling_has_no_fastest_scale() -> None:
    effort = {("main",): lambda p: 10 * p, ("main", "MPI_Wait"): lambda p: 0.1 * p**1.5}
    text, found = answers_of(study_of(effort, scaling=Scaling.WEAK))
    assert "Fastest" not in text["How far"]
    assert "speed-up" not in text["How far"]
    assert f"efficiency {percent(found.figures.weak_efficiency.value[-1])}" in text["How far"]


def test_points_of_two_parameters_name_both() -> None:
    text, _ = answers_of(two_parameter_study())
    assert "at p = 256, n = 50" in text["How long"]


def test_an_answer_is_not_a_notice_as_well() -> None:
    series = two_parameter_study()
    text, found = answers_of(series)
    assert found.comparison.value == "unknown"
    assert text["How far"].startswith("Whether the problem grows with p is unknown")
    assert list(text)[2] == "What dominates"
    assert all("is unknown, so there is no speed-up" not in notice for notice in other_notices(found))
