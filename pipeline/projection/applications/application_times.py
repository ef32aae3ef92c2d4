"""Wall times of an application over an input, so that what is asked of measured studies can be asked of it.

Errors are joint: what all scales share, such as that of a bandwidth, cancels from efficiencies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import ModelError, UsageError
from ingest.parameter_roles import counts_processes, unit_counted
from ingest.units import NONE, TIME_DIMENSION
from pipeline.models.prediction import Prediction
from pipeline.projection.applications.application_file import ApplicationFile, input_values
from pipeline.projection.applications.projections import Composition
from pipeline.projection.expressions.evaluation import broken_limits, inside_tables, predict
from pipeline.projection.expressions.symbolic_model import Model
from pipeline.projection.machines.machine_values import Machine
from pipeline.questions.analysis import DEFAULT_REACH
from pipeline.questions.crossovers import Ahead, MeasuredLine, crossovers, half_intervals
from pipeline.questions.locations import Comparison
from pipeline.questions.runtime.estimate import Estimate
from pipeline.questions.runtime.figures import SECONDS_PER_HOUR, Figures, whole_nodes
from pipeline.questions.runtime.limits import job_points
from pipeline.statistics import TWO_SIDED
from pipeline.wording.quantities import counted, point_text, value_text

_TAILS = (0.05, 0.95)
_STRONG_SLOPE = -0.5  # half-way between 1/p and constant


@dataclass(frozen=True, eq=False, kw_only=True)
class _Drawn:
    """Logarithms of wall times at Q points: the best values float64[Q], draws float64[draw, Q]."""

    best: FloatArray
    draws: FloatArray

    def over(self, other: "_Drawn") -> "_Drawn":
        return _Drawn(best=self.best - other.best, draws=self.draws - other.draws)

    @property
    def estimate(self) -> Estimate:
        low, high = np.quantile(self.draws, _TAILS, axis=0)
        below, above = (np.maximum(side, 0.0) for side in (self.best - low, high - self.best))
        return Estimate(np.exp(self.best), below, above)


@dataclass(frozen=True, eq=False, kw_only=True)
class ApplicationTimes:
    """Wall times of an application on a machine; a `ScaledTimes` of one parameter."""

    total: Model  # of the wall time
    inputs: Mapping[str, float]  # all others, SI units
    scaled: str  # the input that is asked for
    counting: tuple[str, ...]  # the inputs whose product is the number of locations
    known: FloatArray  # float64[P, 1], the scales that were given, or the first that is looked at
    scaling: str  # ``strong``, ``weak``; empty if the input does not count processes
    unit: str  # what the counting inputs count: ``core``, ``node``, ``GPU``
    cores_of_node: float | None  # that is paid for as a whole
    node_cores: float | None  # the same if scales between powers of two are to fill such nodes
    column: int = 0

    @property
    def parameters(self) -> Sequence[str]:
        """The name of the parameter."""
        return (self.scaled,)

    @property
    def _first(self) -> FloatArray:
        """The scale that all are compared with, float64[1, 1]."""
        return np.asarray(self.known.min(axis=0, keepdims=True))

    @property
    def comparison(self) -> Comparison:
        """What scales are compared by."""
        return Comparison(self.scaling) if self.scaling else Comparison.SIZE

    def shared_error(self, points: FloatArray) -> FloatArray:
        """Return the half-width of the error that each point shares with the first scale."""
        apart = [
            draws - draws.mean(axis=0) for draws in (self._drawn(at).draws for at in (points, self._first))
        ]
        shared = np.mean(apart[0] * apart[1], axis=0)
        return np.asarray(TWO_SIDED * np.sqrt(np.maximum(shared, 0.0)))

    def measured_at(self, points: FloatArray) -> tuple[BoolArray, IntArray]:
        """Return that none of the points was measured."""
        return np.zeros(len(points), dtype=np.bool_), np.zeros(len(points), dtype=np.int64)

    def locations(self, points: FloatArray) -> FloatArray:
        """Return the cores at points; the nodes or GPUs if their cores are unknown."""
        counted = self.at(points)
        found = np.prod([np.broadcast_to(counted[name], len(points)) for name in self.counting], axis=0)
        return np.asarray(found * (self.cores_of_node or 1.0 if self.unit == "node" else 1.0))

    def totals(self, points: FloatArray, measured: BoolArray) -> Estimate:
        """Return the wall times at points."""
        return self._drawn(points).estimate

    def figures(self, points: FloatArray, measured: BoolArray, total: Estimate | None = None) -> Figures:
        """Return what is known at points; efficiency is relative to the first scale."""
        here, there = self._drawn(points), self._drawn(self._first)
        wall, ratio = total or here.estimate, there.over(here).estimate
        cores, before = self.locations(points), self.locations(self._first)
        unknown = Estimate(*np.full((3, len(points)), np.nan))
        paid = np.full(len(points), np.nan)
        if self.unit == "core" or (self.unit == "node" and self.cores_of_node):
            node = self.cores_of_node
            paid = whole_nodes(cores, node) * node if node else cores
        strong, weak = (self.comparison is one for one in (Comparison.STRONG, Comparison.WEAK))
        return Figures(
            points=points,
            measured=measured,
            reference=np.broadcast_to(self._first, points.shape),
            locations=cores,
            longest=unknown.value,
            extrapolation=np.ones(len(points)),
            effort=wall.times(cores),
            wall=wall,
            core_hours=wall.times(paid / SECONDS_PER_HOUR),
            speedup=ratio if strong else unknown,
            efficiency=ratio.times(before / cores) if strong else unknown,
            weak_efficiency=ratio if weak else unknown,
            time_ratio=unknown if strong or weak else ratio,
            work_rate=unknown,
            rate=unknown,
            gpu_hours=unknown,
            gpu_busy=unknown,
        )

    def at(self, points: FloatArray) -> Mapping[str, FloatArray | float]:
        """Return the values of all inputs at points."""
        return {**self.inputs, self.scaled: points[:, 0]}

    def _drawn(self, points: FloatArray) -> _Drawn:
        found = predict({"total": self.total}, self.at(points))["total"]
        value = np.broadcast_to(found.value, len(points))
        draws = np.broadcast_to(found.draws, (len(found.draws), len(points)))
        short = np.flatnonzero((draws <= 0).any(axis=0) | (value <= 0))
        if len(short):
            place = point_text({self.scaled: float(points[short[0], 0])})
            raise ModelError(f"the wall time may be zero or less at {place}", hint="correct the application")
        return _Drawn(best=np.log(value), draws=np.log(draws))


def _scaled_input(application: ApplicationFile, swept: str, counting: Sequence[str]) -> str:
    """Return the input whose values are looked at: what is swept, or else what counts processes."""
    if swept or counting:
        return swept or counting[0]
    hint = "sweep the one to choose, such as --at n=64:4096:x2"
    raise UsageError("no input counts processes", where=str(application.path), hint=hint)


def _counting(application: ApplicationFile) -> tuple[str, ...]:
    """Return the inputs that count cores, or else one that counts nodes or GPUs."""
    named = [name for name in application.inputs if counts_processes(name)]
    return tuple(name for name in named if unit_counted(name) == "core") or tuple(named[:1])


@dataclass(frozen=True, eq=False, kw_only=True)
class AskedTimes:
    """The wall times of an application, and where they are asked for."""

    times: ApplicationTimes
    points: FloatArray  # float64[Q, 1], ascending
    notices: tuple[str, ...]  # what they rest on, one sentence each


def application_times(
    application: ApplicationFile,
    machine: Machine,
    total: Model,
    at: Sequence[Mapping[str, float | str]],
    swept: str,
    node_cores: float | None = None,
) -> AskedTimes:
    """Return the wall times over what is swept, or what counts processes, at scales that its terms know.

    Given are all values of that input, or the last; none if the terms say how far they reach.
    Nodes of `node_cores` are paid for as a whole, by default those of the machine.
    """
    counting, stated = _counting(application), machine.values.get("cores")
    scaled = _scaled_input(application, swept, counting)
    inputs, *others = (input_values(application, {scaled: 1.0, **given}) for given in at)
    _check_counts([inputs, *others], counting)
    given = [point[scaled] for point in (inputs, *others)] if scaled in at[0] else []
    if total.dimension != TIME_DIMENSION:
        what = f"the total is in {total.dimension}, so there is no wall time"
        raise UsageError(what, where=str(application.path), hint="let it be a time")
    known, last = _ends(application, total, scaled, given)
    times = ApplicationTimes(
        total=total,
        inputs=inputs,
        scaled=scaled,
        counting=counting,
        known=known,
        scaling="",
        unit=unit_counted(counting[0]) if counting else "core",
        cores_of_node=node_cores or (stated.value if stated and stated.dimension == NONE else None),
        node_cores=node_cores,
    )
    points = known if len(known) > 1 else job_points(times, np.array([last]))
    kept = points[inside_tables(total, times.at(points))]
    if not len(kept):
        broken_limits({"": total}, times.at(points))  # says which table is left
    scaling, why = _scaling(application, replace(times, known=kept[:1]), kept)
    notices = [*why, *total.notices, *broken_limits({"": total}, times.at(kept))]
    if len(counting) > 1:
        notices.append(f"cores are {' * '.join(counting)}")
    if left_out := len(points) - len(kept):
        notices.append(f"{counted(left_out, 'value')} of {scaled} left out, for which a table has no row")
    return AskedTimes(
        times=replace(times, known=kept if len(known) > 1 else kept[:1], scaling=scaling),
        points=kept,
        notices=tuple(notices),
    )


def _check_counts(points: Sequence[Mapping[str, float]], counting: Sequence[str]) -> None:
    """Refuse numbers of processes that no job has."""
    for name in counting:
        for value in (point[name] for point in points):
            if value < 1 or value % 1:
                what = f"{value_text(value)} is not a whole number from 1"
                raise UsageError(what, where=f"--at {name}", hint=f"write {name}=64")


def _ends(
    application: ApplicationFile, total: Model, scaled: str, given: Sequence[float]
) -> tuple[FloatArray, float]:
    """Return the scales to start from, float64[P, 1], and the last one to look at."""
    if len(given) > 1:
        known = np.unique(given)
        return known[:, None], float(known[-1])
    limits = [limit for limit in total.limits if limit.expression.name == scaled]
    tables = [limit for limit in limits if limit.points]
    first = max((limit.lower for limit in tables), default=1.0)
    ends = [limit.upper for limit in tables] or [DEFAULT_REACH * limit.upper for limit in limits]
    last = given[0] if given else min(ends, default=np.inf)
    if not 0 < last < np.inf:
        hint = f"give the largest to look at, such as --at {scaled}=4096, or all: --at {scaled}=64:4096:x2"
        raise UsageError(f"no largest value of {scaled}", where=str(application.path), hint=hint)
    return np.array([[min(first, last)]]), float(last)


def _scaling(
    application: ApplicationFile, times: ApplicationTimes, points: FloatArray
) -> tuple[str, tuple[str, ...]]:
    """Return how times scale, and why unless the file says it: from the first scale to about its double."""
    if times.scaled not in times.counting:
        return "", ()
    if application.scaling or len(points) < 2:
        return application.scaling or "strong", ()
    scales = points[:, 0]
    ends = [0, max(int(np.abs(np.log2(scales / scales[0]) - 1).argmin()), 1)]
    falls = np.diff(np.log(times.totals(points[ends], np.zeros(2, dtype=np.bool_)).value))[0]
    slope = float(falls / np.diff(np.log(scales[ends]))[0])
    found = "strong" if slope < _STRONG_SLOPE else "weak"
    between = f"{times.scaled} = {value_text(scales[0])} and {value_text(scales[ends[1]])}"
    other = 'scaling = "weak"' if found == "strong" else 'scaling = "strong"'
    return found, (
        f"times go as {times.scaled}^{slope:.2f} between {between}: {found} scaling; if that is wrong, write "
        f"{other} into the application's file",
    )


def part_crossovers(whole: Composition, points: Sequence[Mapping[str, float]], swept: str) -> Iterator[str]:
    """Yield a sentence for every outermost part that overtakes another between the values of an input.

    Points are all inputs, SI units. Parts of several dimensions are not compared.
    """
    parts = {path[0]: model for path, model in whole.parts.items() if len(path) == 1}
    values = np.unique([point[swept] for point in points])
    if len(values) < 2 or values[0] <= 0 or len({model.dimension for model in parts.values()}) != 1:
        return

    def ends(at: FloatArray) -> FloatArray:
        found = predict(parts, {**points[0], swept: at}).values()
        shapes = [(one.value, one.lower, one.upper) for one in found]
        return np.stack([[np.broadcast_to(end, len(at)) for end in each] for each in shapes], axis=1)

    first, last = float(values[0]), float(values[-1])
    below, above = half_intervals(Prediction(*ends(values)))
    ahead = Ahead(
        curve=lambda at: ends(at)[0],
        scales=values,
        below=below,
        above=above,
        first=first,
        last=first,
        horizon=last,
    )
    nothing = MeasuredLine(scales=np.empty(0), values=np.empty((len(parts), 0, 1)))
    names = tuple(parts)
    for one in crossovers(nothing, ahead, np.zeros(len(parts), dtype=np.bool_)):
        over, past = names[one.overtakes], names[one.overtaken]
        yield f"{one.named(swept).sentence(over, past, {swept: last})}."
