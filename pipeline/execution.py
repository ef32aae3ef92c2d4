"""Where independent work is done: in this process, or in several of this machine."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Maps a function over items; results come in the order of the items."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterable[Result]:
        """Yield ``function(item)`` for every item, in order."""
        ...


class SerialExecutor:
    """Does the work here, one item after the other."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` for every item, in order."""
        return map(function, items)


class ProcessExecutor:
    """Does the work in processes of this machine; they start clean, so nothing leaks from the parent."""

    def __init__(self, processes: int) -> None:
        self.processes = processes

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """Yield ``function(item)`` for every item, in order."""
        with ProcessPoolExecutor(self.processes, mp_context=get_context("spawn")) as pool:
            yield from pool.map(function, items)


WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays


def local_executor(processes: int, bytes_of_input: int) -> Executor:
    """Choose how to work on this machine: starting processes costs about half a second."""
    if processes > 1 and bytes_of_input >= WORTH_PROCESSES:
        return ProcessExecutor(processes)
    return SerialExecutor()
