"""Scaling models of a measured experiment as terms, with rivals, covariance and drift as joint draws.

A term names a results directory and a region or call path: docs/explanations/projection.md. Effort is in
core-seconds: divided by the processes, ``work(n) / (P * unit.core)``, it is in seconds. Results directories
belong to `pipeline.store`; whoever projects hands in a reader of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ingest.arrays import FloatArray
from ingest.cpp_names import short_name
from ingest.errors import InputError
from ingest.toml_table import TomlTable
from ingest.units import TIME_DIMENSION, Dimension, parse_unit
from pipeline.models.forms import Term as NormalTerm
from pipeline.models.forms import factors
from pipeline.models.options import NO_EXPONENT
from pipeline.models.scaling_models import ScalingModels
from pipeline.projection.expressions.ensembles import QUANTITY_DRAWS, Ensemble, stream
from pipeline.projection.expressions.symbolic_model import (
    Model,
    bind,
    constant,
    limited,
    log2,
    maximum,
    sqrt,
    symbol,
)

Summand: TypeAlias = tuple[int, NormalTerm]  # sharpness of the knee that it belongs to, and the term
Level: TypeAlias = Literal["region", "callpath"]

_KEYS = ("model", "results", "region", "callpath")
_MOST_NAMED = 8


@dataclass(frozen=True, eq=False)
class StoredModels:
    """Scaling models as a results directory holds them."""

    models: ScalingModels
    # K of them, in the order of the models; of one name each if the kernels are regions
    callpaths: tuple[tuple[str, ...], ...]
    unit: str  # of what they predict, such as ``core-s``


class ModelReader(Protocol):
    """Reads the models of a results directory."""

    def __call__(self, directory: Path, level: Level) -> StoredModels:
        """Return the models of its regions or of its call paths."""


def measured_term(table: TomlTable, name: str, stored: ModelReader) -> tuple[tuple[str, ...], Model]:
    """Return inputs and model of a term like ``{model = "measured", results = "results", region = "Amul"}``.

    The inputs are the experiment's parameters; a time is in seconds, an effort in core-seconds.
    """
    table.check_keys(_KEYS)
    directory = table.file("results")
    kernel = (table.text("region"),) if "callpath" not in table else table.names("callpath")
    found = stored(directory, "callpath" if "callpath" in table else "region")
    index, dimension = _index(found.callpaths, kernel, table), parse_unit(found.unit)[1]
    return found.models.parameters, scaling_model(name, found.models, index, dimension=dimension)


def _index(known: Sequence[tuple[str, ...]], wanted: tuple[str, ...], table: TomlTable) -> int:
    """Return which call path has these names, in full or, if only one has them so, without parameters."""
    if wanted in known:
        return known.index(wanted)
    hits = [
        k
        for k, path in enumerate(known)
        if len(path) == len(wanted)
        and all(name in (full, short_name(full)) for name, full in zip(wanted, path, strict=True))
    ]
    if len(hits) == 1:
        return hits[0]
    shown = f"'{' / '.join(wanted)}'"
    if hits:
        several = ", ".join(known[k][-1] for k in hits[:_MOST_NAMED])
        what, hint = f"{shown} names {len(hits)} kernels", f"write the name in full: {several}"
    else:
        some = ", ".join(sorted({short_name(path[-1]) for path in known})[:_MOST_NAMED])
        what, hint = f"no kernel {shown} in {table.file('results')}", f"kernels are {some} ..."
    raise InputError(what, where=table.where, hint=hint)


def scaling_model(
    name: str, models: ScalingModels, kernel: int, *, dimension: Dimension = TIME_DIMENSION
) -> Model:
    """Return one kernel's normal form as a model over the experiment's parameters.

    Every draw picks a rival by its probability, and coefficients from that rival's Student t distribution;
    beyond the measured range the stored drift widens the interval, as `ScalingModels.predict` does. The trend
    of the last points, which `predict` follows there, too, does not count here.
    """
    models = models.take([kernel])
    summands = tuple(dict.fromkeys(s for m in range(len(models.rivals.weight)) for s in _summands(models, m)))
    ensemble = _draws(name, models, summands)
    inputs = [symbol(parameter) for parameter in models.parameters]
    total = constant(0)
    for sharpness in dict.fromkeys(sharpness for sharpness, _ in summands):
        inside, unit = constant(0), dimension ** Fraction(sharpness)
        for k, (knee, term) in enumerate(summands):
            if knee == sharpness:
                inside = inside + symbol(f"{name}.c{k}", unit) * _shape(term, inputs)
        total = total + (inside if sharpness == 1 else maximum(0, inside) ** (constant(1) / sharpness))
    beyond = constant(0)
    for parameter, last in zip(inputs, models.last, strict=True):
        beyond = beyond + maximum(0, log2(parameter / float(last)))
    total = total * (1 + symbol(f"{name}.drift") * sqrt(beyond))
    model = bind(maximum(0, total) if models.nonnegative else total, ensemble)
    for column, first, last in zip(models.parameters, models.quality.valid_from[0], models.last, strict=True):
        model = limited(model, column, float(first), float(last), f"{name} was measured for {column}")
    return model


def _summands(models: ScalingModels, rival: int) -> tuple[Summand, ...]:
    """What a rival of the only kernel adds up, the constant first, before the root of its knee is taken."""
    hypotheses, place = models.hypotheses, models.rivals.hypothesis[rival]
    sharpness = int(hypotheses.sharpness[place])
    terms = [hypotheses.terms[t] for t in hypotheses.rows[place] if t >= 0]
    return tuple((sharpness, term) for term in ((NO_EXPONENT,) * len(models.parameters), *terms))


def _shape(term: NormalTerm, inputs: Sequence[Model]) -> Model:
    product = constant(1)
    for parameter, exponent in zip(inputs, term, strict=True):
        for kind, power in factors(exponent):
            product = product * kind.value(parameter, log2) ** (constant(power.numerator) / power.denominator)
    return product


def _draws(name: str, models: ScalingModels, summands: Sequence[Summand]) -> Ensemble:
    rivals = models.rivals
    random = stream(name, "rivals")  # not by the coefficients, whose last digits differ between processors
    freedom = float(rivals.degrees[0])
    weight = rivals.weight / rivals.weight.sum()
    picked = random.choice(len(weight), size=QUANTITY_DRAWS, p=weight)
    stretch = np.sqrt(freedom / random.chisquare(freedom, QUANTITY_DRAWS))
    draws = np.zeros((QUANTITY_DRAWS, len(summands) + 1))
    for m in range(len(weight)):
        here = np.nonzero(picked == m)[0]
        columns = [summands.index(summand) for summand in _summands(models, m)]
        width = len(columns)
        noise = random.standard_normal((len(here), width)) @ _root(rivals.covariance[m, :width, :width])
        values = rivals.coefficients[m, :width] + noise * stretch[here, None]
        draws[here[:, None], columns] = values
    draws[:, -1] = rivals.drift[0] * random.standard_t(freedom, QUANTITY_DRAWS)
    estimate = np.zeros(len(summands) + 1)
    best = _summands(models, 0)
    estimate[[summands.index(summand) for summand in best]] = rivals.coefficients[0, : len(best)]
    names = (*(f"{name}.c{k}" for k in range(len(summands))), f"{name}.drift")
    notices = tuple(f"{name}: {note}" for note in models.notes(0))
    return Ensemble(names=names, estimate=estimate, draws=draws, notices=notices, rivals=True)


def _root(covariance: FloatArray) -> FloatArray:
    """Return the symmetric R with R R = covariance, also if that is singular; no other root is unique."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
