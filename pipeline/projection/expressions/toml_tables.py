"""The files of a projection, and the only module of this package that reads the disk.

Machines and applications are TOML files, found by path or by the name of a shipped one. A `TomlTable` is what
such a file says in one place; every mistake in it is one line that names file, table and key.
"""

import difflib
import math
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ingest.errors import InputError, UsageError
from ingest.reading import files
from ingest.toml_text import TomlError, parse_toml

Kind: TypeAlias = Literal["application", "machine", "port map", "class table"]

LARGEST_DATA = 1 << 28  # bytes of a profile, a report, a table of measurements
_LARGEST_TOML = 1 << 22
_LARGEST = sys.float_info.max
_HERE = Path(__file__).parents[1]
_FOLDERS: Mapping[Kind, Path] = {
    "application": _HERE / "examples",
    "machine": _HERE / "machines",
    "port map": _HERE / "ports" / "maps",
    "class table": _HERE / "ports" / "tables",
}
PROCESSORS = _HERE / "ports" / "processors.toml"
LEFT_OUT = _HERE / "ports" / "left_out.toml"


@dataclass(frozen=True, eq=False)
class TomlTable:
    """A table of a TOML file.

    Attributes:
        name: the keys that lead to the table.
    """

    content: Mapping[str, Any]
    path: Path
    name: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """File and table as errors name them: ``xe6.toml: [terms.FF]``."""
        return f"{self.path}: [{'.'.join(self.name)}]" if self.name else str(self.path)

    def at(self, key: str) -> str:
        """Return file, table and key as errors name them."""
        return f"{self.where} {key}" if self.name else f"{self.where}: {key}"

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse unknown keys.

        Raises:
            InputError: naming the key, and the known one that is nearest to it.
        """
        for key in self.content:
            if key not in known:
                near = difflib.get_close_matches(key, known)
                hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}"
                raise InputError(f"unknown key '{key}'", where=self.where, hint=hint)

    def text(self, key: str, default: str | None = None) -> str:
        """Return the string of a key.

        Raises:
            InputError: it is missing without a default, or not a string.
        """
        value = self.content.get(key, default)
        if not isinstance(value, str):
            what = f"'{key}' has to be a string" if key in self else f"'{key}' is missing"
            raise InputError(what, where=self.where, hint=f'write {key} = "..."')
        return value

    def number(
        self, key: str, default: float | None = None, *, least: float = -math.inf, most: float = _LARGEST
    ) -> float:
        """Return the number of a key, from `least` to `most`.

        Raises:
            InputError: it is missing without a default, not a number, or outside.
        """
        value = self.content.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            what = f"{key} = {value!r}" if key in self else f"'{key}' is missing"
            hint = f"give a number of at least {least:g}" if least > -math.inf else f"write {key} = 1"
            raise InputError(what, where=self.where, hint=hint)
        return float(value)

    def without(self, *keys: str) -> "TomlTable":
        """Return this table less some of its keys."""
        rest = {key: value for key, value in self.content.items() if key not in keys}
        return TomlTable(rest, self.path, self.name)

    def table(self, key: str) -> "TomlTable":
        """Return the table of a key, an empty one if it is missing.

        Raises:
            InputError: it is not a table.
        """
        value = self.content.get(key, {})
        if not isinstance(value, dict):
            raise InputError(f"'{key}' has to be a table", where=self.where, hint=f"write [{key}]")
        return TomlTable(value, self.path, (*self.name, key))

    def tables(self) -> "dict[str, TomlTable]":
        """Return all values of this table, which have to be tables, by key.

        Raises:
            InputError: one is not a table.
        """
        return {key: self.table(key) for key in self.content}

    def rows(self, key: str) -> "list[TomlTable]":
        """Return the list of tables of a key, an empty one if it is missing.

        Raises:
            InputError: it is not a list of tables.
        """
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise InputError(f"'{key}' has to be a list of tables", where=self.where, hint=f"write [[{key}]]")
        return [TomlTable(row, self.path, (*self.name, key)) for row in value]

    def file(self, key: str) -> Path:
        """Return the path of a key: beside this file or, if there is none, as it stands.

        Raises:
            InputError: the key is missing or not a string.
        """
        return self._path(self.text(key))

    def files(self, key: str) -> "list[Path]":
        """Return the paths of a key that holds one or a list of them; found as by `file`.

        Raises:
            InputError: the key is missing, or not a string or a list of strings.
        """
        names = self.content.get(key)
        if not isinstance(names, list):
            return [self.file(key)]
        if not names or not all(isinstance(name, str) for name in names):
            hint = f'write {key} = ["first", "second"]'
            raise InputError(f"'{key}' has to be a file or a list of files", where=self.where, hint=hint)
        return [self._path(name) for name in names]

    def _path(self, name: str) -> Path:
        path = self.path.parent / name
        return path if path.exists() else Path(name)


def flattened(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables with dotted keys; a table that holds a ``value`` is a leaf."""
    flat: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, dict) and "value" not in value:
            flat |= flattened(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def shipped(kind: Kind) -> tuple[str, ...]:
    """Return the names of the files of a kind that come with the package, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDERS[kind].glob("*.toml")))


def find(kind: Kind, name: str | Path) -> Path:
    """Return the file of that path or, if there is none, the shipped file of that name.

    ``machines/xt5.toml``, ``xt5.toml`` and ``xt5`` all find the shipped machine.

    Raises:
        UsageError: there is neither.
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
    close = difflib.get_close_matches(stem, known)
    hint = f"did you mean '{close[0]}'?" if close else f"give a file, or one of {', '.join(known)}"
    raise UsageError(f"no such file, and no shipped {kind} of that name", where=str(name), hint=hint)


def beside(path: Path, name: str) -> Path:
    """Return the file of that name beside another or, if there is none, the name as it stands."""
    neighbour = path.parent / name
    return neighbour if neighbour.is_file() else Path(name)


def read_toml(path: Path) -> TomlTable:
    """Return the top-level table of a TOML file.

    Raises:
        InputError: the file cannot be read or is not valid TOML.
    """
    text = files.read_text(path, _LARGEST_TOML)
    try:
        content = parse_toml(text, str(path))
    except TomlError as error:
        raise InputError(f"not valid TOML: {error}", where=str(path), hint="correct that line") from error
    return TomlTable(content, path)


def read_text(path: Path) -> str:
    """Return the text of a file of measurements.

    Raises:
        InputError: the file cannot be read, is too large, or is not text.
    """
    return files.read_text(path, LARGEST_DATA)


def read_bytes(path: Path) -> bytes:
    """Return the content of an object file or of assembly.

    Raises:
        InputError: the file cannot be read or is too large.
    """
    return files.read_bytes(path, LARGEST_DATA)
