"""likwid-perfctr's CSV (``-O``) and framed tables, see `ingest.readers.likwid`, as counters of a node.

Events and volumes are summed over cores; rates in MFLOP/s become operations by the core's runtime. Events of
the uncore stand at one core of a socket and 0 or ``-`` at the others. Groups that take turns count for part
of the time each and are scaled up to the whole. An event that could not be read on any core (``-``, ``nan``
or the largest number of 48 bits) is left out, and so are the volumes of its group, which likwid derives from
it.
"""

import re
from collections.abc import Sequence

import numpy as np

from ingest.arrays import FloatArray
from ingest.counters.counter_report import TOTAL_ROW, CountedRegion, CounterReport
from ingest.errors import InputError
from ingest.readers.likwid import LIKWID_HINT, RUNTIMES, LikwidTable, read_tables

_RATE = re.compile(r"(?P<precision>[SD]P) \[MFLOP/s\]")


def read_likwid(text: str, where: str) -> CounterReport:
    """Return the content of output of likwid-perfctr.

    Raises:
        InputError: it has no table with a runtime.
    """
    tables = read_tables(text)
    regions = tuple(
        found
        for name in dict.fromkeys(table.region for table in tables)
        if (found := _region(name, [table for table in tables if table.region == name])) is not None
    )
    if not regions:
        raise InputError("no table of likwid with a runtime", where=where, hint=LIKWID_HINT)
    cores = max(values.size for table in tables for values in table.rows.values())
    return CounterReport(where=where, processes=cores, cores=cores, regions=regions)


def _region(name: str | None, tables: Sequence[LikwidTable]) -> CountedRegion | None:
    """Return a region from its tables of all groups; None if none states its runtime."""
    runtimes: dict[str, FloatArray] = {}
    for table in tables:
        for runtime in RUNTIMES:
            if runtime in table.rows and np.isfinite(table.rows[runtime]).any():
                runtimes.setdefault(table.group, table.rows[runtime])
    seconds = {group: float(np.nanmean(values)) for group, values in runtimes.items()}
    whole = sum(seconds.values())
    if not whole > 0:
        return None
    doubtful = {table.group for table in tables if table.events and _unreadable(table)}
    counters: dict[str, float] = {}
    for table in (table for table in tables if seconds.get(table.group)):
        scale = whole / seconds[table.group]
        for counter, value in _counters(table, runtimes[table.group]).items():
            if table.group not in doubtful or not counter.endswith("[GBytes]"):
                counters.setdefault(counter, value * scale)
    return CountedRegion(path=TOTAL_ROW if name is None else (name,), seconds=whole, counters=counters)


def _unreadable(table: LikwidTable) -> bool:
    """Return whether an event could not be read on any core."""
    return any(bool(np.isnan(values).all()) for values in table.rows.values())


def _counters(table: LikwidTable, runtime: FloatArray) -> dict[str, float]:
    """Return sums over cores; rates of operations as operations, other rates and ratios left out."""
    found: dict[str, float] = {}
    for name, values in table.rows.items():
        if rate := _RATE.fullmatch(name):
            seconds = runtime if runtime.size == values.size else np.nanmean(runtime)
            found[f"{rate['precision']} [FLOP]"] = 1e6 * float(np.nansum(values * seconds))
        elif name not in RUNTIMES and not np.isnan(values).all() and not _is_ratio(name):
            found[name] = float(np.nansum(values))
    return found


def _is_ratio(name: str) -> bool:
    return (
        "/s]" in name
        or name.endswith(("CPI", "[MHz]", "[%]", "[W]"))
        or "ratio" in name
        or "intensity" in name
    )
