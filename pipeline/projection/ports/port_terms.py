"""The port terms of an application and a machine: port loads, four models compared, time over threads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ingest.arrays import FloatArray
from ingest.errors import UsageError
from pipeline.projection.application import Application
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.files import Table
from pipeline.projection.machine import Machine
from pipeline.projection.ports.estimate import estimate_cpi
from pipeline.projection.ports.model_comparison import Comparison, compare_models
from pipeline.projection.ports.port_map import PortMap
from pipeline.projection.ports.schedule import levelled
from pipeline.projection.ports.term import port_term, read_port_term
from pipeline.projection.ports.threads import ThreadCounts, ThreadScaling, strong_scaling, thread_counts_in


@dataclass(frozen=True, eq=False)
class PortLoads:
    """How the instructions of a target load the ports.

    Attributes:
        name: the term.
        portmap: its ports and classes.
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


def port_loads(program: Application, target: Machine) -> tuple[PortLoads, ...]:
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


def model_comparisons(program: Application, target: Machine) -> Mapping[str, Comparison]:
    """Return the four models of paper 000 compared on the variants of every port term with a mini-app.

    Raises:
        UsageError, InputError, ModelError: there is no such term, or it is invalid.
    """
    terms = {name: read_port_term(table) for name, table in _terms(program, target)}
    compared = {
        name: compare_models(term.portmap, {name: term.variants}, term.mini)
        for name, term in terms.items()
        if term.mini
    }
    if not compared:
        hint = 'name the variant to project from, such as mini = "base"'
        raise UsageError(
            "no port term has a mini-app to compare models with", where=str(program.path), hint=hint
        )
    return compared


def thread_times(program: Application, target: Machine) -> tuple[ThreadTimes, ...]:
    """Return the run time over threads of every port term that names measurements by thread count.

    Raises:
        UsageError, InputError, ModelError: there is no such term, or it is invalid.
    """
    found = []
    for name, table in _terms(program, target):
        if "threads" in table:
            node = thread_counts_in(read_columns(table.file("threads")))
            found.append(ThreadTimes(name, node, strong_scaling(port_term(table, name), {}, node)))
    if not found:
        hint = 'name a CSV file in the term, threads = "node.csv"'
        raise UsageError("no port term has measurements by thread count", where=str(program.path), hint=hint)
    return tuple(found)


def _terms(program: Application, target: Machine) -> Iterator[tuple[str, Table]]:
    terms = [
        (name, table)
        for name, table in (*target.terms.items(), *program.terms.items())
        if table.content.get("model") == "ports"
    ]
    if not terms:
        hint = 'describe its loops in terms with model = "ports"'
        raise UsageError("the application has no port terms", where=str(program.path), hint=hint)
    return iter(terms)
