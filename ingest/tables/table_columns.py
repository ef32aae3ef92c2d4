"""Which column of a table means what: as the mapping states it, or by the words and units of its heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.errors import InputError, nearest_hint
from ingest.table_mapping import TableMapping
from ingest.tables.headings import (
    COLUMN_NAMES,
    STATISTICS,
    TIME_UNITS,
    Heading,
    counts_work,
    is_no_time,
    is_number,
    read_headings,
)
from ingest.units import WorkRate, work_rate

MOST_HEADINGS = 5  # headings that a message lists
_CALL_IT = "call it seconds or time [us]"
_ALTERNATIVES, _PROGRAMS = frozenset(COLUMN_NAMES["alternatives"]), frozenset(COLUMN_NAMES["programs"])
STATE_IT = 'write value = "..." in [table] of pipeline.toml'


class UnknownColumnError(InputError):
    """A table in which no column is recognised as a time."""


@dataclass(frozen=True, kw_only=True)
class TimeColumn:
    """A column of times, or of a rate that times are made from."""

    header: str  # as the table has it
    kernel: str  # what is timed; empty for repetitions of the whole run
    seconds: float | None = None  # per unit, None if the heading has none; of a rate, of its period
    rate: str = ""  # how the rate is written; empty for a time
    form: str = ""  # how cells write times, such as ``mm:ss``, if the heading says it
    repetition: str = ""  # the number of the measurement, empty if a row has one


def stated_times(mapping: TableMapping, source: str, *, several: bool) -> tuple[TimeColumn, ...]:
    """Return the columns that the mapping states."""
    if len(mapping.value) > 1 and not several:
        raise InputError("value names several columns beside a kernel", where=source, hint="name one")
    return tuple(_column(h, mapping, source, None, h.name) for h in read_headings(mapping.value))


def choose_times(
    left: Sequence[Heading], mapping: TableMapping, source: str, *, several: bool, units: bool, parallel: bool
) -> tuple[tuple[TimeColumn, ...], list[Heading], tuple[str, ...]]:
    """Choose the columns of times, several if they are of kernels or repetitions, or else that of a rate.

    Parts of the run may have a column each if `several`; a column may state the `units`; if runs are
    `parallel`, a clock of processors is no time. Returned are they, other clocks and statistics of the same,
    and what to say of these.
    """
    found = _candidates(left, units=units)
    kept = _of_one_clock(found, source, parallel=parallel)
    bases = dict.fromkeys(heading.base for heading in kept)
    groups = {base: _times_of([h for h in kept if h.base == base], source) for base in bases}
    whole = groups.get((), [])
    if not several:  # of kernels, what their callees take is no part
        whole.sort(key=lambda heading: not heading.means("exclusive"))
    _refuse_alternatives([group for base, group in groups.items() if base], source)
    if whole and (not several or any(heading.repetition for heading in whole)):  # they have no parts
        groups = {(): whole if whole[-1].repetition else whole[:1]}
    elif len(groups) > 1 and all(heading.statistic for heading in whole):
        groups.pop((), None)
    groups = {
        base: group for base, group in groups.items() if group and (several or base == next(iter(groups)))
    }
    timed = [heading for group in groups.values() for heading in group]
    if not timed:
        others = [h for h in left if _rate(h)] or [
            h for h in left if h.unit and (h.named or h.clock) and not h.base
        ]
        if not others:
            raise UnknownColumnError("no column of times is recognised", where=source, hint=_CALL_IT)
        return (_column(others[0], mapping, source, None, others[0].name),), [], ()
    aside = [heading for heading in found if heading not in timed]
    stated = {heading.seconds for heading in found} - {None}
    usual = stated.pop() if len(stated) == 1 else None
    names = {
        h.header: h.name if h.plain and not group[-1].repetition else "_".join(base)
        for base, group in groups.items()
        for h in group
    }
    columns = tuple(_column(heading, mapping, source, usual, names[heading.header]) for heading in timed)
    return columns, aside, _roles(timed, aside)


def _candidates(left: Sequence[Heading], *, units: bool) -> list[Heading]:
    """Return the headings of times: with a unit of time, or with words for times of a whole run."""
    clocks = [heading for heading in left if heading.clock in ("cpuclocks", "halfclocks")]
    measured = [heading for heading in left if not is_no_time(heading.header)]
    found = [
        h
        for h in measured
        if h.seconds is not None
        or h.unit.lower() in COLUMN_NAMES["forms"]
        or (
            not (h.unit or h.base)
            and (h.named or h.total or h.clock or h.statistic or h.repetition)
            and (len(clocks) > 1 or not h.means("bareclocks"))
        )
    ]
    return found or [
        h for h in measured if not h.unit and ((h.means("values") and units) or (h.named and h.base))
    ]


def _of_one_clock(found: Sequence[Heading], source: str, *, parallel: bool) -> list[Heading]:
    """Leave out clocks of processors if there is another time of the same."""
    kept = [
        heading
        for heading in found
        if heading.clock in ("", "wall")
        or all(other.clock in (heading.clock, "halfclocks") for other in found if other.base == heading.base)
    ]
    refused = ("halfclocks", "cpuclocks") if parallel and len(found) == 1 else ("halfclocks",)
    if clocks := [heading for heading in kept if heading.clock in refused and not heading.base]:
        raise InputError(
            f"{_names_of(clocks)}: clocks of processors, but no wall time", where=source, hint=STATE_IT
        )
    return kept


def _refuse_alternatives(groups: Sequence[Sequence[Heading]], source: str) -> None:
    """Refuse columns that compare programs: they do not add up."""
    words = [group[0].base for group in groups if group]
    shared = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    own = [set(base) - shared for base in words]
    if len(words) > 1 and (shared & _PROGRAMS or all(base <= _ALTERNATIVES for base in own)):
        hint = f"{STATE_IT}, or give each a table of its own"
        shown = _names_of([heading for group in groups for heading in group])
        raise InputError(f"{shown}: alternatives, no parts of one time", where=source, hint=hint)


def _times_of(group: Sequence[Heading], source: str) -> list[Heading]:
    """Return the repetitions of one time, or what stands for it, all that may be the time of the run."""
    repeated = [heading for heading in group if heading.repetition]
    plain = [heading for heading in group if heading.plain]
    if repeated and not any(heading.numbered for heading in repeated):  # time, time.1, time.2
        repeated = [*plain[:1], *repeated]
        numbers = sorted(int(heading.repetition or 0) for heading in repeated)
        if len(repeated) > 1 and numbers not in (list(range(len(numbers))), list(range(1, len(numbers) + 1))):
            hint = "give each measurement a row, with a column for what the numbers are"
            raise InputError(f"{_names_of(repeated)}: they do not count repetitions", where=source, hint=hint)
    if len(repeated) > 1:
        return repeated
    ordered = [h for name in STATISTICS for h in group if h.statistic == name]
    return plain or repeated or ordered[:1]


def _roles(timed: Sequence[Heading], aside: Sequence[Heading]) -> tuple[str, ...]:
    roles = []
    if any(heading.repetition for heading in timed):
        roles.append(f"{_names_of(timed)}: repetitions")
    elif len(timed) == 1 and (aside or timed[0].statistic) and not timed[0].named:
        roles.append(f"{_names_of(timed)}: the time")
    return (*roles, f"{_names_of(aside)}: left out") if aside else tuple(roles)


def _names_of(headings: Sequence[Heading]) -> str:
    if len(headings) > 2 and all(heading.repetition for heading in headings[1:]):
        return f"{headings[0].name} .. {headings[-1].repetition}"
    more = f" and {len(headings) - MOST_HEADINGS} more" if len(headings) > MOST_HEADINGS else ""
    return ", ".join(heading.name for heading in headings[:MOST_HEADINGS]) + more


def _column(
    heading: Heading, mapping: TableMapping, source: str, usual: float | None, kernel: str
) -> TimeColumn:
    """Return a column with its unit: its own, what the mapping states, or what the other times have."""
    header, unit = heading.header, heading.unit or mapping.unit
    if heading.ambiguous:
        hint = f"call it '{heading.name} [min]' or 'least {heading.name}'"
        raise InputError(f"'{header}' is in minutes or the least", where=source, hint=hint)
    column = TimeColumn(
        header=header, kernel=kernel, repetition=heading.repetition if kernel != heading.name else ""
    )
    if unit.lower() in COLUMN_NAMES["forms"]:
        return replace(column, form=unit.lower())
    if unit.lower() in TIME_UNITS:
        return replace(column, seconds=TIME_UNITS[unit.lower()])
    if rate := _rate(heading, mapping.unit, stated=header in mapping.value):
        return replace(column, seconds=rate.seconds, rate=rate.text)
    if unit:
        hint = "known: s, ms, us, ns, min, h, and work per s, min, h or day"
        raise InputError(
            f"the unit '{unit}' of '{header}' is neither a time nor a rate", where=source, hint=hint
        )
    return replace(column, seconds=usual)


def _rate(heading: Heading, usual_unit: str = "", *, stated: bool = False) -> WorkRate | None:
    """Return the rate that a column states by its unit or name; None if it is none, or not of work."""
    found = work_rate(heading.unit or usual_unit) or work_rate(heading.name)
    if found and (stated or not found.work or counts_work(found.work)):
        return found
    return WorkRate(text=heading.name, seconds=1.0) if heading.means("rates") and not heading.unit else None


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """The columns of one table by their meaning, as they are called there; empty if there is none."""

    # per column what it is called; one at least unless the name of the file has them
    parameters: Mapping[str, str]
    # parameters whose product is the number of locations
    processes: str = ""
    threads: str = ""
    alone: str = ""  # what `processes` are if nothing is called so: cores, or GPUs
    kernel: str = ""  # the kernel or call path
    times: tuple[TimeColumn, ...] = ()  # several are kernels or repetitions
    aside: tuple[str, ...] = ()  # other clocks, and statistics of the times
    # as in `TableMapping`
    repetition: str = ""
    visits: str = ""
    locations: str = ""
    rank: str = ""
    unit: str = ""  # the units of the times, per row
    metrics: tuple[str, ...] = ()  # further values
    metadata: tuple[str, ...] = ()  # what describes a run
    others: tuple[str, ...] = ()  # columns that nothing is known about
    roles: tuple[str, ...] = ()  # what was decided beyond one parameter and one time


def find_columns(headers: Sequence[str], mapping: TableMapping, source: str) -> TableColumns:
    """Find what each column means; what the user states in the mapping goes first."""
    _check_headers(headers, mapping, source)
    headings = read_headings(headers)
    left = [heading for heading in headings if heading.header not in _stated(mapping)]

    def one(stated: str, meaning: str) -> str:
        by_key = {heading.key: heading for heading in reversed(left) if heading.seconds is None}
        found = (
            None if stated else next((by_key[name] for name in COLUMN_NAMES[meaning] if name in by_key), None)
        )
        if found is None:
            return stated
        left.remove(found)
        return found.header

    kernel, repetition = one(mapping.kernel, "kernels"), one(mapping.repetition, "repetitions")
    visits, rank = one(mapping.visits, "visits"), one(mapping.rank, "ranks")
    found = _counts(headings, left, mapping)
    unit = "" if mapping.unit else one("", "units")
    left = [heading for heading in left if heading.header not in (*found.parameters, found.locations)]
    described = [heading.header for heading in left if heading.means("described")]
    left = [heading for heading in left if heading.header not in described]
    times, aside, roles = (
        stated_times(mapping, source, several=not kernel),
        list[Heading](),
        tuple[str, ...](),
    )
    if not times:
        parallel = bool(found.processes or found.threads or found.locations)
        few = {"several": not kernel, "units": bool(unit), "parallel": parallel}
        times, aside, roles = choose_times(left, mapping, source, **few)
    of_rows = [unit] if unit and times[0].seconds is None else []
    used = (*(time.header for time in times), *(heading.header for heading in aside))
    return replace(
        found,
        kernel=kernel,
        times=times,
        aside=tuple(heading.header for heading in aside),
        repetition=repetition,
        visits=visits,
        rank=rank,
        unit="".join(of_rows),
        metrics=mapping.metrics,
        metadata=(*mapping.metadata, *described),
        others=(*(h.header for h in left if h.header not in used), *([unit] if unit and not of_rows else [])),
        roles=(*found.roles, *roles, *(f"{name}: of the times" for name in of_rows)),
    )


def _check_headers(headers: Sequence[str], mapping: TableMapping, source: str) -> None:
    if headers and all(map(is_number, headers)):
        what = f"the first line names no columns ({', '.join(headers[:MOST_HEADINGS])})"
        raise InputError(what, where=source, hint="write p,seconds there")
    if twice := next((name for i, name in enumerate(headers) if name in headers[:i]), None):
        raise InputError(f"two columns are called '{twice}'", where=source, hint="rename one")
    for name in _stated(mapping):
        if name not in headers:
            what = f"[table] names the column '{name}', which is not there"
            hint = nearest_hint(name, headers, f"its columns: {', '.join(headers)}")
            raise InputError(what, where=source, hint=hint)


def _stated(mapping: TableMapping) -> tuple[str, ...]:
    single = (mapping.kernel, mapping.repetition, mapping.visits, mapping.rank)
    counted = () if mapping.locations.isdecimal() else (mapping.locations,)
    several = (*mapping.parameters, *mapping.value, *mapping.metrics, *mapping.metadata)
    return tuple(filter(None, (*single, *counted, *several)))


def _counts(headings: Sequence[Heading], left: Sequence[Heading], mapping: TableMapping) -> TableColumns:
    """Find parameters and locations; what counts cores or GPUs is a parameter if nothing else counts."""
    countable = [heading for heading in left if heading.seconds is None]
    nodes = [] if _first(countable, "processes") else [h for h in countable if h.counts("nodes")]
    alone = ""
    if mapping.parameters:
        named = [heading for heading in headings if heading.header in mapping.parameters]
    else:
        known = [
            h
            for h in countable
            if h.counts("processes", "threads", "sizes") or h.name.startswith("parameter_")
        ]
        if not nodes and not _first(countable, "processes", "threads"):
            clocks = any(heading.clock and not heading.means("cpu") for heading in left)
            alone = _first(countable, "cores", *(() if clocks else ("cpu",)), "gpus")
            alone = alone or ("" if known else _first(countable, "locations") or mapping.locations)
        named = [h for h in headings if h in known or h in nodes or h.header == alone]
    counted = [heading for heading in named if heading.header == alone]
    return TableColumns(
        parameters={h.header: h.name if mapping.parameters else h.shown for h in named},
        processes=_first(named, "processes", "cores", "cpu", "gpus", "locations", "nodes"),
        threads="" if nodes and nodes[0] in named else _first(named, "threads"),
        locations=mapping.locations or _first([h for h in countable if h not in named], "locations", "cores"),
        alone="".join(heading.header for heading in counted),
        roles=tuple(
            f"{h.shown}: {'processes' if h.counts('cores', 'cpu') else 'locations'}" for h in counted
        ),
    )


def _first(headings: Sequence[Heading], *meanings: str) -> str:
    return next((h.header for meaning in meanings for h in headings if h.counts(meaning)), "")
