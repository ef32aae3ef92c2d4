"""mpiP's reports: the time of each process, and that of its MPI calls by call site.

Blocks begin with ``@---``. ``MPI Time (seconds)`` has the whole and the MPI time of each task; ``Callsites``
the functions around each call site, the innermost at level 0; ``Callsite Time statistics`` (milliseconds) the
number and mean of the calls of each task. Rows of rank ``*`` repeat those of the tasks. Reports without rows
of single tasks have them alone: then the time of a call site is given to the tasks in proportion to their MPI
time. What is left of the MPI time of a task was not listed, or is rounding. Concise reports have sums over
all tasks only, whose number is that of the lines ``@ MPI Task Assignment``, or the sum over the mean; a call
site has the mean time of the tasks that call it, or is one of the twenty that take most.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Profile
from ingest.readers import ProfileReader
from ingest.reading.files import head, head_lines, lines_of
from ingest.reading.stacks import TIME_METRIC, UNKNOWN, VISITS_METRIC, Stacks, found_of

_MAX_TASKS = 1 << 21
_MAX_SECONDS = 1e12
_MAX_DIGITS = 16
_MILLISECOND = 1e-3
_APPLICATION = "application"
_NOT_LISTED = "MPI calls that are not listed"
_HINT = "is the file truncated?"
CONCISE = "a concise report: times of single tasks are not in it, but that of the longest"
NO_CALLS = ", and numbers of calls are not in it"

_MARK = "@ mpiP"
_TIMES, _SITES = "MPI Time (seconds)", "Callsites:"
_STATISTICS = "Callsite Time statistics (all, milliseconds"
_STATISTICS_2 = "Callsite statistics (all, milliseconds"  # of version 2
_TIMES_CONCISE = "Task Time Statistics (seconds)"  # concise reports (-c)
_STATISTICS_CONCISE = "Callsite Time statistics (all callsites, milliseconds"
_LARGEST = "Aggregate Time ("
_TASK = "MPI Task Assignment"
_HEADERS: Mapping[str, list[str]] = {
    _TIMES: ["Task", "AppTime", "MPITime", "MPI%"],
    _SITES: ["ID", "Lev", "File/Address", "Line", "Parent_Funct", "MPI_Call"],
    _STATISTICS: ["Name", "Site", "Rank", "Count", "Max", "Mean", "Min", "App%", "MPI%"],
    _STATISTICS_2: ["Name", "Site", "Rank", "Count", "Max", "Mean", "Min", "App%", "MPI%"],
    _TIMES_CONCISE: ["AppTime", "MPITime", "MPI%", "App", "Task", "MPI", "Task"],
    _STATISTICS_CONCISE: ["Name", "Site", "Tasks", "Max", "Mean", "Min", "MaxRnk", "MinRnk"],
    _LARGEST: ["Call", "Site", "Time", "App%", "MPI%"],
}
_EVERY, _AGGREGATE, _MEAN, _MOST = "*", "Aggregate", "Mean", "Max"


@dataclass
class _Report:
    # rank -> seconds of the application and in MPI
    tasks: dict[int, tuple[float, float]] = field(default_factory=dict)
    whole: float = 0.0  # stated sum of the application's seconds
    # call site -> the functions around it, the innermost first
    sites: dict[str, list[str]] = field(default_factory=dict)
    # (call, site, rank) -> number of calls and seconds
    calls: dict[tuple[str, str, int], tuple[float, float]] = field(default_factory=dict)
    # (call, site) -> number of calls and seconds over all tasks
    all_tasks: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    # the same of the call sites that take most, if it is stated
    largest: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    # seconds of the application and in MPI by statistic of all tasks, as concise reports have them
    totals: dict[str, tuple[float, float]] = field(default_factory=dict)
    longest: int = 0  # the rank whose application took most
    assigned: int = 0  # number of tasks that are assigned to nodes
    facts: dict[str, str] = field(default_factory=dict)  # of the lines at the beginning


def matches(path: Path) -> bool:
    """Return whether a file begins as a report does, or has one in it."""
    size = READER.head_bytes
    return _MARK.encode() in head(path, size) and any(
        line.rstrip() == _MARK for line in head_lines(path, size)
    )


def read(path: Path) -> Profile:
    """Read a report: each task is a process."""
    report = _read(path)
    stacks = Stacks()
    time, visits, add = stacks.of(TIME_METRIC), stacks.of(VISITS_METRIC), stacks.callpaths.add
    application, not_listed = add([_APPLICATION]), add([_APPLICATION, _NOT_LISTED])
    left = {rank: mpi for rank, (_, mpi) in sorted(report.tasks.items())}
    for rank in left:
        stacks.location(rank, 0)
    for call, site, rank, count, seconds in _calls_of_tasks(report):
        if rank not in left:
            raise InputError(f"rank {rank} has calls, but no time", where=str(path), hint=_HINT)
        callers = reversed(report.sites.get(site, []))
        place = stacks.location(rank, 0), add([_APPLICATION, *callers, f"MPI_{call}"])
        time[place] += seconds
        visits[place] += count
        left[rank] -= seconds
    listed = math.fsum(time.values())
    for rank, (whole, mpi) in report.tasks.items():
        location = stacks.location(rank, 0)
        time[location, not_listed] = left[rank]
        time[location, application] = whole - mpi
    seconds_in_mpi = math.fsum(mpi for _, mpi in report.tasks.values())
    tasks = found_of("tasks", stacks.total(TIME_METRIC), report.whole or None, "s")
    return stacks.built(str(path)).profile(
        f"mpiP {report.facts.get('Version', '')}".strip(),
        f"{tasks}; in MPI {seconds_in_mpi:.10g} s, {listed:.10g} s of them by call site",
        sampled=False,
        paradigms={_NOT_LISTED: "mpi"},
        notices=_notices(report),
    )


def _notices(report: _Report) -> Iterator[str]:
    if report.totals:
        yield CONCISE + ("" if any(count for count, _ in report.all_tasks.values()) else NO_CALLS)
    elif not report.calls and report.all_tasks:
        yield (
            "call sites have no times of single tasks:"
            " they are given to tasks in proportion to their MPI time"
        )
    if not report.calls and not report.all_tasks:
        yield "no times of call sites in it: only the whole MPI time of each task is read"


def _calls_of_tasks(report: _Report) -> Iterator[tuple[str, str, int, float, float]]:
    if report.calls:
        for (call, site, rank), (count, seconds) in report.calls.items():
            yield call, site, rank, count, seconds
        return
    in_mpi = math.fsum(mpi for _, mpi in report.tasks.values())
    for (call, site), (count, seconds) in report.all_tasks.items():
        for rank, (_, mpi) in report.tasks.items():
            share = mpi / in_mpi if in_mpi > 0 else 1 / len(report.tasks)
            yield call, site, rank, count * share, seconds * share


def _read(path: Path) -> _Report:
    report, block, header = _Report(), "", False
    for number, line in enumerate(lines_of(path), start=1):
        if line.startswith("@--- "):
            block, header = next((name for name in _HEADERS if line.startswith(f"@--- {name}")), ""), False
        elif line.startswith("@"):
            key, _, value = line[1:].partition(":")
            report.facts.setdefault(key.strip(), value.strip())
            report.assigned += key.strip() == _TASK
        elif line.startswith(("---", "```")):
            block = "" if header else block
        elif block and (columns := line.split()):
            try:
                header = _add(report, block, columns, header=header)
            except ValueError as error:
                raise InputError(f"line {number}: {error}", where=str(path), hint=_HINT) from error
    if not report.tasks and _AGGREGATE in report.totals:
        _share_out(report, str(path))
    if not report.tasks:
        raise InputError("no times of tasks in it", where=str(path), hint=_HINT)
    return report


def _share_out(report: _Report, source: str) -> None:
    """Give the sums of a concise report to its tasks; that of the longest is stated."""
    whole, mpi = report.totals[_AGGREGATE]
    mean, _ = report.totals.get(_MEAN, (0.0, 0.0))
    tasks = report.assigned or (round(min(whole / mean, 2 * _MAX_TASKS)) if mean else 0)
    if tasks > _MAX_TASKS:
        raise InputError(f"more than {_MAX_TASKS} tasks", where=source)
    most, _ = report.totals.get(_MOST, (0.0, 0.0))
    longest = min(report.longest, tasks - 1) if tasks > 1 and whole / tasks < most <= whole else -1
    others = (whole - most) / (tasks - 1) if longest >= 0 else whole / max(tasks, 1)
    times = ((most if rank == longest else others, mpi / tasks) for rank in range(tasks))
    report.whole, report.tasks = whole, dict(enumerate(times))
    report.all_tasks = report.all_tasks or report.largest


def _add(report: _Report, block: str, columns: list[str], *, header: bool) -> bool:
    """Add a line of a block; the first has to be its header."""
    if not header:
        if columns[: len(_HEADERS[block])] != _HEADERS[block]:
            raise ValueError(f"a header of mpiP that is not known: {' '.join(columns)[:80]}")
    elif block == _TIMES:
        _add_task(report, columns)
    elif block == _SITES:
        _add_site(report, columns)
    elif block == _TIMES_CONCISE:
        if columns[0] in (_AGGREGATE, _MEAN, _MOST):
            statistic, whole, mpi, *ranks = _enough(columns, 3)
            report.totals[statistic] = _number(whole), _number(mpi)
            report.longest = _count(ranks[0]) if statistic == _MOST and ranks else report.longest
    elif block == _LARGEST:
        call, site, time, _, _, *counts = _enough(columns, 5)
        calls = float(counts[0]) if len(counts) and counts[0].isdecimal() else 0.0
        report.largest[call, site] = calls, _MILLISECOND * _number(time)
    elif block == _STATISTICS_CONCISE:
        call, site, tasks, _, mean, *_ = _enough(columns, 8)
        report.all_tasks[call, site] = 0.0, _MILLISECOND * _count(tasks) * _number(mean)
    else:
        _add_calls(report, columns)
    return True


def _add_task(report: _Report, columns: list[str]) -> None:
    task, whole, mpi, *_ = _enough(columns, 4)
    if task == _EVERY:
        report.whole = _number(whole)
        return
    if len(report.tasks) >= _MAX_TASKS:
        raise ValueError(f"more than {_MAX_TASKS} tasks")
    report.tasks[_count(task)] = _number(whole), _number(mpi)


def _add_site(report: _Report, columns: list[str]) -> None:
    """Add a function of a call site: number, level, file, line if known, function, call at level 0."""
    site, level, _, *rest = _enough(columns, 4)
    rest = rest[1:] if rest[0].isdecimal() else rest
    function = rest[:-1] if _count(level) == 0 else rest
    report.sites.setdefault(str(_count(site)), []).append(" ".join(function) or UNKNOWN)


def _add_calls(report: _Report, columns: list[str]) -> None:
    call, site, rank, count, _, mean, *_ = _enough(columns, 9)
    values = float(_count(count)), _MILLISECOND * _count(count) * _number(mean)
    if rank == _EVERY:
        report.all_tasks[call, site] = values
    else:
        report.calls[call, site, _count(rank)] = values


def _enough(columns: list[str], number: int) -> list[str]:
    if len(columns) < number:
        raise ValueError(f"a row of {len(columns)} columns: {' '.join(columns)[:60]}")
    return columns


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"not a number: {text[:30]}") from None
    if not 0 <= value < _MAX_SECONDS:
        raise ValueError(f"not a time: {text[:30]}")
    return value


def _count(text: str) -> int:
    if not (text.isdecimal() and len(text) < _MAX_DIGITS):
        raise ValueError(f"not a number: {text[:30]}")
    return int(text)


READER = ProfileReader(
    name="mpiP",
    pattern="*.mpiP",
    matches=matches,
    read=read,
    processes=lambda path: len(_read(path).tasks),
    fallback=1,
    head_bytes=1 << 18,
)
