"""What runs state about themselves beyond their parameters, and whether it is the same in all of them.

Readers put it into the attributes of profiles under names that begin with `SETTING`; how much of a stated
total was found, and what values are of the processes, stands under `RECONCILED` and `STATISTIC`; whether
they come from a profiler, and from samples, under `SAMPLED`; over how many locations they were summed, under
`SUMMED`; what the columns of a table or the user say of the machine, the compiler or anything else, under
names that begin with `METADATA`. What formats state under names of their own has common names here.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ingest.errors import one_line
from ingest.profile import MACHINE

SETTING = "setting: "
PROGRAM = SETTING + "program"
METADATA = "metadata: "
RECONCILED = "reconciled: "
STATISTIC = "statistic"
STEPS = "number of steps"
"""The attribute with the time steps of a run, of all tables of a log together."""

WORK = ("steps", "time steps", "timesteps", "iterations", "cycles", "sweeps", "epochs")
"""What runs may state that counts their work, so that their times can be divided by it."""

SAMPLED = "sampled"
MACHINES = ("cluster", "machine", MACHINE)
"""Attributes that name the machine: Adiak's, the user's own, Score-P's."""

PROFILERS = {"Creator": "", "TAU Version": "TAU ", "cali.caliper.version": "Caliper "}
"""Attributes that name the measurement system and its version, and what to write before it."""

COMMON_NAMES: Mapping[str, Mapping[str, str]] = {
    "machine": dict.fromkeys((*MACHINES, "Hostname"), ""),
    "compiler": {"compiler": "", "compiler_version": ""},
    "commit": {"commit": "", "git_commit": "", "git_hash": "", "revision": ""},
    "version": {"version": "", "code_version": ""},
    "profiler": PROFILERS,
}
"""What describes runs of most formats: attributes that state it, the first counts, each with a prefix."""

NO_MACHINES = frozenset(("Linux",))
"""Names of machines that are Score-P's own if the user gives none."""

SUMMED = "summed over"
"""The attribute with the number of locations whose values a file holds only as sums."""

OVERLAPPING_TIME = "overlapping_time"
"""The metric of timers that lie inside or around others in an unknown way: seconds, in no sum."""

TIME_PER_STEP = "time_per_step"
"""The metric of logs that state their steps."""

GENERATOR, TABLE = "generator", "table"
"""The attribute that says what made a profile, and its value for tables of one's own."""

NOT_INSTRUMENTED = "timers that programs print are not instrumented regions"
NOT_RECORDED = "functions that a profiler found are not instrumented regions"

_REMEDIES = {"steps": "; --per steps makes them comparable"}
MAX_SHOWN = 6  # different values of one setting that a notice lists


def is_log(attributes: Mapping[str, str]) -> bool:
    """Return whether a run is a log: timers of a program, the same on all locations, without overhead."""
    return STATISTIC in attributes


def has_single_locations(attributes: Mapping[str, str]) -> bool:
    """Return whether the times of each location of a run were measured, not only their sum or mean."""
    return not is_log(attributes) and SUMMED not in attributes


def not_instrumented(attributes: Mapping[str, str]) -> str:
    """Return why a run has no instrumented regions, whose visits have a cost; empty if it has."""
    if SAMPLED in attributes:
        return NOT_RECORDED
    return NOT_INSTRUMENTED if is_log(attributes) or attributes.get(GENERATOR) == TABLE else ""


def stated(attributes: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the attributes with a prefix, which is removed from their names."""
    return {name.removeprefix(prefix): text for name, text in attributes.items() if name.startswith(prefix)}


def metadata_of(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return what describes a run: what the user notes, and what the profile states under common names."""
    noted = stated(attributes, METADATA)
    return noted | {
        name: text for name in COMMON_NAMES if name not in noted and (text := _common(attributes, name))
    }


def _common(attributes: Mapping[str, str], name: str) -> str:
    for attribute, before in COMMON_NAMES[name].items():
        text = one_line(attributes.get(attribute, ""))
        if text and not (name == "machine" and text in NO_MACHINES):
            return before + text
    return ""


def described_as(attributes: Mapping[str, str], name: str) -> str:
    """Return what a run states under a name: metadata, settings of a log, or any attribute."""
    found = (metadata_of(attributes).get(name, ""), *(attributes.get(b + name, "") for b in (SETTING, "")))
    return next(filter(None, map(str.strip, found)), "")


def counts_work(name: str) -> bool:
    """Tell whether a name stands for a count of equal pieces of work: ``steps``, ``Time_Steps``."""
    return re.sub("[_-]", " ", name.lower()) in WORK


def stated_count(attributes: Mapping[str, str], name: str) -> float:
    """Return how many steps, iterations or the like a run states; NaN if it does not."""
    text = attributes.get(STEPS, "") if name == WORK[0] else attributes.get(SETTING + name, "")
    text = attributes.get(METADATA + name, text)
    return float(text) if text.isdecimal() and int(text) else float("nan")


def differing_settings(runs: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Return one notice for each setting that is not the same in all runs that state it."""
    return tuple(
        one_line(f"the runs do not agree on '{name}': {_listed(counts)}{_REMEDIES.get(name, '')}")
        for name, counts in _counted([stated(attributes, SETTING) for attributes in runs]).items()
        if len(counts) > 1
    )


def described_runs(runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Return for each name of metadata its values and how many runs have each, such as ``machine = alps``."""
    sentences = []
    for name, counts in _counted(runs).items():
        if len(counts) == 1:
            sentences.append(f"{name} = {next(iter(counts))}")
        elif len(counts) > MAX_SHOWN:
            sentences.append(f"{name}: {len(counts)} different values")
        else:
            sentences.append(f"{name}: {_listed(counts)}")
    return [one_line(sentence) for sentence in sentences]


def agreed_settings(runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the settings that are the same in all runs that state them, such as ``steps = 100``."""
    return [
        one_line(f"{name} = {next(iter(counts))}")
        for name, counts in _counted(runs).items()
        if len(counts) == 1
    ]


def _counted(runs: Sequence[Mapping[str, str]]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for name, text in ((name, text) for run in runs for name, text in run.items() if text):
        counts.setdefault(name, Counter())[text] += 1
    return counts


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{text} ({count} {'run' if count == 1 else 'runs'})" for text, count in counts.items()]
    more = [f"and {len(shown) - MAX_SHOWN} other values"] if len(shown) > MAX_SHOWN else []
    return ", ".join([*shown[:MAX_SHOWN], *more])
