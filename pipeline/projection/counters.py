"""Hardware counters by name: what one count is worth in floating-point operations or in bytes moved.

Tools name counters differently. A set lists counters that add up to one quantity; the first set with a
measured counter is used, so that nothing is counted twice. A new counter is a row in one of the sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

LEVELS = ("DRAM", "L3", "L2", "L1")
"""Where bytes are counted, the farthest first: between memory and caches, below L2, below L1, at the core."""

_LINE = 64.0
_GB = 1e9


def _fp_arith(prefix: str) -> dict[str, float]:
    """Return the FP_ARITH events: an instruction of that width counts for as many flop."""
    widths = ("SCALAR", "128B_PACKED", "256B_PACKED", "512B_PACKED")
    double = dict(zip(widths, (1.0, 2.0, 4.0, 8.0), strict=True))
    single = dict(zip(widths, (1.0, 4.0, 8.0, 16.0), strict=True))
    return {f"{prefix}{width}_DOUBLE": flop for width, flop in double.items()} | {
        f"{prefix}{width}_SINGLE": flop for width, flop in single.items()
    }


# PAPI presets; Sandy and Ivy Bridge the way CrayPat sums their events to "Total SP ops" and "Total DP ops";
# the FP_ARITH events since Haswell's successors, in PAPI's and likwid's spelling; AMD Zen.
FLOP_SETS: Sequence[Mapping[str, float]] = (
    {"PAPI_FP_OPS": 1},
    {"PAPI_DP_OPS": 1, "PAPI_SP_OPS": 1},
    {
        "FP_COMP_OPS_EXE:X87": 1,
        "FP_COMP_OPS_EXE:SSE_SCALAR_DOUBLE": 1,
        "FP_COMP_OPS_EXE:SSE_FP_SCALAR_SINGLE": 1,
        "FP_COMP_OPS_EXE:SSE_FP_PACKED_DOUBLE": 2,
        "FP_COMP_OPS_EXE:SSE_PACKED_SINGLE": 4,
        "SIMD_FP_256:PACKED_DOUBLE": 4,
        "SIMD_FP_256:PACKED_SINGLE": 8,
    },
    _fp_arith("FP_ARITH:"),
    _fp_arith("FP_ARITH_INST_RETIRED_"),
    {"RETIRED_SSE_AVX_FLOPS:ALL": 1},
    {"RETIRED_SSE_AVX_FLOPS_ALL": 1},
)

# An L1 access moves 16 bytes and a refill 64 (paper 003, for AMD Interlagos); likwid states volumes in 1e9 B.
BYTE_SETS: Mapping[str, Sequence[Mapping[str, float]]] = MappingProxyType(
    {
        "DRAM": (
            {"Memory data volume [GBytes]": _GB},
            {"CAS_COUNT_RD": _LINE, "CAS_COUNT_WR": _LINE},
            {"UNC_M_CAS_COUNT:RD": _LINE, "UNC_M_CAS_COUNT:WR": _LINE},
            {"PAPI_L3_TCM": _LINE},
        ),
        "L3": ({"L3 data volume [GBytes]": _GB}, {"PAPI_L2_TCM": _LINE}, {"PAPI_L2_DCM": _LINE}),
        "L2": (
            {"DATA_CACHE_REFILLS_FROM_L2_OR_NORTHBRIDGE:GOOD": _LINE},
            {"L2 data volume [GBytes]": _GB},
            {"L2_RQSTS:ALL_DEMAND_DATA_RD": _LINE},
            {"PAPI_L1_DCM": _LINE},
        ),
        "L1": ({"PAPI_L1_DCA": 16.0}, {"DATA_CACHE_ACCESSES": 16.0}),
    }
)


@dataclass(frozen=True)
class Work:
    """The work that counters show.

    Attributes:
        flop: floating-point operations; NaN if not counted.
        bytes: bytes moved by level, only levels that were counted.
    """

    flop: float
    bytes: Mapping[str, float]

    def intensity(self, level: str) -> float:
        """Return flop per byte at a level that was counted."""
        return self.flop / self.bytes[level] if self.bytes[level] > 0 else float("inf")

    @property
    def farthest(self) -> str | None:
        """The counted level nearest to memory, None if no bytes were counted."""
        return next((level for level in LEVELS if level in self.bytes), None)


def known(name: str) -> bool:
    """Return whether a counter of that name is in one of the sets."""
    sets = [*FLOP_SETS, *(entry for level in BYTE_SETS.values() for entry in level)]
    return any(name in entry for entry in sets)


def work(counters: Mapping[str, float]) -> Work:
    """Return operations and bytes from counters by name; counters of other names are ignored."""
    flop = _first(FLOP_SETS, counters)
    moved = {level: _first(sets, counters) for level, sets in BYTE_SETS.items()}
    counted = {level: value for level, value in moved.items() if value is not None}
    return Work(float("nan") if flop is None else flop, counted)


def _first(sets: Sequence[Mapping[str, float]], counters: Mapping[str, float]) -> float | None:
    for entry in sets:
        if any(name in counters for name in entry):
            return sum(worth * counters.get(name, 0.0) for name, worth in entry.items())
    return None
