"""Projection by bandwidth ratios (paper 003): a memory-bound group takes T x BW_measured_on / BW_target.

The whole is the sum of the projected groups divided by their coverage, their share of the measured time: what
is not projected is assumed to speed up like the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ingest.counters.counted_work import Work
from ingest.counters.counter_files import read_counters
from ingest.errors import InputError, UsageError, located
from pipeline.projection.expressions.expression_text import Names
from pipeline.projection.expressions.symbolic_model import Model, bind, constant, maximum, symbol
from pipeline.projection.expressions.toml_tables import TomlTable
from pipeline.projection.expressions.units import FLOP, NONE, TIME, Quantity, stated
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.rooflines.measured_profile import (
    Group,
    MeasuredProfile,
    counted_groups,
    read_profile,
)
from pipeline.projection.rooflines.region_verdicts import (
    LEVEL_VALUES,
    MEMORY_VALUES,
    PEAK,
    SCALAR_PEAK,
    TESTED_ERROR,
    UNTESTED_ERROR,
    Bound,
    RegionVerdict,
    verdict,
    width_peak,
)
from pipeline.projection.rooflines.rooflines import Point, Roofline, points_of, roofline

_KEYS = ("reference", "profile", "runs", "kinds", "groups", "cores", "coverage", "method_error")
_SHARE_ROUNDING = 0.0005
_SHARE_TOLERANCE = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class BandwidthProjection:
    """The models of a bandwidth projection.

    Attributes:
        parts: the time of every projected group on the target.
        reference: seconds on the reference machine that `total` is compared with: the groups projected, over
            the same coverage.
        verdicts: what limits the groups there by name, and the whole if only it has counters.
        roofline: that machine's, with the groups that have counters and further runs; None if it states
            no peak.
    """

    parts: Mapping[str, Model]
    total: Model
    reference: float
    machine: str
    verdicts: Mapping[str, RegionVerdict]
    roofline: Roofline | None
    notices: tuple[str, ...]


def bandwidth_projection(table: TomlTable, reference: Machine, names: Names) -> BandwidthProjection:
    """Return a bandwidth projection from an application's ``[bandwidth]`` table.

    Args:
        names: values of the reference machine (``ref.``) and of the target (``mach.``).

    Raises:
        InputError, UsageError: the table, the profile or a machine lacks something.
    """
    table.check_keys(_KEYS)
    profile = read_profile(table)
    _check_distinct(profile.groups, table)
    projected = [group for group in profile.groups if group.kind != "other"]
    if not projected:
        hint = "set kind = 'threaded' or 'serial' for at least one group"
        raise InputError("no group to project", where=table.where, hint=hint)
    verdicts = {group.name: _verdict(group, reference) for group in projected}
    error = _method_error(table, verdicts)
    scatter = bind(symbol("method"), {"method": Quantity(value=1.0, dimension=NONE, relative_sd=error)})
    with located(table.where):
        parts = {
            group.name: _projected(group, verdicts[group.name], reference, names) * scatter
            for group in projected
        }
    coverage = _coverage(table, projected, profile.groups)
    if profile.whole is not None:
        verdicts["whole program"] = _verdict(profile.whole, reference)
    doubts = [f"{name}: {doubt}" for name, found in verdicts.items() for doubt in found.doubts]
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


def _points(profile: MeasuredProfile, table: TomlTable) -> Iterator[Point]:
    """Yield the points of the profile, and of further runs that the table names by their labels."""
    runs = table.table("runs")
    own = profile.groups if profile.whole is None else (*profile.groups, profile.whole)
    several = [
        ("", own),
        *((label, counted_groups(read_counters(runs.file(label)))) for label in runs.content),
    ]
    for label, groups in several:
        yield from points_of(((one.name, one.work, one.time.value) for one in groups), label)


def _projected(group: Group, found: RegionVerdict, reference: Machine, names: Names) -> Model:
    time = bind(symbol(f"time {group.name}", TIME), {f"time {group.name}": group.time})
    done = group.work
    if found.bound is Bound.ARITHMETIC:
        return time * _peak_ratio(done, reference, names)
    memory = MEMORY_VALUES[group.kind]
    limiting = LEVEL_VALUES.get(found.level, memory) if found.bound is Bound.MEMORY else memory
    flows = time * _ratio(limiting, names)
    if found.bound is Bound.ASSUMED:
        return flows
    if found.bound is Bound.LATENCY:
        return maximum(flows, time * _ratio(PEAK, names))
    if not done.flop > 0:
        return flows
    return maximum(flows, constant(done.flop, FLOP) / _value(f"mach.{PEAK}", names))


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
    return _value(f"ref.{value}", names) / _value(f"mach.{value}", names)


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
        return _fraction(table, "coverage")
    shares = [group.share for group in projected if group.share is not None]
    if len(shares) == len(projected):
        return sum(shares)
    return sum(g.time.value for g in projected) / sum(g.time.value for g in groups)


def _method_error(table: TomlTable, verdicts: Mapping[str, RegionVerdict]) -> float:
    if "method_error" in table:
        return _fraction(table, "method_error")
    tested = all(
        found.bound in (Bound.MEMORY, Bound.ARITHMETIC) and not found.doubts for found in verdicts.values()
    )
    return TESTED_ERROR if tested else UNTESTED_ERROR


def _fraction(table: TomlTable, key: str) -> float:
    wrong = f"'{key}' has to lie between 0 and 1", "correct it"
    return stated(table.content[key], NONE, table.at(key), wrong, lambda value: 0 < value <= 1)


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
