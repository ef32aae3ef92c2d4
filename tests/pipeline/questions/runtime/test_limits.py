"""Where a program is fastest, and up to which scale it is efficient."""

import numpy as np
import pytest

from pipeline.models.options import ModelOptions
from pipeline.questions.analysis import analyse
from pipeline.questions.runtime.limits import looked_at
from pipeline.questions.runtime.runtime import runtime, runtimes_along
from tests.pipeline.questions.runtime.programs import STRONG, experiment, ideal, strong, weak


def at(analysis, target, threshold=0.75):
    return runtime(analysis, np.array([[float(target)]]), threshold)


def test_ideal_scaling_is_fastest_and_efficient_at_the_end():
    found = at(ideal(), 64)
    assert found.fastest.point.tolist() == [64.0]
    assert not found.fastest.measured and found.fastest.at_the_end
    assert found.fastest.value == pytest.approx(1.0, rel=1e-3)
    assert found.efficient_up_to.point.tolist() == [64.0] and found.efficient_up_to.at_the_end


def test_a_measured_scale_that_is_fastest_is_said_to_be_measured():
    times = {1: 8.0, 2: 3.9, 4: 4.5, 8: 6.0, 16: 9.0}
    runs = experiment([(p,) for p in times], lambda point: {"work": times[point[0]]})
    found = at(analyse(runs, STRONG, "time", ModelOptions()), 64)
    assert found.fastest.point.tolist() == [2.0] and found.fastest.measured
    assert found.fastest.value == pytest.approx(3.9) and not found.fastest.at_the_end
    assert found.efficient_up_to.point.tolist() == [2.0]
    assert found.efficient_up_to.value == pytest.approx(8 / 3.9 / 2)


def test_a_scale_in_between_is_found_where_the_model_is_clearly_better():
    def times(point):
        return {"work": 1000 / point[0], "growing": 0.1 * point[0]}

    runs = experiment([(p,) for p in (10, 20, 40, 80, 160, 320)], times)
    found = at(analyse(runs, STRONG, "time", ModelOptions()), 1280)
    assert not found.fastest.measured
    assert found.fastest.point[0] == pytest.approx(100, abs=10)  # 1000 / p = 0.1 p
    assert found.fastest.point[0] % 10 == 0
    assert found.fastest.value == pytest.approx(20, rel=0.02)


@pytest.mark.slow
def test_the_threshold_counts():
    analysis = strong(noise=0.0)  # efficiency 64.1 / (64 + 0.1 p)
    for threshold in (0.99, 0.9, 0.5):
        limit = at(analysis, 4096, threshold).efficient_up_to
        exact = (64.1 / threshold - 64) / 0.1
        assert limit.point[0] <= exact * 1.02
        assert exact < (limit.below_at if limit.measured else 1.02 * limit.point[0] + 1)
        assert limit.value >= threshold


def test_a_limit_is_as_sure_as_the_efficiency_around_it():
    found = at(strong(noise=0.05), 1024)  # efficiency 64.1 / (64 + 0.1 p) reaches 75 % at p = 214
    limit = found.efficient_up_to
    assert limit.lower < limit.point[0] < limit.upper
    assert limit.lower < 214 < 2 ** (1 / 4) * limit.upper
    figures = runtime(strong(noise=0.05), np.array([[limit.lower], [limit.upper]])).figures.of_scaling
    assert figures.lower[-2] == pytest.approx(0.75, rel=0.15) and figures.lower[-2] >= 0.7
    assert figures.upper[-1] == pytest.approx(0.75, rel=0.15) and figures.upper[-1] >= 0.7


def test_ends_beyond_the_measured_scales_are_those_of_predictions_in_between():
    analysis = strong(noise=0.05)
    limit = at(analysis, 65536).efficient_up_to
    figures = runtime(analysis, np.array([[limit.upper], [1.5 * limit.upper]])).figures.of_scaling
    assert figures.upper[-2] == pytest.approx(0.75, rel=0.05) and figures.upper[-1] < 0.73


def test_a_limit_that_may_lie_beyond_all_scales_has_no_upper_end():
    limit = at(strong(noise=0.05), 192).efficient_up_to
    assert limit.lower < 192 and limit.upper == np.inf


def test_exact_runs_have_a_sure_limit():
    times = {1: 8.0, 2: 4.0, 4: 4.0, 8: 4.0, 16: 4.0}
    runs = experiment([(p,) for p in times], lambda point: {"work": times[point[0]]})
    limit = at(analyse(runs, STRONG, "time", ModelOptions()), 32).efficient_up_to
    assert (limit.point[0], limit.lower, limit.upper, limit.below_at) == (2.0, 2.0, 4.0, 4.0)


def test_a_limit_of_runs_that_were_made_once_has_an_interval():
    limit = at(strong(noise=0.05, repetitions=1), 1024).efficient_up_to
    assert limit.lower < limit.point[0] < limit.upper


def test_a_limit_of_too_few_scales_to_predict_from_is_one_of_them_or_beyond():
    limit = at(strong(scales=(1, 2), noise=0.05, repetitions=1), 64).efficient_up_to
    assert (limit.lower, limit.point[0], limit.upper) == (2.0, 2.0, np.inf)


def test_limits_at_each_of_many_targets_are_those_of_a_study_of_that_target():
    analysis = strong(noise=0.05)
    targets = np.array([[4.0], [6.0], [192.0], [1024.0]])
    for target, found in zip(targets, runtimes_along(analysis, at(analysis, 64), targets), strict=True):
        alone = runtime(analysis, target[None])
        for limit, same in (
            (found.fastest, alone.fastest),
            (found.efficient_up_to, alone.efficient_up_to),
        ):
            np.testing.assert_equal(vars(limit), vars(same))


def test_no_scale_of_too_high_an_efficiency():
    assert at(strong(), 64, 1.5).efficient_up_to is None


def test_under_weak_scaling_no_scale_is_fastest():
    found = at(weak(), 64, 0.76)
    assert found.fastest is None
    limit = found.efficient_up_to  # 2.1 / (2 + 0.1 p) = 0.76 at p = 7.6
    assert (limit.point[0], limit.below_at, limit.measured) == (4.0, 8.0, True)


def test_several_parameters_are_looked_at_along_the_one_that_scales():
    points = [(p, n) for p in (2, 4, 8, 16) for n in (8, 16, 32)]
    runs = experiment(points, lambda at: {"work": at[1] / at[0], "rest": 0.05 * at[0]}, names=["p", "n"])
    analysis = analyse(runs, STRONG, "time", ModelOptions())
    found = runtime(analysis, np.array([[64.0, 8.0]]))
    assert found.fastest.point[1] == 8.0
    assert 8 <= found.fastest.point[0] <= 16  # 8 / p = 0.05 p
    assert [one.point.tolist() for one in found.losses] == [[16.0, 8.0], [64.0, 8.0]]


@pytest.mark.parametrize(
    ("measured", "unit"), [([104, 208, 416], 104), ([3, 4, 5, 12], 1), ([1, 2, 4], 1), ([0.5, 0.75, 1.5], 0)]
)
def test_scales_in_between_are_of_the_kind_of_the_measured_ones_whatever_the_last(measured, unit):
    given, found = looked_at(np.array(measured, dtype=float), measured[0] * 16.0)
    assert len(found) and set(measured) <= set(given) and not np.isin(found, given).any()
    assert not unit or (found % unit == 0).all()
    for last in (measured[0] * 10.3, measured[0] * 2.0**45):
        nearer = np.union1d(*looked_at(np.array(measured, dtype=float), last))
        inside = nearer <= measured[-1]
        np.testing.assert_array_equal(
            nearer[inside], [x for x in np.union1d(given, found) if x <= measured[-1]]
        )
