"""From a CrayPat report to a profile: functions below their groups, with what is not listed as kernels.

Values are averaged over the processes, so that all have the same. A report lists functions above a threshold
only: what is left of a group is a kernel of its own, ``USER (other)``, and so are groups that are not listed.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

from ingest.errors import InputError
from ingest.profile import Metric, Profile
from ingest.readers import ProfileReader
from ingest.readers.craypat.craypat_report import (
    MEMBER,
    Facts,
    ProfileRow,
    ProfileTable,
    has_profile,
    is_report,
    process_seconds,
    profile_table,
    read_facts,
    seconds_per_sample,
)
from ingest.reading.files import head, read_text
from ingest.reading.stacks import NO_SECONDS, PARADIGM, SAMPLES, TIME, VISITS, Stacks, found_of
from ingest.run_names import PROCESSES
from ingest.run_settings import SETTING, STATISTIC

HEAD_BYTES = 1 << 18
MAX_BYTES = 1 << 28
MAX_PROCESSES = 1 << 21
MAX_NAME = 1 << 16
SMALLEST, ROUNDING = 1e-9, 1e-3  # shares of a whole that parts may leave, or exceed it by
NOT_LISTED = "(groups not listed)"
HINT = "write it with: pat_report -o FILE DATA"

_WHOLE = ("Total",)
_PARADIGMS = {
    "MPI": "mpi",
    "MPI_SYNC": "mpi",
    "SHMEM": "shmem",
    "PTHREAD": "pthread",
    "CUDA": "cuda",
    "HIP": "hip",
    "OPENACC": "openacc",
    "HEAP": "memory",
    "IO": "io",
    "STDIO": "io",
    "SYSIO": "io",
    "FFIO": "io",
}


def matches(path: Path) -> bool:
    """Return whether a file begins like a report with a profile table, maybe after the program's output."""
    if not path.is_file():
        return False
    text = head(path, HEAD_BYTES).decode("utf-8", "replace")
    return is_report(text) and has_profile(text)


def read(path: Path) -> Profile:
    """Read the profile table of a report."""
    text = read_text(path, MAX_BYTES)
    lines = text.splitlines()
    facts = read_facts(text)
    try:
        table = profile_table(lines)
    except ValueError as error:
        raise InputError(f"damaged: {error}", where=str(path), hint=HINT) from error
    whole = next((row for row in table.rows if row.path == _WHOLE), None) if table else None
    if table is None or whole is None:
        raise InputError("no profile table with a total in it", where=str(path), hint=HINT)
    if not facts.processes <= MAX_PROCESSES:
        raise InputError(f"{facts.processes} processes: more than any run has", where=str(path))
    interval = 1.0 if table.traced else seconds_per_sample(text)
    kernels, exceeding = _kernels(table, whole)
    return _profile(str(path), facts, table, kernels, interval, process_seconds(lines), exceeding)


def parameters(path: Path) -> Mapping[str, float]:
    """Return the number of processes."""
    return {PROCESSES: float(read_facts(read_text(path, MAX_BYTES)).processes)}


def content(path: Path) -> Hashable:
    """Return the data that a report was made of: several reports are often written of the same."""
    facts = read_facts(head(path, HEAD_BYTES).decode("utf-8", "replace"))
    return (facts.data_file, facts.started) if facts.data_file and facts.started else path


def _kernels(table: ProfileTable, whole: ProfileRow) -> tuple[list[ProfileRow], list[str]]:
    """Return functions and what is left of groups and the whole, and which of these their parts exceed."""
    groups: dict[str, list[ProfileRow]] = {}
    functions: dict[str, list[ProfileRow]] = {}
    for row in table.rows:
        if len(row.path) == 1 and row.path != _WHOLE:
            groups.setdefault(row.path[0], []).append(row)
        elif len(row.path) == 2 and not MEMBER.fullmatch(row.path[1]):
            functions.setdefault(row.path[0], []).append(row)
    kernels, exceeding = list[ProfileRow](), list[str]()
    for name, rows in groups.items():
        if table.by_group:
            parts = functions.get(name, [])
            left = _left(rows, parts, (name, f"{name} (other)"))
            kernels += [*parts, *left]
            exceeding += [name for rest in left if rest.value < 0]
        else:
            kernels += rows
    left = _left([whole], [row for rows in groups.values() for row in rows], (NOT_LISTED,))
    exceeding += ["the total" for rest in left if rest.value < 0]
    return [kernel for kernel in (*kernels, *left) if kernel.value >= 0], exceeding


def _left(
    wholes: Sequence[ProfileRow], parts: Sequence[ProfileRow], path: tuple[str, ...]
) -> list[ProfileRow]:
    """Return what parts leave of a whole, negative if they exceed it; nothing if they differ by rounding."""
    whole = math.fsum(row.value for row in wholes)
    left = whole - math.fsum(row.value for row in parts)
    rounding = SMALLEST if left > 0 else ROUNDING
    if parts and abs(left) <= rounding * whole:
        return []
    share = math.fsum(row.share for row in wholes) - math.fsum(row.share for row in parts)
    return [ProfileRow(path=path, share=max(share, 0.0), value=left)]


def _profile(
    source: str,
    facts: Facts,
    table: ProfileTable,
    kernels: Sequence[ProfileRow],
    interval: float | None,
    process_time: float | None,
    exceeding: Sequence[str],
) -> Profile:
    metric, scale = (SAMPLES, 1.0) if interval is None else (TIME, interval)
    stacks = Stacks()
    location, counted = stacks.location(0, 0), any(kernel.calls for kernel in kernels)
    paradigms: dict[str, str] = {}
    for kernel in kernels:
        path = tuple(name[:MAX_NAME] for name in kernel.path)
        place = location, stacks.callpaths.add(path)
        paradigms |= dict.fromkeys(path, _PARADIGMS.get(path[0], PARADIGM))
        stacks.of(metric)[place] += kernel.value * scale
        if counted:
            stacks.of(VISITS)[place] += kernel.calls or 0.0
    return stacks.profile(
        source,
        f"CrayPat {facts.version}".strip(),
        _reconciled(table, facts, metric, scale, process_time),
        sampled=not table.traced,
        paradigms=paradigms,
        attributes=_attributes(facts),
        notices=_notices(facts, table, interval, exceeding),
        processes=facts.processes,
    )


def _attributes(facts: Facts) -> dict[str, str]:
    return {
        STATISTIC: f"mean of processes ({facts.processes} process{'' if facts.processes == 1 else 'es'})",
        **({SETTING + "executable": facts.data_file.partition("+")[0]} if facts.data_file else {}),
        SETTING + "threads": str(facts.threads),
    }


def _reconciled(
    table: ProfileTable, facts: Facts, metric: Metric, scale: float, process_time: float | None
) -> str:
    """Return how much of the whole is listed, and what the processes took."""
    depth = 2 if table.by_group else 1
    functions = [row.value for row in table.rows if len(row.path) == depth and row.path != _WHOLE]
    listed, total = (scale * facts.processes * value for value in (math.fsum(functions), _total(table)))
    text = found_of("functions", listed, total, metric.unit)
    if process_time is None:
        return text
    return f"{text}; wall time of the processes {process_time * facts.processes:.10g} s"


def _total(table: ProfileTable) -> float:
    return next(row.value for row in table.rows if row.path == _WHOLE)


def _notices(
    facts: Facts, table: ProfileTable, interval: float | None, exceeding: Sequence[str]
) -> list[str]:
    notices = ["functions below the threshold of the report are in '(other)' of their group"]
    if interval is None:
        notices.append(NO_SECONDS)
    if facts.threads > 1:
        held = f"a run holds {facts.threads} times as many cores"
        notices.append(f"times are those of processes with {facts.threads} threads: {held}")
    if exceeding:
        notices.append(
            f"rows exceed what they are parts of ({', '.join(exceeding)}): the sum is more than stated"
        )
    return notices


READER = ProfileReader(
    name="CrayPat",
    pattern="RUNTIME.rpt",
    matches=matches,
    read=read,
    unnamed_parameters=parameters,
    content=content,
    fallback=1,
)
