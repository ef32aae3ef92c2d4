"""What a format is: a `ProfileReader` reads one run, a `SeriesReader` the many points of one file."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ingest.profile import Profile
from ingest.series import Series


@dataclass(frozen=True, kw_only=True)
class ProfileReader:
    """A format for one run.

    Attributes:
        name: as users know the format.
        pattern: what its files are called, for messages.
        matches: whether a file or directory looks like this format; cheap, and raises nothing.
        read: reads it; raises InputError if it cannot.
        parameters: the numbers that describe the run, if the format has them; raises InputError.
        files: of a run that is a directory, the files that `read` reads or chooses from, found by their names
            only; a run is read again if one of them changes, comes or goes. If not given, all files below it.
        unnamed_parameters: the numbers that describe the run, used only if the names of the runs have none.
        beside: of a run that is a file, others that `read` looks at.
        context: what `read` takes from the names of the file and its folder.
        content: equal for files in one folder that are copies of the same measurement.
        fallback: files count only in runs without a profile of a reader with a smaller number: those of
            profilers, folded stacks that are made of them and launches without copies and calls, logs.
        precedence: of several formats that a file looks like, the one with the smallest number reads it.
    """

    name: str
    pattern: str
    matches: Callable[[Path], bool]
    read: Callable[[Path], Profile]
    parameters: Callable[[Path], Mapping[str, float]] | None = None
    files: Callable[[Path], Iterable[Path]] | None = None
    unnamed_parameters: Callable[[Path], Mapping[str, float]] | None = None
    beside: Callable[[Path], Iterable[Path]] | None = None
    context: Callable[[Path], str] | None = None
    content: Callable[[Path], Hashable] | None = None
    fallback: int = 0
    precedence: int = 0


@dataclass(frozen=True, kw_only=True)
class SeriesReader:
    """A format for many measurement points in one file.

    Attributes:
        name: as users know the format.
        pattern: what its files are called, for messages.
        matches: whether a file looks like this format; cheap, and raises nothing.
        read: reads it; raises InputError if it cannot.
        precedence: of several formats that a file looks like, the one with the smallest number reads it.
    """

    name: str
    pattern: str
    matches: Callable[[Path], bool]
    read: Callable[[Path], Series]
    precedence: int = 0
