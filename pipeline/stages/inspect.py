"""What `pipeline inspect` shows: what is in a profile or a directory of runs, without models."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from ingest.alignment import experiment_from_series
from ingest.arrays import FloatArray, distinct
from ingest.discovery import Run, Skipped, without_names
from ingest.errors import InputError, RunNameError
from ingest.experiment import Experiment
from ingest.inferred_runs import describe, propose, read_metadata
from ingest.locate import Located, locate
from ingest.own_results import is_result
from ingest.profile import Metric, Profile
from ingest.profile_search import FoundProfile, nothing_found, search_profiles
from ingest.readers import SeriesReader, find_profile_reader
from ingest.reduction import (
    DEVICE_CLASSES,
    GPU,
    GPU_TIME,
    Devices,
    ReducedProfile,
    device_rows,
    reduce_profile,
)
from ingest.region_class import CLASSES, RegionClass, region_classes
from ingest.resource_use import memory_of
from ingest.run_checks import unlike_repetitions
from ingest.run_names import RunSpec
from ingest.run_settings import (
    OVERLAPPING_TIME,
    PROGRAM_SETTING,
    RECONCILED,
    SETTING,
    STATISTIC,
    TABLE_SETTING,
    described_as,
    differing_settings,
    is_log,
    metadata_of,
    stated,
)
from ingest.scaling import Scaling, decide_scaling, location_unit
from ingest.table_mapping import TableMapping
from ingest.tables.table_files import TableSource, find_tables
from pipeline.columns.measured_runs import Extent, InspectedRun, Inspection, Series, SkippedFile
from pipeline.config.options import Options
from pipeline.execution.executors import ProgressDisplay, local_executor, no_progress
from pipeline.stages.ingest import (
    Ingested,
    ReadRun,
    RunReader,
    chosen_metrics,
    ingest,
    is_problem,
    read_runs,
    usable_runs,
)
from pipeline.stages.selection import per_visit
from pipeline.store.generation import StoredResult, read_result
from pipeline.wording.escaping import json_line
from pipeline.wording.quantities import counted

_TIME = "time"
_BY_CLASS = (_TIME, "visits", GPU_TIME, GPU + "visits")  # metrics whose totals are split with accelerators


@dataclass(frozen=True, kw_only=True)
class _Checked:
    """What `pipeline run` would say of the runs, whether it goes on, and how large the study is."""

    problems: Sequence[str]
    usable: bool = False
    extent: Extent | None = None
    notices: Sequence[str] = ()


def inspect_path(
    path: Path,
    options: Options | None = None,
    *,
    totals: bool = False,
    progress: ProgressDisplay = no_progress,
) -> Inspection:
    """Look into a profile, a series file or a directory of runs."""
    options = options or Options()
    try:
        located, problem = locate(path, options.runs, options.table, options.parameter), None
    except RunNameError as error:
        located, problem = Located(path, without_names(path)), error
    found = located.found
    if isinstance(found, SeriesReader):
        return _series(path, found.name, experiment_from_series(found.read(path)))
    if isinstance(found, TableSource):
        return _tables(path, located, found, totals=totals)
    look = partial(_look, totals, len(found.runs) == 1)
    reader = RunReader(chosen_metrics(_TIME), partial(local_executor, options.processes), None, look)
    read = read_runs(found.runs, reader, progress)
    seen = [one.seen for one in read if isinstance(one.seen, _Seen)]
    skipped = [entry for entry in found.skipped if not is_problem(entry)]
    if problem is None:
        checked = _checked(lambda: usable_runs(found, read))
    else:
        unread = [f"{one.run.path}: {why.what}" for one in read if (why := _unread(one))]
        checked = _Checked(problems=[str(problem), *unread])
    notices = (*found.notices, *differing_settings([one.attributes for one in seen]))
    return _inspection(path, found.parameters, [one.run for one in seen], skipped, notices, checked)


def _inspection(
    path: Path,
    parameters: Sequence[str],
    runs: list[InspectedRun],
    skipped: Sequence[Skipped],
    notices: Sequence[str],
    checked: _Checked,
    series: Series | None = None,
) -> Inspection:
    return Inspection(
        path=str(path),
        parameters=parameters,
        runs=runs,
        skipped=[SkippedFile(path=str(entry.path), reason=entry.reason) for entry in skipped],
        notices=[*notices, *checked.notices],
        problems=checked.problems,
        usable=checked.usable,
        extent=checked.extent,
        series=series,
    )


def _series(path: Path, name: str, series: Experiment) -> Inspection:
    counts = Series(
        format=name,
        points=len(series.points),
        repetitions=series.shape[1],
        callpaths=len(series.tree),
        metrics=[m.name for m in series.metrics],
    )
    said, unlike = series.left_out.notices, unlike_repetitions(series)
    problems = [notice for notice in series.notices if notice not in said] + ([str(unlike)] if unlike else [])
    checked = _Checked(problems=problems, usable=unlike is None, notices=said)
    return _inspection(path, series.parameters, [], (), (), checked, counts)


def _tables(path: Path, located: Located, source: TableSource, *, totals: bool) -> Inspection:
    study = source.read()
    if study.series is not None:
        found = _series(path, TABLE_SETTING, experiment_from_series(study.series))
        problems = [notice for notice in found.problems if notice != study.roles]
        return replace(found, problems=problems, notices=[study.roles] if study.roles else [])
    runs = [
        _description(
            run.profile.source, TABLE_SETTING, run.parameters, run.repetition, run.profile, totals=totals
        )
        for run in study.runs
    ]
    checked = _checked(lambda: ingest(located, _TIME))
    return _inspection(path, study.parameters, runs, source.skipped, study.notices, checked)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What is shown of a run, and what it states."""

    run: InspectedRun
    attributes: Mapping[str, str]


def _look(totals: bool, alone: bool, run: Run, profile: Profile) -> _Seen | InputError:
    """Describe a run, or say why that is not possible; of one that is alone more is said."""
    profile = replace(profile, attributes=run.described(profile.attributes))
    name = profile.attributes.get(PROGRAM_SETTING, run.reader.name)
    try:
        found = _description(str(run.path), name, run.parameters, run.repetition, profile, totals=totals)
        if alone and (rows := _overlapping(profile)):
            found = replace(found, overlapping=rows)
    except InputError as error:
        return error
    return _Seen(run=found, attributes=profile.attributes)


def _unread(read: ReadRun) -> InputError | None:
    """Return why a run is not described; None if it is."""
    why = next((one for one in (read.seen, read.outcome) if isinstance(one, InputError)), None)
    return None if isinstance(read.seen, _Seen) else why


def _checked(ingested: Callable[[], Ingested]) -> _Checked:
    """Check the runs as `pipeline run` does."""
    try:
        read = ingested()
    except InputError as error:
        return _Checked(problems=[str(error)])
    problems = [f"{entry.path}: {entry.reason}" for entry in read.damaged]
    problems += read.doubts
    unlike = unlike_repetitions(per_visit(read, "").experiment)
    problems += [str(unlike)] if unlike else []
    decision = decide_scaling(read.experiment)
    if decision.scaling is Scaling.NONE and decision.parameter:
        problems.append(decision.reason)
    if len(read.experiment.runs) > 1 and len(read.experiment.points) == 1:
        problems.append(
            "all runs are repetitions of one point, so nothing can be said about scaling;"
            " measure at other numbers of processes or problem sizes"
        )
    notices, extent = read.experiment.left_out.notices, _extent(read.experiment)
    return _Checked(problems=problems, usable=unlike is None, extent=extent, notices=notices)


def _extent(experiment: Experiment) -> Extent:
    """Return how large a study is: least and most of what it has, and the core-seconds that it held."""
    runs = experiment.runs
    cores = [run.cores for run in runs]
    repetitions = np.bincount([run.point for run in runs])
    seconds = [float(run.class_time.sum()) / max(len(run.process), 1) for run in runs]
    held = sum(of.held * wall for of, wall in zip(cores, seconds, strict=True))
    programs = {described_as(run.attributes, "program") for run in runs}
    bases, counted = {of.basis for of in cores}, location_unit(experiment)
    processes = [len(distinct(run.process)) for run in runs]
    return Extent(
        runs=len(runs),
        points=len(experiment.points),
        program=programs.pop() if len(programs) == 1 else "",
        processes=_ends(processes) if counted == "core" else None,
        nodes=_ends(processes if counted == "node" else [of.nodes for of in cores]),
        repetitions=_ends(repetitions[repetitions > 0].tolist()),
        cores=bases.pop() if len(bases) == 1 else "cores as each run has them",
        core_seconds=held,
    )


def _ends(counts: Sequence[int]) -> tuple[int, int] | None:
    """Return the least and the largest count; None if one is unknown."""
    return (min(counts), max(counts)) if counts and all(counts) else None


def _description(
    path: str, name: str, point: Sequence[float], repetition: int, profile: Profile, *, totals: bool
) -> InspectedRun:
    attributes = profile.attributes
    reconciled = {"": attributes[RECONCILED]} if RECONCILED in attributes else None
    return InspectedRun(
        path=path,
        format=name,
        at=point,
        repetition=repetition,
        callpaths=len(profile.tree),
        regions=len(profile.regions),
        locations=profile.cpu_locations,
        accelerators=len(Devices.of(profile)) * profile.summed.count,
        processes=profile.processes,
        metrics=list(map(_named, profile.metrics)),
        totals=_totals(profile) if totals else {},
        metadata=metadata_of(attributes),
        settings=stated(attributes, SETTING),
        memory=memory_of(profile),
        notices=profile.notices,
        statistic=attributes[STATISTIC] if is_log(attributes) else None,
        reconciled=stated(attributes, RECONCILED) if is_log(attributes) else reconciled,
    )


def _overlapping(profile: Profile) -> list[tuple[str, float]]:
    """Return the timers that overlap others, the longest first, with seconds summed over locations."""
    if OVERLAPPING_TIME not in {metric.name for metric in profile.metrics}:
        return []
    seconds = profile.values(OVERLAPPING_TIME).sum(axis=1)
    paths = profile.tree.paths(profile.regions.name)
    rows = [(_in_group(paths[node]), float(seconds[node])) for node in np.argsort(-seconds).tolist()]
    return [row for row in rows if row[1] > 0]


def _in_group(path: tuple[str, ...]) -> str:
    """Return the name of a timer with that of the group it stands in, if there is one."""
    group = path[:-2]  # the last but one is the region of overlapping timers
    return f"{path[-1]} ({', '.join(group)})" if group else path[-1]


def _totals(profile: Profile) -> dict[str, float]:
    """Sum the exclusive values of every metric that may be summed, over call paths and locations.

    Those of accelerators stand apart, with the time of kernels, copies and idle devices and the number of the
    former two; of a host with accelerators, the time in their interface, too.
    """
    reduced = reduce_profile(profile, [metric.name for metric in profile.metrics if metric.kind.additive])
    totals = {}
    for metric in reduced.metrics:
        sums = reduced.values[metric.name].sum
        totals[_named(metric)] = float(sums.sum())
        if reduced.device_time.size and metric.name in _BY_CLASS:
            totals |= _by_class(reduced, metric, sums)
    return totals


def _by_class(reduced: ReducedProfile, metric: Metric, sums: FloatArray) -> dict[str, float]:
    """Split the sums of call paths by what the regions do."""
    classes = region_classes(reduced.regions)[reduced.tree.region]
    named: Sequence[RegionClass] = DEVICE_CLASSES
    rows = device_rows(classes)
    if not metric.name.startswith(GPU):
        named, rows = (RegionClass.OFFLOAD,), np.where(classes == CLASSES.index(RegionClass.OFFLOAD), 0, 1)
    found = {f" {one.value}": float(sums[rows == row].sum()) for row, one in enumerate(named)}
    return {f"{_named(metric)},{name}": total for name, total in found.items() if total}


def _named(metric: Metric) -> str:
    return f"{metric.name} [{metric.unit}]" if metric.unit else metric.name


@dataclass(frozen=True, kw_only=True)
class Intact:
    """A results directory all of whose files are as they were written; any other is refused."""

    path: str
    intact: Literal[True] = True
    files: int

    def __str__(self) -> str:
        return f"OK: {self.files} files in {self.path} are as they were written"


def holds_only_results(directory: Path) -> bool:
    """Return whether a directory has results and no measurements beside them."""
    if not is_result(directory):
        return False
    return not search_profiles(directory)[0] and find_tables(directory, TableMapping()) is None


def intact_result(directory: Path) -> Intact:
    """Look whether every file of a results directory is as it was written, and open those with models."""
    from pipeline.store.results import read_study

    stored = read_result(directory, StoredResult.require_intact)
    _ = read_study(directory).others
    return Intact(path=str(directory), files=len(stored.digests))


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class ProposedRuns:
    """The runs of a directory with guessed parameters."""

    runs: tuple[RunSpec, ...]  # as the configuration lists runs, with absolute paths
    remarks: tuple[str, ...]  # one sentence on each guess, and on each profile that cannot be read


def propose_runs(directory: Path) -> ProposedRuns:
    """Guess the parameters of the runs below a directory; InputError if no profile can be read."""
    if not directory.is_dir() or find_profile_reader(directory):
        raise InputError("not a directory of runs", where=str(directory), hint="give the directory of runs")
    found, skipped = search_profiles(directory)
    if not found:
        raise nothing_found(directory, skipped)
    described = describe(found, directory)
    damaged = [f"left out {one.path}: {one.reason}" for one in described.damaged]
    if not described.runs:
        raise InputError("no profile can be read", where=str(directory), hint=damaged[0])
    proposal = propose(described.runs, _metadata(described.found))
    rows = zip(*proposal.parameters.values(), strict=True)
    specs = [
        RunSpec(
            profile.path.resolve(), dict(zip(proposal.parameters, row, strict=True)), proposal.repetitions[i]
        )
        for i, (profile, row) in enumerate(zip(described.found, rows, strict=True))
    ]
    specs.sort(key=lambda spec: (*spec.parameters.values(), spec.repetition or 0))
    return ProposedRuns(tuple(specs), (*proposal.remarks, *damaged))


def _metadata(profiles: Sequence[FoundProfile]) -> Mapping[str, tuple[float, ...]]:
    """Return the parameters in the metadata, one value per profile; empty if some profile has none."""
    metadata = read_metadata(profiles)
    if metadata is None or len(metadata.found) < len(profiles):
        return {}
    columns = zip(*metadata.values, strict=True)
    return dict(zip(metadata.parameters, columns, strict=True))


def proposal_toml(directory: Path, proposed: ProposedRuns) -> str:
    """Return the runs as TOML, with the guesses as comments."""
    points = len({tuple(run.parameters.values()) for run in proposed.runs})
    lines = [
        f"# Proposed for {_comment(str(directory))}: {counted(len(proposed.runs), 'run')} at"
        f" {counted(points, 'point')}. Check it, save it as a file, and give it as --config FILE.",
        *(f"# {_comment(remark)}" for remark in proposed.remarks),
    ]
    for run in proposed.runs:
        values = ", ".join(
            f"{name if _BARE_KEY.fullmatch(name) else _text(name)} = {value:.15g}"
            for name, value in run.parameters.items()
        )
        lines += [
            "",
            "[[run]]",
            f"path = {_text(str(run.path))}",
            f"parameters = {{{values}}}",
            f"repetition = {run.repetition}",
        ]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """Return a text of TOML, whose escapes JSON's are."""
    return json_line(value)


def _comment(text: str) -> str:
    return " ".join(text.split())
