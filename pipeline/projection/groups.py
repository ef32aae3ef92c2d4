"""Groups of a profile: how long parts of a program took on the machine measured, and what counters say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest.errors import InputError, UsageError
from pipeline.projection.counters import known
from pipeline.projection.craypat import CrayPatRegion, CrayPatReport, read_craypat
from pipeline.projection.csv_columns import Columns, read_columns
from pipeline.projection.quantity import Quantity, parse_quantity
from pipeline.projection.toml_tables import Table, check_keys, path_at, rows_at, table_at, text_at
from pipeline.projection.units import NONE, TIME

KINDS = ("threaded", "serial", "other")
_KEYS = ("name", "time", "share", "kind", "counters")


@dataclass(frozen=True, kw_only=True)
class Group:
    """A part of a program as measured.

    Attributes:
        name: as the profile calls it.
        time: on the machine measured.
        share: of the whole, 0 to 1, as the profile states it; None where it does not.
        kind: ``threaded`` uses the memory of a whole node, ``serial`` of one NUMA domain, ``other`` is not
            projected.
        counters: hardware counters of a node over that time, by name.
    """

    name: str
    time: Quantity
    share: float | None
    kind: str
    counters: Mapping[str, float] = field(default_factory=dict)


def read_groups(table: Table, where: str, folder: Path) -> tuple[Group, ...]:
    """Return the groups that a table lists, or that the profile it names holds.

    Args:
        table: with ``groups``, or with ``profile`` (CrayPat text or CSV) and ``kinds`` (region to kind).
        where: for errors.
        folder: where the profile's path starts.

    Raises:
        InputError, UsageError: where a group is incomplete or the profile cannot be read.
    """
    if "profile" not in table:
        return tuple(_stated(row, f"{where} groups") for row in rows_at(table, "groups", where))
    path = path_at(table, "profile", where, folder)
    kinds = dict(table_at(table, "kinds", where))
    found = (
        _of_csv(read_columns(path, known), kinds)
        if path.suffix == ".csv"
        else _of_report(read_craypat(path), kinds)
    )
    lacking = sorted(set(kinds) - {group.name for group in found})
    if lacking:
        names = ", ".join(group.name for group in found)
        raise InputError(f"no region '{lacking[0]}' in {path}", where=where, hint=f"regions are {names}")
    return tuple(found)


def _stated(row: Table, where: str) -> Group:
    check_keys(row, _KEYS, where)
    name = text_at(row, "name", where)
    here = f"{where}: {name}"
    if "time" not in row:
        raise InputError("'time' is missing", where=here, hint='write time = "997.6 s"')
    counters = {key: float(value) for key, value in table_at(row, "counters", here).items()}
    share = _share(row["share"], here) if "share" in row else None
    return Group(
        name=name,
        time=_time(row["time"], here),
        share=share,
        kind=_kind(row.get("kind", "threaded"), here),
        counters=counters,
    )


def _time(given: object, where: str) -> Quantity:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != TIME or quantity.value <= 0:
        raise UsageError("'time' has to be a positive time", where=where, hint='write it like "997.6 s"')
    return quantity


def _share(given: object, where: str) -> float:
    quantity = parse_quantity(given, where=where)
    if quantity.dimension != NONE or not 0 < quantity.value <= 1:
        raise UsageError("'share' has to lie between 0 and 1", where=where, hint='write 0.331 or "33.1 %"')
    return quantity.value


def _kind(given: Any, where: str) -> str:  # noqa: ANN401 - any TOML value
    if given not in KINDS:
        raise UsageError(f"no kind '{given}'", where=where, hint=f"kinds are {', '.join(KINDS)}")
    return str(given)


def _of_report(report: CrayPatReport, kinds: Mapping[str, str]) -> Sequence[Group]:
    """Return what a report's time is made of, counters summed over the node's processes.

    That is its functions, its groups where they are asked for or list no functions, and what the functions
    of a group leave over.
    """
    usable = [region for region in report.regions if region.seconds and region.name.count("/") < 2]
    timed = {region.name: region for region in usable if region.name != "Total"}
    found = []
    for name, region in timed.items():
        inside = [other for other in timed.values() if other.name.startswith(f"{name}/")]
        of_asked = any(name.startswith(f"{asked}/") for asked in kinds)
        if "/" in name or name in kinds or not inside:
            found += [] if of_asked and name not in kinds else [_region(region, report, kinds)]
            continue
        left = (region.seconds or 0.0) - sum(other.seconds or 0.0 for other in inside)
        if left > 0:
            found.append(
                Group(
                    name=f"{name} (rest)", time=Quantity(value=left, dimension=TIME), share=None, kind="other"
                )
            )
    return found


def _region(region: CrayPatRegion, report: CrayPatReport, kinds: Mapping[str, str]) -> Group:
    counters = {name: value * report.per_node for name, value in region.counters.items() if known(name)}
    kind = _kind(kinds.get(region.name, "other"), region.name)
    return Group(
        name=region.name,
        time=Quantity(value=region.seconds or 0.0, dimension=TIME),
        share=region.share,
        kind=kind,
        counters=counters,
    )


def _of_csv(columns: Columns, kinds: Mapping[str, str]) -> Sequence[Group]:
    """Return the rows of a CSV with columns region, time and, where it has them, share, kind, counters."""
    names = columns.texts("region")
    times = columns.numbers("time", TIME)
    shared = "share" in columns.cells
    shares: list[float | None] = columns.numbers("share", NONE).tolist() if shared else [None] * len(names)
    stated = columns.texts("kind") if "kind" in columns.cells else ("other",) * len(names)
    counted = {name: columns.numbers(name, NONE) for name in columns.cells if known(name)}
    return [
        Group(
            name=name,
            time=_time(f"{times[row]} s", str(columns.path)),
            share=shares[row],
            kind=_kind(kinds.get(name, stated[row]), f"{columns.path}: {name}"),
            counters={counter: float(values[row]) for counter, values in counted.items()},
        )
        for row, name in enumerate(names)
    ]
