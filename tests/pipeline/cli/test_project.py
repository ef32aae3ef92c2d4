"""`pipeline project`: what it prints, writes and lists, and wrong input in one line."""

import json
import subprocess
import sys
from functools import partial

import pytest


@pytest.fixture
def project(call):
    return partial(call, "project")


def test_json_has_total_and_breakdown(project, tmp_path):
    arguments = ["milc", "--on", "power5plus", "--at", "L=8", "--at", "P=1024"]
    _, printed, _ = project(*arguments, "--json", "-")
    found = json.loads(printed)
    serial = next(line for line in found["breakdown"] if line["path"] == ["T_ser"])
    # paper 004, table of kernel parameters: T_ser(8^4, niters 2000) on POWER5+
    assert serial["value"] == pytest.approx(6.2239, abs=1e-4)
    assert serial["lower"] < serial["value"] < serial["upper"]
    code, table, _ = project(*arguments, "--json", tmp_path / "out.json")
    assert code == 0
    assert "6.2239" in table and "90 % interval" in table
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
        "[APPLICATION | OUT]",
        "MACHINE",
        "L=8,P=1024",
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
        (["xe6"], "xe6: a machine, not an application; applications are geometric-series, hycom"),
        (["milc", "--on", "power5plus", "--at", "L=8,P=256", "--roofline", "a.png"], "has no roofline"),
        (["setsm", "--roofline", "a.gif"], "--out: 'a.gif' is neither .png, .svg nor .pdf"),
        (
            ["milc", "--at", "L=4:14,P=64:256:x2"],
            "--at: L and P have several values; sweep one input at a time",
        ),
        (
            ["milc", "--at", "L=8,P=256", "--show", "part"],
            "--show: 'part' is not known; choose one of parts, sen",
        ),
        (
            ["milc", "--at", "L=4:8,P=256", "--show", "sensitivities"],
            "--show: sensitivities are shown at one po",
        ),
        (
            ["milc", "--to", "fortran"],
            "Invalid value for '--to': 'fortran' is not one of 'octave', 'python', 'latex'",
        ),
        (
            ["milc", "--to", "octave", "--at", "L=8"],
            "--to: prints the formula, with its inputs as arg",
        ),
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


def test_a_sweep_prints_one_row_per_value(project, tmp_path):
    arguments = ["milc", "--on", "xt5", "--at", "L=4:8:2,P=1024"]
    code, printed, error = project(*arguments, "-o", tmp_path / "sweep.svg")
    assert (code, error) == (0, f"pipeline: wrote {tmp_path / 'sweep.svg'}\n")
    lines = printed.splitlines()
    assert lines[0] == "MILC su3_rmd on Cray XT5 (Kraken), expected"
    assert lines[1].startswith("at P = 1024, niters = 2000")
    assert lines[2].split() == [
        "L",
        "T_ser",
        "T_p2p",
        "T_coll",
        "total",
        "[s]",
        "90",
        "%",
        "interval",
        "noiseless",
        "ideal",
    ]
    assert [line.split()[0] for line in lines[3:]] == ["4", "6", "8", *["At"] * (len(lines) - 6)]
    for line in lines[3:6]:
        serial, messages, collective, total = map(float, line.split()[1:5])
        assert serial + messages + collective == pytest.approx(total, abs=1e-9)
    _, alone, _ = project("milc", "--on", "xt5", "--at", "L=6,P=1024")
    total = next(line for line in alone.splitlines() if line.startswith("total"))
    assert lines[4].split()[4] == total.split()[1]
    assert (tmp_path / "sweep.svg").read_bytes().startswith(b"<?xml")


def test_a_sweep_as_data(project):
    arguments = ["milc", "--on", "xt5", "--at", "L=8", "--at", "P=1024,1500,2048"]
    _, printed, _ = project(*arguments, "--json", "-")
    found = json.loads(printed)
    assert found["swept"] == "P"
    assert [p["at"]["P"] for p in found["projections"]] == [1024, 1500, 2048]
    _, single, _ = project("milc", "--on", "xt5", "--at", "L=8,P=1500", "--json", "-")
    assert found["projections"][1] == json.loads(single)
    _, table, notes = project(*arguments, "--format", "csv")
    assert table.splitlines()[0] == "P,part,value,lower,upper,unit,share"
    assert len(table.splitlines()) == 1 + 3 * (len(found["projections"][0]["breakdown"]) + 1)
    assert notes.count("1500 is interpolated") == 1
    _, shown, _ = project(*arguments)
    assert shown.splitlines()[-1].endswith("1500 is interpolated (P = 1500)")


@pytest.mark.slow
def test_sensitivities_are_a_table(project):
    _, printed, _ = project("milc", "--on", "xt5", "--at", "L=8,P=1024", "--show", "sensitivities")
    rows = [line.split() for line in printed.splitlines()]
    assert rows[0] == ["value", "change", "for", "1", "%"]
    assert rows[1] == ["L", "+4.004", "%"]
    assert ["mach.CG.b2", "+0.411", "%"] in rows
    _, printed, _ = project(
        "milc", "--on", "xt5", "--at", "L=8,P=1024", "--show", "sensitivities", "--json", "-"
    )
    first = json.loads(printed)["sensitivities"][0]
    assert (first["name"], round(first["elasticity"], 3)) == ("L", 4.004)


def test_the_formula_as_source_text(project):
    code, printed, _ = project("milc", "--on", "xt5", "--to", "octave")
    assert code == 0
    assert printed.startswith("function value = milc(")
    assert printed.endswith("end\n")
    assert project("milc", "--on", "xt5", "--variant", "ideal", "--to", "latex")[1].count("\\frac")


@pytest.mark.parametrize(
    ("argument", "unneeded"),
    [
        ("setsm", "pipeline.projection.ports pipeline.projection.fitting pipeline.models.fit"),
        ("stencil-2d", "pipeline.projection.ports pipeline.projection.terms.measured_term"),
        ("--list", "pipeline.projection.expressions.symbolic pipeline.projection.terms pipeline.models.fit"),
    ],
)
def test_a_projection_loads_only_what_its_application_needs(argument, unneeded):
    code = (
        "import atexit, sys; from pipeline.cli import main;"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        f"sys.argv = ['pipeline', 'project', '{argument}']; main()"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    loaded = told.stderr.split()
    assert "pipeline.projection.applications.application_file" in loaded
    for name in (*unneeded.split(), "pipeline.questions", "scipy", "pyarrow", "pandas"):
        assert name not in loaded
