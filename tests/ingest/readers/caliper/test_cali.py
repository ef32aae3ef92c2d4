"""Caliper's ``.cali`` files: times, visits, counters, locations, damage."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.readers import read_profile
from ingest.readers.caliper import cali, caliper_profile

from .cali_files import DEVICE, DOUBLE, LOOP, MAIN, SEND, VALUE, Cali, exclusive

SUMS = "values are sums over the processes{}; single processes are not available"


def test_exclusive_times(tmp_path):
    profile = read_profile(exclusive().globals(cluster="a").write(tmp_path / "a.cali"))
    paths = [("<outside>",), ("main",), ("main", "cycle"), ("main", "cycle", "MPI_Send")]
    assert profile.tree.paths(profile.regions.name) == paths
    np.testing.assert_allclose(profile.values("time")[:, 0], [0.5, 1, 2, 4])
    assert profile.regions.paradigm == ("user", "user", "user", "mpi")
    assert profile.attributes["cluster"] == "a"
    assert profile.notices == ()


def test_inclusive_times_summed_over_processes(tmp_path):
    name = "sum#inclusive#sum#time.duration"
    file = Cali().record(MAIN, extra=[(name, 9), ("spot.channel", "regionprofile")])
    file.record(SEND, extra=[(name, 4)]).record(LOOP, extra=[(name, 70), ("spot.channel", "timeseries")])
    profile = read_profile(file.globals(jobsize="8").write(tmp_path / "a.cali"))
    assert profile.tree.paths(profile.regions.name)[1] == ("main", "cycle")  # without a record of its own
    np.testing.assert_allclose(profile.values("time")[:, 0], [5, 0, 4])
    np.testing.assert_allclose(profile.values("time", inclusive=True)[:, 0], [9, 4, 4])
    assert profile.notices == (SUMS.format(""),)


def test_processes_nanoseconds_and_visits(tmp_path):
    file = Cali()
    for rank in (3, 0):
        for path in (MAIN, LOOP):
            values = [("sum#time.duration.ns", 1e9 * (rank + 1)), ("sum#region.count", 7), ("mpi.rank", rank)]
            file.record(path, extra=values)
    profile = read_profile(file.write(tmp_path / "a.cali"))
    np.testing.assert_allclose(profile.values("time"), [[1, 4], [1, 4]])
    np.testing.assert_array_equal(profile.values("visits"), np.full((2, 2), 7))
    assert profile.locations.process.tolist() == [0, 1]


def test_hardware_counters_are_metrics_by_their_own_names(tmp_path):
    file = Cali().record(MAIN, extra=[("sum#time.duration", 1), ("sum#papi.PAPI_FP_OPS", 100)])
    counters = [
        ("sum#papi.PAPI_FP_OPS", 7),
        ("sum#sum#papi.PAPI_FP_OPS", 999),
        ("sum#libpfm.counter.LLC_MISSES", 3),
        ("max#papi.PAPI_FP_OPS", 50),
    ]
    file.record(LOOP, extra=[("sum#time.duration", 2), *counters])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert [(metric.name, metric.unit) for metric in profile.metrics] == [
        ("time", "s"),
        ("PAPI_FP_OPS", "occ"),
        ("LLC_MISSES", "occ"),
    ]
    np.testing.assert_array_equal(profile.values("PAPI_FP_OPS")[:, 0], [100, 7])
    np.testing.assert_array_equal(profile.values("LLC_MISSES")[:, 0], [0, 3])


def test_the_unit_counts_if_there_is_one(tmp_path):
    file = Cali()
    file.attribute("sum#time.duration", DOUBLE, VALUE, unit="usec")
    profile = read_profile(file.record(MAIN, extra=[("sum#time.duration", 5e6)]).write(tmp_path / "a.cali"))
    assert profile.values("time")[0, 0] == pytest.approx(5)


def test_callees_longer_than_their_caller_are_reported(tmp_path):
    file = Cali().record(MAIN, extra=[("inclusive#sum#time.duration", 1)])
    file.record(LOOP, extra=[("inclusive#sum#time.duration", 2)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    np.testing.assert_array_equal(profile.values("time")[:, 0], [0, 2])
    assert profile.notices == ("1 negative exclusive times were read as zero",)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("", "empty"),
        ("\0", "binary"),
        ("something else", "line 1: not a Caliper record"),
        ("__rec=globals,ref=77", "damaged"),
        ("__rec=ctx,attr=8,data=x", "truncated"),
        ("__rec=node,id=20,attr=8,data=x,parent=20", "line 1: malformed node"),
        ("__rec=node,id=3,attr=8,data=x,parent=3", "line 1: malformed node"),
        ("__rec=node,id=21,attr=10,id=20,attr=8,data=x,parent=20", "malformed node"),
        ("__rec=node,id=20,att", "malformed node"),
        ("__rec=ctx,ref=77,attr=1,data=2", "damaged"),
        ("__rec=ctx,attr=\\", "damaged"),
        ("__rec=ctx,attr=8,data=x", "contains no sum of times"),
        (
            "\n".join(f"__rec=node,id={i + 12},attr=8,data=x,parent={i + 11}" for i in range(3000)),
            "line 2001",
        ),
        ("\n".join(Cali().record(MAIN, extra=[("sum#time.duration", "fast")]).lines), "is not a number"),
        ("\n".join(Cali().record(MAIN, extra=[("sum#time.duration", "nan")]).lines), "is not finite, or"),
        ("\n".join(Cali().record(MAIN, extra=[("sum#time.duration", "-1e308")]).lines), "or too large"),
        ("\n".join(Cali().record(MAIN, extra=[("max#time.duration", "1")]).lines), "values here: "),
    ],
)
def test_wrong_files(tmp_path, lines, error):
    path = tmp_path / "a.cali"
    path.write_text(lines if error in ("empty", "truncated") else lines + "\n")
    with pytest.raises(InputError) as caught:
        read_profile(path)
    assert error in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 900), st.integers(0, 40), st.text("__rec=node,ctx\n0123456789=\\", max_size=12))
def test_damaged_files_are_refused_in_one_line_or_read(tmp_path, at, removed, inserted):
    path = exclusive().globals(jobsize="8").write(tmp_path / "a.cali")
    text = path.read_text()
    path.write_text(text[:at] + inserted + text[at + removed :])
    for read in (read_profile, cali.parameters):
        try:
            read(path)
        except InputError as error:
            assert len(str(error).splitlines()) == 1


def timed(name="sum#time.duration", path=MAIN, value=2.0, **values):
    """Return a file with one record."""
    return Cali().record(path, extra=[(name, value), *values.items()])


@pytest.mark.parametrize(
    ("name", "unit", "seconds"),
    [
        ("sum#time.duration", None, 2.0),
        ("sum#time.duration", "sec", 2.0),
        ("sum#time.duration", "s", 2.0),
        ("sum#time.duration", "msec", 2e-3),
        ("sum#time.duration", "usec", 2e-6),
        ("sum#time.duration", "us", 2e-6),
        ("sum#time.duration", "nsec", 2e-9),
        ("sum#time.duration", "ns", 2e-9),
        ("sum#time.duration", "hours", 7200.0),
        ("sum#time.duration", "ticks", 2.0),
        ("sum#time.duration.ns", None, 2e-9),
        ("sum#time.duration.ns", "usec", 2e-6),
        ("sum#scale#sum#time.duration.ns", None, 2.0),
        ("time.duration", None, 2.0),
        ("inclusive#sum#time.duration", None, 2.0),
        ("sum#time.inclusive.duration", None, 2.0),
        ("sum#sum#time.duration", None, 2.0),
    ],
)
def test_sums_of_times_have_many_names_and_units(tmp_path, name, unit, seconds):
    file = Cali()
    file.attribute(name, DOUBLE, VALUE, unit=unit)
    profile = read_profile(file.record(MAIN, extra=[(name, 2.0)]).write(tmp_path / "a.cali"))
    assert profile.values("time")[0, 0] == pytest.approx(seconds, rel=1e-12)
    assert [(metric.name, metric.unit) for metric in profile.metrics] == [("time", "s")]


@pytest.mark.parametrize(
    "name",
    ["max#time.duration", "avg#time.duration", "sum#time.durations", "xsum#time.duration", "sum#time"],
)
def test_other_statistics_are_no_times(tmp_path, name):
    with pytest.raises(InputError, match=rf"it contains no sum of times; values here: {name}$"):
        read_profile(timed(name, path=()).write(tmp_path / "a.cali"))


def test_names_of_values_are_cut_and_only_those_of_values_are_named(tmp_path):
    file = Cali().record((), extra=[("plain", 1), ("a.b", 2), ("c#d", 3)])
    with pytest.raises(InputError, match=r"values here: a\.b, c#d$"):
        read_profile(file.write(tmp_path / "a.cali"))
    with pytest.raises(InputError, match=r"values here: none$"):
        read_profile(Cali().record((), extra=[("plain", 1)]).write(tmp_path / "b.cali"))
    many = Cali().record((), extra=[(f"a.{i:03}", 1) for i in range(100)])
    with pytest.raises(InputError) as caught:
        read_profile(many.write(tmp_path / "c.cali"))
    assert len(caught.value.hint) == len("values here: ") + 200


def test_exclusive_times_come_before_inclusive_ones_and_those_of_processes_before_sums(tmp_path):
    names = ["inclusive#sum#time.duration", "sum#sum#time.duration", "sum#time.duration", "time.duration"]
    file = Cali().record(MAIN, extra=[(name, i + 1.0) for i, name in enumerate(names)])
    assert read_profile(file.write(tmp_path / "a.cali")).values("time").tolist() == [[3.0]]
    both = Cali().record(MAIN, extra=[(name, i + 1.0) for i, name in enumerate(names[:2])])
    profile = read_profile(both.write(tmp_path / "b.cali"))
    assert profile.values("time").tolist() == [[2.0]]
    assert profile.notices == (SUMS.format(", whose number is not stated: times are those of all together"),)


@pytest.mark.parametrize(
    ("globals_", "number"),
    [
        ({"jobsize": "8"}, 8),
        ({"jobsize": "8", "mpi.world.size": "16"}, 16),
        ({"jobsize": "1"}, 1),
        ({"mpi.world.size": "1", "jobsize": "8"}, 1),
    ],
)
def test_sums_over_processes_state_their_number(tmp_path, globals_, number):
    file = timed("sum#sum#time.duration")
    profile = read_profile(file.globals(**globals_).write(tmp_path / "a.cali"))
    assert profile.processes == number
    assert profile.notices == (() if number == 1 else (SUMS.format(""),))


def test_locations_are_ranks_and_threads(tmp_path):
    file = Cali()
    for rank, thread in ((5, 1), (2, 0), (5, 0), (2, 0)):
        extra = [("sum#time.duration", 1.0), ("rank", rank), ("pthread.id", thread)]
        file.record(MAIN, extra=extra)
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert profile.locations.process.tolist() == [0, 1, 1]
    assert profile.locations.thread.tolist() == [0, 0, 1]
    assert profile.locations.cpu.all()
    assert profile.values("time").tolist() == [[2.0, 1.0, 1.0]]


def test_the_first_of_several_numbers_of_a_process_counts(tmp_path):
    extra = [("rank", 7), ("mpi.rank", 3), ("thread", 4), ("omp.thread.id", 2), ("pthread.id", 9)]
    file = Cali().record(MAIN, extra=[("sum#time.duration", 1.0), *extra])
    file.record(MAIN, extra=[("sum#time.duration", 1.0), ("rank", "x7"), ("thread", "1" * 19)])
    locations = read_profile(file.write(tmp_path / "a.cali")).locations
    assert locations.process.tolist() == [0, 1]
    assert locations.thread.tolist() == [0, 2]


@pytest.mark.parametrize("name", ["region.count", "sum#region.count", "sum#sum#rc.count"])
def test_visits_have_many_names(tmp_path, name):
    file = Cali().record(MAIN, extra=[("sum#time.duration", 1.0)])
    file.record(LOOP, extra=[(name, 5)]).record(LOOP, extra=[("other.count", 9)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert [(metric.name, metric.unit) for metric in profile.metrics] == [("time", "s"), ("visits", "occ")]
    assert profile.values("visits")[:, 0].tolist() == [0.0, 5.0]
    assert profile.values("time")[:, 0].tolist() == [1.0, 0.0]


def test_records_without_values_make_no_call_paths(tmp_path):
    file = timed().record(LOOP, extra=[("max#region.count", 5)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert profile.tree.paths(profile.regions.name) == [("main",)]
    assert [metric.name for metric in profile.metrics] == ["time"]


def test_call_paths_without_a_record_took_what_their_callees_took(tmp_path):
    file = Cali()
    for rank, paths in ((0, ((MAIN, 9.0), (SEND, 4.0))), (1, ((LOOP, 5.0),))):
        for path, value in paths:
            file.record(path, extra=[("inclusive#sum#time.duration", value), ("mpi.rank", rank)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert profile.values("time", inclusive=True).tolist() == [[9.0, 5.0], [4.0, 5.0], [4.0, 0.0]]
    assert profile.values("time").tolist() == [[5.0, 0.0], [0.0, 5.0], [4.0, 0.0]]


def test_differences_by_rounding_are_not_reported(tmp_path):
    def negative(seconds):
        file = Cali().record(MAIN, extra=[("inclusive#sum#time.duration", 1.0)])
        file.record(LOOP, extra=[("inclusive#sum#time.duration", 1.0 + seconds)])
        profile = read_profile(file.write(tmp_path / "a.cali"))
        assert profile.values("time").min() == 0.0
        return profile.notices

    assert negative(0.9e-5) == ()
    assert negative(1.1e-5) == ("1 negative exclusive times were read as zero",)


def test_only_annotated_calls_of_mpi_are_mpi(tmp_path):
    file = Cali()
    for path in (
        (*MAIN, ("mpi.function", "MPI_Send")),
        (*MAIN, ("function", "MPI_Wait")),
        (*MAIN, ("mpi.function", "other")),
    ):
        file.record(path, extra=[("sum#time.duration", 1.0)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert dict(zip(profile.regions.name, profile.regions.paradigm, strict=True)) == {
        "main": "user",
        "MPI_Send": "mpi",
        "MPI_Wait": "user",
        "other": "user",
    }
    assert profile.regions.mangled == profile.regions.name
    assert profile.regions.line.tolist() == [-1] * 4


def test_limits_hold_exactly(tmp_path, monkeypatch):
    path = exclusive().globals(note="x" * 1001).write(tmp_path / "a.cali")
    monkeypatch.setattr(caliper_profile, "_MAX_VALUES", 4)
    profile = read_profile(path)
    assert profile.attributes == {"generator": "Caliper", "note": "x" * 1000}
    monkeypatch.setattr(caliper_profile, "_MAX_VALUES", 3)
    with pytest.raises(InputError, match="too large for memory: 4 call paths on 1 locations"):
        read_profile(path)
    monkeypatch.setattr(caliper_profile, "_MAX_VALUES", 4)
    monkeypatch.setattr(cali, "_MAX_DEPTH", 3)
    assert len(read_profile(path).tree) == 4
    monkeypatch.setattr(cali, "_MAX_DEPTH", 2)
    with pytest.raises(InputError, match=r"line \d+: malformed node"):
        read_profile(path)


def test_files_of_caliper_are_known_by_their_name(tmp_path):
    (tmp_path / "folder.cali").mkdir()
    (tmp_path / "A.CALI").touch()
    assert cali.matches(tmp_path / "A.CALI")
    assert not cali.matches(tmp_path / "folder.cali")
    assert not cali.matches(tmp_path / "a.cali.txt")


def test_annotations_without_a_name_get_one(tmp_path):
    profile = read_profile(timed(path=(("function", ""),)).write(tmp_path / "a.cali"))
    assert profile.regions.name == ("<unnamed>",)


def test_a_program_without_a_record_took_what_all_below_it_took(tmp_path):
    file = Cali()
    for path, seconds in ((SEND, 4.0), ((*MAIN, ("function", "solve")), 3.0)):
        file.record(path, extra=[("inclusive#sum#time.duration", seconds)])
    profile = read_profile(file.write(tmp_path / "a.cali"))
    np.testing.assert_allclose(profile.values("time", inclusive=True)[:, 0], [7, 4, 4, 3])
    assert profile.values("time").sum() == 7


def test_lines_may_end_as_on_other_systems(tmp_path):
    file = exclusive().record(MAIN, extra=[(DEVICE, 2.0), ("cupti.kernel.name", "axpy")])
    path = file.globals(jobsize="8").write(tmp_path / "a.cali")
    expected = read_profile(path)
    assert "axpy" in expected.regions.name
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    found = read_profile(path)
    assert found.regions.name == expected.regions.name
    assert found.attributes == expected.attributes
    np.testing.assert_array_equal(found.values("time"), expected.values("time"))


def test_the_last_of_several_values_of_a_record_counts(tmp_path):
    file = Cali().record(MAIN, extra=[("sum#time.duration", 1.0), ("sum#time.duration", 2.0)])
    assert read_profile(file.write(tmp_path / "a.cali")).values("time").tolist() == [[2.0]]


def test_records_with_fewer_values_than_attributes(tmp_path):
    file = Cali().record(MAIN, extra=[("sum#time.duration", 1.0), ("sum#region.count", 2)])
    file.record(LOOP, extra=[("sum#time.duration", 4.0), ("sum#region.count", 8)])
    file.lines[-1] = file.lines[-1].removesuffix("=8")
    profile = read_profile(file.write(tmp_path / "a.cali"))
    assert profile.values("time")[:, 0].tolist() == [1, 4]
    assert profile.values("visits")[:, 0].tolist() == [2, 0]


def test_records_are_those_of_calipers_own_package(tmp_path):
    package = pytest.importorskip("caliperreader")
    texts = ("a\\,b", "c\\=d\\\\", "two\\nlines", "operator\\,", "plain")
    file = Cali()
    for rank, text in enumerate(texts):
        path = (*MAIN, ("function", text))
        file.record(path, extra=[("sum#time.duration", rank + 0.5), ("mpi.rank", rank), ("note", text)])
        file.record(
            (), extra=[("note", text), ("sum#time.duration", rank)], beside=[("note", "x"), ("b", text)]
        )
    path = file.globals(cluster="x\\,y", jobsize="5").write(tmp_path / "a.cali")
    expected, globals_ = package.read_caliper_contents(str(path))
    found = cali.read_records(path)
    assert found.globals == {name: text for name, text in globals_.items() if isinstance(text, str)}
    place, tree, regions = found.callpaths.build()
    paths = tree.paths(regions)
    rows = [{"path": paths[place[node]]} if node >= 0 else {"path": ()} for node in found.node.tolist()]
    for name, column in found.columns.items():
        for row, value in zip(column.rows.tolist(), column.values, strict=True):
            rows[row][name] = value
    kept = ("path", *found.columns)
    theirs = [{name: record[name] for name in kept if name in record} for record in expected]
    theirs = [record | {"path": tuple(record.get("path", ()))} for record in theirs]
    by_values = {str(sorted(row.items(), key=str)) for row in rows}
    assert by_values == {str(sorted(row.items(), key=str)) for row in theirs}
    assert len(rows) == len(theirs) == 10
