"""A small allreduce: a tree of all processes (paper 004), or trees inside and between nodes of R ranks.

    T = c + d log P
    T = c + inside log2 min(P, R) + between log2 max(1, P / R) + (step if P > switch)

A level inside a node, through its memory, takes less time than one between nodes (paper 004 has one price for
both). `step` is what another algorithm, or leaving the node, takes in addition from a number of ranks on. Few
measurements distinguish these effects, so that rival formulas are fitted and weighed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ingest.arrays import FloatArray
from ingest.errors import ModelError
from ingest.toml_table import TomlTable
from ingest.units import TIME_DIMENSION
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, stream
from pipeline.projection.expressions.symbolic_model import (
    Model,
    bind,
    choose,
    constant,
    log,
    log2,
    maximum,
    minimum,
    symbol,
)
from pipeline.projection.fitting.bounded_least_squares import solve_linear
from pipeline.projection.fitting.formula_fit import Fit, Parameter, assemble, fit
from pipeline.projection.fitting.measured_columns import ALLREDUCES
from pipeline.projection.fitting.resampling import Measurements, Resampled, resample
from pipeline.projection.terms.families import TermFamily

_PARAMETERS = ("c", "inside", "between", "step", "switch")
_FEWEST = 4


def allreduce(name: str) -> Model:
    """Return ``c + d log P``, a small allreduce down and up a tree of P processes.

    The base of the logarithm is ``<name>.base``: 2 makes d the time of a tree level, as the paper's text
    says; its fits were made in R, whose log() is natural.
    """
    levels = log(symbol("P")) / log(symbol(f"{name}.base"))
    return symbol(f"{name}.c", TIME_DIMENSION) + symbol(f"{name}.d", TIME_DIMENSION) * levels


def fit_allreduce(name: str, data: Measurements, *, base: float = 2.0) -> Fit:
    """Return the allreduce fitted to measured times by P, with c, d >= 0.

    A change of algorithm or of topology within the measured range shows as lack of fit.
    """
    model = bind(allreduce(name), {f"{name}.base": base})
    return fit(name, model, [Parameter(f"{name}.c"), Parameter(f"{name}.d")], data)


def node_allreduce(name: str, ranks_per_node: Model) -> Model:
    """Return the formula above in the symbol ``P`` and ``<name>.c`` and so on."""
    processes = symbol("P")
    levels = log2(maximum(1, processes / ranks_per_node))
    times = {key: symbol(f"{name}.{key}", TIME_DIMENSION) for key in _PARAMETERS[:-1]}
    trees = times["c"] + times["inside"] * log2(minimum(processes, ranks_per_node))
    trees = trees + times["between"] * levels
    return choose(processes, symbol(f"{name}.switch"), trees, trees + times["step"])


@dataclass(frozen=True, eq=False)
class _Rival:
    """A formula with some of the parameters: which, and their columns float64[n, k]; the others are 0."""

    chosen: tuple[str, ...]
    design: FloatArray
    switch: float

    def solve(self, targets: FloatArray, weights: FloatArray) -> FloatArray:
        """Return float64[row, k], the best parameters of every row."""
        return solve_linear(self.design, np.zeros(self.design.shape[1]), targets, weights)

    def curve(self, parameters: FloatArray) -> FloatArray:
        """Return float64[row, n], the times that rows of parameters give."""
        return parameters @ self.design.T


def fit_node_allreduce(name: str, data: Measurements, *, nodes: Model) -> Fit:
    """Return the allreduce fitted to measured times by P and R, none of its parameters negative.

    Rivals are the trees alone, and the trees with a step after any of the measured numbers of ranks. Each is
    as probable as it predicts measurements that it was not fitted to; draws come from all of them. `nodes`
    are the ranks of a node in the model returned.
    """
    processes = data.inputs["P"]
    rivals = [r for r in _rivals(processes, data.inputs["R"]) if len(processes) > r.design.shape[1]]
    if len(np.unique(processes)) < _FEWEST or not rivals:
        hint = "measure more numbers of processes"
        raise ModelError(f"{name}: a tree on nodes needs at least four numbers of processes", hint=hint)
    fitted = [
        (rival, resample(rival.solve, rival.curve, data, key=f"{name}.{k}")) for k, rival in enumerate(rivals)
    ]
    weight = _probabilities(data.values, np.stack([quality.left_out for _, quality in fitted]))
    quality = _mixture(name, fitted, weight)
    return assemble(
        name,
        node_allreduce(name, nodes),
        [f"{name}.{key}" for key in _PARAMETERS],
        identified=np.ones(len(_PARAMETERS), dtype=np.bool_),
        quality=quality,
        data=replace(data, inputs={"P": processes}),
        rivals=True,
    )


def _rivals(processes: FloatArray, ranks_per_node: FloatArray) -> Iterator[_Rival]:
    inside = np.log2(np.minimum(processes, ranks_per_node))
    levels = np.log2(np.maximum(1.0, processes / ranks_per_node))
    columns = {"c": np.ones_like(levels), "inside": inside, "between": levels}
    base = ("c", "inside") if len(np.unique(inside)) > 1 else ("c",)

    def rival(chosen: Sequence[str], switch: float) -> _Rival:
        above = (processes > switch).astype(float)
        design = [above if key == "step" else columns[key] for key in chosen]
        return _Rival(tuple(chosen), np.column_stack(design), switch)

    yield rival((*base, "between"), float(processes.max()))
    for switch in np.unique(processes)[:-1].tolist():
        yield rival((*base, "between", "step"), switch)


def _probabilities(observed: FloatArray, left_out: FloatArray) -> FloatArray:
    """Return float64[rival], the likelihood of n left-out points float64[rival, n], normalised.

    Deviances of noise in proportion to the curve: relative errors would prefer a curve that is too low.
    """
    ratio = observed / np.maximum(left_out, np.finfo(float).tiny)
    deviance = np.mean(ratio - 1 - np.log(ratio), axis=1)
    score = -0.5 * len(observed) * np.log(np.maximum(deviance, np.finfo(float).tiny))
    weight = np.exp(score - score.max())
    return np.asarray(weight / weight.sum())


def _mixture(name: str, fitted: Sequence[tuple[_Rival, Resampled]], weight: FloatArray) -> Resampled:
    """Return the draws of all rivals in all parameters, with the quality of the most probable rival."""
    random = stream(name, "rivals")
    picked = random.choice(len(fitted), size=QUANTITY_DRAWS, p=weight)
    draws, scatter = np.zeros((QUANTITY_DRAWS, len(_PARAMETERS))), np.zeros(QUANTITY_DRAWS)
    best = int(np.argmax(weight))
    estimate = np.zeros(len(_PARAMETERS))
    for k, (rival, quality) in enumerate(fitted):
        rows = np.nonzero(picked == k)[0]
        places = [_PARAMETERS.index(key) for key in rival.chosen]
        draws[rows[:, None], places] = quality.draws[rows]
        draws[rows, -1] = rival.switch
        scatter[rows] = quality.scatter[rows]
        if k == best:
            estimate[places], estimate[-1] = quality.estimate, rival.switch
    return replace(fitted[best][1], estimate=estimate, draws=draws, scatter=scatter)


def allreduce_on_nodes(table: TomlTable) -> TermFamily:
    """Return the family of an allreduce with ``ranks_per_node``: a number, or ``"R"`` for a second input."""
    stated = table.content["ranks_per_node"]
    by_input = stated == "R"
    if not by_input and (isinstance(stated, bool) or not isinstance(stated, int | float) or not stated >= 1):
        hint = 'write a number such as 128, or "R" to make it an input'
        raise table.error("ranks_per_node", f"invalid value {stated!r}", hint)
    nodes = symbol("R") if by_input else constant(float(stated))

    def fitted(name: str, data: Measurements) -> Fit:
        ranks = {} if by_input else {"R": np.full(len(data.values), float(stated))}
        return fit_node_allreduce(name, replace(data, inputs={**data.inputs, **ranks}), nodes=nodes)

    return TermFamily(
        build=lambda name: node_allreduce(name, nodes),
        inputs=("P", "R") if by_input else ("P",),
        defaults={"inside": "0 s", "step": "0 s", "switch": 1},
        fit=fitted,
        benchmarks=ALLREDUCES,
    )


FAMILIES = {
    "allreduce": TermFamily(
        build=allreduce,
        inputs=("P",),
        defaults={"base": 2.0},
        fit=fit_allreduce,
        stated=("base",),
        benchmarks=ALLREDUCES,
    ),
}
