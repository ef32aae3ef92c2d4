"""TALP's JSON, of the library DLB: how much of the time of regions was useful, and where the rest went.

``Application`` has the whole first, then regions: ``elapsedTime`` in nanoseconds, and of all CPUs together
``usefulTime``, ``mpiTime`` and what OpenMP lost to load imbalance, scheduling and serialization. ``region``,
if it is there, has the same per process. What is left of elapsed time x CPUs is idle.

Useful time is a region's own, everything else its callees. Regions that the user
marked may lie inside each other, which TALP does not state: they are below the whole only if they fit into it
side by side, otherwise in no sum.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray
from ingest.calltree import CallTreeBuilder
from ingest.errors import InputError
from ingest.number_text import figure
from ingest.profile import (
    OVERLAPPING,
    LocationTable,
    Metric,
    MetricKind,
    Profile,
    RegionTable,
    ValuesInMemory,
    require_summable,
)
from ingest.readers import ProfileReader
from ingest.reading.files import head, read_text
from ingest.reading.json_values import JsonRecord, json_text, parse_json
from ingest.reading.stacks import TIME_METRIC, VISITS_METRIC
from ingest.run_settings import OVERLAPPING_TIME, RECONCILED, SAMPLED, STATISTIC
from ingest.units import NANOSECOND

_MAX_VALUES = 1 << 26
_MAX_CPUS = 1 << 21
_ROUNDING = 1.001  # by which regions side by side may exceed the whole
_MANY_REGIONS = 64  # whose stated efficiencies are kept
APART_TIMERS = "(inside or around others)"
_OVERLAPPING_SECONDS = Metric(OVERLAPPING_TIME, "s", MetricKind.SIMPLE)

_USEFUL = "usefulTime"
_LOST = {
    "MPI": ("mpiTime", "notUsefulMPI"),
    "OpenMP load imbalance": ("ompLoadImbalanceTime", "notUsefulOMPLoadBalance"),
    "OpenMP scheduling": ("ompSchedulingTime", "notUsefulOMPScheduling"),
    "OpenMP serialization": ("ompSerializationTime", "notUsefulOMPSerialization"),
}
_IDLE = "idle CPUs"
_PARADIGMS = {**dict.fromkeys((*_LOST, _IDLE), "openmp"), "MPI": "mpi", APART_TIMERS: OVERLAPPING}
_MARKS = (b'"dlbVersion"', b'"elapsedTime"', b'"usefulTime"')


@dataclass(frozen=True, kw_only=True)
class _Region:
    name: str
    # float64[1 + lost + 1, rank], useful time, what each cause lost, and idle time, summed over a rank's CPUs
    seconds: FloatArray
    visits: float  # how often it was measured, summed over the ranks
    efficiencies: Mapping[str, str]  # as the file states them


def _matches(path: Path) -> bool:
    """Return whether a file is an object with the entries of TALP."""
    start = head(path)
    return start.lstrip().startswith(b"{") and all(mark in start for mark in _MARKS)


def _read(path: Path) -> Profile:
    """Read all regions; each CPU of a process has the mean of its CPUs."""
    content = _content(path)
    ranks, cpus = _ranks(content)
    regions = list(_regions(content, ranks, cpus))
    whole, inside = regions[0], regions[1:]
    fit = sum(region.seconds.sum() for region in inside) <= _ROUNDING * whole.seconds.sum()
    builder = CallTreeBuilder()
    values = _values(builder, whole, inside, fit)
    place, tree, names = builder.build()
    if len(tree) * ranks * cpus > _MAX_VALUES:
        what = f"too large for memory: {len(tree)} call paths on {ranks * cpus} CPUs"
        raise InputError(what, where=str(path))
    stored = {metric.name: np.zeros((len(tree), ranks, cpus)) for metric, rows in values.items() if rows}
    for metric, rows in values.items():
        for node, row in rows.items():
            of_cpus = stored[metric.name][place[node]]
            if metric is VISITS_METRIC:
                of_cpus[:, 0] = row
            else:
                of_cpus[:] = row[:, None] / cpus
    for name, found in stored.items():
        require_summable(found, f"the metric '{name}'", str(path))
    per_process = "region" in content.content
    return Profile(
        source=str(path),
        tree=tree,
        regions=RegionTable.named(names, [_PARADIGMS.get(name, "") for name in names]),
        locations=LocationTable.of_threads(
            process=np.repeat(np.arange(ranks), cpus), thread=np.tile(np.arange(cpus), ranks)
        ),
        metrics=tuple(metric for metric in values if metric.name in stored),
        load=ValuesInMemory(tree, {name: found.reshape(len(tree), -1) for name, found in stored.items()}),
        attributes={
            "generator": "TALP",
            RECONCILED: f"{figure(whole.seconds.sum(), 10)} CPU-seconds of {ranks * cpus} CPUs"
            + "".join(f", {name} {value} stated" for name, value in list(whole.efficiencies.items())[:1]),
            **({SAMPLED: "no"} if per_process else {STATISTIC: f"mean of {ranks} processes"}),
            **{
                f"TALP: {region.name}: {name}": value
                for region in regions[:_MANY_REGIONS]
                for name, value in region.efficiencies.items()
            },
        },
        notices=tuple(_notices(content, inside, fit)),
    )


def _values(
    builder: CallTreeBuilder, whole: _Region, inside: Sequence[_Region], fit: bool
) -> dict[Metric, dict[int, FloatArray]]:
    """Return values of nodes, float64[rank]: of regions that do not fit only what they take as a whole."""
    values: dict[Metric, dict[int, FloatArray]] = {
        TIME_METRIC: {},
        VISITS_METRIC: {},
        _OVERLAPPING_SECONDS: {},
    }

    def add(metric: Metric, path: tuple[str, ...], row: FloatArray) -> None:
        node = builder.add(path)
        values[metric][node] = values[metric].get(node, 0.0) + row

    def add_region(path: tuple[str, ...], region: _Region, seconds: FloatArray) -> None:
        add(VISITS_METRIC, path, np.full(seconds.shape[1], region.visits / seconds.shape[1]))
        add(TIME_METRIC, path, seconds[0])
        for row, name in zip(seconds[1:], (*_LOST, _IDLE), strict=True):
            if row.any():
                add(TIME_METRIC, (*path, name), row)

    below = sum((region.seconds for region in inside), np.zeros_like(whole.seconds))
    add_region((whole.name,), whole, np.maximum(whole.seconds - below, 0.0) if fit else whole.seconds)
    for region in inside:
        if fit:
            add_region((whole.name, region.name), region, region.seconds)
        else:
            add(_OVERLAPPING_SECONDS, (whole.name, APART_TIMERS, region.name), region.seconds.sum(axis=0))
    return values


def _content(path: Path) -> JsonRecord:
    content = JsonRecord.of(parse_json(read_text(path, READER.max_bytes), str(path)), "the file", str(path))
    if not content.record("Application").content:
        raise InputError("no region in it", where=str(path), hint="was the run interrupted?")
    return content


def _ranks(content: JsonRecord) -> tuple[int, int]:
    """Return the number of processes and of CPUs of each."""
    application = content.record("Application")
    whole = application.record(next(iter(application.content)))
    resources = content.record("resources", optional=True)
    ranks = int(_number(whole, "numMpiRanks") or _number(resources, "numMpiRanks") or 1)
    cpus = _number(whole, "numCpus") or _number(resources, "numCpus") or ranks
    if ranks < 1:
        raise InputError("numMpiRanks has to be at least 1", where=content.where)
    if max(ranks, cpus) > _MAX_CPUS:
        raise InputError(f"{max(ranks, cpus):g} CPUs: more than any run has", where=content.where)
    return ranks, max(1, round(cpus / ranks))


def _regions(content: JsonRecord, ranks: int, cpus: int) -> Iterator[_Region]:
    application = content.record("Application")
    for name in application.content:
        stated = application.record(name)
        processes = _processes(content, name, ranks)
        seconds = np.empty((len(_LOST) + 2, ranks))
        for row, (sum_of_all, of_one) in enumerate(((_USEFUL, "useful"), *_LOST.values())):
            if processes:
                seconds[row] = [_number(process, of_one) for process in processes]
            else:
                seconds[row] = _number(stated, sum_of_all) / ranks
        share = (_number(stated, "numMpiRanks") or ranks) / ranks  # of the ranks that enter the region
        held = [_number(process, "elapsedTime") for process in processes] or (
            share * _number(stated, "elapsedTime")
        )
        seconds[-1] = np.maximum(np.asarray(held) * cpus - seconds[:-1].sum(axis=0), 0.0)
        yield _Region(
            name=name.strip() or "<unnamed>",
            seconds=seconds * NANOSECOND,
            visits=_number(stated, "numMeasurements"),
            efficiencies={key: str(value) for key, value in stated.content.items() if "Efficiency" in key},
        )


def _processes(content: JsonRecord, name: str, ranks: int) -> list[JsonRecord]:
    """Return what is stated of each process in a region, in the order of ranks; nothing if one is missing."""
    for region in content.records("region", optional=True):
        if json_text(region.value("name"), "the name of a region", region.where) == name:
            found = {int(_number(process, "rank")): process for process in region.records("process")}
            return [found[rank] for rank in range(ranks)] if set(found) == set(range(ranks)) else []
    return []


def _number(record: JsonRecord, key: str) -> float:
    """Return a number that is not negative, 0 if it is not stated."""
    value = record.content.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1 << 62:
        raise InputError(f"'{key}' is no number: {str(value)[:40]}", where=record.where)
    return float(value)


def _notices(content: JsonRecord, inside: list[_Region], fit: bool) -> Iterator[str]:
    if inside and not fit:
        yield (
            f"{len(inside)} regions lie inside or around each other, which TALP does not state: only the"
            " whole is modelled"
        )
    if "region" not in content.content:
        yield "sums over the processes: all have the mean, so there is no load balance"
    if _number(content.record("resources", optional=True), "numGpus"):
        yield "the times of accelerators are not read"


READER = ProfileReader(
    name="TALP",
    pattern="*.json",
    matches=_matches,
    read=_read,
    processes=lambda path: _ranks(_content(path))[0],
    fallback=1,
    precedence=1,
    max_bytes=1 << 28,
)
