"""Logs of the partitions of one run (``lmp -partition 4x2``): each has a number, and all are one run."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTreeBuilder
from ingest.profile import LocationTable, Metric, Profile, RegionTable, ValuesInMemory
from ingest.readers.timer_tables.log import Log, last_facts
from ingest.readers.timer_tables.timer_kind import Facts, timer_kinds
from ingest.reading.files import all_of_run, entries, head
from ingest.reading.stacks import TIME
from ingest.resource_use import TOTAL_MEMORY
from ingest.run_settings import RECONCILED, SETTING, STATISTIC
from ingest.work_rates import UNITS_OF_WORK

_NUMBERED = re.compile(r"(.*?)(\d{1,6})(\D*)")


def partitions(log: Path) -> dict[int, Path]:
    """Return the logs of the partitions of a run by their numbers; the log alone if it has none."""
    name = _NUMBERED.fullmatch(log.name)
    if name is None or "number" not in _stated(log):
        return {0: log}
    alike = sorted(_alike(log, name).items())
    return {number: file for number, file in alike if _stated(file).get("number") == str(number)}


def all_partitions(log: Path) -> list[Path]:
    """Return the logs of all partitions of a run in the order of their numbers.

    Raises:
        InputError: if one is missing.
    """
    of_all = log.with_name(log.name.rstrip("0123456789").rstrip(".") or log.name)
    count = int(_stated(of_all).get("count", 1))
    return all_of_run(partitions(log), "partition", first=0, count=count)


def stands_for_run(log: Path) -> bool:
    """Return whether a log is that of a whole run, or of the first of its partitions.

    That of all of them has no timers; it stands for the run only if theirs do not lie in its folder.
    """
    stated, name = _stated(log), _NUMBERED.fullmatch(log.name)
    if "number" in stated and name:
        first = log.with_name(f"{name[1]}0{name[3]}")
        return log == first or (not first.is_file() and log == min(_alike(log, name).items())[1])
    if "count" in stated:
        return not any("number" in _stated(file) for file in entries(log.parent) if file.name.endswith("0"))
    return True


def _stated(log: Path) -> Facts:
    return last_facts(Log(head(log)), [line for kind in timer_kinds() for line in kind.partitions])


def _alike(log: Path, name: re.Match[str]) -> dict[int, Path]:
    """Return the files in the folder whose names differ in their number only."""
    matches = ((file, _NUMBERED.fullmatch(file.name)) for file in entries(log.parent))
    return {int(own[2]): file for file, own in matches if own and own.group(1, 3) == name.group(1, 3)}


def joined(parts: Sequence[Profile], source: str) -> Profile:
    """Return the profile of a run given those of its partitions: it has the locations of all."""
    if len(parts) == 1:
        return parts[0]
    callpaths = CallTreeBuilder()
    nodes = [[callpaths.add(path) for path in part.tree.paths(part.regions.name)] for part in parts]
    place, tree, names = callpaths.build()
    paradigm = {n: p for part in parts for n, p in zip(part.regions.name, part.regions.paradigm, strict=True)}
    metrics = tuple(dict.fromkeys(metric for part in parts for metric in part.metrics))
    values = {
        metric.name: np.hstack(
            [_in_tree(part, metric, place[own], len(tree)) for part, own in zip(parts, nodes, strict=True)]
        )
        for metric in metrics
    }
    first = np.cumsum([0, *(part.processes for part in parts)])
    return Profile(
        source=source,
        tree=tree,
        regions=RegionTable.named(names, [paradigm[name] for name in names]),
        locations=LocationTable.of_threads(
            np.concatenate([n + part.locations.process for n, part in zip(first, parts, strict=False)]),
            np.concatenate([part.locations.thread for part in parts]),
        ),
        metrics=metrics,
        load=ValuesInMemory(tree, values),
        attributes=_attributes(parts),
        notices=tuple(dict.fromkeys(notice for part in parts for notice in part.notices)),
    )


def _in_tree(part: Profile, metric: Metric, nodes: IntArray, size: int) -> FloatArray:
    """Return the values of a part, float64[size, location], given the place of its call paths."""
    dense = np.full((size, len(part.locations)), 0.0 if metric.kind.additive else np.nan)
    if metric in part.metrics:
        dense[nodes] = part.load(metric)
    return dense


def _attributes(parts: Sequence[Profile]) -> dict[str, str]:
    longest = max(parts, key=lambda part: float(part.values(TIME.name)[:, 0].sum())).attributes
    sums = {
        name: f"{sum(float(part.attributes[name]) for part in parts):.17g}"
        for name in (UNITS_OF_WORK, TOTAL_MEMORY)
        if all(name in part.attributes for part in parts)
    }
    which = f"{len(parts)} partitions, of the longest: "
    texts = {name: which + text for name, text in longest.items() if name.startswith((RECONCILED, STATISTIC))}
    return {**longest, **texts, **sums, SETTING + "partitions": str(len(parts))}
