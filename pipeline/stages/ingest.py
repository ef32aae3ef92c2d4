"""The ingest stage: from a path to an experiment, one profile in memory at a time."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from filters.instrumentation import (
    FILTER_ATTRIBUTE,
    Instrumentation,
    digest_of_run,
    instrumentations,
    mixed_filters,
)
from ingest.alignment import MeasuredRun, align, experiment_from_series, with_processes
from ingest.discovery import Discovery, Run, Skipped
from ingest.errors import FilterError, InputError, UsageError
from ingest.experiment import Experiment, MetricChoice
from ingest.locate import Located
from ingest.profile import Profile
from ingest.readers import SeriesReader
from ingest.reduction import GPU, ReducedProfile, reduce_profile
from ingest.run_checks import RENAME, contradicted_name, doubts, foreign_runs, misnamed_runs, unusable_runs
from ingest.run_names import named_parameters
from ingest.tables.table_files import TableSource
from ingest.tables.table_study import TableStudy
from pipeline.execution.executors import (
    ExecutorChoice,
    ProgressDisplay,
    WorkerLostError,
    local_executor,
    no_progress,
)
from pipeline.store.cache import ProfileCache, key_of
from pipeline.store.freshness import RunFiles, describe_input, described_inputs, files_of_run, state_of
from pipeline.store.made_from import InputFile
from pipeline.wording.quantities import counted, value_text

Outcome = ReducedProfile | InputError
Look: TypeAlias = Callable[[Run, Profile], object]


@dataclass(frozen=True, eq=False)
class ReadRun:
    """The outcome of reading a run: its files, if they could be read; its profile, or why there is none."""

    run: Run
    inputs: tuple[InputFile, ...]
    outcome: Outcome
    seen: object = None  # what `RunReader.look` made of the profile


@dataclass(frozen=True, eq=False)
class _Result:
    """What comes back; None as the outcome means that the cache has it under `key` already."""

    key: str
    inputs: tuple[InputFile, ...]
    outcome: Outcome | None
    seen: object = None


@dataclass(frozen=True, eq=False)
class RunReader:
    """Reads runs and reduces them over their locations."""

    metrics: MetricChoice
    executor: ExecutorChoice
    # of the results directory: runs in it are not read again, and every run goes there as soon as it is read;
    # None keeps all runs in memory
    cache: ProfileCache | None
    # looks at each profile before it is reduced, where it is read, unless the cache has it
    look: Look | None = None

    def read(self, runs: Sequence[RunFiles]) -> Iterator[tuple[int, ReadRun]]:
        """Yield the number of a run and its outcome, in the order in which runs are finished."""
        missing = []
        for number, files in enumerate(runs):
            profile = self._from_cache(files)
            if profile is None:
                missing.append(number)
            else:
                yield number, ReadRun(files.run, files.described, profile)
        cached = self.cache.keys() if self.cache else frozenset()
        damaged = yield from self._from_files(runs, missing, cached)
        yield from self._from_files(runs, damaged, frozenset())

    def _from_cache(self, files: RunFiles) -> ReducedProfile | None:
        inputs = files.described
        if self.cache is None or len(inputs) < len(files.known):
            return None
        return self.cache.load(_key_of(files.run, inputs, self.metrics), str(files.run.path))

    def _from_files(
        self, runs: Sequence[RunFiles], numbers: Sequence[int], cached: frozenset[str]
    ) -> Generator[tuple[int, ReadRun], None, list[int]]:
        """Read runs, the largest first so that it is not waited for alone; return those to read again."""
        order = sorted(numbers, key=lambda number: -runs[number].size)
        tasks = [runs[number] for number in order]
        damaged = []
        executor = self.executor(sum(files.size for files in tasks))
        for place, result in executor.map(partial(_read_run, self.metrics, cached, self.look), tasks):
            files = tasks[place]
            if isinstance(result, WorkerLostError):
                what = "the process that read it ended unexpectedly, twice"
                hint = "if memory is short, read with --jobs 1"
                lost = InputError(what, where=str(files.run.path), hint=hint)
                yield order[place], ReadRun(files.run, (), lost)
                continue
            if result.key and result.key != _key_of(files.run, result.inputs, self.metrics):
                raise UsageError(
                    "a worker runs another version of this package",
                    where="--scheduler",
                    hint="install the same version everywhere",
                )
            outcome = self._stored(files, result)
            if outcome is None:
                damaged.append(order[place])
            else:
                yield order[place], ReadRun(files.run, result.inputs, outcome, result.seen)
        return damaged

    def _stored(self, files: RunFiles, result: _Result) -> Outcome | None:
        """Put what was read into the cache; None if the cache should have had it but it is damaged."""
        if self.cache is None:
            return result.outcome
        if len(result.inputs) == len(files.states):
            self.cache.digests.remember(tuple(zip(result.inputs, files.states, strict=True)))
        if result.outcome is None:
            return self.cache.load(result.key, str(files.run.path))
        if isinstance(result.outcome, InputError):
            return result.outcome
        return self.cache.keep(result.key, result.outcome)


def _key_of(run: Run, inputs: Sequence[InputFile], metrics: MetricChoice) -> str:
    """Return the key of a run in the cache: what its reader takes from names is a part of it."""
    named = run.reader.context(run.path) if run.reader.context else ""
    return key_of(f"{run.reader.name} {named}".strip(), run.path, inputs, metrics.key)


def _read_run(metrics: MetricChoice, cached: frozenset[str], look: Look | None, files: RunFiles) -> _Result:
    """Read and reduce one run; an error is a value here, since it may come from another process."""
    run, paths = files.run, files.paths
    inputs: tuple[InputFile, ...] = ()
    seen: object = None
    try:
        before = tuple(map(state_of, paths))
        inputs = tuple(known or describe_input(path) for known, path in zip(files.known, paths, strict=True))
        key = _key_of(run, inputs, metrics)
        if key in cached:
            return _Result(key, inputs, None)
        profile = run.reader.read(run.path)
        seen = look(run, profile) if look else None
        reduced = _reduced(profile, metrics)
        if tuple(map(state_of, paths)) != before:
            raise InputError("a file changed while it was read", hint="run again")
    except (InputError, FilterError) as error:
        wrong = InputError(error.what, where=error.where or str(run.path), hint=error.hint)
        return _Result("", inputs, wrong, seen)
    return _Result(key, inputs, replace(reduced, source=str(run.path)), seen)


def _reduced(profile: Profile, metrics: MetricChoice) -> ReducedProfile:
    """Reduce a profile and note the digest of the filter that it was measured with, if it is known."""
    if metrics.on_locations not in {metric.name for metric in profile.metrics}:
        metrics = replace(metrics, every=True)  # one of the others will be chosen
    reduced = reduce_profile(profile, metrics, metrics.on_locations)
    digest = digest_of_run(profile.source, profile.attributes)
    if digest is None:
        return reduced
    return replace(reduced, attributes={**reduced.attributes, FILTER_ATTRIBUTE: digest})


def share_tables(profile: ReducedProfile, other: ReducedProfile | None) -> ReducedProfile:
    """Use the call tree and regions of another profile if they are equal, so that they are in memory once."""
    if other is None or not (_same_tree(profile, other) and _same_regions(profile, other)):
        return profile
    return replace(profile, tree=other.tree, regions=other.regions)


def _same_tree(profile: ReducedProfile, other: ReducedProfile) -> bool:
    one, two = profile.tree, other.tree
    return np.array_equal(one.parent, two.parent) and np.array_equal(one.region, two.region)


def _same_regions(profile: ReducedProfile, other: ReducedProfile) -> bool:
    one, two = profile.regions, other.regions
    names = ("name", "mangled", "paradigm", "file")
    return all(getattr(one, name) == getattr(two, name) for name in names) and np.array_equal(
        one.line, two.line
    )


_UNLIKE = "measured under another filter"

GoodRun: TypeAlias = tuple[Run, ReducedProfile]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ingested:
    """What was read."""

    experiment: Experiment  # the runs to model, aligned; they were measured under one filter
    runs: tuple[Run, ...] = ()
    # what lies beside the runs and is not a run, and runs under another filter
    beside: tuple[Skipped, ...] = ()
    # what could not be read, contradicts its name or is of another program, and why
    damaged: tuple[Skipped, ...] = ()
    # the files of the runs, including those of damaged runs whose bytes can be read
    inputs: tuple[InputFile, ...] = ()
    # the runs, perhaps under another filter, that recorded the most functions: of them a filter is made
    widest: tuple[Run, ...] = ()
    # those notices of the experiment that say what makes the runs hard to compare
    doubts: tuple[str, ...] = ()


def usable_runs(found: Discovery, read: Sequence[ReadRun]) -> Ingested:
    """Choose the runs that can be modelled together.

    Under a filter the time of a dropped function is in its caller. So runs under different filters are never
    mixed: not averaged at one point, and not put into one series. Those that cover the most points are used;
    of equal ones those with the fewest visits per second, since they are disturbed least. InputError if none
    could be read, or half of them contradict their names.
    """
    good, damaged = _separate(read)
    if not good:
        more = f" (and {len(damaged) - 1} more runs that cannot be read)" if len(damaged) > 1 else ""
        raise InputError(f"{damaged[0].reason}{more}", where=str(damaged[0].path))
    good, of_others, kinds = _of_one_kind(found.labels, good)
    named, contradictions, misnamed = _without_misnamed(found, good)
    experiment = align(found.parameters, _measured(named))
    own, foreign = _without_foreign(experiment, named)
    groups = instrumentations(_measured(own))
    used, *others = groups
    if len(used.runs) < len(named):
        experiment = align(found.parameters, _measured([own[i] for i in used.runs]))
    mixed = mixed_filters({run.source: run.attributes.get(FILTER_ATTRIBUTE) for run in experiment.runs})
    unlike = [_filters_sentence(found.parameters, own, groups)] if others else []
    doubtful = (*kinds, *contradictions, *unlike, *([mixed] if mixed else []), *doubts(experiment))
    widest = max(groups, key=lambda group: len(group.recorded))
    empty = tuple(filter(is_problem, found.skipped))
    return Ingested(
        experiment=replace(
            experiment,
            notices=(*found.notices, *experiment.notices, *doubtful),
            recorded=tuple(sorted(used.recorded)) if used.complete else (),
        ),
        runs=tuple(own[i][0] for i in used.runs),
        beside=(
            *(entry for entry in found.skipped if entry not in empty),
            *of_others,
            *(Skipped(own[i][0].path, _UNLIKE) for i in sorted(i for group in others for i in group.runs)),
        ),
        widest=tuple(own[i][0] for i in widest.runs),
        damaged=(*empty, *damaged, *misnamed, *foreign),
        inputs=tuple(file for run in read for file in run.inputs),
        doubts=doubtful,
    )


def _separate(read: Sequence[ReadRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs with a profile from those that could not be read."""
    good: list[GoodRun] = []
    bad: list[Skipped] = []
    for entry in read:
        run, outcome = entry.run, entry.outcome
        if isinstance(outcome, InputError):
            bad.append(Skipped(run.path, f"{outcome.what}" + (f"; {outcome.hint}" if outcome.hint else "")))
        else:
            good.append((run, replace(outcome, attributes=run.described(outcome.attributes))))
    reasons = unusable_runs([profile.attributes for _, profile in good])
    bad += [Skipped(good[i][0].path, reason) for i, reason in reasons.items()]
    return [one for i, one in enumerate(good) if i not in reasons], bad


def _of_one_kind(
    labels: Sequence[str], good: Sequence[GoodRun]
) -> tuple[list[GoodRun], list[Skipped], list[str]]:
    """Choose the runs of the kind with the most points, the first of equal ones: kinds are no series.

    Returns them, the others, and a sentence if there are others.
    """
    kinds: dict[str, list[GoodRun]] = {}
    for one in good:
        kind = ", ".join(f"{name} = {one[0].metadata[name]}" for name in labels)
        kinds.setdefault(kind, []).append(one)
    used = max(kinds, key=lambda kind: len({run.parameters for run, _ in kinds[kind]}))
    others = {kind: runs for kind, runs in kinds.items() if kind != used}
    if not others:
        return list(good), [], []
    aside = [Skipped(run.path, f"{kind}: another kind") for kind, runs in others.items() for run, _ in runs]
    left = ", ".join(f"{counted(len(runs), 'run')} with {kind}" for kind, runs in others.items())
    sentence = (
        f"{' and '.join(labels)} {'is a label, no number' if len(labels) == 1 else 'are labels, no numbers'}"
        f" to model over: {counted(len(kinds[used]), 'run')} with {used} are used, {left} are left out;"
        f" --group-by {labels[0]} makes a study of each"
    )
    return kinds[used], aside, [sentence]


def _measured(good: Sequence[GoodRun]) -> list[MeasuredRun]:
    return [MeasuredRun(run.parameters, run.repetition, profile) for run, profile in good]


def _without_misnamed(
    found: Discovery, good: Sequence[GoodRun]
) -> tuple[list[GoodRun], list[str], list[Skipped]]:
    """Return the runs to use, notices, and runs whose names contradict their profiles."""
    reasons = misnamed_runs(found.parameters, _measured(good))
    if found.listed:
        return list(good), [f"{good[i][0].path}: {reason}" for i, reason in reasons.items()], []
    if reasons and 2 * len(reasons) >= len(good):
        first, what = next(iter(reasons.items()))
        raise InputError(
            f"{what}, and {len(reasons)} of {len(good)} runs contradict their names",
            where=str(good[first][0].path),
            hint="rename the runs, or list them in pipeline.toml",
        )
    skipped = [Skipped(good[i][0].path, f"{reason}; {RENAME}") for i, reason in reasons.items()]
    said = list(filter(None, [contradicted_name(found.parameters, _measured(good))]))
    return [entry for i, entry in enumerate(good) if i not in reasons], said, skipped


def _without_foreign(experiment: Experiment, good: Sequence[GoodRun]) -> tuple[list[GoodRun], list[Skipped]]:
    """Separate the runs of another program than most are of."""
    reasons = foreign_runs(experiment)
    foreign = [(run, reasons[profile.source]) for run, profile in good if profile.source in reasons]
    others = [entry for entry in good if entry[1].source not in reasons]
    return others, [Skipped(run.path, reason) for run, reason in foreign]


def _filters_sentence(
    parameters: Sequence[str], read: Sequence[GoodRun], groups: Sequence[Instrumentation]
) -> str:
    used, *others = (_described(parameters, read, group) for group in groups)
    return (
        f"the runs were measured under {len(groups)} different filters, so the time of some functions is in "
        f"their callers in some runs: these runs are not mixed. Used: {used}. Left out: {'; '.join(others)}. "
        f"To use others, list their runs as [[run]] in pipeline.toml or move them to a directory of their own"
    )


def _described(parameters: Sequence[str], read: Sequence[GoodRun], group: Instrumentation) -> str:
    runs = [read[i][0] for i in group.runs]
    points = sorted({run.parameters for run in runs})
    at = ", ".join(value_text(point[0]) for point in points) if len(parameters) == 1 else ""
    where = f"{parameters[0]} = {at}" if at else counted(len(points), "point")
    others = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    return (
        f"{counted(len(runs), 'run')} that recorded {counted(len(group.recorded), 'function')} "
        f"({where}; {runs[0].path}{others})"
    )


def is_problem(entry: Skipped) -> bool:
    """Return whether a measurement is missing: a damaged profile, or none in a folder named like a run."""
    return entry.damaged or (entry.path.is_dir() and bool(named_parameters(entry.path.name)))


_ALWAYS_KEPT = ("time", "visits")


def with_parameter(read: Ingested) -> Ingested:
    """Return runs that can be modelled: without a parameter, their number of processes is it."""
    return replace(read, experiment=with_processes(read.experiment))


def ingest(
    located: Located,
    metric: str,
    processes: int = 1,
    progress: ProgressDisplay = no_progress,
    *,
    cache: ProfileCache | None = None,
    executor: ExecutorChoice | None = None,
    excluded: Sequence[str] | None = None,
) -> Ingested:
    """Read and align what was located; a run that cannot be read is skipped with its reason.

    So is a run of another program, and one that contradicts its name (see `ingest.run_checks`) unless the
    configuration lists the runs. The result does not depend on where and in what order runs are read, nor on
    what the cache of the results directory has. The metric to model, time, visits, and counts of instructions
    and cycles are always kept, all others but for those that match the patterns `excluded`; None keeps none.
    """
    if isinstance(located.found, SeriesReader):
        series = experiment_from_series(located.found.read(located.path))
        inputs = described_inputs(located)
        return Ingested(experiment=series, inputs=inputs)
    if isinstance(located.found, TableSource):
        return ingest_study(located.found.read(), described_inputs(located), located.found.skipped)
    metrics = chosen_metrics(metric, excluded)
    reader = RunReader(metrics, executor or partial(local_executor, processes), cache)
    return usable_runs(located.found, read_runs(located.found.runs, reader, progress))


def chosen_metrics(metric: str, excluded: Sequence[str] | None = None) -> MetricChoice:
    """Return what is kept of profiles to model a metric, as `ingest` says."""
    return MetricChoice(
        required=(metric.removeprefix(GPU), *_ALWAYS_KEPT),
        every=excluded is not None,
        excluded=tuple(excluded or ()),
        on_locations=metric.removeprefix(GPU),
    )


def ingest_study(
    study: TableStudy, inputs: tuple[InputFile, ...] = (), skipped: tuple[Skipped, ...] = ()
) -> Ingested:
    """Take up what tables hold: their runs are aligned as profiles are, with all of their metrics."""
    if study.series is not None:
        series = experiment_from_series(study.series)
        return Ingested(experiment=series, beside=skipped, inputs=inputs)
    reduced = (
        reduce_profile(one, [m.name for m in one.metrics]) for one in (run.profile for run in study.runs)
    )
    measured = [MeasuredRun(r.parameters, r.repetition, p) for r, p in zip(study.runs, reduced, strict=True)]
    experiment = align(study.parameters, measured)
    doubtful = doubts(experiment)
    return Ingested(
        experiment=replace(experiment, notices=(*study.notices, *experiment.notices, *doubtful)),
        beside=skipped,
        damaged=tuple(Skipped(Path(name), what) for name, what in study.damaged),
        inputs=inputs,
        doubts=doubtful,
    )


def read_runs(runs: Sequence[Run], reader: RunReader, progress: ProgressDisplay) -> list[ReadRun]:
    """Read runs and return them in their order; equal call trees are in memory once."""
    memory = reader.cache.digests if reader.cache else None
    files = [files_of_run(run, memory) for run in runs]
    outcomes: dict[int, ReadRun] = {}
    last: ReducedProfile | None = None
    for number, read in progress(reader.read(files), len(files)):
        outcomes[number] = read
        if not isinstance(read.outcome, InputError):
            last = share_tables(read.outcome, last)
            outcomes[number] = replace(read, outcome=last)
    return [outcomes[number] for number in range(len(files))]


def skipped_entry(skipped: Skipped) -> dict[str, str]:
    """Return path and reason as plain data."""
    return {"path": str(skipped.path), "reason": skipped.reason}
