"""How many cores a run used and held: what its time costs, stated once for all who ask.

A run uses as many cores as it has processes times threads, and no more than its nodes have: what exceeds
those are hardware threads, which share a core. It holds all cores of its nodes if their number is known.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.profile import NODES, SYSTEM_CORES
from ingest.run_settings import METADATA, SETTING, has_single_locations


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
    """Return the cores of a run.

    Locations of files that hold sums or means are processes, whose threads the file may state beside; all
    others were measured one by one.

    Args:
        attributes: what the run states about itself.
        processes: number of processes with CPU locations.
        locations: number of its CPU locations.
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
