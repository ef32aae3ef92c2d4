"""Hatchet's dictionaries and Proton's files."""

import json

import pytest

from ingest.errors import InputError
from ingest.profile import CPU
from ingest.readers import hatchet
from tests.ingest.readers.by_path import sums_by_path

from .hatchet_files import HATCHET, LITERAL, frame

FORMAT, FILE = "Hatchet", "out.json"


@pytest.mark.parametrize("name", ["literal", "python"])
def test_own_times_are_those_without_callees(read, name):
    profile = read(HATCHET[name])
    assert sums_by_path(profile, "time") == {
        ("main",): 0.5,
        ("main", "solve"): 3.0,
        ("main", "solve", "dot"): 2.0,
        ("main", "write"): 1.0,
    }
    assert [metric.name for metric in profile.metrics] == ["time"]
    assert profile.notices == ("no unit is stated: times are read as seconds",)


def test_of_inclusive_values_those_of_callees_are_taken(read):
    profile = read(HATCHET["inclusive"])
    assert sums_by_path(profile, "time") == {("main",): 1.5, ("main", "solve"): 5.0}
    assert sums_by_path(profile, "PAPI_TOT_INS") == {("main",): 10.0, ("main", "solve"): 50.0}


def test_protons_kernels_are_on_their_device_in_seconds(read):
    profile = read(HATCHET["proton"])
    assert profile.locations.device.tolist() == [CPU, 1]
    assert sums_by_path(profile, "time") == pytest.approx(
        {("ROOT", "forward", "matmul"): 3e-3, ("ROOT", "matmul"): 1e-3}
    )
    assert sums_by_path(profile, "visits") == {("ROOT", "forward", "matmul"): 2, ("ROOT", "matmul"): 1}
    assert sums_by_path(profile, "flops16") == {("ROOT", "matmul"): 1e9}
    assert dict(zip(profile.regions.name, profile.regions.paradigm, strict=True))["matmul"] == "gpu kernel"
    assert profile.notices == ()


def test_a_chain_of_calls_may_be_deep(read):
    chain = frame("f", time__s=1.0)
    for _ in range(300):
        chain = frame("f", chain, time__s=1.0)
    assert read(json.dumps([chain])).values("time").sum() == 301


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (json.dumps([frame("f")]), "no number in it that adds up"),
        (repr(LITERAL)[:-1], "not a literal of Python"),
        (repr(LITERAL).replace("2.0", "f()"), "not a literal of Python"),
        (json.dumps(LITERAL)[:-1], "not JSON"),
        (json.dumps([{"frame": {"name": "f"}, "metrics": 3}]), "'metrics' should be an object"),
        (json.dumps([{"frame": {"name": "f"}, "children": 3}]), "'children' should be a list"),
        (json.dumps([frame("f", time=float("nan"))]), "not finite"),
    ],
)
def test_damage_is_named(read, content, error):
    with pytest.raises(InputError, match=error):
        read(content)


def test_other_lists_are_not_hatchets(tmp_path):
    (tmp_path / FILE).write_text('[{"name": "a", "ph": "X", "ts": 1}]')
    assert not hatchet.matches(tmp_path / FILE)
