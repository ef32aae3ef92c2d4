"""Runs that contradict their names, are of another program, or are hard to compare: they would spoil models.

What makes runs hard to compare are versions, machines, disturbed repetitions and shared cores.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ingest.alignment import MeasuredRun
from ingest.arrays import BoolArray, FloatArray, IntArray, distinct, weighted_quantile
from ingest.errors import InputError
from ingest.experiment import Experiment, RunRecord
from ingest.inferred_runs import METADATA_PROCESSES
from ingest.number_text import NUMBER_WORDS, figure, percent, value_text
from ingest.parameter_roles import states_size
from ingest.profile import NODE
from ingest.reading.stacks import covered
from ingest.reduction import ReducedProfile
from ingest.run_names import PROCESS_PARAMETERS
from ingest.run_settings import (
    MACHINES,
    METADATA,
    PROFILERS,
    PROGRAM_SETTING,
    RECONCILED,
    REMAINDER,
    SETTING,
    STOPPED,
    processor_of,
    stated_cores,
    stated_number,
)

RENAME = "rename it, or list the runs in pipeline.toml"
LEAST_SHARED = 0.2  # of the call paths, with the other runs
_LEAST_COMPARED = 4  # call paths of the program itself; fewer say nothing about which program it is
_LIBRARIES = frozenset(("mpi", "openmp", "omp", "pthread", "cuda", "opencl", "shmem", "measurement"))

CallPath = tuple[str, ...]


COVERED = 0.5, 1.02
"""Shares of the total that a run states between which its timers are: outside of these something is wrong."""

_CONTRADICTED = 0.25, 1.5
"""Shares outside of which the total or the timers are wrong by a factor: the run is left out.

Timers that are few by nature have a region for the remainder: then a small share is only a doubt.
"""


def worst_share(runs: Iterable[Mapping[str, str]]) -> float:
    """Return the share of the stated total that timers are, of the worst run; 1 if none states any."""
    texts = (text for run in runs for name, text in run.items() if name.startswith(RECONCILED))
    shares = [max(share, 1e-6) for text in texts if (share := covered(text)) is not None]
    return max(shares, key=lambda share: abs(math.log(share)), default=1.0)


def unusable_runs(runs: Sequence[Mapping[str, str]]) -> dict[int, str]:
    """Find runs, by index, whose timers contradict their total or which stopped as others ended, and why."""
    reasons = {}
    some_ended = any(STOPPED not in attributes for attributes in runs)
    for i, attributes in enumerate(runs):
        share = worst_share([attributes])
        least = 0.0 if REMAINDER in attributes else _CONTRADICTED[0]
        if not least <= share <= _CONTRADICTED[1]:
            reasons[i] = f"the timers are {percent(share)} of the total that the file states, so one is wrong"
        elif some_ended and STOPPED in attributes:
            reasons[i] = attributes[STOPPED]
    return reasons


def _unreconciled(runs: Sequence[RunRecord]) -> str:
    """Name the runs whose timers are not the total that their files state; empty if there is none."""
    shares = {run.source: worst_share([run.attributes]) for run in runs}
    found = [source for source, share in shares.items() if not COVERED[0] <= share <= COVERED[1]]
    if not found:
        return ""
    return f"the timers are {percent(shares[found[0]])} of the total that the file states: {_first(found)}"


def misnamed_runs(parameters: Sequence[str], runs: Sequence[MeasuredRun]) -> dict[int, str]:
    """Find runs, by index, whose parameter for the number of processes is not that number, and why.

    The parameter is the one that equals the number of processes, or else of CPU locations, in the most runs.
    It has to equal it in all if it does so in more than half of the runs, at two different numbers at least;
    or if both have the same set of values, so that runs have each other's names.
    """
    values = np.array([run.parameters for run in runs], dtype=np.float64).reshape(len(runs), len(parameters))
    counts = {
        "process": np.array([_processes(run.profile) for run in runs]),
        "location": np.array([len(run.profile.process) for run in runs]),
    }
    candidates = [(column, unit) for column in range(len(parameters)) for unit in counts]
    if not candidates:
        return {}
    column, unit = max(candidates, key=lambda one: int((values[:, one[0]] == counts[one[1]]).sum()))
    named, count = values[:, column], counts[unit]
    if not _counts(parameters[column], named, count):
        return {}
    reasons = {}
    for i in np.flatnonzero(named != count).tolist():
        have = f"{count[i]} {unit}{'' if count[i] == 1 else 'es' if unit == 'process' else 's'}"
        other = np.flatnonzero((named == count[i]) & (count == named[i])).tolist()
        twin = f" (swapped with {runs[other[0]].profile.source}?)" if other else ""
        reasons[i] = f"{parameters[column]} = {named[i]:.15g} by its name, but the profile has {have}{twin}"
    return reasons


def contradicted_name(parameters: Sequence[str], runs: Sequence[MeasuredRun]) -> str:
    """Say that names count processes that no run has, nor as many times as many; empty if some run has."""
    counts = [np.array([_processes(run.profile) for run in runs])]
    counts.append(np.array([len(run.profile.process) for run in runs]))
    for column, name in enumerate(parameters):
        values = np.array([run.parameters[column] for run in runs])
        known = name.lower() in PROCESS_PARAMETERS and len(set(values.tolist())) > 1 and values.min() > 0
        if known and not any((of == values).any() or np.ptp(of / values) == 0 for of in counts):
            ends = [f"{end}" for end in sorted({int(counts[0].min()), int(counts[0].max())})]
            have = f"{' to '.join(ends)} process{'' if ends == ['1'] else 'es'}"
            return (
                f"{name} = {values.min():.15g} to {values.max():.15g} by the names, but the profiles have"
                f" {have}: costs are of these; list the runs in pipeline.toml if the names are right"
            )
    return ""


def _processes(profile: ReducedProfile) -> int:
    """Return the number of processes: as the metadata state it, since values may be sums over all of them."""
    return stated_number(profile.attributes, METADATA_PROCESSES) or len(distinct(profile.process))


def _counts(name: str, values: FloatArray, count: IntArray) -> bool:
    """Return whether a parameter is meant to be the count, float64[run] and int64[run]."""
    equal = values == count
    known = name.lower() in PROCESS_PARAMETERS
    if 2 * int(equal.sum()) > len(equal):
        found = distinct(count[equal])
        return len(found) > 1 or (known and int(found[0]) > 1)
    exchanged = len(distinct(count)) > 1 and set(values.tolist()) == set(count.tolist())
    return exchanged and (known or 2 * int(equal.sum()) == len(equal))


def foreign_runs(experiment: Experiment) -> dict[str, str]:
    """Find runs of another program: they share less than `LEAST_SHARED` of their call paths with the others.

    Functions of libraries such as MPI do not count, since programs share them. Call paths are compared as
    they are; if hardly any agree, once more without the regions that only one side recorded, since filters
    remove regions from call paths. A log is of the program that it states, whatever it shares with others.

    Returned is the reason by the source of a run; InputError if no program has more runs than the others.
    """
    runs, visited = experiment.runs, _visited(experiment)
    programs: list[tuple[BoolArray, list[int]]] = []
    for i, own in enumerate(visited):
        like = (
            k
            for k, (all_, members) in enumerate(programs)
            if _stated(runs[i]) == _stated(runs[members[0]]) and _alike(experiment, own, all_)
        )
        place = next(like, None)
        if place is None:
            programs.append((own, [i]))
        else:
            all_, members = programs[place]
            programs[place] = (all_ | own, [*members, i])
    programs.sort(key=lambda program: -len(program[1]))
    if len(programs) > 1 and len(programs[0][1]) == len(programs[1][1]):
        first = (runs[members[0]] for _, members in programs[:2])
        one, two = (f"{of.source} (a log of {_stated(of)})" if _stated(of) else of.source for of in first)
        raise InputError(
            f"the runs are of {len(programs)} programs: {one} and {two} share hardly any call path",
            hint="give a directory with the runs of one program",
        )
    most = runs[programs[0][1][0]]
    return {runs[i].source: _reason(runs[i], most) for _, members in programs[1:] for i in members}


def _reason(run: RunRecord, most: RunRecord) -> str:
    """Say why a run is not of the program of most runs, one of which is given."""
    program, other = _stated(most), _stated(run)
    if program == other:
        why = (
            f"shares less than {LEAST_SHARED:.0%} of its call paths with the other runs".replace("%", " %")
            + ", so it is another program or another kind of instrumentation"
        )
    elif program:
        why = f"is not a log of {program}, as the other runs are"
    else:
        why = f"is a log of {other}, unlike the other runs"
    return f"{why}; move it to a directory of its own"


def _stated(run: RunRecord) -> str:
    return run.attributes.get(PROGRAM_SETTING, "")


def _visited(experiment: Experiment) -> list[BoolArray]:
    """Return the call paths of each run, bool[N] each; those of equal runs are one array."""
    reductions = list(experiment.values.values())
    known: dict[bytes, BoolArray] = {}
    visited = []
    for run in experiment.runs:
        found = np.zeros(len(experiment.tree), dtype=np.bool_)
        for reduction in reductions:
            found |= np.nan_to_num(reduction.max[:, run.point, run.repetition]) > 0
        visited.append(known.setdefault(found.tobytes(), found))
    return visited


def _alike(experiment: Experiment, one: BoolArray, two: BoolArray) -> bool:
    """Return whether two sets of call paths, bool[N], may be of one program."""
    own = np.array([paradigm not in _LIBRARIES for paradigm in experiment.regions.paradigm])
    region, size = experiment.tree.region, len(experiment.regions)
    sides = [nodes & own[region] for nodes in (one, two)]
    fewest = min(int(nodes.sum()) for nodes in sides)
    if fewest < _LEAST_COMPARED or int((sides[0] & sides[1]).sum()) >= LEAST_SHARED * fewest:
        return True
    in_one, in_two = (np.bincount(region[nodes], minlength=size) > 0 for nodes in sides)
    common = in_one & in_two
    paths_one, paths_two = (_reduced_paths(experiment, nodes, common) for nodes in sides)
    return len(paths_one & paths_two) >= LEAST_SHARED * fewest


def _reduced_paths(experiment: Experiment, nodes: BoolArray, regions: BoolArray) -> set[CallPath]:
    """Return the call paths of some nodes, bool[N], with only some regions in them, bool[region]."""
    names, kept = experiment.regions.name, regions.tolist()
    paths: list[CallPath] = []
    parents, of = experiment.tree.parent.tolist(), experiment.tree.region.tolist()
    for parent, region in zip(parents, of, strict=True):
        above = paths[parent] if parent >= 0 else ()
        paths.append((*above, names[region]) if kept[region] else above)
    return {paths[i] for i in np.flatnonzero(nodes).tolist()} - {()}


_UNLIKE = 3.0  # times as long as another run of the same point: it did something else
_SAME = 1.01  # times a size: less is no other one
_DISTURBED = 5  # runs of one point, one of which may be so slow
_SLOWER = 1.5  # times the other repetitions: as much is not noise of single kernels

_SYSTEMS = (*PROFILERS.items(), ("generator", ""))
_HOSTS = ("hostname", "Hostname", "Node Name", "host", "hosts", NODE)
_PROCESS_CORES = "OMP_NUM_PROCS"  # processors available to a process, as TAU asks OpenMP
_DIGITS = re.compile(r"[0-9]+")
_MAX_GROUPS = 4


def doubts(experiment: Experiment) -> tuple[str, ...]:
    """Return one sentence for everything that makes the runs hard to compare."""
    runs = experiment.runs
    found = [
        _different(
            "the runs were measured with different versions", {run.source: _system(run) for run in runs}
        ),
        _different("the runs were measured on different machines", {r.source: _machine(r) for r in runs}),
        *_slow_repetitions(experiment),
        _shared_cores(runs),
        _unreconciled(runs),
    ]
    return tuple(filter(None, found))


def _different(what: str, kinds: Mapping[str, str]) -> str:
    """Say how many runs are of each kind, and name one of the rarer; empty if all known kinds are one."""
    groups: dict[str, list[str]] = {}
    for source, kind in kinds.items():
        if kind:
            groups.setdefault(kind, []).append(source)
    if len(groups) < 2:
        return ""
    most, *others = sorted(groups.items(), key=lambda group: -len(group[1]))
    listed = [f"{len(most[1])} with {most[0]}"]
    listed += [f"{len(runs)} with {kind} ({_first(runs)})" for kind, runs in others[: _MAX_GROUPS - 1]]
    left = len(others) - _MAX_GROUPS + 1
    return f"{what}: {', '.join(listed)}" + (f" and {left} more" if left > 0 else "")


def _first(sources: Sequence[str]) -> str:
    return sources[0] + (f" and {len(sources) - 1} more" if len(sources) > 1 else "")


def _attribute(run: RunRecord, names: Sequence[str]) -> str:
    return next((run.attributes[name].strip() for name in names if run.attributes.get(name)), "")


def _system(run: RunRecord) -> str:
    """Return measurement system and version; the system alone if the version is unknown."""
    return next(
        (before + run.attributes[name].strip() for name, before in _SYSTEMS if run.attributes.get(name)), ""
    )


def _machine(run: RunRecord) -> str:
    """Return the machine: its name, its processor, and the name of a node without its number."""
    host = _attribute(run, _HOSTS).split(",")[0].split(".")[0]
    node = _DIGITS.sub("*", host)
    return ", ".join(filter(None, (_attribute(run, MACHINES), node, processor_of(run.attributes))))


def unlike_repetitions(experiment: Experiment) -> InputError | None:
    """Return why runs of one point are no repetitions of each other; None if they are.

    They are not if their files state different sizes, or if they take `_UNLIKE` times as long as others: but
    a run in five may be that slow if the others agree.
    """
    for point, at in enumerate(experiment.points.tolist()):
        runs, totals = [run for run in experiment.runs if run.point == point], _totals(experiment, point)
        if found := _other_size(runs) or _other_time(totals):
            named = (f"{name} = {value_text(v)}" for name, v in zip(experiment.parameters, at, strict=True))
            what = f"{len(runs) or len(totals)} runs of {', '.join(named) or 'one point'} are no repetitions"
            return InputError(f"{what}: {found[0]}", hint=found[1])
    return None


def _other_size(runs: Sequence[RunRecord]) -> tuple[str, str] | None:
    """Return which of the sizes that runs state differs most, and what to do; None if none does."""
    found: dict[str, list[float]] = {}
    for name, text in ((name, text) for run in runs for name, text in run.attributes.items()):
        numbers = re.findall(r"[0-9]+(?:\.[0-9]+)?", text.replace(",", ""))
        if name.startswith((SETTING, METADATA)) and states_size(name.partition(": ")[2]) and numbers:
            found.setdefault(name.partition(": ")[2], []).append(math.prod(map(float, numbers)))  # 64 x 64
    ends = {name: (min(values), max(values)) for name, values in found.items() if min(values) > 0}
    name = max(ends, key=lambda name: ends[name][1] / ends[name][0], default="")
    if not name or ends[name][1] <= _SAME * ends[name][0]:
        return None
    shown = " to ".join(f"{end:,.15g}" if end < NUMBER_WORDS[-1][0] else figure(end) for end in ends[name])
    return f"they differ in {name} ({shown})", f"name it in the runs, or use --parameter {name}"


def _totals(experiment: Experiment, point: int) -> FloatArray:
    """Return the time of each run of a point; of a series of each repetition in which all was measured."""
    metric = experiment.chosen_metric()
    if metric not in experiment.values or not experiment.metric(metric).kind.additive:
        return np.zeros(0)
    values = experiment.values[metric].sum[:, point]
    whole = values[np.isfinite(values).any(axis=1)].sum(axis=0)
    return np.sort(whole[whole > 0])


def _other_time(totals: FloatArray) -> tuple[str, str] | None:
    """Return that sorted times differ too much, and what to do; None if all but disturbed ones agree."""
    if len(totals) < 2 or totals[-1] <= _UNLIKE * totals[0]:
        return None
    most = len(totals) - max(len(totals) // _DISTURBED, 1)
    if most > 1 and (totals[most - 1 :] <= _SLOWER * totals[: len(totals) - most + 1]).any():
        return None
    return (
        f"the slowest takes {figure(float(totals[-1] / totals[0]), 2)} times as long as the fastest",
        "name what differs in the runs, or leave out what was disturbed",
    )


def _slow_repetitions(experiment: Experiment) -> list[str]:
    """Name runs that took `_SLOWER` times as long as their repetitions, over the kernels together.

    The measure is the median of the ratios of the call paths to the median of the other repetitions, weighted
    by time: one kernel that waits longer does not make a run an outlier, a busy machine does.
    """
    if "time" not in experiment.values:
        return []
    sums = experiment.values["time"].sum
    found = []
    for run in experiment.runs:
        own = sums[:, run.point, run.repetition]
        others = np.delete(sums[:, run.point], run.repetition, axis=1)
        others = others[:, np.isfinite(others).any(axis=0)]
        if others.shape[1] and (ratio := _ratio(own, np.median(others, axis=1))) >= _SLOWER:
            found.append(
                f"{run.source} took {figure(ratio, 2)} times as long as its repetitions, over all kernels"
                f" together; leave it out or measure it again if the machine was busy"
            )
    return found


def _ratio(values: FloatArray, usual: FloatArray) -> float:
    """Return the median of values / usual, weighted by the usual values; 1 if nothing takes time."""
    known = usual > 0
    if not known.any():
        return 1.0
    return weighted_quantile(values[known] / usual[known], usual[known], 0.5)


def _shared_cores(runs: Sequence[RunRecord]) -> str:
    """Say which runs had more locations than cores, if their profiles state the cores; otherwise empty."""
    crowded = []
    for run in runs:
        cores, processors = stated_cores(run.attributes), stated_number(run.attributes, (_PROCESS_CORES,))
        threads = int(np.unique(run.process, return_counts=True)[1].max(initial=0))
        if cores and len(run.process) > cores:
            crowded.append(f"{run.source} ({len(run.process)} locations on {cores} cores)")
        elif processors and threads > processors:
            crowded.append(f"{run.source} ({threads} threads of a process on {processors} processors)")
    if not crowded:
        return ""
    return f"more locations than cores, so that they waited for each other: {_first(crowded)}"
