"""`metadata.toml`: what users note about their runs, such as machine, compiler and commit.

The file lies beside a profile, in a folder of the run, or in the directory of the runs, where it holds for
all of them. What is nearer to the profile counts::

    machine = "alps"
    compiler = "gcc 13.2"
    commit = "4f1c2ab"
"""

from collections.abc import Iterator
from pathlib import Path

from ingest.errors import InputError
from ingest.reading.textfile import read_text
from ingest.toml_text import TEXTS_HINT, TomlError, parse_toml, texts_of

METADATA_FILE = "metadata.toml"
MAX_BYTES = 1 << 16


def noted_metadata(directory: Path, profile: Path) -> dict[str, str]:
    """Return what the user notes about a run, by name.

    Args:
        directory: where runs were searched for; or the profile itself, then also the folder above its own is
            looked at.
        profile: file or directory of the run.

    Raises:
        InputError: a file cannot be read, or is not TOML of names and values.
    """
    noted: dict[str, str] = {}
    for folder in _folders(directory.absolute(), profile.absolute()):
        file = folder / METADATA_FILE
        if file.is_file() and file.stat().st_size:
            noted |= _read(file)
    return noted


def _folders(directory: Path, profile: Path) -> Iterator[Path]:
    """Yield the folders that may have a file, from the directory of the runs down to the profile."""
    inside = profile if profile.is_dir() else profile.parent
    top = inside.parent if directory == profile else directory
    if not inside.is_relative_to(top):  # runs that the configuration lists may lie anywhere
        top = inside
    yield top
    for part in inside.relative_to(top).parts:
        top /= part
        yield top


def _read(file: Path) -> dict[str, str]:
    try:
        return texts_of(parse_toml(read_text(file, MAX_BYTES), str(file)))
    except TomlError as error:
        raise InputError(f"not TOML: {error}", where=str(file), hint=TEXTS_HINT) from error
    except ValueError as error:
        raise InputError(str(error), where=str(file), hint=TEXTS_HINT) from error
