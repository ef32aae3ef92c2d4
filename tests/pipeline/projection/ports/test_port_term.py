"""The port model as a term of an application file."""

import numpy as np
import pytest

from ingest.errors import InputError, ModelError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.ports.port_fit import fit_ports, port_term, variants_in
from tests.pipeline.projection.mistakes import refused
from tests.pipeline.projection.ports.simulated import GOLDEN, MAP, variant_lines

TABLE = {"model": "ports", "map": str(MAP), "data": "variants.csv"}
TARGET = {"div": 10, "mul": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ports")
    lines = variant_lines(isa="A")
    (folder / "variants.csv").write_text("\n".join([*lines, lines[1].replace("A,", "B,")]))
    (folder / "few.csv").write_text("\n".join(lines[:5]))
    return folder


def term(folder, **changes):
    content = {**TABLE, "where": {"isa": "A"}, **changes}
    return port_term(TomlTable(content, folder / "app.toml", ("terms", "flux")), "flux")


def value(model):
    found = predict({"c": model}, {})["c"]
    return float(found.value[0]), float(found.upper[0] - found.lower[0])


@pytest.fixture(scope="module")
def fitted(folder):
    variants = variants_in(read_columns(folder / "variants.csv"), GOLDEN, where={"isa": "A"})
    return fit_ports("flux", GOLDEN, variants.counts, variants.cycles), variants


def counts(target):
    return np.array([float(target.get(kind, 0)) for kind in GOLDEN.classes])


def test_counts_are_stated(folder, fitted):
    model = term(folder, target=TARGET)
    assert model.inputs == ()
    assert value(model) == pytest.approx(value(fitted[0].target(counts(TARGET))))
    assert value(model)[0] == pytest.approx(65.0, rel=0.05)


def test_a_mini_app_may_be_the_start(folder, fitted):
    fit, variants = fitted
    mini = fit.target(counts(TARGET), (float(variants.cycles[3]), variants.counts[3]))
    assert value(term(folder, target=TARGET, mini="v3")) == pytest.approx(value(mini))


def test_maps_of_ones_own_stand_beside_the_file(folder):
    (folder / "mine.toml").write_text('name = "m"\nports = ["A"]\n[classes]\ndiv = { ports = ["A"] }\n')
    found = value(term(folder, map="mine.toml", target={"div": 7}))
    assert found[0] == pytest.approx(7 * value(term(folder, map="mine.toml", target={"div": 1}))[0])


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({}, "[terms.flux]: target: is missing; write target = { mul = 150 }"),
        ({"target": TARGET, "mini": "v99"}, "[terms.flux]: no variant 'v99'; variants: v0, v1"),
        ({"target": TARGET, "mini": 3}, "[terms.flux]: mini: invalid value"),
        ({"target": {"fma": 1}}, "[terms.flux]: Golden Cove has no instruction class 'fma'"),
        (
            {"target": {"div": "many"}},
            "[terms.flux.target]: div: invalid value 'many'; write a number of at least 0",
        ),
        ({"target": {"div": True}}, "[terms.flux.target]: div: invalid value True"),
        ({"target": {"div": -1}}, "[terms.flux.target]: div: invalid value -1"),
        ({"target": {"div": float("inf")}}, "[terms.flux.target]: div: invalid value inf"),
        ({"target": TARGET, "data": "few.csv"}, "[terms.flux]: 4 variants cannot determine"),
        ({"target": TARGET, "where": {"isa": "C"}}, "variants.csv: no rows with isa = C"),
        ({"target": TARGET, "map": "core"}, "core: "),
        ({"target": TARGET, "maps": "core"}, "maps: unknown key; did you mean 'map'?"),
    ],
)
def test_mistakes_are_one_line_each(folder, change, line):
    assert line in refused(lambda: term(folder, **change), raises=(InputError, UsageError, ModelError))
