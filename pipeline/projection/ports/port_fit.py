"""The port model of paper 000: cycles per iteration of a kernel, fitted to measured variants of it.

A map says which ports take which class of instruction. The ideal scheduler of the paper spreads classes over
their ports so that the busiest is least busy (Figure 6, Eq. 8 and 9). That is a fractional assignment
problem, and by max-flow/min-cut its optimum is

    C(n, c) = max over nonempty port sets S of  (sum of c_k n_k over classes k whose ports lie inside S) / |S|

for any map, convex and piecewise linear in c. The cycles c that an instruction occupies its port are fitted
by least squares, from many starts since there are several minima, with the manual's cycles as one more
measurement of each class, of little weight. A class whose port set is never the bottleneck has no influence
on any measurement: the range up to where it would be one is given.

A term states ``model = "ports"``, a map, and variants measured on the machine: docs/explanations/ports.md.
It is called without arguments and gives cycles per iteration: ``iflux() * edges / hz``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from ingest.arrays import BoolArray, FloatArray
from ingest.errors import InputError, ModelError, UsageError, located
from ingest.toml_table import TomlTable, read_toml
from ingest.units import NONE, Quantity
from pipeline.projection.expressions.ensembles import Ensemble, stream
from pipeline.projection.expressions.shipped_files import beside
from pipeline.projection.expressions.symbolic_model import Model, bind, constant, maximum, symbol
from pipeline.projection.fitting.bounded_least_squares import identifiable
from pipeline.projection.fitting.formula_fit import Fit, fit_curve
from pipeline.projection.fitting.measured_columns import MeasuredColumns, read_columns
from pipeline.projection.fitting.resampling import Measurements
from pipeline.projection.ports.loop_estimate import left_out_error

_FEW = 0.02  # of the instructions, by which a target may leave the mix of the variants
_MOST_SETS = 4096
_MOST_CYCLES = 40.0
_PULL = 0.05
"""Weight of the manual's cycles: twice as many count like one variant off by 5 %, the usual scatter of such
timings. It decides only what the variants leave open."""
_TRIED, _WIDEST_START, _SEARCHES, _CONVERGED = 4000, 10.0, 10, 1e-7
_DRAWS = 200
_GRID = 200
_ACCEPTED = 2.71  # chi-squared with one degree of freedom, 90 %


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

    Other columns may have to hold values, such as ``{"isa": "AVX2"}``; the rest is ignored.
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

    Instructions per iteration and the cycles that each occupies its port are float64[..., class].
    """
    return np.asarray(((counts * cpi) @ port_sets(portmap).T).max(axis=-1))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Problem:
    """Cycles of n variants, and of one instruction of each of k classes alone, linear in k cycles per set."""

    slopes: FloatArray  # float64[n + k, set, k], cycles a port set needs per cycle of each class
    fixed: FloatArray  # float64[n + k, set], what it needs for classes that are not fitted
    manual: FloatArray  # float64[k], cycles of the k instructions by the manual
    upper: FloatArray  # float64[k]; the lower bounds are 1

    def loads(self, cpi: FloatArray) -> FloatArray:
        """Return float64[..., n + k, set], for cycles per instruction float64[..., k]."""
        return np.asarray(np.einsum("nsk,...k->...ns", self.slopes, cpi) + self.fixed)

    def curve(self, cpi: FloatArray) -> FloatArray:
        """Return float64[row, n], the modelled cycles of the variants, for float64[row, k]."""
        return np.asarray(self.loads(cpi).max(axis=2)[:, : -len(self.manual)])

    def binding(self, cpi: FloatArray) -> FloatArray:
        """Return float64[n + k, k], the slopes of the port sets that are the bottlenecks at float64[k]."""
        return np.asarray(self.slopes[np.arange(len(self.fixed)), self.loads(cpi).argmax(axis=1)])

    def solve(self, starts: FloatArray, targets: FloatArray, weights: FloatArray) -> FloatArray:
        """Return float64[row, k], the best within the bounds found from the starts, float64[start, k].

        Targets, measured cycles, and weights are float64[row, n]; weight 0 leaves a variant out.
        """
        return np.array([self._best(starts, t, w) for t, w in zip(targets, weights, strict=True)])

    def _best(self, starts: FloatArray, target: FloatArray, weight: FloatArray) -> FloatArray:
        from scipy.optimize import least_squares

        known, factors = np.append(target, self.manual), np.append(weight, _PULL / self.manual)
        ends = [
            least_squares(
                lambda cpi: (self.loads(cpi).max(axis=1) - known) * factors,
                start,
                jac=lambda cpi: self.binding(cpi) * factors[:, None],
                bounds=(1.0, self.upper),
                method="dogbox",
                xtol=_CONVERGED,
                ftol=_CONVERGED,
            )
            for start in starts
        ]
        return np.asarray(min(ends, key=lambda end: float(end.cost)).x)


def _problem(portmap: PortMap, counts: FloatArray, cpi: FloatArray, free: BoolArray) -> _Problem:
    """Return the fit of the free classes, the others held at their cpi."""
    alone = np.eye(len(free))[free]
    slopes = np.vstack([counts, alone])[:, None, :] * port_sets(portmap)
    return _Problem(
        slopes=slopes[:, :, free],
        fixed=slopes[:, :, ~free] @ cpi[~free],
        manual=cycles(portmap, alone, portmap.occupancy),
        upper=np.maximum(_MOST_CYCLES, portmap.occupancy[free]),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PortEstimate:
    """Cycles per instruction of the classes of a port map, from n variants."""

    portmap: PortMap
    counts: FloatArray  # float64[n, class], of the variants
    # float64[class], cycles an instruction occupies its port; the manual's if nothing is known
    cpi: FloatArray
    identified: BoolArray  # bool[class], whether the variants determine the class
    present: BoolArray  # bool[class], whether any variant has such instructions
    lower: FloatArray  # float64[class], fewest cycles that the variants allow with all else as estimated
    upper: FloatArray  # float64[class], most cycles that they allow, up to the bound of the fit


def estimate_cpi(portmap: PortMap, counts: FloatArray, cycles: FloatArray) -> PortEstimate:
    """Return the cycles per instruction that fit the variants best.

    All classes that occur are fitted first; those that the variants do not determine are then held at the
    value of that fit, which is the manual's unless the measurements contradict it; the others are fitted
    again. Counts are float64[n, class], instructions per iteration. ModelError if there are not more variants
    than classes.
    """
    present: BoolArray = np.any(counts > 0, axis=0)
    _check(counts, cycles, int(present.sum()))
    everything = _problem(portmap, counts, portmap.occupancy, present)
    starts = _starts(everything, portmap.occupancy[present], cycles)
    cpi, identified = portmap.occupancy.copy(), np.zeros_like(present)
    cpi[present] = everything.solve(starts, cycles[None], 1.0 / cycles[None])[0]
    identified[present] = _identified(everything, cpi[present], cycles)
    if not identified.any():
        raise ModelError("the variants do not determine any class", hint="measure variants that differ more")
    problem = _problem(portmap, counts, cpi, identified)
    cpi[identified] = problem.solve(cpi[identified][None], cycles[None], 1.0 / cycles[None])[0]
    lower, upper = _allowed_range(portmap, counts, cycles, cpi, fitted=int(identified.sum()))
    return PortEstimate(
        portmap=portmap,
        counts=counts,
        cpi=cpi,
        identified=identified,
        present=present,
        lower=np.where(present, lower, cpi),
        upper=np.where(present, upper, cpi),
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


def _starts(problem: _Problem, manual: FloatArray, cycles: FloatArray) -> FloatArray:
    """Return float64[start, k]: the manual's values, and the best of many random multiples of them."""
    factors = np.exp(stream("ports").uniform(0, np.log(_WIDEST_START), (_TRIED, len(manual))))
    factors[0] = 1.0
    tried = np.clip(manual * factors, 1.0, problem.upper)
    misfit = np.sum((problem.curve(tried) / cycles - 1) ** 2, axis=1)
    return np.asarray(tried[np.append(0, np.argsort(misfit)[:_SEARCHES])])


def _identified(problem: _Problem, cpi: FloatArray, cycles: FloatArray) -> BoolArray:
    """Return bool[k], the cpi float64[k] that measurements determine more than the manual does."""
    count = len(cycles)
    slopes, alone = np.split(problem.binding(cpi), [count])
    weighted = slopes / cycles[:, None]
    variance = np.diagonal(np.linalg.pinv(weighted.T @ weighted, hermitian=True))
    stronger: BoolArray = variance * (_PULL * np.diagonal(alone) / problem.manual) ** 2 < 1.0
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

    name: str
    estimate: PortEstimate
    fit: Fit  # of the identified classes: draws of their cycles and of the scatter

    def target(self, counts: FloatArray, mini: tuple[float, FloatArray] | None = None) -> Model:
        """Return the cycles per iteration of a target, from its instructions float64[class].

        With a mini-app, measured cycles and instructions, they are C_mini + C(target) - C(mini): what the
        ports do not explain is assumed to be the same in both (Eq. 7 with Eq. 9). The measured cycles are as
        uncertain as the scatter of the variants around the fit. A target unlike the variants has the error
        that such predictions had when measured: the scatter says nothing of code from other compiler flags.
        """
        portmap, known = self.estimate.portmap, {}
        cycles = port_cycles(self.name, portmap, counts)
        if mini is not None:
            known[f"{self.name}.mini"] = Quantity(value=mini[0], relative_sd=self.fit.quality.sigma)
            cycles = symbol(f"{self.name}.mini") + cycles - port_cycles(self.name, portmap, mini[1])
        cycles = cycles * symbol(f"{self.name}.scatter")
        low, high, share = self._shares(counts)
        if ((share < low - _FEW) | (share > high + _FEW)).any():
            spread = left_out_error("fitted").spread
            known[f"{self.name}.left_out"] = Quantity(value=1.0, relative_sd=spread)
            cycles = cycles * symbol(f"{self.name}.left_out")
        for drawn in self.fit.model.ensembles:
            cycles = bind(cycles, drawn)
        return bind(bind(cycles, self._undetermined(counts)), known)

    def _shares(self, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the least and the largest share of each class in the variants, a tenth beyond, and here."""
        shares = self.estimate.counts / self.estimate.counts.sum(axis=1, keepdims=True)
        return 0.9 * shares.min(axis=0), 1.1 * shares.max(axis=0), counts / max(float(counts.sum()), 1e-300)

    def _undetermined(self, counts: FloatArray) -> Ensemble:
        """Return classes that the variants do not determine, drawn evenly from the range that they allow."""
        one, names = self.estimate, self.estimate.portmap.classes
        open_ = np.flatnonzero(~one.identified)
        drawn = stream(self.name, "open").uniform(one.lower[open_], one.upper[open_], (_DRAWS, len(open_)))
        ranges = [f"{names[k]} ({one.lower[k]:.3g} to {one.upper[k]:.3g} cycles)" for k in open_ if counts[k]]
        notices = [f"{self.name}: the variants do not determine {', '.join(ranges)}"] if ranges else []
        for kind, low, high, here in zip(names, *self._shares(counts), strict=True):
            if not low <= here <= high:
                basis = f"{self.name} was fitted to shares of {kind} instructions"
                notices.append(f"{basis} from {low:.4g} to {high:.4g}, here {here:.4g}")
        symbols = tuple(f"{self.name}.cpi.{names[k]}" for k in open_)
        return Ensemble(names=symbols, estimate=one.cpi[open_], draws=drawn, notices=tuple(notices))


def port_cycles(name: str, portmap: PortMap, counts: FloatArray) -> Model:
    """Return Eq. 9 for instructions float64[class], in the symbols ``<name>.cpi.<class>``."""
    busy = {
        k: symbol(f"{name}.cpi.{kind}") * float(counts[k])
        for k, kind in enumerate(portmap.classes)
        if counts[k]
    }
    sets = dict.fromkeys(tuple(row) for row in port_sets(portmap)[:, list(busy)].tolist() if any(row))
    loads = [
        sum((w * b for w, b in zip(row, busy.values(), strict=True) if w), start=constant(0)) for row in sets
    ]
    return maximum(*loads) if loads else constant(0)


def fit_ports(name: str, portmap: PortMap, counts: FloatArray, cycles: FloatArray) -> PortFit:
    """Return the port map fitted to the variants of a kernel, given as to `estimate_cpi`."""
    estimate = estimate_cpi(portmap, counts, cycles)
    known = estimate.identified
    problem = _problem(portmap, counts, estimate.cpi, known)
    names = [f"{name}.cpi.{kind}" for kind in np.array(portmap.classes)[known]]
    fit = fit_curve(
        name,
        port_cycles(name, portmap, counts[0]),
        names,
        (partial(problem.solve, estimate.cpi[known][None]), problem.curve),
        Measurements(dict(zip(portmap.classes, counts.T, strict=True)), cycles),
        lambda _: np.ones(len(names), dtype=bool),
        draws=_DRAWS,
    )
    cpi = estimate.cpi.copy()
    cpi[known] = fit.quality.estimate  # with weights from its own curve
    lower, upper = np.minimum(estimate.lower, cpi), np.maximum(estimate.upper, cpi)
    return PortFit(name, replace(estimate, cpi=cpi, lower=lower, upper=upper), fit)


_KEYS = ("model", "map", "data", "where", "mini", "target", "note")


def port_term(table: TomlTable, name: str) -> Model:
    """Return the model of a term that states ``model = "ports"``; it has no inputs."""
    table.check_keys(_KEYS)
    with located(table.where):
        term = read_port_term(table)
        variants, mini = term.variants, None
        fit = fit_ports(name, term.portmap, variants.counts, variants.cycles)
        if term.mini:
            k = variants.index(term.mini)
            mini = float(variants.cycles[k]), variants.counts[k]
        return fit.target(term.target, mini)


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
