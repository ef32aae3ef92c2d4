"""Plain times at scales without a profile are points of the total, on every way to it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from filters.correction import correction_sentence
from ingest.locate import locate
from ingest.scaling import decide_scaling
from pipeline.config.options import FilterOptions, Options
from pipeline.gate.baselines import baseline_of, from_document
from pipeline.gate.kernel_values import measurements_of
from pipeline.gate.target_forecast import forecast
from pipeline.models.options import ModelOptions
from pipeline.models.total import predict_total
from pipeline.questions.analysis import analyse
from pipeline.questions.planning.next_measurement import plan_measurements
from pipeline.questions.runtime.figures import RuntimeStudy
from pipeline.questions.runtime.runtime import runtime
from pipeline.stages.ingest import ingest
from pipeline.stages.overhead import true_times
from pipeline.stages.run import run
from pipeline.stages.selection import selected
from pipeline.store.results import read_study
from tests.pipeline.stages.test_overhead import write_run

SCALES = (1, 2, 4, 8)
PLAIN = 0.41  # core-seconds at scale 1
TARGET = np.array([[32.0]])


@pytest.fixture
def study(tmp_path):
    for scale in SCALES:
        for repetition, plain in ((1, 0.4), (2, 0.41)):
            path = tmp_path / "full" / f"app.s{scale}.r{repetition}" / "profile.cubex"
            write_run(path, scale, plain=plain)
    return tmp_path / "full"


def options(tmp_path, *times, **other):
    file = tmp_path / "plain.csv"
    file.write_text("s,seconds\n" + "".join(f"{s},{seconds}\n" for s, seconds in times))
    return Options(filter=FilterOptions(baseline_time=file), out=tmp_path / "results", **other)


def corrected(study, chosen):
    return true_times(ingest(locate(study), "time"), chosen)


def analysed(study, chosen):
    experiment = corrected(study, chosen).experiment
    return analyse(experiment, decide_scaling(experiment), "time", ModelOptions())


def ends(prediction):
    return [float(end[0, -1]) for end in (prediction.lower, prediction.value, prediction.upper)]


def effort(analysis, point=TARGET):
    found = RuntimeStudy(analysis).figures(point, np.zeros(1, dtype=np.bool_)).effort
    return [float(end[0]) for end in (found.lower, found.value, found.upper)]


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.6])
def test_where_the_target_was_run_plain_the_answer_is_that_measurement(study, tmp_path, factor):
    truth = 32 * PLAIN * factor
    analysis = analysed(study, options(tmp_path, (32, truth)))
    lower, value, upper = effort(analysis)
    assert value == pytest.approx(truth, rel=0.05)
    assert lower < truth < upper and upper / lower < 1.4
    (reason,) = (one for one in runtime(analysis, TARGET).trust.reasons if one.name == "extrapolation")
    assert reason.value == 1


def test_more_plain_times_and_nearer_ones_leave_narrower_intervals_in_any_order(study, tmp_path):
    def width(*times):
        lower, _, upper = effort(analysed(study, options(tmp_path, *times)))
        return upper / lower

    five = [(16, 16 * PLAIN * factor) for factor in (0.98, 1.0, 1.01, 1.02, 0.99)]
    without = effort(analysed(study, Options()))
    assert without[2] / without[0] > width(five[1]) > width(*five) > width(*five, (32, 32 * PLAIN))
    assert width(*five) == pytest.approx(width(*reversed(five)))


def test_plain_times_show_how_the_total_goes_on(study, tmp_path):
    steeper = [(s, PLAIN * 8 * (s / 8) ** 1.5) for s in (12, 16)]
    lower, value, upper = effort(analysed(study, options(tmp_path, *steeper)))
    assert value > 1.2 * PLAIN * 32 and lower < PLAIN * 8 * 4**1.5 < upper


def test_a_plain_time_tells_how_far_all_corrected_times_are_off(study, tmp_path):
    before = corrected(study, Options()).experiment
    after = corrected(study, options(tmp_path, *[(16, 16 * PLAIN * 1.2)] * 3)).experiment
    times = [one.values["time"].sum.sum(axis=0)[:, 0] for one in (before, after)]
    assert times[1] == pytest.approx(1.2 * PLAIN * np.array(SCALES), rel=0.1)
    assert (times[0] < 0.9 * times[1]).all()
    assert after.correction.total_deviation < before.correction.total_deviation
    assert "3 plain times at s = 16, where no run was profiled, are points of the total" in after.notices[-1]
    assert correction_sentence(after.correction) == after.notices[-2] and len(after.notices) == 2
    assert after.runs[0].class_time.sum() == pytest.approx(times[1][0])
    paid = [one.runs[0].class_time.sum() * one.runs[0].dilation for one in (before, after)]
    assert paid[1] == pytest.approx(paid[0])


def test_a_plain_time_at_a_profiled_scale_is_a_point_of_the_total_too(study, tmp_path):
    analysis = analysed(study, options(tmp_path, (8, 8 * PLAIN)))
    there, other = (
        RuntimeStudy(analysis).figures(np.array([[s]]), np.ones(1, dtype=np.bool_)).effort for s in (8.0, 4.0)
    )
    assert there.value[0] == pytest.approx(8 * PLAIN, rel=0.02) and there.upper[0] / there.lower[0] < 1.5
    assert other.lower[0] < 4 * PLAIN < other.upper[0] and other.upper[0] / other.lower[0] < 2.5
    lower, _, upper = effort(analysis)
    assert lower < 32 * PLAIN < upper and upper / lower < 3


def test_a_plain_time_far_from_what_profiles_lead_to_is_named_and_widens(study, tmp_path):
    lower, _, upper = effort(analysed(study, options(tmp_path, (16, 80.0))))
    near = effort(analysed(study, options(tmp_path, (16, 16 * PLAIN))))
    assert upper / lower > 1.3 * near[2] / near[0]
    notices = corrected(study, options(tmp_path, (16, 80.0))).experiment.notices
    assert (
        "the plain time at s = 16 is " in notices[-1]
        and "the same program with the same input" in notices[-1]
    )


def test_all_ways_to_the_total_give_the_same(study, tmp_path):
    chosen = options(tmp_path, (16, 9.0), (32, 20.0))
    analysis = analysed(study, chosen)
    own = predict_total(analysis.callpaths.models, TARGET)
    assert ends(own) == pytest.approx(effort(analysis))
    for level in (analysis.callpaths, analysis.regions):
        assert level.models.predict(TARGET).value.sum() == pytest.approx(own.value[0, 0])
        assert ends(predict_total(level.models, TARGET)) == pytest.approx(ends(own))
    measurements = measurements_of(analysis.experiment, analysis.decision, "time")
    back = from_document(baseline_document(measurements), "baseline.json")
    assert ends(forecast(measurements, TARGET, ModelOptions()).prediction.take([0])) == pytest.approx(
        ends(own)
    )
    assert ends(forecast(back, TARGET, ModelOptions()).prediction.take([0])) == pytest.approx(
        ends(own), rel=0.01
    )
    run(study, chosen)
    stored = read_study(tmp_path / "results").chosen
    assert effort(stored) == pytest.approx(effort(analysis), rel=1e-6)


def test_plain_runs_are_proposed_first_and_at_what_they_cost(study, tmp_path):
    found = plan_measurements(analysed(study, Options()), TARGET[0], 50.0)
    first = found.plan[0]
    assert first.plain and first.at == {"s": 32.0} and first.relative_width_after < 0.25
    plain = 32 * corrected(study, Options()).experiment.values["time"].sum[..., 0].sum(axis=0)[0]
    assert first.cost == pytest.approx(first.repetitions * plain, rel=0.2)
    assert "s = 32, 3 runs without instrumentation" in found.sentence and "--baseline-time" in found.sentence
    assert not first.cost < plan_measurements(analysed(study, Options()), TARGET[0], first.cost).plan[0].cost
    done = plan_measurements(analysed(study, options(tmp_path, *[(32, 32 * PLAIN)] * 3)), TARGET[0])
    assert not done.plan and done.relative_width < 0.2


def test_where_times_are_as_measured_no_plain_run_is_proposed(study):
    found = plan_measurements(analysed(study, Options(overhead="keep")), TARGET[0])
    assert not any(step.plain for step in found.plan)


def baseline_document(measurements):
    return json.loads(baseline_of(measurements, ModelOptions(), {}).text)


def test_values_that_are_not_of_whole_runs_have_no_such_points(study, tmp_path):
    chosen = options(tmp_path, (16, 9.0))
    for other in ({"per": "loop"}, {"without": ("tiny",)}):
        found = selected(corrected(study, chosen), replace(chosen, **other)).experiment
        assert found.correction.elsewhere is None
        assert any("are of whole runs: they are not used" in notice for notice in found.notices)


def test_with_few_scales_plain_times_elsewhere_are_named_as_unused(tmp_path):
    for scale in (1, 2):
        write_run(tmp_path / "two" / f"app.s{scale}.r1" / "profile.cubex", scale)
    found = corrected(tmp_path / "two", options(tmp_path, (16, 9.0))).experiment
    assert "1 plain time at s = 16 not used: fewer than 3 scales were profiled" in found.notices[-1]
