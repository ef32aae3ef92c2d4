import numpy as np
import pytest

from ingest.alignment import MeasuredRun, align
from ingest.errors import InputError
from ingest.reduction import reduce_profile
from tests.profiles import make_profile

MAIN, SOLVE, SEND, DEEP = ("main",), ("main", "solve"), ("main", "MPI_Send"), ("main", "MPI_Send", "copy")


def run(p, repetition, times, **options):
    profile = make_profile({"time": {path: [value] for path, value in times.items()}}, **options)
    return MeasuredRun((float(p),), repetition, reduce_profile(profile, ["time", "visits"]))


def values_of(experiment):
    return dict(zip(experiment.callpaths, experiment.values["time"].sum, strict=True))


def test_call_trees_that_differ_are_united_in_preorder():
    experiment = align(
        ["p"], [run(2, 1, {MAIN: 1.0, SOLVE: 2.0}), run(1, 1, {MAIN: 3.0, SEND: 4.0, DEEP: 5.0})]
    )
    assert set(experiment.callpaths) == {MAIN, SOLVE, SEND, DEEP}
    parents = experiment.tree.parent
    assert all(parents[i] < i for i in range(len(parents)))
    assert experiment.points.tolist() == [[1.0], [2.0]]


def test_a_missing_call_path_is_zero_where_the_program_ran():
    experiment = align(["p"], [run(1, 1, {MAIN: 1.0}), run(2, 1, {MAIN: 3.0, SEND: 4.0, DEEP: 5.0})])
    values = values_of(experiment)
    assert values[SEND].tolist() == [[0.0], [4.0]]
    assert values[DEEP].tolist() == [[0.0], [5.0]]


def test_values_are_nan_where_nothing_was_measured():
    experiment = align(["p"], [run(1, 1, {MAIN: 1.0}), run(1, 2, {MAIN: 1.5}), run(2, 1, {MAIN: 3.0})])
    main = values_of(experiment)[MAIN]
    assert main[0].tolist() == [1.0, 1.5]
    assert main[1, 0] == 3.0 and np.isnan(main[1, 1])


def test_the_order_of_the_runs_does_not_matter():
    runs = [run(p, r, {MAIN: p + r / 10, SOLVE: 1.0}) for p in (1, 2, 4) for r in (1, 2)]
    forth, back = align(["p"], runs), align(["p"], runs[::-1])
    assert forth.callpaths == back.callpaths
    assert np.array_equal(forth.values["time"].sum, back.values["time"].sum)
    assert [r.source for r in forth.runs] == [r.source for r in back.runs]


def test_two_runs_of_the_same_repetition_both_count():
    experiment = align(["p"], [run(1, 1, {MAIN: 1.0}), run(1, 1, {MAIN: 2.0})])
    assert sorted(values_of(experiment)[MAIN][0].tolist()) == [1.0, 2.0]


def test_notices_are_listed_once_with_the_number_of_runs():
    experiment = align(["p"], [run(p, 1, {MAIN: 1.0}, notices=("odd",)) for p in (1, 2, 4)])
    assert experiment.notices == ("made.cubex: odd (and 2 more runs)",)


def test_no_runs_at_all_is_an_error():
    with pytest.raises(InputError, match="no run"):
        align(["p"], [])
