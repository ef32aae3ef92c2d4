"""The interfaces behind which independent work is done and its progress is shown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
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


ExecutorChoice = Callable[[int], Executor]
"""Returns where to work, given the number of bytes to read."""


class Progress(Protocol):
    """Passes items on as they are finished, and shows how many there are."""

    def __call__(self, items: Iterable[Item], total: int) -> Iterable[Item]:
        """Yield `items`, of which there will be `total`."""
        ...


def no_progress(items: Iterable[Item], total: int) -> Iterable[Item]:
    """Pass items on and show nothing."""
    return items
