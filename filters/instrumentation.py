"""Under which filter runs were measured, and which functions they could record.

Kernels of runs under different filters cannot be compared. Such runs are recognised from their profiles:
Score-P asks its filter before it defines a function. So a profile lists the instrumented functions that
passed the filter, called or not; a filter at compile time leaves no other trace. Other measurement systems,
and Score-P with some compilers, define a function when it is first called: there a function that is not
listed may not have been called.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from filters.evidence import filterable
from filters.scorep_format.rule_files import FilterRules, parse
from ingest.alignment import MeasuredRun
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import FilterError
from ingest.experiment import TIME, VISITS
from ingest.reduction import ReducedProfile

FILTER_ATTRIBUTE = "pipeline::filter"
UNFILTERED = "none"
_COPY, _SETTINGS = "scorep.filter", "scorep.cfg"  # next to the profile
_FILTERING_FILE = re.compile(r"^SCOREP_FILTERING_FILE=['\"]?(?P<path>[^'\"\n]*)", re.MULTILINE)
_LENGTH = 16
OFTEN = 10  # visits in every run of a point that lists a function; another run of it calls the function, too
_COMPILER = "compiler"
_CREATOR, _SCOREP = "Creator", "Score-P"


def digest(rules: FilterRules) -> str:
    """Return 16 hexadecimal digits that stand for the rules in their order, whatever the layout."""
    if not rules.files and not rules.regions:
        return UNFILTERED
    digested = hashlib.sha256()
    for block, listed in (("file", rules.files), ("region", rules.regions)):
        for rule in listed:
            line = f"{block}\t{rule.include}\t{rule.mangled}\t{rule.pattern}\n"
            digested.update(line.encode(errors="surrogateescape"))
    return digested.hexdigest()[:_LENGTH]


def digest_of_run(source: str, attributes: Mapping[str, str], given: str | None = None) -> str | None:
    """Return the digest of the filter that a run was measured with; None if it is unknown.

    In this order: as given, as stored in the attributes by `filters.filter_verification`, from
    Score-P's attributes about a filter, from the copy of the filter that it leaves next to its profile.
    """
    if given is not None:
        return digest(parse(given))
    stored = attributes.get(FILTER_ATTRIBUTE)
    if stored is not None:
        return stored
    named = [value for key, value in sorted(attributes.items()) if "filter" in key.lower() and value]
    if named:
        return hashlib.sha256("\n".join(named).encode()).hexdigest()[:_LENGTH]
    copy = Path(source).with_name(_COPY)
    if copy.is_file():
        return digest(parse(copy.read_text(encoding="utf-8", errors="surrogateescape"), where=str(copy)))
    return None


def filtered_at_run_time(source: str, attributes: Mapping[str, str]) -> bool:
    """Return whether a run is known to have rejected visits while it ran.

    Score-P leaves a copy of such a filter next to the profile, and the file's name in ``scorep.cfg``. A
    filter at compile time leaves neither, whatever users note about it.
    """
    stored = {key: attributes[key] for key in (FILTER_ATTRIBUTE,) if key in attributes}
    try:
        if digest_of_run(source, stored) not in (None, UNFILTERED):
            return True
    except FilterError:  # a filter that cannot be parsed is one
        return True
    settings = Path(source).with_name(_SETTINGS)
    if not settings.is_file():
        return False
    named = _FILTERING_FILE.search(settings.read_text(encoding="utf-8", errors="replace"))
    return named is not None and bool(named["path"].strip())


def mixed_filters(digests: Mapping[str, str | None]) -> str | None:
    """Return a sentence if the digests of runs, None if unknown, tell of different filters, or None."""
    groups: dict[str, list[str]] = {}
    for source, found in digests.items():
        if found is not None:
            groups.setdefault(found, []).append(source)
    if len(groups) < 2:
        return None
    listed = "; ".join(f"{key}: {runs[0]} and {len(runs) - 1} more" for key, runs in sorted(groups.items()))
    return (
        f"the runs were measured under {len(groups)} filters, so their kernels are not comparable ({listed})"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Instrumentation:
    """Runs that recorded the same functions."""

    runs: tuple[int, ...]  # their indices, in order
    # names of the functions, instrumented by the compiler, that at least one of them lists
    recorded: frozenset[str]
    complete: bool  # whether all profiles are Score-P's: `recorded` then has functions that were never called


def instrumentations(runs: Sequence[MeasuredRun]) -> tuple[Instrumentation, ...]:
    """Group runs by what they recorded: the most points first, then the fewest visits per second.

    A function is *not recorded* in a run that does not list it if another run called it and

    * the profile is Score-P's and a profile of the same version lists functions that it never called, so that
      not being listed means not being instrumented; or
    * every other run of the same point that lists it visits it at least `OFTEN` times; or
    * both runs are known to have different filters, and no run under this run's filter lists it.

    Otherwise it counts as not called. Runs are of one group if they lack the same of the functions that are
    not recorded in some run.
    """
    tables = [frozenset(_functions(run.profile)) for run in runs]
    if len(set(tables)) < 2:
        return (_group(runs, range(len(runs))),)
    table = _tabulate([run.profile for run in runs])
    missing = table.not_listed_by_system() | table.missing_at_point(_points(runs)) | table.missing_by_filter()
    lacking = ~table.listed[:, missing.any(axis=0)]
    group = np.unique(lacking, axis=0, return_inverse=True)[1].reshape(-1)
    found = [np.flatnonzero(group == one).tolist() for one in range(int(group.max()) + 1)]
    found.sort(key=lambda members: _preference(runs, members))
    return tuple(_group(runs, members) for members in found)


def _functions(profile: ReducedProfile) -> list[str]:
    able = filterable(profile.regions)
    return [name for name, ok in zip(profile.regions.name, able.tolist(), strict=True) if ok]


def _preference(runs: Sequence[MeasuredRun], members: Sequence[int]) -> tuple[float, ...]:
    """Sort key: the most points first, then the fewest visits per second, which cause the overhead."""
    visits, seconds = (
        sum(float(_summed(runs[i].profile, metric).sum()) for i in members) for metric in (VISITS, TIME)
    )
    points = len({runs[i].parameters for i in members})
    return -points, visits / seconds if seconds > 0 else 0.0, members[0]


def _group(runs: Sequence[MeasuredRun], members: Sequence[int]) -> Instrumentation:
    profiles = [runs[i].profile for i in members]
    return Instrumentation(
        runs=tuple(members),
        recorded=frozenset(
            name
            for regions in {id(profile.regions): profile.regions for profile in profiles}.values()
            for name, paradigm in zip(regions.name, regions.paradigm, strict=True)
            if paradigm == _COMPILER
        ),
        complete=all(profile.attributes.get(_CREATOR, "").startswith(_SCOREP) for profile in profiles),
    )


def _points(runs: Sequence[MeasuredRun]) -> IntArray:
    number: dict[tuple[float, ...], int] = {}
    return np.array([number.setdefault(run.parameters, len(number)) for run in runs], dtype=np.int64)


def _summed(profile: ReducedProfile, metric: str) -> FloatArray:
    """Sum a metric over the call paths of each region, float64[region]; zero if it was not measured."""
    reduction = profile.values.get(metric)
    values = np.zeros(len(profile.tree)) if reduction is None else reduction.sum
    return np.bincount(profile.tree.region, values, len(profile.regions)).astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Table:
    """R runs and F functions."""

    listed: BoolArray
    called: BoolArray
    visits: FloatArray
    compiled: BoolArray
    systems: tuple[str, ...]
    filters: tuple[str | None, ...]

    def not_listed_by_system(self) -> BoolArray:
        """bool[R, F], not recorded because the measurement system lists all that is instrumented."""
        idle = np.flatnonzero((self.listed & ~self.called & self.compiled).any(axis=1))
        complete = {self.systems[row] for row in idle.tolist()} - {""}
        known = np.array([system in complete for system in self.systems])
        return np.asarray(~self.listed & self.compiled & self.called.any(axis=0) & known[:, None])

    def missing_at_point(self, point: IntArray) -> BoolArray:
        """bool[R, F], not recorded because the other runs of the same point, int64[R], visit it often."""
        missing = np.zeros_like(self.listed)
        for one in np.unique(point).tolist():
            here = point == one
            listed = self.listed[here]
            least = np.where(listed, self.visits[here], np.inf).min(axis=0)
            often = listed.any(axis=0) & (least >= OFTEN)
            missing[here] = ~listed & often & self.compiled
        return missing

    def missing_by_filter(self) -> BoolArray:
        """bool[R, F], not recorded because the known filter of the run is another one."""
        missing = np.zeros_like(self.listed)
        known = np.array([found is not None for found in self.filters])
        for one in set(self.filters) - {None}:
            same = np.array([found == one for found in self.filters])
            elsewhere = self.called[known & ~same].any(axis=0)
            missing[same] = elsewhere & ~self.listed[same].any(axis=0)
        return missing


def _tabulate(profiles: Sequence[ReducedProfile]) -> _Table:
    number: dict[str, int] = {}
    for profile in profiles:
        for name in _functions(profile):
            number.setdefault(name, len(number))
    shape = (len(profiles), len(number))
    listed, called = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    visits, compiled = np.zeros(shape), np.zeros(len(number), dtype=np.bool_)
    for row, profile in enumerate(profiles):
        able = np.flatnonzero(filterable(profile.regions))
        columns = np.array([number[profile.regions.name[i]] for i in able.tolist()], dtype=np.int64)
        occurs = np.bincount(profile.tree.region, minlength=len(profile.regions)) > 0
        listed[row, columns] = True
        np.logical_or.at(called[row], columns, occurs[able])
        np.add.at(visits[row], columns, _summed(profile, VISITS)[able])
        paradigms = [profile.regions.paradigm[i] for i in able.tolist()]
        compiled[columns] |= np.array([one == _COMPILER for one in paradigms], dtype=np.bool_)
    creators = [profile.attributes.get(_CREATOR, "") for profile in profiles]
    return _Table(
        listed=listed,
        called=called,
        visits=visits,
        compiled=compiled,
        systems=tuple(creator if creator.startswith(_SCOREP) else "" for creator in creators),
        filters=tuple(profile.attributes.get(FILTER_ATTRIBUTE) for profile in profiles),
    )
