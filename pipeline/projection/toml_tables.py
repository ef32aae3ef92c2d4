"""Machine and application files: TOML read with one clear line for every mistake."""

import difflib
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ingest.errors import InputError
from ingest.readers.textfile import read_text

Table: TypeAlias = Mapping[str, Any]

_LARGEST = 1 << 22
_DEEPEST = 20


def read_toml(path: Path) -> Table:
    """Return the top-level table of a TOML file.

    Raises:
        InputError: where the file cannot be read or is no TOML.
    """
    text = read_text(path, _LARGEST)
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"no TOML: {error}", where=str(path), hint="correct that line") from error
    if _depth(table) > _DEEPEST:
        raise InputError(f"tables nested more than {_DEEPEST} deep", where=str(path), hint="flatten them")
    return table


def _depth(table: Table) -> int:
    deepest, waiting = 0, [(table, 1)]
    while waiting:
        inside, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(value, level + 1) for value in inside.values() if isinstance(value, dict)]
    return deepest


def check_keys(table: Table, known: Collection[str], where: str) -> None:
    """Refuse keys that mean nothing here.

    Raises:
        InputError: naming the key, and the one that was probably meant.
    """
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"keys here: {', '.join(known)}"
            raise InputError(f"unknown key '{key}'", where=where, hint=hint)


def text_at(table: Table, key: str, where: str, default: str | None = None) -> str:
    """Return the text at a key.

    Raises:
        InputError: where it is missing without a default, or no text.
    """
    value = table.get(key, default)
    if not isinstance(value, str):
        what = f"'{key}' has to be a text" if key in table else f"'{key}' is missing"
        raise InputError(what, where=where, hint=f'write {key} = "..."')
    return value


def table_at(table: Table, key: str, where: str) -> Table:
    """Return the table at a key, empty where there is none.

    Raises:
        InputError: where it is something else.
    """
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"'{key}' has to be a table", where=where, hint=f"write [{key}]")
    return value


def path_at(table: Table, key: str, where: str, folder: Path) -> Path:
    """Return the path at a key: beside the file that names it or, where there is none, as it stands.

    Raises:
        InputError: where the key is missing or no text.
    """
    given = text_at(table, key, where)
    return folder / given if (folder / given).exists() else Path(given)


def rows_at(table: Table, key: str, where: str) -> list[Table]:
    """Return the list of tables at a key, empty where there is none.

    Raises:
        InputError: where it is something else.
    """
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"'{key}' has to be a list of tables", where=where, hint=f"write [[{key}]]")
    return value


def flattened(table: Table, leaf_keys: Collection[str] = ("value",), prefix: str = "") -> dict[str, Any]:
    """Return nested tables with dotted keys; a table that holds one of `leaf_keys` is a leaf."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and not any(leaf in value for leaf in leaf_keys):
            flat |= flattened(value, leaf_keys, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat
