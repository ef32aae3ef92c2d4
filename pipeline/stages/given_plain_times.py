"""Plain times that the user gives: run times without instrumentation, and runs with fewer regions."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from filters.correction import TIME, runs_of
from filters.event_cost import EventCost, Visited
from filters.instrumentation import filtered_at_run_time
from filters.known_plain import KnownPlain, joined, plain_by_pair, plain_by_run_time, same_runs
from ingest.arrays import BoolArray, IntArray
from ingest.errors import UsageError
from ingest.experiment import Experiment
from ingest.locate import locate
from ingest.run_names import named_parameters
from pipeline.config.options import Options
from pipeline.stages.ingest import ingest
from pipeline.wording.quantities import value_text

SECONDS = "seconds"


@dataclass(frozen=True, eq=False)
class _Study:
    """An experiment with visits and times.

    Attributes:
        runs: its R runs.
        point, repetition: int64[R].
    """

    experiment: Experiment
    runs: Visited
    point: IntArray
    repetition: IntArray

    @classmethod
    def of(cls, experiment: Experiment) -> "_Study | None":
        found = runs_of(experiment)
        return None if found is None else cls(experiment, *found)

    def point_of(self, values: tuple[float, ...]) -> int | None:
        """Return the point with some values of the parameters."""
        rows = [tuple(row) for row in self.experiment.points.tolist()]
        return rows.index(values) if values in rows else None


def given_plain_times(experiment: Experiment, options: Options) -> KnownPlain | None:
    """Return the plain computing times of the runs of `runs_of` as far as the user gives any; None without.

    Raises:
        UsageError: what is given does not fit the runs.
        PipelineError: it cannot be read.
    """
    given, study = options.filter, _Study.of(experiment)
    if study is None:
        return None
    sources = []
    if given.baseline_time is not None:
        sources.append(_plain_by_run_times(study, given.baseline_time))
    if given.calibrate is not None:
        sources.append(_plain_by_fewer_regions(study, given.calibrate))
    return joined(sources)


def _plain_by_run_times(study: _Study, given: float | Path) -> KnownPlain:
    """Plain computing times from run times: of the largest scale, or of those that a file names."""
    if isinstance(given, Path):
        where, times = str(given), _run_times(given, study)
    else:
        where, times = "--baseline-time", {len(study.experiment.points) - 1: [given]}
    wall = {(run.point, run.repetition): run.longest_time for run in study.experiment.runs}
    places = list(zip(study.point.tolist(), study.repetition.tolist(), strict=True))
    seconds = np.array([_of_repetition(times.get(p, []), r) for p, r in places])
    return plain_by_run_time(study.runs, seconds, np.array([wall[place] for place in places]), where)


def _of_repetition(times: list[float], repetition: int) -> float:
    """Give repetitions different ones of several times, so that these show their noise."""
    return times[repetition % len(times)] if times else float("nan")


def _run_times(path: Path, study: _Study) -> dict[int, list[float]]:
    """Read a CSV file with the parameters and ``seconds`` as columns: run times by point.

    Raises:
        UsageError: it cannot be read, lacks a column or names no point of the study.
    """
    columns = (*study.experiment.parameters, SECONDS)
    hint = f"write a header line {','.join(columns)} and a line per run"
    found: dict[int, list[float]] = {}
    for line, row in _rows(path, hint):
        try:
            values = [float(row[name]) for name in columns]
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                "a column is missing or not a number", where=f"{path}:{line}", hint=hint
            ) from error
        if not 0.0 < values[-1] < float("inf"):
            raise UsageError(f"invalid run time {value_text(values[-1])}", where=f"{path}:{line}", hint=hint)
        if (point := study.point_of(tuple(values[:-1]))) is not None:
            found.setdefault(point, []).append(values[-1])
    if not found:
        raise UsageError("names no point of the study", where=str(path), hint=hint)
    return found


def _rows(path: Path, hint: str) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            for row in reader:
                yield reader.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot be read ({what})", where=str(path), hint=hint) from error


def _plain_by_fewer_regions(study: _Study, path: Path) -> KnownPlain:
    """Plain computing times at the points where runs with fewer regions were measured.

    Of several repetitions with fewer regions the fastest counts, since disturbances only add time; of the
    full ones the one in the middle.
    """
    less = _Study.of(ingest(locate(path), TIME).experiment)
    hint = "give runs of the same study with fewer regions instrumented"
    if less is None:
        raise UsageError("has no visits and times", where=str(path), hint=hint)
    own, asked = less.experiment.parameters, study.experiment.parameters
    if own not in ((), asked):
        raise UsageError(f"has other parameters ({', '.join(own)})", where=str(path), hint=hint)
    columns: dict[int, list[int]] = {}
    for j in range(len(less.point)):
        if (point := _point(study, less, j)) is not None:
            columns.setdefault(point, []).append(j)
    if not columns:
        raise UsageError("has no run at a point of the study", where=str(path), hint=hint)
    total, spread = np.full(len(study.point), np.nan), np.ones(len(study.point))
    rejected = _rejected(less.experiment)
    for point, several in columns.items():
        here = np.flatnonzero(study.point == point)
        middle = int(here[np.argsort(study.runs.measured[here])[len(here) // 2]])
        fastest = several[int(less.runs.measured[several].argmin())]
        known, _ = plain_by_pair(study.runs.run(middle), less.runs.run(fastest), str(path), rejected=rejected)
        total[here], spread[here] = known.total, known.spread
    return KnownPlain(total=total, spread=spread)


def _point(study: _Study, less: _Study, j: int) -> int | None:
    """Return the point of a run with fewer regions, by its name or else by its visits; None if not there."""
    place = int(less.point[j]), int(less.repetition[j])
    if less.experiment.parameters:
        return study.point_of(tuple(less.experiment.points[place[0]].tolist()))
    source = next(run.source for run in less.experiment.runs if (run.point, run.repetition) == place)
    if named := _named(Path(source).absolute(), study.experiment.parameters):
        return study.point_of(named)
    return _point_by_visits(study, same_runs(study.runs, less.runs.run(j)), source)


def _named(path: Path, parameters: tuple[str, ...]) -> tuple[float, ...]:
    """Return the values of parameters in the name of a profile or of its folder; none without."""
    for name in (path.stem, path.name, path.parent.name):
        named = named_parameters(name)
        if set(parameters) <= set(named):
            return tuple(named[parameter] for parameter in parameters)
    return ()


def _point_by_visits(study: _Study, same: BoolArray, source: str) -> int:
    """Return the only point whose runs have the same visits.

    Raises:
        UsageError: there is none, or several.
    """
    points = np.unique(study.point[same]).tolist()
    if len(points) == 1:
        return int(points[0])
    of = "of several points" if points else "of no point"
    example = f"app.{study.experiment.parameters[0]}8.r1"
    hint = f"name its folder after the run of the study, such as {example}"
    raise UsageError(f"its visits are those {of} of the study", where=source, hint=hint)


def _rejected(experiment: Experiment) -> float:
    """Seconds that a rejected visit took, if any of the runs were filtered at run time."""
    at_run_time = any(filtered_at_run_time(run.source, run.attributes) for run in experiment.runs)
    return EventCost().filtered if at_run_time else 0.0
