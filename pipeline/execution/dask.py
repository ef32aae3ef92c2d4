"""Work done by the workers of a Dask cluster, behind the same interface as local processes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ingest.errors import UsageError
from pipeline.execution.executors import Item, Result, WorkerLostError

CONNECTING = "30s"
_HINT = "start one as docs/how-to/cluster.md shows, and give its address or scheduler file"


class DaskExecutor:
    """Does the work on a cluster whose scheduler is already there.

    Attributes:
        scheduler: its address, such as ``tcp://node01:8786``, or the scheduler file it wrote.
        notify: is called with a sentence for the user if there is something to wait for.
    """

    def __init__(self, scheduler: str, notify: Callable[[str], None]) -> None:
        self.scheduler = scheduler
        self.notify = notify

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result | WorkerLostError]]:
        """Yield the number of an item and ``function(item)`` as soon as it is done.

        Dask itself gives the items of a lost worker to others; an item that ended several workers is lost.

        Raises:
            UsageError: no scheduler answers, or a worker cannot import this package.
        """
        if not items:
            return
        from distributed import KilledWorker, as_completed

        with self._connected() as client:
            if not client.scheduler_info()["workers"]:
                self.notify(f"the scheduler {self.scheduler} has no workers yet; waiting")
            numbers = {client.submit(function, item, pure=False): i for i, item in enumerate(items)}
            for future in as_completed(list(numbers)):
                number = numbers.pop(future)
                try:
                    result = future.result()
                except KilledWorker:
                    yield number, WorkerLostError()
                except ImportError as error:
                    what = f"a worker cannot import what it needs ({error})"
                    hint = "install this package into the environment of the workers"
                    raise UsageError(what, where="--scheduler", hint=hint) from error
                else:
                    future.release()  # so that results are held one at a time
                    yield number, result

    def _connected(self) -> Any:  # noqa: ANN401  # no types of Dask elsewhere
        from distributed import Client

        by_file = Path(self.scheduler).is_file()
        place = {"scheduler_file": self.scheduler} if by_file else {"address": self.scheduler}
        try:
            return Client(**place, timeout=CONNECTING)
        except (OSError, ValueError) as error:
            what = f"no Dask scheduler answers at {self.scheduler}"
            raise UsageError(what, where="--scheduler", hint=_HINT) from error
