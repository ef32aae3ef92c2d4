"""Work done in this process, or in several of this machine."""

import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread

from pipeline.execution.executor import Executor, Item, Result, WorkerLostError


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


WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays


def local_executor(processes: int, bytes_of_input: int) -> Executor:
    """Choose how to work on this machine: starting processes costs about half a second."""
    if processes > 1 and bytes_of_input >= WORTH_PROCESSES:
        return ProcessExecutor(processes)
    return SerialExecutor()
