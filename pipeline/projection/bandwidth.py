"""Projection by bandwidth ratios (paper 003): a memory-bound group takes T x BW_measured_on / BW_target.

The whole is the sum of the projected groups divided by their coverage, their share of the measured time: what
is not projected is taken to speed up like the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ingest.errors import InputError, UsageError
from pipeline.projection.binding import bind
from pipeline.projection.bound import BANDWIDTHS, PEAK, Bound, Verdict, judge
from pipeline.projection.counters import work
from pipeline.projection.groups import Group, read_groups
from pipeline.projection.machine import Machine
from pipeline.projection.model import Model, constant, maximum, symbol
from pipeline.projection.quantity import Quantity, parse_quantity
from pipeline.projection.roofline import Point, Roofline, roofline
from pipeline.projection.terms import Place, Term
from pipeline.projection.toml_tables import Table, check_keys
from pipeline.projection.units import FLOP, NONE, TIME

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
        reference: seconds of all groups on the machine measured on.
        machine: the name of that machine.
        verdicts: what limits the groups there.
        roofline: that machine's, with the groups that have counters; None where it states no peak.
        notices: doubts about the profile.
    """

    parts: Mapping[str, Model]
    total: Model
    reference: float
    machine: str
    verdicts: tuple[Verdict, ...]
    roofline: Roofline | None
    notices: tuple[str, ...]


def bandwidth_projection(
    table: Table, place: Place, reference: Machine, names: Mapping[str, Model | Term]
) -> BandwidthProjection:
    """Return a bandwidth projection from an application's ``[bandwidth]`` table.

    Args:
        table: the table.
        place: where it stands.
        reference: the machine measured on.
        names: values of the machine measured on (``ref.``) and of the target (``mach.``).

    Raises:
        InputError, UsageError: where the table, the profile or a machine lacks something.
    """
    check_keys(table, _KEYS, place.where)
    groups = read_groups(table, place.where, place.folder)
    _distinct(groups, place)
    projected = [group for group in groups if group.kind != "other"]
    if not projected:
        hint = "give at least one the kind 'threaded' or 'serial'"
        raise InputError("no group to project", where=place.where, hint=hint)
    verdicts = tuple(judge(group, reference) for group in projected)
    error = _method_error(table, verdicts, place)
    scatter = bind(symbol("method"), {"method": Quantity(value=1.0, dimension=NONE, relative_sd=error)})
    parts = {
        group.name: _projected(group, verdict, names, place) * scatter
        for group, verdict in zip(projected, verdicts, strict=True)
    }
    total = reduce(add, parts.values()) / _coverage(table, groups, place)
    measured = sum(group.time.value for group in groups)
    return BandwidthProjection(
        parts=parts,
        total=total,
        reference=measured,
        machine=reference.name,
        verdicts=verdicts,
        roofline=roofline(reference.name, reference.values, _points(groups))
        if PEAK in reference.values
        else None,
        notices=_inconsistent(groups),
    )


def _distinct(groups: Sequence[Group], place: Place) -> None:
    names = [group.name for group in groups]
    for name in names:
        if names.count(name) > 1 or any(other.startswith(f"{name}/") for other in names):
            hint = "give each part of the time one group"
            raise InputError(f"'{name}' would be counted twice", where=place.where, hint=hint)


def _points(groups: Sequence[Group]) -> list[Point]:
    """Return a point for every group and memory level that was counted."""
    done = [(group, work(group.counters)) for group in groups]
    return [
        Point(group.name, level, counted.intensity(level), counted.flop / group.time.value)
        for group, counted in done
        for level in counted.bytes
        if counted.flop > 0
    ]


def _projected(group: Group, verdict: Verdict, names: Mapping[str, Model | Term], place: Place) -> Model:
    time = bind(symbol(f"time {group.name}", TIME), {f"time {group.name}": group.time})
    flows = time * _ratio(BANDWIDTHS[group.kind], names, place)
    if verdict.bound is Bound.ASSUMED:
        return flows
    computes = time * _ratio(PEAK, names, place)
    if verdict.bound is Bound.COMPUTE:
        return computes
    if verdict.bound is Bound.NEITHER:
        return maximum(flows, computes)
    return maximum(flows, constant(work(group.counters).flop, FLOP) / _value(f"mach.{PEAK}", names, place))


def _ratio(value: str, names: Mapping[str, Model | Term], place: Place) -> Model:
    return _value(f"ref.{value}", names, place) / _value(f"mach.{value}", names, place)


def _value(name: str, names: Mapping[str, Model | Term], place: Place) -> Model:
    found = names.get(name)
    if not isinstance(found, Model):
        key = name.partition(".")[2]
        which = "target machine" if name.startswith("mach.") else "machine measured on"
        raise UsageError(f"the {which} has no '{key}'", where=place.where, hint=f"add {key} to its [values]")
    return found


def _coverage(table: Table, groups: Sequence[Group], place: Place) -> float:
    """Return the share of the measured time that is projected: stated, from the shares, or from the times."""
    projected = [group for group in groups if group.kind != "other"]
    if "coverage" in table:
        stated = parse_quantity(table["coverage"], where=f"{place.where}: coverage").value
        if not 0 < stated <= 1:
            raise UsageError("'coverage' has to lie between 0 and 1", where=place.where, hint="correct it")
        return stated
    shares = [group.share for group in projected]
    if all(share is not None for share in shares):
        return float(sum(share for share in shares if share is not None))
    return sum(g.time.value for g in projected) / sum(g.time.value for g in groups)


def _method_error(table: Table, verdicts: Sequence[Verdict], place: Place) -> float:
    if "method_error" in table:
        return parse_quantity(table["method_error"], where=f"{place.where}: method_error").value
    tested = all(verdict.bound in (Bound.MEMORY, Bound.COMPUTE) for verdict in verdicts)
    return _TESTED_ERROR if tested else _UNTESTED_ERROR


def _inconsistent(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return a sentence for every group whose time and share contradict those of the others."""
    stated = [(group, group.time.value / group.share) for group in groups if group.share]
    if len(stated) < 3:
        return ()
    usual = float(np.median([total for _, total in stated]))
    return tuple(
        f"{group.name}: {group.time.value:g} s at {group.share:.1%} imply {total:.0f} s in all, "
        f"the other groups {usual:.0f} s"
        for group, total in stated
        if group.share and abs(total / usual - 1) > _SHARE_TOLERANCE + _SHARE_ROUNDING / group.share
    )
