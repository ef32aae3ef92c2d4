"""The choice of where to work."""

from collections.abc import Callable
from functools import partial

from ingest.errors import UsageError
from pipeline.execution.executor import Work
from pipeline.execution.local import local_executor


def choose_executor(engine: str, scheduler: str, processes: int, tell: Callable[[str], None]) -> Work:
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
