"""The port model of a kernel: cycles per iteration as a symbolic expression, fitted with joint draws.

A term states ``model = "ports"``, a map, and variants measured on the machine: docs/explanations/ports.md.
It is called without arguments and gives cycles per iteration: ``iflux() * edges / hz``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import InputError, located
from ingest.toml_table import TomlTable
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.expressions.symbolic import real_symbol
from pipeline.projection.expressions.symbolic_model import (
    Model,
    ValidRange,
    bind,
    constant,
    maximum,
    substitute,
    symbol,
)
from pipeline.projection.expressions.units import DRAWS, Ensemble, Quantity, stream
from pipeline.projection.fitting.formula_fit import Fit, fit_curve, fitted_parameters
from pipeline.projection.fitting.measured_columns import read_columns
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.ports.counting import count_loop
from pipeline.projection.ports.loop_estimate import left_out_error
from pipeline.projection.ports.port_estimate import PortEstimate, estimate_cpi
from pipeline.projection.ports.port_map import PortMap, Variants, class_vector, read_port_map, variants_in
from pipeline.projection.ports.schedule import port_sets, solve_ports

_FEW = 0.02


@dataclass(frozen=True, eq=False)
class PortFit:
    """A port map fitted to the variants of a kernel.

    Attributes:
        fit: cycles per iteration as a model in the symbols ``n.<class>``, and its quality; the parameters of
            classes that are not identified have the range that the variants allow.
    """

    portmap: PortMap
    estimate: PortEstimate
    fit: Fit


def port_cycles(name: str, portmap: PortMap) -> Model:
    """Return cycles per iteration of the ideal scheduler (Eq. 9) as a symbolic maximum over port sets.

    The symbols are ``<name>.cpi.<class>`` and, for the instructions per iteration, ``n.<class>``.
    """
    busy = [symbol(f"{name}.cpi.{kind}") * symbol(f"n.{kind}") for kind in portmap.classes]
    sets = [
        sum((share * busy[k] for k, share in enumerate(row) if share), start=constant(0))
        for row in port_sets(portmap).tolist()
    ]
    return maximum(*sets) if len(sets) > 1 else sets[0]


def fit_ports(
    name: str, portmap: PortMap, counts: FloatArray, cycles: FloatArray, *, draws: int = DRAWS
) -> PortFit:
    """Return the port map fitted to the variants of a kernel.

    Args:
        counts: float64[n, class], instructions per iteration of each variant.
        cycles: float64[n], measured cycles per iteration.

    Raises:
        ModelError: the variants cannot determine the classes.
    """
    estimate = estimate_cpi(portmap, counts, cycles)
    problem = estimate.problem
    names = [f"{name}.cpi.{kind}" for kind in np.array(portmap.classes)[estimate.identified]]
    fit = fit_curve(
        name,
        port_cycles(name, portmap),
        names,
        (partial(solve_ports, problem, estimate.unknowns[None]), problem.curve),
        Measurements(dict(zip(portmap.classes, counts.T, strict=True)), cycles),
        lambda _: np.ones(len(names), dtype=bool),
        draws=draws,
    )
    fit = replace(fit, model=_within_mix(name, portmap, counts, fit.model))
    return PortFit(portmap, estimate, _with_open_classes(name, portmap, estimate, fit, draws))


def _within_mix(name: str, portmap: PortMap, counts: FloatArray, model: Model) -> Model:
    """Return the model with the range of every class's share of the instructions in the place of its counts.

    Twice the instructions take twice the cycles, so a target is like the variants if its mix is. A tenth
    beyond their range is not worth a notice.
    """
    each = [real_symbol(f"n.{kind}") for kind in portmap.classes]
    limits = tuple(
        ValidRange(
            expression=own / sum(each),
            lower=low,
            upper=high,
            basis=f"{name} was fitted to shares of {kind} instructions",
        )
        for own, kind, low, high in zip(
            each, portmap.classes, *(bound.tolist() for bound in _shares_fitted(counts)), strict=True
        )
    )
    return replace(model, limits=limits)


def _shares_fitted(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest share of each class in the variants, with a tenth beyond."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    return 0.9 * shares.min(axis=0), 1.1 * shares.max(axis=0)


def is_outside_mix(counts: FloatArray, target: FloatArray) -> bool:
    """Return whether a target has more or less of a class than all variants, by 2 % of the instructions.

    Args:
        counts: float64[n, class], instructions per iteration of the variants.
        target: float64[class], those of the target.
    """
    low, high = _shares_fitted(counts)
    share = target / max(float(target.sum()), 1e-300)
    return bool(((share < low - _FEW) | (share > high + _FEW)).any())


def widened(name: str, model: Model) -> Model:
    """Return cycles of a target unlike the variants, with the error that such predictions had when measured.

    The scatter of the variants around the fit says nothing of code from other compiler flags: of intervals
    without this, few held the measured cycles.
    """
    left_out = Quantity(value=1.0, relative_sd=left_out_error().fitted_spread)
    return bind(model * symbol(f"{name}.left_out"), {f"{name}.left_out": left_out})


def _with_open_classes(name: str, portmap: PortMap, estimate: PortEstimate, fit: Fit, draws: int) -> Fit:
    """Return the fit with undetermined classes bound: drawn evenly from the range that the variants allow.

    A class that no variant has is held at the manual's value; using it gives a notice of its share.
    """
    open_classes = np.flatnonzero(~estimate.identified)
    if not len(open_classes):
        return fit
    present, value = estimate.present[open_classes], estimate.cpi[open_classes]
    low = np.where(present, estimate.lower[open_classes], value)
    high = np.where(present, estimate.upper[open_classes], value)
    names = tuple(f"{name}.cpi.{portmap.classes[k]}" for k in open_classes)
    drawn = stream(name, "open").uniform(low, high, (draws, len(names)))
    most = np.where(present, high, np.inf)
    parameters = fitted_parameters(names, value, low, most, np.zeros(len(names), dtype=np.bool_))
    return replace(
        fit,
        model=bind(fit.model, Ensemble(names=names, estimate=value, draws=drawn)),
        parameters=(*fit.parameters, *parameters),
    )


def from_mini(name: str, fit: PortFit, cycles: float, counts: Mapping[str, float]) -> Model:
    """Return C_target = C_mini + C(n_target) - C(n_mini), cycles per iteration in the symbols ``n.<class>``.

    What the ports do not explain is assumed to be the same in both (Eq. 7 with Eq. 9). The measured cycles of
    the mini-app are as uncertain as the scatter of the variants around the fit.

    Args:
        cycles: measured cycles per iteration of the mini-app on the machine.
        counts: its instructions per iteration by class; a class that is not named has none.
    """
    ports = port_cycles(name, fit.portmap)
    mini = substitute(ports, {f"n.{kind}": float(counts.get(kind, 0.0)) for kind in fit.portmap.classes})
    measured = symbol(f"{name}.mini")
    target = (measured + ports - mini) * symbol(f"{name}.scatter")
    known = bind(target, {f"{name}.mini": Quantity(value=cycles, relative_sd=fit.fit.quality.sigma)})
    drawn = reduce(bind, fit.fit.model.ensembles, known)
    return replace(drawn, limits=fit.fit.model.limits)


_TARGET_KEYS = ("target", "assembly", "function", "iterations")
_KEYS = ("model", "map", "data", "where", "mini", *_TARGET_KEYS, "threads", "counters", "note")


def port_term(table: TomlTable, name: str) -> Model:
    """Return the model of a term that states ``model = "ports"``; it has no inputs.

    Raises:
        InputError: a key is missing or unknown, or a file cannot be read.
        UsageError: a class, function or loop is not there.
        ModelError: the variants cannot determine the classes.
    """
    table.check_keys(_KEYS)
    with located(table.where):
        term = read_port_term(table)
        portmap, variants = term.portmap, term.variants
        fit = fit_ports(name, portmap, variants.counts, variants.cycles)
        model = fit.fit.model
        if term.mini:
            mini = variants.index(term.mini)
            counts = _by_class(portmap, variants.counts[mini])
            model = from_mini(name, fit, float(variants.cycles[mini]), counts)
        if is_outside_mix(variants.counts, term.target):
            model = widened(name, model)
        target = _by_class(portmap, term.target)
        return substitute(model, {f"n.{kind}": count for kind, count in target.items()})


@dataclass(frozen=True, eq=False)
class PortTerm:
    """What a term states.

    Attributes:
        mini: the variant to project from; empty if the ports alone are the model.
        target: float64[class], instructions per iteration.
    """

    portmap: PortMap
    variants: Variants
    mini: str
    target: FloatArray


def read_port_term(table: TomlTable) -> PortTerm:
    """Return what a term that states ``model = "ports"`` says.

    Raises:
        InputError, UsageError: as `port_term` does.
    """
    portmap = read_port_map(beside(table.path, table.text("map")))
    rows = table.table("where").content
    variants = variants_in(read_columns(table.file("data")), portmap, where=rows)
    return PortTerm(portmap, variants, table.text("mini", ""), _target(table, portmap))


def _by_class(portmap: PortMap, counts: FloatArray) -> Mapping[str, float]:
    return dict(zip(portmap.classes, counts.tolist(), strict=True))


def _target(table: TomlTable, portmap: PortMap) -> FloatArray:
    if ("target" in table) == ("assembly" in table):
        hint = "give the counts, or the assembly to count"
        raise InputError("exactly one of 'target' and 'assembly' is needed", where=table.where, hint=hint)
    if "target" in table:
        target = table.table("target")
        return class_vector(portmap, {kind: target.number(kind, least=0) for kind in target.content})
    iterations = table.number("iterations", 1, least=0)
    return count_loop(table.file("assembly"), table.text("function"), portmap, iterations=iterations)
