"""From the tables of a log to a profile: one location per process, and how much of the total was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
from ingest.readers.timer_tables.log import count, memory_of, rate_attributes, rate_notices, rate_text
from ingest.readers.timer_tables.log_tables import ReadTable, added_tables
from ingest.readers.timer_tables.timer_kind import (
    MAX_PHASES,
    OVERLAPPING_TIMERS,
    REST,
    WHOLE_RUN,
    Choice,
    Facts,
    Statistic,
    Timer,
    TimerTable,
    compiled,
)
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC, found_of
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
    size_of,
)

_PER_STEP = Metric(TIME_PER_STEP, "s/step")
_LEAST = Metric("min_time", "s", MetricKind.MINIMUM)
_MOST = Metric("max_time", "s", MetricKind.MAXIMUM)
_OVERLAPPING_SECONDS = Metric(OVERLAPPING_TIME, "s", MetricKind.SIMPLE)

_MAX_VALUES = 1 << 27
_ROUNDING = 1e-5  # relative: a smaller rest of the stated total is no time of its own
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
        """The call path of the phase."""
        return (self.name,) if self.name else ()


def assemble(tables: Sequence[ReadTable], kind: TimerTable, source: str, notices: Sequence[str]) -> Profile:
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
    if one:
        others = zip(phases[1:], apart[1:], strict=True)
        phases[1:] = [_uncounted(phase, _scaled(table, kind, len(locations))) for phase, table in others]
    attributes = {
        "generator": f"{kind.name} timers",
        STATISTIC: f"{kind.statistic.value} ({_processes_text(processes, threads)})",
        **{RECONCILED + phase.name: phase.reconciled for phase in phases},
        PROGRAM_SETTING: kind.name,
        **{name: facts[of] for name, of in ((NODES, "nodes"), (SYSTEM_CORES, "cores")) if count(facts, of)},
        **_settings(tables, threads),
        **memory_of(facts, processes),
        **({REMAINDER: REST} if any(one.path[-1] == REST for of in phases for one in of.timers) else {}),
        **({STOPPED: facts["_stopped"]} if "_stopped" in facts else {}),
        **({SIZES: ", ".join(sizes)} if (sizes := sizes_of(tables[-1].facts, kind)) else {}),
    }
    found = [*notices, *(notice for table in tables for notice in table.placed.notices)]
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


def _uncounted(phase: _Phase, timers: Sequence[Timer]) -> _Phase:
    """Put the timers of another run of the program in no sum."""
    return replace(phase, timers=(), overlapping=tuple(replace(timer, overlapping=True) for timer in timers))


def _processes_text(processes: int, threads: int) -> str:
    return f"{processes} process{'' if processes == 1 else 'es'}" + (
        f" x {threads} threads" if threads > 1 else ""
    )


def _settings(tables: Sequence[ReadTable], threads: int) -> dict[str, str]:
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


def _scaled(table: ReadTable, kind: TimerTable, locations: int) -> Sequence[Timer]:
    """Return the timers of a table with the seconds of one location."""
    if kind.statistic is not Statistic.SUM or locations == 1:
        return table.placed.timers
    return [replace(timer, seconds=timer.seconds / locations) for timer in table.placed.timers]


def _phase(table: ReadTable, kind: TimerTable, locations: int, name: str) -> _Phase:
    """Turn the values of a table into those of a location, and compare their sum with the stated total."""
    share = locations if kind.statistic is Statistic.SUM else 1
    scaled = _scaled(table, kind, locations)
    overlapping = tuple(timer for timer in scaled if timer.overlapping)
    timers = tuple(timer for timer in scaled if not timer.overlapping)
    timers = _exclusive(timers) if kind.inclusive else timers
    stated = None if table.placed.total is None else table.placed.total / share
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
    if kind.rest and not complete and stated is not None and abs(stated - listed) > _ROUNDING * stated:
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
