"""What describes runs beyond their names: numbers in their profiles, and `metadata.toml`.

Parameters come from what profiles say of their runs: Adiak's global values in Caliper's, processes in logs.
`metadata.toml` has what users note, such as machine, compiler and commit. It lies beside a profile, in a
folder of the run, or in the directory of the runs, where it holds for all of them. What is nearer to the
profile counts::

    machine = "alps"
    compiler = "gcc 13.2"
    commit = "4f1c2ab"
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import InputError
from ingest.parameter_roles import is_function, states_size
from ingest.profile_search import METADATA_FILE, FoundProfile, Skipped
from ingest.toml_table import read_toml

METADATA_PROCESSES = ("jobsize", "mpi.world.size")  # names of their number that Adiak and Caliper use

Numbers = Sequence[Mapping[str, float]]
Column = tuple[float, ...]
Point = tuple[float | str, ...]
Described = tuple[FoundProfile, Mapping[str, float]]


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What the profiles of a study say about their parameters."""

    found: tuple[FoundProfile, ...]  # the profiles whose metadata could be read
    parameters: tuple[str, ...]
    values: tuple[Column, ...]  # one row per profile of `found`
    notices: tuple[str, ...]  # where the parameters come from, and which numbers are left out
    damaged: tuple[Skipped, ...]  # the profiles whose metadata could not be read


def read_metadata(found: Sequence[FoundProfile]) -> Metadata | None:
    """Choose the parameters from the metadata of profiles.

    Returns:
        None if the format of some profile has no metadata, or if they contain no number.
    """
    readers = [profile.reader.parameters for profile in found]
    if None in readers:
        return None
    described, damaged = _described(found, [read for read in readers if read])
    parameters, follows = choose_parameters([numbers for _, numbers in described])
    if not parameters:
        return None
    notices = [f"parameters from the metadata of the profiles: {', '.join(parameters)}"]
    notices += [f"{name} is left out: it follows from {other}" for name, other in follows.items()]
    return _metadata(parameters, described, notices, damaged)


def _described(
    found: Sequence[FoundProfile], readers: Sequence[Callable[[Path], Mapping[str, float]]]
) -> tuple[list[Described], list[Skipped]]:
    """Read the numbers of profiles, each with its own reader; return them and the damaged profiles."""
    described: list[Described] = []
    damaged: list[Skipped] = []
    for profile, read in zip(found, readers, strict=True):
        try:
            described.append((profile, read(profile.path)))
        except InputError as error:
            if len(damaged) + 1 == len(found):
                raise
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    return described, damaged


def _metadata(
    parameters: tuple[str, ...],
    described: Sequence[Described],
    notices: Sequence[str],
    damaged: Sequence[Skipped],
) -> Metadata:
    return Metadata(
        found=tuple(profile for profile, _ in described),
        parameters=parameters,
        values=tuple(tuple(numbers[name] for name in parameters) for _, numbers in described),
        notices=tuple(notices),
        damaged=tuple(damaged),
    )


def choose_parameters(numbers: Numbers) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Choose parameters from the numbers in the metadata of each profile.

    These are the number of processes, and the numbers that every profile has and that are not the same in
    all. Left out is what follows from another of them that has one value in several runs: with 8 processes on
    a node, their number gives that of the nodes. Of numbers that follow from each other the first is taken.

    Returns:
        The names of the parameters, and per name left out the one it follows from.
    """
    common = set(numbers[0]).intersection(*numbers) if numbers else set()
    processes = [name for name in METADATA_PROCESSES if name in common][:1]
    others = sorted(common.difference(METADATA_PROCESSES))
    columns = {name: tuple(row[name] for row in numbers) for name in (*processes, *others)}
    varied = {name: column for name, column in columns.items() if len(set(column)) > 1 or name in processes}
    order = list(varied)
    follows: dict[str, str] = {}
    for place, name in enumerate(order):
        for other_place, other in enumerate(order):
            if name in processes or other == name or other in follows:
                continue
            mutual = is_function(varied[name], varied[other])
            if mutual and other in processes and states_size(name):
                continue  # `ingest.parameter_roles` decides
            repeated = other in processes or len(set(varied[other])) < len(numbers)
            if is_function(varied[other], varied[name]) and (other_place < place if mutual else repeated):
                follows[name] = other
                break
    return tuple(name for name in order if name not in follows), follows


def varied_size(points: Sequence[Point], texts: Sequence[str], sizes: Numbers) -> Mapping[str, Column]:
    """Return the size of the problem that runs with the same parameters differ in, with its values.

    Args:
        points: the other parameters of each run.
        texts: those in its name, which tell kinds if one of them has several points.
        sizes: of each run by name, the one that says most first.

    Returns:
        Nothing if there is none, or if several vary that do not follow from each other.
    """
    apart = len(set(zip(texts, points, strict=True))) > len(set(texts)) < len(texts)
    points = [(*point, text if apart else "") for point, text in zip(points, texts, strict=True)]
    columns = {
        name: tuple(run[name] for run in sizes) for name in sizes[0] if all(name in run for run in sizes)
    }
    for name, values in columns.items():
        with_it = [(*point, value) for point, value in zip(points, values, strict=True)]
        if not is_function(points, values) and all(is_function(with_it, of) for of in columns.values()):
            return {name: values}
    return {}


def noted_metadata(directory: Path, profile: Path) -> dict[str, str]:
    """Return what the user notes about a run, by name.

    Args:
        directory: where runs were searched for; or the profile itself, then also the folder above its own is
            looked at.
        profile: file or directory of the run.
    """
    noted: dict[str, str] = {}
    for folder in _folders(directory.absolute(), profile.absolute()):
        file = folder / METADATA_FILE
        if file.is_file():
            noted |= read_toml(file).texts()
    return noted


def _folders(directory: Path, profile: Path) -> Iterator[Path]:
    """Yield the folders that may have a file, from the directory of the runs down to the profile."""
    inside = profile if profile.is_dir() else profile.parent
    top = inside.parent if directory == profile else directory
    if not inside.is_relative_to(top):  # runs that the configuration lists may lie anywhere
        top = inside
    yield top
    for part in inside.relative_to(top).parts:
        top /= part
        yield top
