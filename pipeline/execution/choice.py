"""Where to work: in this process, in several of this machine, or on a Dask cluster."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from ingest.errors import UsageError
from pipeline.execution.executor import Executor, ExecutorChoice
from pipeline.execution.local import ProcessExecutor, SerialExecutor

WORTH_PROCESSES = 64 << 20  # bytes of input from which starting processes pays off


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
