"""Databases since 2022: ``meta.db`` and ``profile.db`` as a `Profile`.

Of the values that are stored of a metric only the inclusive ones are used, those of the scope ``execution``:
others are repeated on the lines and loops of a function. What a call path has of its own is what those below
it leave, so that the sum over all call paths is the value of the whole program.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError, one_line
from ingest.number_text import SECONDS
from ingest.profile import Block, Metric, Profile, require_summable
from ingest.readers.hpctoolkit.contexts import Contexts, read_contexts
from ingest.readers.hpctoolkit.meta import MeasuredMetric, MetaFile
from ingest.readers.hpctoolkit.names import DEVICE_TIMES, HOST_TIMES, is_of_device, split_unit
from ingest.readers.hpctoolkit.profile_db import Placement, ProfileFile, StoredProfile, place
from ingest.reading.stacks import TIME
from ingest.run_settings import RECONCILED, SAMPLED

MAX_DENSE = 1 << 31  # values: 16 GiB

Triplets: TypeAlias = tuple[IntArray, IntArray, FloatArray]  # int64[k], call path and location; float64[k]


@dataclass(frozen=True, eq=False)
class SparseEntries:
    """The values of a metric that are not zero, sorted by call path, then location.

    Attributes:
        first: int64[n + 1], the entries of call path i are ``first[i] : first[i + 1]``.
        location: int64[k].
        value: float64[k].
    """

    first: IntArray
    location: IntArray
    value: FloatArray


def summed_entries(parts: Sequence[Triplets], shape: tuple[int, int]) -> SparseEntries:
    """Sort values and add those of the same call path and location.

    Args:
        parts: the values; equal places may stand in several of them.
    """
    place = np.concatenate([node * shape[1] + location for node, location, _ in parts])
    value = np.concatenate([value for _, _, value in parts])
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    if len(begins) < len(place):
        place, value = place[begins], np.add.reduceat(value, begins)
    node, location = np.divmod(place, max(shape[1], 1))
    return SparseEntries(np.searchsorted(node, np.arange(shape[0] + 1)), location, value)


@dataclass(frozen=True, eq=False)
class SparseValues:
    """The loader of exclusive metrics that are kept sparse.

    Attributes:
        shape: number of call paths n and of locations L.
        entries: the values of each metric by its name.
    """

    source: str
    shape: tuple[int, int]
    entries: Mapping[str, SparseEntries] = field(repr=False)

    def __call__(self, metric: Metric) -> FloatArray:
        """Return all values of a metric, float64[n, L]."""
        if self.shape[0] * self.shape[1] > MAX_DENSE:
            what = f"{self.shape[0]} call paths x {self.shape[1]} locations are too large for memory"
            raise InputError(what, where=self.source)
        return self._dense(metric, np.arange(self.shape[0]))

    def exclusive_blocks(self, metric: Metric, rows: int) -> Iterator[Block]:
        """Yield the call paths that have values, `rows` at once."""
        used = np.flatnonzero(np.diff(self.entries[metric.name].first))
        for begin in range(0, len(used), rows):
            nodes = used[begin : begin + rows]
            yield nodes, self._dense(metric, nodes)

    def _dense(self, metric: Metric, nodes: IntArray) -> FloatArray:
        """Return the values of call paths in ascending order, float64[k, L]."""
        entries = self.entries[metric.name]
        number = entries.first[nodes + 1] - entries.first[nodes]
        row = np.repeat(np.arange(len(nodes)), number)
        chosen = np.arange(len(row)) + np.repeat(entries.first[nodes] - np.cumsum(number) + number, number)
        values = np.zeros((len(nodes), self.shape[1]))
        values[row, entries.location[chosen]] = entries.value[chosen]
        return values


META, PROFILES = "meta.db", "profile.db"
TITLE = "title"
HINT = "was hpcprof interrupted?"
ROUNDING = 1e-12  # relative to the inclusive value: sums of the same numbers in another order
WHOLE_PROGRAM = 0  # the context

_IDENTIFIERS = 1 << 16


@dataclass(frozen=True)
class _Use:
    """What a stored metric becomes.

    Attributes:
        stored: its name in the database.
        metric: the metric that its values are added to.
        device: whether they are of accelerators, not of the thread.
    """

    stored: str
    metric: Metric
    scale: float = 1.0
    device: bool = False


@dataclass(eq=False)
class _Collected:
    """The exclusive values of a stored metric, as profiles are read.

    Attributes:
        profile: the profiles that have some.
        node: of each of these int64[k], call paths.
        value: and float64[k].
        stated: the sum over all profiles and call paths that the summary states.
        whole: the same, by the values that profiles have for the whole program.
    """

    profile: list[int] = field(default_factory=list)
    node: list[IntArray] = field(default_factory=list)
    value: list[FloatArray] = field(default_factory=list)
    stated: float = 0.0
    whole: float = 0.0

    def profiles(self) -> IntArray:
        """Return the profile of each value."""
        return np.repeat(np.array(self.profile, dtype=np.int64), [len(node) for node in self.node])


def read(path: Path) -> Profile:
    """Read a database."""
    try:
        meta = MetaFile.of(path / META)
        contexts, title, kinds = read_contexts(meta), meta.title(), meta.kinds()
        metrics, skipped = meta.metrics()
        uses = _uses(metrics)
    except ValueError as error:
        raise InputError(str(error), where=str(path / META), hint=HINT) from error
    try:
        with ProfileFile.open(path / PROFILES) as file:
            profiles = file.profiles(kinds)
            collected = _collect(file, profiles, metrics, contexts)
    except ValueError as error:
        raise InputError(str(error), where=str(path / PROFILES), hint=HINT) from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise InputError(what, where=str(path / PROFILES), hint=HINT) from error
    threads = [profile for profile in profiles if not profile.summary]
    found = [(use, of) for use, of in zip(uses, collected, strict=True) if of.profile]
    if not found:
        raise InputError("no values in it", where=str(path), hint="was the measurement interrupted?")
    placement = _placement(threads, found)
    shape = len(contexts.tree), len(placement.locations)
    return Profile(
        source=str(path),
        tree=contexts.tree,
        regions=contexts.regions,
        locations=placement.locations,
        metrics=tuple(dict.fromkeys(use.metric for use, _ in found)),
        load=SparseValues(str(path), shape, _entries(found, placement, shape)),
        attributes={"generator": "HPCToolkit", TITLE: title, SAMPLED: "yes", RECONCILED: _reconciled(found)},
        notices=tuple(map(one_line, _notices(contexts, skipped, placement, len(threads), found))),
    )


def _uses(metrics: Sequence[MeasuredMetric]) -> list[_Use]:
    """Return what the metrics become: one of them is the time of threads, others that of accelerators."""
    named = [split_unit(metric.name) for metric in metrics]
    times = [name for name, unit in named if unit in SECONDS]
    host = next((name for name in HOST_TIMES if name in times), "")
    uses, names = [], {TIME.name}
    for (name, unit), stored in zip(named, metrics, strict=True):
        if unit in SECONDS and name in (host, *DEVICE_TIMES):
            uses.append(_Use(stored.name, TIME, SECONDS[unit], is_of_device(name)))
            continue
        metric = Metric(stored.name if name in names else name, unit)
        if metric.name in names or not metric.name:
            raise ValueError(f"two metrics are called '{stored.name[:80]}', or one has no name")
        names.add(metric.name)
        uses.append(_Use(stored.name, metric, device=is_of_device(name)))
    if len({metric.inclusive for metric in metrics}) < len(metrics):
        raise ValueError("two metrics have the same identifier")
    return uses


def _collect(
    file: ProfileFile,
    profiles: Sequence[StoredProfile],
    metrics: Sequence[MeasuredMetric],
    contexts: Contexts,
) -> list[_Collected]:
    """Read the values of all profiles, for each metric."""
    found = [_Collected() for _ in metrics]
    order = np.argsort(contexts.identifier)
    listed = contexts.identifier[order]
    inclusive, total = np.full((2, _IDENTIFIERS), -1)
    inclusive[[metric.inclusive for metric in metrics]] = np.arange(len(metrics))
    with_total = [i for i, metric in enumerate(metrics) if metric.total >= 0]
    total[[metrics[i].total for i in with_total]] = with_total
    summary = next((profile for profile in profiles if profile.summary), None)
    if summary is not None:
        for number, context, value in file.values(summary, total):
            found[number].stated = _of_program(context, value)
    for i, profile in enumerate(profile for profile in profiles if not profile.summary):
        for number, context, value in file.values(profile, inclusive):
            require_summable(value, "a metric", str(file.stream.name))
            place_of = np.minimum(np.searchsorted(listed, context), len(listed) - 1)
            known = listed[place_of] == context
            node, own = _exclusive(contexts.tree, order[place_of[known]], value[known])
            of = found[number]
            of.whole += _of_program(context, value)
            if len(node):
                of.profile.append(i)
                of.node.append(node)
                of.value.append(own)
    return found


def _of_program(context: IntArray, value: FloatArray) -> float:
    return float(value[0]) if len(context) and context[0] == WHOLE_PROGRAM else 0.0


def _exclusive(tree: CallTree, node: IntArray, inclusive: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the call paths that have values of their own, int64[k], and these, float64[k].

    Args:
        node: int64[v], those with values.
        inclusive: float64[v], these.
    """
    order = np.argsort(node)
    node, inclusive = node[order], inclusive[order]
    above = tree.parent[node]
    below = above >= 0
    place_of = np.minimum(np.searchsorted(node, above[below]), len(node) - 1)
    if (node[place_of] != above[below]).any():
        raise ValueError("a context has values, but not the one above it")
    own = inclusive - np.bincount(place_of, inclusive[below], len(node))
    own[np.abs(own) <= ROUNDING * np.abs(inclusive)] = 0.0
    if (own < 0).any():
        raise ValueError("a context has less than those below it")
    return node[own > 0], own[own > 0]


def _placement(threads: Sequence[StoredProfile], found: Sequence[tuple[_Use, _Collected]]) -> Placement:
    used, starting = np.zeros((2, len(threads)), dtype=np.bool_)
    for use, of in found:
        used[of.profile] = True
        if use.device:
            starting[of.profile] = True
    return place(threads, used, starting)


def _entries(
    found: Sequence[tuple[_Use, _Collected]], placement: Placement, shape: tuple[int, int]
) -> dict[str, SparseEntries]:
    parts: dict[str, list[Triplets]] = {}
    for use, of in found:
        location = (placement.started if use.device else placement.own)[of.profiles()]
        part = np.concatenate(of.node), location, np.concatenate(of.value) * use.scale
        parts.setdefault(use.metric.name, []).append(part)
    return {name: summed_entries(of, shape) for name, of in parts.items()}


def _reconciled(found: Sequence[tuple[_Use, _Collected]]) -> str:
    """Return how much of the stated time is read; of the first metric if there is no time."""
    times = [(use, of) for use, of in found if use.metric == TIME] or found[:1]
    parts = []
    for use, of in times:
        read = use.scale * math.fsum(float(value.sum()) for value in of.value)
        stated = use.scale * (of.stated or of.whole)
        (name, _), unit = split_unit(use.stored), use.metric.unit
        share = f" = {100 * read / stated:.2f} % of the stated {stated:.10g} {unit}" if stated else ""
        parts.append(f"{name} {read:.10g} {unit}{share}")
    return one_line("; ".join(parts))


def _notices(
    contexts: Contexts,
    skipped: Sequence[str],
    placement: Placement,
    threads: int,
    found: Sequence[tuple[_Use, _Collected]],
) -> Iterator[str]:
    if contexts.others:
        others = "lines, instructions and loops of unknown lines"
        yield f"{contexts.others} {others} are counted with their functions"
    if skipped:
        yield f"{len(skipped)} metrics without inclusive values are not read: {', '.join(skipped)[:200]}"
    if empty := threads - len({i for _, of in found for i in of.profile}):
        yield f"{empty} of {threads} profiles have no values"
    yield from placement.notices
