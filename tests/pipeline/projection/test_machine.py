"""Machine files: values, terms, variants, and every mistake in one line."""

import pytest

from ingest.errors import InputError, UsageError
from pipeline.projection.files import shipped
from pipeline.projection.machine import load_machine, machine_names
from pipeline.projection.model import Model
from pipeline.projection.predict import predict
from pipeline.projection.terms import Term
from tests.pipeline.projection.stored import no_models

FILE = """
name = "Cluster"
source = "own"
variant = "measured"
[values]
hz = "2 GHz +- 3 %"
[values.bw]
node = { value = "10 GB/s", note = "a guess" }
[terms.again]
inputs = { P = "1" }
expression = "2 * tree(P) + 1 / hz"
[terms.tree]
model = "allreduce"
c = "1 s"
d = "1 s"
[terms.message]
model = "latency_bandwidth"
latency = "1 s"
bandwidth = "1 B/s"
[variants.ideal.tree]
model = "allreduce"
c = "0 s"
d = "1 s"
[variants.flat]
"""


@pytest.fixture
def load(tmp_path):
    def from_text(text=FILE):
        (tmp_path / "cluster.toml").write_text(text)
        return load_machine(tmp_path / "cluster.toml")

    return from_text


def value(model, **at):
    return float(predict({"t": model}, at)["t"].value[0])


def test_a_machine_as_its_file_states_it(load):
    found = load()
    assert (found.name, found.source, found.variant, found.path.name) == (
        "Cluster",
        "own",
        "measured",
        "cluster.toml",
    )
    assert {name: q.value for name, q in found.values.items()} == {"hz": 2e9, "bw.node": 1e10}
    assert (found.values["hz"].relative_sd, found.values["bw.node"].note) == (0.03, "a guess")
    assert list(found.terms) == ["again", "tree", "message"]
    assert {name: list(terms) for name, terms in found.variants.items()} == {"ideal": ["tree"], "flat": []}


def test_all_keys_are_optional(load):
    found = load("# nothing\n")
    assert (found.name, found.source, found.variant) == ("cluster", "", "expected")
    assert (found.values, found.terms, found.variants) == ({}, {}, {})


def test_variants_are_chosen_by_name(load):
    found = load()
    assert [found.choose(name) for name in (None, "measured", "ideal", "flat")] == [
        "measured",
        "measured",
        "ideal",
        "flat",
    ]
    with pytest.raises(
        UsageError, match=r"cluster.toml: no variant 'best'; variants: measured, ideal, flat$"
    ):
        found.choose("best")


def test_names_have_the_prefix_and_expressions_may_come_first(load):
    names = machine_names(load(), "mach", no_models)
    assert set(names) == {"mach.hz", "mach.bw.node", "mach.again", "mach.tree", "mach.message"}
    assert isinstance(names["mach.hz"], Model)
    assert isinstance(names["mach.again"], Term)
    assert names["mach.bw.node"].notices == ("a guess",)
    assert value(names["mach.bw.node"]) == 1e10
    assert names["mach.again"].name == "mach.again"
    assert value(names["mach.tree"].model, P=4) == 3.0
    reference = machine_names(load(), "ref", no_models)
    assert list(reference["ref.hz"].symbols) == ["ref.hz"]


def test_a_variant_replaces_terms_and_shares_the_others(load):
    machine = load(FILE.replace(" + 1 / hz", ""))
    usual = machine_names(machine, "mach", no_models)
    ideal = machine_names(machine, "mach", no_models, variant="ideal", read=usual)
    assert value(usual["mach.again"].model, P=4) == 6.0
    assert value(ideal["mach.tree"].model, P=4) == 2.0
    assert value(ideal["mach.again"].model, P=4) == 4.0
    assert ideal["mach.tree"].name == "mach.ideal.tree"
    assert ideal["mach.message"] is usual["mach.message"]
    assert ideal["mach.again"] is not usual["mach.again"]
    alone = machine_names(machine, "mach", no_models, variant="ideal")
    assert value(alone["mach.again"].model, P=4) == 4.0
    back = machine_names(machine, "mach", no_models, read=ideal)
    assert value(back["mach.tree"].model, P=4) == 3.0


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[values]", "[value]", "cluster.toml: unknown key 'value'; did you mean 'values'?"),
        ('hz = "2 GHz +- 3 %"', 'hz = "fast"', "cluster.toml: [values] hz: 'fast' is not a quantity"),
        ('name = "Cluster"', "name = 3", "cluster.toml: 'name' has to be a string"),
    ],
)
def test_mistakes_in_the_file(load, old, new, line):
    with pytest.raises((InputError, UsageError)) as caught:
        load(FILE.replace(old, new))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_terms_and_variants_are_tables(load):
    with pytest.raises(InputError, match=r"cluster.toml: \[terms\]: 'x' has to be a table; write \[x\]"):
        load("[terms]\nx = 3\n")
    with pytest.raises(InputError, match=r"cluster.toml: \[variants.ideal\]: 'x' has to be a table"):
        load("[variants.ideal]\nx = 3\n")


def test_mistakes_in_a_variant_name_it(load):
    machine = load(FILE.replace('c = "0 s"\n', ""))
    with pytest.raises(InputError, match=r"cluster.toml: \[variants.ideal.tree\]: 'c' is missing"):
        machine_names(machine, "mach", no_models, variant="ideal")


@pytest.mark.parametrize("name", shipped("machine"))
def test_every_shipped_machine_loads_and_says_where_its_figures_are_from(name):
    machine = load_machine(name)
    assert machine.name
    assert machine.source
    for variant in (machine.variant, *machine.variants):
        assert machine_names(machine, "mach", no_models, variant=variant)
