"""What hardware counters are worth, against the tools' own documentation."""

import numpy as np
import pytest

from ingest.counters.counted_work import known, work
from ingest.hardware_counters import canonical

# Floating-point operations of one count: PAPI's presets, Intel's and AMD's event tables.
FLOP = {
    "PAPI_FP_OPS": 1,
    "PAPI_DP_OPS": 1,
    "PAPI_SP_OPS": 1,
    "FP_COMP_OPS_EXE:X87": 1,
    "FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE": 1,
    "FP_COMP_OPS_EXE:SSE_FP_SCALAR_SINGLE": 1,
    "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE": 2,
    "FP_COMP_OPS_EXE:SSE_PACKED_SINGLE": 4,
    "SIMD_FP_256:PACKED_DOUBLE": 4,
    "SIMD_FP_256:PACKED_SINGLE": 8,
    "FP_ARITH:SCALAR_DOUBLE": 1,
    "FP_ARITH:SCALAR_SINGLE": 1,
    "FP_ARITH:128B_PACKED_DOUBLE": 2,
    "FP_ARITH:128B_PACKED_SINGLE": 4,
    "FP_ARITH:256B_PACKED_DOUBLE": 4,
    "FP_ARITH:256B_PACKED_SINGLE": 8,
    "FP_ARITH:512B_PACKED_DOUBLE": 8,
    "FP_ARITH:512B_PACKED_SINGLE": 16,
    "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE": 1,
    "FP_ARITH_INST_RETIRED_256B_PACKED_SINGLE": 8,
    "RETIRED_SSE_AVX_FLOPS:ALL": 1,
    "RETIRED_SSE_AVX_FLOPS_ALL": 1,
    "amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY": 1,
    "fp_ret_sse_avx_ops.all": 1,
    "Total SP ops": 1,
    "HW FP Ops / User time": 1,
    "DP [FLOP]": 1,
    "skx::FP_ARITH:512B_PACKED_DOUBLE": 8,
    "fp_arith_inst_retired.256b_packed_single:u": 8,
    "cpu_core/fp_arith_inst_retired.scalar_double/": 1,
    "PAPI_NATIVE_FP_ARITH:128B_PACKED_SINGLE": 4,
    "sum#papi.PAPI_DP_OPS": 1,
}
# Bytes of one count, by the level where they are counted.
BYTES = {
    "Memory data volume [GBytes]": ("DRAM", 1e9),
    "CAS_COUNT_RD": ("DRAM", 64),
    "CAS_COUNT_WR": ("DRAM", 64),
    "UNC_M_CAS_COUNT:RD": ("DRAM", 64),
    "UNC_M_CAS_COUNT:WR": ("DRAM", 64),
    "PAPI_L3_TCM": ("DRAM", 64),
    "L3 data volume [GBytes]": ("L3", 1e9),
    "PAPI_L2_TCM": ("L3", 64),
    "PAPI_L2_DCM": ("L3", 64),
    "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": ("L2", 64),
    "L2 data volume [GBytes]": ("L2", 1e9),
    "L2_RQSTS:ALL_DEMAND_DATA_RD": ("L2", 64),
    "PAPI_L1_DCM": ("L2", 64),
    "PAPI_L1_DCA": ("L1", 16),
    "DATA_CACHE_ACCESSES": ("L1", 16),
    "Memory traffic GBytes": ("DRAM", 1e9),
    "Read Memory Traffic GBytes": ("DRAM", 1e9),
    "Write Memory Traffic GBytes": ("DRAM", 1e9),
    "OFFCORE_RESPONSE_0:ANY_REQUEST:L3_MISS_LOCAL": ("DRAM", 64),
    "skx_unc_imc0::UNC_M_CAS_COUNT:RD:cpu=0": ("DRAM", 64),
    "unc_m_cas_count.wr": ("DRAM", 64),
    "uncore_imc_3/cas_count_read/": ("DRAM", 64),
    "uncore_imc/data_writes/": ("DRAM", 64),
    "uncore_imc_free_running_0/data_read/": ("DRAM", 64),
    "LLC-load-misses": ("DRAM", 64),
    "perf::LLC-STORE-MISSES": ("DRAM", 64),
    "amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL": ("DRAM", 64),
    "ls_any_fills_from_sys.dram_io_all": ("DRAM", 64),
    "ls_any_fills_from_sys.all": ("L2", 64),
    "L1-dcache-load-misses": ("L2", 64),
}


@pytest.mark.parametrize(("name", "flop"), FLOP.items())
def test_operations_of_one_count(name, flop):
    assert work({name: 3.0}).flop == 3 * flop
    assert known(name)


@pytest.mark.parametrize(("name", "level", "size"), [(name, *worth) for name, worth in BYTES.items()])
def test_bytes_of_one_count(name, level, size):
    done = work({name: 3.0})
    assert done.bytes == {level: 3 * size}
    assert known(name)


def test_counters_of_one_set_add_up():
    assert work({"CAS_COUNT_RD": 2, "CAS_COUNT_WR": 1}).bytes == {"DRAM": 192}
    done = work(
        {"FP_ARITH:SCALAR_DOUBLE": 1, "FP_ARITH:256B_PACKED_DOUBLE": 10, "FP_ARITH:512B_PACKED_SINGLE": 100}
    )
    assert done.flop == 1 + 40 + 1600


def test_nothing_is_counted_twice():
    assert work({"PAPI_FP_OPS": 5, "PAPI_DP_OPS": 5, "RETIRED_SSE_AVX_FLOPS:ALL": 5}).flop == 5
    assert work({"Memory data volume [GBytes]": 2, "PAPI_L3_TCM": 1}).bytes == {"DRAM": 2e9}


def test_intensities_as_craypat_users_take_them():
    done = work(
        {"PAPI_FP_OPS": 3.2e9, "PAPI_L1_DCA": 2.0e9, "DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": 5e8}
    )
    assert done.intensity("L1") == pytest.approx(3.2e9 / (16 * 2.0e9))
    assert done.intensity("L2") == pytest.approx(3.2e9 / (64 * 5e8))
    assert next(iter(done.bytes)) == "L2"
    assert work({"PAPI_FP_OPS": 1, "PAPI_L1_DCA": 0}).intensity("L1") == float("inf")
    assert work({"PAPI_FP_OPS": 3, "Memory data volume [GBytes]": 0.5e-9}).intensity("DRAM") == 6.0


def test_native_events_of_ivy_bridge_add_up_to_craypats_own_total():
    # Counters and "Total DP ops" of one genuine report, in operations.
    counters = {
        "FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE": 112_744_249_904,
        "FP_COMP_OPS_EXE:X87": 127_011_849_454,
        "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE": 3_233_709_536_337,
        "SIMD_FP_256:PACKED_DOUBLE": 724_563_383_669,
    }
    assert work(counters).flop == pytest.approx(9_605_428_706_706, rel=1e-12)


def test_unknown_counters_say_nothing():
    done = work({"PAPI_TOT_CYC": 1e9})
    assert np.isnan(done.flop)
    assert done.bytes == {}
    assert not known("PAPI_TOT_CYC")


def test_one_counter_of_several_units_is_added_up():
    channels = {
        f"skx_unc_imc{k}::UNC_M_CAS_COUNT:{what}:cpu=0": 10 for k in range(6) for what in ("RD", "WR")
    }
    assert work(channels).bytes == {"DRAM": 120 * 64}


def test_the_widths_of_instructions():
    done = work(
        {"FP_ARITH:SCALAR_DOUBLE": 3, "FP_ARITH:512B_PACKED_SINGLE": 2, "SIMD_FP_256:PACKED_DOUBLE": 9}
    )
    # The older events come first, so that nothing is counted twice.
    assert (done.flop, done.widths) == (36.0, {("dp", 4): 36.0})
    done = work({"FP_ARITH:SCALAR_DOUBLE": 3, "FP_ARITH:SCALAR_SINGLE": 1, "FP_ARITH:512B_PACKED_SINGLE": 2})
    assert done.widths == {("dp", 1): 3.0, ("sp", 1): 1.0, ("sp", 16): 32.0}
    assert sum(done.widths.values()) == done.flop
    assert work({"PAPI_FP_OPS": 5}).widths == {}


def test_whether_anything_was_counted():
    assert work({"PAPI_FP_OPS": 0}).counted
    assert work({"PAPI_L3_TCM": 0}).counted
    assert not work({"PAPI_TOT_CYC": 5}).counted


@pytest.mark.parametrize("name", ["PAPI_FP_OPS", "FP_ARITH_SCALAR_DOUBLE", "MEMORY_DATA_VOLUME_[GBYTES]"])
def test_canonical_names_stay(name):
    assert canonical(name) == name
    assert canonical(name.lower()) == name
    assert canonical(f" {name}:u") == name
