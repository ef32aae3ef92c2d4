"""Adding the values of callees to those of their callers, or taking them off, one callee after the other."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray

Turns: TypeAlias = Sequence[tuple[IntArray, IntArray]]

_AT_ONCE = 64  # callees of one caller taken in turns of their own; rare larger families go one by one


def in_turns(caller: IntArray) -> Turns:
    """Group callees so that none of a group share their caller.

    Args:
        caller: int64[n], for every element the one that called it, negative where none did.

    Returns:
        The first callees and their callers, then the second ones, and so on; the last group is all the rest.
    """
    callees = np.argsort(caller, kind="stable")
    callers = caller[callees]
    called = np.searchsorted(callers, 0)
    callees, callers = callees[called:], callers[called:]
    turn = np.minimum(np.arange(len(callees)) - np.searchsorted(callers, callers), _AT_ONCE)
    order = np.argsort(turn, kind="stable")
    callees, callers = callees[order], callers[order]
    bounds = np.cumsum(np.bincount(turn)).tolist()
    return [(callees[a:b], callers[a:b]) for a, b in zip([0, *bounds], bounds, strict=False)]


def add(callees: FloatArray, turns: Turns, callers: FloatArray) -> None:
    """Add rows of `callees` to rows of `callers`, in place and in the order of the callees."""
    _accumulate(np.add, callees, turns, callers)


def subtract(callees: FloatArray, turns: Turns, callers: FloatArray) -> None:
    """Subtract rows of `callees` from rows of `callers`, in place and in the order of the callees.

    CubeLib does it one after the other too: where little is left of much, a sum of the callees subtracted at
    once would differ from CubeLib's values in most of their digits.
    """
    _accumulate(np.subtract, callees, turns, callers)


def _accumulate(operation: np.ufunc, callees: FloatArray, turns: Turns, callers: FloatArray) -> None:
    for turn, (callee, caller) in enumerate(turns):
        if turn < _AT_ONCE:
            callers[caller] = operation(callers[caller], callees[callee])
        else:
            operation.at(callers, caller, callees[callee])
