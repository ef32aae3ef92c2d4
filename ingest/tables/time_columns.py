"""Which columns of a table are times, and of what: repetitions, one of several statistics, parts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.errors import InputError
from ingest.table_mapping import TableMapping
from ingest.tables.headings import (
    COLUMN_NAMES,
    STATISTICS,
    TIME_UNITS,
    Heading,
    counts_work,
    is_no_time,
    read_headings,
)
from ingest.work_rates import WorkRate, work_rate

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
    """Return the columns that the mapping states.

    Raises:
        InputError: they are several although kernels are in rows, or their unit is not known.
    """
    if len(mapping.value) > 1 and not several:
        raise InputError("value names several columns beside a kernel", where=source, hint="name one")
    return tuple(_column(h, mapping, source, None, h.name) for h in read_headings(mapping.value))


def choose_times(
    left: Sequence[Heading], mapping: TableMapping, source: str, *, several: bool, units: bool, parallel: bool
) -> tuple[tuple[TimeColumn, ...], list[Heading], tuple[str, ...]]:
    """Choose the columns of times, several if they are of kernels or repetitions, or else that of a rate.

    Args:
        several: whether parts of the run may have a column each.
        units: whether a column states the units.
        parallel: whether runs have several locations, so that a clock of processors is no time.

    Returns:
        Them, other clocks and statistics of the same, and what to say of these.
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
    """Leave out clocks of processors beside another time of the same."""
    kept = [
        heading
        for heading in found
        if heading.clock in ("", "wall")
        or all(other.clock in (heading.clock, "halfclocks") for other in found if other.base == heading.base)
    ]
    refused = ("halfclocks", "cpuclocks") if parallel and len(found) == 1 else ("halfclocks",)
    if clocks := [heading for heading in kept if heading.clock in refused and not heading.base]:
        raise InputError(
            f"{_names(clocks)}: clocks of processors, but no wall time", where=source, hint=STATE_IT
        )
    return kept


def _refuse_alternatives(groups: Sequence[Sequence[Heading]], source: str) -> None:
    """Refuse columns that compare programs: they do not add up."""
    words = [group[0].base for group in groups if group]
    shared = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    own = [set(base) - shared for base in words]
    if len(words) > 1 and (shared & _PROGRAMS or all(base <= _ALTERNATIVES for base in own)):
        hint = f"{STATE_IT}, or give each a table of its own"
        shown = _names([heading for group in groups for heading in group])
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
            raise InputError(f"{_names(repeated)}: they do not count repetitions", where=source, hint=hint)
    if len(repeated) > 1:
        return repeated
    ordered = [h for name in STATISTICS for h in group if h.statistic == name]
    return plain or repeated or ordered[:1]


def _roles(timed: Sequence[Heading], aside: Sequence[Heading]) -> tuple[str, ...]:
    roles = []
    if any(heading.repetition for heading in timed):
        roles.append(f"{_names(timed)}: repetitions")
    elif len(timed) == 1 and (aside or timed[0].statistic) and not timed[0].named:
        roles.append(f"{_names(timed)}: the time")
    return (*roles, f"{_names(aside)}: left out") if aside else tuple(roles)


def _names(headings: Sequence[Heading]) -> str:
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
