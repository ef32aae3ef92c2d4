"""Models as Arrow tables, one row per kernel, without loss."""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ingest.arrays import BoolArray, IntArray
from ingest.errors import InputError
from pipeline.models.forms import stored_exponent, term
from pipeline.models.quality import Quality
from pipeline.models.rivals import Hypotheses, Rivals
from pipeline.models.scaling_models import LocationCount, ScalingModels
from pipeline.models.trend import CombinedTrend, ForecastErrors, Trend
from pipeline.store.arrow import from_ipc, ipc_bytes, numbers, numbers_of

_KEY = b"scaling_models"
RAGGED = ("chosen", "weight", "coefficients", "covariance")
_IN_RIVALS = {"chosen": "hypothesis"}
_OF_RIVALS = ("degrees", "drift")
PER_KERNEL = (*_OF_RIVALS, *(field.name for field in fields(Quality)))


def to_table(models: ScalingModels) -> pa.Table:
    """Write models as a table.

    Columns are the arrays of `Rivals` and `Quality` (lists where a kernel has several values), and the
    logarithms, noise and shift of the trends; all else is JSON in the
    metadata, the model of the sum among it.
    """
    columns: dict[str, pa.Array] = {}
    rivals = models.rivals
    for name in RAGGED:
        columns[name] = _lists(getattr(rivals, _IN_RIVALS.get(name, name)), rivals.begin)
    for name in PER_KERNEL:
        columns[name] = _column(getattr(rivals if name in _OF_RIVALS else models.quality, name))
    trend = models.trend
    if trend is not None:
        columns["trend_logs"], columns["trend_misfit"] = map(_column, (trend.trend.logs, trend.trend.misfit))
        columns["trend_noise"], columns["trend_shift"] = map(_column, (trend.noise, trend.shift))
        columns["trend_grows"] = _column(trend.grows.astype(np.int64))
        columns["trend_steady"], columns["trend_usual"] = map(
            _column, (trend.trend.steady, trend.trend.usual)
        )
    if models.common_error is not None:
        columns["common_error"] = _column(models.common_error)
    table = pa.table(columns)
    shared = {
        "parameters": models.parameters,
        "terms": [[stored_exponent(one) for one in t] for t in models.hypotheses.terms],
        "hypotheses": models.hypotheses.rows.tolist(),
        "width": models.hypotheses.rows.shape[1],
        "sharpness": models.hypotheses.sharpness.tolist(),
        "first": models.first.tolist(),
        "last": models.last.tolist(),
        "nonnegative": models.nonnegative,
        "correlation": models.correlation,
        "per": None if models.per is None else asdict(models.per),
        "trend": None if trend is None else _trend_settings(trend),
        "whole": None if models.whole is None else _encoded(to_table(models.whole)),
    }
    return table.replace_schema_metadata({_KEY: json.dumps(shared).encode()})


def from_table(table: pa.Table) -> ScalingModels:
    """Read what `to_table` wrote.

    Raises:
        InputError: the table holds no models.
    """
    metadata = table.schema.metadata or {}
    if _KEY not in metadata:
        raise InputError("the table holds no scaling models", hint="run `pipeline run` again")
    shared: dict[str, Any] = json.loads(metadata[_KEY])
    width = 1 + shared["width"]
    flat = {name: _values(table, name) for name in RAGGED}
    there = flat["chosen"] >= 0  # tables of before have places for as many rivals as any kernel has
    per_kernel = {name: _values(table, name) for name in PER_KERNEL}
    per_kernel["valid_from"] = per_kernel["valid_from"].reshape(-1, len(shared["parameters"]))
    return ScalingModels(
        parameters=tuple(shared["parameters"]),
        first=np.array(shared["first"], dtype=np.float64),
        last=np.array(shared["last"], dtype=np.float64),
        nonnegative=shared["nonnegative"],
        correlation=shared["correlation"],
        hypotheses=Hypotheses(
            terms=tuple(term(*exponents) for exponents in shared["terms"]),
            rows=np.array(shared["hypotheses"], dtype=np.int64).reshape(-1, shared["width"]),
            sharpness=np.array(shared["sharpness"], dtype=np.float64),
        ),
        rivals=Rivals(
            begin=_begin(table, there),
            hypothesis=flat["chosen"][there],
            weight=flat["weight"][there],
            coefficients=flat["coefficients"].reshape(-1, width)[there],
            covariance=flat["covariance"].reshape(-1, width, width)[there],
            **{name: per_kernel.pop(name) for name in _OF_RIVALS},
        ),
        quality=Quality(**per_kernel),
        per=_location_count(shared.get("per")),
        trend=None if shared["trend"] is None else _trend(shared["trend"], table),
        whole=None if shared["whole"] is None else from_table(from_ipc(base64.b64decode(shared["whole"]))),
        common_error=_values(table, "common_error") if "common_error" in table.column_names else None,
    )


def _location_count(stored: dict[str, Any] | None) -> LocationCount | None:
    if stored is None:
        return None
    return LocationCount(factor=stored["factor"], columns=tuple(stored["columns"]))


def _begin(table: pa.Table, there: BoolArray) -> IntArray:
    """Where the rivals of each kernel begin, int64[K + 1], if only those that are there count."""
    column = table.column("chosen").combine_chunks()
    count = numbers_of(column.value_lengths())
    before = np.concatenate([[0], np.cumsum(there)])
    return np.asarray(before[np.concatenate([[0], np.cumsum(count)])], dtype=np.int64)


def _trend_settings(combined: CombinedTrend) -> dict[str, Any]:
    errors = combined.errors
    return {
        "points": combined.trend.points.tolist(),
        "steepest": combined.trend.steepest.tolist(),
        "power": combined.trend.power.tolist(),
        "kept": combined.trend.kept.tolist(),
        "counts": combined.trend.counts.tolist(),
        "of_formula": errors.formula.tolist(),
        "of_trend": errors.trend.tolist(),
        "formulas_hold": errors.formulas_hold,
        "last_sum": combined.last_sum if np.isfinite(combined.last_sum) else None,
    }


def _trend(settings: Mapping[str, Any], table: pa.Table) -> CombinedTrend:
    points = np.array(settings["points"], dtype=np.float64)
    noise, shift = (_values(table, name) for name in ("trend_noise", "trend_shift"))
    grows, steady, usual = (
        _values(table, name) if name in table.column_names else np.full(len(noise), unknown)
        for name, unknown in (("trend_grows", 0.0), ("trend_steady", 0.0), ("trend_usual", np.inf))
    )
    logs, misfit = (_values(table, name).reshape(-1, len(points)) for name in ("trend_logs", "trend_misfit"))
    steepest = np.array(settings["steepest"])
    power, kept = settings.get("power", np.zeros(len(steepest))), settings.get("kept", np.ones(len(steepest)))
    return CombinedTrend(
        trend=Trend(
            points=points,
            logs=logs,
            steepest=steepest,
            misfit=misfit,
            power=np.array(power),
            kept=np.array(kept),
            steady=steady,
            usual=usual,
            counts=np.array(settings.get("counts", np.zeros(len(steepest))), dtype=np.bool_),
        ),
        noise=noise,
        errors=ForecastErrors(
            formula=np.array(settings["of_formula"]),
            trend=np.array(settings["of_trend"]),
            formulas_hold=settings["formulas_hold"],
        ),
        shift=shift,
        grows=grows != 0,
        last_sum=np.inf if settings.get("last_sum") is None else settings["last_sum"],
    )


def _values(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """All values of a column in a row, lists one after the other."""
    column = table.column(name).combine_chunks()
    flat = column.flatten() if hasattr(column, "flatten") and pa.types.is_nested(column.type) else column
    return numbers_of(flat)


def _encoded(table: pa.Table) -> str:
    return base64.b64encode(ipc_bytes(table)).decode()


def _column(values: npt.NDArray[Any]) -> pa.Array:
    """One value per row, or a list of fixed length; `_values` reads it."""
    flat = numbers(values.reshape(-1))
    if values.ndim == 1:
        return flat
    return pa.FixedSizeListArray.from_arrays(flat, int(np.prod(values.shape[1:])))


def _lists(values: npt.NDArray[Any], begin: IntArray) -> pa.Array:
    """A list of as many values per row as a kernel has rivals, those of a rival one after the other."""
    each = int(np.prod(values.shape[1:]))
    return pa.ListArray.from_arrays(numbers((begin * each).astype(np.int32)), numbers(values.reshape(-1)))
