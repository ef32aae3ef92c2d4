"""The cache of a results directory: digests of input files, and reduced profiles by content.

It is in ``.cache`` and may be deleted at any time. The key of a reduced profile is made from the digests of
the run's files, the metrics kept and the version of this software: a file that was moved or copied is found
again, a changed one is not.
"""

import hashlib
import json
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ingest.reduction import ReducedProfile
from pipeline.store.atomic import not_writable
from pipeline.store.freshness import DIGESTS, DigestMemory, InputFile, installed_version
from pipeline.store.reduced_profiles import left_in_file, read_reduced, write_reduced

CACHE = ".cache"
CACHE_VERSION = 7
ENDING = ".reduced.npz"


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


class ProfileCache:
    """The cache of a results directory; only the run that holds the directory's lock may use it."""

    def __init__(self, results: Path, notify: Callable[[str], None]) -> None:
        """Open the cache; `notify` is called with a sentence if something in it is damaged."""
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
