"""The port model of paper 000: cycles per iteration of a kernel, fitted to measured variants of it.

A map says which ports take which class of instruction. The ideal scheduler of the paper spreads classes over
their ports so that the busiest is least busy (Figure 6, Eq. 8 and 9). That is a fractional assignment
problem, and by max-flow/min-cut its optimum is

    C(n, c) = max over nonempty port sets S of  (sum of c_k n_k over classes k whose ports lie inside S) / |S|

for any map, convex and piecewise linear in c. The cycles c that an instruction occupies its port are fitted
by bounded least squares. Its sum of squares has kinks and several minima: the search starts from many points
and follows a smoothed maximum, T log sum exp(x / T), whose temperature T falls to zero, by
Levenberg-Marquardt steps, for a block of data sets at once. A class whose port set is never the bottleneck
has no influence on any measurement: the range up to where it would be one is given.

A term states ``model = "ports"``, a map, and variants measured on the machine: docs/explanations/ports.md.
It is called without arguments and gives cycles per iteration: ``iflux() * edges / hz``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from operator import add

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, ModelError, UsageError, located
from ingest.toml_table import TomlTable, read_toml
from ingest.units import NONE, Quantity
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, Ensemble, stream
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
from pipeline.projection.fitting.bounded_least_squares import identifiable
from pipeline.projection.fitting.formula_fit import Fit, fit_curve, fitted_parameters
from pipeline.projection.fitting.measured_columns import MeasuredColumns, read_columns
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.ports.loop_estimate import left_out_error

_FEW = 0.02  # of the instructions, by which a target may leave the mix of the variants
_MOST_SETS = 4096
_TEMPERATURES = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0)
_STEPS = 12
_FIRST_DAMPING = 1e-3
_NOTHING = 1e-12
_MOST_CYCLES = 40.0
PULL = 0.05
"""Weight of the manual's occupancy: twice its cycles counts like one variant off by 5 %, the usual scatter of
such timings. It decides only what the variants leave open."""

_GRID = 200
_ACCEPTED = 2.71  # chi-squared with one degree of freedom, 90 %
_STARTS = 64
_WIDEST_START = 10.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PortMap:
    """The ports of a processor core and the classes of instructions that may use them."""

    name: str
    ports: tuple[str, ...]
    classes: tuple[str, ...]
    allowed: BoolArray  # bool[class, port], whether a class may be issued to a port
    occupancy: FloatArray  # float64[class], cycles an instruction occupies its port by the manual, at least 1


def port_map(table: TomlTable) -> PortMap:
    """Return the map of a TOML table; InputError if a key is missing or unknown, or a port is not listed."""
    table.check_keys(("name", "source", "ports", "classes"))
    ports, entries = table.names("ports"), table.table("classes").named_tables()
    if not entries:
        raise table.error("classes", "is missing", "write [classes]")
    for entry in entries.values():
        entry.check_keys(("ports", "cycles"))
    return PortMap(
        name=table.text("name"),
        ports=ports,
        classes=tuple(entries),
        allowed=np.array([_allowed(name, entry, ports) for name, entry in entries.items()], dtype=bool),
        occupancy=np.array(
            [entry.number("cycles", 1, least=1) for entry in entries.values()], dtype=np.float64
        ),
    )


def _allowed(name: str, entry: TomlTable, ports: Sequence[str]) -> list[bool]:
    given = entry.content.get("ports")
    if not isinstance(given, list) or not given or not all(port in ports for port in given):
        hint = f"list some of {', '.join(ports)}"
        raise InputError(f"class '{name}' does not name its ports", where=entry.where, hint=hint)
    return [port in given for port in ports]


def class_vector(portmap: PortMap, values: Mapping[str, float], *, missing: float = 0.0) -> FloatArray:
    """Return float64[class] in the map's order from values by class name; UsageError for an unknown class."""
    unknown = sorted(set(values) - set(portmap.classes))
    if unknown:
        hint = f"its classes are {', '.join(portmap.classes)}"
        raise UsageError(f"{portmap.name} has no instruction class '{unknown[0]}'", hint=hint)
    return np.array([float(values.get(name, missing)) for name in portmap.classes])


@dataclass(frozen=True, eq=False)
class Variants:
    """n variants of one kernel on one machine and instruction set."""

    names: tuple[str, ...]
    instructions: FloatArray  # float64[n], all instructions per iteration
    counts: FloatArray  # float64[n, class], instructions per iteration in the order of a port map's classes
    cycles: FloatArray  # float64[n], measured cycles per iteration

    def index(self, name: str) -> int:
        """Return the place of the variant of that name; InputError if there is none."""
        if name not in self.names:
            raise InputError(f"no variant '{name}'", hint=f"variants: {', '.join(self.names)}")
        return self.names.index(name)


def variants_in(
    columns: MeasuredColumns, portmap: PortMap, *, where: Mapping[str, object] | None = None
) -> Variants:
    """Return the variants in a table with ``variant``, ``instructions``, ``cycles`` and one column per class.

    Args:
        columns: the table; further columns are ignored.
        where: values that other columns have to hold, such as ``{"isa": "AVX2"}``.

    Raises:
        InputError: a column is missing, or two variants have the same name.
    """
    names = np.array(columns.texts("variant"))
    rows = columns.matching(where or {})
    chosen = tuple(names[rows].tolist())
    if len(set(chosen)) < len(chosen):
        repeated = next(name for name in chosen if chosen.count(name) > 1)
        hint = "choose one instruction set and machine, or average repetitions"
        raise InputError(f"variant '{repeated}' is defined twice", where=columns.where, hint=hint)
    return Variants(
        chosen,
        columns.numbers("instructions", NONE, rows),
        np.column_stack([columns.numbers(kind, NONE, rows) for kind in portmap.classes]),
        columns.numbers("cycles", NONE, rows),
    )


@lru_cache(maxsize=64)
def port_sets(portmap: PortMap) -> FloatArray:
    """Return float64[set, class], the sets over which the closed form takes its maximum, smallest first.

    A class that can only go to ports inside S has 1/|S| there, any other class 0. Only unions of overlapping
    classes' ports matter: a port that no class inside S can use only lowers the quotient, and the quotient of
    a disconnected union lies between those of its parts. UsageError if the map has more sets than can be
    searched.
    """
    own = {frozenset(np.flatnonzero(row).tolist()) for row in portmap.allowed}
    found, edge = set(own), set(own)
    while edge:
        edge = {a | b for a in edge for b in own if a & b} - found
        found |= edge
        if len(found) > _MOST_SETS:
            raise UsageError(f"{portmap.name} has too many overlapping classes", hint="merge some of them")
    ordered = sorted(found, key=lambda ports: (len(ports), sorted(ports)))
    ports = np.array([[k in chosen for k in range(len(portmap.ports))] for chosen in ordered])
    inside = ~(portmap.allowed[None, :, :] & ~ports[:, None, :]).any(axis=2)
    return np.asarray(inside / ports.sum(axis=1, keepdims=True))


def cycles(portmap: PortMap, counts: FloatArray, cpi: FloatArray) -> FloatArray:
    """Return float64[...], cycles per iteration of the ideal scheduler (Eq. 9).

    Args:
        counts: float64[..., class], instructions per iteration.
        cpi: float64[..., class], cycles an instruction occupies its port; broadcast against `counts`.
    """
    return np.asarray(((counts * cpi) @ port_sets(portmap).T).max(axis=-1))


@dataclass(frozen=True, eq=False, kw_only=True)
class PortProblem:
    """Cycles of n variants as a maximum over port sets of functions linear in k unknowns."""

    slopes: FloatArray  # float64[n, set, k], cycles a port set needs per unit of each unknown
    fixed: FloatArray  # float64[n, set], cycles it needs for what is not fitted
    lower: FloatArray  # float64[k], hard bounds
    upper: FloatArray  # float64[k]
    prior: FloatArray  # float64[k], values towards which the unknowns are drawn weakly
    pull: float  # weight of the relative distance to the prior among the relative residuals

    def loads(self, unknowns: FloatArray) -> FloatArray:
        """Return float64[row, n, set], the cycles that every port set needs, for unknowns float64[row, k]."""
        flat = unknowns @ self.slopes.reshape(-1, self.slopes.shape[-1]).T
        return flat.reshape(len(unknowns), *self.fixed.shape) + self.fixed

    def curve(self, unknowns: FloatArray) -> FloatArray:
        """Return float64[row, n], the modelled cycles."""
        return np.asarray(self.loads(unknowns).max(axis=2))


def solve_ports(
    problem: PortProblem, starts: FloatArray, targets: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return float64[row, k], the best unknowns of every row among the minima found from the starts.

    Args:
        starts: float64[start, k], within the bounds.
        targets: float64[row, n], measured cycles.
        weights: float64[row, n], factors on the residuals; 0 leaves a variant out.
    """
    rows, count = len(targets), len(starts)
    unknowns = np.tile(starts, (rows, 1))
    repeated = np.repeat(targets, count, axis=0), np.repeat(weights, count, axis=0)
    for temperature in _TEMPERATURES:
        unknowns = _descend(problem, unknowns, *repeated, temperature)
    cost = _misfit(problem, unknowns, *repeated, 0.0)[0].reshape(rows, count)
    chosen = np.arange(rows) * count + cost.argmin(axis=1)
    return np.asarray(unknowns[chosen])


def _descend(
    problem: PortProblem, unknowns: FloatArray, targets: FloatArray, weights: FloatArray, temperature: float
) -> FloatArray:
    damping = np.full(len(unknowns), _FIRST_DAMPING)
    cost, gradient, curvature = _misfit(problem, unknowns, targets, weights, temperature)
    for _ in range(_STEPS):
        trial = _stepped(problem, unknowns, gradient, curvature, damping)
        new = _misfit(problem, trial, targets, weights, temperature)
        better = new[0] < cost
        if not (better & (cost - new[0] > _NOTHING * cost)).any() and damping.min() > 1.0:
            break
        unknowns = np.where(better[:, None], trial, unknowns)
        cost = np.where(better, new[0], cost)
        gradient = np.where(better[:, None], new[1], gradient)
        curvature = np.where(better[:, None, None], new[2], curvature)
        damping = np.clip(np.where(better, damping / 5, damping * 8), 1e-9, 1e9)
    return unknowns


def _misfit(
    problem: PortProblem, unknowns: FloatArray, targets: FloatArray, weights: FloatArray, temperature: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return half the sum of squares, its gradient and its Gauss-Newton curvature, one per row."""
    scale = np.maximum(np.abs(targets), _NOTHING)[..., None]
    values, shares = _soft_maximum(problem.loads(unknowns), temperature * scale)
    slopes = np.matmul(shares.swapaxes(0, 1), problem.slopes).swapaxes(0, 1) * weights[..., None]
    residuals = (values - targets) * weights
    distance = (unknowns / problem.prior - 1.0) * problem.pull
    cost = 0.5 * (np.sum(residuals**2, axis=1) + np.sum(distance**2, axis=1))
    gradient = np.einsum("rn,rnk->rk", residuals, slopes) + distance * problem.pull / problem.prior
    curvature = np.matmul(slopes.swapaxes(1, 2), slopes) + np.diag((problem.pull / problem.prior) ** 2)
    return cost, gradient, curvature


def _soft_maximum(loads: FloatArray, temperature: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the (soft) maximum over the last axis and the share of every entry in its slope."""
    highest = loads.max(axis=-1, keepdims=True)
    if not temperature.any():
        first = loads.argmax(axis=-1)[..., None] == np.arange(loads.shape[-1])
        return highest[..., 0], first.astype(np.float64)
    above = np.exp((loads - highest) / temperature)
    total = above.sum(axis=-1, keepdims=True)
    value = highest + temperature * np.log(total)
    return value[..., 0], above / total


def _stepped(
    problem: PortProblem,
    unknowns: FloatArray,
    gradient: FloatArray,
    curvature: FloatArray,
    damping: FloatArray,
) -> FloatArray:
    """Return the unknowns after a damped Newton step; those held at a bound do not move."""
    held = ((unknowns <= problem.lower) & (gradient > 0)) | ((unknowns >= problem.upper) & (gradient < 0))
    free = (~held).astype(np.float64)
    diagonal = np.einsum("rkk->rk", curvature)
    damped = diagonal * (1 + damping[:, None]) + _NOTHING
    eye = np.eye(unknowns.shape[1])
    matrix = curvature * (1 - eye) * free[:, :, None] * free[:, None, :]
    matrix = matrix + eye * np.where(held, 1.0, damped)[:, None, :]
    step = np.linalg.solve(matrix, -(gradient * free)[..., None])[..., 0]
    return np.clip(unknowns + step, problem.lower, problem.upper)


@dataclass(frozen=True, eq=False, kw_only=True)
class PortEstimate:
    """Cycles per instruction of the classes of a port map, from n variants."""

    # float64[class], cycles an instruction occupies its port; the manual's if nothing is known
    cpi: FloatArray
    identified: BoolArray  # bool[class], whether the variants determine the class
    present: BoolArray  # bool[class], whether any variant has such instructions
    lower: FloatArray  # float64[class], fewest cycles that the variants allow with all else as estimated
    upper: FloatArray  # float64[class], most cycles that they allow, up to the bound of the fit
    problem: PortProblem  # the fit of the identified classes, the others held
    unknowns: FloatArray  # float64[k], its solution


def estimate_cpi(portmap: PortMap, counts: FloatArray, cycles: FloatArray) -> PortEstimate:
    """Return the cycles per instruction that fit the variants best.

    All classes that occur are fitted first; those that the variants do not determine are then held at the
    value of that fit, which is the manual's unless the measurements contradict it; the others are fitted
    again.

    Args:
        counts: float64[n, class], instructions per iteration of each variant.
        cycles: float64[n], measured cycles per iteration.

    Raises:
        ModelError: a measurement is not positive, or there are not more variants than classes.
    """
    present: BoolArray = np.any(counts > 0, axis=0)
    _check(counts, cycles, int(present.sum()))
    everything = _problem(portmap, counts, portmap.occupancy, present)
    found = _solved(everything, _starts(everything), cycles)
    cpi, identified = portmap.occupancy.copy(), np.zeros_like(present)
    cpi[present] = found
    identified[present] = _identified(everything, found, cycles)
    if not identified.any():
        raise ModelError("the variants do not determine any class", hint="measure variants that differ more")
    problem = _problem(portmap, counts, cpi, identified)
    cpi[identified] = unknowns = _solved(problem, cpi[identified][None], cycles)
    lower, upper = _allowed_range(portmap, counts, cycles, cpi, fitted=len(unknowns))
    return PortEstimate(
        cpi=cpi,
        identified=identified,
        present=present,
        lower=lower,
        upper=upper,
        problem=problem,
        unknowns=unknowns,
    )


def _check(counts: FloatArray, cycles: FloatArray, unknowns: int) -> None:
    if not (np.isfinite(cycles).all() and (cycles > 0).all()):
        raise ModelError("cycles per iteration have to be positive numbers", hint="correct the measurements")
    if not (np.isfinite(counts).all() and (counts >= 0).all() and counts.any(axis=1).all()):
        raise ModelError("instruction counts have to be 0 or more, not all 0", hint="correct the counts")
    if len(cycles) <= unknowns:
        raise ModelError(
            f"{len(cycles)} variants cannot determine {unknowns} classes",
            hint=f"measure at least {unknowns + 1} variants or merge classes",
        )


def _problem(portmap: PortMap, counts: FloatArray, cpi: FloatArray, free: BoolArray) -> PortProblem:
    """Return the fit of the free classes, the others held at their cpi."""
    slopes = counts[:, None, :] * port_sets(portmap)
    prior = portmap.occupancy[free]
    return PortProblem(
        slopes=slopes[:, :, free],
        fixed=slopes[:, :, ~free] @ cpi[~free],
        lower=np.ones(len(prior)),
        upper=np.maximum(_MOST_CYCLES, prior),
        prior=prior,
        pull=PULL,
    )


def _starts(problem: PortProblem) -> FloatArray:
    """Return float64[start, k]: the manual's values, and random multiples of them."""
    factors = np.exp(stream("ports").uniform(0, np.log(_WIDEST_START), (_STARTS, len(problem.prior))))
    factors[0] = 1.0
    return np.clip(problem.prior * factors, problem.lower, problem.upper)


def _solved(problem: PortProblem, starts: FloatArray, cycles: FloatArray) -> FloatArray:
    return np.asarray(solve_ports(problem, starts, cycles[None], 1.0 / cycles[None])[0])


def _identified(problem: PortProblem, unknowns: FloatArray, cycles: FloatArray) -> BoolArray:
    """Return bool[k], the unknowns float64[k] that measurements determine more than the manual does."""
    loads = problem.loads(unknowns[None])[0]
    slopes = problem.slopes[np.arange(len(cycles)), loads.argmax(axis=1)]
    weighted = slopes / cycles[:, None]
    variance = np.diagonal(np.linalg.pinv(weighted.T @ weighted, hermitian=True))
    stronger: BoolArray = variance * (problem.pull / problem.prior) ** 2 < 1.0
    return identifiable(slopes, 1.0 / cycles) & stronger


def _allowed_range(
    portmap: PortMap, counts: FloatArray, cycles: FloatArray, cpi: FloatArray, *, fitted: int
) -> tuple[FloatArray, FloatArray]:
    """Return the fewest and the most cycles of each class that the variants allow, all else as estimated.

    Allowed is what raises the sum of squared relative residuals by less than their own scatter can (90 %).
    """
    trial = np.geomspace(1.0, max(_MOST_CYCLES, float(cpi.max())), _GRID)
    weights = port_sets(portmap)
    base = (counts * cpi) @ weights.T
    change = np.einsum("nk,sk,gk->gkns", counts, weights, trial[:, None] - cpi)
    misfit = np.sum(((base + change).max(axis=3) / cycles - 1) ** 2, axis=2)
    residual = np.sum((base.max(axis=1) / cycles - 1) ** 2)
    accepted = misfit <= residual * (1 + _ACCEPTED / max(len(cycles) - fitted, 1))
    lower = np.where(accepted, trial[:, None], np.inf).min(axis=0)
    upper = np.where(accepted, trial[:, None], 1.0).max(axis=0)
    return np.minimum(lower, cpi), np.maximum(upper, cpi)


@dataclass(frozen=True, eq=False)
class PortFit:
    """A port map fitted to the variants of a kernel."""

    portmap: PortMap
    estimate: PortEstimate
    # cycles per iteration as a model in the symbols ``n.<class>``, and its quality; the parameters of classes
    # that are not identified have the range that the variants allow
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
    name: str, portmap: PortMap, counts: FloatArray, cycles: FloatArray, *, draws: int = QUANTITY_DRAWS
) -> PortFit:
    """Return the port map fitted to the variants of a kernel, given as to `estimate_cpi`."""
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
    cpi = estimate.cpi.copy()
    cpi[estimate.identified] = fit.quality.estimate
    lower, upper = np.minimum(estimate.lower, cpi), np.maximum(estimate.upper, cpi)
    estimate = replace(estimate, cpi=cpi, unknowns=fit.quality.estimate, lower=lower, upper=upper)
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
            expression=own / reduce(add, each),
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


def _is_outside_mix(counts: FloatArray, target: FloatArray) -> bool:
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
    left_out = Quantity(value=1.0, relative_sd=left_out_error("fitted").spread)
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


_KEYS = ("model", "map", "data", "where", "mini", "target", "note")


def port_term(table: TomlTable, name: str) -> Model:
    """Return the model of a term that states ``model = "ports"``; it has no inputs."""
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
        if _is_outside_mix(variants.counts, term.target):
            model = widened(name, model)
        target = _by_class(portmap, term.target)
        return substitute(model, {f"n.{kind}": count for kind, count in target.items()})


@dataclass(frozen=True, eq=False)
class PortTerm:
    """What a term states."""

    portmap: PortMap
    variants: Variants
    mini: str  # the variant to project from; empty if the ports alone are the model
    target: FloatArray  # float64[class], instructions per iteration


def read_port_term(table: TomlTable) -> PortTerm:
    """Return what a term with ``model = "ports"`` says; errors are those of `port_term`."""
    portmap = port_map(read_toml(beside(table.path, table.text("map"))))
    rows = table.table("where").content
    variants = variants_in(read_columns(table.file("data")), portmap, where=rows)
    if "target" not in table:
        raise table.error("target", "is missing", "write target = { mul = 150 }")
    target = table.table("target")
    counts = class_vector(portmap, {kind: target.number(kind, least=0) for kind in target.content})
    return PortTerm(portmap, variants, table.text("mini", ""), counts)


def _by_class(portmap: PortMap, counts: FloatArray) -> Mapping[str, float]:
    return dict(zip(portmap.classes, counts.tolist(), strict=True))
