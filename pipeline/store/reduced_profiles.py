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

import numpy as np

from ingest.alignment import REDUCTIONS
from ingest.errors import InputError
from ingest.location_values import SmallFloatArray
from ingest.reduction import ReducedProfile, Reduction
from pipeline.store.atomic import write_atomically
from pipeline.wording.record_codec import Array, as_plain, restored

_DESCRIPTION = "description"


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
        return Reduction(*_array(self.path, _values(metric)))

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
        return _array(self.path, _on_locations(self.metric))


def _array(path: Path, name: str) -> Array:
    try:
        with np.load(_content(path), allow_pickle=False) as stored:
            values: Array = stored[name]
            return values
    except (OSError, ValueError) as error:
        raise InputError(f"changed while in use ({error})", where=str(path), hint="run again") from error


def _values(metric: str) -> str:
    return f"values of {metric}"


def _on_locations(metric: str) -> str:
    return f"values of {metric} per location"


def write_reduced(path: Path, profile: ReducedProfile) -> None:
    """Store a reduced profile without its source.

    Raises:
        UsageError: the file cannot be written.
    """
    arrays: dict[str, Array] = {}
    largest = {metric: replace(found, load=None) for metric, found in profile.largest.items()}  # type: ignore[arg-type]
    description = as_plain(replace(profile, source="", values={}, largest=largest), arrays)
    arrays[_DESCRIPTION] = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    for metric, reduction in profile.values.items():
        arrays[_values(metric)] = np.stack([getattr(reduction, name) for name in REDUCTIONS])
    for metric, found in profile.largest.items():
        arrays[_on_locations(metric)] = found.values
    write_atomically(path, lambda temporary: _write(temporary, arrays), durable=False)  # its digest tells


def left_in_file(path: Path, profile: ReducedProfile) -> ReducedProfile:
    """Return a profile that was just stored as `read_reduced` returns it: without its values in memory."""
    metrics = tuple(metric.name for metric in profile.metrics)
    largest = {
        metric: replace(found, load=StoredLocationValues(path, metric))
        for metric, found in profile.largest.items()
    }
    return replace(profile, values=StoredReductions(path, metrics), largest=largest)


def _write(path: Path, arrays: Mapping[str, Array]) -> None:
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
    """Read what `write_reduced` stored of a source; the values stay in the file until they are needed.

    Raises:
        ValueError: the file is damaged.
        OSError: it cannot be read.
    """
    content = _content(path)
    try:
        with np.load(content, allow_pickle=False) as stored:
            description = json.loads(stored[_DESCRIPTION].tobytes())
            profile: ReducedProfile = restored(ReducedProfile, description, stored)
    except (zipfile.BadZipFile, OSError, KeyError, TypeError, EOFError, RuntimeError) as error:
        raise ValueError(str(error)) from error
    return left_in_file(path, replace(profile, source=source))
