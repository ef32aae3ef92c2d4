"""Counts of loops beside hardware counters: what agrees, what differs, what cannot be compared."""

import json

import pytest

from ingest.errors import PipelineError
from pipeline.stages.project import project, sweep

# 10 sweeps of 1e6 trips: 4 flop and a division each; two of three elements come from memory
APPLICATION = """
[inputs]
n = 1e6
[terms.sweep]
model = "loop"
inputs = { n = "1" }
trips = "n"
flop = 4
divisions = 1
loads = 2
stores = 1
moved = 2
holds = "100 * n"
[parts]
relax = "10 * sweep(n)"
copies = "5 * (sweep(n) + sweep(2 * n)) + mach.rest()"
"""
MACHINE = """
[values]
cores = 1
peak_dp = "32 Gflop/s"
peak_scalar = "8 Gflop/s"
peak_divide = "1 Gflop/s"
bw_l1 = "100 GB/s"
bw_l2 = "100 GB/s"
bw_core = "10 GB/s"
bw_node = "10 GB/s"
cache_l1 = "32 KiB"
cache_l2 = "1 MiB"
[terms.rest]
expression = "3 * unit.s"
"""
REFILLS = "PAPI_L1_DCM"  # lines of 64 B from beyond the first cache


def papi(**regions):
    entries = {
        str(k): {"name": name, "parent_region_id": "-1", "cycles": "1", "real_time_nsec": "1000"}
        | {event: str(value) for event, value in events.items()}
        for k, (name, events) in enumerate(regions.items())
    }
    return json.dumps({"papi_version": "7", "threads": {"0": {"regions": entries}}})


@pytest.fixture
def said(tmp_path):
    def notices(counters, text, **at):
        (tmp_path / "me.toml").write_text(MACHINE)
        (tmp_path / "run").write_text(text)
        (tmp_path / "app.toml").write_text(f'{APPLICATION}[counters]\nprofile = "run"\n{counters}\n')
        return project(tmp_path / "app.toml", tmp_path / "me.toml", at).notices

    return notices


def test_what_was_counted_stands_beside_what_was_measured(said):
    text = papi(relax={"PAPI_FP_OPS": 52e6, "PAPI_L3_TCM": 3.5e6}, other={"PAPI_FP_OPS": 1})
    assert said("", text) == (
        "relax: counted 5.00 flop a trip, measured 5.20",
        "relax: counted 16.0 to 24.0 B with memory a trip, measured 22.4",
    )


def test_a_loop_without_trips_is_not_compared(said):
    found = said('regions = { relax = "relax" }', papi(relax={"PAPI_FP_OPS": 1e8}), n=0.0)
    assert found == ("relax: makes no trips at these inputs, so that its counters cannot be compared",)


def test_counters_of_one_run_are_not_compared_with_a_sweep(said, tmp_path):
    said("", papi(relax={"PAPI_FP_OPS": 1e8}))
    points = [{"n": 1e6}, {"n": 2e6}]
    for one in sweep(tmp_path / "app.toml", tmp_path / "me.toml", points):
        assert one.notices[-1] == "[counters] is compared at single inputs: give one value of each with --at"


def test_what_differs_is_said_so(said):
    (flop, refills) = said("", papi(relax={"PAPI_FP_OPS": 1e8, REFILLS: 3e6}))
    assert flop == "relax: counted 5.00 flop a trip, measured 10.0, which differs"
    assert refills == "relax: counted 16.0 to 24.0 B from beyond the first cache a trip, measured 19.2"


def test_calls_with_other_arguments_and_other_terms_are_counted_too(said):
    (flop,) = said('regions = { copies = "stream" }', papi(stream={"PAPI_FP_OPS": 75e6}))
    assert flop == "copies: counted 5.00 flop a trip, measured 5.00"


def test_a_program_without_regions_is_compared_as_a_whole(said):
    perf = "10,msec,duration_time,1,100.00,,\n250000000,,fp_ret_sse_avx_ops.all,1,100.00,,\n"
    (flop,) = said("processes = 2", perf)
    assert flop == "Total: counted 5.00 flop a trip, measured 5.00"


@pytest.mark.parametrize(
    ("counters", "text", "line"),
    [
        ("", papi(x={"PAPI_FP_OPS": 1}), "no counters of the loops of relax, .*; regions are x"),
        ("", papi(relax={"PAPI_TOT_CYC": 1}), "no counters of the loops of relax, copies"),
        ("", "nothing", "not a file of counters that is known"),
        ('regions = { relax = "main" }', papi(relax={}), "no region 'main'"),
        ('regions = { relaxed = "x" }', papi(relax={"PAPI_FP_OPS": 1}), "relaxed: is no part that has loops"),
        ("region = 1", papi(relax={}), "region: unknown key"),
    ],
)
def test_without_counters_there_is_one_line(said, counters, text, line):
    with pytest.raises(PipelineError, match=line):
        said(counters, text)
