import numpy as np
import pytest

from pipeline.questions import bottlenecks
from pipeline.questions.bottlenecks import Standing, flags, ranking, shares


def standing(count, **marked):
    """Kernels that are all reliable, measurable and part of the work, but for those marked by flag."""
    marks = {name: np.zeros(count, dtype=bool) for name in ("unreliable", "not_measurable", "start_up")}
    for name, kernels in marked.items():
        marks[name][kernels] = True
    return Standing(**marks)


def crossovers(predict, first, last, horizon, **marked):
    count = len(predict(np.ones(1)))
    return bottlenecks.crossovers(predict, first, last, horizon, standing(count, **marked))


def test_shares_sum_to_one_and_take_nan_as_nothing():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [np.nan, 0.0]])
    assert shares(values).tolist() == [[0.25, 0.0], [0.75, 0.0], [0.0, 0.0]]


def test_ranking_puts_the_largest_at_the_target_first():
    at_target, measured = np.array([1.0, 5.0, 1.0]), np.array([0.0, 1.0, 2.0])
    assert ranking(at_target, measured, np.zeros(3, dtype=bool)).tolist() == [1, 2, 0]


def test_start_up_is_ranked_behind_the_kernels():
    start_up = np.array([False, True, False])
    assert ranking(np.array([1.0, 5.0, 2.0]), np.zeros(3), start_up).tolist() == [2, 0, 1]


def test_a_growing_kernel_overtakes_a_constant_one():
    (found,) = crossovers(lambda p: np.array([np.full(len(p), 100.0), p]), 1.0, 64.0, 1000.0)
    assert (found.overtakes, found.overtaken) == (1, 0)
    assert found.at == pytest.approx(100.0, rel=1e-3)
    assert not found.measured


def test_kernels_that_never_lead_are_not_overtaken():
    found = crossovers(lambda p: np.array([p * 0 + 100.0, p * 0 + 1.0, p / 50]), 1.0, 64.0, 1000.0)
    assert found == ()


def test_crossings_of_next_to_nothing_are_nobodys_concern():
    found = crossovers(lambda p: np.array([p * 0 + 100.0, p**2 / 1000, p / 1000]), 0.5, 64.0, 1000.0)
    assert [(c.overtakes, c.overtaken) for c in found] == [(1, 0)]


@pytest.mark.parametrize(("first", "last", "horizon"), [(0.0, 8.0, 32.0), (4.0, 4.0, 4.0)])
def test_a_range_without_extent_has_no_crossovers(first, last, horizon):
    assert crossovers(lambda p: np.ones((2, len(p))), first, last, horizon) == ()


def shown(growing=0.99, rising=4.0, measured=0.3, target=0.4, **marked):
    """Flags of a kernel beside one that dominates everywhere."""
    one, two = flags(
        np.array([growing, 0.2]),
        np.array([rising, 1.0]),
        np.array([measured, 0.5]),
        np.array([target, 0.5]),
        standing(2, **marked),
    )
    assert two == ["dominant_measured", "dominant_at_target"]
    return one


def test_a_kernel_grows_if_its_model_probably_does_and_its_prediction_rises():
    assert "growing" in shown()
    assert "growing" in shown(growing=0.9)
    assert shown(growing=0.89) == []
    assert shown(rising=1.0) == []
    assert "growing" in shown(rising=1.0001)


def test_a_future_bottleneck_grows_and_takes_a_larger_and_noteworthy_share():
    assert shown() == ["growing", "coming_bottleneck"]
    assert shown(target=0.3) == ["growing"]
    assert shown(measured=0.001, target=0.01) == ["growing", "coming_bottleneck"]
    assert shown(measured=0.001, target=0.0099) == ["growing"]
    assert shown(rising=0.9) == []


def test_nothing_is_concluded_from_a_model_that_misses_the_measurements_or_from_overhead():
    assert shown(unreliable=[0]) == ["unreliable"]
    assert shown(not_measurable=[0]) == ["not_measurable"]
    two = flags(
        np.ones(2), 2 * np.ones(2), np.array([0.7, 0.3]), np.array([0.7, 0.3]), standing(2, unreliable=[0])
    )
    assert two[0] == ["dominant_measured", "unreliable"]
    assert "dominant_at_target" not in two[1]  # it is not known to be


def test_start_up_may_grow_but_is_not_a_bottleneck_and_does_not_dominate():
    assert shown(start_up=[0]) == ["growing", "start_up"]
    both = np.array([0.9, 0.1])
    one, two = flags(np.zeros(2), np.ones(2), both, both, standing(2, start_up=[0]))
    assert one == ["start_up"]
    assert two == ["dominant_measured", "dominant_at_target"]


@pytest.mark.parametrize("mark", ["unreliable", "not_measurable", "start_up"])
@pytest.mark.parametrize("kernel", [0, 1])
def test_both_kernels_of_a_crossover_are_known_and_part_of_the_work(mark, kernel):
    def predict(p):
        return np.array([np.full(len(p), 100.0), p])

    assert len(crossovers(predict, 1.0, 64.0, 1000.0)) == 1
    assert crossovers(predict, 1.0, 64.0, 1000.0, **{mark: [kernel]}) == ()


def test_start_up_that_is_largest_leads_no_kernels():
    def predict(p):
        return np.array([np.full(len(p), 1e4), np.full(len(p), 300.0), p])

    found = crossovers(predict, 1.0, 64.0, 1000.0, start_up=[0])
    assert [(c.overtakes, c.overtaken) for c in found] == [(2, 1)]
    assert crossovers(predict, 1.0, 64.0, 1000.0, start_up=[0, 1, 2]) == ()


def test_the_largest_kernels_dominate():
    one, two = flags(np.zeros(2), np.ones(2), np.array([0.3, 0.7]), np.array([0.8, 0.2]), standing(2))
    assert (one, two) == (["dominant_at_target"], ["dominant_measured"])
    assert flags(np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1), standing(1)) == [[]]
    assert flags(np.zeros(0), np.ones(0), np.zeros(0), np.zeros(0), standing(0)) == []


@pytest.mark.parametrize(("share", "found"), [(0.025, True), (0.015, False)])
def test_a_leader_is_passed_only_while_its_share_matters(share, found):
    """A leader of a given share when passed: many others together take the rest."""
    others = np.full((200, 1), (1 - share) / share / 200)

    def predict(p):
        return np.vstack([p * 0 + 1.0, p / 32, others * np.ones(len(p))])

    crossed = [(c.overtakes, c.overtaken) for c in crossovers(predict, 1.0, 64.0, 40.0)]
    assert crossed == ([(1, 0)] if found else [])


def test_crossings_are_interpolated_between_scales_in_order_and_marked_as_measured():
    def predict(p):
        return np.array([np.full(len(p), 100.0), p, p**2 / 90])

    found = crossovers(predict, 1.0, 95.0, 1000.0)
    assert [(c.overtakes, c.overtaken, c.measured) for c in found] == [(2, 0, True), (1, 0, False)]
    assert [c.at for c in found] == pytest.approx([np.sqrt(9000.0), 100.0], rel=1e-4)


def test_only_the_largest_at_the_horizon_are_followed():
    slopes = np.linspace(1.0, 2.0, 15)[:, None]
    found = crossovers(lambda p: np.vstack([p * 0 + 100.0, slopes * p]), 1.0, 64.0, 1000.0)
    assert {c.overtakes for c in found if c.overtaken == 0} == set(range(6, 16))


def test_many_scales_in_parts_are_one_range(monkeypatch):
    def predict(p):
        return np.array([np.full(len(p), 100.0), p, p**2 / 90])

    whole = crossovers(predict, 1.0, 95.0, 1000.0)
    assert whole
    monkeypatch.setattr("pipeline.models.prediction.VALUES_AT_ONCE", 100)
    assert crossovers(predict, 1.0, 95.0, 1000.0) == whole
