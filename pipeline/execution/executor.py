"""The one seam behind which independent work is done, wherever that is."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerLostError(Exception):
    """A process ended in the midst of its work, again when that was tried once more."""


class Executor(Protocol):
    """Does the same to many items; what is done first comes first."""

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done.

        A process that is lost takes only its own item with it: that item yields a `WorkerLostError`.
        """
        ...


Work = Callable[[int], Executor]
"""Chooses where to work, given the number of bytes to read."""
