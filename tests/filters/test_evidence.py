"""What a run shows, summed over its CPU locations."""

from dataclasses import replace

import numpy as np
import pytest

from filters.evidence import evidence_from_profile
from ingest.errors import InputError
from ingest.profile import CPU, Metric, MetricKind, ValuesInMemory
from tests.profiles import make_profile, profile_from_rows

MAIN, SOLVE = ("main",), ("main", "solve")


def test_visits_and_time_are_summed_over_cpu_locations():
    profile = make_profile(
        {
            "visits": {MAIN: [1.0, 1.0, 9.0], SOLVE: [10.0, 30.0, 90.0]},
            "time": {MAIN: [4.0, 1.0, 9.0], SOLVE: [3.0, 5.0, 90.0]},
        },
        device=[CPU, CPU, 0],
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
    run = evidence_from_profile(make_profile({"visits": values, "time": values}, device=[0]))
    assert run.time.tolist() == [0.0] and (run.busiest, run.wall) == (0.0, 0.0)


@pytest.mark.parametrize("metric", ["visits", "time"])
def test_both_metrics_are_needed(metric):
    with pytest.raises(InputError, match="no metric"):
        evidence_from_profile(make_profile({metric: {MAIN: np.ones(1)}}))


def with_longest(rows, longest):
    """A profile of (depth, region, visits, exclusive time) rows with longest inclusive visits."""
    profile = profile_from_rows(rows)
    metric = Metric("max_time", "sec", MetricKind.MAXIMUM)
    values = dict(profile.load.values) | {"max_time": np.array(longest, dtype=np.float64)[:, None]}
    return replace(profile, metrics=(*profile.metrics, metric), load=ValuesInMemory(profile.tree, values))


def test_a_single_very_long_visit_of_a_tiny_function_is_an_interruption():
    rows = [(0, "main", 1, 1.0), (1, "loop", 200, 0.2), (2, "tiny", 10**6, 0.1 + 0.05)]
    run = evidence_from_profile(with_longest(rows, [1.4, 0.052, 0.0500001]))
    assert run.interrupted == pytest.approx(0.05, rel=0.02)
    assert run.time == pytest.approx([1.0, 0.2, 0.1], rel=0.02)  # the callee explains its caller's visit


def test_an_interruption_of_the_caller_itself_is_its_own():
    rows = [(0, "main", 1, 1.0), (1, "loop", 200, 0.25), (2, "tiny", 10**6, 0.1)]
    run = evidence_from_profile(with_longest(rows, [1.4, 0.052, 1e-6]))
    assert run.time == pytest.approx([1.0, 0.2, 0.1], rel=0.01)


@pytest.mark.parametrize(
    ("visits", "longest"), [(99, 0.05), (10**6, 0.0009), (1000, 0.0019)], ids=["rare", "short", "usual"]
)
def test_other_long_visits_are_not_interruptions(visits, longest):
    rows = [(0, "main", 1, 1.0), (1, "f", visits, 0.1)]
    run = evidence_from_profile(with_longest(rows, [1.1, longest]))
    assert run.interrupted == 0.0 and run.time.tolist() == [1.0, 0.1]


def test_communication_and_profiles_without_longest_visits_have_no_interruptions():
    rows = [(0, "main", 1, 1.0), (1, "MPI_Send", 10**6, 0.1)]
    assert evidence_from_profile(with_longest(rows, [1.1, 0.09])).interrupted == 0.0
    assert evidence_from_profile(profile_from_rows(rows)).interrupted == 0.0
