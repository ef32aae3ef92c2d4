"""`pipeline project`: what it prints, writes and lists, and wrong input in one line."""

import json
from functools import partial

import pytest

from pipeline.cli.project import inputs_of


@pytest.fixture
def project(call):
    return partial(call, "project")


def test_milc_on_power5plus_prints_its_breakdown_with_intervals(project):
    code, printed, error = project("milc", "--on", "power5plus", "--at", "L=8,P=1024")
    assert (code, error) == (0, "")
    # paper 004, table of kernel parameters: T_ser(8^4, niters 2000) on POWER5+
    assert "6.2239" in printed and "90 % interval" in printed


def test_json_has_total_and_breakdown(project, tmp_path):
    arguments = ["milc", "--on", "power5plus", "--at", "L=8", "--at", "P=1024"]
    _, printed, _ = project(*arguments, "--json", "-")
    found = json.loads(printed)
    serial = next(line for line in found["breakdown"] if line["path"] == ["T_ser"])
    assert serial["value"] == pytest.approx(6.2239, abs=1e-4)
    assert serial["lower"] < serial["value"] < serial["upper"]
    code, table, _ = project(*arguments, "--json", tmp_path / "out.json")
    assert code == 0
    assert "90 % interval" in table
    assert json.loads((tmp_path / "out.json").read_text()) == found


def test_a_variant_is_chosen(project):
    _, printed, _ = project("milc", "--on", "xt5", "--variant", "ideal", "--at", "L=8,P=4096")
    assert printed.startswith("MILC su3_rmd on Cray XT5 (Kraken), ideal\n")


def test_shipped_files_are_listed(project):
    code, printed, error = project("--list")
    assert (code, error) == (0, "")
    names = [line.split()[0] for line in printed.splitlines() if line and not line.startswith(" ")]
    assert names[0] == "application"
    assert {"milc", "setsm", "openfoam-cavity", "machine", "xt5", "zen4-vm"} <= set(names)
    assert "MILC su3_rmd (--at L, P)" in printed


def test_shipped_files_are_listed_as_json(project, tmp_path):
    code, printed, error = project("--list", "--json", "-")
    assert (code, error) == (0, "")
    found = json.loads(printed)
    assert {"milc", "setsm"} <= {each["name"] for each in found["applications"]}
    assert {"xt5", "x1e"} <= {each["name"] for each in found["machines"]}
    assert all(each["title"] and each["source"] for kind in found.values() for each in kind)
    project("--list", "--json", tmp_path / "list.json")
    assert json.loads((tmp_path / "list.json").read_text()) == found


def test_help_says_what_can_be_given(project):
    code, printed, _ = project("--help")
    words = " ".join(printed.replace("│", " ").split())
    assert code == 0
    for text in (
        "[APPLICATION]",
        "MACHINE",
        "NAME=VALUE,...",
        "--list",
        "the application's own",
        ".png or .svg",
    ):
        assert text in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no application given; `pipeline project --list` shows the shipped ones"),
        (["milc", "--on", "power5plus", "--at", "L=8"], "no value for P (processes); give it with --at P=8"),
        (["milc", "--on", "power5plus"], "no value for L (lattice sites"),
        (["milc", "--on", "power5plus", "--at", "L=8,P=1024,Q=1"], "no input 'Q'; inputs are L, P, niters"),
        (
            ["milc", "--on", "power5plus", "--at", "L=8,P"],
            "--at: 'P' is not an input; write it like L=8,P=1024",
        ),
        (["milc", "--on", "power5plus", "--at", "L=8,=4"], "--at: '=4' is not an input"),
        (
            ["milc", "--on", "power5plus", "--at", "L=8,P=256,f=8 s"],
            "--at f: unit mismatch: 'f' is in B, the value in s",
        ),
        (["milc", "--on", "power5plus", "--at", "L=8,P=x"], "--at P: 'x' is not a quantity"),
        (
            ["milc", "--on", "nowhere", "--at", "L=8,P=4"],
            "nowhere: no such file, and no shipped machine of that name",
        ),
        (["milc", "--on", "power5", "--at", "L=8,P=4"], "did you mean 'power5plus'?"),
        (
            ["milc", "--on", "xt5", "--at", "L=8,P=1024", "--variant", "best"],
            "no variant 'best'; variants: expected, noiseless, ideal",
        ),
        (["nothing.toml"], "nothing.toml: no such file, and no shipped application of that name"),
        (["mlic"], "did you mean 'milc'?"),
        (["milc", "--on", "power5plus", "--at", "L=8,P=256", "--roofline", "a.png"], "has no roofline"),
        (["setsm", "--roofline", "a.pdf"], "--roofline: 'a.pdf' is neither .png nor .svg"),
    ],
)
def test_wrong_input_is_one_line(project, arguments, message):
    code, printed, error = project(*arguments)
    assert (code, printed) == (2, "")
    assert message in error
    assert error.startswith("pipeline: ")
    assert error.count("\n") == 1


def test_the_roofline_is_drawn_beside_the_table(project, tmp_path):
    code, printed, _ = project("setsm", "--roofline", tmp_path / "roof.svg")
    assert code == 0
    assert "total" in printed
    assert (tmp_path / "roof.svg").read_bytes().startswith(b"<?xml")


def test_inputs_are_numbers_or_texts_with_a_unit():
    assert inputs_of(["L=8, P = 1e3 ,", "halo=64 KiB", "", "x=-0.5"]) == {
        "L": 8.0,
        "P": 1000.0,
        "halo": "64 KiB",
        "x": -0.5,
    }
    assert inputs_of(["a=b=c"]) == {"a": "b=c"}
    assert inputs_of([]) == {}
