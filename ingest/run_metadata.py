"""Parameters that profiles tell of themselves, such as the global values that Adiak writes for Caliper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.errors import InputError
from ingest.profile_search import FoundProfile, Skipped

PROCESSES = ("jobsize", "mpi.world.size")  # Adiak's and Caliper's names for the number of processes


@dataclass(frozen=True)
class MetadataParameters:
    """What the profiles of a study say of their parameters.

    Attributes:
        found: the profiles whose metadata could be read.
        parameters: names of the parameters.
        values: one row for each of `found`.
        damaged: the profiles whose metadata could not be read.
    """

    found: tuple[FoundProfile, ...]
    parameters: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    damaged: tuple[Skipped, ...]


def metadata_parameters(found: Sequence[FoundProfile]) -> MetadataParameters | None:
    """Choose the parameters from the metadata of profiles.

    These are the number of processes, and the numbers that every profile gives and that are not the same in
    all; of numbers that always agree the first is taken.

    Returns:
        None where the format of some profile has no metadata, or where they give no number.

    Raises:
        InputError: where the metadata of no profile can be read.
    """
    told: list[tuple[FoundProfile, Mapping[str, float]]] = []
    damaged: list[Skipped] = []
    for profile in found:
        if profile.reader.parameters is None:
            return None
        try:
            told.append((profile, profile.reader.parameters(profile.path)))
        except InputError as error:
            if len(damaged) + 1 == len(found):
                raise
            damaged.append(Skipped(profile.path, error.what, damaged=True))
    parameters = choose_parameters([numbers for _, numbers in told])
    if not parameters:
        return None
    values = tuple(tuple(numbers[name] for name in parameters) for _, numbers in told)
    return MetadataParameters(tuple(profile for profile, _ in told), parameters, values, tuple(damaged))


def choose_parameters(numbers: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Choose parameters from the numbers that each of several profiles gives, see `metadata_parameters`."""
    common = set(numbers[0]).intersection(*numbers) if numbers else set()
    processes = [name for name in PROCESSES if name in common][:1]
    others = sorted(common.difference(PROCESSES))
    chosen: dict[tuple[float, ...], str] = {}
    for name in [*processes, *others]:
        column = tuple(row[name] for row in numbers)
        if name in processes or len(set(column)) > 1:
            chosen.setdefault(column, name)
    return tuple(chosen.values())
