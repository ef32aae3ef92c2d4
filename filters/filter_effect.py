"""What a filter does to the cost of measuring: overhead, dilation, coverage, and memory for a trace."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Generic, TypeVar

import numpy as np

from filters.event_cost import HOOK_SPREAD, EventCost, contradiction, usual_cost, visited
from filters.evidence import RunEvidence, by_hand
from filters.filter_options import ACCEPTABLE, Application
from filters.known_plain import RUN_SPREAD, TAIL, KnownPlain, plain_by_pair, plain_by_run_time
from filters.plain_time import estimate_plain_times, measurable_callers
from ingest.arrays import BoolArray, FloatArray
from ingest.errors import UsageError
from ingest.experiment import VISITS
from ingest.profile import Profile, RegionTable
from ingest.record_codec import entry

_MEASURABLE = 0.5
# of the logarithm of a measured dilation, from one build and run of a program to others: what is recorded is
# no longer inlined, and code has other places; learned on 21 programs, each from the others
_BUILD_SPREAD = 0.1
_Figure = TypeVar("_Figure")


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainTime:
    """An estimate of the computing time (without communication) if nothing were measured."""

    # float64[call path], exclusive core-seconds; communication has its measured time here
    callpath: FloatArray
    computing: BoolArray  # bool[call path], whether it counts as computing
    attributed: FloatArray  # float64[call path], the same, visits too short to measure attributed to callers
    total: float  # computing time in core-seconds, the most probable value
    # low, high: it lies between them with a probability of 90 %
    low: float
    high: float
    # seconds per visit that explain the rest of the measured time, for `total`, `low` and `high`
    cost: tuple[float, float, float]


def measurable(run: RunEvidence, plain: PlainTime) -> BoolArray:
    """Return the regions of a run whose events take no more than half of the measured time, bool[region].

    The others say more about the measurement than about the program.
    """
    count = len(run.regions)
    time = np.bincount(run.tree.region, run.time, count)
    events = np.bincount(run.tree.region, visited(run).events[:, 0] * plain.cost[0], count)
    return np.asarray(events <= _MEASURABLE * time)


@dataclass(frozen=True)
class Dilation:
    """Measured over plain computing time, with its range."""

    value: float
    low: float  # the ends of the range that the uncertainty of the plain time leaves
    high: float


class _ByStage(Generic[_Figure]):
    """A figure without a filter, and with it applied at run time and at compile time."""

    def at(self, applied: Application | None) -> _Figure:
        """Return the figure of a stage; without a filter if `applied` is None."""
        found: _Figure = getattr(self, _stage_name(applied))
        return found


def _stage_name(applied: Application | None) -> str:
    return "unfiltered" if applied is None else applied.name.lower()


def _by_stage(of: Callable[[Application | None], _Figure]) -> dict[str, _Figure]:
    return {_stage_name(stage): of(stage) for stage in (None, *Application)}


@dataclass(frozen=True, kw_only=True)
class Stages(_ByStage[float]):
    """A figure without a filter, and with it applied at run time and at compile time."""

    unfiltered: float
    run_time: float
    compile_time: float


@dataclass(frozen=True, kw_only=True)
class Dilations(_ByStage[Dilation]):
    """The dilation without a filter, and with it applied at run time and at compile time."""

    unfiltered: Dilation
    run_time: Dilation
    compile_time: Dilation


@dataclass(frozen=True, kw_only=True)
class PredictedVisits(_ByStage[float]):
    """Visits that are recorded."""

    unfiltered: float
    run_time: float = field(metadata=entry("filtered"))
    compile_time: float = field(metadata=entry("filtered_at_compile_time"))

    def rejected(self, applied: Application | None) -> float:
        """Return how many visits call the hook that rejects them."""
        return self.unfiltered - self.run_time if applied is Application.RUN_TIME else 0.0


@dataclass(frozen=True, kw_only=True)
class VisitCost:
    """Seconds per visit."""

    document_name: ClassVar[str] = "event_cost"
    recorded: float
    filtered_at_run_time: float


def _plain_range(plain: PlainTime) -> Annotated[Dilation, "core-seconds"]:
    return Dilation(plain.total, plain.low, plain.high)


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterEffect:
    """The predicted effect of a filter on a run."""

    document_name: ClassVar[str] = "prediction"
    source: str  # the profile it was made from
    # of all CPU locations; at compile time those of regions instrumented by hand are recorded
    visits: PredictedVisits
    # the share of the plain computing time that is attributed to the region it is spent in (or to the caller,
    # if its visits are too short); the rest is attributed to the nearest recorded callers
    coverage: Annotated[float, "share of the plain computing time in regions that are kept"]
    # the share for which all regions of the call path are recorded
    whole_callpaths: Annotated[float, "share of it whose call paths are kept whole"]
    event_cost: VisitCost
    plain: PlainTime = field(metadata=entry("plain_computing_time", made=_plain_range))
    overhead: Annotated[Stages, "core-seconds"]
    dilation: Dilations

    @property
    def unneeded(self) -> bool:
        """Whether overhead is acceptable without a filter, up to the upper end of what is believed of it."""
        return self.plain.cost[1] * self.visits.unfiltered <= ACCEPTABLE * self.plain.low


def estimate_plain_time(run: RunEvidence, cost: EventCost, known: KnownPlain | None = None) -> PlainTime:
    """Split the measured computing time of a run into plain time and the cost of the events in it."""
    runs = visited(run)
    found = estimate_plain_times(runs, cost, known)
    everything = np.ones(len(run.tree), dtype=np.bool_)
    home = measurable_callers(runs, found.callpath, found.cost, everything)
    total, low, high = (float(ends[0]) for ends in (found.total, found.low, found.high))
    least, most = found.cost_range
    costs = [float(ends[0]) for ends in (found.cost, most, least)]
    return PlainTime(
        callpath=found.callpath[:, 0],
        computing=runs.computing,
        attributed=np.bincount(home, found.callpath[:, 0], len(run.tree)).astype(np.float64),
        total=total,
        low=low,
        high=high,
        cost=(costs[0], costs[1], costs[2]),
    )


def predict(
    run: RunEvidence, recorded: BoolArray, cost: EventCost | None = None, known: KnownPlain | None = None
) -> FilterEffect:
    """Predict what a filter, under which `recorded` bool[call path] are measured, does to a run."""
    cost = cost or usual_cost(visited(run))
    plain = estimate_plain_time(run, cost, known)
    counted = plain.attributed * plain.computing
    total = float(counted.sum())
    gapless = run.tree.nearest(~recorded) < 0
    coverage, whole = (
        min(1.0, float(counted[part].sum()) / total) if total > 0 else 1.0 for part in (recorded, gapless)
    )
    left = float(run.visits[recorded].sum())
    by_hand_only = ~recorded & by_hand(run.regions)[run.tree.region]
    visits = PredictedVisits(
        unfiltered=float(run.visits.sum()),
        run_time=left,
        compile_time=left + float(run.visits[by_hand_only].sum()),
    )
    event_cost = VisitCost(recorded=plain.cost[0], filtered_at_run_time=min(cost.filtered, plain.cost[0]))
    return FilterEffect(
        source=run.source,
        visits=visits,
        coverage=coverage,
        whole_callpaths=whole,
        event_cost=event_cost,
        plain=plain,
        overhead=Stages(**_by_stage(lambda applied: _overhead(visits, event_cost, applied))),
        dilation=Dilations(**_by_stage(lambda applied: _dilation(visits, event_cost, plain, applied))),
    )


def _overhead(visits: PredictedVisits, cost: VisitCost, applied: Application | None) -> float:
    return cost.recorded * visits.at(applied) + cost.filtered_at_run_time * visits.rejected(applied)


def _dilation(
    visits: PredictedVisits, cost: VisitCost, plain: PlainTime, applied: Application | None
) -> Dilation:
    """Return the dilation; hooks cost up to what recording does, and other builds and runs differ, too."""
    times = zip((plain.total, plain.low, plain.high), plain.cost, strict=True)
    value, high, low = (
        1.0 + (_overhead(visits, replace(cost, recorded=recorded), applied) / time if time > 0 else 0.0)
        for time, recorded in times
    )
    hooks = visits.rejected(applied) / plain.total if plain.total > 0 else 0.0
    usual, most = cost.filtered_at_run_time, max(plain.cost)
    less, more = (
        hooks * (min(usual * float(np.exp(side * TAIL * HOOK_SPREAD)), most) - usual) for side in (-1, 1)
    )
    low = max(value - float(np.hypot(value - low, less)), 1.0)
    high = value + float(np.hypot(high - value, more))
    less, more = (np.hypot(np.log(factor), TAIL * _BUILD_SPREAD) for factor in (value / low, high / value))
    return Dilation(value, value * float(np.exp(-less)), value * float(np.exp(more)))


@dataclass(frozen=True, kw_only=True)
class MeasuredPlainTime:
    """Computing time without measurement in core-seconds, and whether a run time was given."""

    document_name: ClassVar[str] = "plain_time"
    # from the run time that was given, otherwise solved for together with the cost of a visit; None if
    # neither is possible
    value: float | None
    given: bool


@dataclass(frozen=True, kw_only=True)
class MeasuredDilation:
    """Computing time over the plain one; null unless a run time was given.

    What is solved for measures neither.
    """

    unfiltered: float | None
    filtered: float | None


@dataclass(frozen=True, kw_only=True)
class MeasuredEffect:
    """What a filter did."""

    applied: Application | None  # where the filter was applied; None if nothing shows it
    plain_time: MeasuredPlainTime
    dilation: MeasuredDilation
    # of recording, the slope of computing time over visits; None if the two profiles show none, or an
    # impossible one
    event_cost: Annotated[float | None, "seconds per visit"]
    # why that slope is impossible, so that one of the runs was disturbed; empty if it is not
    contradiction: str
    # whether it is surer than what the first profile shows alone, as run times scatter
    learned: bool


def measured_effect(
    full: RunEvidence,
    reduced: RunEvidence,
    prediction: FilterEffect,
    *,
    applied: Application | None = None,
    baseline: float | None = None,
) -> MeasuredEffect:
    """Compare a run without a filter with the same run under it, given its seconds without instrumentation.

    If it is not said where the filter was applied, it was where the prediction is nearer to the dilation.
    """
    one, two = visited(full), visited(reduced)
    without = under = event_cost = None
    plain, contradicted, learned = 0.0, "", False
    if baseline is not None:
        seconds, wall = np.array([baseline]), np.array([full.wall])
        plain = float(plain_by_run_time(one, seconds, wall, "--baseline-time").total[0])
        without, under = (float(run.measured[0]) / plain if plain > 0 else None for run in (one, two))
        if applied is None and under is not None:
            applied = min(Application, key=lambda stage: abs(prediction.dilation.at(stage).value - under))
    try:
        at_run_time = applied is Application.RUN_TIME
        solved, cost = plain_by_pair(one, two, reduced.source, at_run_time=at_run_time)
    except UsageError:  # the second run has more visits or took longer
        pass
    else:
        usual, saved = usual_cost(one), 1.0 - float(two.measured[0] / one.measured[0])
        contradicted = contradiction(cost.recorded, usual)
        learned = not contradicted and np.hypot(RUN_SPREAD, RUN_SPREAD) <= usual.spread * saved
        if not contradicted:
            event_cost = cost.recorded
            plain = plain if baseline is not None else float(solved.total[0])
    return MeasuredEffect(
        applied=applied,
        plain_time=MeasuredPlainTime(value=plain or None, given=baseline is not None),
        dilation=MeasuredDilation(unfiltered=without, filtered=under),
        event_cost=event_cost,
        contradiction=contradicted,
        learned=bool(learned),
    )


_CHUNK = 2 << 20
_TIMESTAMP = 9
_RECORD = 2  # record type and record length
_REFERENCE = 5  # a compressed 32-bit number at its longest: communicator, rank, tag, parameter
_LONG = 9  # a compressed 64-bit number at its longest: message length, request
_MESSAGE = _RECORD + 3 * _REFERENCE + _LONG + _TIMESTAMP
_REQUEST = 1 + _LONG + _TIMESTAMP
_COLLECTIVE = _RECORD + _RECORD + 1 + 2 * _REFERENCE + 2 * _LONG + _TIMESTAMP
_PARAMETER = _RECORD + _REFERENCE + _LONG + _TIMESTAMP

_SENDS = ("Send", "Bsend", "Rsend", "Ssend")
_BOTH = ("MPI_Sendrecv", "MPI_Sendrecv_replace")
_STARTS = (*(f"{send}_init" for send in _SENDS), "Isend", "Ibsend", "Irsend", "Issend")
_COLLECTIVES = """
Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather Gatherv Reduce
Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv
"""
_MESSAGES = {
    **{f"MPI_{send}": _MESSAGE for send in (*_SENDS, "Recv")},
    **dict.fromkeys(_BOTH, 2 * _MESSAGE),
    **{f"MPI_{call}": _MESSAGE + _LONG + _REQUEST for call in (*_STARTS, "Irecv", "Recv_init")},
    **{f"MPI_{call}": _COLLECTIVE for call in _COLLECTIVES.split()},
}


@dataclass(frozen=True)
class TraceMemory:
    """Bytes that a trace needs."""

    max_buf: int  # the largest trace buffer of a process, the busiest one's
    total_memory: int  # what to set SCOREP_TOTAL_MEMORY to, so that no trace buffer is flushed during the run


@dataclass(frozen=True)
class Memory:
    """The memory of a trace without and with the filter."""

    unfiltered: TraceMemory
    filtered: TraceMemory


def trace_memory(profile: Profile, recorded: BoolArray) -> tuple[TraceMemory, ...]:
    """Estimate the memory of measurements under n filters, bool[n, region]; all True stands for no filter.

    max_buf is the largest sum of visits times bytes per visit of a process; SCOREP_TOTAL_MEMORY is max_buf,
    but at least 2 MiB, plus 2 MiB for each location of the process that has most.
    """
    bytes_of = bytes_per_visit(profile.regions) * recorded
    by_location = np.zeros((len(recorded), len(profile.locations)))
    everywhere = np.ones(len(profile.locations), dtype=np.bool_)
    for nodes, visits in profile.exclusive_blocks(VISITS, everywhere):
        by_location += bytes_of[:, profile.tree.region[nodes]] @ visits
    process = profile.locations.process
    locations = int(np.bincount(process).max())
    by_location /= profile.summed.count
    largest = [int(np.bincount(process, row).max()) for row in by_location]
    return tuple(TraceMemory(size, max(size, _CHUNK) + _CHUNK * locations) for size in largest)


def bytes_per_visit(regions: RegionTable) -> FloatArray:
    """Return the bytes that a visit takes in a trace, float64[region], as OTF2's estimator counts them.

    Enter and leave with their time stamps, and the events of MPI messages and collectives; scorep-score takes
    regions with a ``=`` in their name for parameters, also where it is a template argument. Events of OpenMP
    teams and tasks and of one-sided communication are not counted.
    """
    number = 1 + max(1, ((len(regions) - 1).bit_length() + 7) // 8)
    visit = 2 * (1 + number + _TIMESTAMP)
    sizes = [
        _PARAMETER if "=" in name and not name.startswith("instance=") else visit + _MESSAGES.get(name, 0)
        for name in regions.name
    ]
    return np.array(sizes, dtype=np.float64)
