"""Projection by bandwidth ratios (paper 003): a memory-bound group takes T x BW_measured_on / BW_target.

The whole is the sum of the projected groups divided by their coverage, their share of the measured time: what
is not projected is assumed to speed up like the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ingest.errors import InputError, UsageError
from pipeline.projection.counters import work
from pipeline.projection.files import Table
from pipeline.projection.machine import Machine
from pipeline.projection.model import Model, bind, constant, maximum, symbol
from pipeline.projection.parse import Names
from pipeline.projection.profile import Group, read_groups
from pipeline.projection.roofline import (
    BANDWIDTHS,
    PEAK,
    Bound,
    GroupBound,
    Point,
    Roofline,
    bound_of,
    roofline,
)
from pipeline.projection.units import FLOP, NONE, TIME, Quantity, parse_quantity

_KEYS = ("reference", "profile", "kinds", "groups", "coverage", "method_error")
# The projections of paper 003 were 7 to 10 % off on a code known to be memory-bound; a public code on six
# machines was 21 % off on average.
_TESTED_ERROR, _UNTESTED_ERROR = 0.10, 0.25
_SHARE_ROUNDING = 0.0005
_SHARE_TOLERANCE = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class BandwidthProjection:
    """The models of a bandwidth projection.

    Attributes:
        parts: the time of every projected group on the target.
        total: the whole.
        reference: seconds of all groups on the reference machine.
        machine: the name of that machine.
        bounds: what limits the groups there.
        roofline: that machine's, with the groups that have counters; None if it states no peak.
        notices: doubts about the profile.
    """

    parts: Mapping[str, Model]
    total: Model
    reference: float
    machine: str
    bounds: tuple[GroupBound, ...]
    roofline: Roofline | None
    notices: tuple[str, ...]


def bandwidth_projection(table: Table, reference: Machine, names: Names) -> BandwidthProjection:
    """Return a bandwidth projection from an application's ``[bandwidth]`` table.

    Args:
        table: the table.
        reference: the reference machine.
        names: values of the reference machine (``ref.``) and of the target (``mach.``).

    Raises:
        InputError, UsageError: the table, the profile or a machine lacks something.
    """
    table.check_keys(_KEYS)
    groups = read_groups(table)
    _check_distinct(groups, table)
    projected = [group for group in groups if group.kind != "other"]
    if not projected:
        hint = "set kind = 'threaded' or 'serial' for at least one group"
        raise InputError("no group to project", where=table.where, hint=hint)
    bounds = tuple(bound_of(group, reference) for group in projected)
    error = _method_error(table, bounds)
    scatter = bind(symbol("method"), {"method": Quantity(value=1.0, dimension=NONE, relative_sd=error)})
    parts = {
        group.name: _projected(group, bound.bound, names, table) * scatter
        for group, bound in zip(projected, bounds, strict=True)
    }
    total = reduce(add, parts.values()) / _coverage(table, groups)
    return BandwidthProjection(
        parts=parts,
        total=total,
        reference=sum(group.time.value for group in groups),
        machine=reference.name,
        bounds=bounds,
        roofline=roofline(reference.name, reference.values, _points(groups))
        if PEAK in reference.values
        else None,
        notices=_inconsistent(groups),
    )


def _check_distinct(groups: Sequence[Group], table: Table) -> None:
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1 or any(other.startswith(f"{name}/") for other in names):
            hint = "assign each part of the time to one group only"
            raise InputError(f"'{name}' would be counted twice", where=table.where, hint=hint)


def _points(groups: Sequence[Group]) -> list[Point]:
    """Return a point for every group and memory level that was counted."""
    done = [(group, work(group.counters)) for group in groups]
    return [
        Point(group.name, level, counted.intensity(level), counted.flop / group.time.value)
        for group, counted in done
        for level in counted.bytes
        if counted.flop > 0
    ]


def _projected(group: Group, bound: Bound, names: Names, table: Table) -> Model:
    time = bind(symbol(f"time {group.name}", TIME), {f"time {group.name}": group.time})
    flows = time * _ratio(BANDWIDTHS[group.kind], names, table)
    if bound is Bound.ASSUMED:
        return flows
    computes = time * _ratio(PEAK, names, table)
    if bound is Bound.COMPUTE:
        return computes
    if bound is Bound.NEITHER:
        return maximum(flows, computes)
    return maximum(flows, constant(work(group.counters).flop, FLOP) / _value(f"mach.{PEAK}", names, table))


def _ratio(value: str, names: Names, table: Table) -> Model:
    return _value(f"ref.{value}", names, table) / _value(f"mach.{value}", names, table)


def _value(name: str, names: Names, table: Table) -> Model:
    found = names.get(name)
    if not isinstance(found, Model):
        key = name.partition(".")[2]
        which = "target machine" if name.startswith("mach.") else "reference machine"
        raise UsageError(f"the {which} has no '{key}'", where=table.where, hint=f"add {key} to its [values]")
    return found


def _coverage(table: Table, groups: Sequence[Group]) -> float:
    """Return the share of the measured time that is projected: stated, from the shares, or from the times."""
    projected = [group for group in groups if group.kind != "other"]
    if "coverage" in table:
        return _fraction(table, "coverage")
    shares = [group.share for group in projected if group.share is not None]
    if len(shares) == len(projected):
        return sum(shares)
    return sum(g.time.value for g in projected) / sum(g.time.value for g in groups)


def _method_error(table: Table, bounds: Sequence[GroupBound]) -> float:
    if "method_error" in table:
        return _fraction(table, "method_error")
    tested = all(bound.bound in (Bound.MEMORY, Bound.COMPUTE) for bound in bounds)
    return _TESTED_ERROR if tested else _UNTESTED_ERROR


def _fraction(table: Table, key: str) -> float:
    quantity = parse_quantity(table.content[key], where=table.at(key))
    if quantity.dimension != NONE or not 0 < quantity.value <= 1:
        raise UsageError(f"'{key}' has to lie between 0 and 1", where=table.where, hint="correct it")
    return quantity.value


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
