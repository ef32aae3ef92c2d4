"""What to know about a decision: why a region is kept or dropped, where time goes, how to use the filter.

The file next to a filter holds all of it.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from filters.decision import Decision, Motive
from filters.evidence import RunEvidence
from filters.filter_effect import FilterEffect, Memory, TraceMemory
from filters.filter_options import Application
from filters.overhead_budget import BudgetOutcome
from filters.paper_rule import PaperDecision
from filters.scorep_format.patterns import compile_pattern
from ingest.arrays import IntArray
from ingest.cpp_names import short_name
from ingest.errors import UsageError
from ingest.number_text import count, figure, percent
from ingest.record_codec import entry

_CALLPATHS = 5
_LAST = -1  # the run of the largest scale
_NOTABLE = 0.01
_FORTRAN = re.compile(r"_MOD_|_mp_|^MAIN__$|^(?!_Z).*\w_$")
"""Linker names of Fortran, as GNU's, Intel's and NVIDIA's compilers make them."""


@dataclass(frozen=True)
class DroppedRegion:
    """A region that is dropped; `told_of` is the caller that its time is attributed to."""

    document_name: ClassVar[str] = "dropped"
    region: str
    share: float  # of the plain computing time
    visits: float
    # displayed name of the recorded region that gets most of its time; None if none does
    attributed_to: str | None = field(metadata=entry("told_of"))


def explain(decision: Decision, prediction: FilterEffect, asked: str) -> tuple[str, ...]:
    """Explain the decision about regions by what they did in the last run.

    Asked is a displayed or mangled name, a function's name without its parameters, or a pattern.
    """
    table, pattern = decision.regions.table, compile_pattern(asked)
    hits = [
        any(asked == text or pattern.matches(text) for text in (name, mangled, short_name(name)))
        for name, mangled in zip(table.name, table.mangled, strict=True)
    ]
    found = np.flatnonzero(np.array(hits, dtype=np.bool_) & decision.regions.called)
    if not len(found):
        hint = "give a name from the evidence file, or a pattern such as '*solve*'"
        raise UsageError(
            f"'{asked}' matches no filterable region that is called", where="--explain", hint=hint
        )
    return tuple(line for i in found.tolist() for line in _region_lines(decision, prediction, i))


def _region_lines(decision: Decision, prediction: FilterEffect, i: int) -> Iterable[str]:
    run, reason = decision.runs[_LAST], Motive(int(decision.reason[i]))
    nodes = np.flatnonzero(decision.regions.of_callpaths(_LAST, run) == i)
    visits, time = float(run.visits[nodes].sum()), float(run.time[nodes].sum())
    plain, total = float(prediction.plain.callpath[nodes].sum()), prediction.plain.total
    yield f"{decision.regions.table.name[i]}: {'kept' if reason.keeps else 'dropped'}, {reason.sentence}"
    each = f", {figure(1e6 * time / visits)} µs each" if visits > 0 else ""
    yield f"  {count(visits)} visits, {figure(time)} core-s{each}; about {figure(plain)} core-s unmeasured"
    cost = prediction.plain.cost[0] * visits
    share = f" ({percent(cost / total)} of the plain computing time)" if total > 0 else ""
    yield f"  recording its visits takes about {figure(cost)} core-s{share}"
    if isinstance(decision, PaperDecision):
        outcome = decision.outcomes[_LAST]
        yield (
            f"  the rule keeps call paths of at least {figure(1e6 * outcome.time_per_visit)} µs per visit; "
            f"those of at least {figure(outcome.total_time)} core-s are represented by call paths of at most "
            f"{count(outcome.visits)} visits"
        )
        if decision.guard is not None and reason is Motive.OUT_OF_PROPORTION:
            yield f"  {decision.guard.sentence(i)}"
    yield from _callpaths(decision, nodes)


def _callpaths(decision: Decision, nodes: IntArray) -> Iterable[str]:
    run, recorded = decision.runs[_LAST], decision.recorded(_LAST)
    home = run.tree.nearest(recorded)
    largest = nodes[np.argsort(-run.time[nodes], kind="stable")]
    for node in largest[:_CALLPATHS].tolist():
        path = " > ".join(short_name(run.regions.name[run.tree.region[step]]) for step in run.tree.path(node))
        fate = _fate(decision, node, int(home[node]))
        yield f"  {path}: {count(run.visits[node])} visits, {figure(run.time[node])} core-s; {fate}"
    if len(nodes) > _CALLPATHS:
        yield f"  and {len(nodes) - _CALLPATHS} more call paths"


def _fate(decision: Decision, node: int, home: int) -> str:
    run, reason = decision.runs[_LAST], Motive(int(decision.callpaths[_LAST][node]))
    if home == node:
        return reason.sentence if reason.keeps else "recorded because its region is kept elsewhere"
    caller = short_name(run.regions.name[run.tree.region[home]]) if home >= 0 else "no region"
    fate = f"its time is attributed to {caller}"
    if isinstance(decision, PaperDecision):
        anchor = int(decision.outcomes[_LAST].represented_by[node])
        if anchor >= 0 and decision.recorded(_LAST)[anchor]:
            fate += f", represented by {short_name(run.regions.name[run.tree.region[anchor]])}"
    return fate


def dropped_regions(
    decision: Decision, prediction: FilterEffect, count: int = 10
) -> tuple[DroppedRegion, ...]:
    """Return the dropped regions of the last run with the most plain time, the largest first."""
    run, regions = decision.runs[_LAST], decision.regions
    time = regions.total(_LAST, run, prediction.plain.attributed)
    visits = regions.total(_LAST, run, run.visits)
    dropped = np.flatnonzero(regions.called & ~decision.kept & (time > 0))
    largest = dropped[np.argsort(-time[dropped], kind="stable")][:count]
    home = run.tree.nearest(decision.recorded(_LAST))
    entry = regions.of_callpaths(_LAST, run)
    found = []
    for i in largest.tolist():
        nodes = np.flatnonzero(entry == i)
        callers, place = np.unique(
            np.where(home[nodes] >= 0, run.tree.region[home[nodes]], -1), return_inverse=True
        )
        caller = int(callers[np.bincount(place, prediction.plain.attributed[nodes]).argmax()])
        attributed_to = run.regions.name[caller] if caller >= 0 else None
        share = float(time[i]) / prediction.plain.total if prediction.plain.total > 0 else 0.0
        found.append(DroppedRegion(regions.table.name[i], share, float(visits[i]), attributed_to))
    return tuple(found)


def costly_at_largest_scale(decision: Decision, prediction: FilterEffect) -> tuple[str, ...]:
    """Return a sentence per region kept for smaller runs only but expensive (`_NOTABLE`) in the last one."""
    run, regions, plain = decision.runs[_LAST], decision.regions, prediction.plain
    by_itself = decision.callpaths[_LAST] >= Motive.PREFIX
    wanted = regions.total(_LAST, run, by_itself.astype(np.float64)) > 0
    ruled = decision.kept & (decision.reason < Motive.GROWING) & ~wanted
    cost = regions.total(_LAST, run, run.visits) * plain.cost[0]
    share = cost / plain.total if plain.total > 0 else np.zeros(len(regions))
    return tuple(
        f"'{regions.table.name[i]}' is kept for smaller runs only, but at the largest scale recording it "
        f"takes {percent(float(share[i]))} of the plain computing time"
        for i in np.flatnonzero(ruled & (share >= _NOTABLE)).tolist()
    )


def next_commands(
    filter_file: Path, applied: Application, memory: TraceMemory, runs: Sequence[RunEvidence]
) -> tuple[str, ...]:
    """Return shell commands that apply a filter; the runs that it was made from tell the compiler.

    The commands name the file by its absolute path, as compile-time filtering needs because compilers run in
    other directories. At run time, the program is used as it is instrumented now.
    """
    path = shlex.quote(str(filter_file.absolute()))
    enough = f"export SCOREP_TOTAL_MEMORY={-(-memory.total_memory // 2**20)}M"
    if applied is Application.RUN_TIME:
        return (f"export SCOREP_FILTERING_FILE={path}", enough)
    flags = shlex.quote(f"--instrument-filter={filter_file.absolute()}")
    compiled = [
        run.regions.take(np.flatnonzero(np.array(run.regions.paradigm) == "compiler")) for run in runs
    ]
    names = [name for regions in compiled for name in regions.mangled]
    fortran = sum(bool(_FORTRAN.search(name)) for name in names)
    serial, parallel = ("gfortran", "mpif90") if 2 * fortran > len(names) else ("g++", "mpicxx")
    compiler = parallel if any("mpi" in run.regions.paradigm for run in runs) else serial
    return (
        f"scorep --instrument-filter={path} {compiler} ...    # instead of {compiler}, for every file",
        f"make SCOREP_WRAPPER_INSTRUMENTER_FLAGS={flags}    # if the build uses scorep-{compiler}",
        enough,
    )


@dataclass(frozen=True, kw_only=True)
class RegionEvidence:
    """A region that is called, and why it is kept or dropped."""

    region: str
    mangled: str
    paradigm: str
    file: str
    kept: bool
    reason: str
    why: Annotated[str, "in a sentence"]
    visits: Annotated[float, "of the last run"]
    time: Annotated[float, "exclusive, in core-seconds, of the last run"]
    time_per_visit: float | None
    callpaths: Annotated[int, "that lead to it"]
    callpaths_kept: Annotated[int, "kept by themselves"]
    callpaths_overlapped: Annotated[int, "kept only because the region is kept elsewhere"]
    runs: Annotated[tuple[str, ...] | None, "of several runs those in which a call path of it is kept"] = (
        field(metadata=entry(may_lack=True))
    )
    plain_time: Annotated[float | None, "core-seconds without measurement"] = field(
        metadata=entry(may_lack=True)
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class FilterEvidence:
    """Why a filter keeps and drops what it does."""

    exact_numbers: ClassVar[bool] = True
    method: str
    runs: tuple[str, ...]
    notices: tuple[str, ...]
    regions: tuple[RegionEvidence, ...]
    predictions: Annotated[tuple[FilterEffect, ...] | None, "one per run"] = field(
        metadata=entry(may_lack=True)
    )
    dropped: Annotated[tuple[DroppedRegion, ...] | None, "the dropped regions with the most time"] = field(
        metadata=entry("given_up", may_lack=True)
    )
    budget: BudgetOutcome | None = field(metadata=entry(may_lack=True))
    memory: Memory | None = field(metadata=entry(may_lack=True))


def filter_evidence(
    decision: Decision,
    predictions: Sequence[FilterEffect] = (),
    budget: BudgetOutcome | None = None,
    *,
    notices: Sequence[str] = (),
    memory: Memory | None = None,
) -> FilterEvidence:
    """Return the evidence of a decision, with further notices than it has.

    Predictions are of every run; without them, plain times and dropped regions are unknown.
    """
    return FilterEvidence(
        method=decision.method,
        runs=tuple(run.source for run in decision.runs),
        notices=(*decision.notices, *notices),
        regions=tuple(_regions(decision, predictions[-1] if predictions else None)),
        predictions=tuple(predictions) or None,
        dropped=dropped_regions(decision, predictions[-1]) if predictions else None,
        budget=budget,
        memory=memory,
    )


def _regions(decision: Decision, prediction: FilterEffect | None) -> Iterable[RegionEvidence]:
    run, regions, table = decision.runs[_LAST], decision.regions, decision.regions.table
    all_visits, all_time = regions.total(_LAST, run, run.visits), regions.total(_LAST, run, run.time)
    plain = None if prediction is None else regions.total(_LAST, run, prediction.plain.callpath)
    counts = [_callpath_counts(decision, i) for i in range(len(decision.runs))]
    sources = [run.source for run in decision.runs]
    for i in np.flatnonzero(regions.called).tolist():
        reason, visits, time = Motive(int(decision.reason[i])), float(all_visits[i]), float(all_time[i])
        kept_in = tuple(source for source, count in zip(sources, counts, strict=True) if count[1, i] > 0)
        yield RegionEvidence(
            region=table.name[i],
            mangled=table.mangled[i],
            paradigm=table.paradigm[i],
            file=table.file[i],
            kept=reason.keeps,
            reason=reason.name.lower(),
            why=_why(decision, i, reason),
            visits=visits,
            time=time,
            time_per_visit=time / visits if visits > 0 else None,
            callpaths=int(counts[-1][0, i]),
            callpaths_kept=int(counts[-1][1, i]) if reason.keeps else 0,
            callpaths_overlapped=int(counts[-1][2, i]),
            runs=kept_in if len(counts) > 1 else None,
            plain_time=None if plain is None else float(plain[i]),
        )


def _callpath_counts(decision: Decision, run: int) -> IntArray:
    """Count each region's call paths in a run: int64[3, R]: all, kept by themselves, kept by overlap."""
    evidence, regions = decision.runs[run], decision.regions
    by_itself = (decision.callpaths[run] >= Motive.PREFIX).astype(np.float64)
    overlapped = decision.overlapped(run).astype(np.float64)
    rows = [np.ones(len(evidence.tree)), by_itself, overlapped]
    return np.array([regions.total(run, evidence, row) for row in rows]).astype(np.int64)


def _why(decision: Decision, i: int, reason: Motive) -> str:
    if isinstance(decision, PaperDecision) and decision.guard and reason is Motive.OUT_OF_PROPORTION:
        return f"{reason.sentence}: {decision.guard.sentence(i)}"
    return reason.sentence
