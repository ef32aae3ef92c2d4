"""Runs whose names do not say their parameters: the profiles know them, and the numbers in the names help."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ingest.errors import InputError
from ingest.held_cores import stated_number
from ingest.profile import NODES, Profile
from ingest.profile_search import FoundProfile, Skipped, named_by_number
from ingest.reading.files import stamp
from ingest.run_metadata import METADATA_PROCESSES
from ingest.run_names import PROCESS_PARAMETERS, PROCESSES, VERSION_NAME, RunName, named_parameters
from ingest.run_proposal import (
    DescribedRun,
    Proposal,
    named_columns,
    propose,
    texts_of,
)
from ingest.run_settings import processes_text, stated_sizes

_CHANGE = "`pipeline inspect DIR --propose` lists the runs to change it"

_HASH = re.compile(r"(?=.*[a-f][0-9]+[a-f])[0-9a-f]{6,}")
_GENERIC = re.compile(r"(profile|summary|scout|trace|remap)[0-9]*")  # names of files that say nothing


@dataclass(frozen=True, kw_only=True)
class Described:
    """What is known of the runs of a directory without their parameters."""

    found: tuple[FoundProfile, ...]  # the profiles that can be read
    runs: tuple[DescribedRun, ...]  # what is known of each
    damaged: tuple[Skipped, ...]  # the other profiles


@dataclass(frozen=True, kw_only=True)
class Inferred:
    """Runs with the parameters that their profiles and names give."""

    described: Described
    proposal: Proposal
    notice: str  # one sentence on what was decided


def describe(found: Sequence[FoundProfile], directory: Path) -> Described:
    """Read what profiles know of their runs.

    Args:
        directory: the directory of all runs, below which folders and files have names.
    """
    read: list[tuple[FoundProfile, DescribedRun]] = []
    damaged: list[Skipped] = []
    for profile in found:
        try:
            read.append((profile, _describe(profile, directory)))
        except InputError as error:
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    profiles, runs = zip(*read, strict=True) if read else ((), ())
    return Described(found=profiles, runs=runs, damaged=tuple(damaged))


def _describe(found: FoundProfile, directory: Path) -> DescribedRun:
    path, of = found.path, found.reader.files
    files = of(path) if of else path.rglob("*") if path.is_dir() else [path]
    return _described(found, directory, tuple(map(stamp, sorted(files))))


@lru_cache(maxsize=1 << 12)
def _described(found: FoundProfile, directory: Path, stamps: tuple[tuple[int, ...], ...]) -> DescribedRun:
    """Read a profile once for all questions: whether its name is misread, and what it is instead."""
    profile = found.reader.read(found.path)
    process = profile.locations.process[profile.locations.cpu].tolist()
    threads = max(Counter(process).values(), default=1)
    return DescribedRun(
        name=_name_below(found, directory),
        processes=_processes(found, profile, len(set(process))),
        threads=threads,
        nodes=len(set(filter(None, profile.locations.node))) or stated_number(profile.attributes, (NODES,)),
        sizes=stated_sizes(profile.attributes),
        written=found.path.stat().st_mtime,
    )


def _name_below(found: FoundProfile, directory: Path) -> str:
    name = found.path.relative_to(directory).with_name(found.stem)
    parts = name.parts[:-1] if _GENERIC.fullmatch(name.name) and len(name.parts) > 1 else name.parts
    return "/".join(parts)


def _processes(found: FoundProfile, profile: Profile, located: int) -> int:
    """Return the number of processes, 0 if neither metadata nor a log state it."""
    if found.reader.processes:
        return found.reader.processes(found.path)
    return stated_number(profile.attributes, METADATA_PROCESSES) or located


def infer(found: Sequence[FoundProfile], directory: Path, *, constant: bool) -> Inferred | None:
    """Take parameters from profiles, and from the numbers in names that do not follow from them.

    Args:
        constant: whether runs that are all of one point are wanted, too.

    Returns:
        None if they do not tell what varied: the profiles do not state their processes, the names contradict
        them or have parameters that others lack, or only numbers vary of which nothing says what they are.
    """
    described = describe(found, directory)
    if len(described.runs) < 2 or not all(run.processes for run in described.runs):
        return None
    lost = _lost(described.runs)
    runs = (replace(run, processes=lost.get(i, run.processes)) for i, run in enumerate(described.runs))
    damaged = (
        Skipped(
            described.found[i].path,
            f"{processes_text(number)} by its name, but the profile has {described.runs[i].processes}",
            damaged=True,
        )
        for i, number in lost.items()
    )
    described = replace(described, runs=tuple(runs), damaged=(*described.damaged, *damaged))
    proposal = propose(described.runs)
    points = list(zip(*proposal.parameters.values(), strict=True))
    texts = {texts_of(run.name) for run in described.runs}
    beside = {profile.path.parent for profile in described.found} == {described.found[0].entry}
    if (
        proposal.unclear
        or (len(set(points)) == 1 and (not constant or len(texts) > 1))
        or (beside and PROCESSES not in proposal.parameters)  # several profiles of one run are repetitions
        or any(min(column) <= 0 and set(column) != {0, 1} for column in proposal.parameters.values())
        or _contradicted(described, proposal, one_text=len(texts) == 1)
    ):
        return None
    notice = f"parameters from the profiles, names do not give them: {'; '.join(proposal.remarks)}; {_CHANGE}"
    kept = [i for i in range(len(described.runs)) if i not in lost]
    return Inferred(
        described=replace(
            described,
            found=tuple(described.found[i] for i in kept),
            runs=tuple(described.runs[i] for i in kept),
        ),
        proposal=proposal.of(kept),
        notice=notice,
    )


def _lost(runs: Sequence[DescribedRun]) -> dict[int, int]:
    """Find runs that lack processes: a number in their names has a few more, and as many as others have."""
    processes = [run.processes for run in runs]
    for column in named_columns([run.name for run in runs]):
        more = [value - count for value, count in zip(column.values, processes, strict=True)]
        few = all(0 <= left <= max(1, value // 8) for left, value in zip(more, column.values, strict=True))
        if few and 0 in more and any(more) and not column.counting and not column.numbering:
            return {i: int(column.values[i]) for i, left in enumerate(more) if left}
    return {}


def misread(names: Sequence[RunName], found: Sequence[FoundProfile], directory: Path) -> bool:
    """Return whether names that follow the convention may mean something else than they seem to.

    That is so if the processes that profiles have vary and no number in the names counts processes, threads,
    or what has as many of them each, such as nodes; or if a parameter that is not called so is their number
    (``n4``, ``n8``). Only the profiles at the ends of each number are read.
    """
    if len({profile.entry for profile in found}) < 2:
        return False
    words = [word.lower() for word, _ in names[0].parameters]
    columns = {
        word: values
        for word, values in zip(words, zip(*(of.values() for of in names), strict=True), strict=True)
        if len(set(values)) > 1
    }
    if not columns:
        return not _stated_by(names[0], describe(found[:1], directory))
    logs = all(profile.reader.processes for profile in found)
    if not (logs or any(map(named_by_number, found))) and not PROCESS_PARAMETERS.isdisjoint(columns):
        return False
    ends = {values.index(end) for values in columns.values() for end in (min(values), max(values))}
    runs = describe([found[i] for i in sorted(ends)], directory).runs
    shown = {word: [values[i] for i in sorted(ends)] for word, values in columns.items()}
    return len(runs) == len(ends) and _miscounted(runs, shown)


def _miscounted(runs: Sequence[DescribedRun], columns: Mapping[str, Sequence[float]]) -> bool:
    """Return whether numbers in names are not those of runs, some at least of which differ in processes."""
    processes = [run.processes for run in runs]
    if not all(processes) or len(set(processes)) == 1:
        return False
    if any(list(of) == processes and word not in PROCESS_PARAMETERS for word, of in columns.items()):
        return True
    locations = [run.processes * run.threads for run in runs]
    return not any(_counts(of, counted) for of in columns.values() for counted in (processes, locations))


def _counts(values: Sequence[float], counted: Sequence[int]) -> bool:
    """Return whether all of what numbers count has the same number of processes or locations."""
    ratios = {count / value if value > 0 else 0.0 for count, value in zip(counted, values, strict=True)}
    return len(ratios) == 1 and min(ratios) >= 1


def _stated_by(name: RunName, described: Described) -> bool:
    """Return whether the processes in a name are those of its profile."""
    named = [value for word, value in name.parameters if word.lower() in PROCESS_PARAMETERS]
    return bool(named) and named == [run.processes for run in described.runs]


def _contradicted(described: Described, proposal: Proposal, *, one_text: bool) -> bool:
    """Return whether names by the convention have other processes, or do not agree on their parameters."""
    named = [
        {
            name: value
            for part in profile.named_parts
            if not _HASH.fullmatch(part)
            for name, value in named_parameters(VERSION_NAME.sub("", part)).items()
        }
        for profile in described.found
    ]
    if all(named) and not one_text:
        return True
    fixed = len({run.processes for run in described.runs}) == 1
    for i, (own, run) in enumerate(zip(named, described.runs, strict=True)):
        for name, value in own.items():
            counts = name.lower() in PROCESS_PARAMETERS
            constant = len({of.get(name) for of in named}) == 1 and not (counts and fixed)
            if constant or value in (run.processes, run.threads, run.nodes):
                continue
            taken = name in proposal.parameters and proposal.parameters[name][i] == value
            if not taken and (counts or not all(name in of for of in named)):
                return True
    return False
