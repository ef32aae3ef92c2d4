"""Bytes of a trace, as scorep-score counts them."""

import numpy as np
import pytest

from filters.filter_effect import bytes_per_visit, trace_memory
from ingest.errors import InputError
from ingest.profile import CPU, RegionTable
from tests.profiles import make_profile, profile_from_rows

MIB = 1 << 20
PAIR = 24  # enter and leave: twice a record type, a region of two bytes and a time stamp of nine


def table(*names):
    nothing = ("",) * len(names)
    return RegionTable(
        name=names, mangled=names, paradigm=nothing, file=nothing, line=np.full(len(names), -1)
    )


@pytest.mark.parametrize(
    ("calls", "events"),
    [
        ("Send Bsend Rsend Ssend Recv", 35),
        ("Sendrecv Sendrecv_replace", 70),
        ("Isend Ibsend Irsend Issend Irecv", 63),
        ("Send_init Bsend_init Rsend_init Ssend_init Recv_init", 63),
        ("Barrier Bcast Gather Gatherv Allgather Allgatherv Scatter Scatterv", 42),
        ("Alltoall Alltoallv Alltoallw Reduce Allreduce Reduce_scatter Reduce_scatter_block Scan Exscan", 42),
        ("Comm_rank Wait Put Ibarrier", 0),
    ],
)
def test_bytes_of_calls_of_mpi(calls, events):
    names = [f"MPI_{call}" for call in calls.split()]
    assert bytes_per_visit(table(*names)).tolist() == [PAIR + events] * len(names)


def test_bytes_of_other_regions():
    found = bytes_per_visit(table("main", "T* f(int) [with T = double]", "instance=3", "n=3"))
    assert found.tolist() == [PAIR, 25, PAIR, 25]


@pytest.mark.parametrize(
    ("regions", "size"), [(1, 24), (256, 24), (257, 26), (1 << 16, 26), ((1 << 16) + 1, 28)]
)
def test_a_visit_takes_more_with_many_regions(regions, size):
    assert bytes_per_visit(table(*map(str, range(regions))))[0] == size


def test_the_busiest_process_decides_and_its_locations_count():
    visits = {("main",): [10.0, 20.0, 25.0], ("main", "MPI_Barrier"): [1.0, 1.0, 0.0]}
    profile = make_profile({"visits": visits}, process=[0, 0, 1], device=[CPU, CPU, 0])
    everything, main_alone, nothing = trace_memory(
        profile, np.array([[True, True], [True, False], [False, False]])
    )
    assert everything.max_buf == 30 * PAIR + 2 * (PAIR + 42)
    assert main_alone.max_buf == 30 * PAIR
    assert nothing.max_buf == 0
    assert {memory.total_memory for memory in (everything, main_alone, nothing)} == {6 * MIB}


def test_a_large_buffer_is_counted_as_it_is():
    profile = profile_from_rows([(0, "main", 200_000, 0.0)])
    (memory,) = trace_memory(profile, np.array([[True]]))
    assert memory.max_buf == 200_000 * PAIR
    assert memory.total_memory == 200_000 * PAIR + 2 * MIB


def test_without_visits_nothing_can_be_estimated():
    with pytest.raises(InputError, match="no metric 'visits'"):
        trace_memory(make_profile({"time": {("main",): [1.0]}}), np.array([[True]]))
