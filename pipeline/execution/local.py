"""Work done in this process, or in several processes of this machine."""

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from pipeline.execution.executor import Item, Result, WorkerLostError


class SerialExecutor:
    """Does the work in this process, one item at a time."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[tuple[int, Result]]:
        """Yield the number of an item and ``function(item)``, in order."""
        return enumerate(map(function, items))


class ProcessExecutor:
    """Does the work in processes of this machine; they are spawned, so nothing leaks from the parent."""

    def __init__(self, processes: int) -> None:
        self.processes = processes

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done."""
        if len(items) < 2:
            yield from SerialExecutor().map(function, items)
            return
        unfinished: list[int] = []
        with _pool(min(self.processes, len(items))) as pool:
            with _main_module_hidden():
                numbers = {pool.submit(function, item): i for i, item in enumerate(items)}
            try:
                for future in as_completed(list(numbers)):
                    number = numbers.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        unfinished.append(number)
                    else:
                        yield number, future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        while unfinished:
            unfinished = yield from self._one_by_one(function, items, sorted(unfinished))

    def _one_by_one(
        self, function: Callable[[Item], Result], items: Sequence[Item], numbers: Sequence[int]
    ) -> Generator[tuple[int, Result | WorkerLostError], None, list[int]]:
        """Find the item that ends its process; return the items after it."""
        with _pool(1) as pool:
            for done, number in enumerate(numbers, 1):
                with _main_module_hidden():
                    future = pool.submit(function, items[number])
                try:
                    result = future.result()
                except BrokenProcessPool:
                    yield number, WorkerLostError()
                    return list(numbers[done:])
                yield number, result
        return []


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_prepare_worker)


@contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keep new processes from importing the user's script, which would run it again if it has no guard."""
    main = sys.modules["__main__"]
    names: dict[str, Any] = vars(main)
    hidden: dict[str, Any] = {name: names.pop(name) for name in ("__file__", "__spec__") if name in names}
    names["__spec__"] = None
    try:
        yield
    finally:
        names.update(hidden)


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, and end when it ends, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
