"""Projection by bandwidth ratios (paper 003): a memory-bound group takes T x BW_measured_on / BW_target.

The whole is the sum of the projected groups divided by their coverage, their share of the measured time: what
is not projected is assumed to speed up like the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ingest.counter_report import TOTAL_ROW, CountedRegion, CounterReport, merged
from ingest.counters.counted_work import Work, known, work
from ingest.counters.counter_files import read_counters, recognised
from ingest.errors import InputError, UsageError, located
from ingest.toml_table import TomlTable
from ingest.units import FLOP, NONE, TIME_DIMENSION, Quantity, parse_quantity, stated
from pipeline.projection.expressions.expression_text import Names
from pipeline.projection.expressions.method_error import METHOD_ERROR, fraction, method_error, scatter
from pipeline.projection.expressions.shipped_files import read_text
from pipeline.projection.expressions.symbolic_model import Model, bind, constant, maximum, symbol
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.rooflines.region_verdicts import (
    COMMON_VARIANCE,
    LATENCY,
    MEMORY_VALUES,
    PEAK,
    SCALAR_PEAK,
    UNTESTED_ERROR,
    Bound,
    RegionVerdict,
    Resource,
    compared_by,
    own_value,
    verdict,
    width_peak,
)
from pipeline.projection.rooflines.rooflines import Roofline, RooflinePoint, points_of, roofline

if TYPE_CHECKING:
    from pipeline.projection.fitting.measured_columns import MeasuredColumns

_KINDS = ("threaded", "serial", "other")
_REGION_KEYS = ("name", "time", "share", "kind", "counters")
_ROUNDING = 1e-3  # of the whole: what sums of rounded times may miss


@dataclass(frozen=True, kw_only=True)
class Group:
    """A part of a program as measured."""

    name: str
    time: Quantity
    share: float | None  # of the whole, 0 to 1, as the profile states it; None if it does not
    # ``threaded`` uses the memory of a whole node, ``serial`` of one NUMA domain, ``other`` is not projected
    kind: str
    # hardware counters of a node over that time, by name
    counters: Mapping[str, float] = field(default_factory=dict)
    cores: int | None = None  # of a node that ran; None means all

    @property
    def work(self) -> Work:
        """What the counters show."""
        return work(self.counters)


@dataclass(frozen=True, kw_only=True)
class MeasuredProfile:
    """What was measured of a program; `whole` if it has counters and its parts have none."""

    groups: tuple[Group, ...]
    whole: Group | None = None
    notices: tuple[str, ...] = ()


_KEYS = ("reference", "profile", "runs", "kinds", "groups", "cores", "coverage", METHOD_ERROR)
_SHARE_ROUNDING = 0.0005
_SHARE_TOLERANCE = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class BandwidthProjection:
    """The models of a bandwidth projection."""

    parts: Mapping[str, Model]  # the time of every projected group on the target
    total: Model
    # seconds on the reference machine that `total` is compared with: of the same groups and coverage
    reference: float
    machine: str
    # what limits the groups there by name, and the whole if only it has counters
    verdicts: Mapping[str, RegionVerdict]
    # that machine's, with the groups that have counters and further runs; None if it states no peak
    roofline: Roofline | None
    notices: tuple[str, ...]


def bandwidth_projection(table: TomlTable, reference: Machine, names: Names) -> BandwidthProjection:
    """Return a bandwidth projection from an application's ``[bandwidth]`` table.

    `names` are values of the reference machine (``ref.``) and of the target (``mach.``).
    """
    table.check_keys(_KEYS)
    profile = read_profile(table)
    _check_distinct(profile.groups, table)
    projected = [group for group in profile.groups if group.kind != "other"]
    if not projected:
        hint = "set kind = 'threaded' or 'serial' for at least one group"
        raise InputError("no group to project", where=table.where, hint=hint)
    verdicts = {group.name: _verdict(group, reference) for group in projected}
    stated_error = method_error(table) or None
    with located(table.where):
        gone = {g.name: _projected(g, verdicts[g.name], reference, names) for g in projected}
    parts = {name: one.time * _scatter(one, stated_error) for name, one in gone.items()}
    coverage = _coverage(table, projected, profile.groups)
    if profile.whole is not None:
        verdicts["whole program"] = _verdict(profile.whole, reference)
    doubts = [f"{name}: {doubt}" for name, found in verdicts.items() for doubt in found.doubts]
    doubts += [f"{name}: {one.doubt}" for name, one in gone.items() if one.doubt]
    return BandwidthProjection(
        parts=parts,
        total=reduce(add, parts.values()) / coverage,
        reference=sum(group.time.value for group in projected) / coverage,
        machine=reference.name,
        verdicts=verdicts,
        roofline=roofline(reference.name, reference.values, tuple(_points(profile, table)))
        if PEAK in reference.values
        else None,
        notices=(*_inconsistent(profile.groups), *profile.notices, *doubts),
    )


def _verdict(group: Group, reference: Machine) -> RegionVerdict:
    return verdict(group.work, group.time.value, reference, cores=group.cores, kind=group.kind)


def _check_distinct(groups: Sequence[Group], table: TomlTable) -> None:
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1 or any(other.startswith(f"{name}/") for other in names):
            hint = "assign each part of the time to one group only"
            raise InputError(f"'{name}' would be counted twice", where=table.where, hint=hint)


def _points(profile: MeasuredProfile, table: TomlTable) -> Iterator[RooflinePoint]:
    """Yield the points of the profile, and of further runs that the table names by their labels."""
    runs = table.table("runs")
    own = profile.groups if profile.whole is None else (*profile.groups, profile.whole)
    several = [
        ("", own),
        *((label, _counted_groups(read_counters(runs.file(label)))) for label in runs.content),
    ]
    for label, groups in several:
        yield from points_of(((one.name, one.work, one.time.value) for one in groups), label)


@dataclass(frozen=True, eq=False)
class _Projected:
    """The time of a group on the target, but for the error of the method."""

    time: Model
    resource: Resource  # that limits it
    error: float  # standard deviation of the method
    doubt: str = ""


def _projected(group: Group, found: RegionVerdict, reference: Machine, names: Names) -> _Projected:
    time = bind(symbol(f"time {group.name}", TIME_DIMENSION), {f"time {group.name}": group.time})
    own, by = _values(found.resource, MEMORY_VALUES[group.kind], reference, names)
    ratios = [
        _peak_ratio(group.work, reference, names)
        if value == PEAK and found.resource is Resource.ARITHMETIC
        else _ratio(value, names)
        for value in by
    ]
    there = time * (maximum(*ratios) if len(ratios) > 1 else ratios[0])
    if found.bound is Bound.MEMORY and group.work.flop > 0:
        there = maximum(there, constant(group.work.flop, FLOP) / _value(f"mach.{PEAK}", names))
    resource = found.resource or Resource.MEMORY
    if by == (own,):
        return _Projected(there, resource, found.method_error)
    doubt = f"one of the machines states no {own}: projected by {' or '.join(by)}"
    return _Projected(there, resource, UNTESTED_ERROR, doubt)


def _values(
    resource: Resource | None, memory: str, reference: Machine, names: Names
) -> tuple[str, tuple[str, ...]]:
    """Return the value that is the resource, and those by which time goes over.

    They are others if a machine does not state it; of several, the one that makes it slowest counts.
    """
    if resource in (None, Resource.MEMORY):
        return memory, (memory,)
    own, target = own_value(resource), [name[5:] for name in names if name.startswith("mach.")]
    value = compared_by(resource, reference.values, target)
    if value is None and resource is Resource.LATENCY:
        return own, (memory, PEAK)
    return own, (value or own,)


def _scatter(one: _Projected, stated_error: float | None) -> Model:
    """Return the error of the method: in part that of all groups, in part of those with the same limit.

    A stated error is that of all groups.
    """
    if stated_error is not None:
        return scatter(stated_error)
    return scatter(one.error, {"": COMMON_VARIANCE, one.resource.value: 1 - COMMON_VARIANCE})


def _peak_ratio(done: Work, reference: Machine, names: Names) -> Model:
    """Return peak here / peak there, for instructions narrower than the widest vectors the scalar peaks.

    That needs the widths from the counters and both scalar peaks; without them it is the ratio of the peaks.
    """
    if not done.widths or f"mach.{SCALAR_PEAK}" not in names or SCALAR_PEAK not in reference.values:
        return _ratio(PEAK, names)
    widest, scalar = (reference.values[name].value for name in (PEAK, SCALAR_PEAK))
    times = {width: flop / width_peak(width, widest, scalar) for width, flop in done.widths.items()}
    narrow = sum(time for width, time in times.items() if scalar * width[1] < widest) / sum(times.values())
    return narrow * _ratio(SCALAR_PEAK, names) + (1 - narrow) * _ratio(PEAK, names)


def _ratio(value: str, names: Names) -> Model:
    here, there = _value(f"ref.{value}", names), _value(f"mach.{value}", names)
    return there / here if value == LATENCY else here / there


def _value(name: str, names: Names) -> Model:
    found = names.get(name)
    if not isinstance(found, Model):
        key = name.partition(".")[2]
        which = "target machine" if name.startswith("mach.") else "reference machine"
        raise UsageError(f"the {which} has no '{key}'", hint=f"add {key} to its [values]")
    return found


def _coverage(table: TomlTable, projected: Sequence[Group], groups: Sequence[Group]) -> float:
    """Return the share of the measured time that is projected: stated, from the shares, or from the times."""
    if "coverage" in table:
        return fraction(table, "coverage")
    shares = [group.share for group in projected if group.share is not None]
    if len(shares) == len(projected):
        return sum(shares)
    return sum(g.time.value for g in projected) / sum(g.time.value for g in groups)


def _inconsistent(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return a sentence for every group whose time and share contradict those of the other groups."""
    stated = [(group, group.time.value / group.share) for group in groups if group.share]
    if len(stated) < 3:
        return ()
    usual = float(np.median([total for _, total in stated]))
    return tuple(
        f"{group.name}: {group.time.value:g} s at {100 * group.share:.1f} % imply a total of {total:.0f} s, "
        f"the other groups imply {usual:.0f} s"
        for group, total in stated
        if group.share and abs(total / usual - 1) > _SHARE_TOLERANCE + _SHARE_ROUNDING / group.share
    )


def read_profile(table: TomlTable) -> MeasuredProfile:
    """Return the groups that a table lists, or that the profile it names holds.

    It has ``groups``; or ``profile`` (a file of counters or CSV; several of runs in which different counters
    were measured) and ``kinds`` (region to kind). ``cores`` is how many of a node's cores ran.
    """
    cores = _cores(table)
    if "profile" not in table:
        return MeasuredProfile(groups=tuple(_stated(row, cores) for row in table.tables("groups")))
    kinds = table.table("kinds").content
    paths = table.files("profile")
    if len(paths) == 1 and paths[0].suffix == ".csv" and recognised(read_text(paths[0])) is None:
        from pipeline.projection.fitting.measured_columns import read_columns

        found = MeasuredProfile(groups=tuple(_of_csv(read_columns(paths[0], known), kinds, cores)))
    else:
        found = _of_report(merged([read_counters(path) for path in paths]), kinds, cores)
    known_names = {group.name for group in found.groups}
    if lacking := sorted(set(kinds) - known_names):
        hint = f"regions are {', '.join(group.name for group in found.groups)}"
        what = f"no region '{lacking[0]}' in {', '.join(map(str, paths))}"
        raise InputError(what, where=table.where, hint=hint)
    return found


def _counted_groups(report: CounterReport) -> tuple[Group, ...]:
    """Return the regions of a file that have a time and counters, as groups of threads on a whole node."""
    return tuple(
        _of_region(region, {}, report.cores, "threaded")
        for region in report.regions
        if region.seconds and work(region.counters).counted
    )


def _cores(table: TomlTable) -> int | None:
    if "cores" not in table:
        return None
    wrong = "'cores' has to be a whole number, 1 or more", "correct it"
    found = stated(table.content["cores"], NONE, table.place("cores"), wrong, lambda n: n >= 1 and not n % 1)
    return round(found)


def _stated(row: TomlTable, cores: int | None) -> Group:
    row.check_keys(_REGION_KEYS)
    name = row.text("name")
    here = row.place(name)
    if "time" not in row:
        raise InputError("'time' is missing", where=here, hint='write time = "997.6 s"')
    counters = row.table("counters").content
    quantity = parse_quantity(row.content["time"], where=here)
    if quantity.dimension != TIME_DIMENSION or quantity.value <= 0:
        raise UsageError("'time' has to be a positive time", where=here, hint='write it like "997.6 s"')
    return Group(
        name=name,
        time=quantity,
        share=_share(row.content["share"], here) if "share" in row else None,
        kind=_kind(row.content.get("kind", "threaded"), here),
        counters={key: _count(value, f"{here}: {key}") for key, value in counters.items()},
        cores=cores,
    )


def _share(given: object, where: str) -> float:
    wrong = "'share' has to lie between 0 and 1", 'write 0.331 or "33.1 %"'
    return stated(given, NONE, where, wrong, lambda value: 0 <= value <= 1)


def _kind(given: object, where: str) -> str:
    if given not in _KINDS:
        raise UsageError(f"invalid kind '{given}'", where=where, hint=f"kinds are {', '.join(_KINDS)}")
    return str(given)


def _count(given: object, where: str) -> float:
    wrong = "a counter has to be a number, 0 or more", "correct it"
    return stated(given, NONE, where, wrong, lambda value: value >= 0)


def _of_report(report: CounterReport, kinds: Mapping[str, str], cores: int | None) -> MeasuredProfile:
    """Return what a report's time is made of.

    That is its functions, its groups if `kinds` names them or they list no functions, what the functions of a
    group leave over, and what the groups leave over of the whole. If `kinds` names the whole, it is that
    alone.
    """
    cores = cores or report.cores
    timed = {region.path: region for region in report.regions if region.seconds and len(region.path) < 3}
    if not timed:
        hint = "a sampled CrayPat report needs the 'Sampling interval' near its end"
        raise InputError("no region has a time", where=report.where, hint=hint)
    total = timed.pop(TOTAL_ROW, None)
    if total is not None and (total.name in kinds or not timed):
        return MeasuredProfile(groups=(_of_region(total, kinds, cores),), notices=report.notices)
    groups = _parts(timed, kinds, cores)
    unlisted = _seconds(total) - sum(group.time.value for group in groups)
    if total is not None and unlisted > _ROUNDING * _seconds(total):
        groups.append(_rest("unlisted", unlisted))
    counted = any(group.work.counted for group in groups)
    has_whole = total is not None and not counted and work(total.counters).counted
    whole = _of_region(total, {}, cores, "threaded") if total and has_whole else None
    return MeasuredProfile(groups=tuple(groups), whole=whole, notices=report.notices)


def _parts(
    timed: Mapping[tuple[str, ...], CountedRegion], kinds: Mapping[str, str], cores: int | None
) -> list[Group]:
    """Return functions, groups without functions or named in `kinds`, and what functions leave of groups."""
    groups = []
    for path, region in timed.items():
        inside = [other for other in timed.values() if len(other.path) > 1 and other.path[:1] == path]
        of_named_group = len(path) > 1 and path[0] in kinds
        if len(path) > 1 or region.name in kinds or not inside:
            if region.name in kinds or not of_named_group:
                groups.append(_of_region(region, kinds, cores))
        elif (left := _seconds(region) - sum(map(_seconds, inside))) > 0:
            groups.append(_rest(f"{region.name} (rest)", left))
    return groups


def _seconds(region: CountedRegion | None) -> float:
    return (region.seconds if region else None) or 0.0


def _rest(name: str, seconds: float) -> Group:
    return Group(name=name, time=Quantity(value=seconds, dimension=TIME_DIMENSION), share=None, kind="other")


def _of_region(
    region: CountedRegion, kinds: Mapping[str, str], cores: int | None, default: str = "other"
) -> Group:
    return Group(
        name=region.name,
        time=Quantity(value=_seconds(region), dimension=TIME_DIMENSION),
        share=region.share,
        kind=_kind(kinds.get(region.name, default), region.name),
        counters={name: value for name, value in region.counters.items() if known(name)},
        cores=cores,
    )


def _of_csv(columns: "MeasuredColumns", kinds: Mapping[str, str], cores: int | None) -> Sequence[Group]:
    """Return the rows of a CSV with columns region, time and, optionally, share, kind and counters."""
    names, seconds = columns.texts("region"), columns.numbers("time", TIME_DIMENSION)
    usual = columns.texts("kind") if "kind" in columns.cells else ("other",) * len(names)
    shares = {key: columns.numbers(key, NONE) for key in columns.cells if key == "share"}
    counted = {name: columns.numbers(name, NONE) for name in columns.cells if known(name)}
    rows = [
        {"name": name, "time": f"{seconds[k]} s", "kind": kinds.get(name, usual[k])}
        | {key: float(values[k]) for key, values in shares.items()}
        | {"counters": {counter: float(values[k]) for counter, values in counted.items()}}
        for k, name in enumerate(names)
    ]
    return [_stated(TomlTable(row, Path(columns.where)), cores) for row in rows]
