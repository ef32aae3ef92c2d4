"""Many cases in worker processes that are bounded in memory and watched for hangs that nothing interrupts."""

import faulthandler
import multiprocessing
import resource
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.cases import SECONDS, make_case, run_case, write_case
from tests.fuzz.seeds import seeds

MEMORY = 1 << 30  # bytes that a worker may take beside what it has at the start
BATCH = 500
SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a million files should not wear a disk
PATIENCE = 2 * SECONDS  # until a worker that cannot be interrupted ends itself


@dataclass
class Tally:
    """What the cases of one target came to.

    Attributes:
        kinds: number of cases by kind of outcome.
        findings: number of a case and what is wrong with it.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    findings: dict[int, str] = field(default_factory=dict)


def run_campaign(cases: dict[str, range], workers: int) -> dict[str, Tally]:
    """Run cases of targets in batches, `workers` at once; a worker that dies takes one case with it."""
    tallies = {target: Tally() for target in cases}
    pending = _batches(cases)
    running: dict[Connection, tuple[str, range]] = {}
    while True:
        while len(running) < workers and (batch := next(pending, None)):
            running[_start(*batch)] = batch
        if not running:
            return tallies
        for connection in wait(list(running)):
            assert isinstance(connection, Connection)
            target, numbers = running[connection]
            try:
                number, kind, told = connection.recv()
            except EOFError:
                del running[connection]
                if numbers:  # it died within the first case it has not told
                    _count(tallies[target], numbers[0], "finding", "the process died: a hang or a crash in C")
                    if rest := numbers[1:]:
                        running[_start(target, rest)] = target, rest
                continue
            running[connection] = target, numbers[numbers.index(number) + 1 :]
            _count(tallies[target], number, kind, told)


def save_case(target: str, number: int, told: str, folder: Path) -> Path:
    """Write the files of a case and what was wrong with it."""
    place = folder / f"{target.replace(' ', '-')}-{number}"
    write_case(make_case(target, number), place / "files")
    (place / "finding.txt").write_text(
        f"python -m tests.fuzz --target '{target}' --only {number}\n\n{told}\n",
        encoding="utf-8",
        errors="replace",
    )
    return place


def _count(tally: Tally, number: int, kind: str, told: str) -> None:
    tally.kinds[kind] += 1
    if kind == "finding":
        tally.findings[number] = told


def _batches(cases: dict[str, range]) -> Iterator[tuple[str, range]]:
    """Yield batches of all targets in turns, so that a campaign that is stopped has seen all of them."""
    left = dict(cases)
    while left:
        for target, numbers in list(left.items()):
            yield target, numbers[:BATCH]
            left[target] = numbers[BATCH:]
            if not left[target]:
                del left[target]


def _start(target: str, numbers: range) -> Connection:
    """Start a worker; the end of its life closes the connection."""
    here, there = multiprocessing.Pipe(duplex=False)
    multiprocessing.get_context("fork").Process(target=_work, args=(there, target, numbers)).start()
    there.close()
    return here


def _work(connection: Connection, target: str, numbers: range) -> None:
    seeds()
    _bound_memory()
    with TemporaryDirectory(dir=SCRATCH) as folder, Path(folder, "died").open("w") as report:
        for number in numbers:
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=report)
            outcome = run_case(target, make_case(target, number), Path(folder, "case"))
            told = outcome.told if outcome.kind == "finding" else ""
            connection.send((number, outcome.kind, told))
        faulthandler.cancel_dump_traceback_later()


def _bound_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    bound = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
