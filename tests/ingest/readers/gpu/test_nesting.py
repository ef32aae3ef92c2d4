"""Call paths from time, and the union of intervals."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ingest.calltree import ROOT
from ingest.readers.gpu.timeline import busy, nested


def nest(rows, rounding=0):
    """Nest rows of thread, region, start and end; return own times, call paths as regions, and crossings."""
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    calls = nested(*columns, rounding)

    def path(node):
        return () if node == ROOT else (*path(calls.caller[node]), int(calls.region[node]))

    return calls.own.tolist(), [path(node) for node in calls.node], calls.crossings


def test_a_call_within_another_was_called_by_it():
    rows = [(0, 2, 3, 4), (0, 1, 2, 6), (0, 0, 0, 10), (0, 2, 6, 8), (1, 2, 3, 4), (0, 3, 10, 11)]
    own, paths, crossings = nest(rows)
    assert own == [1, 3, 4, 2, 1, 1]
    assert paths == [(0, 1, 2), (0, 1), (0,), (0, 2), (2,), (3,)]
    assert crossings == 0


def test_a_call_that_outlasts_the_one_around_it_is_cut_within_rounding_and_else_not_below_it():
    rows = [(0, 0, 0, 10), (0, 1, 4, 11)]
    assert nest(rows, rounding=1) == ([4, 6], [(0,), (0, 1)], 0)
    assert nest(rows) == ([4, 7], [(0,), (1,)], 1)
    around = [(0, 9, 0, 20), *((0, region, start + 1, end + 1) for _, region, start, end in rows)]
    assert nest(around) == ([9, 4, 7], [(9,), (9, 0), (9, 1)], 1)


intervals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=25)


@given(intervals)
def test_own_times_add_up_to_the_time_in_which_anything_runs(found):
    rows = [(0, place % 3, start, start + length) for place, (start, length) in enumerate(found)]
    own, _, _ = nest(rows)
    moments = {moment for _, _, start, end in rows for moment in range(start, end)}
    assert sum(own) == len(moments)
    assert min(own) >= 0
    start, end = (np.array(column) for column in list(zip(*rows, strict=True))[2:])
    assert busy(start, end) == len(moments)
