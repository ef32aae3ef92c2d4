"""The cache of a results directory: digests of input files, and reduced profiles by content.

It is in ``.cache`` and may be deleted at any time. The key of a reduced profile is made from the digests of
the run's files, the metrics kept and the version of this software: a file that was moved or copied is found
again, a changed one is not. Its file is a SHA-256 digest, and behind it an uncompressed ``.npz`` without
pickled objects and with all texts as JSON, so reading runs no code from it.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ingest.alignment import REDUCTIONS
from ingest.errors import InputError
from ingest.reading.packed import content_of
from ingest.record_codec import Array, as_plain, restored
from ingest.reduction import ReducedProfile, Reduction, SmallFloatArray
from pipeline.store.atomic import not_writable, write_atomically
from pipeline.store.freshness import DIGESTS, DigestMemory
from pipeline.store.made_from import InputFile, installed_version

CACHE = ".cache"
CACHE_VERSION = 11
ENDING = ".reduced.npz"
_DESCRIPTION = "description"


@dataclass(frozen=True)
class StoredReductions(Mapping[str, Reduction]):
    """The values of a stored profile; they stay in its file until a metric is read."""

    path: Path
    metrics: tuple[str, ...]

    def __getitem__(self, metric: str) -> Reduction:
        if metric not in self.metrics:
            raise KeyError(metric)
        return Reduction(*_array(self.path, _values(metric)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)


@dataclass(frozen=True)
class StoredLocationValues:
    """Values of the largest kernels on each location, which stay in a file until they are read."""

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
    """Store a reduced profile without its source."""
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


def _write(path: Path, arrays: Mapping[str, Any]) -> None:
    content = BytesIO()
    np.savez(content, **arrays)
    plain = content.getbuffer()
    with path.open("wb") as file:
        file.write(hashlib.sha256(plain).digest())
        file.write(plain)


def _content(path: Path) -> BytesIO:
    """Return the ``.npz``; ValueError if a byte of it has changed."""
    stored = memoryview(content_of(path))
    size = hashlib.sha256().digest_size
    if hashlib.sha256(stored[size:]).digest() != stored[:size]:
        raise ValueError("its digest does not match")
    return BytesIO(stored[size:])


def read_reduced(path: Path, source: str) -> ReducedProfile:
    """Read what `write_reduced` stored of a source, values when needed; ValueError if the file is damaged."""
    content = _content(path)
    try:
        with np.load(content, allow_pickle=False) as stored:
            description = json.loads(stored[_DESCRIPTION].tobytes())
            profile: ReducedProfile = restored(ReducedProfile, description, stored)
    except (zipfile.BadZipFile, OSError, KeyError, TypeError, EOFError, RuntimeError) as error:
        raise ValueError(str(error)) from error
    return left_in_file(path, replace(profile, source=source))


def key_of(reader: str, root: Path, inputs: Sequence[InputFile], metrics: Collection[str]) -> str:
    """Return the key of the reduced profile of files; their names count from the run's file or directory."""
    files = [(os.path.relpath(file.path, root), file.sha256) for file in inputs]
    made_by = [CACHE_VERSION, installed_version("callpath-pipeline"), reader]
    content = json.dumps([made_by, sorted(set(metrics)), files])
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


class ProfileCache:
    """The cache of a results directory; only the run that holds the directory's lock may use it."""

    def __init__(self, results: Path, notify: Callable[[str], None]) -> None:
        self.directory = results / CACHE
        self.notify = notify
        self.digests = DigestMemory(self.directory)
        self._used: set[str] = set()
        self._damaged: set[str] = set()

    def keys(self) -> frozenset[str]:
        """Return the keys of the reduced profiles that are kept and not known to be damaged."""
        found = (path.name.removesuffix(ENDING) for path in self.directory.glob("*" + ENDING))
        return frozenset(found) - self._damaged

    def load(self, key: str, source: str) -> ReducedProfile | None:
        """Return a reduced profile, None if there is none; a damaged one is reported and counts as none."""
        self._used.add(key)
        try:
            return read_reduced(self._entry(key), source)
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            self._damaged.add(key)
            self.notify(f"{source}: read again because {self._entry(key)} is damaged ({error})")
            return None

    def keep(self, key: str, profile: ReducedProfile) -> ReducedProfile:
        """Store a reduced profile and return it with its values left in the file."""
        self._used.add(key)
        write_reduced(self._entry(key), profile)
        return left_in_file(self._entry(key), profile)

    def tidy(self, inputs: Collection[InputFile]) -> None:
        """Leave only the reduced profiles that were used since this was opened, and the digests of `inputs`.

        UsageError if the cache cannot be written.
        """
        wanted = {DIGESTS, *(key + ENDING for key in self._used)}
        if not self.directory.is_dir():
            return
        try:
            for entry in self.directory.iterdir():
                if entry.name not in wanted:
                    entry.unlink(missing_ok=True)
        except OSError as error:
            raise not_writable(self.directory, error) from error
        self.digests.forget_others(inputs)

    def _entry(self, key: str) -> Path:
        return self.directory / (key + ENDING)
