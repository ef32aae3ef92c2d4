"""Work done in this process, in several of this machine or on a Dask cluster, behind one interface."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from ingest.errors import UsageError, extra

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

CONNECTING = "30s"
FOR_WORKERS = 900.0  # seconds; clusters queue jobs
_HINT = "start one as docs/how-to/cluster.md shows, and give its address or scheduler file"
WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays off

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


class ProgressDisplay(Protocol):
    """Passes items on as they are finished, and shows how many there are."""

    def __call__(self, items: Iterable[Item], total: int) -> Iterable[Item]:
        """Yield `items`, of which there will be `total`."""
        ...


def no_progress(items: Iterable[Item], total: int) -> Iterable[Item]:
    """Pass items on and show nothing."""
    return items


def local_executor(processes: int, bytes_of_input: int) -> Executor:
    """Choose how to work on this machine: starting processes takes about half a second."""
    if processes > 1 and bytes_of_input >= WORTH_PROCESSES:
        return ProcessExecutor(processes)
    return SerialExecutor()


def choose_executor(
    engine: Literal["local", "dask"], scheduler: str, processes: int, notify: Callable[[str], None]
) -> ExecutorChoice:
    """Return where to work: in so many processes here, or through a Dask scheduler (or its file)."""
    if engine == "local":
        return partial(local_executor, processes)
    with extra("dask", where="--engine"):
        import distributed  # noqa: F401  # only whether it is there
    return lambda _: DaskExecutor(scheduler, notify)


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
                    if isinstance(future.exception(), BrokenExecutor):
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
                except BrokenExecutor:
                    yield number, WorkerLostError()
                    return list(numbers[done:])
                yield number, result
        return []


def _pool(processes: int) -> "ProcessPoolExecutor":
    from concurrent.futures import ProcessPoolExecutor  # with sockets and pickles, which threads need not
    from multiprocessing import get_context

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
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class DaskExecutor:
    """Does the work on a cluster whose scheduler is already there: its address, or the file it wrote."""

    def __init__(self, scheduler: str, notify: Callable[[str], None]) -> None:
        self.scheduler = scheduler
        self.notify = notify

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done.

        Dask itself gives the items of a lost worker to others; an item that ended several workers is lost.
        UsageError if no scheduler answers, it is lost or has no workers in time, a worker cannot import this
        package, or its results cannot be read here.
        """
        if not items:
            return
        from distributed import KilledWorker, as_completed

        with _silent("distributed"), self._connected() as client:
            self._wait_for_workers(client)
            numbers = {client.submit(function, item, pure=False): i for i, item in enumerate(items)}
            for future in as_completed(list(numbers)):
                number = numbers.pop(future)
                try:
                    result = future.result()
                except KilledWorker:
                    yield number, WorkerLostError()
                except CancelledError as error:
                    raise self._lost() from error
                except ImportError as error:
                    what = f"a worker cannot import what it needs ({error})"
                    hint = "install this package into the environment of the workers"
                    raise UsageError(what, where="--scheduler", hint=hint) from error
                except Exception as error:
                    if future.status != "finished":
                        raise
                    what = f"what a worker sent cannot be read ({type(error).__name__}: {error})"
                    hint = "install the same versions of this package and of NumPy here and for the workers"
                    raise UsageError(what, where="--scheduler", hint=hint) from error
                else:
                    future.release()  # so that results are held one at a time
                    yield number, result

    def _wait_for_workers(self, client: Any) -> None:  # noqa: ANN401  # as below
        if client.scheduler_info()["workers"]:
            return
        bound = f"{FOR_WORKERS / 60:g} minutes"
        self.notify(f"the scheduler {self.scheduler} has no workers yet; waiting, at most {bound}")
        try:
            client.wait_for_workers(1, FOR_WORKERS)
        except TimeoutError as error:
            what = f"the scheduler {self.scheduler} had no workers within {bound}"
            raise UsageError(what, where="--scheduler", hint="start workers for it") from error
        except OSError as error:
            raise self._lost() from error

    def _lost(self) -> UsageError:
        what = f"the connection to the scheduler {self.scheduler} was lost"
        return UsageError(what, where="--scheduler", hint=f"run again; {_HINT}")

    def _connected(self) -> Any:  # noqa: ANN401  # no types of Dask elsewhere
        from distributed import Client

        by_file = Path(self.scheduler).is_file()
        place = {"scheduler_file": self.scheduler} if by_file else {"address": self.scheduler}
        try:
            return Client(**place, timeout=CONNECTING)
        except (OSError, ValueError) as error:
            what = f"no Dask scheduler answers at {self.scheduler}"
            raise UsageError(what, where="--scheduler", hint=_HINT) from error


@contextmanager
def _silent(package: str) -> Iterator[None]:
    """Keep a package from printing tracebacks of what is said in one line here."""
    known = logging.root.manager.loggerDict
    loggers = [logging.getLogger(name) for name in known if name.partition(".")[0] == package]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
