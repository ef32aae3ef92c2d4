"""Counters of two codes side by side: correlation with the loss of parallel efficiency."""

import numpy as np
import pandas as pd
import pytest

from ingest.errors import InputError
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.comparisons import (
    CounterPair,
    compare_counters,
    counter_correlations,
    counter_runs_in,
    efficiency_loss,
)


def _runs(names, rows, threads=(1, 2, 4, 8), seconds=(8.0, 4.2, 2.6, 2.0)):
    counters = dict(zip(names, np.array(rows, dtype=float), strict=True))
    return pd.DataFrame({"time": seconds, **counters}, index=threads)


def test_efficiency_loss():
    assert efficiency_loss(np.array([2, 4]), np.array([4.0, 2.5])).tolist() == pytest.approx([0.0, 0.2])


def test_counters_side_by_side():
    """What grows with the loss correlates fully, what falls fully negatively, a constant not at all."""
    loss = efficiency_loss(np.array([1, 2, 4, 8]), np.array([8.0, 4.2, 2.6, 2.0]))
    mini = _runs(("L1_DCM", "FP_OPS", "BR_INS"), [3 + loss, 5 * loss, np.ones(4)])
    target = _runs(("FP_OPS", "L1_DCM", "TLB_DM"), [7 * loss, -loss, loss])
    np.testing.assert_allclose(counter_correlations(mini)[:2], 1.0)
    first, second = compare_counters(mini, target)
    assert (first.name, second.name) == ("L1_DCM", "FP_OPS")
    assert first.difference == pytest.approx(2.0)
    assert not first.alike
    assert not first.strong
    assert second.alike
    assert second.strong
    assert np.isnan(counter_correlations(mini)["BR_INS"])


def test_repetitions_are_averaged():
    rng = np.random.default_rng(0)
    values = rng.uniform(1, 2, 8)
    twice = _runs(("A",), [values], (1, 2, 4, 8) * 2, (8.0, 4.2, 2.6, 2.0) * 2)
    once = _runs(("A",), [values.reshape(2, 4).mean(axis=0)])
    np.testing.assert_allclose(counter_correlations(twice), counter_correlations(once))


def test_counters_from_csv(tmp_path):
    path = tmp_path / "mini.csv"
    path.write_text("threads,time [s],PAPI_L1_DCM\n1,8.0,10\n2,4.2,12\n4,2.6,19\n")
    read = counter_runs_in(read_columns(path))
    assert read.to_dict("list") == {"time": [8.0, 4.2, 2.6], "PAPI_L1_DCM": [10, 12, 19]}
    with pytest.raises(InputError, match="no counter in common"):
        compare_counters(read, _runs(("A",), [[1, 2, 3, 4]]))
    with pytest.raises(
        InputError, match="counters at 2 thread counts cannot be correlated; measure at least 3"
    ):
        counter_correlations(_runs(("A",), [[1, 2]], (1, 2), (2.0, 1.0)))
    path.write_text("threads,time [s]\n1,8.0\n")
    with pytest.raises(InputError, match="no counter columns"):
        counter_runs_in(read_columns(path))


def test_correlations_are_pearsons():
    rng = np.random.default_rng(1)
    values = rng.uniform(1, 2, (3, 4)) * np.array([[1.0], [1e9], [1e-9]])
    runs = _runs(("A", "B", "C"), values)
    loss = efficiency_loss(runs.index.to_numpy(), runs["time"].to_numpy())
    expected = [np.corrcoef(row, loss)[0, 1] for row in values]
    assert counter_correlations(runs).tolist() == pytest.approx(expected, rel=1e-9)


def test_the_fewest_threads_are_the_reference_and_are_averaged():
    loss = efficiency_loss(np.array([4, 2, 2]), np.array([2.5, 3.0, 5.0]))
    assert loss.tolist() == pytest.approx([1 - 8 / 10, 1 - 8 / 6, 1 - 8 / 10])


def test_codes_without_loss_correlate_with_nothing():
    ideal = _runs(("A",), [[1.0, 2, 3, 4]], seconds=(8.0, 4.0, 2.0, 1.0))
    assert np.isnan(counter_correlations(ideal)).all()


@pytest.mark.parametrize(
    ("first", "second", "alike", "strong"),
    [
        (0.9, 0.85, True, True),
        (0.9, 0.79, False, False),
        (0.9, 0.81, True, True),
        (0.8, 0.95, False, False),
        (0.95, 0.8, False, False),
        (-0.9, -0.95, True, False),
        (0.5, 0.59, True, False),
        (0.5, 0.61, False, False),
    ],
)
def test_alike_and_strong(first, second, alike, strong):
    pair = CounterPair("A", first, second)
    assert (pair.alike, pair.strong) == (alike, strong)
    assert pair.difference == pytest.approx(first - second)


def test_what_differs_most_comes_first_and_what_is_unknown_last():
    loss = efficiency_loss(np.array([1, 2, 4, 8]), np.array([8.0, 4.2, 2.6, 2.0]))
    half = loss + np.array([0.3, -0.3, 0.3, -0.3])
    first = _runs(("flat", "z", "a", "half", "only"), [np.ones(4), loss, loss, half, loss])
    second = _runs(("a", "half", "z", "flat"), [loss, -loss, loss, loss])
    assert [pair.name for pair in compare_counters(first, second)] == ["half", "a", "z", "flat"]


def test_every_column_but_threads_time_and_repetition_is_a_counter(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("threads,repetition,time [ms],A,B\n2,1,8,10,1\n1,2,9,12,2\n")
    found = counter_runs_in(read_columns(path))
    assert found.index.tolist() == [2, 1]
    assert found["time"].tolist() == pytest.approx([8e-3, 9e-3])
    assert found[["A", "B"]].to_numpy().tolist() == [[10, 1], [12, 2]]
    assert list(found) == ["time", "A", "B"]
