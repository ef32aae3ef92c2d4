"""Results over commits: one Parquet file with one row per label and kernel."""

import datetime
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.errors import InputError
from pipeline.gate.forecast import Forecast
from pipeline.gate.measurements import KernelId, Level, Measurements
from pipeline.gate.recording import set_digest
from pipeline.store.arrow import read_table, write_table

_DIGEST = b"sha256"
SCHEMA = pa.schema(
    {
        "label": pa.string(),
        "added": pa.timestamp("s", tz="UTC"),
        "level": pa.string(),
        "callpath": pa.list_(pa.string()),
        "metric": pa.string(),
        "unit": pa.string(),
        "at": pa.string(),
        "value": pa.float64(),
        "share": pa.float64(),
        "growth": pa.string(),
        "target": pa.string(),
        "predicted": pa.float64(),
        "verdict": pa.string(),
        "overhead": pa.string(),
        "recorded": pa.string(),
    }
)


def history_rows(
    study: Measurements,
    ahead: Forecast,
    target: Mapping[str, float],
    label: str,
    verdicts: Mapping[KernelId, str],
) -> pa.Table:
    """Return one table row per kernel: measured at the largest scale, predicted at the target.

    Args:
        study: the kernels.
        ahead: their forecast; its last target is `target`.
        target: the point predicted.
        label: identifies this state of the code, such as a commit.
        verdicts: of a check, if there was one.
    """
    at = int(np.argmax(study.scale))
    (point,) = study.named(study.points[[at]])
    count = len(study.kernels)
    now = datetime.datetime.now(datetime.UTC)
    columns = {
        "label": [label] * count,
        "added": [now] * count,
        "level": [k.level.value for k in study.kernels],
        "callpath": [list(k.callpath) for k in study.kernels],
        "metric": [study.metric] * count,
        "unit": [study.unit] * count,
        "at": [json.dumps(point)] * count,
        "value": study.mean[:, at].tolist(),
        "share": study.share[:, at].tolist(),
        "growth": [ahead.models.growth(k) for k in range(count)],
        "target": [json.dumps(dict(target))] * count,
        "predicted": ahead.prediction.value[:, -1].tolist(),
        "verdict": [verdicts.get(k, "") for k in study.kernels],
        "overhead": [study.origin.overhead] * count,
        "recorded": [set_digest(study.origin.recorded)] * count,
    }
    return pa.table(columns, schema=SCHEMA)


def add_to_history(path: Path, rows: pa.Table) -> int:
    """Append rows, replacing those of the same label, and return how many labels the file then holds.

    Raises:
        InputError: if the file is not a history, or of times that were treated differently.
    """
    label = rows["label"][0].as_py()
    if path.is_file():
        old = read_history(path)
        old = old.filter(pc.not_equal(old["label"], label))
        if len({*old["overhead"].to_pylist(), *rows["overhead"].to_pylist()} - {"", None}) > 1:
            raise InputError(
                "some times are corrected for overhead, others are as measured",
                where=str(path),
                hint="run with --overhead correct or --overhead keep, as for the earlier entries",
            )
        rows = pa.concat_tables([old, rows])
    write_table(path, rows.replace_schema_metadata({_DIGEST: _digest(rows)}))
    return len(pc.unique(rows["label"]))


def read_history(path: Path) -> pa.Table:
    """Read a history file.

    Raises:
        InputError: if it is not one.
    """
    hint = "write it with `pipeline history add OUT --label COMMIT`"
    try:
        table = read_table(path.read_bytes())
        told = (table.schema.metadata or {}).get(_DIGEST)  # not in files of older versions
        intact = told is None or told == _digest(table).encode()
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path), hint=hint) from error
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path), hint=hint) from error
    for name in {"overhead", "recorded"} - set(table.column_names):  # files of older versions
        table = table.append_column(name, pa.array([""] * len(table), pa.string()))
    if not set(SCHEMA.names) <= set(table.column_names):
        raise InputError("is not a history file", where=str(path), hint=hint)
    if not intact:
        raise InputError("has changed since it was written", where=str(path), hint="restore a copy of it")
    try:
        found: pa.Table = table.select(SCHEMA.names).cast(SCHEMA)
    except pa.ArrowException as error:
        raise InputError(f"is not a history file ({error})", where=str(path), hint=hint) from error
    return found


def _digest(table: pa.Table) -> str:
    """SHA-256 of all values, as text that every version of Arrow and Parquet gives back the same."""
    return hashlib.sha256(json.dumps(table.to_pydict(), default=str).encode()).hexdigest()


def kernel_rows(table: pa.Table) -> dict[KernelId, list[dict[str, Any]]]:
    """Group rows by kernel, each in the order they were added."""
    found: dict[KernelId, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        found.setdefault(KernelId(Level(row["level"]), tuple(row["callpath"])), []).append(row)
    return found
