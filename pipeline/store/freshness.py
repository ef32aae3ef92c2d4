"""Has anything changed? What a result depends on: input files, options and software, then and now.

Digests of files are remembered by path, size and times, so that files of many gigabytes are not read to find
that nothing changed. A file that changed within the last two seconds is not remembered, since its times might
stay the same after one more change.
"""

import hashlib
import json
import os
import time
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ingest.discovery import Discovery, Run
from ingest.errors import InputError
from ingest.locate import Located
from ingest.options import declaration
from ingest.readers import ProfileReader, SeriesReader
from ingest.reading.packed import content_of, open_regular
from ingest.tables.table_files import TableSource
from pipeline.store.atomic import not_writable
from pipeline.store.generation import open_result
from pipeline.store.made_from import InputFile, software

DIGESTS = "digests.jsonl"
SETTLED = 2_000_000_000  # nanoseconds; the times of file systems have steps of up to two seconds


@dataclass(frozen=True)
class FileState:
    """What the file system knows of a file without reading it; it changes whenever the content does."""

    size: int  # in bytes
    modified: int  # time of the last change of the content, in nanoseconds; programs can set it back
    changed: int  # time of the last change of the content or of its attributes; programs cannot set it


@dataclass(frozen=True)
class RunFiles:
    """The files of a run before it is read."""

    run: Run
    paths: tuple[Path, ...]
    states: tuple[FileState, ...]
    known: tuple[InputFile | None, ...]  # size and digest of each, None if it has to be read for them

    @property
    def size(self) -> int:
        """All its files together, in bytes."""
        return sum(state.size for state in self.states)

    @property
    def described(self) -> tuple[InputFile, ...]:
        """Those of its files whose size and digest are known."""
        return tuple(file for file in self.known if file is not None)


class DigestMemory:
    """The digests of files, by path and state; only the run that holds the directory's lock may use it."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / DIGESTS
        self._known = _read_digests(self.path)

    def remembered(self, path: Path, state: FileState) -> InputFile | None:
        """Return path, size and digest of a file; None if it is new or may have changed."""
        known = self._known.get(_place(path))
        if known is None or known[0] != state:
            return None
        return InputFile(str(path), state.size, known[1])

    def remember(self, files: Sequence[tuple[InputFile, FileState]]) -> None:
        """Keep digests with the states the files had before they were read."""
        settled = time.time_ns() - SETTLED
        new = {
            _place(file.path): (state, file.sha256)
            for file, state in files
            if max(state.modified, state.changed) < settled
        }
        new = {path: known for path, known in new.items() if self._known.get(path) != known}
        if new:
            self._known |= new
            self._write_digests("a", new)

    def forget_others(self, inputs: Collection[InputFile]) -> None:
        """Keep only the digests of `inputs`."""
        used = {_place(file.path) for file in inputs}
        if not self._known.keys() <= used:
            self._known = {path: known for path, known in self._known.items() if path in used}
            self._write_digests("w", self._known)

    def _write_digests(self, mode: str, digests: Mapping[str, tuple[FileState, str]]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open(mode, encoding="ascii") as file:
                file.write("\n")  # ends a line that a killed run left
                file.writelines(_line(name, state, digest) for name, (state, digest) in digests.items())
        except OSError as error:
            raise not_writable(self.path, error) from error


def _place(path: str | Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100  # Path.absolute leaves '..' in


def _line(path: str, state: FileState, digest: str) -> str:
    text = json.dumps([path, *astuple(state), digest])
    return f"{zlib.crc32(text.encode()):08x} {text}\n"


def _read_digests(path: Path) -> dict[str, tuple[FileState, str]]:
    """Read the digests; a damaged line, as a killed run leaves it, only means one more digest to compute."""
    digests = {}
    try:
        lines = content_of(path).split(b"\n")
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


def files_of(path: Path, reader: ProfileReader) -> list[Path]:
    """Return the files of a run in order: itself and what is read with it, or those in its directory."""
    if path.is_file():
        return sorted({path, *(reader.beside(path) if reader.beside else ())})
    try:
        found = reader.files(path) if reader.files else path.rglob("*")
        return sorted(file for file in found if file.is_file())
    except OSError:  # reading it raises the error
        return []


def state_of(path: Path) -> FileState:
    """Return what the file system knows of a file; all zero if it may not be looked at."""
    try:
        found = path.stat()
    except OSError:
        return FileState(0, 0, 0)
    return FileState(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def describe_input(path: Path) -> InputFile:
    """Return a file's size and digest, read in blocks; InputError if the file cannot be read."""
    try:
        with open_regular(path) as file:
            digest = hashlib.file_digest(file, "sha256")
            return InputFile(str(path), file.tell(), digest.hexdigest())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from error


def files_of_run(run: Run, memory: DigestMemory | None) -> RunFiles:
    """List the files of a run with the digests that are remembered, without reading any."""
    paths = tuple(files_of(run.path, run.reader))
    states = tuple(map(state_of, paths))
    known = tuple(memory.remembered(*file) if memory else None for file in zip(paths, states, strict=True))
    return RunFiles(run, paths, states, known)


def remembered_inputs(located: Located, memory: DigestMemory) -> tuple[InputFile, ...] | None:
    """Return the files of what was located; None if one is new or may have changed."""
    if not isinstance(located.found, Discovery):
        return described_inputs(located)
    runs = [files_of_run(run, memory) for run in located.found.runs]
    complete = all(len(run.described) == len(run.known) for run in runs)
    return tuple(file for run in runs for file in run.described) if complete else None


def described_inputs(located: Located) -> tuple[InputFile, ...]:
    """Return the files of a series or of tables; none of runs."""
    if isinstance(located.found, SeriesReader):
        return (describe_input(located.path),)
    return tuple(map(describe_input, located.found.files)) if isinstance(located.found, TableSource) else ()


def dependencies(options: Any, located: Located, beside: Iterable[object] = ()) -> dict[str, Any]:  # noqa: ANN401
    """Return what else results depend on than inputs and software: equal data, equal results.

    They are the declared options, which runs of a table count and what users note about runs, and of `beside`
    what are paths of further files or folders, whose content counts.
    """
    roots = [path for path in beside if isinstance(path, Path)]
    files = [file for root in roots for file in (sorted(root.rglob("*")) if root.is_dir() else [root])]
    digests = [describe_input(file).sha256 for file in files if file.is_file()]
    return reuse_key(options) | ({"calibration": digests} if digests else {}) | _chosen(located)


def _chosen(located: Located) -> dict[str, Any]:
    found = located.found
    if isinstance(found, TableSource):
        return {"only": list(found.only)} if found.only else {}
    noted = [dict(run.metadata) for run in found.runs] if isinstance(found, Discovery) else []
    return {"metadata": noted} if any(noted) else {}


def reuse_key(options: Any) -> dict[str, Any]:  # noqa: ANN401  # any record of options
    """Return all options on which results depend, as plain data: equal keys have equal results."""
    key: dict[str, Any] = _plain(options)
    return key


def _plain(value: Any) -> Any:  # noqa: ANN401
    if is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: _plain(getattr(value, one.name))
            for one in fields(value)
            if (declared := declaration(one)) is None or declared.recompute
        }
    if isinstance(value, Mapping):
        if all(isinstance(name, str) for name in value):
            return {name: _plain(entry) for name, entry in value.items()}
        return [[_plain(name), _plain(entry)] for name, entry in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return str(value) if isinstance(value, Path | Fraction) else value


def unchanged(directory: Path, configuration: Mapping[str, Any], inputs: Sequence[InputFile]) -> bool:
    """Return whether a results directory holds the complete result of these inputs and options."""
    try:
        stored = open_result(directory)
    except InputError:
        return False
    found = stored.provenance
    return (
        found["configuration"] == json.loads(json.dumps(configuration))
        and found["inputs"] == [asdict(file) for file in inputs]
        and found["software"] == software()
        and not stored.damages()
    )
