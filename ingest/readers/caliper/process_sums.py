"""What a Caliper file says of single processes if its values are sums over all of them.

Caliper's reports and Spot write such files: ``sum#`` stands before the name of a value of a process, and
beside it are often ``min#``, ``max#`` and ``avg.count#``, which has the number of processes that visited the
call path. How many processes there were is a global value.
"""

import math
from dataclasses import replace

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import ROOT, CallTree
from ingest.errors import InputError
from ingest.readers.caliper.records import RANKS, WORLD_SIZES, RecordColumn, Records, TimeName, times
from ingest.summed_over import MAX_LOCATIONS, SummedOver

SUM = "sum#"
AVERAGE, VISITORS = "avg#", "avg.count#"  # of the processes that visited a call path, and their number


def with_sums(records: Records) -> Records:
    """Take sums from averages over processes if a file has nothing else.

    An average is of the processes that visited the call path; without their number, of all. If that is not
    stated either, the averages are those of one process. ``avg#time.duration`` is one of visits, no time.
    """
    by_rank = any(name in records.columns for name in RANKS)
    if by_rank or times(records.columns, records.units, device=False):
        return records
    processes = stated_processes(records)
    sums: dict[str, RecordColumn] = {}
    units: dict[str, str] = {}
    for name in (name for name in records.columns if name.startswith(AVERAGE) and SUM in name):
        of = name.removeprefix(AVERAGE)
        number = np.full(len(records.node), float(processes or 1))
        if processes and VISITORS + of in records.columns:
            number[records.rows(VISITORS + of)] = records.numbers(VISITORS + of)
        rows = records.rows(name)
        sums[SUM + of] = RecordColumn(rows, (records.numbers(name) * number[rows]).tolist())
        units[SUM + of] = records.units.get(name, "")
    if not times(sums, units, device=False):
        return records
    return replace(
        records, columns={**records.columns, **sums}, units={**units, **records.units}, averages=True
    )


def uncounted(records: Records) -> bool:
    """Return whether values are averages over the processes that had a region, whose number is not stated."""
    return records.averages and not any(name.startswith(VISITORS) for name in records.columns)


def within_callers(tree: CallTree, inclusive: FloatArray) -> FloatArray:
    """Cut times so that callees take no more than their caller, the longest of them first.

    A region that only some processes have seems to take as many times too long as it is on too few of them.

    Args:
        inclusive: float64[call path, 1], averages times the number of all processes.
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


def are_sums(records: Records, time: TimeName) -> bool:
    """Return whether values are sums over processes: their name says so, or none of them has a rank."""
    by_rank = any(name in records.columns for name in RANKS)
    return not by_rank and (time.summed or WORLD_SIZES[0] in records.globals)


def stated_processes(records: Records) -> int | None:
    """Return the number of processes; None if the file does not state it.

    Raises:
        InputError: no run has as many.
    """
    text = next((records.globals[name] for name in WORLD_SIZES if records.globals.get(name)), "")
    if not (text.isdecimal() and int(text[:20])):
        return None
    if int(text[:20]) > MAX_LOCATIONS:
        raise InputError(f"{text[:20]} processes: more than any run has", where=records.source)
    return int(text)


def summed_over(
    records: Records, time: TimeName, tree: CallTree, node: IntArray, factor: float
) -> SummedOver:
    """Return what is known of single processes.

    Args:
        node: int64[n], the call path of each record.
        factor: seconds of a stored value, if its name or unit does not say.
    """
    processes = stated_processes(records) if are_sums(records, time) else None
    if processes is None or processes == 1:
        return SummedOver()

    def stated(operation: str, of: TimeName) -> FloatArray | None:
        """Return a statistic of the processes for each call path."""
        name = operation + of.name.removeprefix(SUM)
        if name not in records.columns or not of.name.startswith(SUM):
            return None
        found = np.zeros(len(tree))
        np.add.at(found, node[records.rows(name)], records.numbers(name))
        return found

    longest = math.nan
    for inclusive in (one for one in times(records.columns, records.units, device=False) if one.inclusive):
        total, most = stated(SUM, inclusive), stated("max#", inclusive)
        if total is not None and most is not None:
            roots, seconds = tree.parent == ROOT, inclusive.seconds or factor
            over = (most - total / processes)[roots].max(initial=0.0)
            longest = seconds * float(total[roots].sum() / processes + over)
            break
    least, most = (stated(operation, time) for operation in ("min#", "max#"))
    if time.inclusive or least is None or most is None:
        return SummedOver(count=processes, longest=longest)
    if (visitors := stated(VISITORS, time)) is not None:  # the others spent nothing there
        least = np.where(visitors < processes, 0.0, least)
    return SummedOver(count=processes, longest=longest, least=least * factor, most=most * factor)
