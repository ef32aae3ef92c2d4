import numpy as np
import pytest
from scipy import stats

from pipeline.gate.change_points import LIMITS, PROBABILITIES, largest_statistics, limits, probability


def test_the_statistic_is_that_of_normal_scores():
    """Nine measurements: one window of nine and two of eight."""
    ranks = np.random.default_rng(0).permutation(9)
    expected = 0.0
    for part in (ranks, ranks[:8], ranks[1:]):
        scores = stats.norm.ppf((stats.rankdata(part) - 0.375) / (len(part) + 0.25))
        for k in range(1, len(part)):
            deviation = np.sqrt(k * (len(part) - k) / len(part) * scores.var(ddof=1))
            expected = max(expected, abs(scores[:k].sum()) / deviation)
    assert largest_statistics(ranks[None])[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("n", [12, 40, 128, 512])
def test_the_limits_are_what_series_reach_by_chance(n):
    rng = np.random.default_rng(1)
    trials = 200_000 // n
    found = largest_statistics(rng.random((trials, n)).argsort(axis=1))
    for level, limit in zip(PROBABILITIES, LIMITS[n], strict=True):
        if np.isinf(limit):
            continue
        assert np.mean(found >= limit) <= level + 4 * np.sqrt(level / trials)
        assert np.mean(found >= 0.95 * limit) >= level - 4 * np.sqrt(level / trials)


def test_limits_grow_with_the_length_beyond_the_table_too():
    lengths = [10, 11, 17, 65, 2000, 8192, 9000, 30_000]
    found = [limits(n)[1] for n in lengths]
    assert found == sorted(found)
    assert limits(17) == LIMITS[18]
    assert limits(32_768)[1] == pytest.approx(
        limits(8192)[1] + limits(2048 * 4)[1] - limits(2048)[1], abs=0.03
    )


def test_probabilities_between_the_limits():
    assert [probability(limit, 100) for limit in limits(100)] == pytest.approx(list(PROBABILITIES))
    assert 0.001 < probability(4.0, 100) < 0.01
    assert probability(20.0, 100) == pytest.approx(0.001)
    assert probability(5.0, 10) == pytest.approx(0.01)  # the table has no rarer statistic of ten
