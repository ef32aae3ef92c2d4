"""Which locations the profiles of a database belong to.

The profile of a thread has what it spends on its core, and also the time of the operations that it starts on
accelerators. Profiles of streams exist if accelerators were traced; their identifiers name the devices that a
process uses, while their values are those of the threads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.profile import CPU, LocationTable
from ingest.readers.hpctoolkit.profile_db import StoredProfile

NODE, RANK, THREAD, DEVICE, STREAM = "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUSTREAM"
ONE_DEVICE = "which accelerators were used is not stated: one for each process is assumed"
ONE_OF_MANY = "which accelerator of a process worked is not stated: the time of all is that of one"

_ACCELERATOR = frozenset((DEVICE, STREAM, "GPUCONTEXT"))
_THREAD, _STREAM, _STARTED = range(3)

Device: TypeAlias = tuple[str | int, ...]  # what makes a device different from others


@dataclass(frozen=True, eq=False)
class Placement:
    """The locations of profiles.

    Attributes:
        locations: process by process: threads, streams, accelerators whose streams have no values.
        own: int64[profile], the location of each profile, -1 if it needs none.
        started: int64[profile], the location of the accelerator time of each profile, -1 if it has none.
        notices: what is assumed.
    """

    locations: LocationTable
    own: IntArray
    started: IntArray
    notices: tuple[str, ...]


class _Row(NamedTuple):
    """A location in the order of the table; `profile` is -1 for what the threads of a process start."""

    process: int
    kind: int
    number: int
    profile: int


def place(profiles: Sequence[StoredProfile], used: BoolArray, starting: BoolArray) -> Placement:
    """Find the locations of profiles.

    Args:
        profiles: those of threads and streams.
        used: bool[profile], whether it has values; streams without values get no location.
        starting: bool[profile], whether it has time of accelerators.
    """
    processes = _processes(profiles)
    streams = [bool(_ACCELERATOR & profile.identity.keys()) for profile in profiles]
    known: dict[int, set[Device]] = {}
    for i in (i for i, stream in enumerate(streams) if stream and DEVICE in profiles[i].identity):
        known.setdefault(processes[i], set()).add(_device(profiles[i], processes[i]))
    device: dict[_Row, Device] = {}
    for i, (profile, process) in enumerate(zip(profiles, processes, strict=True)):
        if not streams[i]:
            device[_Row(process, _THREAD, profile.identity.get(THREAD, 0), i)] = ()
        elif used[i]:
            device[_Row(process, _STREAM, profile.identity.get(STREAM, 0), i)] = _device(profile, process)
    starters = [i for i in np.flatnonzero(starting).tolist() if not streams[i]]
    for process in {processes[i] for i in starters}:
        of = known.get(process, set())
        device[_Row(process, _STARTED, 0, -1)] = next(iter(of)) if len(of) == 1 else ("process", process)
    rows = sorted(device)
    number = {row: i for i, row in enumerate(rows)}
    own = np.full(len(profiles), -1)
    own[[row.profile for row in rows if row.profile >= 0]] = [number[row] for row in rows if row.profile >= 0]
    started = np.where(starting, own, -1)
    started[starters] = [number[_Row(processes[i], _STARTED, 0, -1)] for i in starters]
    counts = {len(known.get(processes[i], ())) for i in starters}
    notices = (ONE_DEVICE,) * (0 in counts) + (ONE_OF_MANY,) * bool(counts - {0, 1})
    return Placement(_table(rows, device), own, started, notices)


def _processes(profiles: Sequence[StoredProfile]) -> list[int]:
    """Return the number of the process of each profile: by rank, or by node if there are no ranks."""
    keys = [
        (profile.identity.get(RANK, -1), 0 if RANK in profile.identity else profile.identity.get(NODE, 0))
        for profile in profiles
    ]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    return [number[key] for key in keys]


def _device(profile: StoredProfile, process: int) -> Device:
    """Return the device of a stream; unless they are those of hardware, numbers hold within a process."""
    if DEVICE in profile.physical:
        return "hardware", profile.identity.get(NODE, 0), profile.identity[DEVICE]
    return "process", process, profile.identity.get(DEVICE, 0)


def _table(rows: Sequence[_Row], device: Mapping[_Row, Device]) -> LocationTable:
    process = np.array([row.process for row in rows], dtype=np.int64)
    numbers: dict[Device, int] = {}
    of = [numbers.setdefault(device[row], len(numbers)) if device[row] else CPU for row in rows]
    thread = np.arange(len(rows)) - np.searchsorted(process, process)
    return LocationTable(process, thread, np.array(of, dtype=np.int64))
