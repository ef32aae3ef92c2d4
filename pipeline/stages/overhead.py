"""The overhead stage: times as the program takes them without instrumentation."""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import TypeAlias

import numpy as np

from filters.correction import (
    correct_overhead,
    correction_sentence,
    has_noticeable_overhead,
    runs_of,
    taking_less,
    with_overhead_left,
)
from filters.event_cost import EventCost, Visited, calibrated
from filters.instrumentation import filtered_at_run_time
from filters.known_plain import (
    KNOWN_SPREAD,
    TAIL,
    KnownPlain,
    inside_program,
    plain_by_pair,
    plain_by_run_time,
    same_runs,
)
from filters.make_filter import GIVEN_SPREAD, SeriesCalibration
from filters.rejected_visits import RejectedVisits, rejected_visits, uncounted_visits
from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import UsageError
from ingest.experiment import TIME, Experiment, OverheadCorrection, PlainTotals
from ingest.locate import locate
from ingest.number_text import figure
from ingest.reading.packed import open_regular
from ingest.run_names import named_parameters
from ingest.scaling import decide_scaling
from pipeline.config.options import Options
from pipeline.models.fit import fit
from pipeline.models.plain_totals import SharedError, distances, shared_error
from pipeline.questions.analysis import SCALES_NEEDED, scaling_of, too_few_scales
from pipeline.questions.locations import locations_of
from pipeline.questions.runtime.estimate import plain_spread
from pipeline.stages.ingest import Ingested, ingest
from pipeline.wording.quantities import counted, point_text, signed_percent, times, value_text

SECONDS_COLUMN = "seconds"
STARTUP = "startup"  # what of them may be start-up, which profiles do not have


@dataclass(frozen=True, kw_only=True)
class PlainRun:
    """A run without instrumentation."""

    at: Mapping[str, float]  # the study's parameters, and those left out of it that are given
    seconds: float  # wall time
    startup: float = 0.0  # seconds of it that may be none of the program's

    def place(self, parameters: Sequence[str]) -> tuple[float, ...]:
        """The point over some parameters."""
        return tuple(self.at[name] for name in parameters)

    @property
    def of_program(self) -> float:
        """Seconds that are probably the program's."""
        return math.sqrt(self._inside * self.seconds)

    @property
    def doubt(self) -> float:
        """Standard deviation of their logarithm from what may be start-up."""
        return math.log(self.seconds / self._inside) / (2 * TAIL)

    @property
    def _inside(self) -> float:
        return float(inside_program(self.seconds, self.startup))


def read_plain_runs(path: Path, parameters: Sequence[str], left_out: Sequence[str]) -> list[PlainRun]:
    """Read a CSV file with the parameters and ``seconds`` as columns, and ``startup`` where it is known.

    UsageError if it cannot be read, or a column is missing or a value invalid.
    """
    hint = f"write a header line {','.join((*parameters, SECONDS_COLUMN))} and a line per run"
    try:
        with TextIOWrapper(open_regular(path), encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            columns = tuple(reader.fieldnames or ())
            if missing := [name for name in (*parameters, SECONDS_COLUMN) if name not in columns]:
                raise _without_column(path, missing, columns, hint)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot be read ({what})", where=str(path), hint=hint) from error
    if not rows:
        raise UsageError("has no run", where=str(path), hint=hint)
    return [_plain_run(row, parameters, left_out, f"{path}:{line}", hint) for line, row in rows]


def _without_column(path: Path, missing: Sequence[str], columns: Sequence[str], hint: str) -> UsageError:
    if "seconds" in "".join(columns) and SECONDS_COLUMN in missing:
        hint = f"name the column of the wall time of a run '{SECONDS_COLUMN}'; there are {', '.join(columns)}"
    return UsageError(f"has no column {', '.join(missing)}", where=str(path), hint=hint)


def _plain_run(
    row: Mapping[str, str], parameters: Sequence[str], left_out: Sequence[str], where: str, hint: str
) -> PlainRun:
    try:
        at = {name: float(row[name]) for name in (*parameters, *(n for n in left_out if row.get(n)))}
        seconds, startup = float(row[SECONDS_COLUMN]), float(row.get(STARTUP) or 0.0)
    except (TypeError, ValueError) as error:
        raise UsageError("a value is missing or not a number", where=where, hint=hint) from error
    if not 0.0 <= startup <= seconds < float("inf") or not seconds:
        raise UsageError(f"invalid run time {value_text(seconds)}", where=where, hint=hint)
    return PlainRun(at=at, seconds=seconds, startup=startup)


# of a correction's deviation, that no other scale tells, and of what is left after plain times at profiled
# scales; learned from 32 programs
_OF_EACH_SCALE, _OF_WHAT_IS_LEFT = 0.2, 0.5
_ASTRAY = 3.0  # standard deviations from what the profiles lead to, from which a plain time is doubted


def with_plain_points(
    experiment: Experiment, runs: Sequence[PlainRun], elsewhere: Sequence[PlainRun], options: Options
) -> Experiment:
    """Let plain runs, also those `elsewhere`, at points without a profile, count as points of the total.

    What they say of the error that corrected totals share moves the times of all scales without a plain run.
    """
    correction, parameters = experiment.correction, experiment.parameters
    if correction is None or not runs:
        return experiment
    at = _times(runs, parameters)
    known = (distances(experiment.points, at.points) == 0).any(axis=1)
    if not elsewhere and (known.all() or not correction.total_deviation):
        return experiment
    decision = decide_scaling(experiment, scaling_of(options.scaling))
    locations = locations_of(experiment, decision)(at.points)
    if reason := _unusable(experiment, locations):
        notice = (f"{_named(elsewhere)} not used: {reason}",) if elsewhere else ()
        return replace(experiment, notices=(*experiment.notices, *notice))
    totals = experiment.values[TIME].sum.sum(axis=0, keepdims=True)
    unsure = ~known if not too_few_scales(experiment.points[~known]) else np.ones_like(known)
    away = distances(at.points, experiment.points[unsure])
    plain = PlainTotals(
        points=tuple(map(tuple, at.points.tolist())),
        total=tuple((at.seconds * locations).tolist()),
        locations=tuple(locations.tolist()),
        spread=tuple(at.spread.tolist()),
        away=tuple(np.where(away > 0, away, np.inf).min(axis=1).tolist()),
        common=correction.total_deviation,
    )
    models = fit(parameters, experiment.points[unsure], totals[:, unsure], options.models)
    found = shared_error(models, plain)
    of_each = _OF_WHAT_IS_LEFT if known.any() else _OF_EACH_SCALE
    deviation = float(np.hypot(found.deviation, of_each * correction.total_deviation))
    computing = _computing(experiment)
    share = float(np.nansum(experiment.values[TIME].sum[computing]) / np.nansum(totals))
    factor = np.where(known, 1.0, _factor(found.mean, share))
    moved = _moved(experiment, computing, factor)
    corrected = replace(
        correction,
        deviation=_without_common(correction, deviation, share),
        total_deviation=deviation,
        supported=True,
        elsewhere=replace(plain, common=found.deviation),
    )
    before = (one for one in experiment.notices if one != correction_sentence(correction))
    notices = [*before, correction_sentence(corrected)]
    if elsewhere:
        after = moved.values[TIME].sum.sum(axis=0)
        notices.append(_sentence(elsewhere, float(np.nanmedian(np.log(after / totals[0])))))
    doubtful = _doubtful(found, plain, parameters)
    return replace(moved, correction=corrected, notices=(*notices, *doubtful))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Times:
    """Plain times of n points."""

    points: FloatArray  # float64[n, D]
    seconds: FloatArray  # float64[n], medians
    spread: FloatArray  # float64[n], standard deviations of their logarithms


def _times(runs: Sequence[PlainRun], parameters: Sequence[str]) -> _Times:
    """Take medians by point; all runs show how far one scatters."""
    at = _logs(runs, parameters)
    noise = _noise(at.values())
    count = np.array([len(logs) for logs in at.values()])
    startup = [max(run.doubt for run in runs if run.place(parameters) == place) for place in at]
    return _Times(
        points=np.array([*at]),
        seconds=np.exp([np.median(logs) for logs in at.values()]),
        spread=np.hypot(plain_spread(noise, count), startup),
    )


def _logs(runs: Sequence[PlainRun], parameters: Sequence[str]) -> dict[tuple[float, ...], list[float]]:
    """Logarithms of the times of runs by their points."""
    found: dict[tuple[float, ...], list[float]] = {}
    for run in runs:
        found.setdefault(run.place(parameters), []).append(float(np.log(run.of_program)))
    return found


def _noise(points: Iterable[Sequence[float]]) -> float | None:
    """Standard deviation of the logarithm of a run; None if nothing was repeated."""
    apart = [np.array(logs) - np.mean(logs) for logs in points if len(logs) > 1]
    if not apart:
        return None
    degrees = sum(len(logs) - 1 for logs in apart)
    return float(np.sqrt(sum((logs**2).sum() for logs in apart) / degrees))


def _unusable(experiment: Experiment, locations: FloatArray) -> str:
    if too_few_scales(experiment.points):
        return f"fewer than {SCALES_NEEDED} scales were profiled, so nothing is predicted"
    return "" if np.isfinite(locations).all() else "the number of locations there is unknown"


def _computing(experiment: Experiment) -> BoolArray:
    """Which call paths compute, bool[N]: their times were corrected, the others are as measured."""
    found = runs_of(experiment)
    assert found is not None  # since times were corrected
    return found[0].computing


def _factor(error: float, share: float) -> float:
    """By what computing, a share of the total, is multiplied for an error of the logarithm of the total."""
    factor = 1 + np.expm1(abs(error)) / share
    return float(factor if error > 0 else 1 / factor)


def _moved(experiment: Experiment, computing: BoolArray, factor: FloatArray) -> Experiment:
    """Multiply computing times by factors of the points, float64[P]; the rest is as it was measured."""
    of_each = np.where(computing[:, None], factor, 1.0)[:, :, None]
    values = {**experiment.values, TIME: experiment.values[TIME].each(lambda array: array * of_each)}
    return replace(
        experiment,
        values=values,
        runs=tuple(taking_less(run, float(factor[run.point]), 1.0) for run in experiment.runs),
    )


def _without_common(correction: OverheadCorrection, left: float, share: float) -> FloatArray:
    """Take out of the errors of call paths what is known now of the one that all share."""
    known = (correction.total_deviation**2 - left**2) / share**2
    return np.asarray(np.sqrt(np.maximum(correction.deviation**2 - known, 0.0)))


def _named(runs: Sequence[PlainRun]) -> str:
    points = "; ".join(dict.fromkeys(point_text(run.at) for run in runs))
    return f"{counted(len(runs), 'plain time')} at {points}"


def _sentence(runs: Sequence[PlainRun], by: float) -> str:
    points = f"{_named(runs)}, where no run was profiled, are points of the total"
    return f"{points}; they change corrected times by {signed_percent(np.expm1(by))}"


def _doubtful(found: SharedError, plain: PlainTotals, parameters: Sequence[str]) -> list[str]:
    """Name plain times that are far from what the profiles lead to."""
    return [
        f"the plain time at {point_text(dict(zip(parameters, point, strict=True)))} is {times(ratio)} "
        "what the profiles lead to: was it the same program with the same input?"
        for point, ratio, away in zip(plain.points, found.ratio.tolist(), found.astray, strict=True)
        if abs(away) > _ASTRAY
    ]


_Places: TypeAlias = list[tuple[IntArray, IntArray]]
"""Per point that both have, the numbers of the study's runs and of the others."""


@dataclass(frozen=True, eq=False)
class GivenTimes:
    """What is known of the plain times of the runs of `runs_of`; None where nothing is."""

    known: KnownPlain | None = None  # their plain computing times, as far as the user gives any
    cost: EventCost | None = None
    rejected: RejectedVisits | None = None  # visits that a filter rejected while they ran
    plain_runs: tuple[PlainRun, ...] = ()
    elsewhere: tuple[PlainRun, ...] = ()  # of these, at points without a profile

    def with_times(self, times: KnownPlain) -> "GivenTimes":
        """Add plain computing times of the runs."""
        return replace(self, known=times if self.known is None else times.joined(self.known))


@dataclass(frozen=True, eq=False)
class _Study:
    """An experiment with visits and times."""

    experiment: Experiment
    runs: Visited
    point: IntArray
    repetition: IntArray

    @classmethod
    def of(cls, experiment: Experiment) -> "_Study | None":
        found = runs_of(experiment)
        return None if found is None else cls(experiment, *found)

    @property
    def recorded(self) -> frozenset[str]:
        """Names of the regions with visits."""
        region = self.runs.tree.region[self.runs.visits.any(axis=1)]
        return frozenset(self.runs.regions.name[r] for r in region.tolist())

    def point_of(self, values: Mapping[str, float]) -> int | None:
        """Return the point with some values of the parameters, by name; others do not count."""
        points = enumerate(map(self.experiment.named_point, range(len(self.experiment.points))))
        return next((i for i, own in points if all(own.get(n, v) == v for n, v in values.items())), None)


def _given_plain_times(experiment: Experiment, options: Options) -> GivenTimes:
    """Return what the user gives of the plain times of an experiment, and what its own runs show of hooks."""
    given, study = options.filter, _Study.of(experiment)
    if study is None:
        return GivenTimes()
    found = GivenTimes(rejected=uncounted_visits(study.runs) if _at_run_time(experiment) else None)
    if given.calibrate is not None:
        found = _by_other_runs(study, given.calibrate, found)
    if given.baseline_time is None:
        return found
    if isinstance(given.baseline_time, Path):
        left_out, where = tuple(experiment.left_out.values), str(given.baseline_time)
        runs = read_plain_runs(given.baseline_time, experiment.parameters, left_out)
    else:
        largest = experiment.named_point(len(experiment.points) - 1)
        runs, where = [PlainRun(at=largest, seconds=given.baseline_time)], "--baseline-time"
    elsewhere = tuple(run for run in runs if study.point_of(run.at) is None)
    found = replace(found, plain_runs=tuple(runs), elsewhere=elsewhere)
    if len(elsewhere) < len(runs):
        found = found.with_times(_plain_by_run_times(study, _times_by_point(runs, study), where))
    return found


def _plain_by_run_times(study: _Study, times: dict[int, list[tuple[float, float]]], where: str) -> KnownPlain:
    """Plain computing times from run times and their start-up by point."""
    wall = {(run.point, run.repetition): run.longest_time for run in study.experiment.runs}
    places = zip(study.point.tolist(), study.repetition.tolist(), strict=True)
    wall_of_runs = np.array([wall[place] for place in places])
    seconds, startup, spread = np.array([(np.nan, 0.0, KNOWN_SPREAD)] * len(study.point)).T
    for point, of_point in times.items():
        (runs,) = np.nonzero(study.point == point)
        runs = runs[np.argsort(study.runs.measured[runs], kind="stable")]
        seconds[runs], startup[runs], spread[runs] = _by_rank(of_point, len(runs))
    header = ",".join((*study.experiment.parameters, SECONDS_COLUMN, STARTUP))
    numbers = zip(study.point.tolist(), seconds.tolist(), (seconds - wall_of_runs).tolist(), strict=True)
    points = study.experiment.points
    return plain_by_run_time(
        study.runs,
        seconds,
        wall_of_runs,
        where,
        startup=startup,
        lines=[
            f"{header} and {','.join([*map(value_text, points[p].tolist()), value_text(took), figure(more)])}"
            for p, took, more in numbers
        ],
        spread=spread,
        point=study.point,
    )


def _by_rank(times: list[tuple[float, float]], count: int) -> tuple[FloatArray, FloatArray, float]:
    """Give `count` repetitions, from the fastest, what plain runs of the same rank took and their start-up.

    So their number may differ and their order does not matter. The last value is the spread of their middle.
    """
    seconds, startup = np.array(sorted(times)).T
    rank, of_times = ((np.arange(n) + 0.5) / n for n in (count, len(times)))
    scatter = float(np.log(seconds).std(ddof=1)) if len(times) > 1 else 0.0
    spread = float(np.hypot(KNOWN_SPREAD, scatter) / np.sqrt(len(times)))
    return np.interp(rank, of_times, seconds), np.interp(rank, of_times, startup), spread


def _times_by_point(runs: Sequence[PlainRun], study: _Study) -> dict[int, list[tuple[float, float]]]:
    """Run times and start-up of the plain runs at points of the study, in their order."""
    found: dict[int, list[tuple[float, float]]] = {}
    for run in runs:
        if (point := study.point_of(run.at)) is not None:
            found.setdefault(point, []).append((run.seconds, run.startup))
    return found


def _by_other_runs(study: _Study, path: Path, found: GivenTimes) -> GivenTimes:
    """Add what runs with fewer or with more regions show at the points where they were measured, too.

    Of several repetitions with fewer regions the fastest counts, since disturbances only add time; of those
    with more the one in the middle.
    """
    other = _Study.of(ingest(locate(path), TIME).experiment)
    hint = "give runs of the same study with fewer or with more regions instrumented"
    if other is None:
        raise UsageError("has no visits and times", where=str(path), hint=hint)
    own, asked = other.experiment.parameters, study.experiment.parameters
    if own and not set(asked) <= {*own, *other.experiment.left_out.values}:
        raise UsageError(f"has other parameters ({', '.join(own)})", where=str(path), hint=hint)
    columns: dict[int, list[int]] = {}
    for j in range(len(other.point)):
        if (point := _point(study, other, j)) is not None:
            columns.setdefault(point, []).append(j)
    if not columns:
        raise UsageError("has no run at a point of the study", where=str(path), hint=hint)
    places = [(np.flatnonzero(study.point == point), np.array(columns[point])) for point in sorted(columns)]
    more, less = len(other.recorded - study.recorded), len(study.recorded - other.recorded)
    if more > less or (more == less and found.rejected is not None):
        return _by_more_regions(study, other, places, found, str(path))
    return replace(found, known=_plain_by_fewer_regions(study, other, places, str(path)))


def _middle(one: _Study, columns: IntArray) -> int:
    return int(columns[np.argsort(one.runs.measured[columns])[len(columns) // 2]])


def _fastest(one: _Study, columns: IntArray) -> int:
    return int(columns[one.runs.measured[columns].argmin()])


def _plain_by_fewer_regions(study: _Study, less: _Study, places: _Places, where: str) -> KnownPlain:
    """Plain computing times at the points where runs with fewer regions were measured."""
    total, spread = np.full(len(study.point), np.nan), np.ones(len(study.point))
    whole = total.copy()
    at_run_time = _at_run_time(less.experiment)
    for here, there in places:
        full, fewer = study.runs.run(_middle(study, here)), less.runs.run(_fastest(less, there))
        known, _ = plain_by_pair(full, fewer, where, at_run_time=at_run_time)
        total[here], spread[here], whole[here] = known.total, known.spread, known.whole
    stated = np.zeros(len(total), dtype=np.bool_)
    return KnownPlain(point=study.point, total=total, spread=spread, whole=whole, stated=stated)


def _by_more_regions(
    study: _Study, more: _Study, places: _Places, found: GivenTimes, where: str
) -> GivenTimes:
    """The cost of a visit, from the largest scale, and the visits that the filter of the study rejected."""
    here, there = max(places, key=lambda place: float(study.runs.measured[place[0]].max()))
    full, fewer = more.runs.run(_middle(more, there)), study.runs.run(_fastest(study, here))
    try:
        _, cost = plain_by_pair(full, fewer, where, at_run_time=found.rejected is not None)
    except UsageError:  # so few visits were rejected that they took no time
        cost = None
    if found.rejected is None:
        return replace(found, cost=cost)
    fuller = [(more.runs.run(_middle(more, there)), here) for here, there in places]
    return replace(found, cost=cost, rejected=rejected_visits(study.runs, fuller))


def _point(study: _Study, less: _Study, j: int) -> int | None:
    """Return the point of a run with fewer regions, by its name or else by its visits; None if not there."""
    place = int(less.point[j]), int(less.repetition[j])
    if less.experiment.parameters:
        return study.point_of(less.experiment.named_point(place[0]))
    source = next(run.source for run in less.experiment.runs if (run.point, run.repetition) == place)
    if named := _point_named(Path(source).absolute(), study.experiment.parameters):
        return study.point_of(named)
    points = np.unique(study.point[same_runs(study.runs, less.runs.run(j))]).tolist()
    if len(points) == 1:
        return int(points[0])
    of = "of several points" if points else "of no point"
    example = f"app.{study.experiment.parameters[0]}8.r1"
    hint = f"name its folder after the run of the study, such as {example}"
    raise UsageError(f"its visits are those {of} of the study", where=source, hint=hint)


def _point_named(path: Path, parameters: tuple[str, ...]) -> Mapping[str, float]:
    """Return the parameters in the name of a profile or of its folder; none without all that are given."""
    for name in (path.stem, path.name, path.parent.name):
        named = named_parameters(name)
        if set(parameters) <= set(named):
            return named
    return {}


def _at_run_time(experiment: Experiment) -> bool:
    """Whether any of the runs were filtered while they ran."""
    return any(filtered_at_run_time(run.source, run.attributes) for run in experiment.runs)


_SERIES_SPREAD = 0.1  # of the logarithm of a cost found from all runs


def true_times(read: Ingested, options: Options) -> Ingested:
    """Take instrumentation overhead out of the times that were read, if it is asked for or distorts them."""
    experiment, given = read.experiment, options.filter
    found = _given_plain_times(experiment, options)
    cost = found.cost if given.event_cost is None else calibrated(given.event_cost, GIVEN_SPREAD, "given")
    evidence = found.known is not None or found.cost is not None or bool(found.elsewhere)
    asked = options.overhead == "correct" or (options.overhead == "auto" and evidence)
    uncounted = found.rejected is not None and not found.rejected.counted
    if not (asked or uncounted or has_noticeable_overhead(experiment, cost, found.rejected)):
        return read
    if options.overhead == "keep":
        return replace(read, experiment=with_overhead_left(experiment, cost, found.rejected))
    corrected = correct_overhead(experiment, cost, found.known, found.rejected)
    if corrected.correction is None:
        notice = "times are not corrected for overhead, since the runs have no visits of instrumented regions"
        corrected = replace(experiment, notices=(*experiment.notices, notice))
    known = with_plain_points(corrected, found.plain_runs, found.elsewhere, options)
    return replace(read, experiment=known)


def calibration_of(experiment: Experiment) -> SeriesCalibration | None:
    """Return what the correction of an experiment found; None if times are as measured or show no cost."""
    if experiment.correction is None or not experiment.correction.cost > 0:
        return None
    largest = max(experiment.runs, key=lambda run: (run.point, -run.repetition))
    spread = max(experiment.correction.total_deviation, KNOWN_SPREAD)
    plain = KnownPlain.of(float(largest.useful_time.sum()), spread)
    return SeriesCalibration(calibrated(experiment.correction.cost, _SERIES_SPREAD, "all runs"), plain)
