"""The files of a results directory, which change together.

A run writes its files to a hidden folder. When all of them are on the disk, a `run.json` that names this
generation and the SHA-256 digest of each file is moved into place: from that moment on they are the result.
Then they are moved to their plain names. A reader takes a file from its plain name or, if the run was killed
in between, from the hidden folder, and accepts it only with the digest of `run.json`. So whatever is killed
when, readers see all files of one run, and none that is damaged.
"""

import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from ingest.errors import InputError, UsageError
from ingest.own_results import PROVENANCE
from ingest.reading.packed import content_of, open_regular
from pipeline.store.atomic import json_bytes, not_writable, synchronise, write_json

Found = TypeVar("Found")

STORE_VERSION = 5
HIDDEN = ".generation-"  # and 16 hexadecimal digits
_ATTEMPTS = 5  # of a reader, while runs publish one result after the other
_AGAIN = "run `pipeline run` again"


@dataclass(frozen=True)
class StoredResult:
    """One generation of a results directory, with its run.json."""

    directory: Path
    provenance: Mapping[str, Any]

    @property
    def digests(self) -> Mapping[str, str]:
        """The SHA-256 digest of each file by name."""
        found: Mapping[str, str] = self.provenance["files"]
        return found

    @property
    def configuration(self) -> Mapping[str, Any]:
        """The options that the run had; InputError if run.json holds none."""
        found = self.provenance.get("configuration")
        if not isinstance(found, dict):
            raise damaged(self.directory, "run.json holds no configuration")
        return found

    def read(self, name: str) -> bytes:
        """Return the content of a file; InputError if it is missing, or differs from what was written."""
        content, reason = self._look_for(name)
        if content is None:
            raise damaged(self.directory, f"{name} {reason}")
        return content

    def damages(self) -> list[str]:
        """Return name and state of each file that is missing or differs from what was written."""
        found = ((name, *self._look_for(name)) for name in self.digests)
        return [f"{name} {reason}" for name, content, reason in found if content is None]

    def require_intact(self) -> "StoredResult":
        """Return this result; InputError if a file is missing or differs from what was written."""
        if damages := self.damages():
            raise damaged(self.directory, ", ".join(damages))
        return self

    def _look_for(self, name: str) -> tuple[bytes | None, str]:
        """Return the content of a file, or what is wrong with it."""
        hidden = self.directory / (HIDDEN + self.provenance["generation"])
        reason = "is missing"
        for folder in (self.directory, hidden, self.directory):  # it may be moved between two looks
            try:
                content = content_of(folder / name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                reason = f"cannot be read: {error.strerror}"
                continue
            if hashlib.sha256(content).hexdigest() == self.digests.get(name):
                return content, ""
            reason = "has changed since it was written"
        return None, reason


def damaged(directory: Path, reason: str) -> InputError:
    """Return the error for stored results that are not as they were written."""
    return InputError(f"the stored results are damaged ({reason})", where=str(directory), hint=_AGAIN)


def read_result(directory: Path, read: Callable[[StoredResult], Found]) -> Found:
    """Call `read` with the result of a directory; again if another run has replaced it in the meantime.

    InputError if the directory is not a complete result of this version, or as `read`.
    """
    stored = open_result(directory)
    for _ in range(_ATTEMPTS):
        try:
            return read(stored)
        except InputError:
            newer = open_result(directory)
            if newer == stored:
                raise
            stored = newer
    raise InputError("other runs keep writing to it", where=str(directory), hint="try again")


def open_result(directory: Path) -> StoredResult:
    """Read run.json; InputError if the directory is not a complete result of this version."""
    path = directory / PROVENANCE
    hint = "make it with `pipeline run DIR --out " + str(directory) + "`"
    try:
        content = json.loads(content_of(path), parse_constant=_no_number, parse_float=_finite)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(
            "not a results directory (it has no run.json)", where=str(directory), hint=hint
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read ({error})", where=str(path), hint=hint) from error
    if not isinstance(content, dict) or content.get("version") != STORE_VERSION:
        raise InputError("written by another version of pipeline", where=str(path), hint=hint)
    if content.pop("sha256", None) != _digest(content) or not _names_files(content):
        raise InputError("has changed since it was written", where=str(path), hint=_AGAIN)
    return StoredResult(directory, content)


def _no_number(text: str) -> float:
    """Refuse what Python reads as NaN and infinities."""
    raise ValueError(f"{text} is no finite number")


def _finite(text: str) -> float:
    """Return a number; ValueError for one such as 1e999, which Python reads as an infinity."""
    value = float(text)
    return value if isfinite(value) else _no_number(text)


def _names_files(content: Mapping[str, Any]) -> bool:
    """Return whether there is a generation with files, none of them outside the directory."""
    generation, files = content.get("generation"), content.get("files")
    return (
        isinstance(generation, str)
        and re.fullmatch("[0-9a-f]{16}", generation) is not None
        and isinstance(files, dict)
        and all(name not in {"", ".", ".."} and not {"/", "\0"}.intersection(name) for name in files)
    )


def signed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of run.json with its own digest."""
    return {**content, "sha256": _digest(content)}


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json_bytes(content)).hexdigest()


@contextmanager
def new_generation(directory: Path) -> Iterator[Path]:
    """Make a hidden folder for the files of a new result; it is removed in the end, published or not.

    Only the process that holds the lock of the directory may do so. UsageError if the directory cannot be
    written.
    """
    folder = directory / (HIDDEN + secrets.token_hex(8))
    try:
        folder.mkdir()
    except OSError as error:
        raise not_writable(directory, error) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, provenance: Mapping[str, Any], replaced: StoredResult | None = None) -> None:
    """Make the files of a `new_generation` the result of its directory, with run.json as `provenance` has it.

    They replace some files of a result, the others stay; without one these are all, and files of the result
    before that have no successor are removed. UsageError if the directory cannot be written, or has files of
    these names that are of no result.
    """
    directory = folder.parent
    before = _published(directory)
    try:
        digests = {file.name: digest_of(file) for file in sorted(folder.iterdir())}
        _require_no_others(directory, digests)
        files = digests if replaced is None else {**replaced.digests, **digests}
        content = {**provenance, "generation": folder.name.removeprefix(HIDDEN), "files": files}
        write_json(folder / PROVENANCE, signed(content))
        synchronise(folder)
        synchronise(directory)
        (folder / PROVENANCE).replace(directory / PROVENANCE)
        synchronise(directory)
        _move_to_plain_names(folder, digests)
        if before is not None:
            _remove_obsolete(before, files)
    except OSError as error:
        raise not_writable(directory, error) from error


def _require_no_others(directory: Path, names: Iterable[str]) -> None:
    if (directory / PROVENANCE).exists():
        return
    if others := [name for name in names if (directory / name).exists()]:
        raise UsageError(
            f"it has {others[0]}, which no run has written", where=str(directory), hint="give another --out"
        )


def _published(directory: Path) -> StoredResult | None:
    try:
        return open_result(directory)
    except InputError:
        return None


def digest_of(file: Path) -> str:
    """Return the SHA-256 digest of a file; OSError if it cannot be read."""
    with open_regular(file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _move_to_plain_names(folder: Path, names: Mapping[str, str]) -> None:
    for name in names:
        if (folder / name).is_file():
            (folder / name).replace(folder.parent / name)


def _remove_obsolete(before: StoredResult, files: Mapping[str, str]) -> None:
    for name in before.digests.keys() - files.keys():
        file = before.directory / name
        if file.is_file() and digest_of(file) == before.digests[name]:  # else it is the user's by now
            file.unlink()


def finish(directory: Path) -> None:
    """Finish what a killed run has published, and remove what it has not; the caller holds the lock.

    UsageError if the directory cannot be written.
    """
    published = _published(directory)
    try:
        for folder in directory.glob(HIDDEN + 16 * "[0-9a-f]"):
            if published is not None and folder.name == HIDDEN + published.provenance["generation"]:
                _move_to_plain_names(folder, published.digests)
            shutil.rmtree(folder)
    except OSError as error:
        raise not_writable(directory, error) from error
