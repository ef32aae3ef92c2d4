"""`pipeline project --hold-out`: measurements that terms are fitted without, predicted by them."""

import json

import numpy as np
import pytest

from tests.pipeline.projection.ports.simulated import MAP, variant_lines

APPLICATION = """
machine = "here.toml"
{measured}
[inputs]
P = {{}}
n = "2 kB"
[terms.work]
model = "fitted"
formula = "a * n / P + c"
inputs = {{ n = "B", P = "1" }}
parameters = {{ a = "s/B", c = "s" }}
data = "work.csv"
[parts]
work = "work(n, P)"
sum = "mach.sum(P)"
"""
PORTS = """
machine = "here.toml"
[terms.flux]
model = "ports"
map = "{map}"
data = "variants.csv"
target = {{ div = 10, mul = 3 }}
[parts]
flux = "flux() * unit.s"
"""
MACHINE = """
[terms.sum]
model = "allreduce"
data = "sums.csv"
"""
SCALES = 2 ** np.arange(1, 9)


def work(p):
    """The law of the data: from P = 64 on something begins which no fit of the smaller ones can know."""
    return 20.0 / p + 0.5 + (0.7 if p >= 64 else 0.0)


@pytest.fixture
def held_out(call, tmp_path):
    def run(*conditions, measured='measured = "times.csv"', options=()):
        (tmp_path / "app.toml").write_text(APPLICATION.format(measured=measured))
        (tmp_path / "here.toml").write_text(MACHINE)
        rows = [f"2000,{p},{work(p) * 1e3:.12g}" for p in SCALES]
        (tmp_path / "work.csv").write_text("\n".join(["n [B],P,time [ms]", *rows]))
        rows = [f"{p},{0.01 + 0.02 * np.log2(p):.12g}" for p in SCALES]
        (tmp_path / "sums.csv").write_text("\n".join(["P,time [s]", *rows]))
        rows = [f"2,{p},{time}" for p in (4, 64, 128) for time in (work(p), 1.2 * work(p))]
        (tmp_path / "times.csv").write_text("\n".join(["n,P,time [s]", *rows]))
        given = [part for one in conditions for part in ("--hold-out", one)]
        code, text, told = call("project", tmp_path / "app.toml", *given, *options)
        return text if code == 0 else told

    return run


def test_terms_and_total_are_judged_by_what_they_were_fitted_without(held_out):
    found = json.loads(held_out("P >= 64", options=["--json", "-"]))
    assert found["conditions"] == ["P >= 64"]
    rows = {row["callpath"][0]: row for row in found["kernels"]}
    missed = [(20 / p + 0.5) / work(p) - 1 for p in (64, 128, 256)]
    assert rows["work"]["mean_error"] == pytest.approx(-np.mean(missed), rel=1e-4)
    assert (rows["work"]["points"], rows["work"]["inside"]) == (3, 0)
    assert rows["mach.sum"]["mean_error"] == pytest.approx(0, abs=1e-6)
    assert [row["at"] for row in found["points"]] == [{"P": p, "n": 2000} for p in (64, 128)]
    for row in found["points"]:
        p = row["at"]["P"]
        assert row["measured"] == pytest.approx(1.1 * work(p), rel=1e-5)
        assert row["predicted"]["value"] == pytest.approx(20 / p + 0.51 + 0.02 * np.log2(p), rel=1e-4)


def test_nothing_is_left_out_of_what_has_no_such_column(held_out):
    found = json.loads(held_out("n > 3000", "P == 4", options=["--json", "-"]))
    assert [row["points"] for row in found["kernels"]] == [1, 1]
    assert [row["at"]["P"] for row in found["points"]] == [4]


def test_the_screen_says_what_was_missed(held_out):
    lines = held_out("P >= 64").splitlines()
    assert lines[0].startswith("Held out: P >= 64")
    assert "Held out at 2 points: mean error" in "\n".join(lines)
    assert lines[-1].split() == ["work", "50.9", "%", "0", "of", "3"]
    alone = held_out("P >= 64", measured="")
    assert alone.splitlines()[0].split() == ["term", "mean", "error", "inside"]


def test_what_meets_no_measurement_is_refused(held_out):
    assert "--hold-out: no measurement that can be held out has P > 4096" in held_out("P > 4096")
    assert "'P ~ 3' is no condition; write 'P > 512': a column of the data, " in held_out("P ~ 3")
    assert "cannot be combined with --hold-out" in held_out("P > 4", options=["--show", "sensitivities"])


@pytest.mark.parametrize(
    ("times", "line"),
    [
        ("n,P,time [s]\n2,4,1\n2,64,0", "times.csv: line 3: '0' in column 'time' is not above 0"),
        ("n,P,time [s]\n2,4,-1\n2,64,1", "times.csv: line 2: '-1' in column 'time' is not above 0"),
        ("n,P,P,time [s]\n2,4,4,1\n2,64,64,1", "times.csv: column 'P' is there twice"),
        ("n,P,time [s]\n2,4,1e305", "times.csv: line 2: '1e305' in column 'time' is too large"),
        ("n,time [s]\n2,4", "no column 'P', an input of the total"),
        ("", "times.csv: the file is empty"),
    ],
)
def test_measured_times_that_cannot_be_compared_are_refused(held_out, tmp_path, times, line):
    held_out("P == 64")
    (tmp_path / "other.csv").write_text(times)
    told = held_out("n == 2", measured='measured = "other.csv"').replace("other.csv", "times.csv")
    assert line in told and told.count("\n") == 1


def test_a_time_of_zero_that_is_held_out_of_a_term_is_refused(held_out, call, tmp_path):
    held_out("P == 64", measured="")
    rows = (tmp_path / "work.csv").read_text().splitlines()
    (tmp_path / "work.csv").write_text("\n".join([*rows[:-1], "2000,256,0"]))
    code, _, told = call("project", tmp_path / "app.toml", "--hold-out", "P == 256")
    assert code == 2 and "work.csv: line 9: '0' in column 'time' is not above 0" in told


@pytest.mark.parametrize(
    ("measured", "line"),
    [
        ('measured = "none.csv"', "none.csv: cannot be read: No such file"),
        ("measured = 3", 'measured: is neither a file nor a table; write measured = "times.csv"'),
        ('measured = { here = "-3 s" }', "a measured total has to be a time above 0"),
    ],
)
def test_what_was_measured_is_read_before_anything_is_asked(held_out, measured, line):
    assert line in held_out(measured=measured, options=["--at", "P=4"])


def test_port_models_are_said_not_to_be_held_out(call, tmp_path):
    lines = variant_lines(isa="A")
    (tmp_path / "variants.csv").write_text("\n".join(lines))
    (tmp_path / "here.toml").write_text("")
    (tmp_path / "app.toml").write_text(PORTS.format(map=MAP))
    code, _, told = call("project", tmp_path / "app.toml", "--hold-out", "cycles > 4")
    assert code == 2
    assert "no measurement that can be held out has cycles > 4; variants of fitted port models (flux)" in told
