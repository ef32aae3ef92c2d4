"""Machine and application files of a user's own: fits, expressions, tables, and every mistake in one line."""

import numpy as np
import pytest

from ingest.errors import InputError, ModelError, PipelineError, UsageError
from pipeline.projection.files import find, shipped
from pipeline.projection.machine import load_machine
from pipeline.stages.project import project

APPLICATION = """
title = "stencil"
[inputs]
n = { meaning = "sites" }
P = 64
block = "64 kB"
[define]
calls = "floor(n / 100)"
[parts]
kernel = "calls * mach.sweep(n)"
[parts.network]
halo = "4 * mach.message(block)"
sums = "mach.sum(P)"
"""
MACHINE = """
name = "cluster"
[values]
base = "2 us +- 10 %"
[terms.sweep]
model = "cache_kernel"
data = "times.csv"
where = { kernel = "sweep" }
[terms.message]
model = "latency_bandwidth"
latency = "2 us"
bandwidth = "1 GB/s"
[terms.sum]
inputs = { P = "1" }
expression = "2 * tree(P) + base"
[terms.tree]
model = "allreduce"
c = "1 us"
d = "0.5 us"
"""


@pytest.fixture
def files(tmp_path):
    random = np.random.default_rng(1)
    sites = np.repeat(np.geomspace(100, 1e5, 12).round(), 3)
    micros = (0.5 * np.minimum(3000, sites) + 0.9 * np.maximum(0, sites - 3000)) * (
        1 + 0.005 * random.standard_normal(len(sites))
    )
    rows = [f"sweep,{v},{t}" for v, t in zip(sites, micros, strict=True)] + ["other,1,1"]
    (tmp_path / "times.csv").write_text("\n".join(["kernel,V,time_us", *rows]) + "\n")
    (tmp_path / "app.toml").write_text(APPLICATION)
    (tmp_path / "cluster.toml").write_text(MACHINE)
    return tmp_path


def edited(files, name, old, new):
    path = files / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return files


def projected(files, **at):
    return project(files / "app.toml", files / "cluster.toml", at or {"n": 1000})


def test_terms_are_fitted_composed_and_called(files):
    found = projected(files, n=1000)
    parts = {".".join(line.path): line for line in found.parts}
    assert parts["kernel"].value == pytest.approx(10 * 500e-6, rel=0.01)
    assert parts["kernel"].upper - parts["kernel"].lower == pytest.approx(2 * 1.7 * 0.005 * 5e-3, rel=0.4)
    assert parts["network.halo"].value == pytest.approx(4 * (2e-6 + 64e-6))
    assert parts["network.sums"].value == pytest.approx(2 * 4e-6 + 2e-6)
    assert parts["network.sums"].upper == pytest.approx(2 * 4e-6 + 2e-6 * 1.18, rel=0.01)
    assert found.total.value == pytest.approx(parts["kernel"].value + parts["network"].value)


def test_inputs_take_plain_numbers_in_their_own_unit_and_texts_with_any(files):
    plain = projected(files, n=1000, block=128).parts
    with_unit = projected(files, n="1000", block="128000 B").parts
    assert plain == with_unit


def test_beyond_the_fitted_sizes_is_told(files):
    assert projected(files, n=2e5).notices == ("mach.sweep was fitted to V 100 to 1e+05, here 2e+05",)


def test_the_application_may_name_a_machine_beside_it(files):
    edited(files, "app.toml", 'title = "stencil"', 'machine = "cluster.toml"')
    assert project(files / "app.toml", at={"n": 1000}).machine == "cluster"


MISTAKES = [
    ("app.toml", "mach.sweep(n)", "mach.swept(n)", "did you mean 'mach.sweep'? or add it to"),
    ("app.toml", "mach.sweep(n)", "sweep(n)", "did you mean 'mach.sweep'?"),
    ("app.toml", "mach.sweep(n)", "mach.sweep(n, P)", "mach.sweep() takes V, not 2 arguments"),
    ("app.toml", "mach.sweep(n)", "mach.sweep(block)", "'V' is in no unit, the value given for it in B"),
    ("app.toml", "mach.sweep(n)", "mach.sweep", "'mach.sweep' is a function"),
    ("app.toml", '4 * mach.message(block)"', '4 * mach.message(block) + block"', "cannot add s and B"),
    ("app.toml", 'sums = "mach.sum(P)"', 'sums = "P"', "cannot add s and no unit"),
    ("app.toml", "[define]", "[defines]", "unknown key 'defines'; did you mean 'define'?"),
    ("app.toml", '"floor(n / 100)"', "7", "'calls' has to be an expression"),
    ("app.toml", 'block = "64 kB"', 'block = "64 kilo"', "'kilo' is not a known unit; units are s, us"),
    ("app.toml", 'block = "64 kB"', 'block = { values = 3 }', "unknown key 'values'"),
    ("app.toml", "[parts]", "[parts", "not valid TOML"),
    ("app.toml", "[parts]", "[bandwidth]\n[parts]", "either [parts] or [bandwidth]"),
    ("app.toml", "[parts]", "[parts]\n" + "a." * 30 + 'b = "1"', "tables nested more than 20 deep"),
    ("times.csv", "other,1,1", "sweep,0,1", "V has to be positive"),
    ("cluster.toml", 'bandwidth = "1 GB/s"', "", "'bandwidth' is missing"),
    ("cluster.toml", '"1 GB/s"', '"1 GB"', "unit mismatch: 'bandwidth' has to be in B/s, it is in B"),
    ("cluster.toml", "latency_bandwidth", "latency", "no model 'latency'; models are cache_kernel"),
    ("cluster.toml", 'latency = "2 us"', 'latencies = "2 us"', "did you mean 'latency'?"),
    ("cluster.toml", "times.csv", "none.csv", "none.csv: cannot be read"),
    ("cluster.toml", '{ kernel = "sweep" }', '{ kernel = "swipe" }', "no rows with kernel = swipe"),
    ("cluster.toml", '{ kernel = "sweep" }', '{ kernel = "other" }', "at least three different V"),
    ("cluster.toml", 'data = "times.csv"', 'data = "times.csv"\nweights = "some"', "no weights 'some'"),
    ("cluster.toml", '"2 * tree(P) + base"', '"2 * tree(P) + based"', "did you mean 'base'?"),
    ("cluster.toml", "[values]", "[value]", "unknown key 'value'; did you mean 'values'?"),
    ("times.csv", "kernel,V,time_us", "kernel,V,time_B", "column 'time' is in B, not in s"),
    ("times.csv", "kernel,V,time_us", "kernel,W,time_us", "no column 'V'"),
    ("times.csv", "other,1,1", "sweep,1,-1", "relative weights need positive measurements"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "right", "wrong", "line"), MISTAKES)
def test_mistakes_are_one_line_each(files, name, right, wrong, line):
    with pytest.raises(PipelineError) as caught:
        projected(edited(files, name, right, wrong))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


ROWS = """
name = "cluster"
[terms.message]
model = "latency_bandwidth"
by = "P"
rows = [
  { P = 64, latency = "1 us", bandwidth = "2 GB/s" },
  { P = 16, latency = "3 us", bandwidth = "1 GB/s" },
]
"""


def test_rows_are_sorted_and_interpolated_in_the_logarithm(files):
    (files / "cluster.toml").write_text(ROWS)
    (files / "app.toml").write_text('[inputs]\nP = 32\n[parts]\nt = "mach.message(0 * unit.B)"\n')
    assert projected(files, P=16).total.value == pytest.approx(3e-6)
    assert projected(files, P=32).total.value == pytest.approx(2e-6)
    assert projected(files, P=64).total.value == pytest.approx(1e-6)
    with pytest.raises(UsageError, match="measured at P = 16, 64, not 128"):
        projected(files, P=128)


IN_ROWS = [
    ("P = 64", "Q = 64", "no positive 'P'"),
    ("P = 16", "P = 0", "no positive 'P'"),
    ('by = "P"', "", "'by' is missing"),
    ("P = 16", "P = 64", "the rows have to differ in 'P'"),
    ("P = 16", "P = nan", "no positive 'P'"),
]


def test_an_input_that_only_the_machine_knows_is_told(files):
    (files / "cluster.toml").write_text(ROWS)
    (files / "app.toml").write_text('[inputs]\nn = 1\n[parts]\nt = "mach.message(0 * unit.B)"\n')
    with pytest.raises(UsageError, match=r"depends on 'P', which is not an input here; add P to \[inputs\]"):
        projected(files, n=1)


def test_a_value_that_is_not_finite_is_told_by_its_part(files):
    edited(files, "app.toml", '"calls * mach.sweep(n)"', '"mach.sweep(n) / calls"')
    with pytest.raises(ModelError, match="has no finite value at these inputs"):
        projected(files, n=50)


@pytest.mark.parametrize(("old", "new", "line"), IN_ROWS)
def test_mistakes_in_rows(files, old, new, line):
    (files / "cluster.toml").write_text(ROWS.replace(old, new))
    with pytest.raises(InputError, match=line):
        projected(files)


def test_shipped_files_are_found_by_name_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("xt5", "xt5.toml", "machines/xt5.toml"):
        assert find("machine", name).is_file()
    assert project("examples/milc.toml", "machines/power5plus.toml", {"L": 8, "P": 1024}).total.value > 0
    with pytest.raises(UsageError, match="no shipped machine of that name"):
        find("machine", "elsewhere/xt5.toml")


def test_a_file_of_ones_own_wins_over_a_shipped_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xt5").write_text('name = "mine"\n')
    assert load_machine("xt5").name == "mine"


@pytest.mark.parametrize("name", shipped("machine"))
def test_every_shipped_machine_loads(name):
    assert load_machine(name).name


def test_without_a_machine_the_shipped_ones_are_listed(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text('[parts]\nt = "1"\n')
    with pytest.raises(UsageError, match=r"no machine to project to; choose one with --on: .*xt5"):
        project(path)
