"""What makes the runs of a study hard to compare: versions, machines, disturbed repetitions, shared cores."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ingest.arrays import FloatArray
from ingest.experiment import Experiment, RunRecord
from ingest.number_text import figure
from ingest.profile import CORES, NODE, NODES
from ingest.run_settings import MACHINES, PROFILERS

SLOWER = 1.5  # times the other repetitions: as much is not noise of single kernels

_SYSTEMS = (*PROFILERS.items(), ("generator", ""))
_HOSTS = ("hostname", "Hostname", "Node Name", "host", "hosts", NODE)
_PROCESSORS = ("CPU Type", "cpu.model")
_PROCESS_CORES = "OMP_NUM_PROCS"  # processors available to a process, as TAU asks OpenMP
_NODE_CORES = ("cores_per_node", "sys_cores_per_node")
_NODE_COUNTS = ("numhosts", "n_nodes", NODES)
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
        *slow_repetitions(experiment),
        _shared_cores(runs),
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
    return ", ".join(filter(None, (_attribute(run, MACHINES), node, _attribute(run, _PROCESSORS))))


def slow_repetitions(experiment: Experiment) -> list[str]:
    """Name runs that took `SLOWER` times as long as their repetitions, over the kernels together.

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
        if others.shape[1] and (ratio := _ratio(own, np.median(others, axis=1))) >= SLOWER:
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
    ratios, weights = values[known] / usual[known], usual[known]
    order = np.argsort(ratios)
    below = np.cumsum(weights[order])
    return float(ratios[order][np.searchsorted(below, 0.5 * below[-1])])


def _shared_cores(runs: Sequence[RunRecord]) -> str:
    """Say which runs had more locations than cores, if their profiles state the cores; otherwise empty."""
    crowded = []
    for run in runs:
        cores, processors = _cores(run), _number(run, (_PROCESS_CORES,))
        threads = int(np.unique(run.process, return_counts=True)[1].max(initial=0))
        if cores and len(run.process) > cores:
            crowded.append(f"{run.source} ({len(run.process)} locations on {cores} cores)")
        elif processors and threads > processors:
            crowded.append(f"{run.source} ({threads} threads of a process on {processors} processors)")
    if not crowded:
        return ""
    return f"more locations than cores, so that they waited for each other: {_first(crowded)}"


def _cores(run: RunRecord) -> int:
    """Return the cores of all nodes of a run, 0 if unknown."""
    if total := _number(run, (CORES,)):
        return total
    return _number(run, _NODE_CORES) * _number(run, _NODE_COUNTS)


def _number(run: RunRecord, names: Sequence[str]) -> int:
    text = _attribute(run, names)
    return int(text) if text.isdecimal() and len(text) < 10 else 0
