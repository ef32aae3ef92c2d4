"""Where to work, as the user chose: in this process, in several, or on a Dask cluster; showing progress."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, Protocol

from ingest.errors import UsageError
from pipeline.execution.executor import Executor, Item
from pipeline.execution.local import ProcessExecutor, SerialExecutor

WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays off

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
    """Return the choice that the user made.

    Args:
        engine: where to work.
        scheduler: for Dask, the address of the scheduler or its scheduler file.
        processes: for this machine, how many processes may work at once.
        notify: is called with a sentence for the user if there is something to wait for.

    Raises:
        UsageError: Dask is not installed.
    """
    if engine == "local":
        return partial(local_executor, processes)
    try:
        import distributed  # noqa: F401  # only whether it is there
    except ImportError as error:
        hint = "pip install 'callpath-pipeline[dask]'"
        raise UsageError("Dask is not installed", where="--engine", hint=hint) from error
    from pipeline.execution.dask import DaskExecutor

    return lambda _: DaskExecutor(scheduler, notify)
