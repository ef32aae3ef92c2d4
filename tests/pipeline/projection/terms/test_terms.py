"""Terms of a user's own files: fits, expressions, tables, and every mistake in one line."""

from pathlib import Path

import numpy as np
import pytest

from ingest.errors import InputError, ModelError, PipelineError, UsageError
from ingest.toml_table import TomlTable
from ingest.units import BANDWIDTH, BYTES, TIME_DIMENSION
from pipeline.projection.expressions.evaluation import broken_limits, predict
from pipeline.projection.expressions.symbolic_model import constant
from pipeline.projection.terms.terms import read_term
from pipeline.stages.project import project
from tests.pipeline.projection.fitting.by_hand import best_line
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.stored import no_models

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


def test_a_term_may_state_the_error_of_its_method(files):
    exact = project(files / "app.toml", files / "cluster.toml", {"n": 1000})
    edited(files, "cluster.toml", 'latency = "2 us"', 'latency = "2 us"\nmethod_error = "20 %"')
    found = project(files / "app.toml", files / "cluster.toml", {"n": 1000})
    (before,), (after,) = ([x for x in one.parts if x.path[-1] == "halo"] for one in (exact, found))
    assert before.upper == before.value == after.value
    assert after.upper / after.value == pytest.approx(1.39, abs=0.04)  # 1.645 standard deviations


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


def test_beyond_the_fitted_sizes_there_is_a_notice(files):
    assert projected(files, n=2e5).notices == ("mach.sweep was fitted for V from 100 to 1e+05, here 2e+05",)


def test_the_application_may_name_a_machine_beside_it(files):
    edited(files, "app.toml", 'title = "stencil"', 'machine = "cluster.toml"')
    assert project(files / "app.toml", at={"n": 1000}).machine == "cluster"


MISTAKES = [
    ("app.toml", "mach.sweep(n)", "mach.swept(n)", "did you mean 'mach.sweep'? or add it to"),
    ("app.toml", "mach.sweep(n)", "sweep(n)", "did you mean 'mach.sweep'?"),
    ("app.toml", "mach.sweep(n)", "mach.sweep(n, P)", "mach.sweep() takes the arguments V; 2 given"),
    ("app.toml", "mach.sweep(n)", "mach.sweep(block)", "'V' is in no unit, the value given for it in B"),
    ("app.toml", "mach.sweep(n)", "mach.sweep", "'mach.sweep' is a function"),
    ("app.toml", '4 * mach.message(block)"', '4 * mach.message(block) + block"', "cannot add s and B"),
    ("app.toml", 'sums = "mach.sum(P)"', 'sums = "P"', "cannot add s and no unit"),
    ("app.toml", "[parts]", "[parts]\n" + "a." * 30 + 'b = "1"', "tables or arrays nested more than 20 deep"),
    ("times.csv", "other,1,1", "sweep,0,1", "V has to be positive"),
    ("cluster.toml", 'bandwidth = "1 GB/s"', "", "bandwidth: is missing"),
    ("cluster.toml", '"1 GB/s"', '"1 GB"', "unit mismatch: 'bandwidth' has to be in B/s, it is in B"),
    ("cluster.toml", "latency_bandwidth", "latency", "no model 'latency'; models are allreduce"),
    ("cluster.toml", 'latency = "2 us"', 'latencies = "2 us"', "did you mean 'latency'?"),
    ("cluster.toml", '{ kernel = "sweep" }', '{ kernel = "other" }', "at least three different V"),
    ("cluster.toml", '"2 * tree(P) + base"', '"2 * tree(P) + based"', "did you mean 'base'?"),
    ("times.csv", "other,1,1", "sweep,1,-1", "relative weights need positive measurements"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "right", "wrong", "line"), MISTAKES)
def test_mistakes_are_one_line_each(files, name, right, wrong, line):
    assert line in refused(lambda: projected(edited(files, name, right, wrong)), raises=PipelineError)


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
    ("P = 64", "Q = 64", "toml:6: P: is not a positive number"),
    ("P = 16", "P = 0", "toml:6: P: is not a positive number"),
    ('by = "P"', "", "by: is missing"),
    ("P = 16", "P = 64", "rows: have to differ in 'P'"),
    ("P = 16", "P = nan", "toml:6: P: is not a positive number"),
]


def test_an_input_that_only_the_machine_knows(files):
    (files / "cluster.toml").write_text(ROWS)
    (files / "app.toml").write_text('[inputs]\nn = 1\n[parts]\nt = "mach.message(0 * unit.B)"\n')
    with pytest.raises(UsageError, match=r"depends on 'P', which is not an input here; add P to \[inputs\]"):
        projected(files, n=1)


def test_a_value_that_is_not_finite_is_named_by_its_part(files):
    edited(files, "app.toml", '"calls * mach.sweep(n)"', '"mach.sweep(n) / calls"')
    with pytest.raises(ModelError, match="has no finite value at these inputs"):
        projected(files, n=50)


@pytest.mark.parametrize(("old", "new", "line"), IN_ROWS)
def test_mistakes_in_rows(files, old, new, line):
    (files / "cluster.toml").write_text(ROWS.replace(old, new))
    with pytest.raises(InputError, match=line):
        projected(files)


def term(content, names=None):
    return read_term(
        TomlTable(content, Path("cluster.toml"), ("terms", "t")), "mach.t", names or {}, no_models
    )


def value(model, **at):
    return float(predict({"t": model}, at)["t"].value[0])


def test_a_term_takes_its_inputs_in_their_order():
    sized = term({"inputs": {"x": "B", "n": "1", "r": "GB/s"}, "expression": "n * x / r"})
    assert sized.inputs == ("x", "n", "r")
    assert [str(sized.model.symbols[name]) for name in sized.inputs] == ["B", "no unit", "B/s"]
    called = sized(constant(8, BYTES), constant(3), constant(2, BANDWIDTH))
    assert (value(called), str(called.dimension)) == (12.0, "s")
    with pytest.raises(UsageError, match=r"^mach.t\(\) takes the arguments x, n, r; 1 given$"):
        sized(constant(8, BYTES))
    with pytest.raises(UsageError, match=r"^mach.t\(\) takes no arguments; 1 given$"):
        term({"expression": "3"})(constant(1))


def test_parameters_may_have_defaults():
    links = {
        "L": "1 s",
        "switch": "10 B",
        "small": {"o": "2 s", "G": "0.5 s/B"},
        "large": {"o": "7 s", "G": "1 s/B"},
    }
    assert value(term({"model": "loggp", **links}).model, x=3) == 1 + 4 + 2 * 0.5
    assert value(term({"model": "loggp", "congestion": 4, **links}).model, x=3) == 1 + 4 + 2 * 0.5 * 4
    tree = {"model": "allreduce", "c": "1 s", "d": "2 s"}
    assert value(term(tree).model, P=8) == pytest.approx(7.0)
    assert value(term({**tree, "base": 8}).model, P=8) == pytest.approx(3.0)
    assert term(tree).inputs == ("P",)
    assert term({"model": "cache_kernel", "b1": "1 s", "b2": "2 s", "s": 3}).inputs == ("V",)
    assert term({"model": "latency_bandwidth", "latency": "1 s", "bandwidth": "1 B/s"}).inputs == ("x",)


def test_some_parameters_may_be_stated_beside_measurements():
    sizes = [2.0**k for k in range(16)]
    messages = [{"x": f"{x} B", "time": f"{3 + x / 1000} us"} for x in sizes]
    link = {"model": "loggp", "data": messages}
    assert value(term(link).model, x=1e6) == pytest.approx(1e-3, rel=0.01)
    assert value(term({**link, "congestion": 4}).model, x=1e6) == pytest.approx(4e-3, rel=0.01)
    effective = {"model": "latency_bandwidth", "data": messages}
    assert value(term(effective).model, x=0) == pytest.approx(3e-6)
    sums = [{"P": 10.0**k, "time": f"{1 + k} us"} for k in range(1, 6)]
    tree = {"model": "allreduce", "data": sums}
    by_base = [term({**tree, **more}).model.ensembles for more in ({}, {"base": 10})]
    slopes = [
        dict(zip(e.names, e.estimate, strict=True))["mach.t.d"]
        for found in by_base
        for e in found
        if "mach.t.d" in e.names
    ]
    assert slopes == pytest.approx([1e-6 / np.log2(10), 1e-6])
    with pytest.raises(ModelError, match=r"^cluster.toml: \[terms.t\]: .*two protocols need at least four"):
        term({**link, "data": messages[:3]})
    with pytest.raises(InputError, match="latency: unknown key"):
        term({**effective, "latency": "2 us"})


def test_expressions_use_the_names_given():
    found = term({"expression": "2 * tree + n", "inputs": {"n": "s"}}, {"tree": constant(3, TIME_DIMENSION)})
    assert value(found.model, n=1) == 7.0


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (
            {"model": "logp"},
            "models are allreduce, cache_kernel, latency_bandwidth, loggp, fitted, loop, measured, ports",
        ),
        ({}, "model: is missing"),
        ({"expression": "1", "input": {}}, "input: unknown key; did you mean 'inputs'?"),
        ({"expression": "x", "inputs": {"x": "parsec"}}, "[terms.t.inputs]: x: 'parsec' is not a known unit"),
        ({"expression": "y", "inputs": {"x": "B"}}, "[terms.t]: unknown name 'y'"),
        ({"model": "allreduce", "c": "1 s"}, "d: is missing; write d = "),
        ({"model": "allreduce", "c": "1 s", "d": "1 s", "e": 1}, "e: unknown key"),
        (
            {"model": "allreduce", "c": "1 s", "d": "1 B"},
            "unit mismatch: 'd' has to be in s, it is in B; correct its unit",
        ),
        ({"model": "allreduce", "c": "1 s", "d": "fast"}, "[terms.t]: d: 'fast' is not a quantity"),
        ({"model": "loggp", "data": 3}, "[terms.t]: data: holds neither files nor rows; write data = "),
        (
            {"model": "allreduce", "ranks_per_node": 0, "c": "1 s"},
            """ranks_per_node: invalid value 0; write a number such as 128, or "R" to make it an input""",
        ),
        ({"model": "allreduce", "data": "x.csv", "rows": []}, "rows: unknown key"),
        (
            {"model": "allreduce", "data": "x.csv", "weights": "some"},
            "invalid weights 'some'; choose relative or equal",
        ),
        (
            {"model": "allreduce", "by": "P", "rows": []},
            "rows: have to differ in 'P'; give one row per P",
        ),
        (
            {"model": "allreduce", "by": "P", "rows": [{"P": True, "c": "1 s", "d": "1 s"}], "c": 1},
            "c: unknown key",
        ),
        (
            {"model": "allreduce", "by": "Q", "rows": [{"Q": "1"}]},
            "Q: is not a positive number; write Q = 1024",
        ),
        ({"model": "allreduce", "by": "Q", "rows": [{"Q": 1, "c": "1 s"}]}, "[terms.t.rows]: d: is missing"),
    ],
)
def test_mistakes_in_terms(content, line):
    said = refused(lambda: term(content))
    assert line in said
    assert said.startswith("cluster.toml: [terms.t")


def test_rows_are_exact_and_linear_in_the_logarithm_between():
    rows = [
        {"P": p, "latency": f"{p} s", "bandwidth": f"{b} B/s"}
        for p, b in ((8, 4), (1, 1), (64, 16), (4096, 2))
    ]
    found = term({"model": "latency_bandwidth", "by": "P", "rows": rows})
    assert found.inputs == ("x",)
    for p, latency, bandwidth in (
        (1, 1, 1),
        (8, 8, 4),
        (64, 64, 16),
        (4096, 4096, 2),
        (2, 1 + 7 / 3, 2),  # a third of the way from 1 to 8
        (32, 8 + 56 * 2 / 3, 4 + 12 * 2 / 3),
        (512, 64 + 4032 / 2, 9),
    ):
        assert value(found.model, x=6, P=p) == pytest.approx(latency + 6 / bandwidth)
    (limit,) = found.model.limits
    assert (limit.lower, limit.upper, limit.points) == (1.0, 4096.0, (1.0, 8.0, 64.0, 4096.0))
    assert limit.basis == "mach.t was measured at P ="


def test_a_single_row_holds_at_its_place_only():
    rows = [{"n": 8, "c": "1 s", "d": "2 s"}]
    model = term({"model": "allreduce", "by": "n", "rows": rows}).model
    assert model.inputs == ("P", "n")
    assert value(model, P=2, n=8) == 3.0
    assert broken_limits({"t": model}, {"P": 2, "n": 8}) == ()
    with pytest.raises(UsageError, match=r"mach\.t was measured at n = 8, not 9"):
        broken_limits({"t": model}, {"P": 2, "n": 9})


def test_rows_are_uncertain_each_by_itself():
    rows = [{"n": n, "c": f"{n} s +- {10 * n} %", "d": "0 s"} for n in (1, 4)]
    model = term({"model": "allreduce", "by": "n", "rows": rows}).model
    found = predict({"t": model}, {"n": [1, 4], "P": 2})["t"]
    low, high = found.draws.std(axis=0) / found.value
    assert (low, high) == (pytest.approx(0.1, rel=0.1), pytest.approx(0.4, rel=0.15))
    assert abs(np.corrcoef(found.draws.T)[0, 1]) < 0.1


@pytest.mark.parametrize(
    ("model", "column", "values", "by_hand"),
    [
        ("allreduce", "P", np.array([2.0, 4, 8, 16, 32, 64]), np.log2),
        ("latency_bandwidth", "x [B]", np.array([10.0, 20, 40, 80, 160, 320]), lambda x: x),
        ("cache_kernel", "V", np.array([1.0, 2, 3, 4, 5, 6]), None),
    ],
)
def test_every_family_is_fitted_with_the_weights_given(tmp_path, model, column, values, by_hand):
    times = np.array([1.1, 2.0, 3.2, 4.0, 5.3, 6.0]) if by_hand is None else 20 + by_hand(values) ** 1.1
    lines = [f"{column},time [s]", *(f"{v:g},{float(t)!r}" for v, t in zip(values, times, strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    found = {}
    for weights in ("relative", "equal"):
        table = TomlTable({"model": model, "data": "data.csv", "weights": weights}, tmp_path / "cluster.toml")
        fitted = read_term(table, "mach.t", {}, no_models)
        found[weights] = predict({"t": fitted.model}, {fitted.inputs[0]: values})["t"].value
        if by_hand is not None:
            design = np.column_stack([np.ones(6), by_hand(values)])
            assert found[weights] == pytest.approx(design @ best_line(design, times, weights), rel=1e-6)
    assert np.sum((found["equal"] - times) ** 2) < np.sum((found["relative"] - times) ** 2)
    assert np.sum((found["relative"] / times - 1) ** 2) < np.sum((found["equal"] / times - 1) ** 2)


def test_a_fit_takes_the_column_and_the_weights_named(tmp_path):
    random = np.random.default_rng(5)
    processes = np.array([2.0, 4, 8, 16, 32, 64])
    times = (1e-5 + 1e-6 * np.log2(processes)) * (1 + 0.2 * random.standard_normal(6))
    lines = [
        "op,P,wall [us],time [s]",
        *(f"sum,{p:g},{float(t * 1e6)!r},9" for p, t in zip(processes, times, strict=True)),
    ]
    (tmp_path / "red.csv").write_text("\n".join([*lines, "max,128,1,1"]))
    table = {"model": "allreduce", "data": "red.csv", "where": {"op": "sum"}, "time": "wall"}
    for weights in ("relative", "equal"):
        found = read_term(
            TomlTable({**table, "weights": weights}, tmp_path / "cluster.toml"), "mach.t", {}, no_models
        )
        best = best_line(np.column_stack([np.ones(6), np.log2(processes)]), times, weights)
        assert value(found.model, P=16) == pytest.approx(best @ [1, 4], rel=1e-6)
        assert {limit.upper for limit in found.model.limits} == {64.0}
        default = read_term(TomlTable(table, tmp_path / "cluster.toml"), "mach.t", {}, no_models)
        assert (value(default.model, P=16) == value(found.model, P=16)) is (weights == "relative")
