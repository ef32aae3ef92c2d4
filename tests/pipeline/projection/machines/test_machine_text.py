"""The text of a measured machine: it loads, and says what was measured and how."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import InputError
from ingest.units import BANDWIDTH, BYTES, FLOP_RATE, RATE, TIME_DIMENSION, Quantity, parse_quantity
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.expressions.symbolic_model import constant
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_text import (
    CoreCache,
    Host,
    MachineProvenance,
    consistent,
    fit_protocols,
    machine_file,
    node_figures,
    quantity,
    rate,
    read_allreduce,
    read_samples,
    sizes_and_times,
    time,
    working_sets,
)
from pipeline.projection.machines.machine_values import load_machine
from tests.pipeline.projection.stored import no_models


def figure(value, spread):
    return Quantity(value=value, relative_sd=spread)


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
    assert [values[f"cache_l{level}"].value for level in (1, 2, 3)] == [32 << 10, 1 << 20, 8 << 20]
    assert values["cores_l3"].value == 4 and "cores_l2" not in values
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
    read = parse_quantity(quantity(figure(value, spread), unit).strip('"'))
    assert read.value == pytest.approx(value, rel=1e-3)
    assert read.relative_sd == pytest.approx(spread, rel=1e-2)
    assert read.dimension == parse_quantity(f"1 {unit}").dimension


def test_a_spread_that_says_nothing_is_written_as_the_largest_that_can_be_read():
    assert quantity(figure(1e9, 70.0), "B/s") == '"1 GB/s +- 1e+03 %"'


def test_nothing_is_a_quantity_too():
    assert quantity(figure(0.0, 0.01), "s") == '"0 ns +- 1 %"'


SAMPLES = {
    ("hz", 0): np.full(3, 2e9),
    ("bw_node", 0): np.full(3, 4e10),
    ("bw_core", 0): np.full(3, 1e10),
    ("bw_l1", 0): np.full(3, 1e12),
    ("latency_memory", 0): np.full(3, 1e-7),
}


def test_memory_is_as_uncertain_as_others_took_time():
    figures = node_figures(SAMPLES, 0.2)
    spread = pytest.approx(0.2 / 0.8)
    assert {name: figure.relative_sd for name, figure in figures.items()} == {
        "hz": 0.01,
        "bw_node": spread,
        "bw_numa": spread,
        "bw_core": spread,
        "bw_l1": 0.01,
        "latency_memory": spread,
    }
    assert all(figure.relative_sd == 0.01 for figure in node_figures(SAMPLES).values())


def test_what_threads_had_of_their_cores_widens_only_that_figure():
    figures = node_figures({**SAMPLES, ("share_bw_node", 0): np.full(3, 0.5)})
    assert figures["bw_node"].relative_sd == figures["bw_numa"].relative_sd == pytest.approx(1.0)
    assert figures["bw_core"].relative_sd == 0.01
    assert "share_bw_node" not in figures


def test_figures_that_contradict_hold_one_another_and_are_named():
    quiet = {"bw_core": figure(1e10, 0.01), "bw_node": figure(4e10, 0.01)}
    quiet |= {"bw_numa": quiet["bw_node"], "latency_l2": figure(5e-9, 0.01)}
    assert consistent(quiet) == (quiet, ())
    found, sentences = consistent({**quiet, "bw_core": figure(5e10, 0.01)})
    assert found["bw_core"] == figure(5e10, 0.25)
    assert found["bw_node"] == figure(4e10, 0.25)
    assert sentences == (
        "bw_core exceeds bw_node by 25.0 %, which cannot be: one of them was disturbed, their spreads hold "
        "both; measure again on an idle node",
    )


def test_a_farther_cache_is_not_faster():
    figures = {"latency_l2": figure(2e-7, 0.05), "latency_l3": figure(1e-7, 0.05)}
    found, (sentence,) = consistent(figures)
    assert "latency_l2 exceeds latency_l3 by 100.0 %" in sentence
    assert found["latency_l3"].relative_sd == 1.0
    within = {"latency_l2": figure(1.05e-7, 0.05), "latency_l3": figure(1e-7, 0.05)}
    assert consistent(within)[1] == ()


KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def node(*caches, cores=4, available=256 * GIB):
    return Host(
        processor="some",
        cpus=tuple(range(cores)),
        domains=1,
        domain_cores=cores,
        caches=caches,
        memory=2 * available,
        available=available,
    )


def test_every_level_is_measured_inside_its_cache():
    rome = node(CoreCache(32 * KIB), CoreCache(512 * KIB), CoreCache(16 * MIB, 4), cores=128)
    assert working_sets(rome) == (16 * KIB, 256 * KIB, 2 * MIB, 32 * MIB)


def test_a_second_cache_that_cores_share_is_shared_out():
    a64fx = node(CoreCache(64 * KIB), CoreCache(8 * MIB, 12), cores=48)
    first, second, third, _ = working_sets(a64fx)
    assert (first, third) == (32 * KIB, 0)
    assert 64 * KIB < second <= 8 * MIB / 12


def test_arrays_exceed_the_last_cache():
    assert (
        3 * working_sets(node(CoreCache(48 * KIB), CoreCache(2 * MIB), CoreCache(105 * MIB, 56)))[3]
        >= 4 * 105 * MIB
    )


@pytest.mark.parametrize("available", [4 * GIB, 1 * GIB])
def test_at_most_a_quarter_of_the_memory_is_used(available):
    host = node(CoreCache(48 * KIB), CoreCache(2 * MIB), CoreCache(105 * MIB), cores=8, available=available)
    assert 3 * 8 * working_sets(host)[3] <= available / 4


@given(
    st.integers(16, 128),
    st.integers(256, 4096),
    st.integers(1, 1024),
    st.integers(1, 64),
    st.integers(1, 128),
)
def test_levels_do_not_overlap(first, second, third, sharers, cores):
    host = node(CoreCache(first * KIB), CoreCache(second * KIB), CoreCache(third * MIB, sharers), cores=cores)
    l1, l2, l3, memory = working_sets(host, 16 * MIB)
    assert l1 < first * KIB < l2 <= max(2 * first, second / 2) * KIB
    assert second * KIB <= l3
    assert memory == max(16 * MIB, l3)


def test_samples_are_kept_by_name_and_size():
    found = read_samples("hz 2e9\nmessage 8 1e-6\nhz 3e9\nmessage 32 2e-6\n")
    assert {key: values.tolist() for key, values in found.items()} == {
        ("hz", 0): [2e9, 3e9],
        ("message", 8): [1e-6],
        ("message", 32): [2e-6],
    }


@pytest.mark.parametrize("line", ["hz", "hz fast", "hz 0", "hz -1", "hz nan", "hz inf", "message 8 9 1e-6"])
def test_a_line_that_is_not_a_sample_is_named(line):
    with pytest.raises(InputError, match=f"the measuring program printed '{line}'"):
        read_samples(f"hz 1e9\n{line}\n")


def test_a_rate_is_the_upper_quartile_and_a_time_the_lower():
    samples = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (rate(samples).value, rate(samples).relative_sd) == (4.0, pytest.approx(1 / 4))
    assert (time(samples).value, time(samples).relative_sd) == (2.0, pytest.approx(1 / 2))


def test_interruptions_of_half_of_the_samples_do_not_count():
    quiet = np.array([10.0, 10.1, 10.2, 10.1])
    assert rate(np.append(quiet, [3.0, 0.1, 5.0])).value == pytest.approx(10.1, rel=0.01)
    assert rate(np.append(quiet, [3.0, 0.1, 5.0])).relative_sd < 0.02


def test_no_figure_is_known_better_than_one_per_cent():
    assert rate(np.full(5, 7.0)).relative_sd == time(np.full(5, 7.0)).relative_sd == 0.01


def test_the_spread_of_normal_samples_is_their_standard_deviation():
    random = np.random.default_rng(1)
    spreads = [rate(1 + 0.05 * random.standard_normal(15)).relative_sd for _ in range(400)]
    assert np.mean(spreads) == pytest.approx(0.05, rel=0.15)


def test_a_rate_may_be_larger_by_what_threads_waited_for_cores():
    """Half of the rounds ran alone, in the others the threads had half of their cores."""
    samples, shares = np.array([10.0, 10.0, 5.0, 5.0, 5.0]), np.array([1.0, 1.0, 0.4, 0.4, 0.4])
    assert rate(samples, np.ones(5)) == rate(samples)
    found = rate(samples, shares)
    assert found.value == 10.0
    assert found.relative_sd == pytest.approx(0.25)


BYTES_SENT = 2.0 ** np.arange(3, 23)
# IMB PingPong between two nodes of ARCHER2, 8 B to 4 MiB, December 2020 (github.com/hpc-uk/archer-benchmarks,
# synth/IMB/results/ARCHER2_CrayMPICH8015_pingpong), microseconds
ARCHER2 = """2.61 2.62 2.63 2.83 2.71 3.39 3.44 3.95 4.19 5.03 5.91 8.16 10.21 13.65 20.44 34.51 68.68 106.14
191.42 368.07"""


def protocol_times(latency, small, switch, start, large):
    return latency + np.where(switch < BYTES_SENT, start + (BYTES_SENT - 1) * large, (BYTES_SENT - 1) * small)


def fitted_times(found):
    (none, start), (small, large) = found.overheads, found.gaps
    assert none.value == 0
    return protocol_times(found.latency.value, small.value, found.switch, 2 * start.value, large.value)


@given(
    latency=st.floats(1e-7, 1e-5),
    small=st.floats(1e-10, 1e-9),
    switch=st.integers(6, 16),
    start=st.floats(1.0, 5.0),
    large=st.floats(1e-11, 9e-11),
)
def test_two_protocols_are_found_again(latency, small, switch, start, large):
    at = 2**switch
    seconds = protocol_times(latency, small, at, start * latency, large)
    found = fit_protocols(BYTES_SENT, [figure(float(t), 0.01) for t in seconds])
    assert fitted_times(found) == pytest.approx(seconds, rel=1e-6)


def test_the_spread_is_the_scatter_around_the_lines_or_that_of_the_times():
    seconds = protocol_times(1e-6, 5e-10, 8192, 2e-6, 5e-11)
    assert fit_protocols(BYTES_SENT, [figure(float(t), 0.03) for t in seconds]).latency.relative_sd == 0.03
    scattered = seconds * np.where(np.arange(len(BYTES_SENT)) % 2, 1.1, 0.9)
    found = fit_protocols(BYTES_SENT, [figure(float(t), 0.03) for t in scattered])
    assert 0.07 < found.gaps[0].relative_sd < 0.13


def test_real_times_are_fitted_within_ten_per_cent():
    seconds = 1e-6 * np.array([float(text) for text in ARCHER2.split()])
    found = fit_protocols(BYTES_SENT, [figure(float(t), 0.01) for t in seconds])
    assert np.mean(np.abs(fitted_times(found) / seconds - 1)) < 0.10
    assert found.switch == 8192  # Cray MPICH's eager limit was there


def test_times_are_in_the_order_of_sizes():
    samples = {("message", 32): np.array([2.0]), ("message", 8): np.array([1.0]), ("hz", 0): np.array([9.0])}
    sizes, times = sizes_and_times(samples, "message")
    assert sizes.tolist() == [8, 32]
    assert [each.value for each in times] == [1.0, 2.0]


def allreduces(ranks, total, times):
    samples = {("allreduce", size): np.array([seconds]) for size, seconds in times.items()}
    return {("ranks", ranks): np.array([float(total)]), **samples}


def test_an_allreduce_on_one_node():
    found = read_allreduce(allreduces(4, 4, {2: 1e-6, 4: 2e-6}))
    assert (found.ranks, found.node.value, found.step) == (4, 2e-6, None)


def test_an_allreduce_over_nodes_has_a_step_per_doubling():
    # IMB Allreduce of 8 B on ARCHER2, November 2020: 1 to 32 full nodes
    times = {128: 4.94e-6, 256: 8.42e-6, 512: 10.24e-6, 1024: 13.07e-6, 2048: 16.24e-6, 4096: 21.26e-6}
    found = read_allreduce(allreduces(128, 4096, times))
    assert found.node.value == 4.94e-6
    assert found.step.value == pytest.approx(3.05e-6, rel=0.03)
    assert 0.03 < found.step.relative_sd < 0.10


def test_one_rank_has_no_allreduce():
    assert read_allreduce(allreduces(1, 1, {})) is None
