"""What a region does, as far as its paradigm and name tell: compute, communicate or wait."""

OPENMP_WAITING = "openmp waiting"
WAITING_CONSTRUCTS = ("barrier", "taskwait", "taskyield", "ordered", "critical", "flush", "lock", "create")

COMMUNICATION = frozenset({"mpi", "shmem"})
NOT_COMPUTING = COMMUNICATION | {
    OPENMP_WAITING,
    "openmp",
    "pthread",
    "cuda",
    "opencl",
    "openacc",
    "hip",
    "kokkos",
    "measurement",
    "io",
    "memory",
}
"""Activities whose time is not the program's own computing, as the choice of strong or weak scaling goes."""

NOT_USEFUL = NOT_COMPUTING - {"openmp", "kokkos", "memory", "io"}
"""Activities whose time POP does not count as useful; loop bodies of OpenMP constructs are useful."""


def activity(paradigm: str, name: str) -> str:
    """Return the paradigm, with the synchronising constructs of OpenMP told apart.

    Score-P books the body of a loop under ``!$omp for`` and the time spent waiting under ``!$omp implicit
    barrier``: both have the paradigm ``openmp``.
    """
    if paradigm == "openmp" and any(word in name for word in WAITING_CONSTRUCTS):
        return OPENMP_WAITING
    return paradigm
