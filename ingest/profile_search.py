"""Where the profiles are: a bounded search below a directory, without reading any of them."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from ingest.errors import InputError
from ingest.own_results import is_result, result_files
from ingest.readers import ProfileReader, find_profile_reader, known_formats, profile_readers
from ingest.reading.files import BLOCK_BYTES, MAX_LARGE_BYTES, archive_of, is_folder, read_once, unpack_hint
from ingest.reading.packed import open_plain, plain_name
from ingest.run_names import named_parameters, without_job_number

METADATA_FILE = "metadata.toml"  # what users note of runs, next to them
_DEPTHS = (2, 4)  # of folders, the deeper only where the other has none: study/ranks_4/rep_1/scorep-DATE

_EXAMPLES = 3  # that a message names

_NUMBER = re.compile(r"[0-9]{1,12}")
_PARAMETER = re.compile(r"\.[A-Za-z]+[0-9]+")

# What Scalasca and CubeLib derive from profile.cubex and put next to it is the same run, not a repetition.
_DERIVED = frozenset({"summary.cubex", "scout.cubex", "trace.cubex", "remap.cubex"})
_ORIGINAL = "profile.cubex"


@dataclass(frozen=True)
class Skipped:
    """Something that is not read, and why."""

    path: Path
    reason: str
    damaged: bool = False  # whether it is a profile that should have been read


@dataclass(frozen=True)
class FoundProfile:
    """A profile and the entry of the searched directory it belongs to, which has the run's name."""

    path: Path
    reader: ProfileReader
    entry: Path

    @property
    def run_name(self) -> str:
        """The name of the folder, or of the file without its ending."""
        return self.stem if self.path == self.entry else self.entry.name

    @property
    def named_parts(self) -> tuple[str, ...]:
        """The name of the run, and those of the folders in it down to the profile."""
        folder = self.path if self.path.is_dir() else self.path.parent
        return self.run_name, *folder.parts[len(self.entry.parts) :]

    @property
    def stem(self) -> str:
        """The name of the profile without the ending of a file.

        Logs are often called like ``log.p4``: what looks like a parameter is not an ending of theirs.
        """
        plain = plain_name(self.path)
        if not self.path.is_file() or (of_job := without_job_number(plain.name)) != plain.name:
            return plain.name if not self.path.is_file() else of_job
        named = self.reader.processes and _PARAMETER.fullmatch(plain.suffix)
        return plain.name if named else plain.stem


def named_by_number(profile: FoundProfile) -> bool:
    """Return whether the run is a file such as ``16.ppk``: TAU's users name runs by their processes."""
    return (
        profile.path == profile.entry and profile.path.is_file() and bool(_NUMBER.fullmatch(profile.run_name))
    )


Searched: TypeAlias = tuple[list[FoundProfile], list[Skipped]]


def search_profiles(directory: Path) -> Searched:
    """Find the profiles in the entries of a directory, in the order of their paths.

    Hidden entries are skipped. Symbolic links are followed; the depth is bounded, so that this ends.
    InputError if the directory cannot be listed.
    """
    found: list[FoundProfile] = []
    skipped: list[Skipped] = []
    try:
        ours = result_files(directory)
        entries = [entry for entry in _visible(directory) if entry.name not in {METADATA_FILE, *ours}]
    except OSError as error:
        raise InputError(f"cannot be listed: {error.strerror or error}", where=str(directory)) from error
    for entry in entries:
        try:
            with read_once():
                top = _Entry.of(entry)
                profiles, derived = _originals(_found_in(top))
                archive = archive_of(entry)
            profiles, copies = _different(profiles)
        except OSError as error:
            skipped.append(Skipped(entry, f"cannot be listed: {error.strerror or error}"))
            continue
        found += (FoundProfile(path, reader, entry) for path, reader in profiles)
        skipped += (Skipped(path, f"derived from {_ORIGINAL} beside it") for path in derived)
        skipped += (Skipped(path, f"the same measurement as {original.name}") for path, original in copies)
        if not profiles and not (top.is_folder and is_result(entry)):
            why_not = unpack_hint(entry) if archive else "not a profile"
            skipped.append(Skipped(entry, "contains no profile" if top.is_folder else why_not))
    kept, repeated = _without_copies(found)
    return _without_stray_logs(kept, [*skipped, *repeated])


def _without_copies(found: Sequence[FoundProfile]) -> tuple[list[FoundProfile], list[Skipped]]:
    """Set aside what has the same bytes as another profile: nothing is measured twice alike.

    That whose name has parameters is kept. A copy that its name says is of another point is a problem, since
    one of both names is wrong.
    """
    found = sorted(found, key=lambda profile: not named_parameters(profile.run_name))
    kept: list[FoundProfile] = []
    copies: list[Skipped] = []
    packed = {plain_name(profile.path) == profile.path for profile in found} == {True, False}
    sizes = [tuple(_size(file, packed=packed) for file in _files(profile)) for profile in found]
    alike = {size for size, number in Counter(sizes).items() if number > 1 and any(size)}
    known: dict[Hashable, FoundProfile] = {}
    for profile, size in zip(found, sizes, strict=True):
        first = known.setdefault(_digest(profile) if size in alike else profile, profile)
        if first is profile:
            kept.append(profile)
        else:
            where = first.path.relative_to(first.entry.parent)
            points = [named_parameters(one.run_name) for one in (first, profile)]
            other = all(points) and points[0] != points[1]
            copies.append(Skipped(profile.path, f"the same contents as {where}", damaged=other))
    return sorted(kept, key=lambda profile: profile.path), copies


def _size(file: Path, *, packed: bool) -> int:
    """Return the number of bytes, plain ones if some files are packed."""
    try:
        if packed and plain_name(file) != file:
            return sum(map(len, _blocks(file)))
    except (InputError, OSError):  # damaged: its reader says so
        pass
    return file.stat().st_size


def _blocks(file: Path) -> Iterator[bytes]:
    with open_plain(file, MAX_LARGE_BYTES) as content:
        yield from iter(lambda: content.read(BLOCK_BYTES), b"")


def _files(profile: FoundProfile) -> list[Path]:
    of = profile.reader.files
    return sorted(of(profile.path)) if of and profile.path.is_dir() else [profile.path]


def _digest(profile: FoundProfile) -> bytes:
    """Return the digest of all bytes of a profile, unpacked; of what cannot be read as it is, its name."""
    digest = sha256()
    for file in _files(profile):
        try:
            for block in _blocks(file):
                digest.update(block)
        except (InputError, OSError):
            digest.update(str(file).encode())
    return digest.digest()


def nothing_found(directory: Path, skipped: Sequence[Skipped]) -> InputError:
    """Return the error for a directory without a profile, which says what is there instead."""
    archives = [one.path for one in skipped if archive_of(one.path)]
    names = [path.name for path in archives or [one.path for one in skipped]]
    shown = ", ".join(names[:_EXAMPLES]) + (", ..." if len(names) > _EXAMPLES else "")
    if archives:
        number = f"{len(names):,} archives" if len(names) > 1 else "an archive"
        return InputError(
            f"no profile found, but {number} ({shown})", where=str(directory), hint=unpack_hint(archives[0])
        )
    if is_result(directory):
        hint = "give the profiles, or see its models with `pipeline predict` and `pipeline bottlenecks`"
        return InputError("a results directory, not measurements", where=str(directory), hint=hint)
    entries = f" in its {len(names):,} entries ({shown})" if names else ": it is empty"
    return InputError(
        f"no profile found{entries}", where=str(directory), hint=known_formats() if names else ""
    )


def _without_stray_logs(found: list[FoundProfile], skipped: list[Skipped]) -> Searched:
    """Set aside logs that lie as files without parameters in their names next to profiles of runs."""
    if all(profile.reader.fallback for profile in found):
        return found, skipped
    kept: list[FoundProfile] = []
    reason = "a log beside profiles, without parameters in its name"
    for one in found:
        stray = one.reader.fallback and one.path == one.entry and not named_parameters(one.run_name)
        if stray:
            skipped.append(Skipped(one.path, reason))
        else:
            kept.append(one)
    return kept, skipped


def _visible(directory: Path) -> list[Path]:
    """List what is not hidden, and of a file next to its packed copy only the file."""
    found = {path.name: path for path in directory.iterdir() if not path.name.startswith(".")}
    kept = [path for path in found.values() if (plain := plain_name(path)) is path or plain.name not in found]
    return sorted(kept, key=lambda path: path.name)


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A file or folder, and the format that it looks like."""

    path: Path
    reader: ProfileReader | None
    is_folder: bool

    @classmethod
    def of(cls, path: Path) -> "_Entry":
        """Look at a path."""
        return cls(path=path, reader=find_profile_reader(path), is_folder=is_folder(path))

    @cached_property
    def inside(self) -> Sequence["_Entry"]:
        """What is in it; OSError if it cannot be listed."""
        return [_Entry.of(path) for path in _visible(self.path)] if self.is_folder else []

    def is_kind(self, fallback: int) -> bool:
        """Return whether it is a profile of a kind of readers: a number of `ProfileReader.fallback`."""
        return self.reader is not None and self.reader.fallback == fallback


def _below(entry: _Entry, depth: int, fallback: int) -> Iterator[_Entry]:
    """Yield the profiles of one kind of an entry: itself, those directly in it, or else in its folders."""
    if entry.is_kind(fallback):
        yield entry
    elif depth > 0:
        direct = [one for one in entry.inside if one.is_kind(fallback)]
        yield from direct
        for folder in entry.inside if not direct else ():
            if folder.is_folder:
                yield from _below(folder, depth - 1, fallback)


def _found_in(entry: _Entry) -> list[tuple[Path, ProfileReader]]:
    """Return the profiles of the first kind and depth of which an entry has some."""
    kinds = sorted({reader.fallback for reader in profile_readers()}) if entry.is_folder else ()
    levels = ([*_below(entry, depth, kind)] for depth in _DEPTHS for kind in kinds)
    found = next(filter(None, levels), []) if entry.is_folder else [entry]
    return [(one.path, one.reader) for one in found if one.reader]


def _originals(
    profiles: list[tuple[Path, ProfileReader]],
) -> tuple[list[tuple[Path, ProfileReader]], list[Path]]:
    """Set aside what was derived from a profile that lies next to it."""
    paths = {path for path, _ in profiles}
    derived = [p for p in paths if p.name in _DERIVED and p.with_name(_ORIGINAL) in paths]
    return [item for item in profiles if item[0] not in derived], sorted(derived)


def _different(
    profiles: list[tuple[Path, ProfileReader]],
) -> tuple[list[tuple[Path, ProfileReader]], list[tuple[Path, Path]]]:
    """Set aside copies of a log: programs often print the same to a file and to the screen."""
    kept, copies = [], []
    known: dict[Hashable, Path] = {}
    for path, reader in profiles:
        content: Hashable = path
        if reader.content and len(profiles) > 1:
            with suppress(InputError):  # a damaged file is a copy of none
                content = reader.content(path)
        if content in known:
            copies.append((path, known[content]))
        else:
            known[content] = path
            kept.append((path, reader))
    return kept, copies
