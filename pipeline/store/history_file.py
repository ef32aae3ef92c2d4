"""Results over commits: one Parquet file with one row per label and kernel."""

import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from types import MappingProxyType
from typing import get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.arrays import BoolArray, FloatArray, IntArray
from ingest.errors import InputError
from ingest.reading.packed import content_of
from pipeline.gate.compared_studies import set_digest
from pipeline.gate.kernel_values import SAME_VALUES, KernelId, KernelValues, Scope, wall_times
from pipeline.gate.target_forecast import Forecast
from pipeline.gate.trends import Entries, HistoryRow, by_share, entries_text
from pipeline.store.arrow import read_table, write_table
from pipeline.wording.quantities import counted

_DIGEST = b"sha256 of columns"
_NOTHING: Mapping[KernelId, str] = MappingProxyType({})
_BASELINES = 2  # entries of a machine and point that keep theirs
_EARLIER_DIGEST = b"sha256"  # of the values as JSON, which takes minutes for thousands of commits
_TYPES = {
    str: pa.string(),
    float: pa.float64(),
    datetime.datetime: pa.timestamp("s", tz="UTC"),
    tuple[str, ...]: pa.list_(pa.string()),
}
SCHEMA = pa.schema({name: _TYPES[kind] for name, kind in get_type_hints(HistoryRow).items()})


def history_rows(
    study: KernelValues,
    ahead: Forecast,
    target: Mapping[str, float],
    label: str,
    verdicts: Mapping[KernelId, str],
    commit: str = "",
    *,
    previous: str = "",
    steps: Mapping[KernelId, str] = _NOTHING,
    said: Mapping[KernelId, str] = _NOTHING,
    baseline: str = "",
) -> pa.Table:
    """Return one table row per kernel: measured at the largest scale, predicted at the target of `ahead`.

    The label identifies this state of the code, such as a commit, which is for links. The entry was tested
    against that of the label `previous`: `steps` are the verdicts, and `said` why. The baseline is the text
    of a file of this study, for the next entry.
    """
    at = int(np.argmax(study.scale))
    predicted = ahead.prediction
    now_takes = wall_times(study, study.mean[:, at], study.points[at])
    will_take = wall_times(
        study, predicted.value[:, -1], np.array([target[name] for name in study.parameters])
    )
    count = len(study.kernels)
    now = datetime.datetime.now(datetime.UTC)
    columns = {
        "label": [label] * count,
        "added": [now] * count,
        "level": [k.level.value for k in study.kernels],
        "callpath": [list(k.callpath) for k in study.kernels],
        "metric": [study.metric] * count,
        "unit": [study.unit] * count,
        "at": [_largest_point(study)] * count,
        "value": study.mean[:, at].tolist(),
        "share": study.share[:, at].tolist(),
        "growth": [formula().growth for formula in ahead.formulas],
        "target": [json.dumps(dict(target))] * count,
        "predicted": predicted.value[:, -1].tolist(),
        "verdict": [verdicts.get(k, "") for k in study.kernels],
        "overhead": [study.origin.overhead] * count,
        "recorded": [set_digest(study.origin.recorded)] * count,
        "commit": [commit] * count,
        "machine": [study.origin.machine] * count,
        "predicted_lower": predicted.lower[:, -1].tolist(),
        "predicted_upper": predicted.upper[:, -1].tolist(),
        "wall_seconds": now_takes.seconds.tolist(),
        "predicted_wall_seconds": will_take.seconds.tolist(),
        "efficiency": now_takes.efficiency.tolist(),
        "predicted_efficiency": will_take.efficiency.tolist(),
        "previous": [previous] * count,
        "step": [steps.get(k, "") for k in study.kernels],
        "said": [said.get(k, "") for k in study.kernels],
        "baseline": [baseline, *[""] * (count - 1)],
    }
    return pa.table(columns, schema=SCHEMA)


def add_to_history(path: Path, rows: pa.Table) -> int:
    """Append rows, replacing those of the same label, and return how many labels the file then holds.

    InputError if the file is not a history, or of times that were treated differently.
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
        rows = _without_old_baselines(pa.concat_tables([old, rows]))
    write_table(path, rows.replace_schema_metadata({_DIGEST: _digest(rows)}))
    return len(pc.unique(rows["label"]))


def _without_old_baselines(table: pa.Table) -> pa.Table:
    """Keep the baselines that the next entry can be tested against, also if it replaces the newest one."""
    texts, series = table["baseline"].to_pylist(), defaultdict(list)
    for n, row in enumerate(table.select(["metric", "at", "machine"]).to_pylist()):
        if texts[n]:
            series[tuple(row.values())].append(n)
    for rows in series.values():
        for n in rows[:-_BASELINES]:
            texts[n] = ""
    return table.set_column(SCHEMA.get_field_index("baseline"), "baseline", pa.array(texts, pa.string()))


def entry_before(path: Path, study: KernelValues, label: str) -> HistoryRow | None:
    """Return the total of the newest other entry that keeps its baseline and can be compared with a study."""
    if not path.is_file():
        return None
    table = read_history(path)
    kept = _rows(table.filter(pc.greater(pc.utf8_length(table["baseline"]), 0)))
    of_it = (study.metric, study.unit, _largest_point(study)), study.origin.machine
    return next((one for one in reversed(kept) if one.label != label and _alike(one, *of_it)), None)


def _largest_point(study: KernelValues) -> str:
    (point,) = study.named(study.points[[int(np.argmax(study.scale))]])
    return json.dumps(point)


def read_history(path: Path) -> pa.Table:
    """Read a history file; InputError if it is not one."""
    hint = "write it with `pipeline history add OUT --label COMMIT`"
    try:
        table = read_table(content_of(path))
        intact = _is_intact(table)
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path), hint=hint) from error
    except (OSError, pa.ArrowException, LookupError, ValueError, OverflowError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path), hint=hint) from error
    for one in fields(HistoryRow):
        if one.name not in table.column_names and one.default is not MISSING:
            unknown = pa.scalar(one.default, SCHEMA.field(one.name).type)
            table = table.append_column(one.name, pa.repeat(unknown, len(table)))
    if not set(SCHEMA.names) <= set(table.column_names):
        raise InputError("is not a history file", where=str(path), hint=hint)
    if not intact:
        raise InputError("has changed since it was written", where=str(path), hint="restore a copy of it")
    try:
        found: pa.Table = table.select(SCHEMA.names).cast(SCHEMA)
    except pa.ArrowException as error:
        raise InputError(f"is not a history file ({error})", where=str(path), hint=hint) from error
    return found


def _is_intact(table: pa.Table) -> bool:
    """Return whether a table has the values it was written with; files of the first version do not say."""
    metadata = table.schema.metadata or {}
    if _DIGEST in metadata:
        return bool(metadata[_DIGEST] == _digest(table))
    if _EARLIER_DIGEST in metadata:
        text = json.dumps(table.to_pydict(), default=str)
        return bool(metadata[_EARLIER_DIGEST] == hashlib.sha256(text.encode()).hexdigest().encode())
    return True


def _digest(table: pa.Table) -> bytes:
    """SHA-256 of all values, from what every version of Arrow and Parquet gives back the same.

    Texts count as the distinct ones in the order in which they occur, and which of them each row has.
    """
    digest = hashlib.sha256()
    for name in table.column_names:
        column = table[name].combine_chunks()
        digest.update(name.encode())
        if pa.types.is_list(column.type):
            digest.update(_integers(pc.list_value_length(column)))
            column = pc.list_flatten(column)
        if pa.types.is_timestamp(column.type):  # Parquet has no seconds, and gives back milliseconds
            column = column.cast(pa.timestamp("s", column.type.tz), safe=False)
        if pa.types.is_string(column.type):
            coded = pc.dictionary_encode(column)
            digest.update(json.dumps(coded.dictionary.to_pylist()).encode())
            column = coded.indices
        digest.update(_integers(column) if not pa.types.is_floating(column.type) else _floats(column))
    return digest.hexdigest().encode()


def _integers(column: pa.Array) -> bytes:
    """Return integers and times as bytes of 64 bits each, what is missing as -1."""
    whole: bytes = pc.fill_null(column.cast(pa.int64()), -1).to_numpy(zero_copy_only=False).tobytes()
    return whole


def _floats(column: pa.Array) -> bytes:
    """Return numbers as bytes of 64 bits each; all that are not numbers are the same."""
    values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.where(np.isnan(values), np.nan, values).tobytes()


def kernel_rows(
    table: pa.Table, wanted: Callable[[KernelId], bool] = lambda kernel: True
) -> dict[KernelId, list[HistoryRow]]:
    """Group the rows of kernels that are wanted, each in the order they were added."""
    kernel, kernels = _numbered_kernels(table)
    some = np.flatnonzero(np.array([wanted(one) for one in kernels], dtype=np.bool_)[kernel])
    found: dict[KernelId, list[HistoryRow]] = {}
    for n, row in zip(kernel[some].tolist(), _rows(table.take(some)), strict=True):
        found.setdefault(kernels[n], []).append(row)
    return found


def _rows(table: pa.Table) -> list[HistoryRow]:
    """Return the rows of a table; texts that are missing are empty."""
    texts = [one.name for one in SCHEMA if one.type == pa.string()]
    return [HistoryRow(**{**row, **{name: row[name] or "" for name in texts}}) for row in table.to_pylist()]


def _numbered_kernels(table: pa.Table) -> tuple[IntArray, tuple[KernelId, ...]]:
    """Return which kernel each row has, int64[rows], and the kernels in the order of their first rows.

    ValueError if a kernel has no name or an unknown level.
    """
    callpath = table["callpath"].combine_chunks()
    if callpath.null_count:
        raise ValueError("a kernel has no name")
    names = pc.dictionary_encode(pc.list_flatten(callpath)).indices.cast(pa.string())
    lengths = pc.list_value_length(callpath).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    keys = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), names), " ")
    number, first_rows = _numbered_texts(
        pc.binary_join_element_wise(table["level"].combine_chunks(), keys, " ")
    )
    firsts = table.select(["level", "callpath"]).take(first_rows).to_pylist()
    return number, tuple(KernelId(Scope(row["level"]), tuple(row["callpath"])) for row in firsts)


def _numbered_texts(column: pa.ChunkedArray | pa.Array) -> tuple[IntArray, IntArray]:
    """Number the distinct texts of a column by their first rows: int64[rows], and these rows."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    number = whole.dictionary_encode(null_encoding="encode").indices.to_numpy().astype(np.int64)
    return number, np.unique(number, return_index=True)[1].astype(np.int64)


_MOST_KERNELS = 500  # those of the largest shares
_LARGEST = 1e100  # values beyond it, or below its inverse, were not measured


def comparable(table: pa.Table, machine: str = "") -> Entries:
    """Return the entries that can be compared with the newest one, of a machine if one is named.

    They have the same metric, point and machine; entries whose machine is unknown count as of the same one.
    InputError if there is no such entry, or what the columns hold is not what a history has.
    """
    try:
        return _comparable(table, machine)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, pa.ArrowException) as error:
        raise InputError(f"the history has an entry that cannot be understood ({error})") from error


def _comparable(table: pa.Table, machine: str) -> Entries:
    label, first_rows = _numbered_texts(table["label"])
    heads = _rows(table.take(first_rows))
    if not heads:
        raise InputError("the history has no entries", hint="add one with `pipeline history add`")
    newest = next((head for head in reversed(heads) if machine in ("", head.machine)), None)
    if newest is None:
        known = sorted({head.machine for head in heads} - {""})
        raise InputError(
            f"no entry of machine '{machine}'",
            where="--machine",
            hint=f"machines of the history: {', '.join(known) or 'none is known'}",
        )
    like_newest = [_alike(head, _kind(newest), newest.machine) for head in heads]
    chosen = np.flatnonzero(like_newest).tolist()
    entry = np.full(len(heads), -1)
    entry[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(entry[label] >= 0)
    heads_left_out = [head for head, alike in zip(heads, like_newest, strict=True) if not alike]
    return _entries(table.take(rows), entry[label[rows]], [heads[n] for n in chosen], heads_left_out)


def _kind(head: HistoryRow) -> tuple[str, str, str]:
    return head.metric, head.unit, head.at


def _alike(head: HistoryRow, kind: tuple[str, str, str], machine: str) -> bool:
    """Return whether the entry of a row can be compared with one of a kind on a machine."""
    return _kind(head) == kind and (head.machine in ("", machine) or not machine)


def _entries(
    table: pa.Table, entry: IntArray, heads: Sequence[HistoryRow], left_out: Sequence[HistoryRow]
) -> Entries:
    """Return the entries of a table, from the entry of each row, int64[rows], and the first row of each."""
    newest = heads[-1]
    kernel, kernels = _numbered_kernels(table)
    if not any(kernel.level is Scope.TOTAL for kernel in kernels):
        raise ValueError("there is no total")
    shape = len(kernels), len(heads)
    share = _matrix(shape, kernel, entry, _numbers(table, "share"))
    value = _matrix(shape, kernel, entry, _numbers(table, "value"))
    order = by_share(kernels, share)
    order = order[~_of_one_callpath(kernels, value)[order]]
    left = max(len(order) - _MOST_KERNELS, 0)
    order = order[:_MOST_KERNELS]

    def numbers(name: str, wanted: BoolArray | None = None) -> FloatArray:
        values = _numbers(table, name)
        if wanted is not None:
            values = np.where(wanted, values, np.nan)
        return _matrix(shape, kernel, entry, values)[order]

    def texts(name: str) -> tuple[tuple[str, ...], IntArray]:
        code, firsts = _numbered_texts(table[name])
        names = tuple(text or "" for text in table[name].take(firsts).to_pylist())
        found = np.full(shape, -1)
        found[kernel, entry] = np.where(np.array(names)[code] == "", -1, code)
        return names, found[order]

    same_target = pc.equal(table["target"], newest.target).to_numpy(zero_copy_only=False).astype(np.bool_)
    growths, growth = texts("growth")
    verdicts, verdict = texts("verdict")
    steps, step = texts("step")
    return Entries(
        labels=tuple(head.label for head in heads),
        commits=tuple(head.commit for head in heads),
        added=np.array([int(head.added.timestamp()) for head in heads], dtype=np.int64),
        machine=newest.machine,
        metric=newest.metric,
        unit=newest.unit,
        at=_point(newest.at),
        target=_point(newest.target),
        kernels=tuple(kernels[k] for k in order.tolist()),
        value=value[order],
        share=share[order],
        predicted=numbers("predicted", same_target),
        lower=numbers("predicted_lower", same_target),
        upper=numbers("predicted_upper", same_target),
        wall_seconds=numbers("predicted_wall_seconds", same_target),
        efficiency=numbers("predicted_efficiency", same_target),
        growths=growths,
        growth=growth,
        verdicts=verdicts,
        verdict=verdict,
        steps=steps,
        step=step,
        totals=tuple(heads),
        notices=tuple(_notices(newest, left_out, left)),
    )


def _point(text: str) -> dict[str, float]:
    point = {str(name): float(value) for name, value in json.loads(text).items()}
    if not all(0 < value < _LARGEST for value in point.values()):
        raise ValueError(f"{text} is not a measurement point")
    return point


def _of_one_callpath(kernels: Sequence[KernelId], value: FloatArray) -> BoolArray:
    """Return which kernels are regions with the values of a single call path, bool[K]: nothing new."""
    callpaths: dict[str, list[int]] = defaultdict(list)
    for k, kernel in enumerate(kernels):
        if kernel.level is Scope.CALLPATH:
            callpaths[kernel.region].append(k)
    return np.array(
        [
            kernel.level is Scope.REGION
            and any(
                np.allclose(value[k], value[other], rtol=SAME_VALUES, atol=0, equal_nan=True)
                for other in callpaths[kernel.region]
            )
            for k, kernel in enumerate(kernels)
        ],
        dtype=np.bool_,
    )


def _notices(newest: HistoryRow, left_out: Sequence[HistoryRow], kernels: int) -> list[str]:
    found = []
    others = sum(_kind(head) == _kind(newest) for head in left_out)
    if others:
        machines = sorted({head.machine for head in left_out} - {newest.machine, ""})
        found.append(
            f"left out: {entries_text(others)} of other machines ({', '.join(machines)}); `--machine NAME` "
            "shows those of one"
        )
    if len(left_out) > others:
        found.append(f"left out: {entries_text(len(left_out) - others)} of another measured point or metric")
    if kernels:
        found.append(f"left out: {counted(kernels, 'kernel')} of the smallest shares")
    return found


def _numbers(table: pa.Table, name: str) -> FloatArray:
    """Return a column, float64[rows]; NaN for what cannot be a value."""
    values = table[name].combine_chunks().to_numpy(zero_copy_only=False).astype(np.float64)
    size = np.abs(values)
    return np.where((size == 0) | ((size > 1 / _LARGEST) & (size < _LARGEST)), values, np.nan)


def _matrix(shape: tuple[int, int], kernel: IntArray, entry: IntArray, values: FloatArray) -> FloatArray:
    found = np.full(shape, np.nan)
    found[kernel, entry] = values
    return found
