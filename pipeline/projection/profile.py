"""Profiles to project from: how long the groups of a program took on one machine, and what was counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.errors import InputError, UsageError
from pipeline.projection.counters import known
from pipeline.projection.craypat import CrayPatRegion, CrayPatReport, read_craypat
from pipeline.projection.csv_columns import Columns, read_columns
from pipeline.projection.files import Table
from pipeline.projection.units import NONE, TIME, Quantity, parse_quantity

KINDS = ("threaded", "serial", "other")
_KEYS = ("name", "time", "share", "kind", "counters")


@dataclass(frozen=True, kw_only=True)
class Group:
    """A part of a program as measured.

    Attributes:
        name: as the profile calls it.
        time: on the machine measured.
        share: of the whole, 0 to 1, as the profile states it; None if it does not.
        kind: ``threaded`` uses the memory of a whole node, ``serial`` of one NUMA domain, ``other`` is not
            projected.
        counters: hardware counters of a node over that time, by name.
    """

    name: str
    time: Quantity
    share: float | None
    kind: str
    counters: Mapping[str, float] = field(default_factory=dict)


def read_groups(table: Table) -> tuple[Group, ...]:
    """Return the groups that a table lists, or that the profile it names holds.

    Args:
        table: with ``groups``, or with ``profile`` (CrayPat text or CSV) and ``kinds`` (region to kind).

    Raises:
        InputError, UsageError: a group is incomplete, or the profile cannot be read.
    """
    if "profile" not in table:
        return tuple(_stated(row) for row in table.rows("groups"))
    path, kinds = table.file("profile"), table.table("kinds").content
    found = (
        _of_csv(read_columns(path, known), kinds)
        if path.suffix == ".csv"
        else _of_report(read_craypat(path), kinds)
    )
    lacking = sorted(set(kinds) - {group.name for group in found})
    if lacking:
        hint = f"regions are {', '.join(group.name for group in found)}"
        raise InputError(f"no region '{lacking[0]}' in {path}", where=table.where, hint=hint)
    return tuple(found)


def _stated(row: Table) -> Group:
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
    )


def _time(given: object, where: str) -> Quantity:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != TIME or quantity.value <= 0:
        raise UsageError("'time' has to be a positive time", where=where, hint='write it like "997.6 s"')
    return quantity


def _share(given: object, where: str) -> float:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != NONE or not 0 <= quantity.value <= 1:
        raise UsageError("'share' has to lie between 0 and 1", where=where, hint='write 0.331 or "33.1 %"')
    return quantity.value


def _kind(given: object, where: str) -> str:
    if given not in KINDS:
        raise UsageError(f"invalid kind '{given}'", where=where, hint=f"kinds are {', '.join(KINDS)}")
    return str(given)


def _count(given: object, where: str) -> float:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != NONE or quantity.value < 0:
        raise UsageError("a counter has to be a number, 0 or more", where=where, hint="correct it")
    return quantity.value


def _of_report(report: CrayPatReport, kinds: Mapping[str, str]) -> Sequence[Group]:
    """Return what a report's time is made of, counters summed over the node's processes.

    That is its functions, its groups if `kinds` names them or they list no functions, and what the functions
    of a group leave over.
    """
    regions = {r.name: r for r in report.regions if r.name != "Total" and r.name.count("/") < 2}
    seconds = {name: region.seconds for name, region in regions.items() if region.seconds}
    found = []
    for name, time in seconds.items():
        inside = [other for other in seconds if other.startswith(f"{name}/")]
        of_named_group = any(name.startswith(f"{named}/") for named in kinds)
        if "/" in name or name in kinds or not inside:
            if name in kinds or not of_named_group:
                found.append(_of_region(regions[name], time, report.per_node, kinds))
        elif (left := time - sum(seconds[other] for other in inside)) > 0:
            rest = Quantity(value=left, dimension=TIME)
            found.append(Group(name=f"{name} (rest)", time=rest, share=None, kind="other"))
    return found


def _of_region(region: CrayPatRegion, seconds: float, per_node: int, kinds: Mapping[str, str]) -> Group:
    return Group(
        name=region.name,
        time=Quantity(value=seconds, dimension=TIME),
        share=region.share,
        kind=_kind(kinds.get(region.name, "other"), region.name),
        counters={name: value * per_node for name, value in region.counters.items() if known(name)},
    )


def _of_csv(columns: Columns, kinds: Mapping[str, str]) -> Sequence[Group]:
    """Return the rows of a CSV with columns region, time and, optionally, share, kind and counters."""
    names = columns.texts("region")
    times = columns.numbers("time", TIME)
    shares = columns.numbers("share", NONE) if "share" in columns.cells else None
    stated = columns.texts("kind") if "kind" in columns.cells else ("other",) * len(names)
    counted = {name: columns.numbers(name, NONE) for name in columns.cells if known(name)}
    return [
        Group(
            name=name,
            time=_time(f"{times[row]} s", f"{columns.where}: {name}"),
            share=None if shares is None else _share(float(shares[row]), f"{columns.where}: {name}"),
            kind=_kind(kinds.get(name, stated[row]), f"{columns.where}: {name}"),
            counters={counter: float(values[row]) for counter, values in counted.items()},
        )
        for row, name in enumerate(names)
    ]
