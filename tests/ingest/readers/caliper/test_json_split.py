"""Caliper's format json-split."""

import json

import pytest

from ingest.discovery import discover
from ingest.errors import InputError
from ingest.readers.caliper import cali
from ingest.resource_use import NODE_MEMORY, memory_of, stated_memory
from tests.ingest.readers.by_path import values_by_path

from .json_split_files import JSON_SPLIT, NODES, PATH, by_rank, inclusive
from .json_split_files import json_split as written

FORMAT, FILE = "Caliper JSON", "profile"


SEND = ("main", "cycle", "MPI_Send")


def test_exclusive_times_of_ranks_and_time_outside(read):
    profile = read(by_rank())
    assert values_by_path(profile) == {
        ("<outside>",): [0.25, 0],
        ("main",): [1, 4],
        ("main", "cycle"): [0.5, 0],
        SEND: [1.5, 0],
        ("cycle",): [0, 0.125],
    }
    assert values_by_path(profile, "visits")[SEND] == [3, 2]
    assert profile.locations.process.tolist() == [0, 1]
    assert profile.locations.cpu.all()
    assert dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))["MPI_Send"] == "mpi"
    assert profile.notices == (
        "no unit is stated for the values of 'sum#time.duration': whole numbers are read as microseconds",
        "process 1 of 4 is missing, as is 1 more: values are those of the others",
    )


def test_memory_is_that_of_ranks_and_makes_no_call_path(read):
    columns = ["sum#time.duration", "max#alloc.region.highwatermark", "mpi.rank", PATH]
    rows = [[1.5, 2e6, 0, 0], [2, 3e6, 0, 1], [1.5, 5e6, 7, 0], [None, 4e6, 7, 3]]
    profile = read(written(columns, rows, NODES))
    plain = read(written(columns[:1] + columns[2:], [row[:1] + row[2:] for row in rows[:3]], NODES))
    assert values_by_path(profile) == values_by_path(plain)
    assert memory_of(profile) == (5e6, "max#alloc.region.highwatermark")
    assert stated_memory(profile.attributes, NODE_MEMORY, nodes=2) == 4e6
    assert memory_of(plain) is None


def test_numbers_with_digits_are_seconds_if_no_unit_is_stated(read):
    profile = read(written(["sum#time.duration", PATH], [[1.5, 0], [2, 1]], NODES))
    assert profile.values("time").tolist() == [[1.5], [2]]
    assert profile.notices == (
        "no unit is stated for the values of 'sum#time.duration': they are read as seconds",
    )


@pytest.mark.parametrize(
    ("name", "unit", "seconds"),
    [
        ("sum#time.duration", "usec", 3e-6),
        ("sum#time.duration.ns", None, 3e-9),
        ("scale#sum#time.duration.ns", None, 3.0),
        ("time", "sec", 3.0),
    ],
)
def test_units_are_those_of_metadata_and_names(read, name, unit, seconds):
    about = {"is_value": True} | ({"attribute.unit": unit} if unit else {})
    profile = read(written([(name, about), PATH], [[3, 0]], NODES))
    assert profile.values("time")[0, 0] == pytest.approx(seconds, rel=1e-12)
    assert profile.notices == ()


def test_columns_are_found_by_their_names(read):
    columns = [PATH, "other", "sum#time.duration", "mpi.rank"]
    profile = read(written(columns, [[1, 99, 2000000, 5], [None, 99, 1000000, 5]], NODES))
    assert values_by_path(profile) == {("main", "cycle"): [2], ("<outside>",): [1], ("main",): [0]}


def test_inclusive_times_become_exclusive(read):
    profile = read(inclusive())
    assert values_by_path(profile) == {("main",): [5], ("main", "cycle"): [3], SEND: [1]}


def test_another_column_of_nodes_is_the_path_if_there_is_none(read):
    nodes = [("f", "function"), ("g", "function", 0), ("x", "cupti.kernel.name")]
    kernel = ("cupti.kernel.name", {"is_value": False})
    columns = [kernel, ("function", {"is_value": False}), "scale#sum#time.duration"]
    assert values_by_path(read(written(columns, [[2, 1, 1.5]], nodes))) == {("f",): [0], ("f", "g"): [1.5]}


def test_the_keys_may_have_any_order_and_lie_anywhere(tmp_path):
    file = tmp_path / "x"
    for first in ("data", "columns", "column_metadata", "nodes"):
        file.write_text(written(["time", PATH], [[1.5, 0]] * 3000, NODES, first=first))
        assert cali.matches_json(file)
        assert cali.read_json_split(file).values("time").sum() == 4500
    for text in ("{}", "", "[1]", '{"data": [], "columns": [], "nodes": []}', '"column_metadata"'):
        file.write_text(text)
        assert not cali.matches_json(file)
    assert not cali.matches_json(tmp_path)


def test_global_values_are_attributes_and_parameters(tmp_path):
    for name, jobsize in (("a", 4), ("b", 8)):
        (tmp_path / f"{name}.json").write_text(by_rank(jobsize=str(jobsize), cluster="a"))
    found = discover(tmp_path)
    assert found.parameters == ("jobsize",)
    assert [run.parameters for run in found.runs] == [(4,), (8,)]
    assert cali.read_json_split(tmp_path / "a.json").attributes == {
        "generator": "Caliper",
        "jobsize": "4",
        "cluster": "a",
    }


@pytest.mark.parametrize("first", ["data", "nodes", "note"])
@pytest.mark.parametrize("row", [[1.5, 0], [None, 0], ['a", [', 0], [-1e-3, None]])
def test_parameters_do_not_depend_on_where_rows_stand_and_what_is_in_them(tmp_path, first, row):
    aside = {"note": '"data": [1, 2], "jobsize": "9', "outer": {"data": [3], "jobsize": 7}, "jobsize": 4}
    for name, jobsize in (("a", 4), ("b", 8)):
        about = aside | {"jobsize": jobsize}
        text = written(["time", PATH], [row] * 3, NODES, about, first=first)
        (tmp_path / f"{name}.json").write_text(text)
    assert [run.parameters for run in discover(tmp_path).runs] == [(4,), (8,)]


def changed(**parts):
    return json.dumps(json.loads(JSON_SPLIT["ranks"]) | parts)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (JSON_SPLIT["ranks"][:-30], "not JSON.*truncated"),
        (changed(data=[[1, 2]]), "row 1 does not have 5 entries"),
        (changed(data={}), "it has no list 'data'"),
        (changed(columns=["a"]), "1 columns, some of the same name or without metadata"),
        (
            changed(nodes=[{"label": "a", "parent": 0}]),
            "node 0 has no label, or a parent that does not stand",
        ),
        (changed(nodes=[{"column": "a"}]), "node 0 has no label"),
        (changed(nodes=[{"label": "a"}]), "3 is not the number of a node"),
        (changed(data=[[1, 0, True, 1, 1]]), "True is not the number of a node"),
        (changed(data=[[1, 0, 0, "fast", 1]]), "'sum#time.duration' is not a number"),
        (changed(data=[[1, 0, 0, [1], 1]]), r"neither a number nor a text: \[1\]"),
        (changed(data=[[1, 0, 0, float("nan"), 1]]), "'sum#time.duration' is not finite"),
        (changed(data=[]), "no sum of times"),
        (written(["avg#time.duration", PATH], [[1, 0]], NODES), "no sum of times; values here: avg#time"),
    ],
)
def test_damaged_files_are_refused_in_one_line(tmp_path, text, error):
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(InputError, match=error) as caught:
        cali.read_json_split(file)
    assert len(str(caught.value).splitlines()) == 1


def test_nodes_that_nest_too_deeply_are_refused(tmp_path, monkeypatch):
    file = tmp_path / "x.json"
    file.write_text(JSON_SPLIT["ranks"])
    monkeypatch.setattr(cali, "_MAX_DEPTH", 3)
    cali.read_json_split(file)
    monkeypatch.setattr(cali, "_MAX_DEPTH", 2)
    with pytest.raises(InputError, match="node 2 lies more than 2 deep"):
        cali.read_json_split(file)
