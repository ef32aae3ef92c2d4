"""A machine as a study sees it: what a process gets of its node, and what its MPI calls take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from ingest.units import BANDWIDTH, FLOP_RATE, NONE, RATE, TIME_DIMENSION, Dimension, require_dimension
from pipeline.projection.expressions.ensembles import columns, from_quantities
from pipeline.projection.expressions.evaluation import predict
from pipeline.projection.machines.machine_names import machine_names
from pipeline.projection.machines.machine_values import Machine
from pipeline.projection.rooflines.region_verdicts import LATENCY, RESOURCES, Resource, compared_by, own_value
from pipeline.projection.terms.measured_term import ModelReader
from pipeline.projection.terms.terms import Term

_MESSAGE, _MESSAGE_NODE, _ALLREDUCE = "message", "message_node", "allreduce"
BW_GPU, PEAK_GPU = "bw_gpu", "peak_gpu"  # of one accelerator
SMALLEST_MACHINE_VALUE, _LARGEST = 1e-30, 1e30  # of any value of a machine in SI units
_PREFIX = "machine"


_DIMENSIONS: Mapping[str, Dimension] = {
    "bw_node": BANDWIDTH,
    "bw_core": BANDWIDTH,
    "peak_dp": FLOP_RATE,
    "hz": RATE,
    LATENCY: TIME_DIMENSION,
    "bw_l3": BANDWIDTH,
    "bw_l2": BANDWIDTH,
    "bw_l1": BANDWIDTH,
    "cores": NONE,
    BW_GPU: BANDWIDTH,
    PEAK_GPU: FLOP_RATE,
}
MACHINE_DRAWS = 500
Rows: TypeAlias = FloatArray
"""float64[1 + draw, ...]: the best values, then joint draws, so that one formula serves both."""


def _rows_of(best: FloatArray, draws: FloatArray) -> Rows:
    """Put best values, float64[...], above draws float64[draw, ...] of them; few draws are repeated."""
    return np.concatenate([best[None], draws[np.arange(MACHINE_DRAWS) % len(draws)]])


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyMachine:
    """A machine that a study was measured on, or is projected to."""

    machine: Machine
    cores: float
    figures: Mapping[str, Rows]  # rows of every value that projections of studies use
    # its network: the time of a message between nodes and within one, and of an allreduce
    terms: Mapping[str, Term]

    @property
    def name(self) -> str:
        """What the machine is called."""
        return self.machine.name

    @property
    def has_network(self) -> bool:
        """Whether it has more than one node."""
        return _MESSAGE in self.terms

    @property
    def has_messages(self) -> bool:
        """Whether the time of a message is known."""
        return self.has_network or _MESSAGE_NODE in self.terms

    @property
    def has_accelerators(self) -> bool:
        """Whether bandwidth and peak of its accelerators are known."""
        return BW_GPU in self.figures and PEAK_GPU in self.figures

    def on_a_node(self, locations: FloatArray) -> FloatArray:
        """Return how many of the locations, float64[Q], share a node: nodes are filled one by one."""
        return np.minimum(locations, self.cores)

    def share_of_core(self, locations: FloatArray) -> FloatArray:
        """Return what a process has of a core, float64[Q]: less than 1 if too many share the only node."""
        return np.ones(len(locations)) if self.has_network else np.minimum(self.cores / locations, 1.0)

    def message(self, processes: FloatArray, sizes: FloatArray) -> Rows:
        """Return the seconds of a message of float64[m] bytes in a program of float64[m] processes."""
        between = self._evaluated(_MESSAGE, processes, sizes) if self.has_network else None
        within = self._evaluated(_MESSAGE_NODE, processes, sizes) if _MESSAGE_NODE in self.terms else between
        if between is None or within is None:
            return np.zeros((1 + MACHINE_DRAWS, 0)) if within is None else within
        return np.where(processes <= self.cores, within, between)

    def allreduce(self, processes: FloatArray) -> Rows:
        """Return the seconds of an allreduce of one number, float64[m]; by messages if none is stated."""
        if _ALLREDUCE in self.terms:
            found = self._evaluated(_ALLREDUCE, np.maximum(processes, 1.0), np.full(len(processes), 8.0))
            return np.where(processes <= 1, 0.0, found)
        levels: FloatArray = np.ceil(np.log2(np.maximum(processes, 1.0)))
        return 2 * levels * self.message(processes, np.full(len(processes), 8.0))

    def _evaluated(self, term: str, processes: FloatArray, sizes: FloatArray) -> Rows:
        model = self.terms[term].model
        given = {"P": processes, "x": np.maximum(sizes, 1.0)}
        unknown = sorted(set(model.inputs) - set(given))
        if unknown:
            raise UsageError(
                f"'{term}' depends on {', '.join(unknown)}",
                where=str(self.machine.path),
                hint="projections of studies know x (bytes) and P (processes)",
            )
        found = predict({term: model}, {name: given[name] for name in model.inputs})[term]
        rows = _rows_of(found.value, found.draws)
        return np.maximum(np.broadcast_to(rows, (len(rows), *processes.shape)), 0.0)


def study_machine(machine: Machine, stored: ModelReader, *, variant: str | None = None) -> StudyMachine:
    """Return a machine as studies need it; UsageError without a node's cores and memory bandwidth."""
    values = {key: machine.values[key] for key in _DIMENSIONS if key in machine.values}
    if missing := [f"'{key}'" for key in ("cores", "bw_node") if key not in values]:
        what = f"no value {' or '.join(missing)}"
        hint = "studies need it: state it in [values], or choose another"
        raise UsageError(what, where=str(machine.path), hint=hint)
    for key, quantity in values.items():
        require_dimension(quantity, _DIMENSIONS[key], key, str(machine.path))
        if not SMALLEST_MACHINE_VALUE < quantity.value < _LARGEST:
            what = f"'{key}' has to be positive" if quantity.value <= 0 else f"'{key}' cannot be so"
            raise UsageError(what, where=str(machine.path), hint="correct it")
    stem = machine.path.stem
    figures = columns([from_quantities({f"{stem}.{key}": quantity for key, quantity in values.items()})])
    names = machine_names(machine, _PREFIX, stored, variant=variant)
    terms = {
        key: found
        for key in (_MESSAGE, _MESSAGE_NODE, _ALLREDUCE)
        if isinstance(found := names.get(f"{_PREFIX}.{key}"), Term)
    }
    return StudyMachine(
        machine=machine,
        cores=values["cores"].value,
        figures={
            key: _rows_of(np.array(best), draws)
            for key, (best, draws) in ((key, figures[f"{stem}.{key}"]) for key in values)
        },
        terms=terms,
    )


def slowdowns(source: StudyMachine, target: StudyMachine, locations: FloatArray) -> Rows:
    """Return by what the time of a process is multiplied that one resource alone limits.

    A process on a node with r of them has a core of its own, and the bandwidth of a core, but at most 1/r of
    the node's. `locations` are those of the program, float64[Q]. Rows are of [resource, Q], in the order of
    `RESOURCES`.
    """
    found = []
    for resource in RESOURCES:
        figure = compared_by(resource, source.figures, target.figures) or own_value(Resource.MEMORY)
        here, there = (rate_of_process(one, figure, one.on_a_node(locations)) for one in (source, target))
        found.append(here / there)
    return np.stack(found, axis=1)


def rate_of_process(one: StudyMachine, figure: str, together: FloatArray) -> Rows:
    """What a process has of a resource if that many share a node: rows of [Q]."""
    rows, everywhere = one.figures[figure][:, None], np.ones(len(together))
    if figure == "bw_node":
        core = one.figures["bw_core"][:, None] if "bw_core" in one.figures else np.inf
        return np.minimum(rows / together, core)
    if figure == LATENCY:
        return everywhere / rows
    return everywhere * rows / (1.0 if figure == "hz" else one.cores)
