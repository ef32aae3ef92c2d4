"""What regions do: compute, communicate, wait, start up. One table for all that sums time by kind.

The classes follow the metric tree that Score-P puts into every profile (``remapping.spec``). Its computation
is all time outside of MPI, SHMEM, POSIX threads, offload interfaces and the waiting constructs of OpenMP;
bodies of OpenMP constructs, I/O, memory management and wrapped libraries count as computation. Score-P also
uses the role of a region; here paradigm and name decide, since other formats have no roles.
"""

import re
import tomllib
from collections.abc import Collection
from enum import Enum
from functools import lru_cache
from importlib.resources import files

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.cpp_names import short_name
from ingest.profile import RegionTable


class Activity(Enum):
    """What time is spent on, in the groups of an overview."""

    COMPUTATION = "computation"
    COMMUNICATION = "communication"
    WAITING = "waiting"
    OFFLOAD = "offload"
    ACCELERATOR = "accelerator"
    IO = "I/O"
    START_UP = "start-up and shut-down"
    MEASUREMENT = "measurement system"


class RegionClass(Enum):
    """What a region does. The order of the members is that of all tables by class."""

    activity: Activity  # the group of an overview that the class belongs to

    def __new__(cls, name: str, activity: Activity = Activity.COMPUTATION) -> "RegionClass":
        """Put the group next to the name, which is the value."""
        member = object.__new__(cls)
        member._value_, member.activity = name, activity
        return member

    COMPUTATION = "computation", Activity.COMPUTATION
    MEMORY = "memory management", Activity.COMPUTATION
    IO = "I/O", Activity.IO
    POINT_TO_POINT = "point-to-point communication", Activity.COMMUNICATION
    COLLECTIVE = "collective communication", Activity.COMMUNICATION
    ONE_SIDED = "one-sided communication", Activity.COMMUNICATION
    COMPLETION = "completion of communication", Activity.COMMUNICATION
    MANAGEMENT = "management of communication", Activity.COMMUNICATION
    MPI_IO = "MPI I/O", Activity.IO
    SYNCHRONISATION = "synchronisation of threads", Activity.WAITING
    OFFLOAD = "offload interface", Activity.OFFLOAD
    KERNEL = "GPU kernels", Activity.ACCELERATOR
    COPY = "GPU copies", Activity.ACCELERATOR
    IDLE = "GPU idle", Activity.ACCELERATOR
    START_UP = "start-up and shut-down", Activity.START_UP
    MEASUREMENT = "measurement system", Activity.MEASUREMENT


CLASSES = tuple(RegionClass)
USEFUL_WORK = frozenset({RegionClass.COMPUTATION, RegionClass.MEMORY, RegionClass.IO})
"""Classes whose time is useful computation in the sense of POP: Score-P's metric ``comp``."""

MESSAGE_PASSING = frozenset(
    {RegionClass.START_UP, RegionClass.MPI_IO} | {c for c in CLASSES if c.activity is Activity.COMMUNICATION}
)
"""Classes of MPI and SHMEM: where they occur, communication was measured."""

GPU_KERNEL, GPU_COPY, GPU_IDLE = "gpu kernel", "gpu copy", "gpu idle"
"""Paradigms that readers give to what runs on accelerators: kernels, copies and fills, and idle time."""

_TABLES = tomllib.loads((files(__package__) / "region_class.toml").read_text("utf-8"))
_BY_PARADIGM = {paradigm: RegionClass[name] for paradigm, name in _TABLES["paradigms"].items()}
_MPI, _SHMEM = (
    tuple((RegionClass[name], calls) for name, calls in _TABLES[of].items()) for of in ("mpi", "shmem")
)
_MPI_NAME = re.compile(r"p?mpi_(?P<call>\w+?)(?:_c)?(?:_f08(?:ts)?)?_{0,2}")
_OPENMP_WAITING = re.compile(
    r"barrier|critical|ordered|atomic|taskwait|taskgroup|taskyield|flush|create|sync_region|(?<![a-z])lock"
    r"|<omp (?:idle|task wait|mutex wait)>"  # HPCToolkit's names
    r"|openmp (?:load imbalance|scheduling|serialization)|idle cpus"  # of TALP
)
_OPENMP_BODY = " sblock"  # what threads run once they may: `!$omp critical` waits, its sblock works
_IDLE = re.compile(r"(?:PURE )?COMPUTE IDLE")  # as Score-P names what streams do between kernels
_FLUSH = re.compile(r"FLUSH|TRACING")
_UNSAID = frozenset(("", "sampling", "unknown", "none"))  # paradigms that say nothing of a region


def region_class(paradigm: str, name: str) -> RegionClass:
    """Return what a region does, by its paradigm (lower case, as in `RegionTable`) and displayed name."""
    return CLASSES[_place_of_class(paradigm, name)]


@lru_cache(maxsize=1 << 16)
def _place_of_class(paradigm: str, name: str) -> int:
    return CLASSES.index(_class_of(paradigm, name))


def _class_of(paradigm: str, name: str) -> RegionClass:
    call = short_name(name).lower()
    if paradigm in _UNSAID:
        paradigm = _paradigm_of(call)
    if paradigm == "mpi":
        match = _MPI_NAME.fullmatch(call)
        return _first(_MPI, match["call"] if match else call)
    if paradigm == "shmem":
        return _first(_SHMEM, call)
    if paradigm in ("openmp", "omp"):
        construct = name.partition("@")[0].lower()
        waits = _OPENMP_WAITING.search(construct) and _OPENMP_BODY not in construct
        return RegionClass.SYNCHRONISATION if waits else RegionClass.COMPUTATION
    if paradigm == "measurement":  # also the paradigm of the program as a whole, the root of the call tree
        return RegionClass.MEASUREMENT if _FLUSH.search(name) else RegionClass.COMPUTATION
    found = _BY_PARADIGM.get(paradigm, RegionClass.COMPUTATION)
    idle = found is RegionClass.OFFLOAD and _IDLE.fullmatch(name)
    return RegionClass.IDLE if idle else found


@lru_cache(maxsize=1)  # runs of one program share their table
def region_classes(regions: RegionTable) -> IntArray:
    """Return what each region does, int64[region]: places in `CLASSES`."""
    return np.array(list(map(_place_of_class, regions.paradigm, regions.name)), dtype=np.int64)


def regions_in(regions: RegionTable, classes: Collection[RegionClass]) -> BoolArray:
    """Return which regions are of one of the classes, bool[region]."""
    wanted = np.array([found in classes for found in CLASSES], dtype=np.bool_)
    return wanted[region_classes(regions)]


def _paradigm_of(call: str) -> str:
    if _MPI_NAME.fullmatch(call):
        return "mpi"
    if call.startswith(("!$omp", "omp_")):
        return "openmp"
    return "pthread" if call.startswith("pthread_") else ""


def _first(table: tuple[tuple[RegionClass, str], ...], call: str) -> RegionClass:
    return next((found for found, calls in table if re.fullmatch(calls, call)), RegionClass.MANAGEMENT)
