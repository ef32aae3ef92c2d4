"""PyTorch's profiler (Kineto), and any other trace in Chrome's format.

Kineto gives each event a category: ``kernel``, ``gpu_memcpy`` and ``gpu_memset`` ran on a stream (``tid``) of
a device (``pid``), others on threads; ``gpu_user_annotation`` repeats ranges of the host. An event of the
category ``Trace`` lasts as long as events were recorded. Traces in one folder that state different ranks of
one world are one run, each rank with devices of its own. TensorFlow and JAX have a process for each device,
``/device:GPU:0``, whose streams are threads beside others that repeat them (``XLA Ops``, ``Steps``); PyTorch
before 1.8 has a process ``CUDA functions``. In traces of other programs all is on threads.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np

from ingest.arrays import IntArray
from ingest.errors import InputError
from ingest.profile import CPU, NODE, Profile
from ingest.readers import ProfileReader
from ingest.readers.gpu.timeline import (
    NO_DURATION,
    Activities,
    Event,
    Regions,
    Timeline,
    TraceFile,
    beginning,
    has_events,
    load,
    names_of,
    numbered,
    paired,
    span,
    stated_models,
    timeline_profile,
    times,
    understood,
    whole,
)
from ingest.reading.files import entries, is_folder, missing_numbers, writable
from ingest.region_class import GPU_COPY, GPU_KERNEL

_ENDINGS = (".json", ".json.gz")
_ROUNDING = 1000  # nanoseconds: older versions print whole microseconds
_MAX_RANKS = 1 << 12
_RANK_BITS = 40  # numbers of processes and threads lie below those of ranks
RECORDED = "the run is what the profiler recorded: steps before and after it are not in it"

_DEVICE = {"kernel": GPU_KERNEL, **dict.fromkeys(("gpu_memcpy", "gpu_memset", "memcpy", "memset"), GPU_COPY)}
_CALLS = frozenset(("cuda_runtime", "cuda_driver", "runtime"))
_SPAN = "trace"
_NOT_READ = frozenset(("gpu_user_annotation", "cuda_sync", "cuda_profiler_range", "overhead", _SPAN))
_KINETO = frozenset((*_DEVICE, *_CALLS, "cpu_op", "python_function", "operator"))
_STEP = re.compile(r"(ProfilerStep)#\d+")
_WORLD = re.compile(
    rb'"distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*(\d{1,9})\b[^{}]*?"world_size"\s*:\s*(\d{1,9})\b'
)
_DEVICE_PROCESS = re.compile(r"/device:(?!CPU)[A-Z]+:\d+.*|CUDA functions", re.DOTALL)
_STREAM = re.compile(r"stream\b.*", re.IGNORECASE | re.DOTALL)
_OPERATIONS = "XLA Ops"  # of devices without streams
_COPY = re.compile(r"\[?(?:CUDA )?mem(?:cpy|set)", re.IGNORECASE)
_REPEATED = "gpu_user_annotation"
_UNREAD_PHASES = {"b": "asynchronous events", "S": "asynchronous events", "C": "counters"}


@dataclass(frozen=True, kw_only=True)
class _Trace:
    parts: Sequence[Activities]  # what ran on threads and on devices
    kineto: bool  # whether it is of PyTorch's profiler
    recorded: int | None  # nanoseconds for which events were recorded; None if not stated
    devices: int  # number of accelerators that were used
    models: Sequence[str]  # their names, if stated
    attributes: Mapping[str, str]  # what else is stated
    notices: Sequence[str]  # what is not read


def matches(path: Path) -> bool:
    """Return whether a file has trace events, or a folder those of the ranks of one run."""
    return bool(_ranks(path)) if is_folder(path) else has_events(path)


def _files(path: Path) -> Sequence[Path]:
    return _ranks(path) if path.is_dir() else [path]


def read(path: Path) -> Profile:
    """Read a trace, or those of all ranks of a run."""
    timeline = Timeline(rounding=_ROUNDING)
    traces: list[_Trace] = []
    for rank, file in enumerate(_files(path)):
        traces.append(_read(file, rank, sum(trace.devices for trace in traces), timeline.regions))
        timeline.parts += traces[-1].parts
    if not traces:
        raise InputError("no traces of the ranks of one run in it", where=str(path))
    notices = dict.fromkeys(notice for trace in traces for notice in trace.notices)
    if path.is_dir() and (missing := _missing(path)):
        notices[f"{missing}: values are those of the others"] = None
    kineto = any(trace.kineto for trace in traces)
    if kineto:
        recorded = [trace.recorded for trace in traces if trace.recorded is not None]
        timeline.duration = max(recorded or [span(trace.parts) for trace in traces])
        notices[RECORDED if recorded else NO_DURATION] = None
    models = (model for trace in traces for model in trace.models)
    attributes = {**traces[0].attributes, **stated_models(models)}
    generator = "PyTorch profiler" if kineto else "Chrome trace"
    return timeline_profile(str(path), generator, timeline, attributes=attributes, notices=notices)


def _read(path: Path, rank: int, first_device: int, regions: Regions) -> _Trace:
    trace = load(path)
    with understood(path):
        events, alone = paired(trace.events)
        events += trace.of_phase("X")
        stated = [event.get("cat") for event in events]
        lowered = {category: str(category).lower() for category in set(stated)}
        categories = [lowered[category] for category in stated]
        kineto = not _KINETO.isdisjoint(categories)
        if not kineto:
            categories = _by_process(trace, events, categories)
        parts, used = _parts(events, categories, rank, first_device, regions)
        begin, end = times(_of(events, categories, [_SPAN])[0])
    host = trace.top.get("host_name")
    return _Trace(
        parts=parts,
        kineto=kineto,
        recorded=int((end - begin).max()) if len(begin) else None,
        devices=len(used),
        models=tuple(_models(trace, used)),
        attributes={NODE: writable(host)} if isinstance(host, str) else {},
        notices=tuple(_unread(trace, alone)),
    )


def _missing(folder: Path) -> str:
    """Say which ranks of the world that traces state have none; empty if all have one."""
    worlds = [match for file in _ranks(folder) if (match := _WORLD.search(beginning(file)))]
    return missing_numbers([int(match[1]) for match in worlds], "rank", first=0, count=int(worlds[0][2]))


def _ranks(folder: Path) -> list[Path]:
    """Return the traces in a folder if each states another rank of the same world, in their order."""
    found = [entry for entry in entries(folder) if entry.name.endswith(_ENDINGS)]
    if not 2 <= len(found) <= _MAX_RANKS:
        return []
    worlds = [(file, match) for file in found if (match := _WORLD.search(beginning(file)))]
    by_rank = {int(match[1]): file for file, match in worlds if has_events(file)}
    if not len(by_rank) == len(worlds) == len(found) or len({match[2] for _, match in worlds}) > 1:
        return []
    return [by_rank[rank] for rank in sorted(by_rank)]


def _by_process(trace: TraceFile, events: Sequence[Event], categories: Sequence[str]) -> list[str]:
    """Return the categories of events, for those of processes that are devices the ones that Kineto has."""
    named = trace.process_names()
    pids = dict.fromkeys(str(event.get("pid")) for event in events)
    devices = {pid for pid in pids if _DEVICE_PROCESS.fullmatch(named.get(pid, pid))}
    if not devices:
        return list(categories)
    threads = trace.thread_names()
    streams = {at for at, name in threads.items() if _STREAM.fullmatch(name)}
    streams = streams or {at for at, name in threads.items() if name == _OPERATIONS}
    with_streams = {pid for pid, _ in streams}
    found = []
    for event, category in zip(events, categories, strict=True):
        pid, tid = str(event.get("pid")), str(event.get("tid"))
        if pid not in devices:
            found.append(category)
        elif pid in with_streams and (pid, tid) not in streams:
            found.append(_REPEATED)
        else:
            found.append("memcpy" if _COPY.match(str(event.get("name"))) else "kernel")
    return found


def _parts(
    events: Sequence[Event], categories: Sequence[str], rank: int, first_device: int, regions: Regions
) -> tuple[list[Activities], list[int]]:
    """Return what ran on threads and on devices, and the file's numbers of these devices."""
    kinds = dict.fromkeys(categories)  # few
    host, host_of = _of(events, categories, [of for of in kinds if of not in _DEVICE and of not in _NOT_READ])
    begin, end = times(host)
    threads = Activities.of(
        process=numbered([event.get("pid") for event in host]) + (rank << _RANK_BITS),
        thread=numbered([event.get("tid") for event in host]) + (rank << _RANK_BITS),
        device=CPU,
        region=_regions(host, host_of, regions),
        start=begin,
        end=end,
    )
    kernels, kernels_of = _of(events, categories, [of for of in kinds if of in _DEVICE])
    begin, end = times(kernels)
    used, device = np.unique(numbered([event.get("pid") for event in kernels]), return_inverse=True)
    sizes = [args.get("bytes", 0) if isinstance(args := e.get("args"), dict) else 0 for e in kernels]
    found, count = np.unique(threads.process, return_counts=True)
    streams = Activities.of(
        process=int(found[count.argmax()]) if len(found) else 0,
        thread=numbered([event.get("tid") for event in kernels]),
        device=first_device + device.reshape(-1),
        region=_regions(kernels, kernels_of, regions),
        start=begin,
        end=end,
        bytes=np.where([_DEVICE[of] == GPU_COPY for of in kernels_of], whole(sizes), 0),
    )
    return [threads, streams], used.tolist()


def _of(
    events: Sequence[Event], categories: Sequence[str], kinds: Collection[str]
) -> tuple[list[Event], list[str]]:
    wanted = [of in kinds for of in categories]
    return list(compress(events, wanted)), list(compress(categories, wanted))


def _regions(events: Sequence[Event], categories: Sequence[str], regions: Regions) -> IntArray:
    names = names_of(events)
    known = {
        (name, category): regions.number(_STEP.sub(r"\1", name), _paradigm(name, category))
        for name, category in dict.fromkeys(zip(names, categories, strict=True))
    }
    pairs = zip(names, categories, strict=True)
    return np.fromiter((known[pair] for pair in pairs), dtype=np.int64, count=len(names))


def _paradigm(name: str, category: str) -> str:
    if category in _CALLS:
        return "hip" if name.startswith("hip") else "cuda"
    return _DEVICE.get(category, "")


def _models(trace: TraceFile, used: Sequence[int]) -> Iterator[str]:
    properties = trace.top.get("deviceProperties")
    for device in properties if isinstance(properties, list) else ():
        if isinstance(device, dict) and device.get("id") in used and isinstance(device.get("name"), str):
            yield writable(device["name"])


def _unread(trace: TraceFile, alone: int) -> Iterator[str]:
    phases = Counter(str(event.get("ph")) for event in trace.events)
    for what in dict.fromkeys(_UNREAD_PHASES.values()):
        number = sum(phases[phase] for phase, of in _UNREAD_PHASES.items() if of == what)
        if number:
            yield f"not read: {what} ({number})"
    if alone:
        yield f"not read: begins and ends of events without the other end ({alone})"


READER = ProfileReader(
    name="Chrome trace",
    pattern="*.pt.trace.json",
    matches=matches,
    read=read,
    files=_files,
    fallback=1,
    precedence=1,
)
