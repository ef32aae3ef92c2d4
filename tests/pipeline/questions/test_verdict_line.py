"""The verdict in a line: what is compared, and what follows from it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from ingest.scaling import Scaling
from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.runtime import runtime
from pipeline.questions.runtime_summary import time_growth, verdict_line
from pipeline.wording.quantities import estimate_text, percent
from tests.pipeline.questions.runtime.programs import STRONG, experiment, ideal, strong, weak
from tests.pipeline.report.page.studies import two_parameter_study


def found_at(analysis, target, threshold=0.75):
    return runtime(analysis, np.array([[float(target)]]), threshold)


def text_at(analysis, target, threshold=0.75):
    return verdict_line(found_at(analysis, target, threshold), analysis.experiment.parameters).text


def time_at(found):
    return estimate_text(*(float(end[-1]) for end in vars_of(found.figures.wall)), "s")


def vars_of(estimate):
    return estimate.value, estimate.lower, estimate.upper


def turning(times):
    runs = experiment([(p,) for p in times], lambda point: {"work": times[point[0]]}, noise=0.001)
    return analyse(runs, STRONG, "time", ModelOptions())


def test_beyond_the_fastest_scale_it_says_not_to_go_there():
    analysis = turning({1: 8.0, 2: 3.9, 4: 4.5, 8: 9.0, 16: 18.0})
    found = found_at(analysis, 32)
    assert found.figures.wall.lower[-1] > found.fastest.value
    assert verdict_line(found, ("p",)).text == (
        f"{time_at(found)} at p = 32, slower than 3.90 s at p = 2: do not go beyond p = 2"
    )


def test_what_is_not_sure_is_said_to_be_probable():
    found = found_at(turning({1: 8.0, 2: 3.9, 4: 4.5, 8: 9.0, 16: 18.0}), 32)
    wide = replace(found.figures.wall, below=np.full(len(found.figures.wall), 3.0))
    unsure = replace(found, figures=replace(found.figures, wall=wide))
    text = verdict_line(unsure, ("p",)).text
    assert text.endswith(", probably slower than 3.90 s at p = 2: little to gain beyond p = 2")


def test_a_scale_whose_efficiency_may_be_too_low_is_probably_still_above():
    found = found_at(ideal(), 64)
    assert ": still above 75 %" in verdict_line(found, ("p",)).text
    wide = replace(found.figures.efficiency, below=np.full(len(found.figures.efficiency), 0.5))
    unsure = replace(found, figures=replace(found.figures, efficiency=wide))
    assert ": probably still above 75 %" in verdict_line(unsure, ("p",)).text


@pytest.mark.slow
def test_while_it_is_faster_its_efficiency_decides():
    found = found_at(ideal(), 64)
    share = percent(float(found.figures.efficiency.value[-1]))
    assert verdict_line(found, ("p",)).text == (
        f"{time_at(found)} at p = 64, {share} efficient: still above 75 %"
    )
    found = found_at(strong(), 128, 0.9)
    share = percent(float(found.figures.efficiency.value[-1]))
    end = f"p = {found.efficient_up_to.point[0]:g}"
    assert f", {share} efficient: 90 % efficient up to {end}" in verdict_line(found, ("p",)).text
    assert text_at(strong(), 64, 1.5).endswith("efficient: below 150 % at every scale")


def test_times_per_visit_say_so():
    found = replace(found_at(ideal(), 64), per="per visit of solve")
    assert verdict_line(found, ("p",)).text.startswith(f"{time_at(found)} per visit of solve at p = 64, ")


def test_before_the_fastest_scale_it_says_to_go_on():
    text = text_at(turning({1: 8.0, 2: 3.9, 4: 2.5, 8: 9.0, 16: 18.0}), 2)
    assert text.endswith(" at p = 2, slower than 2.50 s at p = 4: go on to p = 4")


def test_a_target_that_was_measured_is_judged_by_its_measurement():
    analysis = turning({1: 8.0, 2: 3.9, 4: 4.5, 8: 9.0, 16: 18.0})
    found = found_at(analysis, 8)
    (at,) = np.flatnonzero(found.figures.measured & (found.figures.points[:, 0] == 8))
    time = estimate_text(*(float(end[at]) for end in vars_of(found.figures.wall)), "s")
    assert verdict_line(found, ("p",)).text == (
        f"{time} measured at p = 8, slower than 3.90 s at p = 2: do not go beyond p = 2"
    )


def test_under_weak_scaling_nothing_is_fastest():
    assert "slower" not in text_at(weak(), 1024)
    assert " efficient: " in text_at(weak(), 1024)


def test_far_beyond_the_measurements_nothing_is_advised():
    text = text_at(strong(), 64 * 4096)
    assert text == "the time at p = 262144 cannot be predicted from these scales"
    assert text_at(strong(), 64 * 16).endswith(": too far beyond the measurements to decide on")


def test_unknown_scaling_is_to_be_stated():
    analysis = two_parameter_study()
    found = runtime(analysis, np.array([[256.0, 50.0]]))
    assert verdict_line(found, ("p", "n")).text.endswith(": whether it scales is unknown, state --scaling")


@pytest.mark.parametrize("last", [8, 4])
def test_too_few_scales_say_what_was_measured(last):
    times = {2: 3.9, last: 6.0}
    runs = experiment([(p,) for p in times], lambda point: {"work": times[point[0]]})
    analysis = analyse(runs, STRONG, "time", ModelOptions())
    found = verdict_line(found_at(analysis, 64), ("p",))
    assert found.text.startswith(f"6.00 s measured at p = {last}, ")
    assert "slower than 3.90 s at p = 2" in found.text
    assert found.text.endswith("; too few scales to predict from")
    assert found.trust == "low" and found.sentence.endswith(" (trust: low)")


def test_sizes_are_compared_with_the_largest_measured_one():
    runs = experiment([(n,) for n in (10, 20, 40, 80)], lambda point: {"work": point[0] ** 2}, names=("n",))
    analysis = analyse(runs, replace(STRONG, scaling=Scaling.NONE, parameter=""), "time", ModelOptions())
    found = runtime(analysis, np.array([[160.0]]))
    assert verdict_line(found, ("n",)).text.endswith(" at n = 160, 4 times that measured at n = 80")
    power, there = re.fullmatch(
        r"Time grows like n\^(\S+) \(n\^\S+ to n\^\S+\) from n = (.+)\.", time_growth(found, ("n",))
    ).groups()
    assert (float(power), there) == (pytest.approx(2, abs=0.1), "80 to 160")
    inside = runtime(analysis, np.array([[30.0]]))
    assert time_growth(inside, ("n",)).endswith(" from n = 10 to 30.")
    assert not time_growth(runtime(analysis, np.array([[5.0]])), ("n",))
    assert not time_growth(found_at(strong(), 128), ("p",))
