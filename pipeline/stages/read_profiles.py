"""Reading runs: here or in other processes, from their files or from what an earlier run kept of them."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from filters.digest import FILTER_ATTRIBUTE, digest_of_run
from ingest.discovery import Run
from ingest.errors import FilterError, InputError, UsageError
from ingest.profile import Profile
from ingest.reduction import ReducedProfile, reduce_profile
from pipeline.execution.executor import Work, WorkerLostError
from pipeline.store.cache import Cache, key_of
from pipeline.store.inputs import FileState, InputFile, describe_input, files_of, state_of

Item = TypeVar("Item")
Outcome = ReducedProfile | InputError


class Watch(Protocol):
    """Passes things on that are done one by one, and shows progress."""

    def __call__(self, items: Iterable[Item], total: int) -> Iterable[Item]:
        """Yield `items`, of which there will be `total`."""
        ...


def unwatched(items: Iterable[Item], total: int) -> Iterable[Item]:
    """Show nothing."""
    return items


@dataclass(frozen=True)
class RunFiles:
    """The files of a run before it is read.

    Attributes:
        run: the run.
        paths: its files, in order.
        states: what the file system tells of each.
        known: what is remembered of each; None where it has to be read.
    """

    run: Run
    paths: tuple[Path, ...]
    states: tuple[FileState, ...]
    known: tuple[InputFile | None, ...]

    @property
    def size(self) -> int:
        """All its files together, in bytes."""
        return sum(state.size for state in self.states)


@dataclass(frozen=True, eq=False)
class ReadRun:
    """What came of a run.

    Attributes:
        run: the run.
        inputs: its files; empty where they could not be read.
        outcome: the reduced profile, or why there is none.
    """

    run: Run
    inputs: tuple[InputFile, ...]
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class _Task:
    """What a process needs to know to read a run, which may be on another machine."""

    files: RunFiles
    metrics: tuple[str, ...]
    kept: frozenset[str]


@dataclass(frozen=True, eq=False)
class _Done:
    """What comes back; no outcome means that the content is kept under `key` already."""

    key: str
    inputs: tuple[InputFile, ...]
    outcome: Outcome | None


def look_up(run: Run, cache: Cache | None) -> RunFiles:
    """List the files of a run and what is remembered of them, without reading any."""
    paths = tuple(files_of(run.path, run.reader))
    states = tuple(map(state_of, paths))
    known = tuple(cache.remembered(*file) if cache else None for file in zip(paths, states, strict=True))
    return RunFiles(run, paths, states, known)


@dataclass(frozen=True, eq=False)
class Reading:
    """How runs are read.

    Attributes:
        metrics: names of the metrics to keep.
        work: where they are read.
        cache: of the results directory: what it has is not read, and what is read goes there as soon as it is
            done; None keeps everything in memory.
    """

    metrics: tuple[str, ...]
    work: Work
    cache: Cache | None

    def read(self, runs: Sequence[RunFiles]) -> Iterator[tuple[int, ReadRun]]:
        """Yield the number of a run and what came of it, in the order in which runs are done.

        Raises:
            UsageError: where the cache cannot be written or a worker cannot work.
        """
        left = []
        for number, files in enumerate(runs):
            profile = self._kept(files)
            if profile is None:
                left.append(number)
            else:
                yield number, ReadRun(files.run, _described(files), profile)
        kept = self.cache.keys() if self.cache else frozenset()
        damaged = yield from self._read(runs, left, kept)
        yield from self._read(runs, damaged, frozenset())

    def _kept(self, files: RunFiles) -> ReducedProfile | None:
        inputs = _described(files)
        if self.cache is None or len(inputs) < len(files.known):
            return None
        return self.cache.load(self._key(files.run, inputs), str(files.run.path))

    def _key(self, run: Run, inputs: Sequence[InputFile]) -> str:
        return key_of(run.reader.name, run.path, inputs, self.metrics)

    def _read(
        self, runs: Sequence[RunFiles], left: Sequence[int], kept: frozenset[str]
    ) -> Generator[tuple[int, ReadRun], None, list[int]]:
        """Read runs, the largest first so that none is waited for alone; return those to read again."""
        order = sorted(left, key=lambda number: -runs[number].size)
        tasks = [_Task(runs[number], self.metrics, kept) for number in order]
        damaged = []
        for place, done in self.work(sum(task.files.size for task in tasks)).map(_read_run, tasks):
            files = tasks[place].files
            if isinstance(done, WorkerLostError):
                yield order[place], ReadRun(files.run, (), _lost(files.run))
                continue
            if done.key and done.key != self._key(files.run, done.inputs):
                raise UsageError(
                    "a worker runs another version of this package",
                    where="--scheduler",
                    hint="install the same one everywhere",
                )
            outcome = self._stored(files, done)
            if outcome is None:
                damaged.append(order[place])
            else:
                yield order[place], ReadRun(files.run, done.inputs, outcome)
        return damaged

    def _stored(self, files: RunFiles, done: _Done) -> Outcome | None:
        """Keep what came from another process; None where it should have been kept but is damaged."""
        if self.cache is None:
            return done.outcome
        if len(done.inputs) == len(files.states):
            self.cache.remember(tuple(zip(done.inputs, files.states, strict=True)))
        if done.outcome is None:
            return self.cache.load(done.key, str(files.run.path))
        if isinstance(done.outcome, InputError):
            return done.outcome
        return self.cache.keep(done.key, done.outcome)


def _described(files: RunFiles) -> tuple[InputFile, ...]:
    return tuple(file for file in files.known if file is not None)


def _lost(run: Run) -> InputError:
    return InputError(
        "the process that read it was lost, twice",
        where=str(run.path),
        hint="if memory is short, read with --jobs 1",
    )


def _read_run(task: _Task) -> _Done:
    """Read and reduce one run; an error is a value here, since it may come from another process."""
    run, paths = task.files.run, task.files.paths
    inputs: tuple[InputFile, ...] = ()
    try:
        before = tuple(map(state_of, paths))
        inputs = tuple(
            known or describe_input(path) for known, path in zip(task.files.known, paths, strict=True)
        )
        key = key_of(run.reader.name, run.path, inputs, task.metrics)
        if key in task.kept:
            return _Done(key, inputs, None)
        profile = _reduced(run.reader.read(run.path), task.metrics)
        if tuple(map(state_of, paths)) != before:
            raise InputError("a file changed while it was read", hint="run again")
    except (InputError, FilterError) as error:
        return _Done("", inputs, InputError(error.what, where=error.where or str(run.path), hint=error.hint))
    return _Done(key, inputs, replace(profile, source=str(run.path)))


def _reduced(profile: Profile, metrics: Sequence[str]) -> ReducedProfile:
    """Reduce a profile and note the digest of the filter it was measured with, where that can be told."""
    reduced = reduce_profile(profile, metrics)
    digest = digest_of_run(profile)
    if digest is None:
        return reduced
    return replace(reduced, attributes={**reduced.attributes, FILTER_ATTRIBUTE: digest})


def same_program(profile: ReducedProfile, other: ReducedProfile | None) -> ReducedProfile:
    """Let a profile share call tree and regions with another where they are the same, to hold them once."""
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
