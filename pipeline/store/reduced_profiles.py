"""Reduced profiles as files: a SHA-256 digest, and behind it an uncompressed ``.npz``.

Arrays are stored without pickled objects and all texts as JSON, so reading runs no code from the file.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ingest.accelerators import DEVICE_CLASSES
from ingest.alignment import REDUCTIONS
from ingest.arrays import FloatArray, IntArray
from ingest.calltree import CallTree
from ingest.errors import InputError
from ingest.location_values import LocationValues, SmallFloatArray
from ingest.profile import LocationTable, Metric, MetricKind, RegionTable
from ingest.reduction import ReducedProfile, Reduction
from ingest.region_class import RegionClass
from pipeline.store.atomic import write_atomically

_DESCRIPTION = "description"
_LOCATION = ("process", "thread", "device")  # columns of a table of locations


@dataclass(frozen=True)
class StoredReductions(Mapping[str, Reduction]):
    """The values of a stored profile; they stay in its file until a metric is read.

    Attributes:
        path: the file.
        metrics: names of the metrics in it, in order.
    """

    path: Path
    metrics: tuple[str, ...]

    def __getitem__(self, metric: str) -> Reduction:
        """Read the reductions of a metric; KeyError if there is no such metric."""
        if metric not in self.metrics:
            raise KeyError(metric)
        try:
            with np.load(_content(self.path), allow_pickle=False) as stored:
                return Reduction(*stored[_values(self.metrics.index(metric))])
        except (OSError, ValueError) as error:
            raise _changed(self.path, error) from error

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the metrics."""
        return iter(self.metrics)

    def __len__(self) -> int:
        """Return the number of metrics."""
        return len(self.metrics)


@dataclass(frozen=True)
class StoredLocationValues:
    """Values of the largest kernels on each location, which stay in a file until they are read.

    Attributes:
        path: the file.
        metric: whose values.
    """

    path: Path
    metric: str

    def __call__(self) -> SmallFloatArray:
        """Read them, float32[K, L]; InputError if the file has changed."""
        try:
            with np.load(_content(self.path), allow_pickle=False) as stored:
                values: SmallFloatArray = stored[_largest(self.metric, "values")]
                return values
        except (OSError, ValueError) as error:
            raise _changed(self.path, error) from error


def _changed(path: Path, error: Exception) -> InputError:
    return InputError(f"changed while in use ({error})", where=str(path), hint="run again")


def _values(number: int) -> str:
    return f"values{number}"


def _largest(metric: str, part: str) -> str:
    return f"{part} of {metric} per location"


def write_reduced(path: Path, profile: ReducedProfile) -> None:
    """Store a reduced profile without its source.

    Raises:
        UsageError: the file cannot be written.
    """
    regions = profile.regions
    description = {
        "regions": [regions.name, regions.mangled, regions.paradigm, regions.file],
        "metrics": [(metric.name, metric.unit, metric.kind.value) for metric in profile.metrics],
        "classes": [found.value for found in profile.classes],
        "attributes": dict(profile.attributes),
        "notices": profile.notices,
        "largest": {metric: _described(found) for metric, found in profile.largest.items()},
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        _DESCRIPTION: np.frombuffer(json.dumps(description).encode(), dtype=np.uint8),
        "parent": profile.tree.parent,
        "region": profile.tree.region,
        "line": regions.line,
        "process": profile.process,
        "class_time": profile.class_time,
        "device_time": profile.device_time,
    }
    for number, metric in enumerate(profile.metrics):
        reduction = profile.values[metric.name]
        arrays[_values(number)] = np.stack([getattr(reduction, name) for name in REDUCTIONS])
    for metric_name, found in profile.largest.items():
        arrays[_largest(metric_name, "callpath")] = found.callpath
        arrays[_largest(metric_name, "shared")] = found.shared
        arrays[_largest(metric_name, "values")] = found.values
        for part in _LOCATION:
            arrays[_largest(metric_name, part)] = getattr(found.locations, part)
    write_atomically(path, lambda temporary: _write(temporary, arrays), durable=False)  # its digest tells


def left_in_file(path: Path, profile: ReducedProfile) -> ReducedProfile:
    """Return a profile that was just stored as `read_reduced` returns it: without its values in memory."""
    metrics = tuple(metric.name for metric in profile.metrics)
    largest = {
        metric: replace(found, load=StoredLocationValues(path, metric))
        for metric, found in profile.largest.items()
    }
    return replace(profile, values=StoredReductions(path, metrics), largest=largest)


def _described(found: LocationValues) -> dict[str, Any]:
    """Return the texts of values per location: regions, and the nodes as names and places among them."""
    names = {name: i for i, name in enumerate(dict.fromkeys(found.locations.node))}
    return {
        "region": found.region,
        "nodes": list(names),
        "node": [names[name] for name in found.locations.node],
    }


def _read_largest(
    stored: Mapping[str, npt.NDArray[Any]], description: Mapping[str, Any], metric: str, path: Path
) -> LocationValues:
    process, thread, device, callpath = (
        _integers(stored[_largest(metric, name)]) for name in (*_LOCATION, "callpath")
    )
    node = tuple(description["nodes"][i] for i in description["node"])
    values, shared = (stored[_largest(metric, name)] for name in ("values", "shared"))
    if (
        values.dtype != np.float32
        or values.shape != (len(callpath), len(process))
        or not len(description["region"]) == len(callpath) == len(shared)
        or {len(process), len(node) or len(process)} != {len(thread), len(device)}
    ):
        raise ValueError(f"the values of {metric} per location do not match the locations")
    return LocationValues(
        region=tuple(description["region"]),
        callpath=callpath,
        shared=shared,
        locations=LocationTable(process, thread, device, node),
        load=StoredLocationValues(path, metric),
    )


def _write(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    content = BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    plain = content.getbuffer()
    with path.open("wb") as file:
        file.write(sha256(plain).digest())
        file.write(plain)


def _content(path: Path) -> BytesIO:
    """Return the ``.npz``; ValueError if a byte of it has changed."""
    stored = memoryview(path.read_bytes())
    size = sha256().digest_size
    if sha256(stored[size:]).digest() != stored[:size]:
        raise ValueError("its digest does not match")
    return BytesIO(stored[size:])


def read_reduced(path: Path, source: str) -> ReducedProfile:
    """Read what `write_reduced` stored; the values stay in the file until they are needed.

    Args:
        path: the file.
        source: the file or directory that the profile was read from.

    Raises:
        ValueError: the file is damaged.
        OSError: it cannot be read.
    """
    content = _content(path)
    try:
        with np.load(content, allow_pickle=False) as stored:
            return _profile(stored, path, source)
    except (zipfile.BadZipFile, OSError, KeyError, TypeError, EOFError, RuntimeError) as error:
        raise ValueError(str(error)) from error


def _profile(stored: Mapping[str, npt.NDArray[Any]], path: Path, source: str) -> ReducedProfile:
    description = json.loads(stored[_DESCRIPTION].tobytes())
    metrics = tuple(Metric(name, unit, MetricKind(kind)) for name, unit, kind in description["metrics"])
    name, mangled, paradigm, file = (tuple(column) for column in description["regions"])
    regions = RegionTable(
        name=name, mangled=mangled, paradigm=paradigm, file=file, line=_integers(stored["line"])
    )
    tree = CallTree(_integers(stored["parent"]), _integers(stored["region"]))
    process, class_time = _integers(stored["process"]), _floats(stored["class_time"])
    device_time = _floats(stored["device_time"])
    _check(tree, regions)
    if class_time.shape != (len(description["classes"]), len(process)):
        raise ValueError("the times of the classes do not match the locations")
    if device_time.ndim != 2 or len(device_time) != len(DEVICE_CLASSES):
        raise ValueError("the times of the accelerators do not match their classes")
    for number in range(len(metrics)):
        if stored[_values(number)].shape != (len(REDUCTIONS), len(tree)):
            raise ValueError("the values do not match the call tree")
    return ReducedProfile(
        source=source,
        tree=tree,
        regions=regions,
        metrics=metrics,
        values=StoredReductions(path, tuple(metric.name for metric in metrics)),
        classes=tuple(map(RegionClass, description["classes"])),
        class_time=class_time,
        device_time=device_time,
        process=process,
        attributes=description["attributes"],
        notices=tuple(description["notices"]),
        largest={
            metric: _read_largest(stored, found, metric, path)
            for metric, found in description["largest"].items()
        },
    )


def _check(tree: CallTree, regions: RegionTable) -> None:
    columns = (regions.name, regions.mangled, regions.paradigm, regions.file, regions.line)
    if len({len(column) for column in columns}) > 1 or len(tree.parent) != len(tree.region):
        raise ValueError("columns differ in length")
    nodes = np.arange(len(tree))
    if (tree.parent >= nodes).any() or (tree.parent < -1).any():
        raise ValueError("the call tree is not in preorder")
    if len(tree) and not (tree.region.min() >= 0 and tree.region.max() < len(regions)):
        raise ValueError("a call path has no region")


def _integers(array: npt.NDArray[Any]) -> IntArray:
    if array.dtype != np.int64 or array.ndim != 1:
        raise ValueError("not a column of integers")
    return array


def _floats(array: npt.NDArray[Any]) -> FloatArray:
    if array.dtype != np.float64:
        raise ValueError("not floating-point numbers")
    return array
