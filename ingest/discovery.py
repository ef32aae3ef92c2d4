"""Run discovery: which profiles below a directory are runs, and what parameters they were measured with."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TypeVar

from ingest.errors import InputError, RunNameError
from ingest.inferred_runs import (
    Metadata,
    identify_runs,
    infer,
    misread,
    noted_metadata,
    numbering_words,
    read_metadata,
    texts_of,
    varied_size,
)
from ingest.parameter_roles import is_function
from ingest.profile_search import (
    FoundProfile,
    Searched,
    Skipped,
    named_by_number,
    nothing_found,
    search_profiles,
)
from ingest.readers import ProfileReader, find_profile_reader, nothing_read
from ingest.run_names import (
    HOW_TO_NAME,
    PROCESSES,
    VERSION_NAME,
    RunName,
    RunSpec,
    named_parameters,
    parse_run_name,
)
from ingest.run_settings import COMMON_NAMES, METADATA

_KIND = "kind"
"""What the texts in names distinguish, as `--group-by` takes it."""

_LABELS = frozenset(
    (
        *("algorithm", "case", "config", "configuration", "kind", "method", "mode", "option", "problem"),
        *("scheme", "solver", "type", "v", "variant", "version"),
    )
)
"""Last words of names whose numbers stand for one of several things."""

_BUILDS = frozenset(re.sub(r"\W", "_", name.lower()) for common in COMMON_NAMES.values() for name in common)
_OCCASION = re.compile(
    r"(user|host|job|launch|node|slurm|pbs)\w*"
    r"|\w*(date|day|time|stamp|path|dir|directory|folder|file|list|libraries|command|cmd|line|args|arguments"
    r"|executable|log|owner)"
    r"|(\w*_)?u?id"
)
"""Names of texts that say when, where or by whom a program was run, not what ran."""
_NO_KIND = re.compile(r"[/\\\[\]{}\n]|\d{4}-\d\d|\d:\d\d|.{100}")  # paths, lists, dates

_SEPARATE = "give the directory of one kind, or list the runs: `pipeline inspect DIR --propose` writes a list"

Point = tuple[float, ...]
_NUMBER = re.compile("[0-9]")
_WORDS = re.compile(rf"{VERSION_NAME.pattern}|[^\W\d_]+", re.IGNORECASE)
__all__ = ["Discovery", "Run", "Skipped", "discover"]

_MAX_EXAMPLES = 4

Value = TypeVar("Value", float, str)

_DIGITS = re.compile(r"[0-9]+")
_UNNAMED = re.compile(r"profile[0-9]*")  # repetitions in one folder, not a parameter 'profile'


@dataclass(frozen=True)
class Run:
    """One run to be read."""

    path: Path  # the profile, a file or a directory, as the reader wants it
    reader: ProfileReader  # the format it looks like
    parameters: tuple[float, ...]  # values in the order of `Discovery.parameters`
    repetition: int  # distinguishes the runs of one measurement point; as named, or numbered from 1
    # what the user notes about it, by name
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)

    def described(self, attributes: Mapping[str, str]) -> dict[str, str]:
        """Return what the profile states about the run, together with what the user notes."""
        return {**attributes, **{METADATA + name: text for name, text in self.metadata.items()}}


@dataclass(frozen=True)
class Discovery:
    """The runs of a study, sorted by parameters, then repetition, then path."""

    parameters: tuple[str, ...]  # the names of the parameters, including those with one value in all runs
    runs: tuple[Run, ...]
    skipped: tuple[Skipped, ...] = ()  # what lies next to the runs and is not read
    notices: tuple[str, ...] = ()  # one sentence for everything doubtful
    # what the runs state in `Run.metadata` by which kinds are distinguished; kinds are no series
    labels: tuple[str, ...] = ()
    listed: bool = False  # whether the configuration lists the runs, which is right whatever the profiles say


def discover(
    path: Path,
    explicit: Sequence[RunSpec] | None = None,
    stated: Sequence[str] = (),
    searched: Searched | None = None,
) -> Discovery:
    """Find the runs below a directory.

    Every entry of the directory that contains a profile is a run. Its name gives the parameters (see
    `ingest.run_names`); if it gives none, the metadata of the profiles do (Adiak's global values in
    Caliper's), or the number of processes that logs state. Several profiles in one entry are repetitions. A
    path that is a profile itself, or a directory with a single one, needs no parameters. The configuration
    may list `explicit` runs instead of a search, and `stated` sizes of runs that are parameters, too;
    `searched` is what the directory has, if it was searched already.
    """
    found = _with_metadata(_listed(path, explicit) if explicit else _found(path, searched), path)
    return _with_sizes(found, [name for name in stated if name not in found.parameters])


def _with_sizes(discovery: Discovery, names: Sequence[str]) -> Discovery:
    """Make sizes that the runs state parameters, and number the repetitions anew."""
    if not names:
        return discovery
    runs: list[Run] = []
    for run in discovery.runs:
        stated = {**_stated(run.reader.parameters, run), **_stated(run.reader.stated_sizes, run)}
        if missing := next((name for name in names if name not in stated), None):
            known = f"it states {', '.join(stated)}" if stated else "it states no size"
            raise InputError(
                f"no '{missing}' is stated", where=str(run.path), hint=f"{known}; see --parameter"
            )
        runs.append(replace(run, parameters=(*run.parameters, *(stated[name] for name in names))))
    numbered = _numbered(runs, [run.parameters for run in runs], [None] * len(runs))
    metadata = {run.path: run.metadata for run in runs}
    described = tuple(replace(run, metadata=metadata[run.path]) for run in numbered)
    return replace(discovery, parameters=(*discovery.parameters, *names), runs=described)


def _with_metadata(discovery: Discovery, path: Path) -> Discovery:
    """Add what `metadata.toml` says; what the configuration says of a run counts."""
    runs: list[Run] = []
    unread: list[str] = []
    for run in discovery.runs:
        noted: Mapping[str, str] = {}
        try:
            noted = noted_metadata(path, run.path)
        except InputError as error:
            unread.append(f"metadata are not read: {error}")
        runs.append(replace(run, metadata={**noted, **run.metadata}))
    return replace(discovery, runs=tuple(runs), notices=(*discovery.notices, *dict.fromkeys(unread)))


def _found(path: Path, searched: Searched | None) -> Discovery:
    if reader := find_profile_reader(path):
        return Discovery((), (Run(path, reader, (), 1),))
    if not path.is_dir():
        raise nothing_read(path, "not a profile in a known format")
    found, skipped = searched or search_profiles(path)
    if not found:
        raise nothing_found(path, skipped)
    names, metadata = _read_names(found), read_metadata(found)
    inferred, numbered = None, numbering_words([profile.run_name for profile in found])
    if isinstance(names, RunNameError) or not names[0].parameters or numbered:
        if metadata:
            return _described(metadata, skipped)
        inferred = infer(found, path, constant=isinstance(names, RunNameError) or bool(numbered))
    elif misread(names, found, path):
        inferred = infer(found, path, constant=False)
    if inferred:
        return _described(inferred, skipped)
    if isinstance(names, RunNameError):
        raise names
    varied = _also_varied(metadata, names, found) if metadata else []
    values = [name.values() for name in names]
    prefixes = [name.prefix for name in names]
    texts = prefixes if all(prefixes) else []
    size: Mapping[str, tuple[float, ...]] = {}  # that runs with the same name state differently
    if len(set(values)) < len(values) and all(profile.reader.stated_sizes for profile in found):
        sizes = [_stated(profile.reader.stated_sizes, profile) for profile in found]
        size = varied_size(values, texts or [""] * len(found), sizes)
    parameters = (*(name for name, _ in names[0].parameters), *size)
    values = [(*of, *(column[i] for column in size.values())) for i, of in enumerate(values)]
    repetitions = [None if size else name.repetition for name in names]
    study = _study(found, parameters, values, repetitions, skipped, (), texts)
    leading = [] if _KIND in study.labels else sorted(set(filter(None, prefixes)))
    stated = [f"{name} is stated in the profiles: runs with the same name differ in it" for name in size]
    return replace(study, notices=(*_notices(leading, found), *varied, *stated))


def without_names(path: Path) -> Discovery:
    """Find the runs below a directory whatever their names are: without parameters, all of one point."""
    found, skipped = search_profiles(path)
    runs = _numbered(found, [()] * len(found), [None] * len(found))
    return _with_metadata(Discovery((), runs, tuple(skipped)), path)


def _read_names(found: Sequence[FoundProfile]) -> list[RunName] | RunNameError:
    """Read the names of all runs; an error is a value, since metadata may give the parameters."""
    try:
        names = _names(found)
        _agree(names, found)
        _refuse_identifiers(names, str(found[0].entry.parent))
    except RunNameError as error:
        return error
    return names


def _described(metadata: Metadata, skipped: Sequence[Skipped]) -> Discovery:
    texts = list(map(texts_of, metadata.names))
    if len(set(texts)) == len(texts) and len(set(map(len, metadata.names))) == 1:
        texts = []  # they seem to be random: all different, names equally long
    notices = (*metadata.notices, *_mixed_formats(metadata.found))
    aside = (*skipped, *metadata.damaged)
    repetitions = metadata.repetitions or [None] * len(metadata.found)
    return _study(metadata.found, metadata.parameters, metadata.values, repetitions, aside, notices, texts)


def _study(
    found: Sequence[FoundProfile],
    parameters: Sequence[str],
    values: Sequence[tuple[float, ...]],
    repetitions: Sequence[int | None],
    skipped: Sequence[Skipped],
    notices: tuple[str, ...],
    texts: Sequence[str] = (),
) -> Discovery:
    """Number the runs of each kind; what distinguishes the kinds is metadata."""
    stated = [_stated(profile.reader.texts, profile) for profile in found]
    where = str(found[0].entry.parent)
    kept, points, kinds = _set_labels_apart(parameters, values, texts, stated, where)
    runs: list[Run] = []
    for kind in dict.fromkeys(tuple(kind.items()) for kind in kinds):
        own = [i for i, other in enumerate(kinds) if tuple(other.items()) == kind]
        numbered = _numbered([found[i] for i in own], [points[i] for i in own], [repetitions[i] for i in own])
        runs += [replace(run, metadata=dict(kind)) for run in numbered]
    ordered = tuple(sorted(runs, key=lambda run: (run.parameters, run.repetition, run.path)))
    return Discovery(kept, ordered, tuple(skipped), notices, tuple(kinds[0]))


def _stated(
    ask: Callable[[Path], Mapping[str, Value]] | None, profile: FoundProfile | Run
) -> Mapping[str, Value]:
    """Return what a profile states; nothing of a damaged one, which is reported when it is read."""
    try:
        return ask(profile.path) if ask else {}
    except InputError:
        return {}


def _also_varied(metadata: Metadata, names: Sequence[RunName], found: Sequence[FoundProfile]) -> list[str]:
    """Say which numbers of the metadata vary between runs that have the same parameters by their names."""
    point = {profile.path: name.parameters for profile, name in zip(found, names, strict=True)}
    points = [point[profile.path] for profile in metadata.found]
    varied = [
        name
        for column, name in enumerate(metadata.parameters)
        if not is_function(points, [row[column] for row in metadata.values])
    ]
    if not varied:
        return []
    return [
        f"parameters from the run names; in the metadata of the profiles {', '.join(varied)} differs between "
        f"runs with the same parameters: list the runs in pipeline.toml if it matters"
    ]


def _listed(directory: Path, specs: Sequence[RunSpec]) -> Discovery:
    parameters = tuple(specs[0].parameters)
    metadata: dict[Path, Mapping[str, str]] = {}
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
        metadata |= {profile.path: spec.metadata for profile in profiles}
        values += [tuple(float(spec.parameters[name]) for name in parameters)] * len(profiles)
        repetitions += [spec.repetition] * len(profiles)
    runs = _numbered(found, values, repetitions)
    described = tuple(replace(run, metadata=metadata[run.path]) for run in runs)
    return Discovery(parameters, described, listed=True)


def _profiles_of(place: Path) -> list[FoundProfile]:
    if reader := find_profile_reader(place):
        return [FoundProfile(place, reader, place)]
    found = search_profiles(place)[0] if place.is_dir() else []
    if not found:
        error = nothing_read(place, "contains no profile")
        raise InputError(f"[[run]]: {error.what}", where=str(place), hint=error.hint)
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
    if named_by_number(profile):
        return RunName("", ((PROCESSES, float(profile.run_name)),), None)
    try:
        return parse_run_name(profile.run_name)
    except RunNameError as error:
        raise RunNameError(error.what, where=str(profile.entry), hint=error.hint) from error


def _refuse_nested_runs(found: Sequence[FoundProfile]) -> None:
    """Refuse a folder of several runs instead of a run: their parameters would be lost."""
    for profile in found:
        for folder in profile.named_parts[1:]:
            if named_parameters(folder):
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
        examples = " and ".join(list(readings.values())[:_MAX_EXAMPLES])
        raise RunNameError(
            f"the runs do not agree on their parameters: read {examples}",
            where=where,
            hint="name the same parameters in the same order everywhere, or list the runs in pipeline.toml",
        )
    prefixes = dict.fromkeys(VERSION_NAME.sub("", name.prefix) for name in names)
    without_digits = Counter(_DIGITS.sub("", prefix) for prefix in prefixes)
    if odd := next(
        (p for p in prefixes if _DIGITS.search(p) and without_digits[_DIGITS.sub("", p)] > 1), None
    ):
        raise RunNameError(
            f"there may be a parameter hidden in the leading name '{odd}', which is not the same in all runs",
            where=where,
            hint=HOW_TO_NAME,
        )


def _refuse_identifiers(names: Sequence[RunName], where: str) -> None:
    """Refuse a parameter whose numbers are those of jobs."""
    for i, (word, _) in enumerate(names[0].parameters):
        values = [name.values()[i] for name in names]
        if identify_runs(values):
            raise RunNameError(
                f"'{word}' in the names ({min(values):.15g} to {max(values):.15g}) seems to number the runs",
                where=where,
                hint=HOW_TO_NAME,
            )


def _notices(leading: Sequence[str], found: Sequence[FoundProfile]) -> tuple[str, ...]:
    notices = []
    if len(leading) > 1:
        notices.append(f"runs with different leading names are read as one study: {', '.join(leading)}")
    if any(map(named_by_number, found)):
        notices.append(
            f"files named by numbers only: the number is read as the parameter {PROCESSES} (processes)"
        )
    return (*notices, *_mixed_formats(found))


def _mixed_formats(found: Sequence[FoundProfile]) -> tuple[str, ...]:
    counts = Counter(profile.reader.name for profile in found)
    if len(counts) == 1:
        return ()
    formats = ", ".join(f"{name} ({number})" for name, number in counts.items())
    return (f"profiles of different formats are read as one study: {formats}",)


def _numbered(
    found: Sequence[FoundProfile | Run],
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


# Runs of several kinds, distinguished by labels: texts in their names, numbers that are no order, and texts
# they state.
#
# They are no series, nor are they repetitions: one kind is modelled, the one with the most points.


def _set_labels_apart(
    parameters: Sequence[str],
    values: Sequence[Point],
    texts: Sequence[str],
    stated: Sequence[Mapping[str, str]],
    where: str,
) -> tuple[tuple[str, ...], list[Point], list[dict[str, str]]]:
    """Separate parameters from labels: numbers that are 0 or 1, or whose name says what they stand for.

    `texts` are those in the name of each run, which distinguish kinds, too, and `stated` those that each
    profile states, by name. Returned are the names of the parameters, their values and the labels by name,
    with one row per run.
    """
    columns = [{row[i] for row in values} for i in range(len(parameters))]
    is_label = [
        len(column) > 1 and (column == {0, 1} or not _LABELS.isdisjoint(_words(name)[-1:]))
        for name, column in zip(parameters, columns, strict=True)
    ]
    rows = [tuple(v for v, label in zip(row, is_label, strict=True) if not label) for row in values]
    labelled = [
        {n: f"{v:.15g}" for n, v, label in zip(parameters, row, is_label, strict=True) if label}
        for row in values
    ]
    labels = [name for name, label in zip(parameters, is_label, strict=True) if label]
    if kinds := _kinds_of(texts, values, where):
        labels.append(_KIND)
        labelled = [{**of, _KIND: kind} for of, kind in zip(labelled, kinds, strict=True)]
    for name in _names_of_kinds(stated, rows, labelled):
        labels.append(name)
        labelled = [{**of, name: run.get(name, "")} for of, run in zip(labelled, stated, strict=True)]
    return tuple(name for name in parameters if name not in labels), rows, labelled


def _names_of_kinds(
    stated: Sequence[Mapping[str, str]], points: Sequence[Point], labelled: Sequence[Mapping[str, str]]
) -> list[str]:
    """Return the names of texts that distinguish kinds, without those that follow from others or labels."""
    runs = [run for run in stated if run]
    names = set(runs[0]).intersection(*runs) if runs else set()
    at = [point for point, run in zip(points, stated, strict=True) if run]
    known = [tuple(of.values()) for of, run in zip(labelled, stated, strict=True) if run]
    chosen = []
    for name in sorted(names, key=lambda name: ("_".join(_words(name)) not in _BUILDS, name)):
        column = [run[name] for run in runs]
        if _distinguish("_".join(_words(name)), column, at) and not is_function(known, column):
            chosen.append(name)
            known = [(*of, text) for of, text in zip(known, column, strict=True)]
    return chosen


def _distinguish(name: str, column: Sequence[str], points: Sequence[Point]) -> bool:
    """Return whether texts distinguish kinds: runs of a point differ, or builds or machines made points.

    What differs in each run distinguishes nothing, nor do names of hosts and the like, which have numbers.
    """
    if _OCCASION.fullmatch(name) or any(map(_NO_KIND.search, column)):
        return False
    if is_function(points, column):
        pairs = set(zip(points, column, strict=True))
        return name in _BUILDS and len({text for _, text in pairs}) > 1 and len(set(column)) < len(pairs)
    says_so = name in _BUILDS or not _LABELS.isdisjoint(name.split("_"))
    return len(set(column)) < len(column) and (says_so or not any(map(_NUMBER.search, column)))


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]


def _kinds_of(texts: Sequence[str], points: Sequence[Point], where: str) -> list[str]:
    """Return how runs at one point are called whose names have other texts, such as strong and weak.

    Empty if no two runs of a point differ; RunNameError if no kind has two points.
    """
    different = list(dict.fromkeys(texts))
    first: dict[Point, int] = {}
    others = [i for i, point in enumerate(points) if texts and texts[first.setdefault(point, i)] != texts[i]]
    if not others:
        return []
    words = [
        dict.fromkeys(word.lstrip("-_") for word in _WORDS.findall(re.sub(r"[^\W\d_]+#", "#", text)))
        for text in texts
    ]
    own = [" ".join(word for word in of if any(word not in other for other in words)) for of in words]
    kinds = own if len(set(own)) == len(different) and all(own) else list(texts)
    scales = [{point for point, of in zip(points, texts, strict=True) if of == text} for text in different]
    if max(map(len, scales)) < 2:
        one, other = kinds[first[points[others[0]]]], kinds[others[0]]
        what = f"runs of several kinds have the same parameters: '{one}' and '{other}'"
        raise RunNameError(what, where=where, hint=_SEPARATE)
    return kinds
