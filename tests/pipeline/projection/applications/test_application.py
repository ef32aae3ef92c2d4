"""Application files: inputs, definitions, parts, and every mistake in one line."""

import pytest

from ingest.errors import InputError
from pipeline.projection.applications.application_file import load_application
from pipeline.projection.expressions.shipped_files import shipped
from tests.pipeline.projection.mistakes import refused

FILE = """
title = "stencil"
source = "own"
machine = "xt5"
total = "kernel + network"
[inputs]
n = { meaning = "sites" }
size = { unit = "kB", meaning = "of a message" }
P = 64
block = "64 kB"
time = { value = "3 ms", meaning = "of a step" }
[terms.Amul]
model = "allreduce"
[define]
calls = "n / 100"
deep.er = "calls"
[parts]
kernel = "calls"
[parts.network]
halo = "1"
[parts.network.sums]
up = "2"
down = "3"
[measured]
xt5 = "12.5 ms"
"""


@pytest.fixture
def load(tmp_path):
    def from_text(text):
        (tmp_path / "app.toml").write_text(text)
        return load_application(tmp_path / "app.toml")

    return from_text


def test_an_application_as_its_file_states_it(load):
    found = load(FILE)
    assert (found.title, found.source, found.machine, found.total) == (
        "stencil",
        "own",
        "xt5",
        "kernel + network",
    )
    assert found.path.name == "app.toml"
    assert list(found.terms) == ["Amul"]
    assert found.define == {"calls": "n / 100", "deep.er": "calls"}
    assert found.parts == {
        ("kernel",): "calls",
        ("network", "halo"): "1",
        ("network", "sums", "up"): "2",
        ("network", "sums", "down"): "3",
    }
    assert found.measured == {"xt5": pytest.approx(0.0125)}
    assert found.bandwidth is None


def test_inputs_have_a_unit_and_perhaps_a_default(load):
    inputs = load(FILE).inputs
    assert list(inputs) == ["n", "size", "P", "block", "time"]
    assert {name: (i.default, i.factor, str(i.dimension), i.meaning) for name, i in inputs.items()} == {
        "n": (None, 1.0, "no unit", "sites"),
        "size": (None, 1e3, "B", "of a message"),
        "P": (64.0, 1.0, "no unit", ""),
        "block": (64e3, 1e3, "B", ""),
        "time": (pytest.approx(3e-3), 1e-3, "s", "of a step"),
    }
    assert [i.name for i in inputs.values()] == list(inputs)


def test_little_is_needed(load):
    found = load('[parts]\nt = "1"\n')
    assert (found.title, found.source, found.machine, found.total) == ("app", "", None, None)
    assert (found.inputs, found.terms, found.define, found.measured) == ({}, {}, {}, {})
    by_bandwidth = load('[bandwidth]\nreference = "xt5"\n')
    assert by_bandwidth.bandwidth.text("reference") == "xt5"
    assert by_bandwidth.parts == {}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[define]", "[defines]", "app.toml:14: defines: unknown key; did you mean 'define'?"),
        (
            'calls = "n / 100"',
            "calls = 7",
            "app.toml:15: calls: invalid value",
        ),
        ('up = "2"', "up = 2", "app.toml:22: up: invalid value"),
        ('block = "64 kB"', 'block = "64 kilo"', "app.toml:10: block: 'kilo' is not a known unit"),
        (
            'block = "64 kB"',
            "block = { values = 3 }",
            "app.toml:10: values: unknown key; did you mean",
        ),
        ('unit = "kB"', "unit = 3", "app.toml:8: unit: invalid value"),
        ('unit = "kB"', 'unit = "x"', "app.toml:8: size: 'x' is not a known unit"),
        ('meaning = "sites"', "meaning = 3", "meaning: invalid value"),
        (
            "12.5 ms",
            "12.5 GB",
            'app.toml:25: xt5: a measured total has to be a time above 0; write it like "12.3 s"',
        ),
        ("12.5 ms", "fast", "app.toml:25: xt5: 'fast' is not a quantity"),
        ('machine = "xt5"', "machine = 3", "machine: invalid value"),
        (
            "[measured]",
            "[bandwidth]\n[measured]",
            "app.toml: the file needs either [parts] or [bandwidth]; write [parts]",
        ),
        ("[terms.Amul]", "[terms]\nx = 1\n[terms.Amul]", "app.toml:13: x: 1 is not a table"),
    ],
)
def test_mistakes_are_one_line_each(load, old, new, line):
    assert old in FILE
    assert line in refused(lambda: load(FILE.replace(old, new)))


@pytest.mark.parametrize("text", ["# nothing\n", "[parts]\n", "[parts.network]\n"])
def test_a_file_without_parts_is_refused(load, text):
    with pytest.raises(InputError, match=r"the file needs either \[parts\] or \[bandwidth\]"):
        load(text)


@pytest.mark.parametrize("name", shipped("application"))
def test_every_shipped_application_says_what_it_is_and_where_its_model_is_from(name):
    found = load_application(name)
    assert found.title
    assert found.source
    assert found.machine
    assert all(entry.meaning for entry in found.inputs.values() if entry.default is None)
