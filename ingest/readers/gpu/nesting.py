"""Call paths from time: what starts and ends within another call of its thread was called by it."""

from dataclasses import dataclass

import numpy as np

from ingest.arrays import IntArray
from ingest.calltree import ROOT


@dataclass(frozen=True, eq=False, kw_only=True)
class Nested:
    """n calls as c call paths.

    Attributes:
        node: int64[n], the call path of each call.
        own: int64[n], its time without that of the calls within it.
        caller: int64[c], of each call path: an earlier one, or `ROOT`.
        region: int64[c], the region each call path ends in.
        crossings: number of calls that end after a call began that they do not contain.
    """

    node: IntArray
    own: IntArray
    caller: IntArray
    region: IntArray
    crossings: int


def nested(thread: IntArray, region: IntArray, start: IntArray, end: IntArray, rounding: int) -> Nested:
    """Nest calls; each moment belongs to the call that began last, so that own times add up.

    Args:
        thread: int64[n].
        region: int64[n].
        start: int64[n], `start <= end`.
        end: int64[n].
        rounding: by how much a call may end after the one around it; what is beyond is cut off.
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
