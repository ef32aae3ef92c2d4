"""The text of a measured machine: it loads, and says what was measured and how."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.units import BANDWIDTH, BYTES, FLOP_RATE, RATE, TIME_DIMENSION, parse_quantity
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import constant
from pipeline.projection.machines.machine_text import (
    CoreCache,
    Host,
    MachineProvenance,
    MeasuredFigure,
    machine_file,
    node_figures,
    quantity,
)
from pipeline.projection.machines.machine_values import load_machine, machine_names
from tests.pipeline.projection.stored import no_models

HOST = Host(
    processor='A "fast"\nprocessor\\ 𝔛',
    cpus=(0, 2, 4, 6),
    domains=2,
    domain_cores=2,
    caches=(CoreCache(32 << 10), CoreCache(1 << 20), CoreCache(8 << 20, 4)),
    memory=16 << 30,
    available=8 << 30,
)
PROVENANCE = MachineProvenance(
    date="2026-11-22",
    host="here",
    compiler="gcc 12, -O3",
    network="mpirun -n 4",
    rounds=2,
    doubts=("the machine was busy",),
)
NODE = {
    ("hz", 0): [2e9, 2.1e9],
    ("peak_dp", 0): [1e11, 1e11],
    ("peak_simd", 0): [5e10, 5e10],
    ("peak_scalar", 0): [2e10, 2e10],
    ("bw_node", 0): [4e10, 4e10],
    ("bw_numa", 0): [2e10, 2e10],
    ("bw_core", 0): [1e10, 1.4e10, 1.4e10, 1.4e10, 1.5e10],
    ("bw_l1", 0): [2e12, 2e12],
    ("latency_memory", 0): [9e-8, 1e-7, 1e-7, 1e-7, 1e-7],
}
SIZES = [8, 64, 512, 4096, 32768, 262144, 2097152, 4194304]


def between(size):
    """Seconds of a message between two nodes: beyond 4 KiB it starts 3 us later."""
    return 2e-6 + size / 1e9 if size <= 4096 else 5e-6 + size / 1e10


NETWORK = {
    ("ranks", 4): [16],
    **{("message_node", size): [1e-6 + size / 1e10] for size in SIZES},
    **{("message", size): [between(size)] for size in SIZES},
    **{("allreduce", ranks): [seconds] for ranks, seconds in ((2, 1e-6), (4, 2e-6), (8, 5e-6), (16, 8e-6))},
}


def arrays(samples):
    return {key: np.array(values, dtype=float) for key, values in samples.items()}


@pytest.fixture
def load(tmp_path):
    """Return the machine that the text for these samples describes."""

    def from_samples(node=NODE, network=NETWORK):
        text = machine_file(HOST, node_figures(arrays(node)), arrays(network), PROVENANCE)
        (tmp_path / "me.toml").write_text(text, encoding="utf-8")
        return load_machine(tmp_path / "me.toml")

    return from_samples


def test_a_measured_machine_covers_node_and_network(load):
    assert load().covers == ("node", "network")
    assert load(network={}).covers == ("node",)


def test_values_have_their_units_and_spreads(load):
    values = load().values
    assert (values["cores"].value, values["numa_domains"].value) == (4, 2)
    assert (values["memory"].value, values["memory"].dimension) == (16 << 30, BYTES)
    assert (values["bw_core"].value, values["bw_core"].dimension) == (1.4e10, BANDWIDTH)
    assert values["bw_core"].relative_sd == pytest.approx(1 / 14, rel=0.01)
    assert values["latency_memory"].value == pytest.approx(1e-7)
    assert values["latency_memory"].relative_sd == pytest.approx(0.1)
    assert [values[name].dimension for name in ("hz", "peak_dp", "latency_memory")] == [
        RATE,
        FLOP_RATE,
        TIME_DIMENSION,
    ]
    assert "bw_l3" not in values


def test_a_node_of_one_numa_domain_has_one_bandwidth(load):
    values = load({key: each for key, each in NODE.items() if key != ("bw_numa", 0)}).values
    assert values["bw_numa"] == values["bw_node"]


def seconds(machine, term, argument):
    names = machine_names(machine, "mach", no_models)
    return float(predict({"t": names[f"mach.{term}"](argument)}, {})["t"].value[0])


def test_terms_give_the_measured_times_back(load):
    machine = load()
    for size in SIZES:
        assert seconds(machine, "message", constant(size, BYTES)) == pytest.approx(between(size), 1e-3)
    for ranks, expected in ((2, 1e-6), (4, 2e-6), (8, 5e-6), (16, 8e-6)):
        assert seconds(machine, "allreduce", constant(ranks)) == pytest.approx(expected, 1e-3)


def test_one_node_has_no_times_between_nodes(load):
    alone = {key: values for key, values in NETWORK.items() if key[0] == "message_node" or key[1] in (2, 4)}
    machine = load(network={**alone, ("ranks", 4): [4]})
    assert list(machine.terms) == ["message_node"]
    assert machine.values["allreduce_node"].value == 2e-6
    assert "allreduce_step" not in machine.values


def test_the_text_says_how_it_was_measured(load):
    machine = load()
    assert machine.name == 'A "fast" processor\\ 𝔛, 4 cores'
    assert machine.source == "pipeline machine measure, 2026-11-22"
    text = machine.path.read_text()
    for part in (
        '# Node: A "fast" processor\\ 𝔛, 4 cores in 2 NUMA domains; data caches of a core: 32 KiB, 1024 KiB',
        "# Compiler: gcc 12, -O3.",
        "# Network: mpirun -n 4.",
        "upper quartile of 2 rounds",
        "# Doubt: the machine was busy.",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 120


@given(st.floats(1e-12, 1e3), st.floats(0.01, 2.0), st.sampled_from(["s", "s/B"]))
def test_times_are_read_as_written(value, spread, unit):
    assert_read(value, spread, unit)


@given(st.floats(1.0, 1e18), st.floats(0.01, 2.0), st.sampled_from(["B/s", "flop/s"]))
def test_rates_are_read_as_written(value, spread, unit):
    assert_read(value, spread, unit)


@given(st.floats(1e8, 1e11), st.floats(0.01, 2.0))
def test_clocks_are_read_as_written(value, spread):
    assert_read(value, spread, "Hz")


def assert_read(value, spread, unit):
    read = parse_quantity(quantity(MeasuredFigure(value, spread), unit).strip('"'))
    assert read.value == pytest.approx(value, rel=1e-3)
    assert read.relative_sd == pytest.approx(spread, rel=1e-2)
    assert read.dimension == parse_quantity(f"1 {unit}").dimension


def test_a_spread_that_says_nothing_is_written_as_the_largest_that_can_be_read():
    assert quantity(MeasuredFigure(1e9, 70.0), "B/s") == '"1 GB/s +- 1e+03 %"'


def test_nothing_is_a_quantity_too():
    assert quantity(MeasuredFigure(0.0, 0.01), "s") == '"0 ns +- 1 %"'
