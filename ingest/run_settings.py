"""What runs state about themselves beyond their parameters, and whether it is the same in all of them.

Readers put it into the attributes of profiles under names that begin with `SETTING`; how much of a stated
total was found, and what values are of the processes, stands under `RECONCILED` and `STATISTIC`; whether
they come from a profiler, and from samples, under `SAMPLED`; what the columns of a table say of the machine,
the compiler or whatever the user notes, under names that begin with `METADATA`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from ingest.errors import one_line

SETTING = "setting: "
PROGRAM = SETTING + "program"
METADATA = "metadata: "
RECONCILED = "reconciled: "
STATISTIC = "statistic"
SAMPLED = "sampled"
OVERLAPPING_TIME = "overlapping_time"
"""The metric of timers that lie inside or around others in an unknown way: seconds, in no sum."""

GENERATOR, TABLE = "generator", "table"
"""The attribute that says what made a profile, and its value for tables of one's own."""

NOT_INSTRUMENTED = "timers that programs print are not instrumented regions"
NOT_RECORDED = "functions that a profiler found are not instrumented regions"

MAX_SHOWN = 6  # different values of one setting that a notice lists


def is_log(attributes: Mapping[str, str]) -> bool:
    """Return whether a run is a log: timers of a program, the same on all locations, without overhead."""
    return STATISTIC in attributes


def not_instrumented(attributes: Mapping[str, str]) -> str:
    """Return why a run has no instrumented regions, whose visits have a cost; empty if it has."""
    if SAMPLED in attributes:
        return NOT_RECORDED
    return NOT_INSTRUMENTED if is_log(attributes) or attributes.get(GENERATOR) == TABLE else ""


def stated(attributes: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the attributes with a prefix, which is removed from their names."""
    return {name.removeprefix(prefix): text for name, text in attributes.items() if name.startswith(prefix)}


def described_as(attributes: Mapping[str, str], name: str) -> str:
    """Return what a run states under a name: metadata of the user, settings of a log, or any attribute."""
    found = (attributes.get(before + name, "") for before in (METADATA, SETTING, ""))
    return next(filter(None, map(str.strip, found)), "")


def differing_settings(runs: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Return one notice for each setting that is not the same in all runs that state it.

    Args:
        runs: the attributes of each run.
    """
    values: dict[str, dict[str, int]] = {}
    for attributes in runs:
        for name, text in stated(attributes, SETTING).items():
            counts = values.setdefault(name, {})
            counts[text] = counts.get(text, 0) + 1
    return tuple(
        one_line(f"the runs do not agree on '{name}': {_listed(counts)}")
        for name, counts in values.items()
        if len(counts) > 1
    )


def described_runs(runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Return for each name of metadata its values and how many runs have each, such as ``machine = alps``.

    Args:
        runs: the metadata of each run, by name.
    """
    sentences = []
    for name in dict.fromkeys(name for run in runs for name in run):
        counts = Counter(text for run in runs if (text := run.get(name, "")))
        if len(counts) == 1:
            sentences.append(f"{name} = {next(iter(counts))}")
        elif len(counts) > MAX_SHOWN:
            sentences.append(f"{name}: {len(counts)} different values")
        elif counts:
            sentences.append(f"{name}: {_listed(counts)}")
    return [one_line(sentence) for sentence in sentences]


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{text} ({count} {'run' if count == 1 else 'runs'})" for text, count in counts.items()]
    more = [f"and {len(shown) - MAX_SHOWN} other values"] if len(shown) > MAX_SHOWN else []
    return ", ".join([*shown[:MAX_SHOWN], *more])
