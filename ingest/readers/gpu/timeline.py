"""From what started and ended when, on streams of accelerators and threads of the host, to a profile.

Time of a device is that of its kernels and copies, summed by stream; it is idle in the rest of the run, which
is taken from the union of its activities, since streams overlap. Time of a thread is nested: a call belongs
to the range around it. The main thread of each process spends what is left of the run in `PROGRAM`.

Chrome's trace events: JSON that many profilers write, for chrome://tracing and Perfetto.

The file is an object with ``traceEvents``, or the list of events alone, whose closing bracket may be missing.
An event of phase ``X`` has a begin and a duration, of phases ``B`` and ``E`` it is one of both ends of what
nests in its thread; ``M`` names processes and threads. Times are microseconds.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ingest.arrays import FloatArray, IntArray, Rows
from ingest.calltree import ROOT
from ingest.errors import InputError
from ingest.profile import CPU, Metric, Profile
from ingest.reading.files import head, read_bytes, writable
from ingest.reading.stacks import PROGRAM, TIME_METRIC, VISITS_METRIC, Stacks
from ingest.reduction import IDLE
from ingest.region_class import GPU_COPY, GPU_IDLE, GPU_KERNEL
from ingest.run_settings import METADATA

_MAX_BYTES = 1 << 30
_HEAD_BYTES = 1 << 16
_MICROSECOND = 1000.0  # in nanoseconds
_UNNAMED = "[unnamed]"

Event = dict[str, object]


@dataclass(frozen=True)
class TraceFile:
    """A file of events."""

    top: Mapping[str, object]  # what else the file says
    events: Sequence[Event]

    def of_phase(self, phase: str) -> list[Event]:
        """Return the events of a phase."""
        return [event for event in self.events if event.get("ph") == phase]

    def process_names(self) -> dict[str, str]:
        """Return the names of processes by their numbers, which are texts in some events of one file."""
        return {pid: name for (pid, _), name in self._names("process_name").items()}

    def thread_names(self) -> dict[tuple[str, str], str]:
        """Return the names of threads by the numbers of their process and their own, as texts."""
        return self._names("thread_name")

    def _names(self, what: str) -> dict[tuple[str, str], str]:
        named = (event for event in self.of_phase("M") if event.get("name") == what)
        return {
            (str(event.get("pid")), str(event.get("tid"))): str(args.get("name"))
            for event in named
            if isinstance(args := event.get("args"), dict)
        }


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file, inflated if it is compressed; nothing if it cannot be read."""
    return head(path, _HEAD_BYTES).lstrip()


def has_events(path: Path) -> bool:
    """Return whether a file begins as one of trace events does."""
    start = beginning(path)
    if start.startswith(b"{"):
        return b'"traceEvents"' in start
    return start.startswith(b"[") and b'"ph"' in start and b'"ts"' in start


def load(path: Path) -> TraceFile:
    """Read a file of events."""
    where = str(path)
    content = read_bytes(path, _MAX_BYTES)
    try:
        found = _parsed(content.decode("utf-8-sig"))
    except (RecursionError, ValueError) as error:
        raise InputError(f"damaged JSON ({error})", where=where, hint="is the file truncated?") from error
    top = found if isinstance(found, dict) else {}
    events = top.get("traceEvents") if isinstance(found, dict) else found
    if not isinstance(events, list):
        raise InputError("a list of trace events is missing", where=where)
    return TraceFile(top, [event for event in events if type(event) is dict])


@contextmanager
def understood(path: Path) -> Iterator[None]:
    """Make one error of what events with other entries than expected raise."""
    try:
        yield
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        what = f"an event is not understood ({type(error).__name__}: {error})"
        raise InputError(what, where=str(path), hint="is the file damaged?") from error


def paired(events: Sequence[Event]) -> tuple[list[Event], int]:
    """Make events of phase ``X`` from those of phases ``B`` and ``E``, which come in the order of time.

    Returned with them is the number of begins and ends that have no other end.
    """
    open_: dict[tuple[object, object], list[Event]] = {}
    found: list[Event] = []
    alone = 0
    for event in events:
        phase = event.get("ph")
        if phase == "B":
            open_.setdefault((event.get("pid"), event.get("tid")), []).append(event)
        elif phase == "E":
            begun = open_.get((event.get("pid"), event.get("tid")))
            if begun:
                begin = begun.pop()
                found.append({**begin, "ph": "X", "dur": _moment(event) - _moment(begin)})
            else:
                alone += 1
    return found, alone + sum(map(len, open_.values()))


def _moment(event: Event) -> float:
    found = event["ts"]
    return float(found if isinstance(found, (int, float)) else str(found))


def times(events: Sequence[Event]) -> tuple[IntArray, IntArray]:
    """Return begin and end of events, int64[n] each, in nanoseconds."""
    begin = whole([event["ts"] for event in events], _MICROSECOND)
    return begin, begin + whole([event.get("dur", 0) for event in events], _MICROSECOND)


def whole(values: Sequence[object], scale: float = 1.0) -> IntArray:
    """Return numbers, or texts of them, as whole numbers of another unit."""
    numbers: FloatArray = np.array(values, dtype=np.float64)
    if not (abs(numbers) < MAX_TIME / scale).all():
        raise ValueError("not a time, or too large")
    return np.rint(numbers * scale).astype(np.int64)


def numbered(values: Sequence[Any]) -> IntArray:
    """Return numbers of processes or threads; names get negative ones that no process has."""
    known: dict[Any, int] = {}
    for value in set(values):
        text = str(value)
        known[value] = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -2 - len(known)
    return np.array([known[value] for value in values], dtype=np.int64)


def names_of(events: Sequence[Event]) -> list[str]:
    """Return the names of events."""
    names = [str(event.get("name")) for event in events]
    texts = {name: writable(name) or _UNNAMED for name in set(names)}
    return [texts[name] for name in names]


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        if not text.lstrip().startswith("["):
            raise
        return json.loads(text.rstrip().rstrip(",") + "]")


@dataclass(frozen=True, eq=False, kw_only=True)
class Nested:
    """n calls as c call paths."""

    node: IntArray  # int64[n], the call path of each call
    own: IntArray  # int64[n], its time without that of the calls within it
    caller: IntArray  # int64[c], of each call path: an earlier one, or `ROOT`
    region: IntArray  # int64[c], the region each call path ends in
    crossings: int  # number of calls that end after a call began that they do not contain


def nested(thread: IntArray, region: IntArray, start: IntArray, end: IntArray, rounding: int) -> Nested:
    """Nest calls; each moment belongs to the call that began last, so that own times add up.

    Of int64[n] each. By up to `rounding` a call may end after the one around it; what is beyond is cut off.
    """
    order = np.lexsort((-end, start, thread))
    columns = (column[order].tolist() for column in (thread, region, start, end))
    own = (end - start)[order].tolist()
    node_of = [0] * len(own)
    nodes: dict[tuple[int, int], int] = {}
    ends: list[int] = []  # of the calls that are open, and which they are
    open_: list[int] = []
    current, crossings = None, 0
    for call, (where, of, begin, finish) in enumerate(zip(*columns, strict=True)):
        if where != current:
            current = where
            ends.clear()
            open_.clear()
        while ends and ends[-1] <= begin:
            ends.pop()
            open_.pop()
        while ends and finish > ends[-1] + rounding:
            crossings += 1
            cut = ends.pop() - begin
            own[open_.pop()] -= cut
            if open_:
                own[open_[-1]] += cut
        if ends:
            own[call] -= max(finish - ends[-1], 0)
            own[open_[-1]] -= own[call]
            caller = node_of[open_[-1]]
        else:
            caller = ROOT
        node_of[call] = nodes.setdefault((caller, of), len(nodes))
        ends.append(min(finish, ends[-1]) if ends else finish)
        open_.append(call)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    pairs = np.array(list(nodes), dtype=np.int64).reshape(-1, 2)
    return Nested(
        node=np.array(node_of, dtype=np.int64)[place],
        own=np.array(own, dtype=np.int64)[place],
        caller=pairs[:, 0],
        region=pairs[:, 1],
        crossings=crossings,
    )


_BYTES = Metric("bytes", "bytes")
NO_DURATION = "no duration is stated: the run is taken to last from the first to the last activity"
_SECOND = 1e9  # nanoseconds
MAX_TIME = 1 << 61  # nanoseconds: differences of such times do not overflow
MAX_DEVICE = 1 << 31


@dataclass(frozen=True, eq=False, kw_only=True)
class Activities(Rows):
    """Kernels, copies, calls and ranges, one entry each; all int64[n]."""

    process: IntArray  # as the file names it
    thread: IntArray  # of the process, or stream of the device
    device: IntArray  # number of the accelerator over the whole run, `CPU` for what a thread did
    region: IntArray  # its number in `Timeline.regions`
    start: IntArray  # nanoseconds
    end: IntArray  # nanoseconds
    bytes: IntArray  # copied or set

    @classmethod
    def of(cls, *, start: IntArray, **others: IntArray | int) -> "Activities":
        """Return activities, given their columns; one number stands for all, and no bytes for none."""
        columns = {"bytes": 0, **others}
        return cls(start=start, **{name: np.broadcast_to(of, start.shape) for name, of in columns.items()})


@dataclass(kw_only=True)
class Regions:
    """Regions by their names; a kernel with the name of a range gets a name of its own."""

    paradigms: dict[str, str] = field(default_factory=dict)  # name -> paradigm; numbered in their order
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def name(self, name: str, paradigm: str) -> str:
        """Return the name that a region of a paradigm has here."""
        unique = self._names.get((name, paradigm))
        if unique is None:
            unique = name
            while unique in self.paradigms or unique in (PROGRAM, IDLE):
                unique += f" ({paradigm or 'host'})"
            self._names[name, paradigm] = unique
            self._numbers[unique] = len(self.paradigms)
            self.paradigms[unique] = paradigm
        return unique

    def number(self, name: str, paradigm: str) -> int:
        """Return the number of a region."""
        return self._numbers[self.name(name, paradigm)]


@dataclass(kw_only=True)
class Timeline:
    """What a file says of a run."""

    regions: Regions = field(default_factory=Regions)  # of all activities
    parts: list[Activities] = field(default_factory=list)  # the activities, as they were read
    # nanoseconds of the run; None if times of threads and devices are not to be completed to it
    duration: int | None = None
    rounding: int = 0  # nanoseconds by which a call may outlast the range around it


def timeline_profile(
    source: str,
    generator: str,
    timeline: Timeline,
    *,
    attributes: Mapping[str, str] | None = None,
    notices: Iterable[str] = (),
) -> Profile:
    """Make the profile of a timeline: time in seconds, visits, and bytes of copies."""
    if not any(map(len, timeline.parts)):
        raise InputError("no kernel, copy or call in it", where=source, hint="was anything traced?")
    every = Activities.joined(timeline.parts)
    _require_times(every, source)
    on_host = every.device == CPU
    host, device = every.take(on_host), every.take(~on_host)
    _, thread = groups_of([host.process, host.thread])
    calls = nested(thread, host.region, host.start, host.end, timeline.rounding)
    stacks = Stacks()
    for metric in (TIME_METRIC, VISITS_METRIC):
        stacks.of(metric)
    names = list(timeline.regions.paradigms)
    processes = np.unique(host.process if len(host) else device.process)
    main = _main_threads(processes, host, calls) if timeline.duration is not None else {}
    _add_host(stacks, host, calls, names, dict.fromkeys(main.items(), timeline.duration or 0))
    _add_devices(stacks, device, names)
    if timeline.duration is not None:
        _add_idle(stacks, device, timeline.duration)
    crossing = (
        f"{calls.crossings} calls or ranges overlap others of their thread without lying in them:"
        " time in both is given to the one that began last"
    )
    return stacks.built(source).profile(
        generator,
        _summary(device, host, calls, timeline),
        sampled=False,
        paradigms={**timeline.regions.paradigms, IDLE: GPU_IDLE},
        attributes=attributes,
        notices=[*notices, *([crossing] if calls.crossings else [])],
    )


def extent(parts: Sequence[Activities]) -> tuple[int, int] | None:
    """Return the first start and the last end in nanoseconds, None if there is no activity."""
    found = [(int(part.start.min()), int(part.end.max())) for part in parts if len(part)]
    return (min(start for start, _ in found), max(end for _, end in found)) if found else None


def span(parts: Sequence[Activities]) -> int:
    """Return the nanoseconds from the first start to the last end, 0 if there is no activity."""
    start, end = extent(parts) or (0, 0)
    return end - start


def stated_models(names: Iterable[str]) -> dict[str, str]:
    """Return the attribute with the models of the accelerators that were used; nothing if none is known."""
    counts = Counter(filter(None, names))
    models = ", ".join(f"{count} x {name}" for name, count in counts.items())
    return {METADATA + "GPU": models} if models else {}


def require_one_run(spans: Sequence[tuple[int, int]], what: str, where: str) -> None:
    """Refuse parts of which one ends before another begins."""
    if max(begin for begin, _ in spans) > min(end for _, end in spans):
        what = f"the {what} in it do not overlap in time: they are of several runs"
        raise InputError(what, where=where, hint="put those of each run into a folder of its own")


def busy(start: IntArray, end: IntArray) -> int:
    """Return how much time is in at least one of the intervals, int64[n] each."""
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reached = np.maximum.accumulate(np.append(start[:1], end[:-1]))  # by those before
    return int(np.maximum(end - np.maximum(start, reached), 0).sum())


def _require_times(activities: Activities, source: str) -> None:
    start, end = activities.start, activities.end
    if min(int(start.min()), int(end.min())) < -MAX_TIME or max(int(start.max()), int(end.max())) > MAX_TIME:
        raise InputError("a time in it is too large", where=source)
    if wrong := int((end < start).sum()):
        raise InputError(f"{wrong} activities end before they start", where=source, hint="is it damaged?")
    if not CPU <= int(activities.device.min()) <= int(activities.device.max()) < MAX_DEVICE:
        raise InputError("an invalid number of a device in it", where=source)


def groups_of(columns: Sequence[IntArray]) -> tuple[list[tuple[int, ...]], IntArray]:
    """Return the different rows of columns, int64[n] each, in order, and the number of each row's group."""
    order = np.lexsort(tuple(reversed(columns)))
    ordered = [column[order] for column in columns]
    new = np.ones(len(order), dtype=np.bool_)
    if len(order):
        new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    return list(zip(*(column[new].tolist() for column in ordered), strict=True)), group


def _sums(group: IntArray, number: int, values: IntArray | None = None) -> list[float]:
    """Return the sums of values by group, or the sizes of the groups; exact below 2^53."""
    sums: list[float] = np.bincount(group, weights=values, minlength=number).astype(np.float64).tolist()
    return sums


def _main_threads(processes: IntArray, host: Activities, calls: Nested) -> dict[int, int]:
    """Return the thread of each process that has its number, or else the one with the most time in calls."""
    rows, group = groups_of([host.process, host.thread])
    own = _sums(group, len(rows), calls.own)
    main = {process: process for process in processes.tolist()}
    known = set(rows)
    for (process, thread), _ in sorted(zip(rows, own, strict=True), key=lambda row: row[1]):
        if (process, process) not in known:
            main[process] = thread
    return main


def _add_host(
    stacks: Stacks,
    host: Activities,
    calls: Nested,
    names: Sequence[str],
    whole: Mapping[tuple[int, int], int],
) -> None:
    """Sum calls by thread and call path.

    `whole`: (process, main thread) -> nanoseconds of the run, whose rest is time of the program itself.
    """
    callee = stacks.callpaths.callee
    root = callee(ROOT, PROGRAM) if whole else ROOT
    nodes: list[int] = []
    for caller, region in zip(calls.caller.tolist(), calls.region.tolist(), strict=True):
        nodes.append(callee(root if caller == ROOT else nodes[caller], names[region]))
    rows, group = groups_of([host.process, host.thread, calls.node])
    for process, thread in sorted({*whole, *(row[:2] for row in rows)}):
        stacks.location(process, thread)
    left = {place: float(duration) for place, duration in whole.items()}
    own, number = _sums(group, len(rows), calls.own), _sums(group, len(rows))
    for (process, thread, node), time, count in zip(rows, own, number, strict=True):
        place = stacks.location(process, thread), nodes[node]
        stacks.of(TIME_METRIC)[place] = time / _SECOND
        stacks.of(VISITS_METRIC)[place] = count
        if (process, thread) in left:
            left[process, thread] -= time
    for (process, thread), rest in left.items():
        stacks.of(TIME_METRIC)[stacks.location(process, thread), root] = max(rest, 0.0) / _SECOND


def _add_devices(stacks: Stacks, device: Activities, names: Sequence[str]) -> None:
    rows, group = groups_of([device.process, device.device, device.thread, device.region])
    time = _sums(group, len(rows), device.end - device.start)
    number, moved = _sums(group, len(rows)), _sums(group, len(rows), device.bytes)
    for row, nanoseconds, count, size in zip(rows, time, number, moved, strict=True):
        process, on, stream, region = row
        place = stacks.location(process, stream, on), stacks.callpaths.callee(ROOT, names[region])
        stacks.of(TIME_METRIC)[place] = nanoseconds / _SECOND
        stacks.of(VISITS_METRIC)[place] = count
        if size:
            stacks.of(_BYTES)[place] = size


def _add_idle(stacks: Stacks, device: Activities, duration: int) -> None:
    """Give the time in which nothing ran on a device to the first of its streams."""
    first: dict[int, int] = {}
    for (_, _, on), location in stacks.locations.items():
        if on != CPU:
            first.setdefault(on, location)
    for on, location in first.items():
        mine = device.device == on
        idle = max(duration - busy(device.start[mine], device.end[mine]), 0)
        stacks.of(TIME_METRIC)[location, stacks.callpaths.callee(ROOT, IDLE)] = idle / _SECOND


def _summary(device: Activities, host: Activities, calls: Nested, timeline: Timeline) -> str:
    paradigms = np.array(list(timeline.regions.paradigms.values()))
    length, of = device.end - device.start, paradigms[device.region]
    library = paradigms[host.region] != ""
    found = {
        "kernels": length[of == GPU_KERNEL],
        "copies and fills": length[of == GPU_COPY],
        "calls of the host": calls.own[library],
        "ranges": calls.own[~library],
    }
    parts = [
        f"{name} {times.sum() / _SECOND:.15g} s ({len(times)})" for name, times in found.items() if len(times)
    ]
    run = "" if timeline.duration is None else f"; run {timeline.duration / _SECOND:.15g} s"
    return ", ".join(parts) + run
