"""Hardware counters by name: what one count is worth in floating-point operations or in bytes moved.

Tools name counters differently: `hardware_counters.canonical` brings the spellings of PAPI, Score-P, TAU,
Caliper, likwid and perf together. A set lists counters that add up to one quantity; the first set with a
measured counter is used, so that nothing is counted twice. A new counter is a row in one of the sets.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from ingest.hardware_counters import canonical

LEVELS = ("DRAM", "L3", "L2", "L1")
"""Where bytes are counted, the farthest first: between memory and caches, below L2, below L1, at the core."""

Width: TypeAlias = tuple[str, int]
"""Precision (``dp`` or ``sp``) and number of elements that one instruction works on."""

_LINE = 64.0
_GB = 1e9


def _fp_arith(prefix: str) -> dict[str, float]:
    """Return the FP_ARITH events: an instruction of that width counts for as many flop."""
    widths = {"SCALAR": (1, 1), "128B_PACKED": (2, 4), "256B_PACKED": (4, 8), "512B_PACKED": (8, 16)}
    return {f"{prefix}_{width}_DOUBLE": float(double) for width, (double, _) in widths.items()} | {
        f"{prefix}_{width}_SINGLE": float(single) for width, (_, single) in widths.items()
    }


# PAPI's presets; Sandy and Ivy Bridge the way CrayPat sums their events to "Total SP ops" and "Total DP ops";
# FP_ARITH since Haswell's successors; AMD Zen; what likwid derives.
_FP_COMP = {
    "FP_COMP_OPS_EXE_X87": 1.0,
    "FP_COMP_OPS_EXE_SSE_SCALAR_DOUBLE": 1.0,
    "FP_COMP_OPS_EXE_SSE_FP_SCALAR_DOUBLE": 1.0,
    "FP_COMP_OPS_EXE_SSE_FP_SCALAR_SINGLE": 1.0,
    "FP_COMP_OPS_EXE_SSE_FP_PACKED_DOUBLE": 2.0,
    "FP_COMP_OPS_EXE_SSE_PACKED_SINGLE": 4.0,
    "SIMD_FP_256_PACKED_DOUBLE": 4.0,
    "SIMD_FP_256_PACKED_SINGLE": 8.0,
}
FLOP_SETS: Sequence[Mapping[str, float]] = (
    {"PAPI_FP_OPS": 1.0},
    {"PAPI_DP_OPS": 1.0, "PAPI_SP_OPS": 1.0},
    _FP_COMP,
    _fp_arith("FP_ARITH_INST_RETIRED"),
    _fp_arith("FP_ARITH"),
    {"TOTAL_DP_OPS": 1.0, "TOTAL_SP_OPS": 1.0},
    {"HW_FP_OPS_USER_TIME": 1.0},
    *({f"RETIRED_SSE_AVX_FLOPS_{which}": 1.0} for which in ("ALL", "ANY")),
    {"RETIRED_SSE_AVX_FLOPS": 1.0},
    {"FP_RET_SSE_AVX_OPS_ALL": 1.0},
    {"FP_RET_SSE_AVX_OPS_ANY": 1.0},
    {"DP_[FLOP]": 1.0, "SP_[FLOP]": 1.0},
)

# An L1 access moves 16 bytes and a refill 64 (paper 003, for AMD Interlagos); likwid and CrayPat state
# volumes in 1e9 B. The fills of Zen's L1 that come from memory leave out what is written back.
_FILLS, _PERF_FILLS = "ANY_DATA_CACHE_FILLS_FROM_SYSTEM", "LS_ANY_FILLS_FROM_SYS"

BYTE_SETS: Mapping[str, Sequence[Mapping[str, float]]] = MappingProxyType(
    {
        "DRAM": (
            {"MEMORY_DATA_VOLUME_[GBYTES]": _GB},
            {"MEMORY_TRAFFIC_GBYTES": _GB},
            {"READ_MEMORY_TRAFFIC_GBYTES": _GB, "WRITE_MEMORY_TRAFFIC_GBYTES": _GB},
            {"CAS_COUNT_RD": _LINE, "CAS_COUNT_WR": _LINE},
            {"UNC_M_CAS_COUNT_RD": _LINE, "UNC_M_CAS_COUNT_WR": _LINE},
            {"UNC_M_CAS_COUNT_READ": _LINE, "UNC_M_CAS_COUNT_WRITE": _LINE},
            {"UNC_M_DATA_READS": _LINE, "UNC_M_DATA_WRITES": _LINE},
            {"UNC_M_DATA_READ": _LINE, "UNC_M_DATA_WRITE": _LINE},
            {"LLC_MISSES_MEM_READ": _LINE, "LLC_MISSES_MEM_WRITE": _LINE},
            {
                "OFFCORE_RESPONSE_0_ANY_REQUEST_L3_MISS_LOCAL": _LINE,
                "OFFCORE_RESPONSE_1_ANY_REQUEST_L3_MISS_REMOTE": _LINE,
            },
            {f"{_FILLS}_MEM_IO_LCL": _LINE, f"{_FILLS}_MEM_IO_RMT": _LINE},
            {f"{_PERF_FILLS}_MEM_IO_LOCAL": _LINE, f"{_PERF_FILLS}_MEM_IO_REMOTE": _LINE},
            {f"{_PERF_FILLS}_DRAM_IO_NEAR": _LINE, f"{_PERF_FILLS}_DRAM_IO_FAR": _LINE},
            {f"{_PERF_FILLS}_DRAM_IO_ALL": _LINE},
            {f"{_PERF_FILLS}_ALL_DRAM_IO": _LINE},
            {"PAPI_L3_TCM": _LINE},
            {"LLC_LOAD_MISSES": _LINE, "LLC_STORE_MISSES": _LINE},
        ),
        "L3": (
            {"L3_DATA_VOLUME_[GBYTES]": _GB},
            {"PAPI_L2_TCM": _LINE},
            {"PAPI_L2_DCM": _LINE},
        ),
        "L2": (
            {"DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE_GOOD": _LINE},
            {"L2_DATA_VOLUME_[GBYTES]": _GB},
            {f"{_PERF_FILLS}_ALL": _LINE},
            {"L2_RQSTS_ALL_DEMAND_DATA_RD": _LINE},
            {"PAPI_L1_DCM": _LINE},
            {"L1_DCACHE_LOAD_MISSES": _LINE, "L1_DCACHE_STORE_MISSES": _LINE},
        ),
        "L1": ({"PAPI_L1_DCA": 16.0}, {"DATA_CACHE_ACCESSES": 16.0}),
    }
)


def _widths() -> dict[str, Width]:
    """Return precision and elements of every counter that tells them."""
    found: dict[str, Width] = {}
    for names in (_fp_arith("FP_ARITH_INST_RETIRED"), _fp_arith("FP_ARITH"), _FP_COMP):
        for name, elements in names.items():
            found[name] = ("sp" if name.endswith("SINGLE") else "dp", round(elements))
    return found


_WIDTHS = MappingProxyType(_widths())


@dataclass(frozen=True)
class Work:
    """The work that counters show.

    Attributes:
        flop: floating-point operations; NaN if not counted.
        bytes: bytes moved by level, only levels that were counted.
        widths: how `flop` divides over instructions of different width; empty if the counters do not tell.
    """

    flop: float
    bytes: Mapping[str, float]
    widths: Mapping[Width, float] = field(default_factory=dict)

    def intensity(self, level: str) -> float:
        """Return flop per byte at a level that was counted."""
        return self.flop / self.bytes[level] if self.bytes[level] > 0 else float("inf")

    def scaled(self, factor: float) -> "Work":
        """Return so many times the work, such as one node's part."""
        moved = {level: value * factor for level, value in self.bytes.items()}
        return Work(self.flop * factor, moved, {width: flop * factor for width, flop in self.widths.items()})

    @property
    def counted(self) -> bool:
        """Whether any counter was known."""
        return not math.isnan(self.flop) or bool(self.bytes)


def known(name: str) -> bool:
    """Return whether a counter of that name is in one of the sets."""
    sets = [*FLOP_SETS, *(entry for level in BYTE_SETS.values() for entry in level)]
    return any(canonical(name) in entry for entry in sets)


def work(counters: Mapping[str, float]) -> Work:
    """Return operations and bytes from counters by name; counters of other names are ignored.

    The names may be those of the metrics of a profile, so that this also serves for a kernel of a study.
    Several spellings of one counter, such as one for each memory controller, are added up.
    """
    values: dict[str, float] = {}
    for name, value in counters.items():
        values[canonical(name)] = values.get(canonical(name), 0.0) + value
    flop = _first(FLOP_SETS, values)
    moved = {level: _first(sets, values) for level, sets in BYTE_SETS.items()}
    widths: dict[Width, float] = {}
    for name, value in ({} if flop is None else flop).items():
        if name in _WIDTHS:
            widths[_WIDTHS[name]] = widths.get(_WIDTHS[name], 0.0) + value
    return Work(
        float("nan") if flop is None else sum(flop.values()),
        {level: sum(parts.values()) for level, parts in moved.items() if parts is not None},
        widths,
    )


def _first(sets: Sequence[Mapping[str, float]], values: Mapping[str, float]) -> dict[str, float] | None:
    """Return what the counters of the first set with a measured one are worth, by counter."""
    for entry in sets:
        if any(name in values for name in entry):
            return {name: worth * values[name] for name, worth in entry.items() if name in values}
    return None
