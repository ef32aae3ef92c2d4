"""The port model as a term of machine and application files.

    [terms.iflux]
    model = "ports"
    map = "golden-cove"                 a shipped port map or a TOML file
    data = "variants.csv"               variants measured on the machine
    where = { isa = "AVX2" }            rows of it
    mini = "base"                       project from this variant; without it the ports alone are the model
    target = { div = 13, mul = 70 }     instructions per iteration of the target, or:
    assembly = "target.s"               where its loop is counted
    function = "iflux"
    iterations = 4                      source iterations a pass through the loop does

The term is called without arguments and gives cycles per iteration: ``iflux() * edges / hz``.
"""

from collections.abc import Mapping
from pathlib import Path

from ingest.arrays import FloatArray
from ingest.errors import InputError, PipelineError
from pipeline.projection.binding import substitute
from pipeline.projection.model import Model
from pipeline.projection.ports.fit import fit_ports
from pipeline.projection.ports.loops import count_loop
from pipeline.projection.ports.portmap import PortMap, class_vector, read_port_map
from pipeline.projection.ports.project import from_mini
from pipeline.projection.ports.variants import read_variants
from pipeline.projection.toml_tables import Table, check_keys, path_at, table_at, text_at

_KEYS = ("model", "map", "data", "where", "mini", "target", "assembly", "function", "iterations", "note")


def port_term(table: Table, name: str, where: str, folder: Path) -> tuple[tuple[str, ...], Model]:
    """Return the inputs (none) and the model of a term that states ``model = "ports"``.

    Args:
        table: the term's table.
        name: what the term is called; its symbols begin with it.
        where: what to call the table in errors.
        folder: what paths in it are relative to.

    Raises:
        InputError: where a key is missing or unknown, or a file cannot be read.
        UsageError: where a class, function or loop is not there.
        ModelError: where the variants cannot determine the classes.
    """
    check_keys(table, _KEYS, where)
    try:
        return (), _model(table, name, where, folder)
    except PipelineError as error:
        if error.where:
            raise
        raise type(error)(error.what, where=where, hint=error.hint) from error


def _model(table: Table, name: str, where: str, folder: Path) -> Model:
    portmap = read_port_map(path_at(table, "map", where, folder))
    rows = table_at(table, "where", where)
    variants = read_variants(path_at(table, "data", where, folder), portmap, where=rows)
    fit = fit_ports(name, portmap, variants.counts, variants.cycles)
    model = fit.fit.model
    if "mini" in table:
        mini = variants.index(text_at(table, "mini", where))
        model = from_mini(name, fit, float(variants.cycles[mini]), _by_class(portmap, variants.counts[mini]))
    target = _by_class(portmap, _target(table, portmap, where, folder))
    return substitute(model, {f"n.{kind}": count for kind, count in target.items()})


def _by_class(portmap: PortMap, counts: FloatArray) -> Mapping[str, float]:
    return dict(zip(portmap.classes, counts.tolist(), strict=True))


def _target(table: Table, portmap: PortMap, where: str, folder: Path) -> FloatArray:
    if ("target" in table) == ("assembly" in table):
        raise InputError(
            "the target is missing or there are two", where=where, hint="give either 'target' or 'assembly'"
        )
    if "target" in table:
        given = table_at(table, "target", where)
        return class_vector(portmap, {kind: _number(given, kind, where) for kind in given})
    return count_loop(
        path_at(table, "assembly", where, folder),
        text_at(table, "function", where),
        portmap,
        iterations=_number({"iterations": 1, **table}, "iterations", where),
    )


def _number(table: Table, key: str, where: str) -> float:
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise InputError(f"{key} = {value!r}", where=where, hint="give a number, 0 or more")
    return float(value)
