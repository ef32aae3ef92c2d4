"""The interface behind which independent work is done."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerLostError(Exception):
    """A process ended while it worked on an item, and again when that item was tried once more."""


class Executor(Protocol):
    """Applies a function to many items; results come in the order in which they are finished."""

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done.

        A process that is lost takes only its own item with it: that item yields a `WorkerLostError`.
        """
        ...
