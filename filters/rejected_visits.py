"""Visits that a filter rejects at run time: their hooks cost time, and no profile under it counts them.

A run without the filter shows how many there are below each recorded call path. At scales without such a run
they go with the time of that call path. Their hooks are in its time, as what the rejected regions did is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from filters.event_cost import ENOUGH_VISITS, HOOK_SPREAD, EventCost, Visited
from filters.evidence import filterable
from filters.known_plain import RUN_SPREAD, TAIL, KnownPlain
from ingest.alignment import CallTreeUnion
from ingest.arrays import BoolArray, FloatArray, IntArray, weighted_quantile
from ingest.calltree import CallTree
from ingest.experiment import VISITS
from ingest.profile import Metric, MetricKind, RegionTable


@dataclass(frozen=True, eq=False)
class Folding:
    """How the n call paths of a profile fold into the m of the filtered one."""

    tree: CallTree  # the m call paths
    # int64[n], the call path that gets what was measured: itself or its nearest recorded caller; -1 if there
    # is none
    place: IntArray
    recorded: BoolArray  # bool[n], the call paths that are measured themselves

    def values(self, metric: Metric, stored: FloatArray) -> FloatArray:
        """Fold the stored values of a metric, float64[n, location] to float64[m, location]."""
        if metric.kind in (MetricKind.MINIMUM, MetricKind.MAXIMUM):
            low = metric.kind is MetricKind.MINIMUM
            extreme = np.full((len(self.tree), stored.shape[1]), np.inf if low else -np.inf)
            merge = np.minimum if low else np.maximum
            merge.at(extreme, self.place[self.recorded], stored[self.recorded])
            return extreme
        moves = metric.kind is MetricKind.EXCLUSIVE and metric.name != VISITS
        source = np.flatnonzero(self.place >= 0 if moves else self.recorded)
        folded = np.zeros((len(self.tree), stored.shape[1]))
        np.add.at(folded, self.place[source], stored[source])
        return folded


def fold(tree: CallTree, regions: RegionTable, recorded_regions: BoolArray) -> Folding:
    """Find the call tree under a filter that measures `recorded_regions`, bool[region]."""
    recorded = recorded_regions[tree.region]
    nodes = np.flatnonzero(recorded)
    home = tree.nearest(recorded)
    number = np.full(len(tree) + 1, -1)
    number[nodes] = np.arange(len(nodes))
    caller = np.where(tree.parent[nodes] >= 0, home[tree.parent[nodes]], -1)
    merged, folded = CallTree(number[caller], tree.region[nodes]).merge_siblings(regions.mangled)
    place = np.append(merged, -1)[number[home]]
    return Folding(folded, place, recorded)


_RATE_SPREAD = 0.25  # of the logarithm of rejected visits per second, from one scale of a program to another
_UNCOUNTED, _UNCOUNTED_SPREAD = 0.1, 0.8  # of the time, what hooks take if their number is unknown
_MARGIN = 0.1  # of the logarithm of the most that a hook can take, as the cheapest call path shows it
_MOST = 0.9  # of the time of a call path, that hooks may take
_LEAST_LEFT = 0.1  # of a plain time, that is left however much more hooks take
_STEPS = np.linspace(-6, 6, 241)  # standard deviations


@dataclass(frozen=True, eq=False, kw_only=True)
class RejectedVisits:
    """Visits that a filter rejected in R runs of n call paths."""

    visits: FloatArray  # float64[n, R], by the recorded call path in whose time their hooks lie
    spread: float  # standard deviation of the logarithm of how many there are; uncounted, of their time
    counted: bool = True  # whether runs without the filter show them


@dataclass(frozen=True, eq=False, kw_only=True)
class Hooks:
    """What hooks of rejected visits take in R runs of n call paths."""

    time: FloatArray  # float64[n, R], core-seconds
    # times this they take at least and at most: ends of a 90 % interval of an error that all of them share
    least: float
    most: float

    def deviation(self, plain: FloatArray, time: FloatArray) -> FloatArray:
        """Return standard deviations of logarithms of plain times by their hooks' times, in core-seconds."""
        high = plain + time * (1.0 - self.least)
        low = np.maximum(plain - time * (self.most - 1.0), _LEAST_LEFT * plain)
        ratio = np.divide(high, low, out=np.ones(np.shape(plain)), where=low > 0)
        return np.asarray(np.log(ratio) / (2 * TAIL))


def rejected_visits(runs: Visited, fuller: Sequence[tuple[Visited, IntArray]]) -> RejectedVisits:
    """Find how many visits a filter rejected in R runs under it.

    `fuller` are single runs without it, at least one, each with the numbers of the runs at its scale.
    """
    visits, counted = np.zeros(runs.time.shape), np.zeros(runs.time.shape[1], dtype=np.bool_)
    rates = np.zeros((len(fuller), len(runs.tree)))
    for one, (full, same) in enumerate(fuller):
        found, time = _rejected_below(runs, full), runs.time[:, same].mean(axis=1)
        visits[:, same], counted[same] = found[:, None], True
        rates[one] = np.divide(found, time, out=rates[one], where=time > 0)
    if counted.all():
        return RejectedVisits(visits=visits, spread=0.0)
    measured = np.array([runs.measured[same].mean() for _, same in fuller])
    for r in np.flatnonzero(~counted).tolist():
        nearest = np.abs(np.log(measured / runs.measured[r])).argmin()
        visits[:, r] = rates[nearest] * runs.time[:, r]
    number = np.array([visits[:, same[0]].sum() for _, same in fuller])
    logs = np.log(np.maximum(number, 1.0) / measured)
    spread = np.sqrt((_RATE_SPREAD**2 + ((logs - logs.mean()) ** 2).sum()) / len(logs))
    return RejectedVisits(visits=visits, spread=float(spread))


def uncounted_visits(runs: Visited) -> RejectedVisits:
    """Return what is believed of rejected visits that no run without the filter shows."""
    computed = np.where(runs.computing[:, None], runs.time, 0.0)
    visits = _UNCOUNTED * computed / EventCost().filtered
    return RejectedVisits(visits=visits, spread=_UNCOUNTED_SPREAD, counted=False)


def _rejected_below(runs: Visited, full: Visited) -> FloatArray:
    """Return how many visits of a run without the filter it rejects, by call path under it, float64[n]."""
    names = {runs.regions.name[r] for r in runs.tree.region[runs.visits.any(axis=1)].tolist()}
    passed = ~filterable(full.regions) | np.array([name in names for name in full.regions.name])
    folding = fold(full.tree, full.regions, passed)
    away = ~folding.recorded & (folding.place >= 0)
    rejected = np.bincount(folding.place[away], full.visits[away, 0], len(folding.tree))
    union = CallTreeUnion()
    under, folded = union.add(runs.tree, runs.regions), union.add(folding.tree, full.regions)
    place, tree, _ = union.finish()
    own = np.full(len(tree), -1)
    own[place[under]] = np.arange(len(runs.tree))
    nearest = tree.nearest(own >= 0)[place[folded]]
    there = nearest >= 0
    return np.bincount(own[nearest[there]], rejected[there], len(runs.tree)).astype(np.float64)


def hook_times(
    runs: Visited, rejected: RejectedVisits, cost: EventCost, known: KnownPlain | None = None
) -> Hooks:
    """Estimate what the hooks of rejected visits take in runs as measured, hooks included.

    A hook costs what it does elsewhere, in proportion to a recorded visit, at most as much and no more than a
    call path takes for each visit that is rejected in it. What a run takes beyond a known plain time and the
    cost of its recorded visits says more.
    """
    spread = float(np.hypot(HOOK_SPREAD, rejected.spread)) if rejected.counted else rejected.spread
    usual = cost.filtered * rejected.visits
    logs, density = spread * _STEPS, -0.5 * _STEPS**2
    taken = usual[runs.computing].sum(axis=0)
    if rejected.counted:
        often = runs.computing[:, None] & (rejected.visits >= ENOUGH_VISITS)
        fits = np.divide(runs.time, usual, out=np.full(usual.shape, np.inf), where=often & (usual > 0))
        most = min(float(fits.min(initial=np.inf)), cost.recorded / cost.filtered)
        beyond = np.maximum(logs - np.log(most), 0.0) / np.hypot(_MARGIN, rejected.spread)
        density = density - 0.5 * beyond**2
    if known is not None and (stated := np.isfinite(known.total) & (taken > 0)).any():
        plain, recorded = known.total[stated], (cost.recorded * runs.events_computing)[stated]
        error = np.hypot(np.hypot(known.spread[stated], RUN_SPREAD) * plain, cost.spread * recorded)
        left = runs.measured[stated] - plain - recorded
        apart = (left - np.exp(logs)[:, None] * taken[stated]) / error
        distinct = len(np.unique(plain))  # repetitions share the error of a plain time
        density = density - 0.5 * distinct * (apart**2).mean(axis=1)
    weight = np.exp(density - density.max())
    low, middle, high = (weighted_quantile(np.exp(logs), weight, share) for share in (0.05, 0.5, 0.95))
    time = np.minimum(middle * usual, _MOST * runs.time)
    if known is not None:
        room = np.where(np.isfinite(known.total), np.maximum(runs.measured - known.total, 0.0), np.inf)
        took = time[runs.computing].sum(axis=0)
        time = time * np.minimum(1.0, np.divide(room, took, out=np.ones(len(took)), where=took > 0))
    return Hooks(time=time, least=low / middle, most=high / middle)
