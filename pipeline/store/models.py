"""Models as Arrow tables, one row per kernel, without loss."""

import json
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.errors import InputError
from pipeline.models.normal_form import Term
from pipeline.models.scaling_models import ScalingModels, formulas, growths, per_kernel_fields
from pipeline.store.arrow import numbers, texts

_KEY = b"scaling_models"


def to_table(models: ScalingModels) -> pa.Table:
    """Write models as a table.

    Columns are the per-kernel arrays of `ScalingModels` (fixed-size lists for more than one value per kernel)
    after two for human readers, ``formula`` and ``growth``; all else is JSON in the metadata.
    """
    columns: dict[str, pa.Array] = {
        "formula": texts(formulas(models)),
        "growth": texts(growths(models)),
    }
    shapes = {}
    for name in per_kernel_fields():
        values = getattr(models, name)
        shapes[name] = values.shape[1:]
        flat = numbers(values.reshape(-1))
        columns[name] = (
            pa.FixedSizeListArray.from_arrays(flat, _width(values.shape)) if values.ndim > 1 else flat
        )
    table = pa.table(columns)
    shared = {
        "parameters": models.parameters,
        "terms": [[[str(i), j] for i, j in t] for t in models.terms],
        "hypotheses": models.hypotheses.tolist(),
        "width": models.hypotheses.shape[1],
        "sharpness": models.sharpness.tolist(),
        "first": models.first.tolist(),
        "last": models.last.tolist(),
        "nonnegative": models.nonnegative,
        "correlation": models.correlation,
        "shapes": shapes,
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
    arrays = {}
    for f in fields(ScalingModels):
        if f.name in per_kernel_fields():
            column = table.column(f.name).combine_chunks()
            flat = column.flatten() if pa.types.is_fixed_size_list(column.type) else column
            arrays[f.name] = flat.to_numpy(zero_copy_only=False).reshape(-1, *shared["shapes"][f.name])
    return ScalingModels(
        parameters=tuple(shared["parameters"]),
        terms=tuple(_term(t) for t in shared["terms"]),
        hypotheses=np.array(shared["hypotheses"], dtype=np.int64).reshape(-1, shared["width"]),
        sharpness=np.array(shared["sharpness"], dtype=np.float64),
        first=np.array(shared["first"], dtype=np.float64),
        last=np.array(shared["last"], dtype=np.float64),
        nonnegative=shared["nonnegative"],
        correlation=shared["correlation"],
        **arrays,
    )


def _term(pairs: list[list[Any]]) -> Term:
    return tuple((Fraction(i), int(j)) for i, j in pairs)


def _width(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape[1:]))
