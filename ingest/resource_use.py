"""What a run used in addition to time: memory of a process and of a node, and joules; what tools call them.

Memory is one value of a whole run, the highest of a process, never a sum over call paths. Logs have no call
path that could hold it, so that it stands in the attributes of a run, in bytes, whatever states it. Energy is
a metric like any other that adds up.

Sources: getrusage(2), whose `ru_maxrss` is in KiB; the metrics of Score-P's memory recording and of Caliper's
services alloc and memstat (pages of 4 KiB); LIKWID's energy counters (J), PAPI's component rapl (nJ).
"""

import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

from ingest.arrays import FloatArray
from ingest.profile import LARGEST, Metric, Profile
from ingest.run_settings import has_single_locations
from ingest.units import JOULE, unit_named

MEMORY, NODE_MEMORY = "memory", "memory_per_node"
"""The metrics of whole runs: bytes of the process, and of the node, that took most."""

ENERGY = "energy"
BYTES_UNIT, JOULES = "B", "J"
RUN_METRICS = (MEMORY, NODE_MEMORY)
TOTAL_RESOURCE = "total"
"""What memory is of otherwise: the sum over all processes, of which a node has its part."""

_STATED = "memory: "
TOTAL_MEMORY = _STATED + TOTAL_RESOURCE
MEMORY_SOURCE = _STATED + "stated as"
"""The attribute with the words, or the metric, that a run's memory is stated by: some are estimates."""

_SIZES = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}
_SIZE_UNIT = re.compile(r"([kmgt]?)i?b(?:ytes?)?", re.IGNORECASE)
_MEMORY = {
    **dict.fromkeys(("max_rss", "maximum_heap_memory_allocated", "alloc.region.highwatermark"), 1.0),
    **dict.fromkeys(("mhwm.bytes", "max alloc'd mem"), 1.0),
    **dict.fromkeys(("ru_maxrss", "maxrss"), 2.0**10),
    **dict.fromkeys(("memstat.vmrss", "mem.vmrss", "vmrss"), 2.0**12),
    **dict.fromkeys(("mhwm", "mem hwm mb"), 1e6),
    **dict.fromkeys(("max_resident_set_size", "peak_memory", "peak_rss"), None),
}
"""Bytes of the unit of each name without the operations before it; None for those whose unit is stated."""

_ANY = re.compile("")
_OPERATION = re.compile(r"^(?:max#)+")
_ENERGY = {
    re.compile(r"PWR_(?:PLATFORM|PKG|DRAM|PP\d|GPU)_ENERGY|RAPL_\w+_ENERGY"): 1.0,
    re.compile(r"(?:.*:::)?(?:PACKAGE|DRAM|PP\d|PSYS)_ENERGY:PACKAGE\d+"): 1e-9,
}
_WHOLE = re.compile(r"^energy$|blade|node|board|platform|psys|total", re.IGNORECASE)
_PROCESSORS = re.compile(r"pkg|package|cpu|socket", re.IGNORECASE)


def bytes_per(unit: str) -> float | None:
    """Return how many bytes a unit is, None if it is no size; kilo is 1024: ``kB``, ``Mbytes``, ``GiB``."""
    match = _SIZE_UNIT.fullmatch(unit.strip())
    return _SIZES[match[1].lower()] if match else None


def memory_factor(metric: Metric) -> float | None:
    """Return how many bytes the unit of a metric is if it is the memory of processes, else None."""
    name = _OPERATION.sub("", metric.name.strip().lower())
    return _MEMORY[name] or bytes_per(metric.unit) if name in _MEMORY else None


def energy_factor(metric: Metric) -> float | None:
    """Return how many joules the unit of a metric is, None if it is no energy."""
    named = next((factor for name, factor in _ENERGY.items() if name.fullmatch(metric.name)), None)
    size, dimension = unit_named(metric.unit.strip()) or (named, JOULE)
    return size if dimension == JOULE else named


def energy_metric(metrics: Iterable[Metric]) -> str | None:
    """Return the metric with the energy of a run: that of nodes, else of their processors, else any."""
    names = [m.name for m in metrics if m.kind.additive and energy_factor(m) is not None]
    return next((name for kind in (_WHOLE, _PROCESSORS, _ANY) for name in names if kind.search(name)), None)


def memory_attributes(source: str, **of: float) -> dict[str, str]:
    """Return attributes of a run: bytes by `MEMORY`, `NODE_MEMORY`, `TOTAL_RESOURCE`, and their source."""
    known = {_STATED + name: f"{value:.0f}" for name, value in of.items() if 0 < value < LARGEST}
    return known | {MEMORY_SOURCE: source} if known else {}


def stated_memory(attributes: Mapping[str, str], metric: str, nodes: int = 0) -> float:
    """Return the bytes of the process or the node that took most, NaN if a run does not state them.

    One of the nodes, 0 if unknown, takes its part of the total if nothing else is stated.
    """
    if metric == NODE_MEMORY and _STATED + metric not in attributes and nodes:
        return stated_memory(attributes, TOTAL_RESOURCE) / nodes
    text = attributes.get(_STATED + metric, "")
    return float(text) if text.isdecimal() else math.nan


def memory_of(profile: Profile) -> tuple[float, str] | None:
    """Return the bytes of the process that takes most and what states them; None if nothing does."""
    attributes = {**profile.attributes, **recorded_memory(profile)}
    amount = stated_memory(attributes, MEMORY)
    return (amount, attributes[MEMORY_SOURCE]) if amount > 0 else None


def recorded_memory(profile: Profile) -> dict[str, str]:
    """Return the attributes of the memory that a profile recorded: of nodes, the sum over their processes.

    The memory of a process is the highest value of its call paths and threads; what measurement systems
    record as growth (metrics that add up) is added over call paths.
    """
    found = next(((m, f) for m in profile.metrics if (f := memory_factor(m)) is not None), None)
    if found is None or any(stated_memory(profile.attributes, name) > 0 for name in RUN_METRICS):
        return {}
    metric, factor = found
    process, of_location = np.unique(profile.locations.process, return_inverse=True)
    highest = np.zeros(len(process))
    np.maximum.at(highest, of_location.reshape(-1), factor * _of_locations(profile, metric))
    known = {MEMORY: float(highest.max(initial=0.0))}
    if not has_single_locations(profile.attributes) or profile.summed.count > 1:
        return memory_attributes(metric.name, **known)
    nodes: dict[str, float] = {}
    node_of = dict(zip(of_location.reshape(-1).tolist(), profile.locations.node, strict=False))
    for number, node in node_of.items():
        nodes[node] = nodes.get(node, 0.0) + float(highest[number])
    known |= {NODE_MEMORY: max(nodes.values(), default=0.0), TOTAL_RESOURCE: float(highest.sum())}
    return memory_attributes(metric.name, **known)


def _of_locations(profile: Profile, metric: Metric) -> FloatArray:
    """Return the value of each location, float64[L]."""
    total = np.zeros(len(profile.locations))
    for _, values in profile.exclusive_blocks(metric.name, np.ones(len(total), dtype=np.bool_)):
        known = np.where((values > 0) & (values < LARGEST), values, 0.0)
        if metric.kind.additive:
            total += known.sum(axis=0)
        else:
            total = np.maximum(total, known.max(axis=0, initial=0.0))
    return total
