"""Exclusive values of an inclusive metric from its rows as they come, holding few of them."""

from collections.abc import Iterator

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import callee_rounds, subtract_callees


def stream_exclusive(
    caller: IntArray, stored: IntArray, locations: int, blocks: Iterator[tuple[IntArray, FloatArray]]
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Turn inclusive rows into exclusive ones.

    A row is held until its last callee has come. Cube's enumeration of inclusive metrics lists all callees of
    a call path together, so these are the call paths between the root and where reading stands, and their
    siblings that call others.

    Args:
        caller: int64[n], the caller of each row, negative for roots; rows come after their callers'.
        stored: int64[k], the rows that will come, ascending; all others are zero.
        locations: number of locations L.
        blocks: those rows in ascending order: int64[b] and their values, float64[b, L].

    Yields:
        int64[m], rows, and their exclusive values, float64[m, L]; all rows not yielded are zero.
    """
    last = np.full(len(caller) + 1, -1)  # the last callee of each row; the last entry is that of the roots
    last[caller[stored]] = stored
    pool = _Pool(len(caller), locations)
    held = np.zeros(0, dtype=np.int64)
    for rows, values in blocks:
        callers = caller[rows]
        inner = last[rows] >= 0
        pool.hold(rows[inner], values[inner])
        unwritten = np.unique(callers[(pool.slot[callers] < 0) & (callers >= 0)])
        pool.hold(unwritten, np.zeros((len(unwritten), locations)))
        subtract_callees(values, callee_rounds(np.where(callers < 0, -1, pool.slot[callers])), pool.values)
        held = np.concatenate([held, rows, unwritten])
        done = last[held] <= rows[-1]
        finished, held = held[done], held[~done]
        yield finished, pool.release(finished, values[~inner])


class _Pool:
    """Rows held until their last callee has come, in slots that are used again.

    Attributes:
        slot: int64[n + 1], where a row is held, -1 where it is not.
        values: float64[slots, L].
    """

    def __init__(self, rows: int, locations: int) -> None:
        self.slot: IntArray = np.full(rows + 1, -1)
        self.values: FloatArray = np.empty((0, locations))
        self._free: IntArray = np.zeros(0, dtype=np.int64)

    def hold(self, rows: IntArray, values: FloatArray) -> None:
        """Take rows, int64[k], and their values, float64[k, L]."""
        missing = len(rows) - len(self._free)
        if missing > 0:
            size = len(self.values)
            more = np.empty((max(missing, size), values.shape[1]))
            self.values = np.concatenate([self.values, more])
            self._free = np.concatenate([self._free, np.arange(size, len(self.values))])
        slots, self._free = self._free[: len(rows)], self._free[len(rows) :]
        self.slot[rows] = slots
        self.values[slots] = values

    def release(self, rows: IntArray, others: FloatArray) -> FloatArray:
        """Return the values of rows, float64[k, L]: of those not held, `others` has the values in order."""
        slots = self.slot[rows]
        held = slots >= 0
        released = np.empty((len(rows), others.shape[1]))
        released[held], released[~held] = self.values[slots[held]], others
        self._free = np.concatenate([slots[held], self._free])
        self.slot[rows] = -1
        return released
