"""Machine files: values, terms, variants, and every mistake in one line."""

import pytest

from ingest.errors import InputError, UsageError
from ingest.units import BANDWIDTH, BYTES, FLOP_RATE, NONE, RATE, TIME_DIMENSION
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.expressions.symbolic_model import Model, constant
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import NETWORK_TERMS, load_machine
from pipeline.projection.ports.loop_estimate import processors
from pipeline.projection.terms.terms import Term
from tests.pipeline.projection.mistakes import refused
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
    assert [(name, list(terms)) for name, terms in found.variants.items()] == [
        ("measured", []),
        ("ideal", ["tree"]),
        ("flat", []),
    ]


def test_all_keys_are_optional(load):
    found = load("# nothing\n")
    assert (found.name, found.source, found.cpu, found.variant) == ("cluster", "", "", "expected")
    assert found.covers == ()
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
        ("[values]", "[value]", "cluster.toml:5: value: unknown key; did you mean 'values'?"),
        ('hz = "2 GHz +- 3 %"', 'hz = "fast"', "cluster.toml:6: hz: 'fast' is not a quantity"),
        ('hz = "2 GHz +- 3 %"', 'hz = "0 GHz"', "cluster.toml: 'hz' has to be positive"),
        ('value = "10 GB/s"', 'value = "-1 GB/s"', "cluster.toml: 'bw.node' has to be positive"),
        ('name = "Cluster"', "name = 3", "cluster.toml:2: name: invalid value"),
    ],
)
def test_mistakes_in_the_file(load, old, new, line):
    assert line in refused(lambda: load(FILE.replace(old, new)))


def test_terms_and_variants_are_tables(load):
    with pytest.raises(InputError, match=r"cluster.toml:2: x: 3 is not a table; write \[x\]"):
        load("[terms]\nx = 3\n")
    with pytest.raises(InputError, match=r"cluster.toml:2: x: 3 is not a table"):
        load("[variants.ideal]\nx = 3\n")


def test_mistakes_in_a_variant_name_it(load):
    machine = load(FILE.replace('c = "0 s"\n', ""))
    with pytest.raises(InputError, match=r"cluster.toml:20: c: is missing"):
        machine_names(machine, "mach", no_models, variant="ideal")


@pytest.mark.parametrize("name", shipped("machine"))
def test_every_shipped_machine_loads_and_says_where_its_figures_are_from(name):
    machine = load_machine(name)
    assert machine.name
    assert machine.source
    for variant in machine.variants or [None]:
        assert machine_names(machine, "mach", no_models, variant=variant)


UNITS = {
    "cores": NONE,
    "numa_domains": NONE,
    "memory": BYTES,
    **{f"cache_l{level}": BYTES for level in (1, 2, 3)},
    **{f"cores_l{level}": NONE for level in (2, 3)},
    "hz": RATE,
    "peak_dp": FLOP_RATE,
    "peak_scalar": FLOP_RATE,
    "bw_node": BANDWIDTH,
    "bw_numa": BANDWIDTH,
    "bw_core": BANDWIDTH,
    "bw_l1": BANDWIDTH,
    "bw_l2": BANDWIDTH,
    "bw_l3": BANDWIDTH,
    "bw_network": BANDWIDTH,
    "latency_memory": TIME_DIMENSION,
    "allreduce_node": TIME_DIMENSION,
    "allreduce_step": TIME_DIMENSION,
}
WHOLE = [name for name in shipped("machine") if load_machine(name).covers == ("node", "network")]


def test_at_least_ten_machines_of_today_have_node_and_network():
    assert len(WHOLE) >= 10
    assert {"archer2", "frontier-cpu", "fugaku", "alps-gh200", "marenostrum5-gpp", "google-h4d"} <= set(WHOLE)


@pytest.mark.parametrize("name", WHOLE)
def test_values_of_whole_machines_agree_with_each_other(name):
    machine = load_machine(name)
    assert machine.source
    quantities = machine.values
    assert {key: quantity.dimension for key, quantity in quantities.items()} == {
        key: UNITS[key] for key in quantities
    }
    values = {key: quantity.value for key, quantity in quantities.items()}
    caches = [values[f"cache_{level}"] for level in ("l1", "l2", "l3") if f"bw_{level}" in values]
    assert caches == sorted(caches)
    for key in ("bw_node", "bw_core", "bw_l1", "bw_l2", "latency_memory", "allreduce_node", "allreduce_step"):
        assert quantities[key].relative_sd >= 0.01, key
    assert values["bw_numa"] * values["numa_domains"] == pytest.approx(values["bw_node"], rel=0.01)
    assert values["bw_core"] < values["bw_numa"] < values["bw_l2"] < values["bw_l1"]
    assert values["bw_l3"] < values["bw_l2"] if "bw_l3" in values else name == "fugaku"
    per_cycle = values["peak_dp"] / values["cores"] / values["hz"]
    assert per_cycle == pytest.approx(23.1 if name == "google-h4d" else round(per_cycle / 16) * 16, rel=0.02)
    assert values["peak_scalar"] / values["cores"] / values["hz"] == pytest.approx(
        8 if machine.cpu == "neoverse-v2" else 4, rel=0.01
    )


@pytest.mark.parametrize("name", WHOLE)
def test_networks_of_whole_machines_grow_with_size_and_ranks(name):
    machine = load_machine(name)
    names = machine_names(machine, "mach", no_models)

    def seconds(term, argument):
        return float(predict({"t": names[f"mach.{term}"](argument)}, {})["t"].value[0])

    sizes = [constant(2**power, BYTES) for power in range(3, 24)]
    between, within = ([seconds(term, x) for x in sizes] for term in ("message", "message_node"))
    assert between == sorted(between) and within == sorted(within)
    assert 5e-7 < between[0] < 1e-5 and 1e-7 < within[0] < between[0]
    reduced = [seconds("allreduce", constant(2**power)) for power in range(1, 18)]
    assert reduced == sorted(reduced)
    assert [names[f"mach.{term}"].inputs for term in NETWORK_TERMS] == [("x",), ("x",), ("P",)]


def test_archer2_gives_its_measured_times_back():
    # Intel MPI Benchmarks of EPCC, 2020: ping-pong between two nodes, and allreduce of 8 B on full nodes
    names = machine_names(load_machine("archer2"), "mach", no_models)
    measured = {8: 2.61, 512: 3.44, 4096: 5.03, 65536: 13.65, 1048576: 106.14, 4194304: 368.07}
    for size, microseconds in measured.items():
        found = predict({"t": names["mach.message"](constant(size, BYTES))}, {})["t"]
        assert found.lower[0] < 1.02e-6 * microseconds and 0.95e-6 * microseconds < found.upper[0], size
    for ranks, microseconds in {128: 4.94, 512: 10.24, 2048: 16.24, 4096: 21.26}.items():
        found = predict({"t": names["mach.allreduce"](constant(ranks))}, {})["t"]
        assert found.lower[0] < 1e-6 * microseconds < found.upper[0], ranks


def test_the_cores_of_a_machine_are_known_to_ports():
    for cpu in {load_machine(name).cpu for name in shipped("machine")} - {""}:
        assert cpu in {one.key for one in processors()}
