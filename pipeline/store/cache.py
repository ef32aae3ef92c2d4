"""The cache of a results directory: digests of input files, and reduced profiles by content.

It is in ``.cache`` and may be deleted at any time. The key of a reduced profile is made from the digests of
the run's files, the metrics kept and the version of this software: a file that was moved or copied is found
again, a changed one is not. Digests are remembered by path, size and times, so that files of many gigabytes
are not read to find that nothing changed. A file that changed within the last two seconds is not remembered,
since its times might stay the same after one more change.
"""

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from ingest.reduction import ReducedProfile
from pipeline.store.atomic import not_writable
from pipeline.store.inputs import FileState, InputFile, installed_version
from pipeline.store.reduced_profiles import left_in_file, read_reduced, write_reduced

CACHE, DIGESTS = ".cache", "digests.jsonl"
CACHE_VERSION = 6
ENDING = ".reduced.npz"
SETTLED = 2_000_000_000  # nanoseconds; the times of file systems have steps of up to two seconds


def key_of(reader: str, root: Path, inputs: Sequence[InputFile], metrics: Collection[str]) -> str:
    """Return the key under which the reduced profile of these files is kept.

    Args:
        reader: name of the format.
        root: the run's file or directory; the names of its files count from here.
        inputs: the files.
        metrics: what distinguishes the choice of metrics; the order does not matter.
    """
    files = [(os.path.relpath(file.path, root), file.sha256) for file in inputs]
    made_by = [CACHE_VERSION, installed_version("callpath-pipeline"), reader]
    content = json.dumps([made_by, sorted(set(metrics)), files])
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


class Cache:
    """The cache of a results directory; only the run that holds the directory's lock may use it."""

    def __init__(self, results: Path, notify: Callable[[str], None]) -> None:
        """Open the cache; `notify` is called with a sentence if something in it is damaged."""
        self.directory = results / CACHE
        self.notify = notify
        self._digests = _read_digests(self.directory / DIGESTS)
        self._used: set[str] = set()
        self._damaged: set[str] = set()

    def remembered(self, path: Path, state: FileState) -> InputFile | None:
        """Return path, size and digest of a file; None if it is new or may have changed."""
        known = self._digests.get(_place(path))
        if known is None or known[0] != state:
            return None
        return InputFile(str(path), state.size, known[1])

    def remember(self, files: Sequence[tuple[InputFile, FileState]]) -> None:
        """Keep digests with the states the files had before they were read.

        Raises:
            UsageError: the cache cannot be written.
        """
        settled = time.time_ns() - SETTLED
        new = {
            _place(file.path): (state, file.sha256)
            for file, state in files
            if max(state.modified, state.changed) < settled
        }
        new = {path: known for path, known in new.items() if self._digests.get(path) != known}
        if new:
            self._digests |= new
            self._write_digests("a", new)

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
        """Store a reduced profile and return it with its values left in the file.

        Raises:
            UsageError: the cache cannot be written.
        """
        self._used.add(key)
        write_reduced(self._entry(key), profile)
        return left_in_file(self._entry(key), profile)

    def tidy(self, inputs: Collection[InputFile]) -> None:
        """Leave only the reduced profiles that were used since this was opened, and the digests of `inputs`.

        Raises:
            UsageError: the cache cannot be written.
        """
        used = {_place(file.path) for file in inputs}
        wanted = {DIGESTS, *(key + ENDING for key in self._used)}
        if not self.directory.is_dir():
            return
        try:
            for entry in self.directory.iterdir():
                if entry.name not in wanted:
                    entry.unlink(missing_ok=True)
        except OSError as error:
            raise not_writable(self.directory, error) from error
        if not self._digests.keys() <= used:
            self._digests = {path: known for path, known in self._digests.items() if path in used}
            self._write_digests("w", self._digests)

    def _entry(self, key: str) -> Path:
        return self.directory / (key + ENDING)

    def _write_digests(self, mode: str, digests: Mapping[str, tuple[FileState, str]]) -> None:
        path = self.directory / DIGESTS
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            with path.open(mode, encoding="ascii") as file:
                file.write("\n")  # ends a line that a killed run left
                file.writelines(_line(name, state, digest) for name, (state, digest) in digests.items())
        except OSError as error:
            raise not_writable(path, error) from error


def _place(path: str | Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100  # Path.absolute leaves '..' in


def _line(path: str, state: FileState, digest: str) -> str:
    text = json.dumps([path, *astuple(state), digest])
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def _read_digests(path: Path) -> dict[str, tuple[FileState, str]]:
    """Read the digests; a damaged line, as a killed run leaves it, only means one more digest to compute."""
    digests = {}
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return {}
    for line in lines:
        check, _, text = line.partition(b" ")
        if check != b"%08x" % zlib.crc32(text):
            continue
        try:
            name, size, modified, changed, digest = json.loads(text)
        except (ValueError, TypeError):
            continue
        digests[name] = (FileState(size, modified, changed), digest)
    return digests
