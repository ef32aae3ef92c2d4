"""What limits a region: each level against its ceiling, arithmetic against its peak, else latency."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.counters.counted_work import LEVELS, Work, work
from ingest.errors import UsageError
from ingest.units import parse_quantity
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.rooflines.region_verdicts import ARITHMETIC, Bound, verdict
from tests.pipeline.projection.mistakes import refused

VALUES = {
    "bw_node": "100 GB/s",
    "bw_numa": "50 GB/s",
    "bw_l3": "400 GB/s",
    "bw_l2": "1000 GB/s",
    "bw_l1": "4000 GB/s",
    "peak_dp": "1000 Gflop/s",
}


def machine(**values):
    return Machine(
        name="node",
        path=Path("node.toml"),
        source="",
        values={name: parse_quantity(value) for name, value in values.items()},
        terms={},
        variant="expected",
        variants={},
    )


NODE = machine(**VALUES)


def done(flop=float("nan"), **moved):
    """Return work in 1e9 flop and 1e9 bytes."""
    return Work(1e9 * flop, {level: 1e9 * size for level, size in moved.items()})


@pytest.mark.parametrize(
    ("of_10_seconds", "kind", "bound", "level"),
    [
        # 500 GB in 10 s are half of 100 GB/s; the ceiling of a NUMA domain is 50 GB/s.
        (done(1, DRAM=500), "threaded", Bound.MEMORY, "DRAM"),
        (done(1, DRAM=499), "threaded", Bound.LATENCY, "DRAM"),
        (done(1, DRAM=250), "serial", Bound.MEMORY, "DRAM"),
        (done(1, DRAM=249), "serial", Bound.LATENCY, "DRAM"),
        # Bytes at a cache are compared with the cache, not with memory.
        (done(1, DRAM=100, L1=25_000), "threaded", Bound.MEMORY, "L1"),
        (done(1, DRAM=100, L1=10_000), "threaded", Bound.LATENCY, "L1"),
        (done(1, DRAM=100, L2=6000, L1=8000), "threaded", Bound.MEMORY, "L2"),
        (done(1, DRAM=100, L3=3000, L2=4000), "threaded", Bound.MEMORY, "L3"),
        (done(1, DRAM=700, L2=6000), "threaded", Bound.MEMORY, "DRAM"),
        # Arithmetic is said from half of the peak on, however many flop there are to a byte.
        (done(5001, DRAM=1), "threaded", Bound.ARITHMETIC, "DRAM"),
        (done(200, DRAM=1), "threaded", Bound.LATENCY, "DRAM"),
        (done(6000, DRAM=700), "threaded", Bound.MEMORY, "DRAM"),
        (done(8000, DRAM=700), "threaded", Bound.ARITHMETIC, "DRAM"),
        (done(6000), "threaded", Bound.ARITHMETIC, ""),
        # Traffic with memory that was not counted can be the limit, unless what is nearer excludes it.
        (done(1), "threaded", Bound.ASSUMED, ""),
        (done(), "threaded", Bound.ASSUMED, ""),
        (done(1, L2=500), "threaded", Bound.ASSUMED, "L2"),
        (done(1, L2=499), "threaded", Bound.LATENCY, "L2"),
        (done(1, L1=3000, L2=499), "threaded", Bound.LATENCY, "L1"),
    ],
)
def test_what_limits_a_region(of_10_seconds, kind, bound, level):
    found = verdict(of_10_seconds, 10.0, NODE, kind=kind)
    assert (found.bound, found.level) == (bound, level)
    assert set(found.uses) == {*of_10_seconds.bytes} | ({ARITHMETIC} if of_10_seconds.flop > 0 else set())
    for name, use in found.uses.items():
        assert use.rate == pytest.approx(
            (of_10_seconds.flop if name == ARITHMETIC else of_10_seconds.bytes[name]) / 10
        )


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.01, 100))
def test_the_verdict_does_not_depend_on_how_long_a_region_runs(scale, flop, size):
    once, longer = (verdict(done(flop * k, DRAM=size * k), k, NODE) for k in (1.0, scale))
    assert once.bound is longer.bound
    assert once.uses["DRAM"].fraction == pytest.approx(longer.uses["DRAM"].fraction)


@given(st.dictionaries(st.sampled_from(LEVELS), st.floats(1, 1e5), min_size=1), st.floats(1, 1e5))
def test_what_limits_is_what_is_nearest_to_its_ceiling(moved, flop):
    found = verdict(done(flop, **moved), 1.0, NODE)
    best = max(found.uses, key=lambda name: found.uses[name].fraction)
    if found.bound is Bound.MEMORY:
        assert best == found.level
    assert (found.uses[best].fraction >= 0.5) == (found.bound in (Bound.MEMORY, Bound.ARITHMETIC))


def test_some_cores_have_the_ceilings_of_those_cores():
    node = machine(**VALUES, cores="40", bw_core="20 GB/s")
    few = verdict(done(1, DRAM=1, L2=1), 1.0, node, cores=4).uses
    assert (few["DRAM"].ceiling, few["L2"].ceiling, few[ARITHMETIC].ceiling) == (80e9, 100e9, 100e9)
    half = verdict(done(1, DRAM=1, L2=1), 1.0, node, cores=20).uses
    assert (half["DRAM"].ceiling, half["L2"].ceiling) == (100e9, 500e9)
    for cores in (None, 40, 80):
        assert verdict(done(1, L1=1), 1.0, node, cores=cores).uses["L1"].ceiling == 4000e9
    # 80 of 1000 Gflop/s are little for the node, and 80 % of the peak of 4 of its 40 cores.
    assert verdict(done(80, DRAM=0.1), 1.0, node).bound is Bound.LATENCY
    assert verdict(done(80, DRAM=0.1), 1.0, node, cores=4).bound is Bound.ARITHMETIC


def test_without_the_bandwidth_of_a_core_it_is_a_share_and_that_is_said():
    node = machine(**VALUES, cores="40")
    found = verdict(done(1, DRAM=5), 1.0, node, cores=4)
    assert found.uses["DRAM"].ceiling == 10e9
    # Four cores may have more than a tenth of the bandwidth, so that half of it is not their limit for sure.
    assert found.bound is Bound.ASSUMED
    assert found.sentence.startswith(
        "assumed to be memory-bound; the machine has no bw_core for a run on some of its cores (DRAM 5 GB/s, "
    )
    assert verdict(done(1, DRAM=4), 1.0, node, cores=4).bound is Bound.LATENCY
    assert verdict(done(80, DRAM=6), 1.0, node, cores=4).bound is Bound.ARITHMETIC
    assert found.doubts == (
        "memory bandwidth of some cores was taken as their share of the node's; state bw_core",
    )
    assert verdict(done(1, DRAM=5), 1.0, node, cores=40).doubts == ()
    assert verdict(done(1, L1=5), 1.0, node, cores=4).doubts == ()


def test_a_serial_region_has_a_numa_domain():
    node = machine(**VALUES, numa_domains="4")
    uses = verdict(done(1, DRAM=1, L1=1), 1.0, node, kind="serial").uses
    assert (uses["DRAM"].ceiling, uses["L1"].ceiling, uses[ARITHMETIC].ceiling) == (50e9, 1000e9, 250e9)


@pytest.mark.parametrize(
    ("counters", "peak"),
    [
        # A core of 8 doubles: scalar instructions reach an eighth of the peak, 4 doubles the half.
        ({"FP_ARITH:SCALAR_DOUBLE": 8}, 125e9),
        ({"FP_ARITH:128B_PACKED_DOUBLE": 8}, 250e9),
        ({"FP_ARITH:256B_PACKED_DOUBLE": 8}, 500e9),
        ({"FP_ARITH:512B_PACKED_DOUBLE": 8}, 1000e9),
        ({"FP_ARITH:SCALAR_SINGLE": 8}, 125e9),
        ({"FP_ARITH:512B_PACKED_SINGLE": 8}, 2000e9),
        # Half of the flop scalar, half in widest vectors: 1 / (0.5 / 125 + 0.5 / 1000).
        ({"FP_ARITH:SCALAR_DOUBLE": 8, "FP_ARITH:512B_PACKED_DOUBLE": 1}, 1e9 / (0.5 / 125 + 0.5 / 1000)),
        ({"PAPI_FP_OPS": 8}, 1000e9),
    ],
)
def test_arithmetic_has_the_peak_of_its_own_instructions(counters, peak):
    node = machine(**VALUES, peak_scalar="125 Gflop/s")
    assert verdict(work(counters), 1.0, node).uses[ARITHMETIC].ceiling == pytest.approx(peak)


def test_single_precision_doubles_the_peak_of_vectors_only():
    assert verdict(work({"FP_ARITH:512B_PACKED_SINGLE": 1}), 1.0, NODE).uses[ARITHMETIC].ceiling == 2000e9
    assert verdict(work({"FP_ARITH:SCALAR_SINGLE": 1}), 1.0, NODE).uses[ARITHMETIC].ceiling == 1000e9


def test_scalar_arithmetic_is_arithmetic_too():
    counters = {"FP_ARITH:SCALAR_DOUBLE": 100e9, "CAS_COUNT_RD": 1e6}
    assert (
        verdict(work(counters), 1.0, machine(**VALUES, peak_scalar="125 Gflop/s")).bound is Bound.ARITHMETIC
    )
    assert verdict(work(counters), 1.0, NODE).bound is Bound.LATENCY


def test_a_level_without_a_ceiling_is_not_compared_with_another():
    node = machine(bw_node="100 GB/s", peak_dp="1000 Gflop/s")
    found = verdict(done(1, L1=3000), 10.0, node)
    assert set(found.uses) == {ARITHMETIC}
    assert found.bound is Bound.ASSUMED
    assert found.not_judged == LEVELS
    counted = verdict(done(1, DRAM=10, L1=3000), 10.0, node)
    assert counted.bound is Bound.LATENCY
    assert counted.not_judged == ("L3", "L2", "L1")


def test_the_verdict_in_words():
    def sentence(*args, **moved):
        return verdict(done(*args, **moved), 10.0, NODE).sentence

    assert sentence(1, DRAM=800) == (
        "limited by memory bandwidth (DRAM 80 GB/s, 80 % of its ceiling, "
        "arithmetic 0.1 Gflop/s, 0.01 % of its peak, 0.00125 flop/B at DRAM)"
    )
    assert sentence(1, DRAM=80, L2=9000).startswith("limited by memory bandwidth at L2 (DRAM 8 GB/s, 8 % of")
    assert sentence(200, DRAM=3) == (
        "limited by latency, or by L3 or L2 or L1, not counted (DRAM 0.3 GB/s, 0.3 % of its ceiling, "
        "arithmetic 20 Gflop/s, 2 % of its peak, 66.7 flop/B at DRAM)"
    )
    assert sentence(200, DRAM=3, L3=3, L2=3, L1=3).startswith("limited by latency (DRAM 0.3 GB/s")
    assert sentence(DRAM=3).startswith(
        "limited by latency, or by L3 or L2 or L1 or arithmetic, not counted ("
    )
    assert sentence(9000, DRAM=3).startswith("limited by arithmetic (DRAM 0.3 GB/s, 0.3 % of its ceiling")
    assert sentence() == "assumed to be memory-bound; no counters to confirm it"
    assert sentence(DRAM=800) == "limited by memory bandwidth (DRAM 80 GB/s, 80 % of its ceiling)"


def test_more_than_a_machine_can_do_is_doubtful():
    (doubt,) = verdict(done(1, DRAM=4550), 10.0, NODE).doubts
    assert doubt == "455 % of the ceiling of DRAM: a counter or the machine's value is wrong"
    assert verdict(done(1, DRAM=1400), 10.0, NODE).doubts == ()


@pytest.mark.parametrize(
    ("values", "kind", "line"),
    [
        ({"peak_dp": "1 Gflop/s"}, "threaded", "node.toml: no value 'bw_node'; add it to [values]"),
        ({"bw_node": "1 GB/s"}, "serial", "node.toml: no value 'bw_numa'; add it to [values]"),
        (
            {"bw_node": "1 GB"},
            "threaded",
            "node.toml: unit mismatch: 'bw_node' has to be in B/s, it is in B; correct its unit",
        ),
        (
            {"bw_node": "1 GB/s", "peak_dp": "1 GHz"},
            "threaded",
            "'peak_dp' has to be in flop/s, it is in 1/s",
        ),
        ({"bw_node": "1 GB/s", "bw_l2": "1 s"}, "threaded", "'bw_l2' has to be in B/s, it is in s"),
    ],
)
def test_machines_that_lack_a_value(values, kind, line):
    assert line in refused(
        lambda: verdict(done(1, DRAM=1), 10.0, machine(**values), kind=kind), raises=UsageError
    )


def test_a_machine_without_a_peak_judges_memory_only():
    found = verdict(done(1, DRAM=800), 10.0, machine(bw_node="100 GB/s"))
    assert set(found.uses) == {"DRAM"}
    assert np.isfinite(found.intensity)
