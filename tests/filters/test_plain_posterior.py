"""What is plausible of plain times, given what is known."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filters.event_cost import EventCost, usual_cost
from filters.plain_time import estimate_plain_times
from tests.filters.test_plain_time import COST, PROGRAM, known_of, runs

TRIVIAL_ONLY = [row for row in PROGRAM if row[1] not in ("heavy", "MPI_Send")]
SCALES = (1.0, 2.0, 4.0, 8.0)
LITTLE = [(0, "main", 1, 0.1), (1, "kernel", 1000, 0.5), (1, "tiny", 300_000, 0.03)]


def widths(found):
    return found.high / found.low


def told(truth, scales):
    return known_of([t if i in scales else np.nan for i, t in enumerate(truth)])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.floats(-0.1, 0.1), min_size=4, max_size=4), st.permutations(range(3)))
def test_more_that_is_known_does_not_widen_what_is_not(noise, order):
    some = runs(*SCALES, rows=TRIVIAL_ONLY)
    truth = 0.101 * np.array(SCALES) * np.exp(noise)
    known = [None, *(told(truth, order[:count]) for count in (1, 2, 3))]
    steps = [estimate_plain_times(some, usual_cost(some), one) for one in known]
    wide = [widths(found)[3] for found in steps]
    assert wide[1] < 0.6 * wide[0]
    assert all(after < 1.25 * before for before, after in pairwise(wide))
    deviations = [found.total_deviation for found in steps]
    assert all(after < 1.25 * before for before, after in pairwise(deviations))


def test_a_slow_run_is_not_taken_for_overhead():
    quiet = runs(1.0, rows=LITTLE)
    slow = replace(quiet, time=1.2 * quiet.time)
    plain = 0.63
    found = estimate_plain_times(slow, EventCost(COST), known_of([plain]))
    assert found.total == pytest.approx([plain])
    assert found.cost[0] < 2 * COST < (slow.measured - plain)[0] / slow.events_computing[0]
    shares = found.callpath[:, 0] / found.callpath.sum()
    assert shares[1] == pytest.approx(0.5 / plain, rel=0.05)  # the kernel keeps its share


def test_a_plain_time_that_fits_says_more_about_the_cost_than_visits_do():
    some = runs(1.0, rows=TRIVIAL_ONLY)
    without = estimate_plain_times(some, EventCost(1.3 * COST))
    found = estimate_plain_times(some, EventCost(1.3 * COST), known_of([0.101]))
    assert found.cost == pytest.approx([COST], rel=0.05)
    assert np.ptp(found.cost_range) <= np.ptp(without.cost_range)


def test_plain_times_that_contradict_each_other_leave_more_open():
    some = runs(*SCALES, rows=TRIVIAL_ONLY)
    alike, unlike = (
        estimate_plain_times(some, usual_cost(some), told(0.101 * np.array(SCALES) * factors, (0, 1, 2)))
        for factors in (np.ones(4), np.array([0.5, 1.0, 2.0, 1.0]))
    )
    assert widths(unlike)[3] > 1.3 * widths(alike)[3]


def test_runs_of_one_scale_are_told_once():
    some = runs(1.0, 1.0, 1.0, 2.0, rows=TRIVIAL_ONLY)
    one_scale = replace(told(np.full(4, 0.15), (0, 1, 2)), point=np.array([0, 0, 0, 1]))
    three = told(np.full(4, 0.15), (0, 1, 2))
    once, thrice = (widths(estimate_plain_times(some, usual_cost(some), k))[3] for k in (one_scale, three))
    assert once > thrice
