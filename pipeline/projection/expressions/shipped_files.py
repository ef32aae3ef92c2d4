"""The files of a projection, found by path or by the name of a shipped one, and read within bounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from ingest.errors import UsageError, nearest_hint
from ingest.reading import files

Kind: TypeAlias = Literal["application", "machine"]

_LARGEST_DATA = 1 << 28  # bytes of a profile, a report, a table of measurements
_HERE = Path(__file__).parents[1]
_FOLDERS: Mapping[Kind, Path] = {"application": _HERE / "examples", "machine": _HERE / "machines"}
PROCESSORS = _HERE / "ports" / "processors.toml"
LEFT_OUT = _HERE / "ports" / "left_out.toml"
INSTRUCTION_CLASSES = _HERE / "ports" / "classes.toml"
KINDS_OF_WORK = _HERE / "ports" / "kinds.toml"


def shipped(kind: Kind) -> tuple[str, ...]:
    """Return the names of the files of a kind that come with the package, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDERS[kind].glob("*.toml")))


def name_of(path: Path) -> str:
    """Return the name by which a file is found."""
    return path.stem


def find(kind: Kind, name: str | Path) -> Path:
    """Return the file of that path or, if there is none, the shipped file of that name.

    ``machines/xt5.toml``, ``xt5.toml`` and ``xt5`` all find the shipped machine. UsageError if there is
    neither.
    """
    given, folder = Path(name), _FOLDERS[kind]
    if given.is_file():
        return given
    known = shipped(kind)
    stem = given.name.removesuffix(".toml")
    if stem in known and str(given.parent) in (".", folder.name):
        return folder / f"{stem}.toml"
    if others := [each for each in _FOLDERS if each != kind and stem in shipped(each)]:
        article = {"application": "an"}
        what = f"{article.get(others[0], 'a')} {others[0]}, not {article.get(kind, 'a')} {kind}"
        raise UsageError(what, where=str(name), hint=f"{kind}s are {', '.join(known)}")
    hint = nearest_hint(stem, known, f"give a file, or one of {', '.join(known)}")
    raise UsageError(f"no such file, and no shipped {kind} of that name", where=str(name), hint=hint)


def names_file(kind: Kind, name: str) -> bool:
    """Tell whether `find` would find a file of that path or name."""
    return Path(name).is_file() or Path(name).stem in shipped(kind)


def beside(path: Path, name: str) -> Path:
    """Return the file of that name beside another or, if there is none, the name as it stands."""
    return neighbour(path, name) or Path(name)


def neighbour(path: Path, name: str) -> Path | None:
    """Return the file of that name beside another, if there is one."""
    found = path.parent / name
    return found if found.is_file() else None


def read_text(path: Path) -> str:
    """Return the text of a file of measurements."""
    return files.read_text(path, _LARGEST_DATA)


def read_bytes(path: Path) -> bytes:
    """Return the content of an object file or of assembly."""
    return files.read_bytes(path, _LARGEST_DATA)
