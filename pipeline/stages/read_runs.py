"""Runs are read in parallel, from their files or from the cache that an earlier `pipeline run` left."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from filters.instrumentation import FILTER_ATTRIBUTE, digest_of_run
from ingest.discovery import Run
from ingest.errors import FilterError, InputError, UsageError
from ingest.metric_choice import MetricChoice
from ingest.profile import Profile
from ingest.reduction import ReducedProfile, reduce_profile
from pipeline.execution.executors import ExecutorChoice, WorkerLostError
from pipeline.store.cache import ProfileCache, key_of
from pipeline.store.freshness import RunFiles, describe_input, state_of
from pipeline.store.made_from import InputFile

Outcome = ReducedProfile | InputError


@dataclass(frozen=True, eq=False)
class ReadRun:
    """The outcome of reading a run.

    Attributes:
        run: the run.
        inputs: its files; empty if they could not be read.
        outcome: the reduced profile, or why there is none.
    """

    run: Run
    inputs: tuple[InputFile, ...]
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class _Task:
    """What a process needs to read a run; it may be on another machine."""

    files: RunFiles
    metrics: MetricChoice
    cached: frozenset[str]


@dataclass(frozen=True, eq=False)
class _Result:
    """What comes back; None as the outcome means that the cache has it under `key` already."""

    key: str
    inputs: tuple[InputFile, ...]
    outcome: Outcome | None


@dataclass(frozen=True, eq=False)
class RunReader:
    """Reads runs and reduces them over their locations.

    Attributes:
        metrics: the metrics to keep.
        executor: chooses where runs are read.
        cache: of the results directory: runs in it are not read again, and every run goes there as soon as it
            is read; None keeps all runs in memory.
    """

    metrics: MetricChoice
    executor: ExecutorChoice
    cache: ProfileCache | None

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
        return self.cache.load(self._key(files.run, inputs), str(files.run.path))

    def _key(self, run: Run, inputs: Sequence[InputFile]) -> str:
        return _key_of(run, inputs, self.metrics)

    def _from_files(
        self, runs: Sequence[RunFiles], numbers: Sequence[int], cached: frozenset[str]
    ) -> Generator[tuple[int, ReadRun], None, list[int]]:
        """Read runs, the largest first so that it is not waited for alone; return those to read again."""
        order = sorted(numbers, key=lambda number: -runs[number].size)
        tasks = [_Task(runs[number], self.metrics, cached) for number in order]
        damaged = []
        executor = self.executor(sum(task.files.size for task in tasks))
        for place, result in executor.map(_read_run, tasks):
            files = tasks[place].files
            if isinstance(result, WorkerLostError):
                yield order[place], ReadRun(files.run, (), _lost(files.run))
                continue
            if result.key and result.key != self._key(files.run, result.inputs):
                raise UsageError(
                    "a worker runs another version of this package",
                    where="--scheduler",
                    hint="install the same version everywhere",
                )
            outcome = self._stored(files, result)
            if outcome is None:
                damaged.append(order[place])
            else:
                yield order[place], ReadRun(files.run, result.inputs, outcome)
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


def _lost(run: Run) -> InputError:
    return InputError(
        "the process that read it ended unexpectedly, twice",
        where=str(run.path),
        hint="if memory is short, read with --jobs 1",
    )


def _read_run(task: _Task) -> _Result:
    """Read and reduce one run; an error is a value here, since it may come from another process."""
    run, paths = task.files.run, task.files.paths
    inputs: tuple[InputFile, ...] = ()
    try:
        before = tuple(map(state_of, paths))
        inputs = tuple(
            known or describe_input(path) for known, path in zip(task.files.known, paths, strict=True)
        )
        key = _key_of(run, inputs, task.metrics)
        if key in task.cached:
            return _Result(key, inputs, None)
        profile = _reduced(run.reader.read(run.path), task.metrics)
        if tuple(map(state_of, paths)) != before:
            raise InputError("a file changed while it was read", hint="run again")
    except (InputError, FilterError) as error:
        return _Result(
            "", inputs, InputError(error.what, where=error.where or str(run.path), hint=error.hint)
        )
    return _Result(key, inputs, replace(profile, source=str(run.path)))


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
