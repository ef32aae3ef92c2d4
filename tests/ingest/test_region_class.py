import numpy as np
import pytest

from ingest.profile import RegionTable
from ingest.region_class import (
    CLASSES,
    GPU_COPY,
    GPU_IDLE,
    GPU_KERNEL,
    MESSAGE_PASSING,
    USEFUL,
    Activity,
    RegionClass,
    region_class,
    region_classes,
    regions_in,
)

C = RegionClass

MPI = {
    C.START_UP: "Init Init_thread Initialized Finalize Finalized Session_init Session_finalize",
    C.POINT_TO_POINT: (
        "Send Bsend Rsend Ssend Isend Ibsend Irsend Issend Recv Irecv Mrecv Imrecv Sendrecv Sendrecv_replace"
        " Isendrecv Isendrecv_replace Probe Iprobe Mprobe Improbe Send_init Bsend_init Rsend_init Ssend_init"
        " Psend_init Recv_init Precv_init Pready Pready_list Pready_range Parrived Start Startall"
    ),
    C.COLLECTIVE: (
        "Barrier Ibarrier Barrier_init Bcast Ibcast Gather Gatherv Igatherv Allgather Allgatherv Scatter"
        " Scatterv Alltoall Alltoallv Alltoallw Ialltoallw Reduce Allreduce Iallreduce Allreduce_init"
        " Reduce_scatter Reduce_scatter_block Ireduce_scatter_block Scan Exscan Iexscan Neighbor_allgather"
        " Ineighbor_alltoallw Neighbor_alltoallv_init"
    ),
    C.ONE_SIDED: (
        "Put Get Rput Rget Accumulate Raccumulate Get_accumulate Rget_accumulate Compare_and_swap"
        " Fetch_and_op Win_fence Win_post Win_start Win_complete Win_wait Win_test Win_lock Win_lock_all"
        " Win_unlock Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync"
    ),
    C.COMPLETION: (
        "Wait Waitall Waitany Waitsome Test Testall Testany Testsome Test_cancelled Cancel Request_free"
        " Request_get_status"
    ),
    C.MPI_IO: "File_open File_close File_write_all File_iread_at File_set_view",
    C.MANAGEMENT: (
        "Comm_rank Comm_dup Cart_create Type_commit Group_incl Info_set Win_create Get_count Reduce_local"
        " Wtime Abort Pack Attr_get Request_c2f"
    ),
}
OTHERS = [
    ("compiler", "int main(int, char**)", C.COMPUTATION),
    ("user", "MEASUREMENT OFF", C.COMPUTATION),
    ("libwrap:fftw", "fftw_execute", C.COMPUTATION),
    ("kokkos", "Kokkos::parallel_for", C.COMPUTATION),
    ("orphan thread", "PTHREAD", C.COMPUTATION),
    ("openmp", "!$omp parallel @a.c:3", C.COMPUTATION),
    ("openmp", "!$omp for/do", C.COMPUTATION),
    ("openmp", "!$omp single sblock @a.c:3", C.COMPUTATION),
    ("openmp", "!$omp critical sblock @a.c:3", C.COMPUTATION),
    ("openmp", "!$omp ordered sblock @a.c:3", C.COMPUTATION),
    ("openmp", "!$omp master @barrier_lock.c:3", C.COMPUTATION),
    ("openmp", "!$omp task untied @a.c:3", C.COMPUTATION),
    ("openmp", "!$omp workshare", C.COMPUTATION),
    ("openmp", "!$omp unlocked", C.COMPUTATION),
    ("omp", "omp parallel", C.COMPUTATION),
    ("openmp", "!$omp implicit barrier @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp barrier @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp ibarrier @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp critical @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp critical queue @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp ordered @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp atomic @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp taskwait @a.c:3", C.SYNCHRONISATION),
    ("openmp", "!$omp taskgroup", C.SYNCHRONISATION),
    ("openmp", "!$omp taskyield", C.SYNCHRONISATION),
    ("openmp", "!$omp flush", C.SYNCHRONISATION),
    ("openmp", "!$omp create task @a.c:3", C.SYNCHRONISATION),
    ("openmp", "omp_set_lock", C.SYNCHRONISATION),
    ("openmp", "omp_test_nest_lock", C.SYNCHRONISATION),
    ("openmp", "OpenMP_Sync_Region_Wait", C.SYNCHRONISATION),
    ("openmp", "OpenMP_Implicit_Barrier", C.SYNCHRONISATION),
    ("openmp", "<omp barrier wait>", C.SYNCHRONISATION),
    ("openmp", "<omp idle>", C.SYNCHRONISATION),
    ("openmp", "<omp mutex wait>", C.SYNCHRONISATION),
    ("openmp", "<omp task wait>", C.SYNCHRONISATION),
    ("openmp", "<omp expl task>", C.COMPUTATION),
    ("openmp", "<omp overhead>", C.COMPUTATION),
    ("pthread", "pthread_mutex_lock", C.SYNCHRONISATION),
    ("pthread", "pthread_join", C.SYNCHRONISATION),
    ("cuda", "cudaMemcpy", C.OFFLOAD),
    ("hip", "hipMemcpy", C.OFFLOAD),
    ("opencl", "clFinish", C.OFFLOAD),
    ("openacc", "acc_wait@a.c:3", C.OFFLOAD),
    ("openmp target", "!$omp target update", C.OFFLOAD),
    ("io", "fwrite", C.IO),
    ("memory", "malloc", C.MEMORY),
    ("measurement", "TRACE BUFFER FLUSH", C.MEASUREMENT),
    ("measurement", "TRACING", C.MEASUREMENT),
    ("measurement", "a.out", C.COMPUTATION),
    ("shmem", "shmem_init", C.START_UP),
    ("shmem", "shmem_finalize", C.START_UP),
    ("shmem", "start_pes", C.START_UP),
    ("shmem", "shmem_barrier_all", C.COLLECTIVE),
    ("shmem", "shmem_int_sum_to_all", C.COLLECTIVE),
    ("shmem", "shmem_broadcast64", C.COLLECTIVE),
    ("shmem", "shmem_putmem", C.ONE_SIDED),
    ("shmem", "shmem_int_g", C.ONE_SIDED),
    ("shmem", "shmem_long_fadd", C.ONE_SIDED),
    ("shmem", "shmem_quiet", C.COMPLETION),
    ("shmem", "shmem_wait_until", C.COMPLETION),
    ("shmem", "shmem_my_pe", C.MANAGEMENT),
    ("mpi", "something of its own", C.MANAGEMENT),
    (
        "compiler",
        "MPI_Send",
        C.COMPUTATION,
    ),  # a function of the program, or of a library it was compiled with
    ("sampling", "MPI_Bcast", C.COLLECTIVE),
    ("sampling", "iteration", C.COMPUTATION),
    ("", "mpi_waitall_", C.COMPLETION),
    ("unknown", "!$omp barrier @a.c:3", C.SYNCHRONISATION),
    ("none", "pthread_cond_wait", C.SYNCHRONISATION),
    (GPU_KERNEL, "MPI_Send", C.KERNEL),
    (GPU_COPY, "copy to the device", C.COPY),
    (GPU_IDLE, "GPU idle", C.IDLE),
    ("", "main", C.COMPUTATION),
    ("", "", C.COMPUTATION),
]


@pytest.mark.parametrize(("found", "calls"), MPI.items())
def test_calls_of_mpi(found, calls):
    for call in calls.split():
        assert region_class("mpi", f"MPI_{call}") is found, call


@pytest.mark.parametrize(
    "name", ["MPI_Allreduce()", "PMPI_Allreduce", "mpi_allreduce_", "MPI_Allreduce_c", "mpi_allreduce_f08ts_"]
)
def test_one_call_under_many_names(name):
    assert region_class("mpi", name) is C.COLLECTIVE


@pytest.mark.parametrize(("paradigm", "name", "found"), OTHERS)
def test_other_paradigms(paradigm, name, found):
    assert region_class(paradigm, name) is found


def test_a_whole_table_at_once():
    names = ("main", "MPI_Send", "fwrite", "MPI_Init")
    table = RegionTable(
        name=names,
        mangled=names,
        paradigm=("compiler", "mpi", "io", "mpi"),
        file=("",) * 4,
        line=np.full(4, -1),
    )
    found = [CLASSES[i] for i in region_classes(table).tolist()]
    assert found == [C.COMPUTATION, C.POINT_TO_POINT, C.IO, C.START_UP]
    assert regions_in(table, USEFUL).tolist() == [True, False, True, False]
    assert regions_in(table, {C.START_UP, C.IO}).tolist() == [False, False, True, True]


def test_every_class_belongs_to_one_activity():
    members = {activity: {c for c in RegionClass if c.activity is activity} for activity in Activity}
    assert members == {
        Activity.COMPUTATION: {C.COMPUTATION, C.MEMORY},
        Activity.COMMUNICATION: {C.POINT_TO_POINT, C.COLLECTIVE, C.ONE_SIDED, C.COMPLETION, C.MANAGEMENT},
        Activity.WAITING: {C.SYNCHRONISATION},
        Activity.OFFLOAD: {C.OFFLOAD},
        Activity.ACCELERATOR: {C.KERNEL, C.COPY, C.IDLE},
        Activity.IO: {C.IO, C.MPI_IO},
        Activity.START_UP: {C.START_UP},
        Activity.MEASUREMENT: {C.MEASUREMENT},
    }


def test_what_counts_as_useful_and_what_shows_that_communication_was_measured():
    assert {C.COMPUTATION, C.MEMORY, C.IO} == USEFUL
    assert {
        C.POINT_TO_POINT,
        C.COLLECTIVE,
        C.ONE_SIDED,
        C.COMPLETION,
        C.MANAGEMENT,
        C.MPI_IO,
        C.START_UP,
    } == MESSAGE_PASSING
