"""The simulation of the gate, and its splits of measured series."""

import json
from collections import Counter

import numpy as np
import pytest

from benchmarks.gate.entries import found, unchanged
from benchmarks.gate.simulation import MACHINES, Setting, simulate, with_noise
from benchmarks.gate.splits import table

STILL = 1e-6  # noise of values, so that what a machine does is seen


def log_ratios(name, **setting):
    """Logarithms of candidate over baseline without the total, float64[K, P, R]."""
    chosen = Setting(machine=with_noise(MACHINES[name], STILL), **setting)
    before, after = simulate(chosen, np.random.default_rng(1))
    return np.log(after.values[1:] / before.values[1:])


def test_kernels_of_a_group_are_disturbed_alike():
    for name in ("5 % common to groups of a run", "3 % by placement, common to groups"):
        by_group = log_ratios(name).reshape(6, 10, 5, 5)
        assert by_group.std(axis=1).max() < 1e-4 < by_group.std(axis=0).min()


def test_a_placement_holds_for_all_runs_of_a_point_and_for_both_studies_in_turn():
    for name in ("3 % by placement, common to groups", "2 % of the nodes slow, placed once"):
        assert log_ratios(name).std(axis=2).max() < 1e-4
        assert np.abs(log_ratios(name, interleaved=True)).max() < 1e-4
    assert log_ratios("two clocks").std(axis=2).max() > 0.01


def test_slow_nodes_hit_large_scales():
    slow = [
        np.abs(log_ratios("2 % of the nodes slow", points=7, repetitions=50)[:, p]).mean() for p in (0, 6)
    ]
    assert slow[1] > 3 * slow[0]


@pytest.mark.slow
def test_parts_of_a_series_are_checked_against_the_rest(tmp_path):
    rng = np.random.default_rng(1)
    runs = {f"k{n}": (n * rng.normal(1, 0.01, (3, 4))).tolist() for n in range(1, 4)}
    runs["k1"][0] += [None, 1.0]
    series = {"parameter": "p", "points": [1, 2, 4], "kernels": runs}
    (tmp_path / "a.json").write_text(json.dumps(series))
    assert list(table([tmp_path], 50))[1:] == [
        "| a | 1 and 3 | 8 | 100 % | 0 % |",
        "| a | 2 and 2 | 12 | 100 % | 0 % |",
        "| **all** | 1 and the rest | 8 | 100 % | 0 % |",
        "| **all** | halves | 12 | 100 % | 0 % |",
    ]


@pytest.mark.parametrize("repetitions", [1, 2])
def test_a_series_with_too_few_repetitions_is_not_split(tmp_path, repetitions):
    series = {"parameter": "p", "points": [1, 2], "kernels": {"a": [[1.0] * repetitions] * 2}}
    (tmp_path / "a.json").write_text(json.dumps(series))
    assert list(table([tmp_path / "a.json"], 50))[1:] == [
        "| **all** | 1 and the rest | 0 | 100 % | 0 % |",
        "| **all** | halves | 0 | 100 % | 0 % |",
    ]


@pytest.mark.slow
def test_entries_of_a_history_raise_no_more_alarms_than_a_check_and_changes_are_found():
    counts = sum((unchanged(noise, 2, 7, entries=16) for noise in (0.01, 0.05, 0.2)), Counter())
    assert counts["tests"] == 90
    assert counts["regression"] <= 0.05 * 90
    assert [found(0.05, factor, 10, 7) for factor in (1.0, 1.3, 1.5)] == [0, 10, 10]
