"""What `pipeline choose` says of applications, whose truth is the formula that their files state."""

import json
import re
from math import log, log2

import numpy as np
import pytest
from scipy.stats import norm

APPLICATION = """
title = "solver"
machine = "here.toml"
{more}
[inputs]
P = {{ meaning = "processes" }}
n = 100
[parts]
work = "{work}"
tree = "mach.b * log2(P)"
"""
MACHINE = """
[values]
cores = 8
a = "1 s {a}"
b = "0.2 s {b}"
"""
STRONG, WEAK = "mach.a * n / P", "mach.a * n"


@pytest.fixture
def solver(call, tmp_path):
    """Call `choose` for the JSON of an application whose time is a n / P + b log2(P), or a n + b log2(P)."""

    def run(*options, work=STRONG, a="", b="", more="", terms=""):
        (tmp_path / "app.toml").write_text(APPLICATION.format(work=work, more=more))
        (tmp_path / "here.toml").write_text(MACHINE.format(a=a, b=b) + terms)
        code, text, told = call("choose", tmp_path / "app.toml", *options, "--json", "-")
        return (json.loads(text), told) if code == 0 else (code, told)

    return run


def by_scale(found):
    return {job["point"]["P"]: job for job in found["jobs"]}


def truth(p, n=100.0):
    return n / p + 0.2 * log2(p)


def test_figures_are_those_of_the_formula(solver):
    found, told = solver("--deadline", "5s", "--at", "P=100,n=200")
    jobs = by_scale(found)
    assert [p for p in jobs if log2(p) % 1 == 0] == [1, 2, 4, 8, 16, 32, 64] and max(jobs) == 100
    for p, job in jobs.items():
        seconds = truth(p, 200.0)
        assert job["wall_seconds"]["value"] == pytest.approx(seconds, rel=1e-4)
        assert job["efficiency"]["value"] == pytest.approx(200.0 / (p * seconds), rel=1e-4)
        assert job["nodes"] == np.ceil(p / 8)
        assert job["core_hours"]["value"] == pytest.approx(job["nodes"] * 8 * seconds / 3600, rel=1e-4)
        assert job["holds"] is (seconds <= 5)
    assert "strong scaling" in told


def test_the_probability_is_that_of_what_is_uncertain(solver):
    found, _ = solver("--deadline", "11s", "--at", "P=10:20:1", a="+- 20 %")
    for p, job in by_scale(found).items():
        bound = (11 - 0.2 * log2(p)) * p / 100  # of a, whose logarithm is normal with its value as median
        expected = norm.cdf(log(bound) / np.sqrt(np.log1p(0.2**2)))
        assert job["probability"] == pytest.approx(expected, abs=0.03)


def test_an_error_that_all_scales_share_cancels_from_the_efficiency(solver):
    alone = "mach.a * (n / P + 0.2 * log2(P)) - mach.b * log2(P)"
    for work, exact in ((alone, True), (STRONG, False)):
        job = by_scale(solver("--efficiency", "75%", "--at", "P=64", work=work, a="+- 20 %")[0])[64]
        assert job["wall_seconds"]["upper"] > 1.2 * job["wall_seconds"]["lower"]
        assert (job["efficiency"]["upper"] - job["efficiency"]["lower"] < 1e-9) is exact


def test_limits_that_share_an_error_fail_together(solver):
    """Both limits at the median of one error, that of b: they hold with 50 %, not with 25 %."""
    p = 64
    limits = ("--deadline", f"{truth(p)}s", "--efficiency", f"{100 * 100 / p / truth(p)}%")
    found, _ = solver(*limits, "--at", f"P={p}", b="+- 20 %")
    assert by_scale(found)[p]["probability"] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("more", "work"), [("", WEAK), ('scaling = "weak"', STRONG)])
def test_weak_scaling_is_found_or_stated(solver, more, work):
    found, told = solver("--efficiency", "1%", "--at", "P=64", work=work, more=more)
    ratio = 100 / (100 + 0.2 * log2(64)) if work is WEAK else 100 / truth(64)
    assert by_scale(found)[64]["efficiency"]["value"] == pytest.approx(ratio, rel=1e-4)
    assert list(found["best"]) == ["largest"]
    assert ("weak scaling" in told) is (not more)


def test_a_sweep_says_which_scales_come_into_question(solver):
    found, _ = solver("--deadline", "9s", "--at", "P=96,12,48")
    assert list(by_scale(found)) == [12, 48, 96]
    assert by_scale(found)[48]["efficiency"]["value"] == pytest.approx(
        truth(12) * 12 / (truth(48) * 48), rel=1e-4
    )


def test_another_input_than_the_processes_can_be_asked_for(solver):
    found, _ = solver("--deadline", "20s", "--at", "n=100:400:100,P=16")
    assert [job["point"] for job in found["jobs"] if job["holds"]] == [{"n": n} for n in (100, 200, 300)]
    assert found["best"] == {"largest": {"n": 300}}
    assert found["jobs"][0]["core_hours"]["value"] == pytest.approx(16 * truth(16) / 3600, rel=1e-4)


TABLE = """
[terms.c]
model = "latency_bandwidth"
by = "P"
rows = [
  { P = 24, latency = "1 s", bandwidth = "1 B/s" },
  { P = 96, latency = "2 s", bandwidth = "1 B/s" },
]
"""


def test_scales_are_those_that_tables_know(solver):
    found, told = solver("--deadline", "20s", work="mach.c(n * unit.B) / P", terms=TABLE)
    assert (min(by_scale(found)), max(by_scale(found))) == (24, 96)
    assert "was measured at P = 24, 96" in told
    found, told = solver(
        "--deadline", "20s", "--at", "P=12,48,96", work="mach.c(n * unit.B) / P", terms=TABLE
    )
    assert list(by_scale(found)) == [48, 96]
    assert "1 value of P left out" in told


def test_what_cannot_be_asked_of_an_application_is_refused(solver, call, tmp_path):
    assert solver("--deadline", "5s")[1].startswith(
        f"pipeline: {tmp_path / 'app.toml'}: no largest value of P;"
    )
    for option in ("--measure", "--steps=3", "--what-if=work=0.5", "--from=xe6", "--isoefficiency=75%"):
        assert "cannot be combined with an application" in solver("--at", "P=8", option)[1]
    for option in ("--memory-per-node=1GB", "--energy=4kWh"):
        told = solver("--at", "P=8", option)[1]
        assert "cannot be combined with an application; omit it; limits of an application are" in told
    told = solver("--efficiency", "75%", "--at", "n=100:400:100,P=16")[1]
    assert "nothing scales here; let an input count processes" in told
    told = call("choose", "nofile.toml", "--deadline", "5s")[2]
    assert told.startswith("pipeline: nofile.toml: no such file or directory; give a results directory")
    assert "no input counts processes" in call("choose", "setsm", "--deadline", "5s")[2]
    assert solver("--at", "P=8", more='scaling = "both"')[0] == 2


@pytest.mark.parametrize("scale", ["0", "-4", "0.5", "2.5", "1,2.5,4"])
def test_numbers_of_processes_are_whole(solver, scale):
    code, told = solver("--deadline", "5s", "--at", f"P={scale}")
    wrong = "2.5" if "," in scale else scale
    assert code == 2 and f"--at P: {wrong} is not a whole number from 1; write P=64" in told


def test_a_sweep_says_where_parts_pass_each_other(solver, call, tmp_path):
    """100 / P = 0.2 log2(P) at P = 79.26; where they do not cross, nothing is said."""
    solver("--at", "P=8")
    printed = call("project", tmp_path / "app.toml", "--at", "P=2:1024:x2")[1]
    assert re.search(r"At P = 79\.3 \(.*\) tree overtakes work", " ".join(printed.split()))
    assert "overtakes" not in call("project", tmp_path / "app.toml", "--at", "P=2:64:x2")[1]


def test_many_crossings_of_a_sweep_are_cut(call, tmp_path):
    rising = [f'p{k} = "P * unit.s / {2 ** (k + 1)}"' for k in range(4)]
    flat = [f'flat{k} = "{1 + k / 4} * unit.s"' for k in range(4)]
    text = 'machine = "here.toml"\n[inputs]\nP = {}\n[parts]\n'
    (tmp_path / "app.toml").write_text("\n".join([text, *rising, *flat]))
    (tmp_path / "here.toml").write_text(MACHINE.format(a="", b=""))
    printed = call("project", tmp_path / "app.toml", "--at", "P=1:1024:x2")[1]
    assert printed.count("overtakes") == 6
    assert re.search(r"\.\.\. and \d+ more", printed)
