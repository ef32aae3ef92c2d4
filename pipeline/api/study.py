"""A study: runs that were found, read and aligned."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ingest.locate import locate
from ingest.reading.csv_files import Frame
from ingest.scaling import decide_scaling
from ingest.table_mapping import TableMapping
from ingest.tables.table_rows import read_rows
from ingest.tables.table_study import make_study
from pipeline.api.models import Models
from pipeline.config.options import Options, load_options, override
from pipeline.questions.analysis import scaling_of
from pipeline.report.frames import frame_html, measurements_frame, runs_frame
from pipeline.stages.ingest import Ingested, ingest, ingest_study, with_parameter
from pipeline.stages.model import metric_to_model, modelled, modelled_resources
from pipeline.stages.overhead import true_times
from pipeline.stages.selection import selected
from pipeline.wording.quantities import counted


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """Runs that were found, read and aligned on one call tree; `read_study` makes it."""

    path: Path
    _read: Ingested
    _options: Options

    @property
    def as_read(self) -> tuple[Ingested, Options]:
        """The runs as stages take them, and how they are to be modelled."""
        return self._read, self._options

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self._read.experiment.parameters

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that were read, those of whole runs (memory) last."""
        experiment = self._read.experiment
        return (*(metric.name for metric in experiment.metrics), *experiment.metrics_of_runs)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read, and every doubt about what was read, one sentence each."""
        damaged = tuple(f"{entry.path}: {entry.reason}" for entry in self._read.damaged)
        return (*damaged, *self._read.experiment.notices)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per run: path, parameters, repetition, processes, CPU locations; none for a series file.

        Then a column per name of metadata, such as ``machine``, and per setting that logs state.
        """
        return runs_frame(self._read.experiment)

    @cached_property
    def measurements(self) -> pd.DataFrame:
        """One row per call path, point and repetition.

        Columns are ``callpath`` (a tuple of region names), ``region``, the parameters, ``repetition``, and
        the exclusive values of the metrics: ``time`` is the mean of a location in seconds, ``effort`` the sum
        over all locations in core-seconds; ``visits`` and all others are sums.
        """
        return measurements_frame(self._read.experiment)

    def fit(
        self,
        *,
        metric: str | None = None,
        scaling: Literal["auto", "strong", "weak"] | None = None,
        prior: str | None = None,
        method: Literal["evidence", "extra-p"] | None = None,
    ) -> Models:
        """Fit a scaling model to every call path and every region.

        Args:
            metric: what to model, one of `metrics`, ``time_per_visit`` or ``time_per_iteration``; by default
                the metric that the study was read for. Time becomes effort.
            scaling: how the problem changes with the number of processes; by default detected from the data.
            prior: how plausible each exponent is before any data: ``uniform``, ``simple`` or a TOML file.
            method: ``evidence`` weighs all hypotheses, ``extra-p`` selects one by cross-validation.

        Returns:
            The models of the regions; their ``callpaths`` are those of the call paths.

        Raises:
            PipelineError: an option is invalid, the metric was not measured or nothing can be modelled.
        """
        given = {"metric": metric, "scaling": scaling, "prior": prior, "method": method}
        options = override(self._options, given, flags=False)
        analysis = modelled(self._read, options, metric_to_model(self._read, options))
        return Models(analysis, _resources=lambda: modelled_resources(self._read, options, analysis))

    def __repr__(self) -> str:
        experiment = self._read.experiment
        scaling = decide_scaling(experiment, scaling_of(self._options.scaling)).scaling.value
        runs = f"{counted(len(experiment.runs), 'run')} at " if experiment.runs else ""
        points = counted(len(experiment.points), "point")
        callpaths = counted(len(experiment.tree), "call path")
        problems = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        over = f" of {', '.join(self.parameters)}" if self.parameters else ""
        return f"Study('{self.path}': {runs}{points}{over}, {callpaths}, scaling: {scaling}{problems})"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.runs)


def read_study(
    path: str | PathLike[str],
    *,
    config: str | PathLike[str] | None = None,
    metric: str | None = None,
    per: str | None = None,
    jobs: int | None = None,
) -> Study:
    """Find the runs in a directory, read them and align them on one call tree.

    Args:
        path: a directory of runs such as ``app.p4.r1/profile.cubex``, one profile, or a series file.
        config: a configuration file; by default ``pipeline.toml`` in the directory.
        metric: a metric to read besides time and visits, and to model.
        per: a region, such as a time step, by whose number of visits all values are divided.
        jobs: number of processes that read profiles; by default one per core.

    Returns:
        The study. If a run could not be read, a warning is issued and `Study.problems` says why.

    Raises:
        PipelineError: nothing can be read, or the configuration is invalid.
    """
    place = Path(path)
    given: dict[str, Any] = {"metric": metric, "per": per, "jobs": jobs}
    options = load_options(None if config is None else Path(config), place if place.is_dir() else None)
    options = override(options, given, flags=False)
    located = locate(place, options.runs, options.table, options.parameter)
    read = ingest(located, options.metric, options.processes, excluded=options.exclude_metrics)
    return _study(place, read, options)


def read_frame(
    table: pd.DataFrame,
    *,
    parameters: Sequence[str] | str | None = None,
    kernel: str | None = None,
    value: Sequence[str] | str | None = None,
    unit: str | None = None,
    repetition: str | None = None,
    visits: str | None = None,
    locations: str | int | None = None,
    rank: str | None = None,
    separator: str | None = None,
    statistic: Literal["mean", "sum", "maximum"] | None = None,
    inclusive: bool | None = None,
    metrics: Sequence[str] | str | None = None,
    metadata: Sequence[str] | str | None = None,
    per: str | None = None,
    name: str = "DataFrame",
) -> Study:
    """Take the runs of a study from a DataFrame in long form: one row per kernel and run.

    Columns that are not named are recognised by their names, as in tables that are files (``p``, ``kernel``,
    ``seconds``, ``time [us]``, ``repetition``, ``visits``, ``locations``).

    Args:
        table: the rows.
        parameters: columns of the parameters.
        kernel: column of the kernel or call path; without one, each column of times is a kernel.
        value: column of the time.
        unit: of the times: ``s``, ``ms``, ``us``, ``ns``, ``min`` or ``h``.
        repetition: column that distinguishes runs of one point; by default their order does.
        visits: column of the visits.
        locations: column of the number of CPU locations of a run, or that number; by default the processes.
        rank: column of the process on which a row was measured.
        separator: what separates the regions of a call path, ``->`` by default; empty if nothing does.
        statistic: whether times and visits are those of a location, their sum, or the largest, a bound.
        inclusive: whether times contain those of the callees.
        metrics: columns of further metrics.
        metadata: columns that describe a run, such as the machine.
        per: a region by whose number of visits all values are divided.
        name: what messages call the table.

    Returns:
        The study. If a run cannot be used, a warning is issued and `Study.problems` says why.

    Raises:
        PipelineError: a column is missing or has no valid values.
    """
    given = {
        "parameters": parameters,
        "kernel": kernel,
        "value": value,
        "unit": unit,
        "repetition": repetition,
        "visits": visits,
        "locations": locations,
        "rank": rank,
        "separator": separator,
        "statistic": statistic,
        "inclusive": inclusive,
        "metrics": metrics,
        "metadata": metadata,
    }
    mapping = override(TableMapping(), given, flags=False)
    options = override(Options(), {"per": per}, flags=False)
    frame = Frame(source=name, table=table, place=lambda row: f"row {row}")
    study = make_study([read_rows(frame, mapping)], mapping, name)
    return _study(Path(name), ingest_study(study), options)


def _study(place: Path, read: Ingested, options: Options) -> Study:
    """Correct and select what was read, and warn of runs that are missing."""
    read = selected(with_parameter(true_times(read, options)), options)
    if read.damaged:
        lost = counted(len(read.damaged), "run")
        warnings.warn(f"{lost} could not be read; see Study.problems", stacklevel=3)
    return Study(place, read, options)
