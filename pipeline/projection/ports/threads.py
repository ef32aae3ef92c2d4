"""Run time over threads from cycles per iteration (paper 000, Eq. 3 and 10), and what else port terms tell.

A data-throughput kernel moves the target's data with next to no arithmetic. Its cycles per iteration at the
same thread count, converted to the clock of the target, are the fewest that memory allows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError, UsageError
from ingest.toml_table import TomlTable
from pipeline.projection.expressions.evaluation import DrawnPrediction, predict
from pipeline.projection.expressions.symbolic_model import Model, maximum, symbol
from pipeline.projection.expressions.units import NONE, RATE, TIME
from pipeline.projection.fitting.measured_columns import MeasuredColumns, read_columns
from pipeline.projection.ports.comparisons import (
    CounterPair,
    ModelComparison,
    compare_counters,
    compare_models,
    counter_runs_in,
)
from pipeline.projection.ports.port_estimate import estimate_cpi
from pipeline.projection.ports.port_fit import port_term, read_port_term
from pipeline.projection.ports.port_map import PortMap, Variants
from pipeline.projection.ports.schedule import levelled


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreadCounts:
    """What was measured at m thread counts of a node.

    Attributes:
        threads: int64[m].
        inputs: float64[m] of the symbols of `runtime`, SI units.
        measured: float64[m], run time of the loop in s; None if it was not measured.
    """

    threads: IntArray
    inputs: Mapping[str, FloatArray]
    measured: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class ThreadScaling:
    """Predicted run time over threads.

    Attributes:
        seconds: the run time, m entries.
        memory_bound: bool[m], whether memory limits the best estimate.
    """

    seconds: DrawnPrediction
    memory_bound: BoolArray


def memory_bound() -> Model:
    """Return C_min = C_dt GHz / GHz_dt (Eq. 10) in the symbols ``dt_cycles``, ``dt_hz`` and ``hz``."""
    return symbol("dt_cycles") * symbol("hz", RATE) / symbol("dt_hz", RATE)


def runtime(cycles: Model) -> Model:
    """Return max(C, C_min) iterations / Hz (Eq. 3), ``iterations`` being those of the busiest thread."""
    return maximum(cycles, memory_bound()) * symbol("iterations") / symbol("hz", RATE)


def strong_scaling(cycles: Model, node: ThreadCounts) -> ThreadScaling:
    """Return the run time of a loop over the thread counts of a node.

    Raises:
        UsageError: an input is missing.
    """
    models = {"seconds": runtime(cycles), "compute": cycles, "memory": memory_bound()}
    found = predict(models, node.inputs)
    return ThreadScaling(found["seconds"], found["memory"].value > found["compute"].value)


def thread_counts_in(columns: MeasuredColumns) -> ThreadCounts:
    """Return the thread counts in a table.

    Its columns are ``threads``, ``dt_cycles`` (cycles per iteration of the data-throughput kernel),
    ``dt_hz [GHz]`` (the clock it ran at), ``hz [GHz]`` (the clock of the compute-bound mini-app, its cycles
    over its run time), ``iterations`` (of the busiest thread) and, if the loop itself was run,
    ``measured [s]``.

    Raises:
        InputError: a column is missing, or a value is not positive.
    """
    threads = columns.numbers("threads", NONE)
    dimensions = {"dt_cycles": NONE, "dt_hz": RATE, "hz": RATE, "iterations": NONE}
    inputs = {name: columns.numbers(name, dimension) for name, dimension in dimensions.items()}
    if (np.stack([threads, *inputs.values()]) <= 0).any():
        raise InputError("all values have to be positive", where=columns.where, hint="correct the line")
    return ThreadCounts(
        threads=threads.astype(np.int64),
        inputs=inputs,
        measured=columns.numbers("measured", TIME) if "measured" in columns.cells else None,
    )


@dataclass(frozen=True, eq=False)
class PortLoads:
    """How the instructions of a target load the ports.

    Attributes:
        cycles: float64[port, class], cycles per iteration; the matrix A of paper 000 times cycles per
            instruction and counts.
    """

    name: str
    portmap: PortMap
    cycles: FloatArray


@dataclass(frozen=True, eq=False)
class ThreadTimes:
    """The run time of a loop over threads: its term, what was measured on the node, the prediction."""

    name: str
    node: ThreadCounts
    scaling: ThreadScaling


class HoldsTerms(Protocol):
    """An application or a machine: its file, and the tables of its terms by name."""

    @property
    def path(self) -> Path: ...  # noqa: D102

    @property
    def terms(self) -> Mapping[str, TomlTable]: ...  # noqa: D102


def port_loads(program: HoldsTerms, target: HoldsTerms) -> tuple[PortLoads, ...]:
    """Return the port loads of every port term of an application and a machine.

    Raises:
        UsageError, InputError, ModelError: there is no such term, or it is invalid.
    """
    found = []
    for name, table in _terms(program, target):
        term = read_port_term(table)
        cpi = estimate_cpi(term.portmap, term.variants.counts, term.variants.cycles).cpi
        found.append(PortLoads(name, term.portmap, levelled(term.portmap, term.target, cpi)))
    return tuple(found)


def model_comparisons(program: HoldsTerms, target: HoldsTerms) -> Mapping[str, ModelComparison]:
    """Return the four models of paper 000 compared on the variants of every port term with a mini-app.

    Terms with the same ports and mini-app are groups of one comparison, by their names.

    Raises:
        UsageError, InputError, ModelError: there is no such term, or it is invalid.
    """
    terms = {name: read_port_term(table) for name, table in _terms(program, target)}
    groups: dict[tuple[str, str], dict[str, Variants]] = {}
    for name, term in terms.items():
        if term.mini:
            groups.setdefault((term.portmap.name, term.mini), {})[name] = term.variants
    compared = {
        name: found
        for (_, mini), group in groups.items()
        for found in [compare_models(terms[next(iter(group))].portmap, group, mini)]
        for name in group
    }
    if not compared:
        hint = 'name the variant to project from, such as mini = "base"'
        raise UsageError(
            "no port term has a mini-app to compare models with", where=str(program.path), hint=hint
        )
    return compared


def thread_times(program: HoldsTerms, target: HoldsTerms) -> tuple[ThreadTimes, ...]:
    """Return the run time over threads of every port term that names measurements by thread count.

    Raises:
        UsageError, InputError, ModelError: there is no such term, or it is invalid.
    """
    found = []
    for name, table in _terms(program, target, "threads"):
        node = thread_counts_in(read_columns(table.file("threads")))
        found.append(ThreadTimes(name, node, strong_scaling(port_term(table, name), node)))
    if not found:
        hint = 'name a CSV file in the term, threads = "node.csv"'
        raise UsageError("no port term has measurements by thread count", where=str(program.path), hint=hint)
    return tuple(found)


def counter_comparisons(program: HoldsTerms, target: HoldsTerms) -> Mapping[str, tuple[CounterPair, ...]]:
    """Return counters of mini-app and target side by side, of every port term that names files of both.

    Raises:
        UsageError, InputError: there is no such term, or a file is invalid.
    """
    found = {}
    for name, table in _terms(program, target, "counters"):
        files = [table.table("counters").file(code) for code in ("mini", "target")]
        found[name] = compare_counters(*(counter_runs_in(read_columns(path)) for path in files))
    if not found:
        hint = 'name two CSV files in the term, counters = { mini = "mini.csv", target = "target.csv" }'
        raise UsageError("no port term has measured counters", where=str(program.path), hint=hint)
    return found


def _terms(program: HoldsTerms, target: HoldsTerms, key: str = "model") -> list[tuple[str, TomlTable]]:
    """Return the port terms that have a key, by default all of them."""
    terms = [
        (name, table)
        for name, table in (*target.terms.items(), *program.terms.items())
        if table.content.get("model") == "ports"
    ]
    if not terms:
        hint = 'describe its loops in terms with model = "ports"'
        raise UsageError("the application has no port terms", where=str(program.path), hint=hint)
    return [(name, table) for name, table in terms if key in table]
