"""`Records`: what a Caliper file holds, column by column, whichever format it is written in.

And what the names of its values say. ``sum#time.duration`` is the exclusive time of a process,
``inclusive#sum#time.duration`` the inclusive one, and another ``sum#`` in front sums over the processes;
``scale#`` multiplies, always to seconds in Caliper's own configurations, ``iscale#`` is both inclusive and
scaled. ``cupti.host.duration`` and ``rocm.host.duration`` are times of the host in nanoseconds,
``cupti.activity.duration`` and ``rocm.activity.duration`` those of kernels and copies on accelerators, which
stand at the path of the host that launched them. ``time``, ``time (inc)`` and ``time (gpu)`` are names that
Caliper's configurations for Hatchet give to them. Counters are ``sum#papi.PAPI_FP_OPS`` and the like.

The names are those of Caliper's services timestamp, cupti, cuptitrace, roctracer and rocprofiler.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError
from ingest.profile import require_summable
from ingest.units import SECONDS

Value = str | float

# Global values that are not parameters: what the run took, and what only identifies it.
OUTCOMES = frozenset(("cputime", "elapsed_time", "figure_of_merit", "fom", "systime", "walltime"))
BOOKKEEPING = frozenset(("jobid", "job_id", "launchdate", "launchday", "pid", "uid"))
_OWN_GLOBALS = ("cali.", "spot.", "opts:")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
_INDEX = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class RecordColumn:
    """The values of one attribute, of those records that have one.

    Attributes:
        rows: int64[k], numbers of the records, ascending.
        values: one for each of them, as the file has it.
    """

    rows: IntArray
    values: Sequence[Value]

    def without(self, rows: Collection[int]) -> "RecordColumn":
        """Return the values of all but some records."""
        kept = [row not in rows for row in self.rows.tolist()]
        return RecordColumn(self.rows[kept], list(compress(self.values, kept)))


@dataclass(frozen=True, kw_only=True)
class Records:
    """The records of a file.

    Attributes:
        kinds: region name -> attributes that it is a value of, such as ``function`` or ``mpi.function``.
        node: int64[n], the path of each record in `callpaths`, `ROOT` outside of all annotations.
        columns: by the name of the attribute.
        globals: values that describe the run.
        units: of attributes that state theirs.
        unit_expected: whether the format states the units of all values that are not in seconds.
        averages: whether values were stated as averages over processes: they are sums if their number is.
    """

    source: str
    callpaths: CallTreeBuilder
    kinds: Mapping[str, set[str]]
    node: IntArray
    columns: Mapping[str, RecordColumn]
    globals: Mapping[str, str]
    units: Mapping[str, str]
    unit_expected: bool
    averages: bool = False

    def rows(self, name: str) -> IntArray:
        """Return the records that have a value of an attribute, int64[k]."""
        return self.columns[name].rows

    def numbers(self, name: str) -> FloatArray:
        """Return the values of an attribute, float64[k]."""
        try:
            values = np.array(list(map(float, self.columns[name].values)), dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"'{name}' is not a number: {error}", where=self.source) from error
        require_summable(values, f"'{name}'", self.source)
        return values

    def indices(self, names: Sequence[str]) -> IntArray:
        """Return the number of a process or thread of each record, by the first attribute that it has.

        Returns:
            int64[n], 0 for records with none, or with one that is not a whole number.
        """
        found = np.zeros(len(self.node), dtype=np.int64)
        for name in reversed([name for name in names if name in self.columns]):
            values = self.columns[name].values
            of = {value: _index(value) for value in dict.fromkeys(values)}
            found[self.rows(name)] = [of[value] for value in values]
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
        known = name in OUTCOMES | BOOKKEEPING or name.startswith(_OWN_GLOBALS)
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


WORLD_SIZES = ("mpi.world.size", "jobsize")  # global values with the number of processes
RANKS = ("mpi.rank", "rank")
THREADS = ("omp.thread.id", "thread", "pthread.id")
CHANNEL = "spot.channel"
REGION_CHANNEL = "regionprofile"  # the one of Spot's channels that holds the profile; others hold time series

DEVICES = ("rocm.activity.device", "rocm.agent")
KINDS = ("cupti.activity.kind", "rocm.activity")
KERNELS = ("cupti.kernel.name", "rocm.kernel.name")
API_CALLS = {"cupti.runtimeAPI": "cuda", "cupti.driverAPI": "cuda", "rocm.api": "hip"}
"""Paradigms of the nested attributes whose values are calls of an interface to accelerators."""

_TIME = re.compile(
    r"(?P<operations>(?:[a-z_]+#)*)"
    r"(?:time\.(?P<inclusive>inclusive\.)?duration(?P<ns>\.ns)?"
    r"|(?P<interface>cupti|rocm)\.(?P<side>host|activity)\.duration)"
)
_ALIASES = {"time": (False, False), "time (inc)": (True, False), "time (gpu)": (False, True)}
_VISITS = re.compile(r"(?:sum#)*(?:region\.count|rc\.count)")
_COUNTER = re.compile(r"(?:sum#)*(?:papi|libpfm\.counter)\.(?P<name>.+)")
_SUMS = frozenset(("sum", "inclusive", "scale", "iscale"))


@dataclass(frozen=True, kw_only=True)
class TimeName:
    """What the name of a time says.

    Attributes:
        name: as the file has it.
        inclusive: whether callees are in it.
        summed: whether it is a sum over processes.
        device: whether it is time on accelerators.
        interface: whether the service of an accelerator measured it, not a timer.
        seconds: of a stored value; None if neither unit nor name states it.
    """

    name: str
    inclusive: bool
    summed: bool
    device: bool
    interface: bool
    seconds: float | None

    @property
    def preference(self) -> tuple[bool, bool, bool, str]:
        """The least is read: exclusive before inclusive, processes before sums, timers before interfaces."""
        return self.inclusive, self.summed, self.interface, self.name


def time_name(name: str, unit: str) -> TimeName | None:
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


def times(names: Iterable[str], units: Mapping[str, str], *, device: bool) -> list[TimeName]:
    """Return the times of the host or of accelerators, the preferred one first."""
    found = [time for name in names if (time := time_name(name, units.get(name, "")))]
    return sorted((time for time in found if time.device == device), key=lambda time: time.preference)


def visits_name(names: Iterable[str]) -> str | None:
    """Return the name of the numbers of visits, None if there is none."""
    return next((name for name in sorted(names) if _VISITS.fullmatch(name)), None)


def counters(names: Iterable[str]) -> dict[str, str]:
    """Return the value to read by the name of each counter: that of processes before sums over them."""
    found: dict[str, str] = {}
    for name in sorted(sorted(names), key=len):
        if match := _COUNTER.fullmatch(name):
            found.setdefault(match["name"], name)
    return found


def is_copy(kind: str) -> bool:
    """Return whether an activity is a copy or a fill: ``memcpy``, ``CopyHostToDevice``, ``FillBuffer``."""
    return re.search(r"cpy|copy|memset|fill|uvm|migration", kind, re.IGNORECASE) is not None
