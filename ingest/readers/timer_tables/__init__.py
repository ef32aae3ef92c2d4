"""Tables of timers that applications and libraries print at the end of their logs.

`timer_kind` says what a description of a kind is, `kinds` has one for each, `log_tables` finds and reads
tables as they say and puts rows in their places; here profiles are made of them, with one location per
process, and it is said how much of the total was found.
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError, one_line
from ingest.profile import (
    MAX_LOCATIONS,
    NODES,
    OVERLAPPING,
    SYSTEM_CORES,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
    RegionTable,
    ValuesInMemory,
    require_summable,
)
from ingest.readers import ProfileReader
from ingest.readers.timer_tables.log import (
    Log,
    count,
    last_facts,
    memory_of,
    named_parents,
    other_parts,
    parents_files,
    processes_beside,
    processes_named,
    rate_attributes,
    rate_notices,
    rate_text,
    read_log,
)
from ingest.readers.timer_tables.log_tables import LogTables, added_tables
from ingest.readers.timer_tables.timer_kind import (
    MAX_PHASES,
    OVERLAPPING_TIMERS,
    REST,
    WHOLE_RUN,
    Choice,
    Facts,
    LogLine,
    Placed,
    Statistic,
    Timer,
    TimerTable,
    compiled,
    timer_kinds,
)
from ingest.reading.files import all_of_run, ends_of, entries, head, is_page, stamp
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC, found_of
from ingest.resource_use import TOTAL_MEMORY
from ingest.run_settings import (
    OVERLAPPING_TIME,
    PROGRAM_SETTING,
    RECONCILED,
    REMAINDER,
    SETTING,
    SIZES,
    STATISTIC,
    STEPS,
    STOPPED,
    TIME_PER_STEP,
    processes_text,
    size_of,
)
from ingest.units import UNITS_OF_WORK

_MAX_DEPTH = 100  # of timers below parents
_ALL = "*"  # stands for all timers that are not named
_ROUNDING = 0.02  # relative: what lies inside a timer may be longer by so much, since values are rounded
_MAX_SHOWN = 3  # timers in a notice

NamePath: TypeAlias = tuple[str, ...]
Parents: TypeAlias = Mapping[str, Sequence[str]]
"""By the name of a timer those that may hold it, the first that is there does; empty for the whole run."""
_NUMBERED = re.compile(r"(.*?)(\d{1,6})(\D*)")
__all__ = ["beside", "content", "context", "matches", "read", "stated_sizes"]


def matches(path: Path) -> bool:
    """Return whether a file is a log with a table of timers, by its beginning and end.

    Pages quote tables, not all of them with values: these are read. Of the partitions of one run the first
    stands for all.
    """
    kind = _kind_of(Log(ends_of(path)))
    if kind is None or not stands_for_run(path):
        return False
    try:
        return not is_page(path) or bool(_tables(path))
    except InputError:
        return False


def read(path: Path) -> Profile:
    """Read the tables of timers of a log, and of the other partitions of its run."""
    parents, parts = named_parents(path), []
    of_all = path.with_name(path.name.rstrip("0123456789").rstrip(".") or path.name)
    count = int(_stated(of_all).get("count", 1))
    for log in all_of_run(partitions(path), "partition", first=0, count=count):
        kind, tables, notices = _tables(log)
        placed = [nested(table, kind, parents) for table in tables]
        parts.append(assemble(placed, kind, str(log), notices))
    return joined(parts, str(path))


def _processes(path: Path) -> int:
    processes = [count(_tables(log)[1][-1].facts, "processes") or 0 for log in partitions(path).values()]
    return sum(processes) if all(processes) else 0


def stated_sizes(path: Path) -> Mapping[str, float]:
    """Return the sizes of the problem that a log states, such as ``atoms``, the one that says most first."""
    kind, tables, _ = _tables(path)
    return sizes_of(tables[-1].facts, kind)


def beside(path: Path) -> Iterator[Path]:
    """Yield the files next to a log that reading it looks at."""
    yield from (log for log in partitions(path).values() if log != path)
    yield from other_parts(path)
    yield from (file for file in parents_files(path) if file.is_file())


def context(path: Path) -> str:
    """Return what names say of the processes of a run: logs that do not state them are read with it."""
    return processes_named(path)


def content(path: Path) -> Hashable:
    """Return what a log and a copy of it have in common, such as what was printed to the screen as well."""
    found = [_tables(log) for log in partitions(path).values()]
    kept = (table for _, tables, _ in found for table in tables)
    return found[0][0].name, tuple((t.path, t.seconds) for table in kept for t in table.timers)


def _kind_of(log: Log) -> TimerTable | None:
    """Return the description that fits a log or its ends, None if there is none."""
    marked = ((line, kind) for line, kind in _recognised_by() if log.may_have(line))
    return next((kind for line, kind in marked if next(log.find(line), None)), None)


@cache
def _recognised_by() -> Sequence[tuple[LogLine, TimerTable]]:
    """Return the marks of all kinds, then the lines that name programs, each once."""
    found: dict[LogLine, TimerTable] = {}
    for kind in timer_kinds():
        found.setdefault(kind.mark or kind.begin, kind)
    for kind in timer_kinds():
        if kind.program:
            found.setdefault(kind.program, kind)
    return [*found.items()]


def _tables(path: Path) -> tuple[TimerTable, list[Placed], tuple[str, ...]]:
    """Read the tables of a log, with the number of processes from elsewhere if it does not state it."""
    kind, printed, notices = _printed_tables(path, stamp(path))
    tables = list(printed)
    if count(tables[-1].facts, "processes") is None:
        marks = [kind.mark or kind.begin for kind in timer_kinds()]
        elsewhere = processes_beside(path, marks, kind.facts) or processes_named(path)
        own = {"processes": elsewhere} if elsewhere else {}
        kept = [{n: v for n, v in table.facts.items() if n != "processes"} for table in tables]
        tables = [replace(table, facts=facts | own) for table, facts in zip(tables, kept, strict=True)]
    return kind, tables, notices


@lru_cache(maxsize=4)
def _printed_tables(
    path: Path, stamp: tuple[int, ...]
) -> tuple[TimerTable, tuple[Placed, ...], tuple[str, ...]]:
    """Read the tables of a log once for all questions; it may be large."""
    log = read_log(path)
    kind = _kind_of(Log(ends_of(path))) or _kind_of(log)
    if kind is None:
        raise InputError("no table of timers in it", where=str(path))
    tables, notices = LogTables(log, kind, path).read()
    return kind, tuple(tables), notices


READER = ProfileReader(
    name="timer table",
    pattern="*.log, *.out",
    matches=matches,
    read=read,
    processes=_processes,
    stated_sizes=stated_sizes,
    beside=beside,
    context=context,
    content=content,
    fallback=3,
    precedence=2,
)


def partitions(log: Path) -> dict[int, Path]:
    """Return the logs of the partitions of a run by their numbers; the log alone if it has none."""
    name = _NUMBERED.fullmatch(log.name)
    if name is None or "number" not in _stated(log):
        return {0: log}
    alike = sorted(_alike(log, name).items())
    return {number: file for number, file in alike if _stated(file).get("number") == str(number)}


def stands_for_run(log: Path) -> bool:
    """Return whether a log is that of a whole run, or of the first of its partitions.

    That of all of them has no timers; it stands for the run only if theirs do not lie in its folder.
    """
    stated, name = _stated(log), _NUMBERED.fullmatch(log.name)
    if "number" in stated and name:
        first = log.with_name(f"{name[1]}0{name[3]}")
        return log == first or (not first.is_file() and log == min(_alike(log, name).items())[1])
    if "count" in stated:
        return not any("number" in _stated(file) for file in entries(log.parent) if file.name.endswith("0"))
    return True


def _stated(log: Path) -> Facts:
    return last_facts(Log(head(log)), [line for kind in timer_kinds() for line in kind.partitions])


def _alike(log: Path, name: re.Match[str]) -> dict[int, Path]:
    """Return the files in the folder whose names differ in their number only."""
    matches = ((file, _NUMBERED.fullmatch(file.name)) for file in entries(log.parent))
    return {int(own[2]): file for file, own in matches if own and own.group(1, 3) == name.group(1, 3)}


def joined(parts: Sequence[Profile], source: str) -> Profile:
    """Return the profile of a run given those of its partitions: it has the locations of all."""
    if len(parts) == 1:
        return parts[0]
    callpaths = CallTreeBuilder()
    nodes = [[callpaths.add(path) for path in part.tree.paths(part.regions.name)] for part in parts]
    place, tree, names = callpaths.build()
    paradigm = {n: p for part in parts for n, p in zip(part.regions.name, part.regions.paradigm, strict=True)}
    metrics = tuple(dict.fromkeys(metric for part in parts for metric in part.metrics))
    values = {
        metric.name: np.hstack(
            [_in_tree(part, metric, place[own], len(tree)) for part, own in zip(parts, nodes, strict=True)]
        )
        for metric in metrics
    }
    first = np.cumsum([0, *(part.processes for part in parts)])
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable.named(names, [paradigm[name] for name in names]),
        locations=LocationTable.of_threads(
            np.concatenate([n + part.locations.process for n, part in zip(first, parts, strict=False)]),
            np.concatenate([part.locations.thread for part in parts]),
        ),
        metrics=metrics,
        load=ValuesInMemory(tree, values),
        attributes=_attributes(parts),
        notices=tuple(dict.fromkeys(notice for part in parts for notice in part.notices)),
    )


def _in_tree(part: Profile, metric: Metric, nodes: IntArray, size: int) -> FloatArray:
    """Return the values of a part, float64[size, location], given the place of its call paths."""
    dense = np.full((size, len(part.locations)), 0.0 if metric.kind.additive else np.nan)
    if metric in part.metrics:
        dense[nodes] = part.load(metric)
    return dense


def _attributes(parts: Sequence[Profile]) -> dict[str, str]:
    longest = max(parts, key=lambda part: float(part.values(TIME_METRIC.name)[:, 0].sum())).attributes
    sums = {
        name: f"{sum(float(part.attributes[name]) for part in parts):.17g}"
        for name in (UNITS_OF_WORK, TOTAL_MEMORY)
        if all(name in part.attributes for part in parts)
    }
    which = f"{len(parts)} partitions, of the longest: "
    texts = {name: which + text for name, text in longest.items() if name.startswith((RECONCILED, STATISTIC))}
    return {**longest, **texts, **sums, SETTING + "partitions": str(len(parts))}


def nested(placed: Placed, kind: TimerTable, named: Mapping[str, str]) -> Placed:
    """Put overlapping timers below their parents; the rest of a parent is what its children leave.

    A timer is placed if its parents lead to the whole run (an empty name) or to a timer that overlaps
    nothing; all others stay as they are. What does not fit into its parent lies elsewhere, too, and stays.
    `named`, the parent by name of the timer, ``*`` for all others, is what the user says; it counts more than
    what is known of the program.
    """
    loose = [timer for timer in placed.timers if timer.overlapping]
    parents = _known(kind, loose) | {name: (parent,) for name, parent in named.items()}
    fixed = [timer for timer in placed.timers if not timer.overlapping]
    if not parents or not loose or not (fixed or named):
        return placed
    if not fixed:
        longest = max(timer.seconds for timer in loose)
        fixed = [Timer(path=(WHOLE_RUN,), seconds=longest if placed.total is None else placed.total)]
    roots = {timer.path: timer for timer in fixed}
    names: dict[NamePath, set[str]] = {}
    for timer in loose:
        names.setdefault(timer.path[:-1], set()).add(timer.path[-1])
    order = {name: place for place, name in enumerate(parents)}
    ways = [(_place(timer, names[timer.path[:-1]], roots, parents), timer) for timer in loose]
    ways = sorted(ways, key=lambda way: (len(way[0]), order.get(way[1].path[-1], len(order))))
    inside, outside = _fitting(roots, [way for way in ways if way[0]])
    below: dict[NamePath, float] = {}
    for path, timer in inside.items():
        below[path[:-1]] = below.get(path[:-1], 0.0) + timer.seconds
    timers = [
        replace(timer, path=path, overlapping=False, seconds=timer.seconds - below.get(path, 0.0))
        for path, timer in {**roots, **inside}.items()
    ]
    others = [*outside, *(timer for path, timer in ways if not path)]
    return replace(
        placed, timers=(*timers, *others), notices=(*placed.notices, *_notices(placed, named, outside))
    )


def _known(kind: TimerTable, loose: Sequence[Timer]) -> dict[str, Sequence[str]]:
    """Return what is known of the program, without what other timers in the table make doubtful."""
    names = {timer.path[-1] for timer in loose}
    doubtful = {
        name
        for name, pattern in kind.doubtful.items()
        if any(compiled(pattern).search(other) for other in names)
    }
    return {name: parents for name, parents in kind.parents.items() if name not in doubtful}


def _place(timer: Timer, siblings: set[str], roots: Mapping[NamePath, Timer], parents: Parents) -> NamePath:
    """Return the path of a timer from a root down, empty if its parents lead to none."""
    group = timer.path[:-1]
    chain = [timer.path[-1]]
    while len(chain) <= _MAX_DEPTH:
        some = parents.get(chain[0], parents.get(_ALL, ()))
        found = (one for one in some if one == "" or (*group, one) in roots or one in siblings)
        parent = next(found, None)
        if parent is None:
            return ()
        if parent == "":
            above = group if group in roots else next(iter(roots)) if len(roots) == 1 else ()
            return (*above, *chain) if above else ()
        if (*group, parent) in roots:
            return (*group, parent, *chain)
        chain.insert(0, parent)
    return ()


def _fitting(
    roots: Mapping[NamePath, Timer], ways: Sequence[tuple[NamePath, Timer]]
) -> tuple[dict[NamePath, Timer], list[Timer]]:
    """Return the timers that fit into their parents by their paths, and the others.

    Rounding apart: what is longer than its parent by less is shortened. Of `ways`, parents come before their
    children, and siblings in the order in which they are to be placed.
    """
    inside: dict[NamePath, Timer] = {}
    outside: list[Timer] = []
    left = {path: timer.seconds for path, timer in roots.items()}
    for path, timer in ways:
        space = left.get(path[:-1])
        whole = inside.get(path[:-1]) or roots.get(path[:-1])
        if space is None or whole is None or timer.seconds > space + _ROUNDING * whole.seconds:
            outside.append(timer)
            continue
        seconds = min(timer.seconds, max(space, 0.0)) if timer.seconds > 0 else timer.seconds
        inside[path] = replace(timer, seconds=seconds)
        left[path], left[path[:-1]] = seconds, space - seconds
    return inside, outside


def _notices(placed: Placed, named: Mapping[str, str], outside: Sequence[Timer]) -> list[str]:
    known = {timer.path[-1] for timer in placed.timers}
    unknown = sorted((set(named) | set(named.values())) - known - {"", _ALL})
    notices = [f"timers.toml names timers that are not in the table: {', '.join(unknown)}"] if unknown else []
    if outside:
        shown = ", ".join(dict.fromkeys(timer.path[-1] for timer in outside[:_MAX_SHOWN]))
        more = f" and {len(outside) - _MAX_SHOWN} more" if len(outside) > _MAX_SHOWN else ""
        notices.append(f"timers that do not fit into what should hold them are in no sum: {shown}{more}")
    return notices


_PER_STEP = Metric(TIME_PER_STEP, "s/step")
_LEAST = Metric("min_time", "s", MetricKind.MINIMUM)
_MOST = Metric("max_time", "s", MetricKind.MAXIMUM)
_OVERLAPPING_SECONDS = Metric(OVERLAPPING_TIME, "s", MetricKind.SIMPLE)

_MAX_VALUES = 1 << 27
_LEAST_REST = 1e-5  # relative: a smaller rest of the stated total is no time of its own
_MAX_NAMED = 3  # timers that stand for the total and are listed by name
_MEANINGS = frozenset(("processes", "threads", "nodes", "cores", "steps", "total", "rate"))


@dataclass(frozen=True, kw_only=True)
class _Phase:
    """One table in its place, all values in seconds of one location."""

    name: str  # of the phase, empty if it is the only one
    # exclusive times of those that overlap nothing: their sum is the total of the profile
    timers: tuple[Timer, ...]
    overlapping: tuple[Timer, ...]  # all others, inclusive
    reconciled: str  # how much of the stated total the timers are, in words

    @property
    def path(self) -> tuple[str, ...]:
        return (self.name,) if self.name else ()


def assemble(tables: Sequence[Placed], kind: TimerTable, source: str, notices: Sequence[str]) -> Profile:
    """Make a profile of the tables of one log.

    All locations have the same values, so that their sums are effort; what a log says of single processes
    is in the metrics `min_time` and `max_time`. Timers that lie around or inside others count in no sum:
    their values are in the metric `overlapping_time`.
    """
    one = kind.choice is Choice.PROGRAMS
    facts = tables[0 if one else -1].facts
    processes, threads = count(facts, "processes") or 1, count(facts, "threads") or 1
    if processes > MAX_LOCATIONS or threads > MAX_LOCATIONS // processes:
        raise InputError(f"{processes} processes of {threads} threads: more than any run has", where=source)
    locations = LocationTable.of_threads(
        process=np.repeat(np.arange(processes), threads if kind.per_thread else 1),
        thread=np.tile(np.arange(threads if kind.per_thread else 1), processes),
    )
    apart = tables if len(tables) <= MAX_PHASES else [tables[0] if one else added_tables(tables)]
    names = [f"run {number}" for number in range(1, len(apart) + 1)] if len(apart) > 1 else [""]
    phases = [_phase(table, kind, len(locations), name) for table, name in zip(apart, names, strict=True)]
    for place, table in enumerate(apart[1:] if one else (), start=1):  # other runs are in no sum
        timers = (replace(timer, overlapping=True) for timer in _scaled(table, kind, len(locations)))
        phases[place] = replace(phases[place], timers=(), overlapping=tuple(timers))
    held = processes_text(processes) + (f" x {threads} threads" if threads > 1 else "")
    attributes = {
        "generator": f"{kind.name} timers",
        STATISTIC: f"{kind.statistic.value} ({held})",
        **{RECONCILED + phase.name: phase.reconciled for phase in phases},
        PROGRAM_SETTING: kind.name,
        **{name: facts[of] for name, of in ((NODES, "nodes"), (SYSTEM_CORES, "cores")) if count(facts, of)},
        **_settings(tables, threads),
        **memory_of(facts, processes),
        **({REMAINDER: REST} if any(one.path[-1] == REST for of in phases for one in of.timers) else {}),
        **({STOPPED: facts["_stopped"]} if "_stopped" in facts else {}),
        **({SIZES: ", ".join(sizes)} if (sizes := sizes_of(tables[-1].facts, kind)) else {}),
    }
    found = [*notices, *(notice for table in tables for notice in table.notices)]
    if "processes" not in facts:
        found.append(
            "the number of processes is not stated: values of one are read; name runs like app.p64.r1"
        )
    if threads > 1 and not kind.per_thread:
        found.append(
            f"times are those of processes with {threads} threads: a run holds {threads} times as many cores"
        )
    steps = sum(count(table.facts, "steps") or 0 for table in (tables[:1] if one else tables))
    attributes |= {STEPS: str(steps)} if steps else {}
    seconds = [sum(timer.seconds for timer in phase.timers) for phase in phases]
    timed = [(table.facts, took) for table, took in zip(apart, seconds, strict=True)]
    attributes |= rate_attributes(timed[:1] if one else timed, kind)
    found += [notice for of in timed for notice in rate_notices(*of)]
    return _profile(source, kind, phases, locations, steps, attributes, tuple(map(one_line, found)))


def _settings(tables: Sequence[Placed], threads: int) -> dict[str, str]:
    steps = dict.fromkeys(table.facts["steps"] for table in tables if count(table.facts, "steps"))
    named = {
        name.replace("_", " "): one_line(value)[:200]
        for name, value in tables[-1].facts.items()
        if name not in _MEANINGS and not name.startswith("_") and value.strip()
    }
    named |= {"steps": ", ".join(list(steps)[:MAX_PHASES])} if steps else {}
    return {SETTING + name: value for name, value in (named | {"threads": str(threads)}).items()}


def sizes_of(facts: Facts, kind: TimerTable) -> dict[str, float]:
    """Return the stated sizes of the problem by name, the one that says most first."""
    sizes = {name.replace("_", " "): size_of(facts.get(name, "")) for name in kind.sizes}
    return {name: size for name, size in sizes.items() if size}


def _scaled(table: Placed, kind: TimerTable, locations: int) -> Sequence[Timer]:
    """Return the timers of a table with the seconds of one location."""
    if kind.statistic is not Statistic.SUM or locations == 1:
        return table.timers
    return [replace(timer, seconds=timer.seconds / locations) for timer in table.timers]


def _phase(table: Placed, kind: TimerTable, locations: int, name: str) -> _Phase:
    """Turn the values of a table into those of a location, and compare their sum with the stated total."""
    share = locations if kind.statistic is Statistic.SUM else 1
    scaled = _scaled(table, kind, locations)
    overlapping = tuple(timer for timer in scaled if timer.overlapping)
    timers = tuple(timer for timer in scaled if not timer.overlapping)
    timers = _exclusive(timers) if kind.inclusive else timers
    stated = None if table.total is None else table.total / share
    listed = sum(timer.seconds for timer in timers)
    if not timers:
        largest = max(overlapping, key=lambda timer: timer.seconds)
        whole = Timer(path=(WHOLE_RUN,), seconds=largest.seconds if stated is None else stated)
        text = _text_of_overlapping(overlapping, largest, stated, locations)
        return _Phase(name=name, timers=(whole,), overlapping=overlapping, reconciled=text)
    roots = [timer for timer in timers if len(timer.path) == 1]
    if kind.inclusive and len(roots) == 1 and len(timers) > 1:
        listed -= roots[0].seconds  # the total itself: what lies in none of the timers below it
    text = found_of("timers", listed * locations, None if stated is None else stated * locations, "s")
    if overlapping and kind.statistic is Statistic.SUM:
        text += _text_of_others(timers, overlapping, locations)
    complete = any(timer.path[-1] == kind.rest_row for timer in timers)
    if kind.rest and not complete and stated is not None and abs(stated - listed) > _LEAST_REST * stated:
        timers = (*timers, Timer(path=(REST,), seconds=stated - listed))
    text += rate_text(table.facts, kind)
    return _Phase(name=name, timers=timers, overlapping=overlapping, reconciled=text)


def _exclusive(timers: Sequence[Timer]) -> tuple[Timer, ...]:
    below: dict[tuple[str, ...], float] = {}
    for timer in timers:
        below[timer.path[:-1]] = below.get(timer.path[:-1], 0.0) + timer.seconds
    return tuple(replace(timer, seconds=timer.seconds - below.get(timer.path, 0.0)) for timer in timers)


def _text_of_others(timers: Sequence[Timer], overlapping: Sequence[Timer], locations: int) -> str:
    total = locations * sum(timer.seconds for timer in (*timers, *overlapping))
    roots = [timer.path[-1] for timer in timers if len(timer.path) == 1]
    text = f" ({', '.join(roots[:_MAX_NAMED])}); {len(overlapping)} more timers lie inside them"
    if len(roots) < len(timers):
        return f"{text}, which of them in which is not known"
    return f"{text} (the sum of all rows, {total:.10g} s, is not a total)"


def _text_of_overlapping(
    overlapping: Sequence[Timer], largest: Timer, stated: float | None, locations: int
) -> str:
    total = locations * sum(timer.seconds for timer in overlapping)
    whole = "no total is stated, the longest stands for it: " if stated is None else "the stated total is "
    seconds = locations * (largest.seconds if stated is None else stated)
    share = f", {100 * total / seconds:.2f} % of it" if seconds > 0 else ""
    return (
        f"timers may lie inside each other ({len(overlapping)}); {whole}{seconds:.10g} s"
        f" (sum of all rows {total:.10g} s{share})"
    )


def _profile(
    source: str,
    kind: TimerTable,
    phases: Sequence[_Phase],
    locations: LocationTable,
    steps: int,
    attributes: Mapping[str, str],
    notices: tuple[str, ...],
) -> Profile:
    callpaths = CallTreeBuilder()
    rows: list[tuple[int, Timer]] = []
    for phase in phases:
        rows += [(callpaths.add((*phase.path, *timer.path)), timer) for timer in phase.timers]
        for timer in phase.overlapping:
            apart = (*phase.path, *timer.path[:-1], OVERLAPPING_TIMERS, timer.path[-1])
            rows.append((callpaths.add(apart), timer))
    place, tree, names = callpaths.build()
    if len(tree) * len(locations) > _MAX_VALUES:
        raise InputError(f"too large: {len(tree)} timers of {len(locations)} locations", where=source)
    columns = _columns(place, rows, len(tree), steps)
    values = {
        metric.name: np.broadcast_to(column[:, None], (len(tree), len(locations)))
        for metric, column in columns.items()
    }
    require_summable(columns[TIME_METRIC], "the times", source)
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable.named(names, [_paradigm(name, kind) for name in names]),
        locations=locations,
        metrics=tuple(columns),
        load=ValuesInMemory(tree, values),
        attributes=attributes,
        notices=notices,
    )


def _columns(
    place: IntArray, rows: Sequence[tuple[int, Timer]], size: int, steps: int
) -> dict[Metric, FloatArray]:
    """Return the metrics that there are with the values of a location, float64[call path]."""
    time, visits, overlapping = (np.zeros(size) for _ in range(3))
    least, most = np.full(size, np.nan), np.full(size, np.nan)
    for number, timer in rows:
        node = place[number]
        (overlapping if timer.overlapping else time)[node] += timer.seconds
        visits[node] += 0.0 if timer.overlapping else timer.calls or 0.0
        least[node] = np.nan if timer.least is None else timer.least
        most[node] = np.nan if timer.most is None else timer.most
    columns = {TIME_METRIC: time}
    if visits.any():
        columns[VISITS_METRIC] = visits
    if steps:
        columns[_PER_STEP] = time / steps
    extremes = {_LEAST: least, _MOST: most}
    columns |= {metric: column for metric, column in extremes.items() if np.isfinite(column).any()}
    if any(timer.overlapping for _, timer in rows):
        columns[_OVERLAPPING_SECONDS] = overlapping
    return columns


def _paradigm(name: str, kind: TimerTable) -> str:
    if name == OVERLAPPING_TIMERS:
        return OVERLAPPING
    if kind.communication and compiled(kind.communication).search(name):
        return "mpi"
    return "io" if kind.output and compiled(kind.output).search(name) else "user"
