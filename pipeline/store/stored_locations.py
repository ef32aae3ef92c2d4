"""Values of the largest kernels on each location as Parquet: locations.parquet, at most 5 MB."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.arrays import BoolArray
from pipeline.models.kernel_locations import KernelLocations, PointLocations, folded
from pipeline.store.arrow import lists_of_numbers, numbers, numbers_of, read_table, texts
from pipeline.store.atomic import write_bytes

LOCATIONS = "locations.parquet"
MOST_LOCATION_BYTES = 5_000_000
FEWEST_RANGES = 16  # of a point, before there are fewer kernels
_PLACES = ("process", "thread")
_OF_RANGES = ("last_process", "last_thread", "count")  # empty for single locations, as are low and high
_VALUES = ("mean", "low", "high")
_COMPRESSED = 0.5  # of the bytes of values, at best
_ENCODING = {f"{name}.list.element": "DELTA_BINARY_PACKED" for name in _PLACES + _OF_RANGES} | {
    f"{name}.list.element": "BYTE_STREAM_SPLIT" for name in _VALUES
}


def write_locations(directory: Path, found: Sequence[KernelLocations]) -> tuple[KernelLocations, ...]:
    """Store the largest kernels on each location, one row per kernel and point, and return what was stored.

    If the file would exceed `MOST_LOCATION_BYTES`, the points of the most locations are folded into
    ranges, and if that is not enough, the smallest kernels are left out; `abridged` says so.
    """
    shown = tuple(found)
    most = max((len(point) for one in found for point in one.points), default=0)
    while (content := _small_enough(shown)) is None:
        if most > FEWEST_RANGES:
            most = max(most // 2, FEWEST_RANGES)
            shown = tuple(folded(one, most) for one in found)
        else:
            shown = tuple(one.take(np.arange(len(one.region) // 2)) for one in shown)
    write_bytes(directory / LOCATIONS, content)
    return shown


def _small_enough(found: Sequence[KernelLocations]) -> bytes | None:
    """Return the content of the file; None if it exceeds the limit, as its values alone may already show."""
    points = [(len(one.region), point) for one in found for point in one.points]
    count = sum(kernels * len(point) * (3 if point.folded else 1) for kernels, point in points)
    if _COMPRESSED * count * np.dtype(np.float32).itemsize > MOST_LOCATION_BYTES:
        return None
    sink = BytesIO()
    pq.write_table(
        _table(found),
        sink,
        compression="zstd",
        use_dictionary=["metric", "unit", "region", "node.list.element"],
        column_encoding=_ENCODING,
    )
    content = sink.getvalue()
    return content if len(content) <= MOST_LOCATION_BYTES else None


def abridged(measured: Sequence[KernelLocations], stored: Sequence[KernelLocations]) -> list[str]:
    """Say what is not in the file for the sake of its size."""
    found = []
    for whole, part in zip(measured, stored, strict=True):
        longest, ranges = (max(int(point.count.max()) for point in of.points) for of in (whole, part))
        if ranges > longest:
            what = f"ranges of up to {ranges} locations (mean, smallest and largest value)"
            found.append(f"{LOCATIONS} has the {whole.metric} of {what}, so that it stays below 5 MB")
        if len(part.region) < len(whole.region):
            what = f"the {len(part.region)} largest of {len(whole.region)} kernels"
            found.append(f"{LOCATIONS} has the {whole.metric} of {what}, so that it stays below 5 MB")
    return found


def _table(found: Sequence[KernelLocations]) -> pa.Table:
    rows = [(one, k, point) for one in found for k in range(len(one.region)) for point in one.points]
    columns: dict[str, pa.Array] = {
        "metric": texts([one.metric for one, _, _ in rows]),
        "unit": texts([one.unit for one, _, _ in rows]),
        "region": texts([one.region[k] for one, k, _ in rows]),
        "callpath": _integers([int(one.callpath[k]) for one, k, _ in rows]),
        "alone": _integers([int(one.alone[k]) for one, k, _ in rows]),
        "point": _integers([point.point for _, _, point in rows]),
        "node": _nodes([point for _, _, point in rows]),
    }
    for name in _PLACES:
        columns[name] = _lists([getattr(point, name) for _, _, point in rows], np.int32)
    for name in _OF_RANGES:
        parts = [getattr(point, name) if point.folded else np.empty(0) for _, _, point in rows]
        columns[name] = _lists(parts, np.int32)
    for name in _VALUES:
        parts = [
            getattr(point, name)[k] if name == "mean" or point.folded else np.empty(0) for _, k, point in rows
        ]
        columns[name] = _lists(parts, np.float32)
    return pa.table(columns)


def _integers(values: Sequence[int]) -> pa.Array:
    return numbers(np.array(values, dtype=np.int64))


def _lists(values: Sequence[npt.NDArray[Any]], kind: type[np.number[Any]]) -> pa.Array:
    return lists_of_numbers([part.astype(kind) for part in values], kind)


def _nodes(points: Sequence[PointLocations]) -> pa.Array:
    """Return the names of nodes, one list per row; each name is there once."""
    names = list(dict.fromkeys(name for point in {id(p): p for p in points}.values() for name in point.node))
    number = {name: i for i, name in enumerate(names)}
    known = {id(p): np.array([number[name] for name in p.node], dtype=np.int32) for p in points}
    places = lists_of_numbers([known[id(p)] for p in points], np.int32)
    return pa.ListArray.from_arrays(
        places.offsets, pa.DictionaryArray.from_arrays(places.values, texts(names))
    )


def read_locations(content: bytes) -> tuple[KernelLocations, ...]:
    """Read what `write_locations` stored, one set of kernels per metric."""
    table = read_table(content)
    metrics = table["metric"].to_pylist()
    return tuple(
        _read_metric(_rows(table, np.array([name == metric for name in metrics])))
        for metric in dict.fromkeys(metrics)
    )


def _read_metric(table: pa.Table) -> KernelLocations:
    point = numbers_of(table["point"])
    kernels = _rows(table, point == point[0])
    return KernelLocations(
        metric=table["metric"][0].as_py(),
        unit=table["unit"][0].as_py(),
        region=tuple(kernels["region"].to_pylist()),
        callpath=numbers_of(kernels["callpath"]),
        alone=numbers_of(kernels["alone"]) > 0,
        points=tuple(
            _read_point(number, _rows(table, point == number)) for number in dict.fromkeys(point.tolist())
        ),
    )


def _rows(table: pa.Table, chosen: BoolArray) -> pa.Table:
    return table.take(numbers(np.flatnonzero(chosen)))


def _read_point(number: int, table: pa.Table) -> PointLocations:
    process, thread, last_process, last_thread, count = (
        _row(table, name, 0).astype(np.int64) for name in _PLACES + _OF_RANGES
    )
    is_folded = len(count) > 0
    mean, low, high = (
        np.stack([_row(table, name if is_folded else "mean", k) for k in range(len(table))])
        for name in _VALUES
    )
    return PointLocations(
        point=number,
        node=tuple(table["node"][0].as_py()),
        process=process,
        thread=thread,
        last_process=last_process if is_folded else process,
        last_thread=last_thread if is_folded else thread,
        count=count if is_folded else np.ones(len(process), dtype=np.int64),
        mean=mean,
        low=low,
        high=high,
    )


def _row(table: pa.Table, name: str, row: int) -> npt.NDArray[Any]:
    return numbers_of(table[name][row].values)
