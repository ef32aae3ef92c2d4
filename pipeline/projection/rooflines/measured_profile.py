"""Profiles to project from: how long the groups of a program took on one machine, and what was counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.counters.counted_work import Work, known, work
from ingest.counters.counter_files import (
    TOTAL,
    CountedRegion,
    CounterReport,
    merged,
    read_counters,
    recognised,
)
from ingest.errors import InputError, UsageError
from pipeline.projection.expressions.toml_tables import TomlTable, read_text
from pipeline.projection.expressions.units import NONE, TIME, Quantity, parse_quantity, stated
from pipeline.projection.fitting.measured_columns import MeasuredColumns, read_columns

KINDS = ("threaded", "serial", "other")
_KEYS = ("name", "time", "share", "kind", "counters")
_ROUNDING = 1e-3  # of the whole: what sums of rounded times may miss


@dataclass(frozen=True, kw_only=True)
class Group:
    """A part of a program as measured.

    Attributes:
        share: of the whole, 0 to 1, as the profile states it; None if it does not.
        kind: ``threaded`` uses the memory of a whole node, ``serial`` of one NUMA domain, ``other`` is not
            projected.
        counters: hardware counters of a node over that time, by name.
        cores: of a node that ran; None means all.
    """

    name: str
    time: Quantity
    share: float | None
    kind: str
    counters: Mapping[str, float] = field(default_factory=dict)
    cores: int | None = None

    @property
    def work(self) -> Work:
        """What the counters show."""
        return work(self.counters)


@dataclass(frozen=True, kw_only=True)
class MeasuredProfile:
    """What was measured of a program.

    Attributes:
        whole: the program as one group, if it has counters and its parts have none.
    """

    groups: tuple[Group, ...]
    whole: Group | None = None
    notices: tuple[str, ...] = ()


def read_profile(table: TomlTable) -> MeasuredProfile:
    """Return the groups that a table lists, or that the profile it names holds.

    Args:
        table: with ``groups``; or with ``profile`` (a file of counters or CSV; several of runs in which
            different counters were measured) and ``kinds`` (region to kind). ``cores`` is how many of a
            node's cores ran.

    Raises:
        InputError, UsageError: a group is incomplete, or the profile cannot be read.
    """
    cores = _cores(table)
    if "profile" not in table:
        return MeasuredProfile(groups=tuple(_stated(row, cores) for row in table.rows("groups")))
    kinds = table.table("kinds").content
    paths = table.files("profile")
    if len(paths) == 1 and paths[0].suffix == ".csv" and recognised(read_text(paths[0])) is None:
        found = MeasuredProfile(groups=tuple(_of_csv(read_columns(paths[0], known), kinds, cores)))
    else:
        found = _of_report(merged([read_counters(path) for path in paths]), kinds, cores)
    known_names = {group.name for group in found.groups}
    if lacking := sorted(set(kinds) - known_names):
        hint = f"regions are {', '.join(group.name for group in found.groups)}"
        what = f"no region '{lacking[0]}' in {', '.join(map(str, paths))}"
        raise InputError(what, where=table.where, hint=hint)
    return found


def counted_groups(report: CounterReport) -> tuple[Group, ...]:
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
    found = stated(table.content["cores"], NONE, table.at("cores"), wrong, lambda n: n >= 1 and not n % 1)
    return round(found)


def _stated(row: TomlTable, cores: int | None) -> Group:
    row.check_keys(_KEYS)
    name = row.text("name")
    here = row.at(name)
    if "time" not in row:
        raise InputError("'time' is missing", where=here, hint='write time = "997.6 s"')
    counters = row.table("counters").content
    return Group(
        name=name,
        time=_time(row.content["time"], here),
        share=_share(row.content["share"], here) if "share" in row else None,
        kind=_kind(row.content.get("kind", "threaded"), here),
        counters={key: _count(value, f"{here}: {key}") for key, value in counters.items()},
        cores=cores,
    )


def _time(given: object, where: str) -> Quantity:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != TIME or quantity.value <= 0:
        raise UsageError("'time' has to be a positive time", where=where, hint='write it like "997.6 s"')
    return quantity


def _share(given: object, where: str) -> float:
    wrong = "'share' has to lie between 0 and 1", 'write 0.331 or "33.1 %"'
    return stated(given, NONE, where, wrong, lambda value: 0 <= value <= 1)


def _kind(given: object, where: str) -> str:
    if given not in KINDS:
        raise UsageError(f"invalid kind '{given}'", where=where, hint=f"kinds are {', '.join(KINDS)}")
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
    total = timed.pop(TOTAL, None)
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
    return Group(name=name, time=Quantity(value=seconds, dimension=TIME), share=None, kind="other")


def _of_region(
    region: CountedRegion, kinds: Mapping[str, str], cores: int | None, default: str = "other"
) -> Group:
    return Group(
        name=region.name,
        time=Quantity(value=_seconds(region), dimension=TIME),
        share=region.share,
        kind=_kind(kinds.get(region.name, default), region.name),
        counters={name: value for name, value in region.counters.items() if known(name)},
        cores=cores,
    )


def _of_csv(columns: MeasuredColumns, kinds: Mapping[str, str], cores: int | None) -> Sequence[Group]:
    """Return the rows of a CSV with columns region, time and, optionally, share, kind and counters."""
    names, seconds = columns.texts("region"), columns.numbers("time", TIME)
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
