"""Where independent work is done: in this process, or in several of this machine."""

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Protocol, TypeVar

from ingest.errors import UsageError

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


class SerialExecutor:
    """Does the work here, one item after the other."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """Yield the number of an item and ``function(item)``, in order."""
        return enumerate(map(function, items))


class ProcessExecutor:
    """Does the work in processes of this machine; they start clean, so nothing leaks from the parent."""

    def __init__(self, processes: int) -> None:
        self.processes = processes

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done; a single one here."""
        if len(items) < 2:
            yield from SerialExecutor().map(function, items)
            return
        left: list[int] = []
        with _pool(min(self.processes, len(items))) as pool:
            numbers = {pool.submit(function, item): i for i, item in enumerate(items)}
            try:
                for future in as_completed(list(numbers)):
                    number = numbers.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        left.append(number)
                    else:
                        yield number, future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        while left:
            left = yield from self._one_by_one(function, items, sorted(left))

    def _one_by_one(
        self, function: Callable[[Item], Result], items: Sequence[Item], left: Sequence[int]
    ) -> Generator[tuple[int, Result | WorkerLostError], None, list[int]]:
        """Find the item that ends its process; return those behind it."""
        with _pool(1) as pool:
            for done, number in enumerate(left, 1):
                try:
                    result = pool.submit(function, items[number]).result()
                except BrokenProcessPool:
                    yield number, WorkerLostError()
                    return list(left[done:])
                yield number, result
        return []


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_prepare_worker)


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


ENGINES = ("local", "dask")
WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays


def local_executor(processes: int, bytes_of_input: int) -> Executor:
    """Choose how to work on this machine: starting processes costs about half a second."""
    if processes > 1 and bytes_of_input >= WORTH_PROCESSES:
        return ProcessExecutor(processes)
    return SerialExecutor()


Work = Callable[[int], Executor]
"""Chooses where to work, given the number of bytes to read."""


def where_to_work(engine: str, scheduler: str, processes: int, tell: Callable[[str], None]) -> Work:
    """Return the choice that the user made.

    Args:
        engine: ``local`` or ``dask``.
        scheduler: for Dask, the address of the scheduler or its scheduler file.
        processes: for this machine, how many processes may work at once.
        tell: takes a sentence for the user where there is something to wait for.

    Raises:
        UsageError: where Dask is not installed.
    """
    if engine == "local":
        return partial(local_executor, processes)
    try:
        import distributed  # noqa: F401  # only whether it is there
    except ImportError as error:
        hint = "pip install 'callpath-pipeline[dask]'"
        raise UsageError("Dask is not installed", where="--engine", hint=hint) from error
    from pipeline.execution.dask import DaskExecutor

    return lambda _: DaskExecutor(scheduler, tell)
