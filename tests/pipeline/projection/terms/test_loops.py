"""Loops from their counts: what limits them, what moves from where, the error of the method, refusals."""

import pytest

from ingest.errors import PipelineError, UsageError
from pipeline.projection.expressions.shipped_files import shipped
from pipeline.projection.machines.machine_values import load_machine
from pipeline.stages.project import project

MACHINE = """
name = "round"
[values]
cores = 4
peak_dp = "128 Gflop/s"
peak_scalar = "32 Gflop/s"
peak_divide = "4 Gflop/s"
bw_l1 = "640 GB/s"
bw_l2 = "320 GB/s"
bw_l3 = "160 GB/s"
bw_core = "8 GB/s"
bw_node = "16 GB/s"
cache_l1 = "32 KiB"
cache_l2 = "1 MiB"
cache_l3 = "16 MiB"
cores_l3 = 4
latency_add = "1 ns"
"""
TRIAD = {"trips": "n", "flop": 2, "loads": 2, "stores": 1, "moved": 3, "holds": "3 * n"}
STENCIL = {
    "trips": "n",
    "flop": 4,
    "loads": 4,
    "stores": 1,
    "moved": "2 if 3 * m <= cache / 2 else 4",
    "holds": "2 * n",
}


@pytest.fixture
def seconds(tmp_path):
    def taken(loop, n=1000, m=100, without="", machine="", **more):
        stated = {key: value for key, value in (loop | more).items() if value is not None}
        lines = [f"{key} = {value!r}" for key, value in stated.items()]
        text = f'[inputs]\nn = {n}\nm = {m}\n[terms.loop]\nmodel = "loop"\ninputs = {{ n = "1", m = "1" }}\n'
        (tmp_path / "app.toml").write_text(text + "\n".join(lines) + '\n[parts]\nall = "loop(n, m)"\n')
        stated = machine.partition(" =")[0]
        lines = [line for line in MACHINE.splitlines() if not (without and without in line)]
        lines = [machine if stated and line.startswith(stated) else line for line in lines]
        (tmp_path / "me.toml").write_text("\n".join(lines))
        return project(tmp_path / "app.toml", tmp_path / "me.toml").total

    return taken


@pytest.mark.parametrize(
    ("n", "nanoseconds"),
    [
        (1000, 16 / 160),  # a core's part of the first cache: two loads, beside which a store fits
        (10_000, 24 / 80),
        (400_000, 24 / 40),
        (4_000_000, 24 / 8),  # one core alone has half of what the node has
    ],
)
def test_a_triad_takes_what_the_level_that_holds_it_gives(seconds, n, nanoseconds):
    assert seconds(TRIAD, n).value == pytest.approx(n * nanoseconds * 1e-9)


def test_a_part_of_the_third_cache_smaller_than_the_second_takes_nothing_away(seconds):
    small = 'cache_l3 = "1 KiB"'
    assert seconds(TRIAD, 10_000, machine=small).value == pytest.approx(10_000 * 24 / 80 * 1e-9)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"vectorised": 2}, "'vectorised' of a loop lies between 0 and 1, not 2"),
        ({"cores": "n - 1000.5"}, "'cores' of a loop lies between 1 and 4, those of the machine, not -0.5"),
        ({"cores": "mach.cores + 1"}, "'cores' of a loop lies between 1 and 4, those of the machine, not 5"),
        ({"flop": -2}, "'flop' of a loop is at least 0, not -2"),
        ({"trips": "-n"}, "'trips' of a loop is at least 0, not -1000"),
        ({"moved": "2 - n"}, "'moved' of a loop is at least 0, not -998"),
        ({"holds": "-n"}, "'holds' of a loop is at least 0, not -1000"),
    ],
)
def test_counts_that_no_loop_has_are_refused_at_their_key(seconds, more, said):
    with pytest.raises(UsageError, match=said):
        seconds(TRIAD | more)


def test_cores_share_trips_caches_and_memory(seconds):
    assert seconds(TRIAD, 1000, cores=4).value == pytest.approx(1000 * 16 / 640 * 1e-9)
    assert seconds(TRIAD, 4_000_000, cores="mach.cores").value == pytest.approx(4e6 * 24 / 16 * 1e-9)
    in_third = seconds(TRIAD, 600_000, cores=4).value  # 14.4 MB of 16 MiB, whoever holds them
    assert in_third == pytest.approx(6e5 * 24 / 160 * 1e-9)


def test_rows_that_fit_come_once_from_memory_and_the_others_from_the_cache_between(seconds):
    narrow, wide = seconds(STENCIL, 8_000_000, 500).value, seconds(STENCIL, 8_000_000, 2000).value
    assert narrow == pytest.approx(8e6 * 16 / 8 * 1e-9)
    assert wide == pytest.approx(8e6 * (16 / 8 + 16 / 80) * 1e-9)


def test_without_a_third_cache_memory_is_beyond_the_second(seconds):
    assert seconds(TRIAD, 400_000, without="_l3").value == pytest.approx(4e5 * 24 / 8 * 1e-9)


@pytest.mark.parametrize(
    ("more", "nanoseconds"),
    [
        ({"chain": "mach.latency_add"}, 1),
        ({"chain": "mach.latency_add / 4"}, 0.25),
        ({"flop": 64}, 2),
        ({"flop": 64, "peak": "mach.peak_dp / 2"}, 4),
        ({"flop": 64, "vectorised": 0}, 8),
        ({"flop": 64, "vectorised": "floor(m / 8) * 8 / m", "m": 10}, 2 * (0.8 + 0.2 * 4)),
        ({"vectorised": 0}, 4 * 16 / 160),
        ({"stores": 3}, 48 / 160),
        ({"divisions": 1}, 1),
        ({"element": "4 * unit.B", "flop": 0}, 8 / 160),
    ],
)
def test_what_takes_longest_decides(seconds, more, nanoseconds):
    assert seconds(TRIAD, **more).value == pytest.approx(1000 * nanoseconds * 1e-9)


def test_the_error_of_the_method_is_in_the_interval(seconds):
    usual, stated = seconds(TRIAD), seconds(TRIAD, method_error="10 %")
    twice = seconds(TRIAD, method_error=0.6)
    # 1.645 standard deviations of a logarithm whose factor has a deviation of 30 %
    assert usual.upper / usual.value == pytest.approx(1.62, abs=0.08)
    assert stated.upper / stated.value == pytest.approx(1.178, abs=0.02)
    assert twice.lower < usual.lower < stated.lower < stated.value == usual.value


@pytest.mark.parametrize(
    ("more", "without", "line"),
    [
        ({"moved": None}, "", r"app.toml:\d+: moved: is missing; write moved = 2, or moved = \"2 \* m\""),
        ({"move": 3}, "", "move: unknown key; .*moved"),
        ({"chain": 2}, "", "unit mismatch: 'chain' has to be in s"),
        ({"element": 8}, "", "unit mismatch: 'element' has to be in B"),
        ({"method_error": 2}, "", "'method_error' has to lie between 0 and 1"),
        ({"moved": "2 if m else 3"}, "", "not allowed"),
        ({}, "cache_l2", "the machine states no 'cache_l2', which this loop needs; measure it"),
        ({"chain": "mach.latency_fma"}, "", "no 'latency_fma', which this loop needs; measure it with"),
        ({"divisions": 1}, "peak_divide", "the machine states no 'peak_divide', which this loop needs"),
    ],
)
def test_what_is_missing_or_wrong_is_named(seconds, more, without, line):
    with pytest.raises(PipelineError, match=line):
        seconds(TRIAD | more, without=without)


NODES = [name for name in shipped("machine") if load_machine(name).values.keys() >= {"bw_l1", "bw_core"}]


@pytest.mark.parametrize("machine", NODES)
def test_every_shipped_node_states_its_caches(machine):
    near, far = (project("loops", machine, {"n": n, "m": 10}).total.value / n for n in (100, 1e9))
    assert 2 < far / near < 100
