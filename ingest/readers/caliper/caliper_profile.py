"""From `Records` to a profile: host time on processor locations, activities on those of accelerators.

`Records`: what a Caliper file holds, column by column, whichever format it is written in.

And what the names of its values say. ``sum#time.duration`` is the exclusive time of a process,
``inclusive#sum#time.duration`` the inclusive one, and another ``sum#`` in front sums over the processes;
``scale#`` multiplies, always to seconds in Caliper's own configurations, ``iscale#`` is both inclusive and
scaled. ``cupti.host.duration`` and ``rocm.host.duration`` are times of the host in nanoseconds,
``cupti.activity.duration`` and ``rocm.activity.duration`` those of kernels and copies on accelerators, which
stand at the path of the host that launched them. ``time``, ``time (inc)`` and ``time (gpu)`` are names that
Caliper's configurations for Hatchet give to them. Counters are ``sum#papi.PAPI_FP_OPS`` and the like.

The names are those of Caliper's services timestamp, cupti, cuptitrace, roctracer and rocprofiler.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.calltree import ROOT, CallTree, CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import (
    CPU,
    LocationTable,
    Metric,
    Profile,
    RegionTable,
    SummedOver,
    ValuesInMemory,
    require_possible,
    require_summable,
)
from ingest.reading.files import missing_numbers
from ingest.reading.stacks import TIME_METRIC
from ingest.region_class import GPU_COPY, GPU_KERNEL
from ingest.resource_use import MEMORY, TOTAL_RESOURCE, memory_attributes, memory_factor
from ingest.units import SECONDS

Value = str | float

# Global values that are not parameters: what the run took, and what only identifies it.
_OUTCOMES = frozenset(("cputime", "elapsed_time", "figure_of_merit", "fom", "systime", "walltime"))
_BOOKKEEPING = frozenset(("jobid", "job_id", "launchdate", "launchday", "pid", "uid"))
_OWN_GLOBALS = ("cali.", "spot.", "opts:")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_INDEX = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class RecordColumn:
    """The values of one attribute, of those records that have one."""

    rows: IntArray  # int64[k], numbers of the records, ascending
    values: Sequence[Value]  # one for each of them, as the file has it

    def without(self, rows: Collection[int]) -> "RecordColumn":
        """Return the values of all but some records."""
        kept = [row not in rows for row in self.rows.tolist()]
        return RecordColumn(self.rows[kept], list(compress(self.values, kept)))


@dataclass(frozen=True, kw_only=True)
class Records:
    """The records of a file."""

    source: str
    callpaths: CallTreeBuilder
    # region name -> attributes that it is a value of, such as ``function`` or ``mpi.function``
    kinds: Mapping[str, set[str]]
    node: IntArray  # int64[n], the path of each record in `callpaths`, `ROOT` outside of all annotations
    columns: Mapping[str, RecordColumn]  # by the name of the attribute
    globals: Mapping[str, str]  # values that describe the run
    units: Mapping[str, str]  # of attributes that state theirs
    unit_expected: bool  # whether the format states the units of all values that are not in seconds
    # whether values were stated as averages over processes: they are sums if their number is
    averages: bool = False

    @property
    def by_rank(self) -> bool:
        """Whether records state the rank that they are of."""
        return any(name in self.columns for name in _RANKS)

    def rows(self, name: str) -> IntArray:
        """Return the records that have a value of an attribute, int64[k]."""
        return self.columns[name].rows

    def numbers(self, name: str) -> FloatArray:
        """Return the values of an attribute, float64[k]."""
        try:
            stated = self.columns[name].values
            values = np.fromiter(map(float, stated), np.float64, len(stated))
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"'{name}' is not a number: {error}", where=self.source) from error
        require_summable(values, f"'{name}'", self.source)
        return values

    def indices(self, names: Sequence[str]) -> IntArray:
        """Return int64[n], the process or thread of each record by its first attribute; 0 without one."""
        found = np.zeros(len(self.node), dtype=np.int64)
        for name in reversed([name for name in names if name in self.columns]):
            values = self.columns[name].values
            of = {value: _index(value) for value in dict.fromkeys(values)}
            found[self.rows(name)] = np.fromiter(map(of.__getitem__, values), np.int64, len(values))
        return found

    def texts(self, names: Iterable[str]) -> dict[int, str]:
        """Return a text of each record that has one, by the last of the attributes that it has."""
        found: dict[int, str] = {}
        for name in names:
            if name in self.columns:
                column = self.columns[name]
                found.update(zip(column.rows.tolist(), map(str, column.values), strict=True))
        return found


def parameters_among(globals_: Mapping[str, str]) -> dict[str, float]:
    """Return the whole numbers among global values that may be parameters of the run, by name."""
    found = {}
    for name, value in sorted(globals_.items()):
        known = name in _OUTCOMES | _BOOKKEEPING or name.startswith(_OWN_GLOBALS)
        if not known and _WHOLE_NUMBER.fullmatch(value):
            found[name] = float(value)
    return found


def texts_among(globals_: Mapping[str, str]) -> dict[str, str]:
    """Return the global values of the run that are no whole numbers, by name; none of Caliper's own."""
    return {
        name: value
        for name, value in globals_.items()
        if value and not name.startswith(_OWN_GLOBALS) and not _WHOLE_NUMBER.fullmatch(value)
    }


def _index(value: Value) -> int:
    text = str(value).removesuffix(".0")
    return int(text) if _INDEX.fullmatch(text) else 0


_WORLD_SIZES = ("mpi.world.size", "jobsize")  # global values with the number of processes
_RANKS = ("mpi.rank", "rank")
_THREADS = ("omp.thread.id", "thread", "pthread.id")
_CHANNEL = "spot.channel"
_REGION_CHANNEL = (
    "regionprofile"  # the one of Spot's channels that holds the profile; others hold time series
)

_DEVICES = ("rocm.activity.device", "rocm.agent")
KINDS = ("cupti.activity.kind", "rocm.activity")
KERNEL_ATTRIBUTES = ("cupti.kernel.name", "rocm.kernel.name")
_API_CALLS = {"cupti.runtimeAPI": "cuda", "cupti.driverAPI": "cuda", "rocm.api": "hip"}
"""Paradigms of the nested attributes whose values are calls of an interface to accelerators."""

_TIME = re.compile(
    r"(?P<operations>(?:[a-z_]+#)*)"
    r"(?:time\.(?P<inclusive>inclusive\.)?duration(?P<ns>\.ns)?"
    r"|(?P<interface>cupti|rocm)\.(?P<side>host|activity)\.duration)"
)
_ALIASES = {"time": (False, False), "time (inc)": (True, False), "time (gpu)": (False, True)}
_VISITS = re.compile(r"(?:sum#)*(?:region\.count|rc\.count)")
_COPY = re.compile(r"cpy|copy|memset|fill|uvm|migration", re.IGNORECASE)  # ``memcpy``, ``FillBuffer``
_COUNTER = re.compile(r"(?:sum#)*(?:papi|libpfm\.counter)\.(?P<name>.+)")
_SUMS = frozenset(("sum", "inclusive", "scale", "iscale"))


@dataclass(frozen=True, kw_only=True)
class TimeName:
    """What the name of a time says."""

    name: str  # as the file has it
    inclusive: bool  # whether callees are in it
    summed: bool  # whether it is a sum over processes
    device: bool  # whether it is time on accelerators
    interface: bool  # whether the service of an accelerator measured it, not a timer
    seconds: float | None  # of a stored value; None if neither unit nor name states it

    @property
    def preference(self) -> tuple[bool, bool, bool, str]:
        """The least is read: exclusive before inclusive, processes before sums, timers before interfaces."""
        return self.inclusive, self.summed, self.interface, self.name


def _time_name(name: str, unit: str) -> TimeName | None:
    """Return what a name says; None if it is not that of a sum of times."""
    if name in _ALIASES:
        inclusive, device = _ALIASES[name]
        return TimeName(
            name=name,
            inclusive=inclusive,
            summed=False,
            device=device,
            interface=device,
            seconds=SECONDS.get(unit),
        )
    match = _TIME.fullmatch(name)
    operations = match["operations"].split("#")[:-1] if match else []
    if match is None or not _SUMS.issuperset(operations):
        return None
    scaled = not {"scale", "iscale"}.isdisjoint(operations)
    nanoseconds = (match["ns"] or match["interface"]) and not scaled
    return TimeName(
        name=name,
        inclusive=not {"inclusive", "iscale"}.isdisjoint(operations) or match["inclusive"] is not None,
        summed=operations.count("sum") > 1,
        device=match["side"] == "activity",
        interface=match["interface"] is not None,
        seconds=SECONDS.get(unit, 1e-9 if nanoseconds else 1.0 if scaled else None),
    )


def _times(names: Iterable[str], units: Mapping[str, str], *, device: bool) -> list[TimeName]:
    """Return the times of the host or of accelerators, the preferred one first."""
    found = [time for name in names if (time := _time_name(name, units.get(name, "")))]
    return sorted((time for time in found if time.device == device), key=lambda time: time.preference)


def _counters(names: Iterable[str]) -> dict[str, str]:
    """Return the value to read by the name of each counter: that of processes before sums over them."""
    found: dict[str, str] = {}
    for name in sorted(sorted(names), key=len):
        if match := _COUNTER.fullmatch(name):
            found.setdefault(match["name"], name)
    return found


_SUM = "sum#"
_AVERAGE, _VISITORS = "avg#", "avg.count#"  # of the processes that visited a call path, and their number
OUTSIDE = "<outside>"  # the region of values outside of all annotations
_UNNAMED_ACTIVITIES = "GPU activities"  # time on accelerators whose kernels or copies are not named
_MAX_ATTRIBUTE = 1000
_MAX_VALUES = 1 << 27
_ROUNDING = 1e-5  # seconds: times are printed with six decimals, and their differences carry the rounding


@dataclass(frozen=True, kw_only=True)
class _Activities:
    """The records of kernels and copies on accelerators, k of them."""

    rows: IntArray  # int64[k], numbers of the records
    names: Sequence[str]  # regions of what ran
    copies: frozenset[str]  # those of the names that are copies
    seconds: FloatArray  # float64[k]
    inclusive: bool  # whether those launched by callees are in it


@dataclass(frozen=True, kw_only=True)
class _Places:
    tree: CallTree  # call paths of the host, and below them activities
    names: tuple[str, ...]
    node: IntArray  # int64[n], of each record of the host, -1 for others
    launcher: IntArray  # int64[k], of each activity: the call path that launched it
    activity: IntArray  # int64[k], its own


def assemble(records: Records) -> Profile:
    """Make a profile: time in seconds, visits and hardware counters if they were counted.

    Time on accelerators is that of regions below the call path of the host that launched them. Values that
    Caliper summed over the processes stand for as many locations, and a notice says so.
    """
    records = _with_sums(_of_profile(records))
    time = _host_time(records)
    visits = next((name for name in sorted(records.columns) if _VISITS.fullmatch(name)), None)
    counted = ({} if visits is None else {"visits": visits}) | _counters(records.columns)
    measures = {TIME_METRIC: time.name, **{Metric(name, "occ"): column for name, column in counted.items()}}
    rows = _any_of([records.rows(column) for column in measures.values()], len(records.node))
    activities = _activities(records)
    places = _places(records, rows, activities)
    location, device, locations = _locations(records, rows, activities.rows)
    if len(places.tree) * len(locations) > _MAX_VALUES:
        what = f"too large for memory: {len(places.tree)} call paths on {len(locations)} locations"
        raise InputError(what, where=records.source)
    shape = len(places.tree), len(locations)
    cell = places.node * shape[1] + location

    def added(column: str) -> FloatArray:
        found = np.bincount(cell[records.rows(column)], records.numbers(column), shape[0] * shape[1])
        return np.asarray(found, dtype=np.float64).reshape(shape)

    values = {metric.name: added(column) for metric, column in measures.items()}
    factor, notices = _factor(time, records)
    seconds = values["time"] * factor
    if time.inclusive:
        recorded = np.zeros(shape, dtype=np.bool_)
        recorded[places.node[rows], location[rows]] = True
        seconds = _with_callers(places.tree, seconds, recorded)
        seconds = _within_callers(places.tree, seconds) if _uncounted(records) else seconds
        seconds = places.tree.exclusive(seconds)
    on_devices = _device_seconds(places, activities, device, records.source)
    negative = int((seconds < -_ROUNDING).sum() + (on_devices < -_ROUNDING).sum())
    values["time"] = np.maximum(seconds, 0.0)
    np.add.at(values["time"], (places.activity, device), np.maximum(on_devices, 0.0))
    return Profile(
        source=records.source,
        tree=places.tree,
        regions=_regions(places.names, records, activities),
        locations=locations,
        metrics=tuple(measures),
        load=ValuesInMemory(places.tree, values),
        summed=_summed_over(records, time, places.tree, places.node, factor),
        attributes={"generator": "Caliper"}
        | {name: value[:_MAX_ATTRIBUTE] for name, value in records.globals.items()}
        | _memory(records),
        notices=(*notices, *_notices(time, records, negative)),
    )


def _memory(records: Records) -> dict[str, str]:
    """Return what is known of memory: the largest value of each rank, whatever call path it is of."""
    for name, column in records.columns.items():
        factor = memory_factor(Metric(name, records.units.get(name, "")))
        if factor is not None:
            ranks, rank = np.unique(records.indices(_RANKS)[column.rows], return_inverse=True)
            highest = np.zeros(len(ranks))
            np.maximum.at(highest, rank.reshape(-1), factor * records.numbers(name))
            total = {TOTAL_RESOURCE: float(highest.sum())} if records.by_rank else {}
            return memory_attributes(name, **{MEMORY: float(highest.max(initial=0.0))}, **total)
    return {}


def _of_profile(records: Records) -> Records:
    """Leave out the records of Spot's channels that hold no profile."""
    if _CHANNEL not in records.columns:
        return records
    channel = records.columns[_CHANNEL]
    others = {
        row
        for row, name in zip(channel.rows.tolist(), channel.values, strict=True)
        if name != _REGION_CHANNEL
    }
    columns = {name: column.without(others) for name, column in records.columns.items()}
    return replace(records, columns={name: column for name, column in columns.items() if len(column.rows)})


def _host_time(records: Records) -> TimeName:
    found = _times(records.columns, records.units, device=False)
    if not found:
        names = ", ".join(sorted(name for name in records.columns if "#" in name or "." in name))
        hint = f"values here: {names[:200] or 'none'}"
        raise InputError("it contains no sum of times", where=records.source, hint=hint)
    inclusive = (time for time in found if time.inclusive and _uncounted(records))
    return next(inclusive, found[0])


def _factor(time: TimeName, records: Records) -> tuple[float, tuple[str, ...]]:
    """Return the seconds of a stored value, and a notice if no unit is stated.

    Caliper counted microseconds when it had no units, and prints them with six zeros.
    """
    if time.seconds is not None:
        return time.seconds, ()
    if records.unit_expected:
        return 1.0, ()
    values = records.numbers(time.name)
    whole = bool((values == np.rint(values)).all())
    text = "whole numbers are read as microseconds" if whole else "they are read as seconds"
    return 1e-6 if whole else 1.0, (f"no unit is stated for the values of '{time.name}': {text}",)


def _activities(records: Records) -> _Activities:
    """Return what ran on accelerators, named by kernel, or else by kind."""
    found = _times(records.columns, records.units, device=True)
    if not found:
        nothing = np.zeros(0)
        return _Activities(
            rows=nothing.astype(np.int64), names=(), copies=frozenset(), seconds=nothing, inclusive=False
        )
    time = found[0]
    seconds = records.numbers(time.name) * (1.0 if time.seconds is None else time.seconds)
    rows = records.rows(time.name)
    kinds, kernels = records.texts(KINDS), records.texts(KERNEL_ATTRIBUTES)
    names, copies = [], set[str]()
    for row in rows.tolist():
        name = kernels.get(row) or kinds.get(row) or _UNNAMED_ACTIVITIES
        name += " (GPU)" if name in records.callpaths.regions else ""
        names.append(name)
        if _COPY.search(kinds.get(row, "")):
            copies.add(name)
    return _Activities(
        rows=rows, names=names, copies=frozenset(copies), seconds=seconds, inclusive=time.inclusive
    )


def _places(records: Records, rows: IntArray, activities: _Activities) -> _Places:
    """Bring the call paths that have values into a tree, in the order of their records."""
    callpaths = CallTreeBuilder()
    pairs, names = list(records.callpaths.nodes), list(records.callpaths.regions)
    new: dict[int, int] = {}

    def added(old: int) -> int:
        pending = []
        while old != ROOT and old not in new:
            pending.append(old)
            old = pairs[old][0]
        node = new[old] if old != ROOT else ROOT
        for old in reversed(pending):
            node = new[old] = callpaths.callee(node, names[pairs[old][1]])
        return node if node != ROOT else callpaths.callee(ROOT, OUTSIDE)

    used = records.node[_any_of([rows, activities.rows], len(records.node))]
    different, first = np.unique(used, return_index=True)
    node = np.full(len(pairs) + 1, -1, dtype=np.int64)  # the last is that of `ROOT`
    for old in different[np.argsort(first)].tolist():
        node[old] = added(old)
    launcher = node[records.node[activities.rows]]
    activity = [
        callpaths.callee(above, name) for above, name in zip(launcher.tolist(), activities.names, strict=True)
    ]
    place, tree, region_names = callpaths.build()
    return _Places(
        tree=tree,
        names=region_names,
        node=np.where(node >= 0, place[node], -1)[records.node],
        launcher=place[launcher],
        activity=place[np.array(activity, dtype=np.int64)],
    )


def _any_of(rows: Sequence[IntArray], records: int) -> IntArray:
    """Return all rows of several lists, int64[k], ascending."""
    found = np.zeros(records, dtype=np.bool_)
    for some in rows:
        found[some] = True
    return np.flatnonzero(found)


def _locations(
    records: Records, rows: IntArray, activities: IntArray
) -> tuple[IntArray, IntArray, LocationTable]:
    """Return where records of the host, `rows`, and k activities of accelerators were measured.

    int64[n] and int64[k], their locations, and the table of these; each rank has one accelerator unless
    devices are stated.
    """
    rank, thread = records.indices(_RANKS), records.indices(_THREADS)
    device = records.indices(_DEVICES)
    threads, of_rows = _unique_pairs(rank[rows], thread[rows])
    devices, of_activities = _unique_pairs(rank[activities], device[activities])
    ranks, process = np.unique(np.concatenate([threads[:, 0], devices[:, 0]]), return_inverse=True)
    last = np.full(len(ranks), -1)
    np.maximum.at(last, process[: len(threads)], threads[:, 1])
    first = np.searchsorted(devices[:, 0], devices[:, 0])
    streams = last[process[len(threads) :]] + 1 + np.arange(len(devices)) - first
    location = np.full(len(records.node), -1, dtype=np.int64)
    location[rows] = of_rows
    table = LocationTable(
        process.reshape(-1),
        np.concatenate([threads[:, 1], streams]),
        np.concatenate([np.full(len(threads), CPU), np.arange(len(devices))]),
    )
    return location, of_activities + len(threads), table


def _unique_pairs(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different pairs in their order, int64[m, 2], and which of them each of n is, int64[n]."""
    order = np.lexsort((second, first))
    pairs = np.stack([first, second], axis=1)[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return pairs[new], place


def _device_seconds(places: _Places, activities: _Activities, device: IntArray, source: str) -> FloatArray:
    """Return the exclusive time of each activity, float64[k].

    Inclusive times are made exclusive along the call paths of the host, for each name and device by itself.
    """
    if not activities.inclusive:
        return activities.seconds
    number = {name: at for at, name in enumerate(dict.fromkeys(activities.names))}
    name = np.array([number[name] for name in activities.names], dtype=np.int64)
    keys, column = _unique_pairs(device, name)
    shape = len(places.tree), len(keys)
    if shape[0] * shape[1] > _MAX_VALUES:
        what = f"too large for memory: {shape[0]} call paths with {shape[1]} activities"
        raise InputError(what, where=source)
    inclusive, recorded = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    np.add.at(inclusive, (places.launcher, column), activities.seconds)
    recorded[places.launcher, column] = True
    exclusive = places.tree.exclusive(_with_callers(places.tree, inclusive, recorded))
    first = np.unique(places.launcher * len(keys) + column, return_index=True)[1]
    seconds = np.zeros(len(activities.seconds))
    seconds[first] = exclusive[places.launcher[first], column[first]]
    return seconds


def _with_callers(tree: CallTree, inclusive: FloatArray, recorded: BoolArray) -> FloatArray:
    """Return times of all call paths; one without a record of its own took what its callees took."""
    if not recorded.all():
        inclusive, callees = inclusive.copy(), np.zeros_like(inclusive)
        for node in range(len(tree) - 1, -1, -1):
            inclusive[node] = np.where(recorded[node], inclusive[node], callees[node])
            if tree.parent[node] >= 0:
                callees[tree.parent[node]] += inclusive[node]
    return inclusive


def _regions(names: tuple[str, ...], records: Records, activities: _Activities) -> RegionTable:
    on_devices = dict.fromkeys(activities.names, GPU_KERNEL) | dict.fromkeys(activities.copies, GPU_COPY)
    paradigms = (on_devices.get(name) or _paradigm(name, records.kinds.get(name, set())) for name in names)
    return RegionTable.named(names, tuple(paradigms))


def _paradigm(name: str, kinds: set[str]) -> str:
    """Return the paradigm of a region of the host by the attributes that its name is a value of."""
    if "mpi.function" in kinds and name.startswith("MPI_"):
        return "mpi"
    return next((_API_CALLS[kind] for kind in sorted(kinds) if kind in _API_CALLS), "user")


def _notices(time: TimeName, records: Records, negative: int) -> list[str]:
    notices, processes = [], _stated_processes(records)
    if _are_sums(records, time) and processes != 1:
        stated = "averages over the processes" if records.averages else "sums over the processes"
        together = "an average process" if records.averages else "all together"
        unknown = "" if processes else f", whose number is not stated: times are those of {together}"
        taken = ", taken as sums over all of them" if records.averages and processes else ""
        taken += (
            ": those of regions on some of them cannot be summed" if taken and _uncounted(records) else ""
        )
        notices.append(f"values are {stated}{taken}{unknown}; single processes are not available")
    ranks: set[int] = set(records.indices(_RANKS).tolist())
    if records.by_rank and (missing := missing_numbers(ranks, first=0, count=processes or 0)):
        notices.append(f"{missing}: values are those of the others")
    if negative:
        notices.append(f"{negative} negative exclusive times were read as zero")
    return notices


# What a Caliper file says of single processes if its values are sums over all of them.
#
# Caliper's reports and Spot write such files: ``sum#`` stands before the name of a value of a process, often
# with ``min#``, ``max#`` and ``avg.count#`` beside it, which has the number of processes that visited the
# call path. How many processes there were is a global value.


def _with_sums(records: Records) -> Records:
    """Take sums from averages over processes if a file has nothing else.

    An average is of the processes that visited the call path; without their number, of all. If that is not
    stated either, the averages are those of one process. ``avg#time.duration`` is one of visits, no time.
    """
    if records.by_rank or _times(records.columns, records.units, device=False):
        return records
    processes = _stated_processes(records)
    sums: dict[str, RecordColumn] = {}
    units: dict[str, str] = {}
    for name in (name for name in records.columns if name.startswith(_AVERAGE) and _SUM in name):
        of = name.removeprefix(_AVERAGE)
        number = np.full(len(records.node), float(processes or 1))
        if processes and _VISITORS + of in records.columns:
            number[records.rows(_VISITORS + of)] = records.numbers(_VISITORS + of)
        rows = records.rows(name)
        sums[_SUM + of] = RecordColumn(rows, (records.numbers(name) * number[rows]).tolist())
        units[_SUM + of] = records.units.get(name, "")
    if not _times(sums, units, device=False):
        return records
    return replace(
        records, columns={**records.columns, **sums}, units={**units, **records.units}, averages=True
    )


def _uncounted(records: Records) -> bool:
    """Return whether values are averages over the processes that had a region, whose number is not stated."""
    return records.averages and not any(name.startswith(_VISITORS) for name in records.columns)


def _within_callers(tree: CallTree, inclusive: FloatArray) -> FloatArray:
    """Cut times so that callees take no more than their caller, the longest of them first.

    A region that only some processes have seems to take as many times too long as it is on too few of them.
    `inclusive` holds averages times the number of all processes, float64[call path, 1].
    """
    cut: list[float] = inclusive[:, 0].tolist()
    callees: dict[int, list[int]] = {}
    for node, caller in enumerate(tree.parent.tolist()):
        callees.setdefault(caller, []).append(node)
    for caller, of in callees.items():  # in preorder, so that callers are cut before
        left = cut[caller] if caller != ROOT else math.inf
        for number, node in enumerate(sorted(of, key=cut.__getitem__)):
            cut[node] = min(cut[node], left / (len(of) - number))
            left -= cut[node]
    return np.array(cut)[:, None]


def _are_sums(records: Records, time: TimeName) -> bool:
    """Return whether values are sums over processes: their name says so, or none of them has a rank."""
    return not records.by_rank and (time.summed or _WORLD_SIZES[0] in records.globals)


def _stated_processes(records: Records) -> int | None:
    """Return the number of processes; None if the file does not state it."""
    text = next((records.globals[name] for name in _WORLD_SIZES if records.globals.get(name)), "")
    if not (text.isdecimal() and int(text[:20])):
        return None
    require_possible(int(text[:20]), records.source)
    return int(text)


def _summed_over(
    records: Records, time: TimeName, tree: CallTree, node: IntArray, factor: float
) -> SummedOver:
    """Return what is known of single processes, given int64[n], the call path of each record.

    `factor` is the seconds of a stored value, if its name or unit does not say.
    """
    processes = _stated_processes(records) if _are_sums(records, time) else None
    if processes is None or processes == 1:
        return SummedOver()

    def stated(operation: str, of: TimeName) -> FloatArray | None:
        """Return a statistic of the processes for each call path."""
        name = operation + of.name.removeprefix(_SUM)
        if name not in records.columns or not of.name.startswith(_SUM):
            return None
        found = np.zeros(len(tree))
        np.add.at(found, node[records.rows(name)], records.numbers(name))
        return found

    longest = math.nan
    for inclusive in (one for one in _times(records.columns, records.units, device=False) if one.inclusive):
        total, most = stated(_SUM, inclusive), stated("max#", inclusive)
        if total is not None and most is not None:
            roots, seconds = tree.parent == ROOT, inclusive.seconds or factor
            over = (most - total / processes)[roots].max(initial=0.0)
            longest = seconds * float(total[roots].sum() / processes + over)
            break
    least, most = (stated(operation, time) for operation in ("min#", "max#"))
    if time.inclusive or least is None or most is None:
        return SummedOver(count=processes, longest=longest)
    if (visitors := stated(_VISITORS, time)) is not None:  # the others spent nothing there
        least = np.where(visitors < processes, 0.0, least)
    return SummedOver(count=processes, longest=longest, least=least * factor, most=most * factor)
