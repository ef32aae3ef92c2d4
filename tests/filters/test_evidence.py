"""What a run shows, summed over its CPU locations."""

import numpy as np
import pytest

from filters.evidence import evidence_from_profile
from ingest.errors import InputError
from tests.profiles import make_profile

MAIN, SOLVE = ("main",), ("main", "solve")


def test_visits_and_time_are_summed_over_cpu_locations():
    profile = make_profile(
        {
            "visits": {MAIN: [1.0, 1.0, 9.0], SOLVE: [10.0, 30.0, 90.0]},
            "time": {MAIN: [4.0, 1.0, 9.0], SOLVE: [3.0, 5.0, 90.0]},
        },
        cpu=[True, True, False],
        source="a.cubex",
    )
    run = evidence_from_profile(profile)
    assert run.source == "a.cubex"
    assert run.visits.tolist() == [2.0, 40.0]
    assert run.time.tolist() == [5.0, 8.0]
    assert (run.busiest, run.wall) == (31.0, 7.0)


def test_negative_values_count_as_nothing():
    values = {MAIN: [-1.0, 2.0], SOLVE: [3.0, -4.0]}
    run = evidence_from_profile(make_profile({"visits": values, "time": values}))
    assert run.visits.tolist() == run.time.tolist() == [2.0, 3.0]
    assert (run.busiest, run.wall) == (3.0, 3.0)


def test_siblings_of_one_mangled_name_are_one_call_path():
    other = ("main", "other")
    values = {MAIN: [1.0], SOLVE: [2.0], other: [4.0]}
    profile = make_profile({"visits": values, "time": values})
    object.__setattr__(profile.regions, "mangled", ("main", "_Z1f", "_Z1f"))
    run = evidence_from_profile(profile)
    assert run.tree.parent.tolist() == [-1, 0]
    assert run.visits.tolist() == run.time.tolist() == [1.0, 6.0]


def test_a_run_on_accelerators_only_has_no_time():
    values = {MAIN: [1.0]}
    run = evidence_from_profile(make_profile({"visits": values, "time": values}, cpu=[False]))
    assert run.time.tolist() == [0.0] and (run.busiest, run.wall) == (0.0, 0.0)


@pytest.mark.parametrize("metric", ["visits", "time"])
def test_both_metrics_are_needed(metric):
    with pytest.raises(InputError, match="no metric"):
        evidence_from_profile(make_profile({metric: {MAIN: np.ones(1)}}))
