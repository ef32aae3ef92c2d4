"""Exclusive values of an inclusive metric from its rows as they come, holding few of them."""

from collections.abc import Iterator

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.siblings import in_turns, subtract


def stream_exclusive(
    caller: IntArray, stored: IntArray, blocks: Iterator[tuple[IntArray, FloatArray]]
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Turn inclusive rows into exclusive ones.

    A row is held until its last callee has come. Cube's enumeration of inclusive metrics lists all callees of
    a call path together, so these are the call paths between the root and where reading stands, and their
    siblings that call others.

    Args:
        caller: int64[n], the caller of each row, negative for roots; rows come after their callers'.
        stored: int64[k], the rows that will come, ascending; all others are zero.
        blocks: those rows in ascending order: int64[b] and their values, float64[b, L].

    Yields:
        int64[m], rows, and their exclusive values, float64[m, L]; all rows not yielded are zero.
    """
    last = np.full(len(caller) + 1, -1)  # the last callee of each row; the last entry is that of the roots
    last[caller[stored]] = stored
    slot = np.full(len(caller) + 1, -1)  # where a row is held
    held, own = np.zeros(0, dtype=np.int64), np.zeros((0, 0))
    for rows, values in blocks:
        slot[held] = np.arange(len(held))
        slot[rows] = np.arange(len(held), len(held) + len(rows))
        callers = caller[rows]
        unwritten = np.unique(callers[(slot[callers] < 0) & (callers >= 0)])
        slot[unwritten] = np.arange(len(unwritten)) + len(held) + len(rows)
        held = np.concatenate([held, rows, unwritten])
        zeros = np.zeros((len(unwritten), values.shape[1]))
        own = np.concatenate([own.reshape(-1, values.shape[1]), values, zeros])
        subtract(values, in_turns(np.where(callers < 0, -1, slot[callers])), own)
        done = last[held] <= rows[-1]
        yield held[done], own[done]
        slot[held] = -1
        held, own = held[~done], own[~done]
