"""Parameters from what profiles say about their runs, such as Adiak's global values in Caliper's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.errors import InputError
from ingest.profile_search import FoundProfile, Skipped

METADATA_PROCESSES = ("jobsize", "mpi.world.size")  # names of their number that Adiak and Caliper use

Numbers = Sequence[Mapping[str, float]]
Column = tuple[float, ...]


@dataclass(frozen=True)
class Metadata:
    """What the profiles of a study say about their parameters.

    Attributes:
        found: the profiles whose metadata could be read.
        parameters: names of the parameters.
        values: one row per profile of `found`.
        follows: per number that is left out because it follows from a parameter, that parameter.
        damaged: the profiles whose metadata could not be read.
    """

    found: tuple[FoundProfile, ...]
    parameters: tuple[str, ...]
    values: tuple[Column, ...]
    follows: Mapping[str, str]
    damaged: tuple[Skipped, ...]


def read_metadata(found: Sequence[FoundProfile]) -> Metadata | None:
    """Choose the parameters from the metadata of profiles.

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
    parameters, follows = choose_parameters([numbers for _, numbers in described])
    if not parameters:
        return None
    values = tuple(tuple(numbers[name] for name in parameters) for _, numbers in described)
    profiles = tuple(profile for profile, _ in described)
    return Metadata(profiles, parameters, values, follows, tuple(damaged))


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
            repeated = other in processes or len(set(varied[other])) < len(numbers)
            if is_function(varied[other], varied[name]) and (other_place < place if mutual else repeated):
                follows[name] = other
                break
    return tuple(name for name in order if name not in follows), follows


def is_function(values: Sequence[object], column: Sequence[object]) -> bool:
    """Return whether runs with the same values always have the same entry in a column."""
    return len(set(zip(values, column, strict=True))) == len(set(values))
