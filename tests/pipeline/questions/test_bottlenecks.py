import numpy as np

from pipeline.questions.analysis import Standing, flags, ranking, shares


def standing(count, **marked):
    """Kernels that are all reliable, measurable and part of the work, but for those marked by flag."""
    marks = {name: np.zeros(count, dtype=bool) for name in ("unreliable", "not_measurable", "start_up")}
    for name, kernels in marked.items():
        marks[name][kernels] = True
    return Standing(**marks)


def test_shares_sum_to_one_and_take_nan_as_nothing():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [np.nan, 0.0]])
    assert shares(values).tolist() == [[0.25, 0.0], [0.75, 0.0], [0.0, 0.0]]


def test_ranking_puts_the_largest_at_the_target_first():
    at_target, measured = np.array([1.0, 5.0, 1.0]), np.array([0.0, 1.0, 2.0])
    assert ranking(at_target, measured, np.zeros(3, dtype=bool)).tolist() == [1, 2, 0]


def test_start_up_is_ranked_behind_the_kernels():
    start_up = np.array([False, True, False])
    assert ranking(np.array([1.0, 5.0, 2.0]), np.zeros(3), start_up).tolist() == [2, 0, 1]


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


def test_the_largest_kernels_dominate():
    one, two = flags(np.zeros(2), np.ones(2), np.array([0.3, 0.7]), np.array([0.8, 0.2]), standing(2))
    assert (one, two) == (["dominant_at_target"], ["dominant_measured"])
    assert flags(np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1), standing(1)) == [[]]
    assert flags(np.zeros(0), np.ones(0), np.zeros(0), np.zeros(0), standing(0)) == []


def test_start_up_and_what_cannot_be_measured_is_compared_with_no_other_kernel():
    assert standing(4, start_up=[0], not_measurable=[1], unreliable=[2]).apart.tolist() == [
        True,
        True,
        False,
        False,
    ]
