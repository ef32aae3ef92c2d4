"""The memory a measurement needs for a trace, as scorep-score estimates it."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.experiment import VISITS
from ingest.profile import Profile, RegionTable

_CHUNK = 2 << 20
_TIMESTAMP = 9
_RECORD = 2  # record type and record length
_REFERENCE = 5  # a compressed 32-bit number at its longest: communicator, rank, tag, parameter
_LONG = 9  # a compressed 64-bit number at its longest: message length, request
_MESSAGE = _RECORD + 3 * _REFERENCE + _LONG + _TIMESTAMP
_REQUEST = 1 + _LONG + _TIMESTAMP
_COLLECTIVE = _RECORD + _RECORD + 1 + 2 * _REFERENCE + 2 * _LONG + _TIMESTAMP
_PARAMETER = _RECORD + _REFERENCE + _LONG + _TIMESTAMP

_SENDS = ("Send", "Bsend", "Rsend", "Ssend")
_BOTH = ("MPI_Sendrecv", "MPI_Sendrecv_replace")
_STARTS = (*(f"{send}_init" for send in _SENDS), "Isend", "Ibsend", "Irsend", "Issend")
_COLLECTIVES = """
Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce
Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv
"""
_MESSAGES = {
    **{f"MPI_{send}": _MESSAGE for send in (*_SENDS, "Recv")},
    **dict.fromkeys(_BOTH, 2 * _MESSAGE),
    **{f"MPI_{call}": _MESSAGE + _LONG + _REQUEST for call in (*_STARTS, "Irecv", "Recv_init")},
    **{f"MPI_{call}": _COLLECTIVE for call in _COLLECTIVES.split()},
}


@dataclass(frozen=True)
class TraceMemory:
    """Bytes that a trace needs."""

    max_buf: int  # the largest trace buffer of a process, the busiest one's
    total_memory: int  # what to set SCOREP_TOTAL_MEMORY to, so that no trace buffer is flushed during the run


@dataclass(frozen=True)
class Memory:
    """The memory of a trace without and with the filter."""

    unfiltered: TraceMemory
    filtered: TraceMemory


def trace_memory(profile: Profile, recorded: BoolArray) -> tuple[TraceMemory, ...]:
    """Estimate the memory of measurements under n filters, bool[n, region]; all True stands for no filter.

    max_buf is the largest sum of visits times bytes per visit of a process; SCOREP_TOTAL_MEMORY is max_buf,
    but at least 2 MiB, plus 2 MiB for each location of the process that has most.
    """
    bytes_of = bytes_per_visit(profile.regions) * recorded
    by_location = np.zeros((len(recorded), len(profile.locations)))
    everywhere = np.ones(len(profile.locations), dtype=np.bool_)
    for nodes, visits in profile.exclusive_blocks(VISITS, everywhere):
        by_location += bytes_of[:, profile.tree.region[nodes]] @ visits
    process = profile.locations.process
    locations = int(np.bincount(process).max())
    by_location /= profile.summed.count
    largest = [int(np.bincount(process, row).max()) for row in by_location]
    return tuple(TraceMemory(size, max(size, _CHUNK) + _CHUNK * locations) for size in largest)


def bytes_per_visit(regions: RegionTable) -> FloatArray:
    """Return the bytes that a visit takes in a trace, float64[region], as OTF2's estimator counts them.

    Enter and leave with their time stamps, and the events of MPI messages and collectives; scorep-score takes
    regions with a ``=`` in their name for parameters, also where it is a template argument. Events of OpenMP
    teams and tasks and of one-sided communication are not counted.
    """
    number = 1 + max(1, ((len(regions) - 1).bit_length() + 7) // 8)
    visit = 2 * (1 + number + _TIMESTAMP)
    sizes = [
        _PARAMETER if "=" in name and not name.startswith("instance=") else visit + _MESSAGES.get(name, 0)
        for name in regions.name
    ]
    return np.array(sizes, dtype=np.float64)
