"""The port model as a term of machine and application files.

    [terms.iflux]
    model = "ports"
    map = "golden-cove"                 a shipped port map or a TOML file
    data = "variants.csv"               variants measured on the machine
    where = { isa = "AVX2" }            rows of it
    mini = "base"                       project from this variant; without it the ports alone are the model
    target = { div = 13, mul = 70 }     instructions per iteration of the target, or counted in:
    assembly = "target.s"
    function = "iflux"
    iterations = 4                      source iterations per pass through the loop
    threads = "node.csv"                measurements by thread count, for the run time over threads

The term is called without arguments and gives cycles per iteration: ``iflux() * edges / hz``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ingest.arrays import FloatArray
from ingest.errors import InputError, PipelineError
from pipeline.projection.csv_columns import read_columns
from pipeline.projection.files import Table, beside
from pipeline.projection.model import Model, substitute
from pipeline.projection.ports.counting import count_loop
from pipeline.projection.ports.fit import fit_ports, from_mini, is_outside_mix, widened
from pipeline.projection.ports.port_map import PortMap, class_vector, read_port_map
from pipeline.projection.ports.variants import Variants, variants_in

_KEYS = (
    "model",
    "map",
    "data",
    "where",
    "mini",
    "target",
    "assembly",
    "function",
    "iterations",
    "threads",
    "note",
)


def port_term(table: Table, name: str) -> Model:
    """Return the model of a term that states ``model = "ports"``; it has no inputs.

    Args:
        table: the term's table.
        name: what the term is called; its symbols begin with it.

    Raises:
        InputError: a key is missing or unknown, or a file cannot be read.
        UsageError: a class, function or loop is not there.
        ModelError: the variants cannot determine the classes.
    """
    table.check_keys(_KEYS)
    try:
        return _model(table, name)
    except PipelineError as error:
        if error.where:
            raise
        raise type(error)(error.what, where=table.where, hint=error.hint) from error


@dataclass(frozen=True, eq=False)
class PortTerm:
    """What a term states.

    Attributes:
        portmap: the ports.
        variants: as measured on the machine.
        mini: the variant to project from; empty if the ports alone are the model.
        target: float64[class], instructions per iteration.
    """

    portmap: PortMap
    variants: Variants
    mini: str
    target: FloatArray


def read_port_term(table: Table) -> PortTerm:
    """Return what a term that states ``model = "ports"`` says.

    Raises:
        InputError, UsageError: as `port_term` does.
    """
    portmap = read_port_map(beside(table.path, table.text("map")))
    rows = table.table("where").content
    variants = variants_in(read_columns(table.file("data")), portmap, where=rows)
    return PortTerm(portmap, variants, table.text("mini", ""), _target(table, portmap))


def _model(table: Table, name: str) -> Model:
    term = read_port_term(table)
    portmap, variants = term.portmap, term.variants
    fit = fit_ports(name, portmap, variants.counts, variants.cycles)
    model = fit.fit.model
    if term.mini:
        mini = variants.index(term.mini)
        model = from_mini(name, fit, float(variants.cycles[mini]), _by_class(portmap, variants.counts[mini]))
    if is_outside_mix(variants.counts, term.target):
        model = widened(name, model)
    target = _by_class(portmap, term.target)
    return substitute(model, {f"n.{kind}": count for kind, count in target.items()})


def _by_class(portmap: PortMap, counts: FloatArray) -> Mapping[str, float]:
    return dict(zip(portmap.classes, counts.tolist(), strict=True))


def _target(table: Table, portmap: PortMap) -> FloatArray:
    if ("target" in table) == ("assembly" in table):
        hint = "give the counts, or the assembly to count"
        raise InputError("exactly one of 'target' and 'assembly' is needed", where=table.where, hint=hint)
    if "target" in table:
        target = table.table("target")
        return class_vector(portmap, {kind: _number(target, kind) for kind in target.content})
    iterations = _number(table, "iterations") if "iterations" in table else 1.0
    return count_loop(table.file("assembly"), table.text("function"), portmap, iterations=iterations)


def _number(table: Table, key: str) -> float:
    value = table.content[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise InputError(f"{key} = {value!r}", where=table.where, hint="give a number, 0 or more")
    return float(value)
