"""The formats that can be read: each module below that has a `READER` is one, and nothing else names it.

A `ProfileReader` reads one run, a `SeriesReader` the many points of one file. Whatever is wrong with a file
raises `InputError`; parts that do not know its name raise `ValueError`, which `read` turns into one.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from ingest.errors import InputError, nearest_hint
from ingest.profile import Profile
from ingest.reading.files import HEAD_BYTES, MAX_BYTES, archive_of, entries, is_foreign, unpack_hint
from ingest.series import MeasuredSeries


@dataclass(frozen=True, kw_only=True)
class _Reader:
    name: str
    pattern: str  # what its files are called, for messages
    # whether a file or directory looks like this format; cheap, and raises nothing
    matches: Callable[[Path], bool]
    # of several formats that a file looks like, the one with the smallest number reads it
    precedence: int = 0
    max_bytes: int = MAX_BYTES  # of a file, packed or not, that `read` takes
    head_bytes: int = HEAD_BYTES  # of a file, that `matches` looks at

    def __reduce__(self) -> tuple[Callable[[str], "_Reader"], tuple[str]]:
        """Return how another process finds the format: by its name."""
        return _reader_named, (self.name,)


@dataclass(frozen=True, kw_only=True)
class ProfileReader(_Reader):
    """A format for one run."""

    # reads it; raises InputError if the file cannot be read, is damaged or holds nothing of the kind
    read: Callable[[Path], Profile]
    # the numbers that describe the run, if the format has them; raises InputError
    parameters: Callable[[Path], Mapping[str, float]] | None = None
    # the texts that describe the run, if the format has them; raises InputError
    texts: Callable[[Path], Mapping[str, str]] | None = None
    # of a run that is a directory, the files that `read` reads or chooses from, found by their names only; a
    # run is read again if one of them changes, comes or goes. If not given, all files below it
    files: Callable[[Path], Iterable[Path]] | None = None
    # the number of processes, 0 if unknown; used only if the names of the runs have no number
    processes: Callable[[Path], int] | None = None
    # the sizes of the problem that the run states, by name, the one that says most first
    stated_sizes: Callable[[Path], Mapping[str, float]] | None = None
    # of a run that is a file, others that `read` looks at
    beside: Callable[[Path], Iterable[Path]] | None = None
    # what `read` takes from the names of the file and its folder
    context: Callable[[Path], str] | None = None
    # equal for files in one folder that are copies of the same measurement; raises InputError
    content: Callable[[Path], Hashable] | None = None
    # files count only in runs without a profile of a reader with a smaller number: those of profilers, folded
    # stacks that are made of them and launches without copies and calls, logs
    fallback: int = 0


@dataclass(frozen=True, kw_only=True)
class SeriesReader(_Reader):
    """A format for many measurement points in one file."""

    read: Callable[[Path], MeasuredSeries]


@cache
def _readers() -> tuple[ProfileReader | SeriesReader, ...]:
    """Import all formats when one is first wanted; the most specific come first."""
    modules = [import_module(found.name) for found in walk_packages(__path__, f"{__name__}.")]
    found = [reader for module in modules for reader in vars(module).get("READERS", ())]
    found += [module.READER for module in modules if hasattr(module, "READER")]
    return tuple(sorted(found, key=lambda reader: (reader.precedence, reader.name)))


def _reader_named(name: str) -> _Reader:
    return next(reader for reader in _readers() if reader.name == name)


@cache
def profile_readers() -> tuple[ProfileReader, ...]:
    """Return the formats of single runs in the order in which they are asked whether a file is theirs."""
    return tuple(reader for reader in _readers() if isinstance(reader, ProfileReader))


@cache
def series_readers() -> tuple[SeriesReader, ...]:
    """Return the formats of many measurement points in the order in which they are asked."""
    return tuple(reader for reader in _readers() if isinstance(reader, SeriesReader))


def find_profile_reader(path: Path) -> ProfileReader | None:
    """Return the first reader whose format the file or directory looks like, None if there is none."""
    readers = () if is_foreign(path) else profile_readers()
    return next((reader for reader in readers if reader.matches(path)), None)


def find_series_reader(path: Path) -> SeriesReader | None:
    """Return the first reader whose format the file looks like, None if there is none."""
    return next((reader for reader in series_readers() if reader.matches(path)), None)


def read_profile(path: Path) -> Profile:
    """Read one run; InputError if no reader knows the file or directory, or it is damaged."""
    if reader := find_profile_reader(path):
        return reader.read(path)
    raise nothing_read(path, "no profile in a known format")


def known_formats() -> str:
    """Return what is read, for messages."""
    return (
        f"known: {len(_readers())} formats of profiles and logs (docs/reference/formats.md), and tables whose"
        " first line names columns, such as p,seconds"
    )


def nothing_read(path: Path, what: str) -> InputError:
    """Return the error for a path that no reader knows: `what` it is, or what is known to be wrong."""
    where = str(path)
    if not path.exists():
        hint = nearest_hint(path.name, [entry.name for entry in entries(path.parent)])
        return InputError("no such file or directory", where=where, hint=hint)
    if archive := archive_of(path):
        return InputError(f"a {archive} archive is not read", where=where, hint=unpack_hint(path))
    if path.is_file() and (reader := find_profile_reader(path.absolute().parent)):
        return InputError(
            f"it is a part of a directory that is read as a whole ({reader.name})",
            where=where,
            hint=f"give the directory {path.parent}",
        )
    return InputError(what, where=where, hint=known_formats())
