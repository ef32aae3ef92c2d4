"""Scaling models of a measured experiment as terms, with rivals, covariance and drift as joint draws."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.arrays import FloatArray
from ingest.errors import InputError
from ingest.readers.textfile import read_text
from pipeline.models.normal_form import Term as NormalTerm
from pipeline.models.scaling_models import ScalingModels
from pipeline.projection.binding import bind, limited
from pipeline.projection.ensemble import DRAWS, Ensemble, stream
from pipeline.projection.model import Limit, Model, constant, log2, maximum, sqrt, symbol
from pipeline.projection.symbolic import real_symbol
from pipeline.projection.toml_tables import Table, check_keys, path_at, text_at
from pipeline.projection.units import TIME, Dimension, parse_unit
from pipeline.store.models import from_table

_REGIONS, _CALLPATHS, _SUMMARY = "region_models.parquet", "models.parquet", "summary.json"
_KEYS = ("model", "results", "region", "callpath")


def measured_term(table: Table, name: str, where: str, folder: Path) -> tuple[tuple[str, ...], Model]:
    """Return inputs and model of a term like ``{model = "measured", results = "results", region = "Amul"}``.

    The inputs are the experiment's parameters; a time comes in seconds, an effort in core-seconds.

    Raises:
        InputError: where the results directory or the kernel is not there.
    """
    check_keys(table, _KEYS, where)
    directory = path_at(table, "results", where, folder)
    wanted = _wanted(table, where)
    models, paths = _stored(directory, _CALLPATHS if "callpath" in table else _REGIONS)
    if wanted not in paths:
        shown = ", ".join(sorted({path[-1] for path in paths})[:8])
        raise InputError(
            f"no kernel '{' / '.join(wanted)}' in {directory}", where=where, hint=f"kernels are {shown} ..."
        )
    model = scaling_model(name, models, paths.index(wanted), dimension=_dimension(directory))
    return models.parameters, model


def scaling_model(name: str, models: ScalingModels, kernel: int, *, dimension: Dimension = TIME) -> Model:
    """Return one kernel's normal form as a model over the experiment's parameters.

    Every draw picks a rival by its probability, and coefficients from that rival's Student t distribution;
    beyond the measured range the stored drift widens the interval, as `ScalingModels.predict` does.

    Args:
        name: what its symbols begin with.
        models: fitted models.
        kernel: which of them.
        dimension: what it measures.
    """
    rivals = [
        m for m, index in enumerate(models.chosen[kernel]) if index >= 0 and models.weight[kernel, m] > 0
    ]
    terms = tuple(dict.fromkeys(term for m in rivals for term in models.hypothesis(kernel, m)))
    ensemble = _draws(name, models, kernel, rivals, terms)
    inputs = [symbol(parameter) for parameter in models.parameters]
    total = symbol(f"{name}.c0", dimension)
    for k, term in enumerate(terms, 1):
        total = total + symbol(f"{name}.c{k}", dimension) * _shape(term, inputs)
    beyond = constant(0)
    for parameter, last in zip(inputs, models.last, strict=True):
        beyond = beyond + maximum(0, log2(parameter / float(last)))
    total = total * (1 + symbol(f"{name}.drift") * sqrt(beyond))
    model = bind(maximum(0, total) if models.nonnegative else total, ensemble)
    for column, first, last in zip(models.parameters, models.valid_from[kernel], models.last, strict=True):
        says = f"{name} was measured for {column}"
        model = limited(
            model, Limit(expression=real_symbol(column), lower=float(first), upper=float(last), says=says)
        )
    return model


def _shape(term: NormalTerm, inputs: Sequence[Model]) -> Model:
    product = constant(1)
    for parameter, (power, logarithms) in zip(inputs, term, strict=True):
        exponent = constant(power.numerator) / power.denominator
        product = product * parameter**exponent * log2(parameter) ** constant(logarithms)
    return product


def _draws(
    name: str, models: ScalingModels, kernel: int, rivals: Sequence[int], terms: Sequence[NormalTerm]
) -> Ensemble:
    random = stream(name, models.coefficients[kernel].tobytes())
    freedom = float(models.degrees[kernel])
    weight = models.weight[kernel, rivals] / models.weight[kernel, rivals].sum()
    picked = random.choice(len(rivals), size=DRAWS, p=weight)
    stretch = np.sqrt(freedom / random.chisquare(freedom, DRAWS))
    draws = np.zeros((DRAWS, len(terms) + 2))
    for row, m in enumerate(rivals):
        here = np.nonzero(picked == row)[0]
        width = 1 + len(models.hypothesis(kernel, m))
        noise = random.standard_normal((len(here), width)) @ _root(
            models.covariance[kernel, m, :width, :width]
        )
        columns = [0, *(1 + terms.index(term) for term in models.hypothesis(kernel, m))]
        values = models.coefficients[kernel, m, :width] + noise * stretch[here, None]
        draws[here[:, None], columns] = values
    draws[:, -1] = models.drift[kernel] * random.standard_t(freedom, DRAWS)
    estimate = np.zeros(len(terms) + 2)
    estimate[0] = models.constant(kernel)
    for coefficient, term in models.weighted_terms(kernel):
        estimate[1 + terms.index(term)] = coefficient
    names = (*(f"{name}.c{k}" for k in range(len(terms) + 1)), f"{name}.drift")
    notices = tuple(f"{name}: {note}" for note in models.notes(kernel))
    return Ensemble(names=names, estimate=estimate, draws=draws, notices=notices, rivals=True)


def _root(covariance: FloatArray) -> FloatArray:
    """Return R with transpose(R) R = covariance, also where that is singular."""
    values, vectors = np.linalg.eigh(covariance)
    root: FloatArray = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return root


def _wanted(table: Table, where: str) -> tuple[str, ...]:
    if "callpath" not in table:
        return (text_at(table, "region", where),)
    path = table["callpath"]
    if not isinstance(path, list) or not path or not all(isinstance(part, str) for part in path):
        hint = 'write callpath = ["main", "solve"]'
        raise InputError("'callpath' has to be a list of region names", where=where, hint=hint)
    return tuple(path)


def _stored(directory: Path, file: str) -> tuple[ScalingModels, list[tuple[str, ...]]]:
    path = directory / file
    hint = f"make it with `pipeline run DIR --out {directory}`"
    try:
        table = pq.read_table(path)
        return from_table(table), [tuple(names) for names in table["callpath"].to_pylist()]
    except FileNotFoundError as error:
        raise InputError("no stored models", where=str(path), hint=hint) from error
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise InputError(f"the stored models are damaged ({error})", where=str(path), hint=hint) from error


def _dimension(directory: Path) -> Dimension:
    path = directory / _SUMMARY
    try:
        summary: dict[str, Any] = json.loads(read_text(path))
        unit = str(summary["total"]["unit"])
    except (ValueError, KeyError, TypeError) as error:
        hint = "run `pipeline run` again"
        raise InputError(f"no unit in the summary ({error})", where=str(path), hint=hint) from error
    return parse_unit(unit)[1]
