"""Groups of kernels: what regions do, and groups that users make by pattern. Each kernel is in one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ingest.arrays import BoolArray, IntArray
from ingest.errors import UsageError
from ingest.region_class import Activity
from pipeline.models.kernels import Kernels, grouped_kernels, matching, named

OwnGroups: TypeAlias = Mapping[str, Sequence[str]]
"""``[groups]`` of pipeline.toml: names, and the patterns of their kernels."""

NO_GROUPS: OwnGroups = MappingProxyType({})

GROUP_NAMES = {
    Activity.COMPUTATION: "computation",
    Activity.COMMUNICATION: "communication",
    Activity.WAITING: "waiting",
    Activity.IO: "I/O",
    Activity.START_UP: "start-up",
    Activity.OFFLOAD: "offload",
    Activity.ACCELERATOR: "accelerator",
    Activity.MEASUREMENT: "measurement",
}
"""What groups of regions are called by what they do."""


def groups_of(kernels: Kernels, own: OwnGroups) -> tuple[tuple[str, ...], IntArray]:
    """Return the group of each kernel: the first of the user's that names it, else what it does.

    The groups that have kernels, those of the user first, and the place of each kernel's, int64[K].
    """
    names = [*own, *(name for name in GROUP_NAMES.values() if name not in own)]
    found = np.array([names.index(GROUP_NAMES[one.activity]) for one in kernels.classes], dtype=np.int64)
    for name, patterns in reversed(list(own.items())):
        for pattern in patterns:
            found[matching(kernels.callpaths, pattern, f"[groups] {name}")] = names.index(name)
    used, place = np.unique(found, return_inverse=True)
    return tuple(names[n] for n in used.tolist()), place


def matching_nothing(kernels: Kernels, own: OwnGroups) -> list[str]:
    """Return a sentence per pattern of a group that no kernel matches."""
    return [
        f"[groups] {name}: nothing matches '{pattern}'"
        for name, patterns in own.items()
        for pattern in patterns
        if not len(matching(kernels.callpaths, pattern))
    ]


def group_kernels(kernels: Kernels, own: OwnGroups) -> tuple[Kernels, IntArray]:
    """Add up the kernels of each group; return them, and the place of each kernel's group, int64[K]."""
    names, place = groups_of(kernels, own)
    summed = grouped_kernels(kernels, names, place)
    return replace(summed, paradigms=("",) * len(names), source={}), place


def named_kernels(kernels: Kernels, own: OwnGroups, name: str, where: str, hint: str) -> BoolArray:
    """Return which kernels the name of a group, or a pattern, stands for, bool[K]."""
    if group := group_meant(kernels, own, name):
        names, place = groups_of(kernels, own)
        return np.asarray(place == place_of(names, group, where, hint))
    found = np.zeros(len(kernels), dtype=np.bool_)
    found[named(kernels.callpaths, name, where)] = True
    return found


def group_meant(kernels: Kernels, own: OwnGroups, name: str) -> str:
    """Return the group that a name stands for, ``io`` for ``I/O``; empty if a region has that name."""
    known = {_plain(one): one for one in (*GROUP_NAMES.values(), *own)}
    return "" if name in kernels.regions else known.get(_plain(name), "")


def place_of(groups: Sequence[str], group: str, where: str, hint: str) -> int:
    """Return which of the groups that have kernels one is; UsageError if it has none."""
    if group not in groups:
        raise UsageError(f"there is no {group} here", where=where, hint=hint)
    return groups.index(group)


def _plain(name: str) -> str:
    return name.casefold().replace("/", "")
