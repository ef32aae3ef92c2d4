import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.discovery import choose_parameters, discover
from ingest.errors import InputError
from ingest.readers import caliper, read_profile

from .cali_files import DOUBLE, LOOP, MAIN, SEND, VALUE, Cali, exclusive

pytest.importorskip("caliperreader", reason="the extra 'caliper' is not installed")


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
    assert profile.notices == ("values are sums over 8 processes: single processes are not available",)


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


def test_metadata_are_the_parameters(tmp_path):
    for i, (processes, size) in enumerate([(8, 30), (64, 30), (8, 60), (8, 30)]):
        told = {"jobsize": processes, "mpi.world.size": processes, "problem_size": size, "iterations": 10}
        told |= {"elapsed_time": "1.5", "launchdate": 1609796088 + i, "cluster": "a"}
        exclusive().globals(**{k: str(v) for k, v in told.items()}).write(tmp_path / f"x{i}y7.cali")
    found = discover(tmp_path)
    assert found.parameters == ("jobsize", "problem_size")
    assert [(run.parameters, run.repetition) for run in found.runs] == [
        ((8.0, 30.0), 1),
        ((8.0, 30.0), 2),
        ((8.0, 60.0), 1),
        ((64.0, 30.0), 1),
    ]
    assert found.notices == ("parameters from the metadata of the profiles: jobsize, problem_size",)
    (tmp_path / "broken.cali").write_text("__rec=node,id=1\n")
    broken = discover(tmp_path)
    assert len(broken.runs) == 4
    assert [(skipped.path.name, skipped.damaged) for skipped in broken.skipped] == [("broken.cali", True)]


def test_names_are_the_parameters_where_there_are_no_metadata(tmp_path):
    for processes in (4, 8):
        exclusive().write(tmp_path / f"lulesh.p{processes}.cali")
    assert discover(tmp_path).parameters == ("p",)


def test_parameters_are_chosen():
    rows = [{"jobsize": 8, "n": 1, "m": 1, "same": 3}, {"jobsize": 8, "n": 2, "m": 2, "same": 3, "only": 1}]
    assert choose_parameters(rows) == ("jobsize", "m")
    assert choose_parameters([{"same": 3}, {"same": 3}]) == ()
    assert choose_parameters([]) == ()


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "caliperreader", None)
    with pytest.raises(InputError, match=r"need the package caliper-reader; pip install .*\[caliper\]"):
        read_profile(exclusive().write(tmp_path / "a.cali"))


@pytest.mark.parametrize(
    ("lines", "told"),
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
def test_wrong_files(tmp_path, lines, told):
    path = tmp_path / "a.cali"
    path.write_text(lines if told in ("empty", "truncated") else lines + "\n")
    with pytest.raises(InputError) as caught:
        read_profile(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 900), st.integers(0, 40), st.text("__rec=node,ctx\n0123456789=\\", max_size=12))
def test_damaged_files_are_refused_in_one_line_or_read(tmp_path, at, removed, inserted):
    path = exclusive().globals(jobsize="8").write(tmp_path / "a.cali")
    text = path.read_text()
    path.write_text(text[:at] + inserted + text[at + removed :])
    for read in (read_profile, caliper.parameters):
        try:
            read(path)
        except InputError as error:
            assert len(str(error).splitlines()) == 1
