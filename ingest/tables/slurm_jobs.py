"""Tables of jobs that Slurm's ``sacct`` prints: elapsed time, nodes, CPUs, memory and energy.

Cells are separated by bars (``-P``, ``-p``) or another sign (``--delimiter``), or stand in columns as wide as
the dashes of the second line. A job has a row, and one for each of its steps (``123.batch``, ``123.0``);
tasks and memory are stated of steps only. Times are ``[days-]hours:minutes:seconds``; letters (K, M, G, T)
stand for powers of 1024 in sizes, of 1000 in joules.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.csv_files import Frame
from ingest.reading.files import head_lines, read_text
from ingest.table_mapping import TableMapping
from ingest.tables.headings import seconds_of

_HEAD_BYTES = 1 << 14
_MAX_BYTES = 1 << 28

_KERNEL, _SECONDS, _CPUS, _PROCESSES, _NODES = "kernel", "elapsed [s]", "CPUs", "p", "nodes"
JOB_MEMORY, JOB_ENERGY = "max_rss", "energy"
_JOB = "job"  # the kernel: all that ran between the beginning and the end
_DONE = ("COMPLETED", "")  # states of jobs that are read; others are said

_SEPARATORS = "|;,\t"
_DASHES = re.compile(r"-+")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)[nc]?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_DESCRIBING = {"jobname": "job name", "partition": "partition", "cluster": "cluster", "account": "account"}

Row = Mapping[str, str]


@dataclass(frozen=True)
class _Job:
    """A job: where its row stands, its row, and the rows of its steps."""

    line: int
    row: Row
    steps: tuple[Row, ...]


def is_job_table(path: Path) -> bool:
    """Return whether the first line of a file names columns of sacct."""
    lines = [line for line in head_lines(path, _HEAD_BYTES) if line.strip()][:2]
    return bool(lines) and _cut(lines) is not None


def read_jobs(path: Path, mapping: TableMapping) -> tuple[Frame, TableMapping]:
    """Read one row per job; jobs that did not complete have their state instead of a time.

    If the user names no parameters, it is the number of tasks, else that of nodes, else that of CPUs.
    InputError if no job is in it.
    """
    import pandas as pd

    jobs = list(_jobs(path))
    if not jobs:
        raise InputError("no job in it", where=str(path), hint="was sacct asked for other dates?")
    columns: dict[str, list[object]] = {_KERNEL: [_JOB] * len(jobs), _SECONDS: list(map(_seconds, jobs))}
    cpus = [_largest(job, ("ncpus", "alloccpus"), _number) for job in jobs]
    counts = {
        _PROCESSES: [_largest(job, ("ntasks",), _number) for job in jobs],
        _NODES: [_largest(job, ("nnodes", "allocnodes"), _number) for job in jobs],
        _CPUS: cpus,
    }
    columns |= {name: list(found) for name, found in counts.items() if all(found)}
    scale = next((name for name in counts if name in columns), "")
    figures = {
        JOB_MEMORY: [_largest(job, ("maxrss",), lambda text: _size(text, 1024)) for job in jobs],
        JOB_ENERGY: [_joules(job) / (held or 1) for job, held in zip(jobs, cpus, strict=True)],
    }
    columns |= {name: list(found) for name, found in figures.items() if all(found)}
    described = {
        name: [job.row.get(key, "") for job in jobs]
        for key, name in _DESCRIBING.items()
        if any(job.row.get(key) for job in jobs)
    }
    columns |= {name: list(found) for name, found in described.items()}
    stated = replace(
        mapping,
        parameters=mapping.parameters or tuple(filter(None, [scale])),
        kernel=_KERNEL,
        value=(_SECONDS,),
        locations=_CPUS if _CPUS in columns else "",
        metrics=tuple(name for name in figures if name in columns),
        metadata=mapping.metadata or tuple(described),
        separator="",
    )
    table = pd.DataFrame(columns)
    return Frame(source=str(path), table=table, place=lambda row: f"line {jobs[row].line}"), stated


def _cut(lines: Sequence[str]) -> Callable[[str], list[str]] | None:
    """Return what cuts a line into cells, None if the first line does not name a job and its time."""
    if len(lines) > 1 and not lines[1].strip("- \r"):
        places = [found.span() for found in _DASHES.finditer(lines[1])]

        def cut(line: str) -> list[str]:
            ends = (*(begin for begin, _ in places[1:]), None)
            return [line[begin:end].strip() for (begin, _), end in zip(places, ends, strict=True)]
    else:
        separator = next((sign for sign in _SEPARATORS if sign in lines[0]), "|")

        def cut(line: str) -> list[str]:
            return [cell.strip() for cell in line.split(separator)]

    names = {name.lower() for name in cut(lines[0])}
    is_one = names & {"jobid", "jobidraw"} and names & {"elapsed", "elapsedraw"}
    return cut if is_one else None


def _jobs(path: Path) -> Iterator[_Job]:
    """Yield the jobs in the order of their rows."""
    lines = [
        (i, line) for i, line in enumerate(read_text(path, _MAX_BYTES).split("\n"), start=1) if line.strip()
    ]
    cut = _cut([line for _, line in lines[:2]])
    if cut is None:
        raise InputError("no table of sacct", where=str(path))
    names = [name.lower() for name in cut(lines[0][1])]
    found: dict[tuple[str, str, int], list[tuple[int, Row]]] = {}
    begun: Counter[tuple[str, str]] = Counter()  # clusters number alike, a requeued job keeps its number
    for number, line in lines[1:]:
        cells = cut(line)
        if not line.strip("- \r") or [cell.lower() for cell in cells] == names:
            continue
        if len(cells) != len(names):
            what = f"line {number}: {len(cells)} cells, but {len(names)} columns"
            raise InputError(what, where=str(path))
        row = dict(zip(names, cells, strict=True))
        job = row.get("cluster", ""), _identity(row).partition(".")[0]
        begun[job] += "." not in _identity(row)
        found.setdefault((*job, begun[job]), []).append((number, row))
    for rows in found.values():
        whole = next(((i, row) for i, row in rows if "." not in _identity(row)), rows[0])
        yield _Job(whole[0], whole[1], tuple(row for _, row in rows if row is not whole[1]))


def _identity(row: Row) -> str:
    return row.get("jobid") or row.get("jobidraw", "")


def _seconds(job: _Job) -> object:
    """Return the seconds of a job, its state if it did not complete, or what stands for its time."""
    state = job.row.get("state", "").partition(" ")[0].rstrip("+")
    if state not in _DONE:
        return f"state {state}"
    if raw := job.row.get("elapsedraw"):
        return raw
    text = job.row.get("elapsed", "")
    try:
        return seconds_of(text)
    except ValueError:
        return text


def _largest(job: _Job, names: Sequence[str], number: Callable[[str], float]) -> float:
    """Return the largest number of a job and its steps in the columns, 0 if there is none."""
    return max(number(row.get(name, "")) for row in (job.row, *job.steps) for name in names)


def _number(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0.0


def _size(text: str, kilo: float) -> float:
    """Return a size with a letter for a power of `kilo`, 0 if it is none."""
    found = _SIZE.fullmatch(text)
    return float(found[1]) * kilo ** _POWERS[found[2].lower()] if found and len(text) < 20 else 0.0


def _joules(job: _Job) -> float:
    """Return the joules of a job, else the sum of those of its steps; 0 if they are not stated."""

    def of(row: Row) -> float:
        return _number(row.get("consumedenergyraw", "")) or _size(row.get("consumedenergy", ""), 1000)

    return of(job.row) or sum(map(of, job.steps))
