"""Which column of a table means what: as the mapping states it, or by the words and units of its heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.errors import InputError, nearest_hint
from ingest.table_mapping import TableMapping
from ingest.tables.headings import COLUMN_NAMES, Heading, is_number, read_headings
from ingest.tables.time_columns import MOST_HEADINGS, TimeColumn, choose_times, stated_times


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
    """Find what each column means.

    Args:
        mapping: what the user states; it goes first.
    """
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
