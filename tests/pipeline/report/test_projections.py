"""Projections and the list of shipped files, in the terminal and as JSON."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from ingest.record_codec import document
from ingest.units import BYTES, NONE, TIME_DIMENSION
from pipeline.columns.shipped import Shipped, tables_of_shipped
from pipeline.projection.applications.application_file import load_application
from pipeline.projection.applications.projections import MeasuredTotal, ProjectedValue, Variant
from pipeline.projection.machines.machine_values import load_machine
from pipeline.report.projections import show_projection
from pipeline.report.render.console import console
from pipeline.report.render.terminal_tables import show_tables
from pipeline.stages.project import project
from pipeline.stages.shipped import shipped_applications, shipped_machines


def printed(projection, width=None, details=False):
    stream = io.StringIO()
    out = console(stream) if width is None else Console(file=stream, width=width, highlight=False)
    show_projection(out, projection, details)
    return stream.getvalue().splitlines()


def shown(*arguments, **options):
    return printed(project(*arguments, **options), 300, details=True)


def row(lines, name):
    return next(line for line in lines if line.split()[:1] == [name])


def test_the_breakdown_of_milc():
    lines = shown("milc", "power5plus", {"L": 8, "P": 1024})
    assert lines[0] == "MILC su3_rmd on IBM POWER5+ cluster, expected"
    assert lines[1] == "at L = 8, P = 1024, niters = 2000, trajecs = 1, warms = 0, steps = 1, meas = 1, f = 4"
    assert lines[2].split() == ["part", "s", "90", "%", "interval", "share"]
    assert row(lines, "T_ser").split() == ["T_ser", "6.2239", "6.1751", "..", "6.2738", "63.5", "%"]
    assert any(line.startswith("  FF ") for line in lines)
    assert row(lines, "T_coll").split()[1:5] == ["0.0732", "no", "spread", "stated"]
    assert row(lines, "total").split()[:2] == ["total", "9.8075"]
    assert "A = 36864 B" in row(lines, "with")
    assert "V = 4096, runs = 1" in row(lines, "with")
    assert row(lines, "ideal:") == "ideal: 11.268 s, expected takes 14.9 % less (12 to 18 %)"
    assert lines[-1] == row(lines, "ideal:")


def test_what_is_shown_adds_up_to_the_last_digit():
    lines = shown("milc", "power5plus", {"L": 8, "P": 1024})
    value = {name: float(row(lines, name).split()[1]) for name in ("T_ser", "T_p2p", "T_coll", "total")}
    assert value["T_ser"] + value["T_p2p"] + value["T_coll"] == pytest.approx(value["total"], abs=1e-9)
    kernels = [line.split() for line in lines[4:9]]
    assert sum(float(kernel[1]) for kernel in kernels) == pytest.approx(value["T_ser"], abs=1e-9)
    share = {name: float(row(lines, name).split()[-2]) for name in ("T_ser", "T_p2p", "T_coll")}
    assert sum(share.values()) == pytest.approx(100.0, abs=1e-9)
    assert sum(float(kernel[-2]) for kernel in kernels) == pytest.approx(share["T_ser"], abs=1e-9)


def test_a_terminal_of_eighty_columns_shows_the_table_whole():
    lines = printed(project("milc", "power5plus", {"L": 8, "P": 1024}), 80)
    table = lines[3 : lines.index(row(lines, "total")) + 1]
    assert max(map(len, table)) <= 80
    assert len(table) == 14 and "V = 4096" not in " ".join(lines)


def test_variants_and_notices():
    lines = shown("milc", "xt5", {"L": 8, "P": 1500})
    assert row(lines, "noiseless:").startswith("noiseless: ")
    assert "expected loses 4.2 % against it (" in row(lines, "noiseless:")
    assert row(lines, "Note:") == "Note: mach.message was measured at P = 1024, 2048; 1500 is interpolated"


def test_a_variant_without_a_total_says_why():
    lines = shown("milc", "xt5", {"L": 8, "P": 4096}, variant="ideal")
    assert lines[0].endswith(", ideal")
    assert row(lines, "expected:") == (
        "expected: no total: mach.message was measured at P = 1024, 2048, not 4096"
    )


def line(name, value, *, low=None, high=None, dimension=TIME_DIMENSION, share=None):
    low, high = (value if end is None else end for end in (low, high))
    return ProjectedValue(path=(name,), value=value, lower=low, upper=high, dimension=dimension, share=share)


@pytest.fixture(scope="module")
def milc():
    return project("milc", "power5plus", {"L": 8, "P": 1024})


def test_losses_and_gains_have_their_interval(milc):
    def compared(value, low, high):
        variant = Variant(
            "other", line("other", 2.0), line("other", value, low=low, high=high, dimension=NONE)
        )
        return row(printed(replace(milc, variants=(variant,))), "other:")

    assert compared(0.125, 0.1, 0.2) == "other: 2.0000 s, expected loses 12.5 % against it (10 to 20 %)"
    assert compared(0.0, -0.1, 0.2) == "other: 2.0000 s, expected loses 0.0 % against it (-10 to 20 %)"
    assert compared(-0.125, -0.2, -0.1) == "other: 2.0000 s, expected takes 12.5 % less (10 to 20 %)"


def test_units_that_differ_from_the_totals_are_shown(milc):
    parts = (
        line("size", 3000.0, dimension=BYTES),
        line("time", 0.5, share=0.25),
        line("none", 2.0, dimension=NONE),
    )
    lines = printed(replace(milc, parts=parts, definitions=(), at={}, variants=()))
    assert row(lines, "size").split() == ["size", "3000.0", "B", "no", "spread", "stated", "-"]
    assert row(lines, "time").split() == ["time", "0.5000", "no", "spread", "stated", "25.0", "%"]
    assert row(lines, "none").split()[:2] == ["none", "2.0000"]
    assert lines[0] == "MILC su3_rmd on IBM POWER5+ cluster"
    assert not any(text.startswith(("at ", "with ")) for text in lines)
    plain = printed(replace(milc, total=line("total", 2.0, dimension=NONE), level=0.5, variants=()))
    assert plain[2].split() == ["part", "value", "50", "%", "interval", "share"]


def test_a_projection_by_bandwidth():
    lines = shown("setsm", "ivybridge-e5-2670v2")
    assert "1599.2" in row(lines, "total")
    assert row(lines, "measured:") == "measured: 1603.0, the projection is off by -0.2 %"
    assert row(lines, "speed-up:").startswith("speed-up: 1.82 (1.")
    # The groups projected over their coverage, as the total is: 2457.8 s / 0.846.
    assert row(lines, "speed-up:").endswith(") over 2905.2 s on Cray XE6 node (Blue Waters)")
    assert row(lines, "U/VLL:") == ("U/VLL: assumed to be memory-bound; no counters to confirm it")
    assert [text.split(":")[0] for text in lines if "no counters to confirm" in text] == [
        "U/VLL",
        "U/main",
        "U/OT",
        "U/VLL_B",
    ]


def test_names_from_files_are_not_markup(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text('title = "[bold]x[/bold]"\nmachine = "xt5"\n[parts]\n"[red]" = "2"\n')
    lines = shown(path)
    assert lines[0].startswith("[bold]x[/bold] on")
    assert row(lines, "[red]")


def test_json_has_everything_shown(milc):
    found = document(milc)
    assert (found["title"], found["machine"]) == ("MILC su3_rmd", "IBM POWER5+ cluster")
    assert (found["variant"], found["level"]) == ("expected", 0.9)
    assert found["definitions"][0] | {"share": None} == {
        "path": ["V"],
        "value": 4096,
        "lower": 4096,
        "upper": 4096,
        "unit": "",
        "share": None,
    }
    assert [found[key] for key in ("measured", "reference", "speedup", "verdicts")] == [None, None, None, []]
    assert found["at"] == {
        "L": 8,
        "P": 1024,
        "niters": 2000,
        "trajecs": 1,
        "warms": 0,
        "steps": 1,
        "meas": 1,
        "f": 4,
    }
    total = found["total"]
    assert (total["path"], total["unit"], total["share"]) == (["total"], "s", None)
    assert total["lower"] < total["value"] < total["upper"]
    assert total["value"] == pytest.approx(milc.total.value, rel=1e-9)
    serial = found["breakdown"][0]
    assert (serial["path"], serial["share"]) == (["T_ser"], pytest.approx(0.6346, abs=1e-4))
    assert found["breakdown"][1]["path"] == ["T_ser", "FF"]
    (ideal,) = found["variants"]
    assert (ideal["name"], ideal["reason"], ideal["loss"]["unit"]) == ("ideal", "", "")
    assert json.loads(json.dumps(found)) == found


def test_json_of_a_projection_by_bandwidth():
    result = project("setsm", "ivybridge-e5-2670v2")
    found = document(result)
    assert found["measured"]["value"] == 1603
    assert found["measured"]["error"] == pytest.approx(result.total.value / 1603 - 1)
    assert found["reference"]["machine"] == "Cray XE6 node (Blue Waters)"
    ratio = found["reference"]["value"] / found["total"]["value"]
    assert (found["speedup"]["value"], found["speedup"]["unit"]) == (pytest.approx(ratio), "")
    first = found["verdicts"][0]
    assert first["group"] == "U/VLL"
    assert first["sentence"] == "assumed to be memory-bound; no counters to confirm it"
    assert first["limited_by"].startswith("memory bandwidth")


def test_json_of_a_variant_without_a_total():
    found = document(project("milc", "xt5", {"L": 8, "P": 4096}, variant="ideal"))
    expected = found["variants"][0]
    assert (expected["total"], expected["loss"]) == (None, None)
    assert expected["reason"].startswith("mach.message was measured")


def shipped(applications, machines):
    return Shipped(machines=tuple(machines), applications=tuple(applications))


def listed(width, *files):
    stream = io.StringIO()
    show_tables(Console(file=stream, width=width, highlight=False), tables_of_shipped(shipped(*files)))
    return stream.getvalue().splitlines()


def test_what_is_shipped_has_a_line_each_on_a_wide_terminal():
    lines = [text.rstrip() for text in listed(200, shipped_applications(), shipped_machines())]
    assert lines[0].split(maxsplit=1) == ["application", "description" + lines[0].partition("description")[2]]
    assert lines[0].endswith("source")
    milc = row(lines, "milc")
    assert "MILC su3_rmd (--at L, P)" in milc
    assert milc.endswith("Bauer, Gottlieb, Hoefler, CCGrid 2012: Eqs. 2 to 5, Figures 1, 2")
    assert "(--" not in row(lines, "setsm")
    assert "Cray XT5 (Kraken) (--variant expected, noiseless, ideal)" in row(lines, "xt5")
    assert "(--" not in row(lines, "zen4-vm")
    assert "; node and network" in row(lines, "archer2") and "; n" not in row(lines, "xt5")
    assert lines.index("") == 10
    assert len(lines) == 10 + 1 + 1 + len(shipped_machines())


def test_the_list_fits_eighty_columns_and_shows_names_whole():
    lines = listed(80, shipped_applications(), shipped_machines())
    assert max(map(len, lines)) <= 80
    assert row(lines, "broadwell-e5-2660v4")


def test_the_list_as_json(tmp_path):
    (tmp_path / "app.toml").write_text(
        'title = "x"\n[inputs]\nn = { unit = "kB", meaning = "size" }\nm = "3 kB"\nk = 2\n[parts]\nt = "1"\n'
    )
    (tmp_path / "node.toml").write_text('name = "y"\nsource = "z"\n[values]\nhz = "2 GHz"\n')
    found = document(
        shipped([load_application(tmp_path / "app.toml")], [load_machine(tmp_path / "node.toml")])
    )
    assert found == {
        "applications": [
            {
                "name": "app",
                "title": "x",
                "source": "",
                "reproduces": "",
                "machine": None,
                "inputs": [
                    {"name": "n", "meaning": "size", "unit": "B", "default": None},
                    {"name": "m", "meaning": "", "unit": "B", "default": 3000},
                    {"name": "k", "meaning": "", "unit": "", "default": 2},
                ],
            }
        ],
        "machines": [
            {
                "name": "node",
                "title": "y",
                "source": "z",
                "covers": [],
                "variants": [],
                "values": {"hz": {"value": 2e9, "unit": "1/s"}},
            }
        ],
    }
    machines = document(shipped((), shipped_machines()))["machines"]
    assert next(each for each in machines if each["name"] == "xt5")["variants"] == [
        "expected",
        "noiseless",
        "ideal",
    ]


def test_a_projection_measured_elsewhere_says_nothing_of_it(milc):
    assert not any("measured:" in text for text in printed(milc))
    measured = printed(replace(milc, measured=MeasuredTotal(milc.total.value / 1.25, 0.25)))
    assert row(measured, "measured:").endswith("the projection is off by +25.0 %")


def test_the_roofline_is_in_the_json_of_counted_regions(tmp_path, milc):
    """Flop/B of the level that was counted, flop/s; none without a profile."""
    (tmp_path / "node.toml").write_text(
        'name = "node"\n[values]\nbw_node = "10 GB/s"\nbw_l2 = "40 GB/s"\npeak_dp = "80 Gflop/s"\n'
    )
    (tmp_path / "run.csv").write_text(
        "region,kind,time [s],PAPI_FP_OPS,PAPI_L1_DCM\nsolve,threaded,2,64e9,4e9\n"
    )
    (tmp_path / "app.toml").write_text(
        'title = "x"\nmachine = "node.toml"\n[bandwidth]\nreference = "node.toml"\nprofile = "run.csv"\n'
    )
    found = document(project(tmp_path / "app.toml"))["roofline"]
    assert found["bandwidths"] == {"bw_l2": 40e9, "bw_node": 10e9}
    assert found["peaks"] == {"peak_dp": 80e9}
    assert found["points"] == [{"name": "solve", "run": "", "level": "L2", "intensity": 0.25, "rate": 32e9}]
    assert document(milc)["roofline"] is None
