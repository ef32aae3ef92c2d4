"""From values of stacks to a profile: what the readers of profilers share.

A stack is a call path, so that equal ones are added and the sum below a function counts recursion once.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.arrays import FloatArray, IntArray, places_in_groups
from ingest.calltree import CallTree, CallTreeBuilder
from ingest.errors import InputError, one_line
from ingest.profile import CPU, LocationTable, Metric, Profile, RegionTable, ValuesInMemory, require_summable
from ingest.run_settings import RECONCILED, SAMPLED

TIME_METRIC = Metric("time", "s")
SAMPLES = Metric("samples", "occ")
VISITS_METRIC = Metric("visits", "occ")

NO_SECONDS = "neither a unit nor an interval is stated: values are numbers of samples, not seconds"
PROGRAM = "<program>"  # the region of time that no call or range of a program has
UNKNOWN = "[unknown]"  # what perf calls a function without a name
_MAX_VALUES = 1 << 27
PARADIGM = "sampling"  # says nothing of a region: its name shows what it does

Place = tuple[int, int]  # location and node


@dataclass(kw_only=True)
class Stacks:
    """Values of the innermost frames of stacks, added as they are read."""

    callpaths: CallTreeBuilder = field(default_factory=CallTreeBuilder)  # the stacks, outermost frame first
    # (process, thread, device) as the file names them -> location
    locations: dict[tuple[int, int, int], int] = field(default_factory=dict)
    # per metric, values by location and node
    values: dict[Metric, defaultdict[Place, float]] = field(default_factory=dict)

    def location(self, process: int, thread: int, device: int = CPU) -> int:
        """Return the location of a thread, or a stream of a device, by the numbers that the file has."""
        return self.locations.setdefault((process, thread, device), len(self.locations))

    def of(self, metric: Metric) -> defaultdict[Place, float]:
        """Return the values of a metric, to add to."""
        return self.values.setdefault(metric, defaultdict(float))

    def total(self, metric: Metric) -> float:
        """Return the sum of a metric over all stacks and locations."""
        return float(sum(self.values.get(metric, {}).values()))

    def built(self, source: str, *, processes: int = 1) -> "StackValues":
        """Bring the stacks into a tree; several processes have the values of the only location."""
        place, tree, names = self.callpaths.build()
        threads = sorted(self.locations, key=self.locations.__getitem__) or [(0, 0, CPU)]
        threads = [(process, 0, CPU) for process in range(processes)] if processes > 1 else threads
        require_room(len(tree), len(threads), len(self.values), source)
        measured = len(tree), max(len(self.locations), 1)
        values = {metric: _dense(by_place, place, measured) for metric, by_place in self.values.items()}
        return StackValues(source, tree, names, values, threads)


@dataclass(frozen=True, eq=False)
class StackValues:
    """The values of a call tree."""

    source: str
    tree: CallTree
    names: Sequence[str]
    # exclusive, float64[call path, location], or of one location that stands for all
    values: Mapping[Metric, FloatArray]
    threads: Sequence[tuple[int, int, int]]  # process, thread and device of the locations

    def profile(
        self,
        generator: str,
        reconciled: str,
        *,
        sampled: bool = True,
        files: Mapping[str, tuple[str, int]] | None = None,
        paradigms: Mapping[str, str] | None = None,
        attributes: Mapping[str, str] | None = None,
        notices: Iterable[str] = (),
    ) -> Profile:
        """Make the profile.

        Args:
            reconciled: how much of a stated total was found, or what was found if none is stated.
            sampled: whether values are those of samples.
            files: per region its source file and line, if known.
            paradigms: of regions whose names do not show what they do.
            attributes: what else the file says.
        """
        shape = len(self.tree), len(self.threads)
        stored = {metric.name: np.broadcast_to(dense, shape) for metric, dense in self.values.items()}
        for name, dense in stored.items():
            require_summable(dense, f"the metric '{name}'", self.source)
        known = files or {}
        usual = PARADIGM if sampled else ""
        return Profile(
            source=self.source,
            tree=self.tree,
            regions=RegionTable.named(
                self.names,
                [(paradigms or {}).get(name, usual) for name in self.names],
                [known.get(name, ("", -1)) for name in self.names],
            ),
            locations=_locations(self.threads),
            metrics=tuple(self.values),
            load=ValuesInMemory(self.tree, stored),
            attributes={
                "generator": generator,
                SAMPLED: "yes" if sampled else "no",
                RECONCILED: reconciled,
                **(attributes or {}),
            },
            notices=tuple(map(one_line, notices)),
        )


def require_room(callpaths: int, threads: int, metrics: int, source: str) -> None:
    """Refuse a profile without call paths, or with more values than fit into memory."""
    if not callpaths:
        raise InputError("no stack in it", where=source, hint="was the measurement interrupted?")
    if callpaths * threads * max(metrics, 1) > _MAX_VALUES:
        what = f"too large for memory: {callpaths} call paths on {threads} threads"
        raise InputError(what, where=source, hint="convert the processes one by one")


def _dense(by_place: Mapping[Place, float], place: IntArray, shape: tuple[int, int]) -> FloatArray:
    """Return values as float64[call path, location], given the call path of each node, int64[node]."""
    dense = np.zeros(shape)
    if by_place:
        location, node = np.array(list(by_place), dtype=np.int64).T
        dense[place[node], location] = np.fromiter(by_place.values(), np.float64, len(by_place))
    return dense


def _locations(threads: Sequence[tuple[int, int, int]]) -> LocationTable:
    number = {pid: i for i, pid in enumerate(dict.fromkeys(pid for pid, _, _ in threads))}
    process = np.array([number[pid] for pid, _, _ in threads], dtype=np.int64)
    device = np.array([device for _, _, device in threads], dtype=np.int64)
    return LocationTable(process, places_in_groups(process), device)


def found_of(what: str, found: float, stated: float | None, unit: str, *, digits: int = 10) -> str:
    """Say how much of a stated total was found: ``timers 9 s = 90.00 % of the stated 10 s``."""
    if stated is None:
        return f"{what} {found:.{digits}g} {unit}, no total is stated"
    share = f"{100 * found / stated:.2f} % of " if stated > 0 else ""
    return f"{what} {found:.{digits}g} {unit} = {share}the stated {stated:.{digits}g} {unit}"


def covered(reconciled: str) -> float | None:
    """Return the share of the stated total that a text of `found_of` states, None if it states none."""
    share = re.search(r" = ([0-9.]+) % of the stated ", reconciled)
    return float(share[1]) / 100 if share else None


def skipped_lines(lines: Sequence[int], read: int, what: str, source: str) -> tuple[str, ...]:
    """Return a notice on skipped lines; InputError if they are more than those that could be read."""
    if not lines:
        return ()
    if len(lines) > read:
        raise InputError(f"line {lines[0]}: {what}, as are {len(lines) - 1} more lines", where=source)
    number = "1 line is skipped" if len(lines) == 1 else f"{len(lines)} lines are skipped"
    return (f"{number}: {what} (line {lines[0]}{'' if len(lines) == 1 else ' is the first'})",)
