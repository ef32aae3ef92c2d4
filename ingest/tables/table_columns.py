"""Which column of a table means what: as the mapping states it, or by usual names and units in headers."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from ingest.errors import InputError
from ingest.number_text import SECONDS
from ingest.run_names import COUNTERS, PROCESS_PARAMETERS
from ingest.table_mapping import TableMapping
from ingest.work_rates import WorkRate, work_rate

NAMES: Mapping[str, tuple[str, ...]] = {
    meaning: tuple(names)
    for meaning, names in tomllib.loads((files(__package__) / "column_names.toml").read_text("utf-8")).items()
}
"""Names of columns, in lower case, by what they mean."""

PROCESSES = PROCESS_PARAMETERS.union(NAMES["processes"])
"""Names of columns that count processes."""

THREADS = frozenset(NAMES["threads"])
"""Names of columns that count the threads of a process."""

_REPETITIONS = (*sorted(COUNTERS - {"profile"}), *NAMES["repetitions"])

_UNIT = re.compile(r"^(?P<name>.*?)\s*(?:\[(?P<a>[^\][]*)\]|\((?P<b>[^()]*)\))\s*$")
_SUFFIX = re.compile(r"^(?P<name>.+)[_ ](?P<unit>[a-zµμ]+)$", re.IGNORECASE)


@dataclass(frozen=True)
class TimeColumn:
    """A column of times, or of a rate that times are made from.

    Attributes:
        header: as the table has it.
        seconds: per unit; of a rate, of its period.
        rate: how the rate is written; empty for a time.
    """

    header: str
    seconds: float
    rate: str = ""


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """The columns of one table by their meaning, as they are called there; empty if there is none.

    Attributes:
        parameters: one at least unless the name of the file has them.
        kernel: the kernel or call path.
        times: several are kernels.
        repetition, visits, locations, rank: as in `TableMapping`.
        processes, threads: parameters whose product is the number of locations.
        metrics: further values.
        metadata: text that describes a run.
        others: columns that nothing is known about.
    """

    parameters: tuple[str, ...]
    kernel: str
    times: tuple[TimeColumn, ...]
    repetition: str
    visits: str
    locations: str
    rank: str
    processes: str
    threads: str
    metrics: tuple[str, ...]
    metadata: tuple[str, ...]
    others: tuple[str, ...]


def split_unit(header: str) -> tuple[str, str]:
    """Split a header such as ``time [us]``, ``time (ms)`` or ``duration_ns`` into name and unit."""
    if match := _UNIT.match(header):
        return match["name"].strip(), (match["a"] if match["a"] is not None else match["b"]).strip()
    match = _SUFFIX.match(header.strip())
    if match and match["unit"].lower() in SECONDS and match["name"].lower() in NAMES["times"]:
        return match["name"], match["unit"]
    return header.strip(), ""


def find_columns(headers: Sequence[str], mapping: TableMapping, source: str) -> TableColumns:
    """Find what each column means.

    Args:
        mapping: what the user states; it goes first.

    Raises:
        InputError: two columns have one name, a stated column is missing, no time is found, or its unit is
            not known.
    """
    _check_headers(headers, mapping, source)
    left = [header for header in headers if header not in _stated(mapping)]
    taken: list[str] = []

    def one(stated: str, names: Sequence[str]) -> str:
        if stated:
            return stated
        by_name = {split_unit(header)[0].lower(): header for header in reversed(left) if header not in taken}
        found = next((by_name[name] for name in names if name in by_name), "")
        taken.append(found)
        return found

    kernel = one(mapping.kernel, NAMES["kernels"])
    repetition = one(mapping.repetition, _REPETITIONS)
    visits = one(mapping.visits, NAMES["visits"])
    rank = one(mapping.rank, NAMES["ranks"])
    locations = (
        mapping.locations if mapping.locations.isdecimal() else one(mapping.locations, NAMES["locations"])
    )
    left = [header for header in left if header not in taken]
    parameters = mapping.parameters or _parameters(left)
    left = [header for header in left if header not in parameters]
    times = _times(mapping, left, source, several=not kernel)
    timed = [time.header for time in times]
    named = {split_unit(header)[0].lower(): header for header in parameters}
    return TableColumns(
        parameters=parameters,
        kernel=kernel,
        times=times,
        repetition=repetition,
        visits=visits,
        locations=locations,
        rank=rank,
        processes=next((named[name] for name in sorted(PROCESSES) if name in named), ""),
        threads=next((named[name] for name in sorted(THREADS) if name in named), ""),
        metrics=mapping.metrics,
        metadata=mapping.metadata,
        others=tuple(header for header in left if header not in timed),
    )


def _check_headers(headers: Sequence[str], mapping: TableMapping, source: str) -> None:
    if twice := next((name for i, name in enumerate(headers) if name in headers[:i]), None):
        raise InputError(f"two columns are called '{twice}'", where=source, hint="rename one")
    for name in _stated(mapping):
        if name not in headers:
            near = difflib.get_close_matches(name, headers, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"its columns: {', '.join(headers)}"
            raise InputError(
                f"[table] names the column '{name}', which is not there", where=source, hint=hint
            )


def _stated(mapping: TableMapping) -> tuple[str, ...]:
    single = (mapping.kernel, mapping.repetition, mapping.visits, mapping.rank)
    counted = () if mapping.locations.isdecimal() else (mapping.locations,)
    several = (*mapping.parameters, *mapping.value, *mapping.metrics, *mapping.metadata)
    return tuple(filter(None, (*single, *counted, *several)))


def _parameters(headers: Sequence[str]) -> tuple[str, ...]:
    names = {header: split_unit(header)[0].lower() for header in headers}
    counted = not PROCESSES.isdisjoint(names.values())
    known = PROCESSES.union(THREADS, NAMES["sizes"], () if counted else NAMES["nodes"])
    return tuple(header for header, name in names.items() if name in known)


def _times(
    mapping: TableMapping, left: Sequence[str], source: str, *, several: bool
) -> tuple[TimeColumn, ...]:
    """Return the columns of times; several only if they are the kernels; a rate only without a time."""
    chosen = mapping.value or tuple(header for header in left if split_unit(header)[1].lower() in SECONDS)
    if not mapping.value and (not chosen or not several):
        names = {split_unit(header)[0].lower(): header for header in reversed(left)}
        chosen = tuple(names[name] for name in NAMES["times"] if name in names)[:1] or chosen[:1]
    if not chosen:
        chosen = tuple(header for header in left if _rate(header))[:1]
    if not chosen:
        raise InputError(
            "no column of times is recognised",
            where=source,
            hint="call it seconds or time [us], or steps/s for a rate, or write"
            ' value = "..." in [table] of pipeline.toml',
        )
    if not several and len(chosen) > 1:
        raise InputError("value names several columns beside a kernel", where=source, hint="name one")
    return tuple(_time(header, mapping, source) for header in chosen)


def _time(header: str, mapping: TableMapping, source: str) -> TimeColumn:
    unit = split_unit(header)[1] or mapping.unit
    if unit.lower() in SECONDS:
        return TimeColumn(header, SECONDS[unit.lower()])
    if rate := _rate(header, mapping.unit):
        return TimeColumn(header, rate.seconds, rate.text)
    if unit:
        raise InputError(
            f"the unit '{unit}' of '{header}' is neither a time nor a rate",
            where=source,
            hint="known: s, ms, us, ns, min, h, and anything per s, min, h or day",
        )
    return TimeColumn(header, 1.0)


def _rate(header: str, usual_unit: str = "") -> WorkRate | None:
    """Return the rate that a column states by its unit or name; None if it is none."""
    name, unit = split_unit(header)
    if found := work_rate(unit or usual_unit) or work_rate(name):
        return found
    return WorkRate(text=name, seconds=1.0) if name.lower() in NAMES["rates"] and not unit else None
