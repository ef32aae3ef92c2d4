from dataclasses import replace

import numpy as np
import pytest

from ingest.alignment import REDUCTIONS, MeasuredRun, align, experiment_from_series, with_processes
from ingest.errors import InputError
from ingest.profile import Metric
from ingest.reduction import reduce_profile
from ingest.region_class import RegionClass
from ingest.series import MeasuredSeries
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


def test_runs_without_a_parameter_are_of_their_number_of_processes():
    def of(processes, device=None):
        values = {"time": {MAIN: [1.0] * len(processes)}}
        profile = make_profile(values, process=processes, device=device)
        return MeasuredRun((), 1, reduce_profile(profile, ["time"]))

    read = with_processes(align([], [of([0, 0, 1]), of([0, 1])]))
    assert (read.parameters, read.points.tolist()) == (("p",), [[2.0]])
    assert read.notices[-1] == "the runs have no parameter: p is their number of processes"
    on_devices = with_processes(align([], [of([0, 0, 0], device=[0, 1, 2])]))
    assert on_devices.points.tolist() == [[3.0]]
    different = align([], [of([0, 1]), of([0])])
    assert with_processes(different) is different
    named = align(["n"], [run(4, 1, {MAIN: 1.0})])
    assert with_processes(named) is named


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


def test_every_reduction_of_a_run_has_its_own_place():
    both = make_profile({"time": {MAIN: [1.0, 3.0]}, "visits": {MAIN: [5.0, 5.0]}})
    alone = make_profile({"time": {MAIN: [2.0, 6.0]}})
    runs = [
        MeasuredRun((p,), 1, reduce_profile(one, ["time", "visits"]))
        for p, one in ((2.0, both), (4.0, alone))
    ]
    experiment = align(["p"], runs)
    time, visits = experiment.values["time"], experiment.values["visits"]
    assert [getattr(time, name)[0].tolist() for name in REDUCTIONS] == [
        [[4.0], [8.0]],
        [[2.0], [4.0]],
        [[1.0], [2.0]],
        [[3.0], [6.0]],
    ]
    assert visits.sum[0, 0, 0] == 10.0 and np.isnan(visits.sum[0, 1, 0])
    assert [metric.name for metric in experiment.metrics] == ["time", "visits"]
    assert experiment.shape == (2, 1)


def test_runs_are_recorded_with_their_points_repetitions_and_classes():
    runs = [run(4, 7, {MAIN: 1.0}, source="b"), run(2, 9, {MAIN: 2.0}), run(4, 3, {MAIN: 3.0}, source="a")]
    experiment = align(["p"], runs)
    assert [(r.source, r.point, r.repetition) for r in experiment.runs] == [
        ("made.cubex", 0, 0),
        ("a", 1, 0),
        ("b", 1, 1),
    ]
    assert [r.class_time.tolist() for r in experiment.runs] == [[[2.0]], [[3.0]], [[1.0]]]
    assert [r.process.tolist() for r in experiment.runs] == [[0]] * 3
    assert experiment.runs[0].classes == (RegionClass.COMPUTATION,)
    locations = experiment.locations()
    assert locations[:, 0].tolist() == [1.0, 1.0] and np.isnan(locations[0, 1])


def test_the_details_of_a_region_are_those_of_the_run_that_had_it_first():
    first = make_profile({"time": {MAIN: [1.0], SOLVE: [1.0]}})
    table = replace(
        first.regions,
        mangled=("main", "_Z5solve"),
        file=("", "a.c"),
        line=np.array([-1, 7]),
        paradigm=("", "user"),
    )
    other = make_profile({"time": {MAIN: [1.0], SEND: [1.0], SOLVE: [1.0]}})
    reduced = [reduce_profile(p, ["time"]) for p in (replace(first, regions=table), other)]
    experiment = align(["p"], [MeasuredRun((float(i),), 1, one) for i, one in enumerate(reduced)])
    i = experiment.regions.name.index("solve")
    assert (experiment.regions.mangled[i], experiment.regions.file[i], experiment.regions.line[i]) == (
        "_Z5solve",
        "a.c",
        7,
    )
    assert experiment.regions.paradigm == ("", "user", "mpi")


def test_the_same_tree_with_other_names_is_another_one():
    runs = [
        run(1, 1, {MAIN: 1.0, SOLVE: 2.0}),
        run(2, 1, {MAIN: 1.0, SEND: 2.0}),
        run(4, 1, {MAIN: 1.0, SOLVE: 4.0}),
    ]
    values = values_of(align(["p"], runs))
    assert values[SOLVE][:, 0].tolist() == [2.0, 0.0, 4.0]
    assert values[SEND][:, 0].tolist() == [0.0, 2.0, 0.0]


def test_a_series_becomes_an_experiment_in_preorder_and_as_it_is():
    paths = (("b",), ("b", "c"), ("a",), ("a", "b"))
    values = np.arange(8.0).reshape(4, 2, 1)
    series = MeasuredSeries(
        source="a.txt",
        parameters=("p",),
        points=np.array([[1.0], [2.0]]),
        callpaths=paths,
        metrics=(Metric("time", ""),),
        values={"time": values},
        notices=("odd",),
    )
    experiment = experiment_from_series(series)
    assert experiment.callpaths == list(paths)
    for name in REDUCTIONS:
        np.testing.assert_array_equal(getattr(experiment.values["time"], name), values)
    assert experiment.is_series and experiment.runs == () and experiment.notices == ("odd",)
    assert experiment.points.tolist() == [[1.0], [2.0]]
    assert experiment.metric("time") == Metric("time", "")
    with pytest.raises(InputError, match="no metric 'visits' was measured; metrics here: time"):
        experiment.metric("visits")
    with pytest.raises(InputError, match="metrics here: none"):
        replace(experiment, metrics=()).metric("time")
    assert not align(["p"], [run(1, 1, {MAIN: 1.0})]).is_series
