"""What runs state about themselves beyond their parameters, and whether it is the same in all of them.

Readers put it into the attributes of profiles under names that begin with `SETTING`; how much of a stated
total was found, and what values are of the processes, stands under `RECONCILED` and `STATISTIC`; whether
they come from a profiler, and from samples, under `SAMPLED`; over how many locations they were summed, under
`SUMMED`; what the columns of a table or the user say of the machine, the compiler or anything else, under
names that begin with `METADATA`. What formats state under names of their own has common names here.

Also how many cores a run used and held: what its time costs. A run uses as many cores as it has processes
times threads, and no more than its nodes have: what exceeds those are hardware threads, which share a core.
It holds all cores of its nodes if their number is known.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from mmap import mmap

from ingest.errors import one_line
from ingest.parameter_roles import USUAL_NAMES, letters
from ingest.profile import NODES, SYSTEM_CORES, SYSTEM_MACHINE

SETTING = "setting: "
PROGRAM_SETTING = SETTING + "program"
METADATA = "metadata: "
RECONCILED = "reconciled: "
REMAINDER = "remainder"
"""The attribute with the region of the stated total that no timer of a run has, if there is one."""

STATISTIC = "statistic"
STEPS = "number of steps"
"""The attribute with the time steps of a run, of all tables of a log together."""

WORK = ("steps", "time steps", "timesteps", "iterations", "cycles", "sweeps", "epochs")
"""What runs may state that counts their work, so that their times can be divided by it."""

SIZES = "sizes"
"""The attribute that names the settings that are sizes of the problem, the one that says most first."""

STOPPED = "stopped"
"""The attribute of a run that did not come to its end: which program, on how many processes, and why."""

_TAIL_BYTES = 1 << 16  # of a log, which may say why
_STOPS = {
    "time limit": rb"DUE TO TIME LIMIT|walltime .{0,40}exceed|TERM_RUNLIMIT|exceeded hard wallclock",
    "out of memory": rb"(?i)oom[-_ ]kill|out[ _]of[ _]memory|TERM_MEMLIMIT",
    "cancelled": rb"CANCELLED AT|job killed|TERM_OWNER|SIGTERM",
    "crashed": rb"(?i)MPI_ABORT|segmentation fault|SIGSEGV|FOAM FATAL|srun: error|PMI.{0,20}failed",
}
"""What ends a run before its end, by what schedulers and libraries print of it."""

SAMPLED = "sampled"
MACHINES = ("cluster", "machine", SYSTEM_MACHINE)
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

_NO_MACHINES = frozenset(("Linux",))
"""Names of machines that are Score-P's own if the user gives none."""

SUMMED = "summed over"
"""The attribute with the number of locations whose values a file holds only as sums."""

OVERLAPPING_TIME = "overlapping_time"
"""The metric of timers that lie inside or around others in an unknown way: seconds, in no sum."""

TIME_PER_STEP = "time_per_step"
"""The metric of logs that state their steps."""

GENERATOR, TABLE_SETTING = "generator", "table"
"""The attribute that says what made a profile, and its value for users' tables."""

_NOT_INSTRUMENTED = "timers that programs print are not instrumented regions"
NOT_RECORDED = "functions that a profiler found are not instrumented regions"

_NOTATION = re.compile(r"\((?:r|tm|c)\)|@.*|\b(?:cpu|processor)\b|\b[\w-]+[- ]core\b|[^\w.]+", re.IGNORECASE)
_REMEDIES = {"steps": "; --per steps makes them comparable"}
_SIDE = re.compile(r"\d[\d,]{0,20}(?:\.\d{1,17})?(?:[eE][+-]?\d{1,2})?")
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
    return _NOT_INSTRUMENTED if is_log(attributes) or attributes.get(GENERATOR) == TABLE_SETTING else ""


def stated(attributes: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the attributes with a prefix, which is removed from their names."""
    return {name.removeprefix(prefix): text for name, text in attributes.items() if name.startswith(prefix)}


def metadata_of(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return what describes a run: what the user notes, and what the profile states under common names."""
    noted = stated(attributes, METADATA)
    return noted | {
        name: text for name in COMMON_NAMES if name not in noted and (text := _common(attributes, name))
    }


def processor_of(attributes: Mapping[str, str]) -> str:
    """Return the processor that a run states; empty if it states none, or only its architecture."""
    known = (
        text
        for name, text in attributes.items()
        if letters(name.rpartition(": ")[2]) in USUAL_NAMES["processors"]
    )
    return next(
        (one_line(text) for text in known if _words(text).difference(USUAL_NAMES["architectures"])), ""
    )


def same_processor(one: str, other: str) -> bool:
    """Tell whether two texts may name one processor: one has all words of the other, but for notation."""
    return _words(one) <= _words(other) or _words(other) <= _words(one)


def _words(text: str) -> set[str]:
    words = set(_NOTATION.sub(" ", text).lower().split())
    return words if any(map(str.isalpha, text)) else set()


def _common(attributes: Mapping[str, str], name: str) -> str:
    for attribute, before in COMMON_NAMES[name].items():
        text = one_line(attributes.get(attribute, ""))
        if text and not (name == "machine" and text in _NO_MACHINES):
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


def processes_text(number: int) -> str:
    """Write how many processes there are."""
    return f"{number} process" + ("" if number == 1 else "es")


def stopped(program: str, processes: int | None, log: bytes | mmap) -> str:
    """Say what stopped, and why: ``LAMMPS, 16 processes, stopped before the end (time limit)``."""
    count = f", {processes_text(processes)}" if processes else ""
    why = what_stops(log)
    return f"{program}{count}, stopped before the end{f' ({why})' if why else ''}"


def what_stops(log: bytes | mmap) -> str:
    """Return what a scheduler or library says of the end of a run, empty if it says nothing."""
    tail = log[-_TAIL_BYTES:]
    return next((why for why, pattern in _STOPS.items() if re.search(pattern, tail)), "")


def size_of(text: str) -> float:
    """Return a size such as ``18,531``, or the product of its sides, ``(64, 64, 32)``; 0 if it is none."""
    sides = [float(side.replace(",", "")) for side in _SIDE.findall(text)]
    size = math.prod(sides) if 0 < len(sides) < 4 else 0.0
    return size if size < 1e18 else 0.0


def stated_sizes(attributes: Mapping[str, str]) -> dict[str, float]:
    """Return the sizes of the problem that a run states, by name, the one that says most first."""
    names = attributes.get(SIZES, "").split(", ")
    return {name: size for name in names if (size := size_of(attributes.get(SETTING + name, "")))}


def differing_settings(runs: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Return one notice for each setting that is not the same in all runs that state it, but for sizes."""
    sizes = {name for attributes in runs for name in attributes.get(SIZES, "").split(", ")}
    return tuple(
        one_line(f"the runs do not agree on '{name}': {_listed(counts)}{_REMEDIES.get(name, '')}")
        for name, counts in _counted([stated(attributes, SETTING) for attributes in runs]).items()
        if len(counts) > 1 and name not in sizes
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


def usable_cores() -> int:
    """Return the number of cores of this process; those of the machine where the system keeps no such set.

    Linux has one, macOS and Windows do not.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# What the user notes counts before what the file states.
_NODE_CORES = (METADATA + "cores_per_node", "cores_per_node", "sys_cores_per_node")
_NODE_COUNTS = (METADATA + "nodes", NODES, "numhosts", "n_nodes")
_THREADS = (METADATA + "threads", SETTING + "threads")


@dataclass(frozen=True, kw_only=True)
class HeldCores:
    """The cores of a run."""

    used: int  # cores that its locations were on
    held: int  # cores of its nodes if they are known, else those used
    nodes: int  # 0 if unknown
    basis: str  # what `held` was counted by


def held_cores(attributes: Mapping[str, str], processes: int, locations: int) -> HeldCores:
    """Return the cores of a run, given how many processes have CPU locations, and how many they have.

    Locations of files that hold sums or means are processes, whose threads the file may state, too; all
    others were measured one by one.
    """
    single = has_single_locations(attributes)
    stated_threads = stated_number(attributes, _THREADS) or 1
    used = locations if single or locations != processes else locations * stated_threads
    cores, nodes = stated_cores(attributes), stated_number(attributes, _NODE_COUNTS)
    if cores and not single:
        used = min(used, cores)
    if cores >= used:
        return HeldCores(used=used, held=cores, nodes=nodes, basis="nodes x cores per node")
    threads = used / max(processes, 1)
    text = f"{threads:g} threads per process = {threads:g} cores" if threads > 1 else "1 core per process"
    return HeldCores(used=used, held=used, nodes=nodes, basis=text)


def stated_cores(attributes: Mapping[str, str]) -> int:
    """Return the number of cores of all nodes of a run; 0 if it is not stated."""
    of_nodes = stated_number(attributes, _NODE_COUNTS) * stated_number(attributes, _NODE_CORES)
    return of_nodes or stated_number(attributes, (SYSTEM_CORES,))


def stated_number(attributes: Mapping[str, str], names: Sequence[str]) -> int:
    """Return the number under the first of the names that has a text; 0 if there is none."""
    text = next((attributes[name].strip() for name in names if attributes.get(name)), "")
    return int(text) if text.isdecimal() and len(text) < 10 else 0
