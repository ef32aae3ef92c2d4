"""Which further measurement would narrow the prediction of the total clearly, to what width, at what price.

A forecast leaves open where the program goes beyond the measured scales. A larger scale brings the target
closer: its interval will be about as wide, relative to the value, as the present one is at the same factor
beyond the range. On real series that is right within a factor of 1.3 in the median, as is modelling drawn
outcomes again, at a hundredth of the cost; points inside the range narrow nothing (`docs/how-to/
plan-measurements.md`). A target that no parameter has beyond the range is left to the covariances of the
models (`plan`): there formulas decide.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from pipeline.models.scaling_models import ScalingModels
from pipeline.models.total import predict_total
from pipeline.questions.planning.plan import Places, doubt_about_total, measured_already, plan
from pipeline.questions.runtime.trust import WIDE
from pipeline.wording.quantities import counted, half_width, point_json, point_text, quantity

_PILOT_VALUES = 3  # of each parameter: the fewest that a model can be made from
_SERIES_VALUES = 5  # of each parameter, that trust in a model asks for
SERIES_REPETITIONS = 2  # show the noise, and that a run was slow


def pilot_design(points: FloatArray) -> IntArray:
    """Run the smallest scales of a series once, which shows what larger ones cost: runs at each, int64[Q]."""
    design = np.zeros(len(points), dtype=np.int64)
    for line in _lines(points):
        values = points[line].prod(axis=1)
        design[line[_spread(values, _SERIES_VALUES)[:_PILOT_VALUES]]] = 1
    return design


def series_design(
    points: FloatArray, done: IntArray, cost: FloatArray, repetitions: int, budget: float
) -> IntArray:
    """Run five values of every parameter twice, from the smallest to the largest that the budget allows.

    How far it reaches matters more than repetitions: the largest value is one whose series the budget allows
    once, and what is left then pays for repetitions, the cheapest first (`rounds`).

    With several parameters they lie on lines through the cheapest point, which show every parameter for the
    least cost (Ritter and others, "Learning cost-effective sampling strategies for empirical performance
    modeling", 2020); one run where all are large shows whether they interact.

    What was measured of the candidates, float64[Q, D], stays part of the runs at each, int64[Q]. Costs and
    the budget left are core-seconds; if there is a budget, runs of unknown cost are left out.
    """
    often = min(SERIES_REPETITIONS, repetitions)
    design = np.zeros(len(points), dtype=np.int64)
    left = max(budget, 0.0)
    for line in _lines(points):
        held = np.maximum(done, design)[line]
        chosen = _affordable_line(points[line].prod(axis=1), held, cost[line], left)
        design[line[chosen]] = often
        left -= float(np.nansum(cost[line[chosen]][held[chosen] == 0]))
    if points.shape[1] > 1:
        affordable = (
            (cost <= left) | (done > 0) if np.isfinite(left) else np.ones(len(points), dtype=np.bool_)
        )
        if affordable.any():
            size = np.where(affordable, np.log(points).sum(axis=1), -np.inf)
            joint = int(size.argmax())
            design[joint] = max(design[joint], 1)
    return design


def _lines(points: FloatArray) -> list[IntArray]:
    """Return the candidates along each parameter that varies, the others smallest; indices, ascending."""
    smallest = points == points.min(axis=0)
    lines = []
    for column in range(points.shape[1]):
        line = np.flatnonzero(np.delete(smallest, column, axis=1).all(axis=1))
        if len(line) > 1 or points.shape[1] == 1:
            lines.append(line[np.argsort(points[line, column], kind="stable")])
    return lines


def _spread(values: FloatArray, count: int) -> IntArray:
    """Choose some of ascending values, evenly in the logarithm, the first and last among them: indices."""
    if len(values) <= count:
        return np.arange(len(values))
    ideal = np.geomspace(values[0], values[-1], count)
    return np.unique(np.abs(np.log(values / ideal[:, None])).argmin(axis=1))


def _affordable_line(values: FloatArray, done: IntArray, cost: FloatArray, budget: float) -> IntArray:
    """Choose the values of a line up to the largest one whose series is affordable once: indices."""
    measured = np.flatnonzero(done > 0)
    lowest = int(measured.max(initial=0))
    for last in range(len(values) - 1, lowest - 1, -1):
        chosen = _filled(np.log(values), done > 0, last)
        price = float(cost[chosen][done[chosen] == 0].sum())
        if not np.isfinite(budget) or price <= budget:
            return chosen
    return measured if len(measured) else np.zeros(1, dtype=np.int64)


def _filled(logs: FloatArray, measured: BoolArray, last: int) -> IntArray:
    """Add to the measured, the first and the last value those farthest from them until there are enough."""
    chosen = measured.copy()
    chosen[[0, last]] = True
    while chosen.sum() < min(_SERIES_VALUES, last + 1):
        distance = np.abs(logs[: last + 1, None] - logs[chosen]).min(axis=1)
        chosen[int(distance.argmax())] = True
    return np.flatnonzero(chosen)


MOST_POINTS = 64


def candidate_points(measured: FloatArray, at: FloatArray) -> FloatArray:
    """Propose the measured points, float64[P, D], again, then others between and beyond, `MOST_POINTS`.

    None lies below the range, where growth does not show. Beyond it every parameter is doubled up to its
    value at the target. Parameters of which only whole numbers were measured keep to whole numbers. With
    several parameters the points closest to the line from the largest measured point to the target are kept,
    since they inform most about it.
    """
    axes = [_values(np.unique(column), float(target)) for column, target in zip(measured.T, at, strict=True)]
    grid = np.array(list(itertools.product(*axes)))
    known = np.unique(measured, axis=0)
    new = grid[~(grid[:, None, :] == known[None, :, :]).all(axis=2).any(axis=1)]
    room = max(MOST_POINTS - len(known), MOST_POINTS // 2)
    new = new[np.argsort(_distance_to_line(new, measured.max(axis=0), at), kind="stable")[:room]]
    return np.concatenate(
        [known[np.argsort(-known.prod(axis=1), kind="stable")][: MOST_POINTS - len(new)], new]
    )


def larger_points(measured: FloatArray, at: FloatArray) -> FloatArray:
    """Propose points on the way to a target beyond the measured range, float64[Q, D], the target last.

    Parameters that the target has beyond the range are doubled up to it; the others are at the measured value
    nearest to the target, since elsewhere a run says less about it.
    """
    axes = []
    for column, target in zip(measured.T, at.tolist(), strict=True):
        values = np.unique(column)
        if target > values[-1]:
            axes.append([value for value in _values(values, target) if value >= values[-1]])
        else:
            axes.append([float(values[np.abs(np.log(values / target)).argmin()])])
    found = np.array(list(itertools.product(*axes)))
    larger: FloatArray = found[(found > measured.max(axis=0)).any(axis=1)]
    return larger


def _values(measured: FloatArray, target: float) -> list[float]:
    """Return the values of one parameter worth a measurement, ascending."""
    beyond = measured[-1] * 2.0 ** np.arange(1, 1 + max(0, int(np.log2(max(target / measured[-1], 1.0)))))
    between = np.sqrt(measured[1:] * measured[:-1])
    values = np.concatenate([measured, between, beyond, [target]])
    if (measured == np.round(measured)).all():
        values = np.round(values)
    # A value that lies within a tenth of a measured one adds nothing that repetitions would not.
    near = (np.abs(np.log(np.maximum(values, 1e-300)[:, None] / measured)) < 0.1).any(axis=1)
    kept = values[(values > 0) & (np.isin(values, measured) | ~near)]
    return [float(v) for v in np.unique(kept)]


def _distance_to_line(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distance in doublings from the segment between two points, float64[Q]."""
    logs, origin = np.log2(points), np.log2(start)
    way = np.log2(end) - origin
    length = float(way @ way)
    share = np.clip((logs - origin) @ way / length, 0.0, 1.0) if length > 0 else np.zeros(len(points))
    distance: FloatArray = np.sqrt(((logs - origin - share[:, None] * way) ** 2).sum(axis=1))
    return distance


LEAST_GAIN = 0.2  # of the interval's width, that a measurement has to be expected to take away
USEFUL_WIDTH = WIDE  # upper over lower end of the interval afterwards, at most
_MOST_STEPS = 3
_ROUNDING = 1e-6  # of a run: one that costs the whole budget is affordable
_NARROW = 0.2  # width relative to the value, which needs no further measurement
_NAMED = 5  # kernels named at most
_LEAST_COST = 1e-300
_SHARE = 0.1  # of a measurement's use, from which a kernel is named


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A kernel whose growth a measurement settles."""

    callpath: tuple[str, ...]
    share: Annotated[float, "of the doubt about it"]


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A measurement that is advised.

    It is taken after those advised before it; costs are those of all repetitions.
    """

    document_name: ClassVar[str] = "measurement"

    at: Mapping[str, float]
    repetitions: int
    cost: float
    relative_width_after: Annotated[float, "of the interval of the total at the target"]
    reduction: Annotated[float, "share of the width that it takes away"]
    settles: tuple[Settled, ...]
    plain: Annotated[bool, "without instrumentation"] = False

    def text(self, unit: str) -> str:
        """Say what is measured: ``p = 32, 3 runs (about 11.1 core-hours)``."""
        runs = counted(self.repetitions, "run") + " without instrumentation" * self.plain
        return f"{point_text(self.at)}, {runs} (about {quantity(self.cost, unit)})"


@dataclass(frozen=True, kw_only=True)
class MeasurementPlan:
    """What to measure next for a narrower interval of the total at a target, each step clearly worth it."""

    target: Mapping[str, float]
    unit: str = "core-s"  # of budget and costs: core-s, or node-s if only nodes are counted
    budget: float
    beyond: bool = True  # whether the target lies beyond the measured range
    relative_width: float  # of the interval of the total at the target now
    plan: tuple[Advice, ...]  # the measurements in their order; empty if none within the budget is worth it
    # without them, the one run that would be advised at any price; None if none would help
    instead: Advice | None = None

    @property
    def first_step(self) -> str:
        """What to measure first; empty if nothing is worth it."""
        return f"Measure {self.plan[0].text(self.unit)}" if self.plan else ""

    @property
    def sentence(self) -> str:
        """What to measure next and what it gains, or why nothing is worth it."""
        target, now = point_text(self.target), f"({half_width(self.relative_width)})"
        if self.plan:
            step = self.plan[0]
            before, to = half_width(self.relative_width), half_width(step.relative_width_after)
            where = "there" if step.at == self.target else f"at {target}"
            given = " Give their times as --baseline-time." if step.plain else ""
            return f"{self.first_step}: interval {where} from {before} to about {to}.{given}"
        if self.relative_width <= _NARROW:
            return f"The interval at {target} is narrow {now}: no measurement would make it clearly narrower."
        if not self.beyond:
            return (
                f"{target} lies within the measured scales: larger ones would not narrow its interval {now}."
            )
        spent = quantity(self.budget, self.unit)
        text = f"No measurement for up to {spent} would make the interval at {target} {now} clearly narrower"
        text += " and useful"
        if self.instead is None:
            return f"{text}, not even one there: the measurements scatter too much."
        to = half_width(self.instead.relative_width_after)
        return f"{text}; {self.instead.text(self.unit)} would: about {to}."


Cost = Callable[[FloatArray], FloatArray]
"""Gives the core-seconds of a run at points float64[Q, D], float64[Q]."""


def advise(
    models: ScalingModels,
    callpaths: Sequence[tuple[str, ...]],
    measured: FloatArray,
    at: FloatArray,
    budget: float,
    *,
    cost: Cost | None = None,
    repetitions: int = 1,
    noise: FloatArray | None = None,
) -> MeasurementPlan:
    """Plan further measurements within core-seconds for a sharper prediction of a total at a target.

    A measurement is advised only if the interval is expected to lose `LEAST_GAIN` of its width by it and is
    useful afterwards (`USEFUL_WIDTH`): first the one that narrows it most per core-second. Without a cost of
    a run, it is the predicted total. The noise, float64[K], is the relative standard deviation of one
    repetition, NaN or None if it is unknown. UsageError if target or budget is invalid.
    """
    at = valid_target(models.parameters, at, budget)
    price = cost or (lambda points: np.asarray(models.expected(points).sum(axis=0)))
    beyond, instead = bool((at > models.last).any()), None
    if beyond:
        points = larger_points(measured, at)
        costs = np.maximum(price(points), _LEAST_COST)
        choose = partial(_beyond, models, callpaths, at, points, costs)
        steps = choose(budget, repetitions)
        instead = None if steps else next(iter(choose(np.inf, 1)), None)
    else:
        steps = _inside(models, callpaths, measured, at, budget, price, noise)
    return MeasurementPlan(
        target=point_json(models.parameters, at),
        budget=budget,
        beyond=beyond,
        relative_width=float(interval_widths(models, at[None])[0][0]),
        plan=steps,
        instead=instead,
    )


def valid_target(parameters: Sequence[str], at: FloatArray, budget: float) -> FloatArray:
    """Return a target as float64[D]; UsageError if it is none, or the budget pays for nothing."""
    at = np.asarray(at, dtype=np.float64).reshape(-1)
    if len(at) != len(parameters) or not (np.isfinite(at) & (at > 0)).all():
        raise UsageError(f"the target needs a positive value of each of {', '.join(parameters)}")
    if not budget > 0:
        raise UsageError(f"a budget of {quantity(budget, 'core-s')} pays for no measurement")
    return at


def _beyond(
    models: ScalingModels,
    callpaths: Sequence[tuple[str, ...]],
    at: FloatArray,
    points: FloatArray,
    costs: FloatArray,
    budget: float,
    repetitions: int,
) -> tuple[Advice, ...]:
    """Choose among larger points, float64[Q, D] with the core-seconds of a run at each, what is worth it.

    The target itself is measured if nothing on the way there is worth it: then no forecast is needed.
    """
    steps: list[Advice] = []
    reached, before = models.last, float(interval_widths(models, at[None])[0][0])
    while len(steps) < _MOST_STEPS and len(points):
        widths, spans = widths_after(models, at, np.maximum(points, reached))
        runs = np.minimum(np.floor(budget / costs + _ROUNDING), repetitions)
        worth = (runs > 0) & worth_it(before, widths, spans)
        on_the_way = worth & (points < at).any(axis=1)
        worth = on_the_way if on_the_way.any() else worth & (not steps)
        if not worth.any():
            break
        gain = np.log(before / np.where(worth, widths, before))
        best = int(np.where(worth, gain / costs, -np.inf).argmax())
        steps.append(
            Advice(
                at=point_json(models.parameters, points[best]),
                repetitions=int(runs[best]),
                cost=float(runs[best] * costs[best]),
                relative_width_after=float(widths[best]),
                reduction=float(1 - widths[best] / before),
                settles=_settled(models, callpaths, at, np.maximum(points[best], reached)),
            )
        )
        reached, before = np.maximum(points[best], reached), float(widths[best])
        budget -= steps[-1].cost
    return tuple(steps)


def widths_after(models: ScalingModels, at: FloatArray, reached: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Expect the interval of the total at a target to be as wide as it is now as far beyond the range.

    The kernels sum up to the total, and `reached` float64[Q, D] are the largest values of each parameter
    after a measurement. Return its width relative to the value, and its upper over its lower end, float64[Q].
    """
    return interval_widths(models, _as_far(models, at, reached))


def worth_it(before: float, widths: FloatArray, spans: FloatArray) -> BoolArray:
    """Return after which measurements an interval is clearly narrower than before, and useful, bool[Q]."""
    found: BoolArray = (widths <= (1 - LEAST_GAIN) * before) & (spans <= USEFUL_WIDTH)
    return found


def _as_far(models: ScalingModels, at: FloatArray, reached: FloatArray) -> FloatArray:
    """Return where the present models are as far beyond their range as the target is beyond what is reached.

    Parameters that the target does not have beyond the range stay as they are.
    """
    nearer = models.last * np.maximum(at / reached, 1.0)
    return np.where(at > models.last, nearer, at)


def _settled(
    models: ScalingModels, callpaths: Sequence[tuple[str, ...]], at: FloatArray, reached: FloatArray
) -> tuple[Settled, ...]:
    """Return the kernels whose intervals at a target lose most by a measurement."""
    found = models.predict(np.stack([at, _as_far(models, at, reached)]))
    size = np.where(found.value > 0, found.value, 1.0)
    now, after = ((found.upper - found.lower) / size).T * size[:, 0]
    return _largest(now**2 - after**2, callpaths)


def _largest(taken: FloatArray, callpaths: Sequence[tuple[str, ...]]) -> tuple[Settled, ...]:
    """Name the kernels of most of what is taken from the variances, float64[K]."""
    taken = np.maximum(taken, 0.0)
    share = taken / max(float(taken.sum()), _LEAST_COST)
    named = [int(k) for k in np.argsort(-share, kind="stable")[:_NAMED] if share[k] >= _SHARE]
    return tuple(Settled(callpath=callpaths[k], share=float(share[k])) for k in named)


def _inside(
    models: ScalingModels,
    callpaths: Sequence[tuple[str, ...]],
    measured: FloatArray,
    at: FloatArray,
    budget: float,
    price: Cost,
    noise: FloatArray | None,
) -> tuple[Advice, ...]:
    """Plan for a target that lies beyond the range of no parameter, if all steps together are worth it.

    Only one that combines parameters as no run did leaves more open than repetitions could decide.
    """
    if len(at) == 1 or measured_already(at[None], measured).any():
        return ()
    points = candidate_points(measured, at)
    places = Places(points, np.maximum(price(points), _LEAST_COST), measured_already(points, measured))
    doubt, kernels = doubt_about_total(models, places, at, noise)
    steps = plan(doubt, places, budget)[:_MOST_STEPS]
    widths, spans = interval_widths(models, at[None])
    start = doubt.deviation(doubt.start)
    left = [doubt.deviation(step.after) / start for step in steps]
    if not steps or left[-1] > 1 - LEAST_GAIN or spans[0] ** left[-1] > USEFUL_WIDTH:
        return ()
    doubted = [callpaths[k] for k in kernels.tolist()]
    return tuple(
        Advice(
            at=point_json(models.parameters, points[step.place]),
            repetitions=step.repetitions,
            cost=float(places.cost[step.place]) * step.repetitions,
            relative_width_after=float(widths[0]) * after,
            reduction=1 - after / before,
            settles=_largest(step.before.covariance[:, -1, -1] - step.after.covariance[:, -1, -1], doubted),
        )
        for step, before, after in zip(steps, [1.0, *left], left, strict=False)
    )


def interval_widths(models: ScalingModels, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the widths of the total's intervals over the values, and upper over lower ends, float64[Q]."""
    places, which = np.unique(points, axis=0, return_inverse=True)
    total = predict_total(models, places)
    lower, value, upper = (np.maximum(part[0], 1e-300) for part in (total.lower, total.value, total.upper))
    which = which.reshape(-1)
    return ((upper - lower) / value)[which], (upper / lower)[which]
