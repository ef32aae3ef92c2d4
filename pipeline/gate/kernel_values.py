"""The measured values of all kernels of one study: what a check compares, and their wall times."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray, Rows
from ingest.errors import InputError
from ingest.experiment import Experiment, PlainTotals, RunRecord
from ingest.parameter_roles import NOTHING_LEFT_OUT, LeftOut
from ingest.resource_use import JOULES
from ingest.run_settings import has_single_locations, same_processor
from ingest.scaling import Scaling, ScalingDecision
from pipeline.models.kernels import (
    Kernels,
    callpath_kernels,
    is_time,
    matches,
    mean_over_repetitions,
    plain_totals,
    region_kernels,
)
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.questions.analysis import DEFAULT_REACH, named_targets, shares, target_beyond
from pipeline.questions.locations import Comparison, comparison_of, locations_of, scaled_parameter
from pipeline.questions.runtime.pop import efficiencies
from pipeline.wording.quantities import value_text

NO_LINE = -1
_REPETITION = re.compile(r"\.r(\d{1,9})(?=/|$)")  # at the end of a run's name
SAME_VALUES = 1e-4  # relative difference up to which a region equals its only call path of any size


class Scope(Enum):
    """What the values of a kernel are summed over."""

    TOTAL = "total"
    REGION = "region"
    CALLPATH = "callpath"


@dataclass(frozen=True)
class KernelId:
    """A kernel in any study: its level and its names from the root down."""

    level: Scope
    callpath: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the names joined by slashes, for identifiers."""
        return "/".join(self.callpath)

    @property
    def region(self) -> str:
        """Return the name of the kernel's region."""
        return self.callpath[-1]

    def matches(self, pattern: str) -> bool:
        """Return whether a pattern selects this kernel; ``*/name`` selects the region and its call paths.

        Only ``total`` selects the total.
        """
        if self.level is Scope.TOTAL:
            return pattern == "total"
        of_region = self.level is Scope.REGION and pattern.startswith("*/")
        return matches(self.callpath, pattern.removeprefix("*/") if of_region else pattern)


Treatment: TypeAlias = Literal["", "corrected", "measured"]
"""Whether overhead was taken out of times; empty if it is unknown."""


@dataclass(frozen=True)
class Origin:
    """The conditions under which a study was measured; empty if unknown."""

    machine: str = ""  # name of the machine
    filter: str = ""  # digest of the instrumentation filter
    overhead: Treatment = ""  # how it was treated
    recorded: frozenset[str] = frozenset()  # digests of the functions that could be recorded, called or not
    projected: str = ""  # between which machines the times were projected; empty if they are as measured
    processor: str = ""  # of the runs; several are joined by ``and``


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyModels:
    """Models of a study; behind those of its kernels there may be one of what kernels left out take."""

    values: FloatArray  # float64[K, P, R], the very values of the study that they were fitted to
    callpaths: ScalingModels  # models of the call paths, whose sum is the total
    regions: ScalingModels | None  # models of the regions, which add up to that; None without regions


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelValues(Rows):
    """K kernels at P points with R repetitions: the total, the regions, the call paths."""

    _of_all = frozenset({"parameters", "points", "parallel_efficiency", "load_balance", "repetitions"})

    parameters: tuple[str, ...]  # names of the D parameters
    parameter: str  # the one that scales
    scaling: str  # ``strong``, ``weak`` or ``none``
    metric: str  # and `unit`: what was measured
    unit: str
    points: FloatArray  # float64[P, D]
    kernels: tuple[KernelId, ...]  # one per row of `values`; the total comes first
    values: FloatArray  # float64[K, P, R], NaN if not measured
    # source file per kernel, of the nearest caller if its own is unknown; may be empty
    files: tuple[str, ...]
    lines: IntArray  # int64[K], line in that file, -1 if unknown
    parallel_efficiency: FloatArray  # float64[P], NaN if not available
    # float64[P, R], mean computing time of the locations over that of the slowest; NaN and None if unknown
    load_balance: FloatArray | None = None
    # float64[K, P], value of the location with the largest over the mean of all; NaN and None if unknown
    uneven: FloatArray | None = None
    origin: Origin = field(default_factory=Origin)  # the conditions of the measurement
    smallest_share: float = 0.0  # kernels below this share at every point may be missing
    # float64[K], standard deviation of the logarithm of what all values of a kernel have wrong in common,
    # such as by a correction for overhead; None if nothing
    common_error: FloatArray | None = None
    # float64[K, P], the same of what the resolution of values has wrong in each mean; None if nothing
    rounding: FloatArray | None = None
    # int64[P, R], number of every repetition as its run is named, -1 without a run; None if runs have none
    repetitions: IntArray | None = None
    comparison: Comparison = Comparison.UNKNOWN  # what points of different scales are compared by
    # from points float64[Q, D] to numbers of locations, float64[Q], NaN if unknown; None if all are
    locations: Callable[[FloatArray], FloatArray] | None = None
    # fitted to `values`; None, or those of other values, if they are still to be fitted
    models: StudyModels | None = None
    left_out: LeftOut = NOTHING_LEFT_OUT  # parameters of the runs that say nothing beyond these
    plain: PlainTotals | None = None  # plain times at scales without a profile; None without any

    @cached_property
    def mean(self) -> FloatArray:
        """Mean over repetitions, float64[K, P]; 0 if not measured."""
        known = np.isfinite(self.values)
        mean: FloatArray = np.where(known, self.values, 0.0).sum(axis=2) / np.maximum(known.sum(axis=2), 1)
        return mean

    @cached_property
    def share(self) -> FloatArray:
        """Share of the total, float64[K, P]; the total is the first kernel."""
        return self.share_of(self.mean)

    @property
    def typical_balance(self) -> FloatArray:
        """Median of the load balance over repetitions, float64[P]."""
        assert self.load_balance is not None
        return np.array(
            [
                np.median(one[np.isfinite(one)]) if np.isfinite(one).any() else np.nan
                for one in self.load_balance
            ]
        )

    @property
    def measured_once(self) -> bool:
        """Whether no point has repetitions."""
        return int(np.isfinite(self.values).any(axis=0).sum(axis=1).max(initial=0)) <= 1

    def share_of(self, mean: FloatArray) -> FloatArray:
        """Return the share of this study's total, float64[K, P], of kernels given by their means."""
        total = self.mean[:1]
        return np.divide(mean, total, out=np.zeros(mean.shape), where=total > 0)

    @property
    def column(self) -> int:
        """Which of the parameters scales."""
        return self.parameters.index(self.parameter)

    @property
    def scale(self) -> FloatArray:
        """Values of the parameter that scales, float64[P]."""
        return np.asarray(self.points[:, self.column])

    @property
    def per(self) -> LocationCount | None:
        """The locations of which values are those of one, for `fit`: in proportion to the parameter."""
        weak = self.scaling == Scaling.WEAK.value and self.unit != JOULES
        return LocationCount(factor=1.0, columns=(self.column,)) if weak else None

    def named(self, points: FloatArray) -> tuple[dict[str, float], ...]:
        """Return points, float64[P, D], as one mapping from parameter to value each."""
        return tuple(dict(zip(self.parameters, row, strict=True)) for row in points.tolist())

    def targets(self, at: Sequence[Mapping[str, float]]) -> FloatArray:
        """Return targets, float64[Q, D]; without any `DEFAULT_REACH` times the largest scale."""
        if at:
            return named_targets(self.parameters, self.points, at, "targets", self.left_out)
        return target_beyond(self.parameters, self.points, self.column, DEFAULT_REACH)

    def over(self, parameters: Sequence[str]) -> "KernelValues":
        """Return the study over those of some parameters, too, that it has left out."""
        values, own = self.left_out.values, self.parameters
        names = tuple(name for name in parameters if name in values or name in own)
        if set(names) <= set(own):
            return self
        columns = [values[n] if n in values else self.points[:, own.index(n)] for n in names]
        return replace(
            self, parameters=names, points=np.column_stack(columns), locations=None, models=None, plain=None
        )

    def rows_of(self, level: Scope) -> IntArray:
        """Return the rows of the kernels of a level, int64."""
        return np.flatnonzero([kernel.level is level for kernel in self.kernels])

    def above_share(self, smallest_share: float) -> "KernelValues":
        """Return the kernels that reach a share of the total at some point; the total is one of them."""
        rows = np.flatnonzero((self.share >= smallest_share).any(axis=1))
        return replace(self.take(rows), smallest_share=smallest_share)

    def only_callpaths(self) -> dict[str, tuple[str, ...]]:
        """Return the regions whose values are those of a single call path, with that call path.

        Testing both would be testing the same values twice.
        """
        size = self.mean.sum(axis=1)
        whole = {k.region: size[i] for i, k in enumerate(self.kernels) if k.level is Scope.REGION}
        return {
            k.region: k.callpath
            for i, k in enumerate(self.kernels)
            if k.level is Scope.CALLPATH
            and abs(size[i] - whole.get(k.region, np.inf)) <= SAME_VALUES * size[i]
        }


def regions_of(kernels: Iterable[KernelId]) -> set[str]:
    """Return the names of the regions that occur among kernels, as such or at the end of a call path."""
    return {k.region for k in kernels if k.level is not Scope.TOTAL}


def measurements_of(
    experiment: Experiment, decision: ScalingDecision, metric: str, origin: Origin | None = None
) -> KernelValues:
    """Take the kernels of an experiment; InputError if the metric was not measured, or has no sum."""
    if metric in experiment.metrics_of_runs or experiment.metric(metric).kind.extreme:
        hint = "choose time, visits or a counter"
        raise InputError(f"{metric} has no sum over call paths that could be compared", hint=hint)
    callpaths = callpath_kernels(experiment, metric, decision.scaling)
    regions, total = region_kernels(callpaths), callpaths.total
    files, lines = _sources(experiment)
    heaviest = _heaviest(callpaths, regions)
    kernels = (
        KernelId(Scope.TOTAL, ("total",)),
        *(KernelId(Scope.REGION, region) for region in regions.callpaths),
        *(KernelId(Scope.CALLPATH, path) for path in callpaths.callpaths),
    )
    found = efficiencies(experiment, decision)
    unknown = np.full(len(experiment.points), np.nan)
    return KernelValues(
        parameters=experiment.parameters,
        parameter=scaled_parameter(experiment, decision),
        scaling=decision.scaling.value,
        metric=callpaths.metric,
        unit=callpaths.unit,
        points=experiment.points,
        kernels=kernels,
        values=np.concatenate([total.values, regions.values, callpaths.values]),
        files=("", *(files[i] for i in heaviest.tolist()), *files),
        lines=np.concatenate([[NO_LINE], lines[heaviest], lines]).astype(np.int64),
        parallel_efficiency=found.parallel if found is not None else unknown,
        load_balance=experiment.of_runs(_load_balance) if found is not None else None,
        uneven=_uneven(experiment, metric, len(regions)),
        origin=origin or Origin(),
        common_error=_common_error(experiment, regions, callpaths),
        repetitions=_repetition_numbers(experiment),
        comparison=comparison_of(experiment, decision),
        locations=locations_of(experiment, decision, metric),
        left_out=experiment.left_out,
        plain=plain_totals(experiment, callpaths),
    )


def _load_balance(run: RunRecord) -> float:
    """Divide the mean computing time of the locations by the slowest's; NaN if only means are known."""
    known = has_single_locations(run.attributes) and run.useful_time.any()
    return float(run.useful_time.mean() / run.useful_time.max()) if known else np.nan


def _uneven(experiment: Experiment, metric: str, regions: int) -> FloatArray | None:
    """Values of the largest location over their mean, NaN for sums of call paths: float64[K, P]."""
    if experiment.is_series:
        return None
    reduction = experiment.values[metric]
    largest, mean = mean_over_repetitions(reduction.max), mean_over_repetitions(reduction.mean)
    known = np.full(mean.shape, np.nan)
    np.divide(largest, mean, out=known, where=mean > 0)
    return np.concatenate([np.full((1 + regions, mean.shape[1]), np.nan), known])


def _common_error(experiment: Experiment, regions: Kernels, callpaths: Kernels) -> FloatArray | None:
    if experiment.correction is None or not callpaths.common_error.any():
        return None
    return np.concatenate(
        [[experiment.correction.total_deviation], regions.common_error, callpaths.common_error]
    )


def _repetition_numbers(experiment: Experiment) -> IntArray | None:
    """Number of every repetition, int64[P, R], from the names of the runs; None if one has none."""
    numbers = np.full(experiment.shape, -1, dtype=np.int64)
    for run in experiment.runs:
        found = _REPETITION.findall(run.source)
        if not found:
            return None
        numbers[run.point, run.repetition] = int(found[-1])
    return numbers if experiment.runs else None


def _heaviest(callpaths: Kernels, regions: Kernels) -> IntArray:
    """For every region its call path with the largest share over all points, int64[regions]."""
    number = {name: r for r, name in enumerate(regions.regions)}
    group = np.array([number[name] for name in callpaths.regions], dtype=np.int64)
    weight = shares(np.nan_to_num(callpaths.mean)).sum(axis=1)
    order = np.lexsort((weight, group))
    last = np.append(np.flatnonzero(np.diff(group[order])), len(order) - 1)
    heaviest: IntArray = order[last]
    return heaviest


def _sources(experiment: Experiment) -> tuple[list[str], IntArray]:
    """File and line per call path; a callee without, such as an MPI function, takes its caller's."""
    regions, region = experiment.regions, experiment.tree.region
    lines = regions.line[region].astype(np.int64)
    files = [regions.file[r] for r in region.tolist()]
    for node, parent in enumerate(experiment.tree.parent.tolist()):  # preorder: callers come first
        if lines[node] < 0 and parent >= 0:
            files[node], lines[node] = files[parent], lines[parent]
    return files, lines


@dataclass(frozen=True, eq=False)
class WallTimes:
    """What K kernels take at one point; NaN if it does not apply or is not available."""

    seconds: FloatArray  # float64[K], effort over locations
    # float64[K], relative to the smallest measured scale with the same other parameters: its effort over the
    # effort here under strong scaling, its wall time over that here under weak scaling
    efficiency: FloatArray


def wall_times(study: KernelValues, values: FloatArray, point: FloatArray) -> WallTimes:
    """Return wall times and efficiencies of a study's values, float64[K], at a point, float64[D]."""
    unknown = np.full(len(study.kernels), np.nan)
    if study.locations is None or not is_time(study.metric, study.unit):
        return WallTimes(unknown, unknown)
    effort, seconds = _effort_and_seconds(study, values, point)
    reference = _reference(study, point)
    if reference is None:
        return WallTimes(seconds, unknown)
    before = _effort_and_seconds(study, study.mean[:, reference], study.points[reference])
    if study.comparison is Comparison.STRONG:
        return WallTimes(seconds, _ratio(before[0], effort))
    if study.comparison is Comparison.WEAK:
        return WallTimes(seconds, _ratio(before[1], seconds))
    return WallTimes(seconds, unknown)


def _effort_and_seconds(
    study: KernelValues, values: FloatArray, point: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return values as effort of all locations and as seconds of one; NaN if their number is unknown."""
    assert study.locations is not None
    locations = float(study.locations(point[None, :])[0])
    if study.metric == "effort" or study.unit == "GPU-s":
        return values, values / locations
    return values * locations, values


def _reference(study: KernelValues, point: FloatArray) -> int | None:
    """Return the smallest measured scale with the same other parameters; None if there is none."""
    others = np.delete(study.points, study.column, axis=1)
    same = (others == np.delete(point, study.column)).all(axis=1)
    rows = np.flatnonzero(same)
    return int(rows[study.scale[rows].argmin()]) if len(rows) else None


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(above, below, out=np.full(len(below), np.nan), where=below > 0)
    return ratio


_SAME_POINT = 1e-9  # relative difference of parameter values of the same point
_TREATED = {"corrected": "are corrected for overhead", "measured": "are as measured"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Matched:
    """The kernels that both studies have, in the order of the candidate, and those of one study only."""

    # `baseline` and `candidate`: all their points; row i of both is the same kernel, row 0 the total
    baseline: KernelValues
    candidate: KernelValues
    points: FloatArray  # float64[P, D], the common points
    base_at: IntArray  # and `candidate_at`: int64[P], the indices of the common points in either study
    candidate_at: IntArray
    new: KernelValues  # the kernels only the candidate has
    vanished: KernelValues  # the kernels only the baseline has

    @property
    def scale(self) -> FloatArray:
        """Values of the parameter that scales at the common points, float64[P]."""
        return self.baseline.scale[self.base_at]

    @property
    def largest(self) -> tuple[int, int]:
        """Index of the largest common scale in either study; of the largest of each if none is common."""
        if len(self.points):
            largest = int(np.argmax(self.scale))
            return int(self.base_at[largest]), int(self.candidate_at[largest])
        return int(np.argmax(self.baseline.scale)), int(np.argmax(self.candidate.scale))

    @property
    def sides(self) -> tuple[tuple[KernelValues, IntArray], ...]:
        """Both studies, each with the indices of the common points."""
        return (self.baseline, self.base_at), (self.candidate, self.candidate_at)

    @property
    def is_callpath(self) -> BoolArray:
        """bool[K], the kernels that are not sums of others."""
        return np.array([k.level is Scope.CALLPATH for k in self.candidate.kernels], dtype=bool)


def over_the_same(baseline: KernelValues, candidate: KernelValues) -> tuple[KernelValues, KernelValues]:
    """Return two studies over the same parameters, if each has left out what only the other has.

    InputError if they have left out a parameter that is not the same in both.
    """
    both = baseline.over(candidate.parameters), candidate.over(baseline.parameters)
    for name in baseline.left_out.values.keys() & candidate.left_out.values.keys():
        before, now = (dict(zip(one.scale.tolist(), one.left_out.values[name], strict=True)) for one in both)
        for one, other in ((value, now[scale]) for scale, value in before.items() if scale in now):
            if one != other:
                what = f"different {name}: {value_text(one)} in the baseline, {value_text(other)} here"
                raise InputError(what, hint="compare runs of the same size")
    return both


def match(baseline: KernelValues, candidate: KernelValues) -> Matched:
    """Match points and kernels.

    A kernel that is zero at all points counts as missing: the union of call trees has such rows. InputError
    if parameters, metric or scaling differ, so that no kernel can be compared.
    """
    for what in ("parameters", "metric", "unit", "scaling"):
        one, two = getattr(baseline, what), getattr(candidate, what)
        if one != two:
            raise InputError(
                f"different {what}: {_shown(one)} in the baseline, {_shown(two)} here",
                hint="compare studies of the same kind, or write a new baseline",
            )
    treated = {study.origin.overhead for study in (baseline, candidate)} - {""}
    if len(treated) > 1:
        raise InputError(
            f"times {_TREATED[baseline.origin.overhead]} in the baseline, "
            f"{_TREATED[candidate.origin.overhead]} here",
            hint="give --overhead correct or --overhead keep to both",
        )
    base_at, candidate_at = _common_points(baseline.points, candidate.points)
    old, now = _occurring(baseline), _occurring(candidate)
    both = _without_duplicates(baseline, candidate, [kernel for kernel in now if kernel in old])

    def rows(numbers: Iterable[int]) -> IntArray:
        return np.array(list(numbers), dtype=np.int64)

    return Matched(
        baseline=baseline.take(rows(old[k] for k in both)),
        candidate=candidate.take(rows(now[k] for k in both)),
        points=baseline.points[base_at],
        base_at=base_at,
        candidate_at=candidate_at,
        new=candidate.take(rows(i for k, i in now.items() if k not in old)),
        vanished=baseline.take(rows(i for k, i in old.items() if k not in now)),
    )


def _common_points(baseline: FloatArray, candidate: FloatArray) -> tuple[IntArray, IntArray]:
    """Indices of the points, float64[P, D], that occur in both, in the order of the baseline."""
    difference = np.abs(baseline[:, None, :] - candidate[None, :, :])
    same = (difference <= _SAME_POINT * np.abs(baseline)[:, None, :]).all(axis=2)
    first, second = np.nonzero(same)
    return first, second


def _occurring(study: KernelValues) -> dict[KernelId, int]:
    """Kernels with any value above zero, and the total, with their rows."""
    return {k: i for i, k in enumerate(study.kernels) if study.mean[i].any() or i == 0}


def _without_duplicates(
    baseline: KernelValues, candidate: KernelValues, common: list[KernelId]
) -> list[KernelId]:
    """Drop the regions that are one and the same call path in both studies."""
    one, two = baseline.only_callpaths(), candidate.only_callpaths()
    duplicates = {name for name, callpath in one.items() if two.get(name) == callpath}
    return [k for k in common if k.level is not Scope.REGION or k.region not in duplicates]


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def incomparable(baseline: KernelValues, candidate: KernelValues) -> tuple[str, ...]:
    """Return why the two studies must not be compared kernel by kernel, and what to do about it."""
    reasons = []
    for what, consequence, means in (
        ("machine", "times of different machines say nothing about the code", "on this machine"),
        (
            "processor",
            "times of another say nothing about the code",
            "on this one, or give both one --machine",
        ),
        ("filter", "the time of filtered regions moves to their callers", "with this filter"),
    ):
        one, two = getattr(baseline.origin, what), getattr(candidate.origin, what)
        if one and two and one != two and not (what == "processor" and same_processor(one, two)):
            reasons.append(
                f"different {what}: {one} in the baseline, {two} here; {consequence}: "
                f"measure the baseline again {means}"
            )
    before, now = (study.origin.projected or "as measured" for study in (baseline, candidate))
    if before != now:
        reasons.append(
            f"different machines: the baseline's times are {before}, these {now}: "
            "use the same --from and --on for both"
        )
    return tuple(reasons)
