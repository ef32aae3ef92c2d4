import json
from functools import partial

import pytest


@pytest.fixture
def project(call):
    return partial(call, "project")


def test_milc_on_power5plus_prints_its_breakdown_with_intervals(project):
    code, told, error = project("milc", "--on", "power5plus", "--at", "L=8,P=1024")
    assert (code, error) == (0, "")
    # paper 004, table of kernel parameters: T_ser(8^4, niters 2000) on POWER5+
    assert "6.2239" in told and "90 % interval" in told


def test_json_has_total_and_breakdown(project):
    _, told, _ = project("milc", "--on", "power5plus", "--at", "L=8", "--at", "P=1024", "--json", "-")
    found = json.loads(told)
    serial = next(line for line in found["breakdown"] if line["path"] == ["T_ser"])
    assert serial["value"] == pytest.approx(6.2239, abs=1e-4)
    assert serial["lower"] < serial["value"] < serial["upper"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["milc", "--on", "power5plus", "--at", "L=8"], "no value for P"),
        (["milc", "--on", "power5plus", "--at", "L=8,P=1024,Q=1"], "no input 'Q'"),
        (["milc", "--on", "power5plus", "--at", "L=8,P"], "'P' is not an input"),
        (["milc", "--on", "nowhere", "--at", "L=8,P=4"], "nowhere"),
        (["nothing.toml"], "no such file"),
    ],
)
def test_wrong_input_is_one_line(project, arguments, message):
    code, told, error = project(*arguments)
    assert (code, told) == (2, "")
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(("name", "start"), [("roof.png", b"\x89PNG"), ("roof.svg", b"<?xml")])
def test_the_roofline_of_a_bandwidth_projection_is_drawn(project, tmp_path, name, start):
    code, told, _ = project("setsm", "--roofline", tmp_path / name)
    assert code == 0
    assert "total" in told
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["milc", "--on", "power5plus", "--at", "L=8,P=1024", "--roofline", "a.png"], "has no roofline"),
        (["setsm", "--roofline", "a.pdf"], "neither .png nor .svg"),
    ],
)
def test_a_roofline_that_cannot_be_drawn(project, arguments, message):
    code, told, error = project(*arguments)
    assert (code, told) == (2, "")
    assert message in error
