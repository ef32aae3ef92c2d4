"""What is known of plain times from elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.event_cost import visited
from filters.evidence import evidence_from_profile
from filters.known_plain import KNOWN_SPREAD, joined, plain_by_pair, plain_by_run_time, same_runs
from ingest.errors import UsageError
from tests.filters.test_event_cost import measured
from tests.filters.test_plain_time import known_of
from tests.filters.test_plain_time import runs as runs_at
from tests.profiles import profile_from_rows


def run_of(rows, **more):
    return visited(evidence_from_profile(profile_from_rows(rows, **more)))


def by_run_time(run, seconds, wall):
    return plain_by_run_time(run, np.array([seconds]), np.array([wall]), "plain.csv")


def test_a_program_that_only_computes_has_its_run_time():
    run = run_of([(0, "main", 1, 1.0), (1, "tiny", 10**8, 14.0)])
    found = by_run_time(run, 0.4, 15.6)  # 0.6 s outside of all regions are those of the measurement system
    assert found.total == pytest.approx([0.4 * 15.0 / 15.6])
    assert found.spread == pytest.approx([KNOWN_SPREAD])


def test_what_of_a_plain_time_is_communication_is_uncertain():
    run = run_of([(0, "main", 1, 8.0), (1, "MPI_Send", 1, 2.0)])
    found = by_run_time(run, 5.0, 10.0)
    assert 3.0 < found.total[0] < 4.0  # 2 of the 5 s as measured, or 1 in proportion
    assert found.spread[0] > 2 * KNOWN_SPREAD
    waits = by_run_time(run_of([(0, "main", 1, 0.1), (1, "MPI_Send", 1, 5.0)]), 3.0, 5.1)
    assert 0.0 < waits.total[0] < 0.1 and waits.spread[0] > 0.3


def test_a_run_time_is_no_more_than_what_was_measured():
    run = run_of([(0, "main", 1, 1.0)])
    assert by_run_time(run, 1.1, 1.0).total == pytest.approx([1.0])
    with pytest.raises(UsageError, match=r"took 5.00 s, the instrumented one only 1.00 s.* as startup$"):
        by_run_time(run, 5.0, 1.0)
    assert np.isnan(by_run_time(run, float("nan"), 1.0).total).all()


@given(st.floats(0.01, 10.0), st.floats(1e-9, 1e-7), st.integers(10**6, 10**8))
def test_two_measurements_say_plain_time_and_cost(plain, cost, visits):
    full, fewer = (run_of(measured([(0, "main", 1, plain), (1, "f", n, 0.0)], cost)) for n in (visits, 1000))
    found, each = plain_by_pair(full, fewer, "less")
    assert (found.total[0], each.recorded) == pytest.approx((plain, cost), rel=1e-6)
    assert each.source == "calibrated by less"


def test_visits_that_were_rejected_at_run_time_took_time_too():
    full = run_of(measured([(0, "main", 1, 2.0), (1, "f", 10**8, 0.0)], 1e-7))
    hooks = run_of([(0, "main", 1, 2.0 + 10**8 * 5e-9)])
    without, _ = plain_by_pair(full, hooks, "less")
    assert without.total == pytest.approx([2.5], rel=1e-3)
    found, cost = plain_by_pair(full, hooks, "less", at_run_time=True)
    assert abs(np.log(found.total / 2.0)) < 1.645 * found.spread and found.total < 2.2
    assert found.spread[0] > 3 * without.spread[0] and cost.recorded == pytest.approx(1e-7, rel=0.1)
    few = run_of([(0, "main", 1, 0.2)])  # hooks fit into what is left, whatever they cost elsewhere
    assert 0.05 < plain_by_pair(full, few, "less", at_run_time=True)[0].total[0] < 0.2


@pytest.mark.parametrize("fewer", [[(0, "main", 1, 3.0), (1, "f", 9, 7.0)], [(0, "main", 1, 99.0)]])
def test_a_pair_without_a_cost_is_refused(fewer):
    full = run_of([(0, "main", 1, 3.0), (1, "f", 9, 7.0)])
    with pytest.raises(UsageError, match=r"less: no event cost can be derived: .* fewer visits took"):
        plain_by_pair(full, run_of(fewer), "less")


def test_sources_are_joined_by_how_sure_they_are():
    first = known_of([1.0, np.nan, 1.0], [0.1, 0.1, 0.01])
    second = known_of([4.0, 2.0, 4.0], [0.1, 0.2, 1.0])
    both = joined([first, second])
    assert both.total == pytest.approx([2.0, 2.0, 1.0], rel=1e-3)
    assert both.spread == pytest.approx([0.1 / 2**0.5, 0.2, 0.01], rel=1e-3)
    assert joined([]) is None and joined([first]) is first


def test_the_time_of_a_whole_run_is_the_one_that_was_stated():
    pair = known_of([1.0, 1.0, 1.0], whole=[3.0, 3.0, np.nan])
    timed = known_of([1.0, np.nan, 1.0], whole=[2.0, np.nan, np.nan], stated=[True, False, False])
    for both in (joined([pair, timed]), joined([timed, pair])):
        assert both.whole.tolist() == pytest.approx([2.0, 3.0, np.nan], nan_ok=True)
        assert both.stated.tolist() == [True, False, False]


def test_a_whole_run_takes_its_run_time_on_every_location():
    run = run_of([(0, "main", [1, 1], [6.0, 8.0]), (1, "MPI_Wait", [1, 1], [4.0, 2.0])])
    found = by_run_time(run, 5.0, 10.0)
    assert found.whole == pytest.approx([10.0]) and found.stated.all()
    fewer = run_of([(0, "main", [1, 1], [3.0, 4.0]), (1, "MPI_Wait", [1, 1], [2.0, 1.0])])
    full = run_of(measured([(0, "main", 1, 7.0), (1, "f", 10**8, 0.0), (1, "MPI_Wait", 1, 6.0)], 1e-7))
    pair, _ = plain_by_pair(full, fewer, "less")
    assert pair.whole == pytest.approx(pair.total + 3.0) and not pair.stated.any()


def test_the_run_of_a_measurement_is_found_by_its_visits():
    full = runs_at(1.0, 2.0, 4.0)
    fewer = run_of([(0, "main", 2, 0.1), (1, "heavy", 200, 4.0), (1, "sweep", 20, 0.2)])
    assert same_runs(full, fewer).tolist() == [False, True, False]
    assert not same_runs(full, run_of([(0, "main", 3, 0.1), (1, "heavy", 300, 4.0)])).any()
