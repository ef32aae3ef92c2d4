import numpy as np
import pytest

from ingest.errors import UsageError
from pipeline.projection.counters import known, work
from pipeline.projection.machine import load_machine
from pipeline.projection.roofline import Point, roofline


def test_intensities_as_craypat_users_take_them():
    done = work(
        {"PAPI_FP_OPS": 3.2e9, "PAPI_L1_DCA": 2.0e9, "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 5e8}
    )
    assert done.intensity("L1") == pytest.approx(3.2e9 / (16 * 2.0e9))
    assert done.intensity("L2") == pytest.approx(3.2e9 / (64 * 5e8))
    assert done.farthest == "L2"


def test_packed_operations_count_their_width():
    done = work(
        {"FP_ARITH:SCALAR_DOUBLE": 1, "FP_ARITH:256B_PACKED_DOUBLE": 10, "FP_ARITH:512B_PACKED_SINGLE": 100}
    )
    assert done.flop == 1 + 40 + 1600
    likwid = work({"FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE": 3, "Memory data volume [GBytes]": 2})
    assert (likwid.flop, likwid.bytes["DRAM"]) == (6, 2e9)


def test_native_events_of_ivy_bridge_add_up_to_craypats_own_total():
    # Counters and "Total DP ops" of one genuine report, in operations.
    counters = {
        "FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE": 112_744_249_904,
        "FP_COMP_OPS_EXE:X87": 127_011_849_454,
        "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE": 3_233_709_536_337,
        "SIMD_FP_256:PACKED_DOUBLE": 724_563_383_669,
    }
    assert work(counters).flop == pytest.approx(9_605_428_706_706, rel=1e-12)


def test_nothing_is_counted_twice():
    assert work({"PAPI_FP_OPS": 5, "PAPI_DP_OPS": 5, "RETIRED_SSE_AVX_FLOPS:ALL": 5}).flop == 5


def test_unknown_counters_say_nothing():
    done = work({"PAPI_TOT_CYC": 1e9})
    assert np.isnan(done.flop)
    assert done.farthest is None
    assert known("PAPI_L1_DCA")
    assert not known("PAPI_TOT_CYC")


def test_roofline_of_a_shipped_machine():
    machine = load_machine("blue-waters-xe6")
    found = roofline(machine.name, machine.values, [Point("U/VLL", "L2", 0.1, 1e9)])
    assert [ceiling.name for ceiling in found.bandwidths] == ["bw_node", "bw_numa"]
    rates = found.attainable(np.array([0.1, 100.0]), "bw_node", "peak_dp")
    assert rates == pytest.approx([5.96e9, 313.6e9])


def test_a_machine_without_ceilings_has_no_roofline():
    machine = load_machine("xt5")
    with pytest.raises(UsageError, match=r"no bandwidth 'bw_\.\.\.' in B/s for a roofline"):
        roofline(machine.name, machine.values)
