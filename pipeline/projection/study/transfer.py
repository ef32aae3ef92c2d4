"""From times on one machine to times on another, kernel by kernel, on draws of all that is uncertain."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.scaling import Scaling
from pipeline.models.prediction import LEAST_LOWER, Prediction
from pipeline.projection.expressions.ensembles import stream
from pipeline.projection.rooflines.region_verdicts import COMMON_VARIANCE
from pipeline.projection.study.kernel_table import (
    MIXED_ERROR,
    PATTERNS,
    KernelTable,
    Pattern,
    Way,
    network_ratio,
    seconds_of_calls,
)
from pipeline.projection.study.study_machine import (
    BW_GPU,
    MACHINE_DRAWS,
    PEAK_GPU,
    Rows,
    StudyMachine,
    slowdowns,
)
from pipeline.statistics import TWO_SIDED

_BLOCK = 256  # kernels whose draws are held at once
_VALUES_AT_ONCE = 1 << 22
_STAYS_ERROR = 0.5  # standard deviation of the logarithm of what stays as measured: files, start-up, offload
_SMALLEST = 1e-300
_FALLS = -0.5  # slope of the logarithm of the wall time over that of the locations, from which work is shared


@dataclass(frozen=True, eq=False)
class ParallelLoss:
    """What of a program's time is lost to running on many nodes.

    Where no timer shows communication, such as in a table of run times, scaling does: core-seconds that grow
    with the nodes under strong scaling, or seconds under weak scaling, are messages and waiting.
    """

    locations: FloatArray  # float64[P], ascending
    # float64[P] of measured scales, core-seconds under strong scaling, seconds under weak scaling
    cost: FloatArray
    node: float
    strong: bool  # whether costs are core-seconds

    def share(self, locations: FloatArray, wall: FloatArray) -> FloatArray:
        """Return which part of the wall time is lost, float64[Q] as locations and seconds; 0 on one node."""
        cost = wall * locations if self.strong else wall
        least = np.minimum.accumulate(self.cost)
        place = np.searchsorted(self.locations, locations, side="right") - 1
        usual = np.where(place >= 0, least[place], cost)
        lost = 1.0 - np.divide(usual, cost, out=np.ones(len(cost)), where=cost > 0)
        return np.where(locations > self.node, np.clip(lost, 0.0, 1.0), 0.0)


def parallel_loss(
    scaling: Scaling, locations: FloatArray, wall: FloatArray, node: float
) -> ParallelLoss | None:
    """Return what measured scales say, from the smallest one of at least a node on; None for fewer than two.

    Locations and measured seconds are float64[P]. If it is not known how it scales, work is shared where the
    wall time falls.
    """
    used = (wall > 0) & (locations >= node)
    order = np.argsort(locations[used])
    locations, wall = locations[used][order], wall[used][order]
    if len(np.unique(locations)) < 2:
        return None
    strong = scaling is Scaling.STRONG
    if scaling is Scaling.NONE:
        strong = bool(np.log(wall.min() / wall[0]) < _FALLS * np.log(locations[wall.argmin()] / locations[0]))
    return ParallelLoss(locations, wall * locations if strong else wall, node, strong)


@dataclass(frozen=True, eq=False, kw_only=True)
class Transfer:
    """Takes times of K kernels from one machine to another."""

    source: StudyMachine
    target: StudyMachine
    table: KernelTable
    locations: Callable[[FloatArray], FloatArray]  # float64[Q] of the program at points float64[Q, D]
    correlation: float  # how strongly the errors of the predictions here go together, 0 to 1
    per_location: bool  # whether times are seconds of one location rather than core-seconds of all
    # what computing kernels lose to running on many nodes; None if communication was measured
    loss: ParallelLoss | None

    @property
    def stays(self) -> bool:
        """Whether both are one machine, so that nothing changes, nor is uncertain."""
        return self.source.machine.path.resolve() == self.target.machine.path.resolve()

    @property
    def points_at_once(self) -> int:
        """How many points are drawn at once, so that draws take about 200 MiB."""
        calls = int(self.table.is_way(Way.CALLS).sum())
        return max(1, _VALUES_AT_ONCE // (MACHINE_DRAWS * max(calls, _BLOCK)))

    def there(
        self, points: FloatArray, here: Prediction, total_here: Prediction, level: float
    ) -> tuple[Prediction, Prediction, Rows]:
        """Return the times there of every kernel, of their sum, and the error of what takes the sum there.

        That error are factors float64[1 + draw, Q], the first 1, in the same draws at all points. Intervals
        of the K kernels here are of 90 %, those there and that of the sum here of `level`. The sum errs there
        by what it errs here and by what the factor between both errs.
        """
        if self.stays:
            return here, total_here, np.ones((1 + MACHINE_DRAWS, len(points)))
        locations = self.locations(points)
        slower = np.log(slowdowns(self.source, self.target, locations))
        lost = self._lost(locations, total_here)
        before, after = np.zeros((2, 1 + MACHINE_DRAWS, len(points)))
        for kernels in self._blocks(Way.COMPUTES):
            times = self._times(kernels, here)
            before += times.sum(axis=1)
            after += (times * self._factors(kernels, slower, *lost)).sum(axis=1)
        calls = np.flatnonzero(self.table.is_way(Way.CALLS))
        times = self._times(calls, here)
        transferred, waited = self._calls(calls, points, locations, times)
        others, stays = (
            sum(self._times(kernels, here).sum(axis=1) for way in ways for kernels in self._blocks(way))
            for ways in ((Way.WAITS, Way.MESSAGES), (Way.STAYS, Way.ACCELERATES))
        )
        total = before + times.sum(axis=1) + others + stays
        waits = waited.sum(axis=1) + others
        share = self.source.share_of_core(locations) / self.target.share_of_core(locations)
        computing, waiting = _with_own_cores(share, total, before, waits)
        waiting = waiting * _ratio(after, before, np.exp(slower[:, 0]))

        found = _Collected.of(here.value.shape, level)
        if len(calls):
            found.keep(calls, transferred + waited * waiting[:, None])
        ways: Mapping[Way, Callable[[IntArray], Rows]] = {
            Way.COMPUTES: lambda kernels: self._factors(kernels, slower, *lost) * computing[:, None],
            Way.WAITS: lambda _: waiting[:, None],
            Way.MESSAGES: lambda kernels: self._messages(kernels, locations, waiting),
            Way.ACCELERATES: self._accelerated,
            Way.STAYS: lambda kernels: _errors("stays", kernels, _STAYS_ERROR),
        }
        for way, factors in ways.items():
            for kernels in self._blocks(way):
                found.keep(kernels, self._times(kernels, here) * factors(kernels))
        errors = _ratio(found.total, total, 1.0)
        errors /= np.maximum(errors[0], _SMALLEST)
        together = _sum_there(found.total[0], errors, total_here, level)
        value = found.prediction.value
        return found.prediction, Prediction(value.sum(axis=0)[None], *together), errors

    def _blocks(self, way: Way) -> Iterator[IntArray]:
        kernels = np.flatnonzero(self.table.is_way(way))
        return (kernels[start : start + _BLOCK] for start in range(0, len(kernels), _BLOCK))

    def _times(self, kernels: IntArray, here: Prediction) -> Rows:
        """Draw the times here of k kernels, float64[1 + draw, k, Q].

        They are normal above the value and log-normal below, so that both ends of the interval are kept, no
        time is negative, and an interval of many decades does not grow beyond its end.
        """
        value = np.maximum(here.value[kernels], 0.0)
        size = np.where(value > 0, value, 1.0)
        below = -np.log(np.clip(here.lower[kernels] / size, LEAST_LOWER, 1.0))
        above = np.maximum(here.upper[kernels] / size - 1.0, 0.0)
        common = _normal("common", np.zeros(1, dtype=np.int64))
        normal = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * _normal("here", kernels)
        deviation = normal[..., None] / TWO_SIDED
        factor = np.where(deviation > 0, 1.0 + above * deviation, np.exp(below * np.minimum(deviation, 0.0)))
        return np.asarray(value * factor)

    def _factors(self, kernels: IntArray, slower: Rows, part: Rows, network: Rows) -> Rows:
        """By what the times of k kernels that compute are multiplied, float64[1 + draw, k, Q].

        `slower` are logarithms of `slowdowns`; `part` of the times are messages unless counters show what
        limits them, and these are multiplied by `network`, rows of [Q] both.
        """
        mix = self.table.drawn_mix(kernels, stream("mix"))
        errors = _errors("method", kernels, self.table.method_error(kernels), COMMON_VARIANCE)
        found = np.exp(np.einsum("dkr,drq->dkq", mix, slower)) * errors
        part = np.where(self.table.tested[kernels, None], 0.0, part[:, None])
        return np.asarray(found * (1.0 - part) + part * network[:, None])

    def _accelerated(self, kernels: IntArray) -> Rows:
        """By what the times of k kernels of accelerators are multiplied, float64[1 + draw, k, 1].

        Whether bandwidth or arithmetic limits them is open.
        """
        slower = [
            np.log(self.source.figures[key] / self.target.figures[key])[:, None] for key in (BW_GPU, PEAK_GPU)
        ]
        share = _unknown_share("accelerator")
        factor = np.exp(share * slower[0] + (1.0 - share) * slower[1])[:, None]
        return factor * _errors("accelerator", kernels, MIXED_ERROR, COMMON_VARIANCE)

    def _lost(self, locations: FloatArray, total: Prediction) -> tuple[Rows, Rows]:
        """Return which part of computing kernels are messages, rows of [Q], and by what these are multiplied.

        How much of what scaling loses is messages, and how much waiting for processes that compute, is open.
        """
        nothing = np.zeros((1 + MACHINE_DRAWS, len(locations)))
        if self.loss is None:
            return nothing, nothing
        wall = total.value[0] / (1.0 if self.per_location else locations)
        share = _unknown_share("lost") * self.loss.share(locations, wall)
        trees, messages = (self._network(one, locations) for one in (Pattern.REDUCTION, Pattern.MESSAGE))
        return share, np.sqrt(trees * messages)

    def _network(self, pattern: Pattern, locations: FloatArray) -> Rows:
        return network_ratio(self.source, self.target, pattern, locations, "network")

    def _messages(self, kernels: IntArray, locations: FloatArray, waiting: Rows) -> Rows:
        """By what the times of k kernels that communicate without being counted are multiplied."""
        patterns = self.table.pattern[kernels]
        ratios = {n: self._network(PATTERNS[n], locations) for n in np.unique(patterns).tolist()}
        network = np.stack([ratios[n] for n in patterns.tolist()], axis=1)
        share = _unknown_share("messages")[:, None]
        return share * network + (1.0 - share) * waiting[:, None]

    def _calls(
        self, kernels: IntArray, points: FloatArray, locations: FloatArray, times: Rows
    ) -> tuple[Rows, Rows]:
        """Split the times here of k kernels: return what their calls take there, and how long they waited.

        A call that takes longer on the network than it was measured to take goes on in the background: what
        is left of it is waited for where messages are completed or received.
        """
        table = self.table
        if table.visits is None or not len(kernels):
            return times * 0.0, times
        visits = np.maximum(table.visits(points)[kernels], 0.0)
        patterns = table.pattern[kernels]
        moved = visits * 0.0 if table.moved is None else np.maximum(table.moved(points)[kernels], 0.0)
        if table.moved is not None:  # a call without bytes posts or tests a message, it moves none
            moves_none = (moved <= 0) & (patterns == PATTERNS.index(Pattern.MESSAGE))[:, None]
            visits = np.where(moves_none, 0.0, visits)
        there = seconds_of_calls(self.target, patterns, visits, moved, locations)
        if not self.source.has_messages:  # what of the measured time was waiting is unknown
            share = stream("share", kernels.tobytes()).uniform(size=(1 + MACHINE_DRAWS, len(kernels), 1))
            share[0] = 0.5
            return there, times * share
        calls = seconds_of_calls(self.source, patterns, visits, moved, locations)
        # kernels that finish wait for what calls leave
        own = np.minimum(calls, times)
        left, room = calls - own, np.where(table.finishes[kernels][:, None], times - own, 0.0)
        ratio = np.divide(there, calls, out=np.zeros(there.shape), where=calls > 0)
        of_left = _ratio((left * ratio).sum(axis=1), left.sum(axis=1), 0.0)
        later = room * np.minimum(_ratio(left.sum(axis=1), room.sum(axis=1), 0.0), 1.0)[:, None]
        free_here = np.where(calls > 0, 0.0, there)
        return own * ratio + later * of_left[:, None] + free_here, times - own - later


def _with_own_cores(share: FloatArray, total: Rows, computing: Rows, waiting: Rows) -> tuple[Rows, Rows]:
    """Return by what computing and waiting, float64[draw, Q], are multiplied if cores are shared otherwise.

    Of the time of processes that share cores, all but their share was waiting for a core. It shows as waiting
    in the program, since processes that wait let others run; computing is not taken to be faster than it was
    measured. `share` float64[Q] is what a process had of a core over what it has there.
    """
    idle = total * (1.0 - share)
    return 1.0 + _ratio(np.maximum(-idle, 0.0), computing, 0.0), 1.0 - np.clip(
        _ratio(idle, waiting, 0.0), 0.0, 1.0
    )


@dataclass(frozen=True, eq=False)
class _Collected:
    """Predictions of kernels as they become known, and the draws of their sum."""

    prediction: Prediction
    total: Rows
    level: float

    @classmethod
    def of(cls, shape: tuple[int, ...], level: float) -> "_Collected":
        nothing = Prediction(np.zeros(shape), np.zeros(shape), np.zeros(shape))
        return cls(nothing, np.zeros((1 + MACHINE_DRAWS, shape[1])), level)

    def keep(self, kernels: IntArray, rows: Rows) -> None:
        tail, best = (1 - self.level) / 2, rows[0]
        lower, upper = np.quantile(rows[1:], [tail, 1 - tail], axis=0)
        self.prediction.value[kernels] = best
        self.prediction.lower[kernels] = np.minimum(lower, best)
        self.prediction.upper[kernels] = np.maximum(upper, best)
        self.total[...] += rows.sum(axis=1)


def _sum_there(
    there: FloatArray, errors: Rows, total_here: Prediction, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the interval of the sum float64[Q] there, one row each.

    On either side the error of the sum here and that of the factor are added as standard deviations are.
    """
    tail = (1 - level) / 2
    quantiles = np.quantile(errors[1:], [tail, 1 - tail], axis=0)
    ends = []
    for sign, factor, end in zip((-1, 1), quantiles, (total_here.lower, total_here.upper), strict=True):
        of_sum = end[0] / np.maximum(total_here.value[0], _SMALLEST)
        sides = [np.maximum(sign * np.log(np.maximum(ratio, LEAST_LOWER)), 0.0) for ratio in (factor, of_sum)]
        ends.append((there * np.exp(sign * np.hypot(*sides)))[None])
    return ends[0], ends[1]


def _normal(key: str, kernels: IntArray) -> Rows:
    """Standard normal errors of k kernels, float64[1 + draw, k]; the best values have none."""
    drawn = stream(key, kernels.tobytes()).standard_normal((1 + MACHINE_DRAWS, len(kernels)))
    drawn[0] = 0.0
    return drawn


def _unknown_share(key: str) -> Rows:
    """A share of which nothing is known, the same of all kernels, float64[1 + draw, 1]."""
    drawn = stream("share", key).uniform(size=(1 + MACHINE_DRAWS, 1))
    drawn[0] = 0.5
    return drawn


def _errors(key: str, kernels: IntArray, deviation: FloatArray | float, common: float = 0.0) -> Rows:
    """Factors float64[1 + draw, k, 1] with that standard deviation of the logarithm, part of it in common."""
    shared = _normal(key, np.full(1, -1, dtype=np.int64))
    normal = np.sqrt(common) * shared + np.sqrt(1 - common) * _normal(key, kernels)
    return np.asarray(np.exp(deviation * normal)[..., None])


def _ratio(above: FloatArray, below: FloatArray, otherwise: FloatArray | float) -> FloatArray:
    out = np.broadcast_to(np.asarray(otherwise, dtype=np.float64), above.shape).copy()
    return np.divide(above, below, out=out, where=below > 0)
