"""Run discovery: which profiles below a directory are runs, and what parameters they were measured with."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ingest.errors import InputError, RunNameError
from ingest.profile_search import FoundProfile, Skipped, search_profiles
from ingest.readers import ProfileReader, find_profile_reader, known_profiles
from ingest.run_names import HOW_TO_NAME, RunName, RunSpec, parse_run_name

__all__ = ["Discovery", "Run", "Skipped", "discover"]

MAX_EXAMPLES = 4
PROCESSES = "p"
METADATA_PROCESSES = ("jobsize", "mpi.world.size")  # names of their number that Adiak and Caliper use

_DIGITS = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"[0-9]{1,12}")
_UNNAMED = re.compile(r"profile[0-9]*")  # repetitions in one folder, not a parameter 'profile'


@dataclass(frozen=True)
class Run:
    """One run to be read.

    Attributes:
        path: the profile, a file or a directory, as the reader wants it.
        reader: the format it looks like.
        parameters: values in the order of `Discovery.parameters`.
        repetition: distinguishes the runs of one measurement point; as named, or numbered from 1.
    """

    path: Path
    reader: ProfileReader
    parameters: tuple[float, ...]
    repetition: int


@dataclass(frozen=True)
class Discovery:
    """The runs of a study, sorted by parameters, then repetition, then path.

    Attributes:
        parameters: the names of the parameters, including those with one value in all runs.
        runs: at least one.
        skipped: what is beside the runs and not read.
        notices: one sentence for everything doubtful.
    """

    parameters: tuple[str, ...]
    runs: tuple[Run, ...]
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Metadata:
    """What the profiles of a study say about their parameters.

    Attributes:
        found: the profiles whose metadata could be read.
        parameters: names of the parameters.
        values: one row per profile of `found`.
        damaged: the profiles whose metadata could not be read.
    """

    found: tuple[FoundProfile, ...]
    parameters: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    damaged: tuple[Skipped, ...]


def discover(path: Path, explicit: Sequence[RunSpec] | None = None) -> Discovery:
    """Find the runs below a directory.

    Every entry of the directory that contains a profile is a run. Its name gives the parameters (see
    `ingest.run_names`), unless the metadata of the profiles do (Adiak's global values in Caliper's); if names
    have no parameters, the number of processes that logs state does. Several profiles in one entry are
    repetitions. A path that is a profile itself, or a directory with a single one,
    needs no parameters.

    Args:
        path: a directory, or a single profile.
        explicit: the runs as the configuration lists them, instead of a search.

    Raises:
        InputError: if there is no run, or a listed one is not a profile.
        RunNameError: if names do not parse, or do not agree on their parameters.
    """
    if explicit:
        return _listed(path, explicit)
    if reader := find_profile_reader(path):
        return Discovery((), (Run(path, reader, (), 1),))
    if not path.is_dir():
        what = "not a profile in a known format" if path.exists() else "no such file or directory"
        raise InputError(what, where=str(path), hint=f"known formats: {known_profiles()}")
    found, skipped = search_profiles(path)
    if not found:
        raise InputError(
            "no profile found",
            where=str(path),
            hint=f"searched it and its folders for {known_profiles()}; {HOW_TO_NAME}",
        )
    if metadata := _metadata(found):
        return _described(metadata, skipped)
    if stated := _stated(found):
        return _from_logs(stated, skipped)
    names = _names(found)
    _agree(names, found)
    parameters = tuple(name for name, _ in names[0].parameters)
    values = [tuple(value for _, value in name.parameters) for name in names]
    runs = _numbered(found, values, [name.repetition for name in names])
    return Discovery(parameters, runs, tuple(skipped), _notices(names, found))


def _described(metadata: _Metadata, skipped: Sequence[Skipped]) -> Discovery:
    """Take the parameters from the metadata of the profiles."""
    runs = _numbered(metadata.found, metadata.values, [None] * len(metadata.found))
    notice = f"parameters from the metadata of the profiles: {', '.join(metadata.parameters)}"
    return Discovery(metadata.parameters, runs, (*skipped, *metadata.damaged), (notice,))


def _metadata(found: Sequence[FoundProfile]) -> _Metadata | None:
    """Choose the parameters from the metadata of profiles.

    These are the number of processes, and the numbers that every profile has and that are not the same in
    all; of numbers that always agree the first is taken.

    Returns:
        None if the format of some profile has no metadata, or if they contain no number.

    Raises:
        InputError: if the metadata of no profile can be read.
    """
    described: list[tuple[FoundProfile, Mapping[str, float]]] = []
    damaged: list[Skipped] = []
    for profile in found:
        if profile.reader.parameters is None:
            return None
        try:
            described.append((profile, profile.reader.parameters(profile.path)))
        except InputError as error:
            if len(damaged) + 1 == len(found):
                raise
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    parameters = choose_parameters([numbers for _, numbers in described])
    if not parameters:
        return None
    values = tuple(tuple(numbers[name] for name in parameters) for _, numbers in described)
    return _Metadata(tuple(profile for profile, _ in described), parameters, values, tuple(damaged))


def _stated(found: Sequence[FoundProfile]) -> _Metadata | None:
    """Take the parameters that profiles state if their names have none.

    Returns:
        None if names have parameters that profiles do not state with the same values, if some profile states
        nothing, or if there is only one run, which needs no parameters.

    Raises:
        InputError: if none of the profiles can be read.
    """
    named = [_named_parameters(profile) for profile in found]
    if len({profile.entry for profile in found}) == 1 or all(named):
        return None
    described: list[tuple[FoundProfile, Mapping[str, float]]] = []
    damaged: list[Skipped] = []
    for profile, names in zip(found, named, strict=True):
        try:
            numbers = (
                profile.reader.unnamed_parameters(profile.path) if profile.reader.unnamed_parameters else {}
            )
        except InputError as error:
            if len(damaged) + 1 == len(found):
                raise
            damaged.append(Skipped(profile.path, error.what, damaged=True))
            continue
        if not numbers or not names.items() <= numbers.items():
            return None
        described.append((profile, numbers))
    parameters = tuple(described[0][1])
    values = tuple(tuple(numbers[name] for name in parameters) for _, numbers in described)
    return _Metadata(tuple(profile for profile, _ in described), parameters, values, tuple(damaged))


def _named_parameters(profile: FoundProfile) -> dict[str, float]:
    try:
        return dict(_name(profile).parameters)
    except RunNameError:
        return {}


def _from_logs(stated: _Metadata, skipped: Sequence[Skipped]) -> Discovery:
    """Take the parameters from what the profiles state."""
    runs = _numbered(stated.found, stated.values, [None] * len(stated.found))
    names = ", ".join(f"{name} (processes)" if name == PROCESSES else name for name in stated.parameters)
    notice = f"the names of the runs have no parameters: {names} as the profiles state it"
    return Discovery(
        stated.parameters, runs, (*skipped, *stated.damaged), (notice, *_mixed_formats(stated.found))
    )


def choose_parameters(numbers: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Choose parameters from the numbers in the metadata of each profile, see `_metadata`."""
    common = set(numbers[0]).intersection(*numbers) if numbers else set()
    processes = [name for name in METADATA_PROCESSES if name in common][:1]
    others = sorted(common.difference(METADATA_PROCESSES))
    chosen: dict[tuple[float, ...], str] = {}
    for name in [*processes, *others]:
        column = tuple(row[name] for row in numbers)
        if name in processes or len(set(column)) > 1:
            chosen.setdefault(column, name)
    return tuple(chosen.values())


def _listed(directory: Path, specs: Sequence[RunSpec]) -> Discovery:
    """Find the runs of the configuration."""
    parameters = tuple(specs[0].parameters)
    found: list[FoundProfile] = []
    values: list[tuple[float, ...]] = []
    repetitions: list[int | None] = []
    for spec in specs:
        place = directory / spec.path
        if set(spec.parameters) != set(parameters):
            raise InputError(
                f"[[run]] lists the parameters {', '.join(spec.parameters) or 'none'}, others list"
                f" {', '.join(parameters) or 'none'}",
                where=str(place),
                hint="give every run the same parameters",
            )
        profiles = _profiles_of(place)
        found += profiles
        values += [tuple(float(spec.parameters[name]) for name in parameters)] * len(profiles)
        repetitions += [spec.repetition] * len(profiles)
    return Discovery(parameters, _numbered(found, values, repetitions))


def _profiles_of(place: Path) -> list[FoundProfile]:
    if reader := find_profile_reader(place):
        return [FoundProfile(place, reader, place)]
    found = search_profiles(place)[0] if place.is_dir() else []
    if not found:
        what = "contains no profile" if place.exists() else "no such file or directory"
        raise InputError(f"[[run]]: {what}", where=str(place), hint=f"known formats: {known_profiles()}")
    return found


def _names(found: Sequence[FoundProfile]) -> list[RunName]:
    """Read the names of all entries; a single one may be called anything."""
    if all(_UNNAMED.fullmatch(profile.run_name) for profile in found):
        return [RunName("", (), None)] * len(found)
    _refuse_nested_runs(found)
    if len({profile.entry for profile in found}) > 1:
        return [_name(profile) for profile in found]
    try:
        return [_name(found[0])] * len(found)
    except RunNameError:
        return [RunName(found[0].run_name, (), None)] * len(found)


def _name(profile: FoundProfile) -> RunName:
    if _named_by_number(profile):
        return RunName("", ((PROCESSES, float(profile.run_name)),), None)
    try:
        return parse_run_name(profile.run_name)
    except RunNameError as error:
        raise RunNameError(error.what, where=str(profile.entry), hint=error.hint) from error


def _named_by_number(profile: FoundProfile) -> bool:
    """Return whether the run is a file such as ``16.ppk``: TAU's users name runs by their processes."""
    return (
        profile.path == profile.entry and profile.path.is_file() and bool(_NUMBER.fullmatch(profile.run_name))
    )


def _refuse_nested_runs(found: Sequence[FoundProfile]) -> None:
    """Refuse a folder of several runs instead of a run: their parameters would be lost."""
    for profile in found:
        folder_of = profile.path if profile.path.is_dir() else profile.path.parent
        inside = folder_of.parts[len(profile.entry.parts) :]
        for folder in inside:
            try:
                nested = parse_run_name(folder).parameters
            except RunNameError:
                continue
            if nested:
                raise RunNameError(
                    f"'{folder}' is named like a run but lies one folder too deep",
                    where=str(profile.entry),
                    hint="give the directory that contains the runs",
                )


def _agree(names: Sequence[RunName], found: Sequence[FoundProfile]) -> None:
    """Refuse runs that do not name the same parameters in the same order."""
    where = str(found[0].entry.parent)
    readings: dict[tuple[str, ...], str] = {}
    for name, profile in zip(names, found, strict=True):
        readings.setdefault(tuple(p for p, _ in name.parameters), f"'{profile.run_name}' as {name}")
    if len(readings) > 1:
        examples = " and ".join(list(readings.values())[:MAX_EXAMPLES])
        raise RunNameError(
            f"the runs do not agree on their parameters: read {examples}",
            where=where,
            hint="name the same parameters in the same order everywhere, or list the runs in pipeline.toml",
        )
    prefixes = dict.fromkeys(name.prefix for name in names)
    without_digits = Counter(_DIGITS.sub("", prefix) for prefix in prefixes)
    if odd := next(
        (p for p in prefixes if _DIGITS.search(p) and without_digits[_DIGITS.sub("", p)] > 1), None
    ):
        raise RunNameError(
            f"there may be a parameter hidden in the leading name '{odd}', which is not the same in all runs",
            where=where,
            hint=HOW_TO_NAME,
        )


def _notices(names: Sequence[RunName], found: Sequence[FoundProfile]) -> tuple[str, ...]:
    notices = []
    prefixes = sorted({name.prefix for name in names if name.prefix})
    if len(prefixes) > 1:
        leading = ", ".join(prefixes)
        notices.append(f"runs with different leading names are read as one study: {leading}")
    if any(map(_named_by_number, found)):
        notices.append(
            f"files named by numbers only: the number is read as the parameter {PROCESSES} (processes)"
        )
    return (*notices, *_mixed_formats(found))


def _mixed_formats(found: Sequence[FoundProfile]) -> tuple[str, ...]:
    counts = Counter(profile.reader.name for profile in found)
    if len(counts) == 1:
        return ()
    formats = ", ".join(f"{name} ({count})" for name, count in counts.items())
    return (f"profiles of different formats are read as one study: {formats}",)


def _numbered(
    found: Sequence[FoundProfile],
    values: Sequence[tuple[float, ...]],
    repetitions: Sequence[int | None],
) -> tuple[Run, ...]:
    """Sort the runs; give a free repetition number to those that have none, or one that is taken."""
    order = sorted(range(len(found)), key=lambda i: (repetitions[i] is None, found[i].path))
    named = {(values[i], repetitions[i]) for i in order}
    taken: set[tuple[tuple[float, ...], int]] = set()
    numbers = {point: count(1) for point in values}
    runs = []
    for i in order:
        point, repetition = values[i], repetitions[i]
        if repetition is None or (point, repetition) in taken:
            repetition = next(n for n in numbers[point] if (point, n) not in named)
        taken.add((point, repetition))
        runs.append(Run(found[i].path, found[i].reader, point, repetition))
    return tuple(sorted(runs, key=lambda run: (run.parameters, run.repetition, run.path)))
