"""Tables of TOML files, whose errors name file, line and key."""

import datetime
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_type_hints

from ingest.errors import InputError, PipelineError, UsageError, nearest_hint, one_line
from ingest.options import INFINITE, Declaration, checked, declaration
from ingest.reading.files import read_bytes

Key = tuple[str | int, ...]
"""Names of the tables around a key and the key itself; tables of an array are numbered from 0."""

DEEPEST = 20  # tables and arrays within each other; files of this project need five
_MAX_TEXT = 200  # characters of a value that is kept as text
_LARGEST_FILE = 1 << 22
_TOKEN = re.compile(
    r"""\#[^\n]* | \"{3}(?:\\.|[^\\])*?\"{3} | '{3}.*?'{3} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' | .""",
    re.DOTALL | re.VERBOSE,
)
_AT_LINE = re.compile(r"\s*\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, eq=False)
class TomlTable:
    """A table of a TOML file; what is missing or invalid raises `failure`."""

    content: Mapping[str, Any]  # its keys and values
    path: Path  # the file
    name: Key = ()  # keys that lead to the table
    document: str = ""  # the whole file, for the numbers of its lines; empty for what stands in none
    failure: type[PipelineError] = InputError  # the error of a mistake

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def at(self, key: str = "") -> str:
        """Return ``file:line`` of a key, or of what is around it; without a line ``file: [table]``."""
        lines, inner = line_numbers(self.document), (*self.name, *key.split("."))
        for place in ((*self.name, key), *(inner[:end] for end in range(len(inner), 0, -1))):
            if place in lines:
                return f"{self.path}:{lines[place]}"
        names = ".".join(name for name in self.name if isinstance(name, str))
        return f"{self.path}: [{names}]" if names and not self.document else str(self.path)

    @property
    def where(self) -> str:
        """File and line of the table, see `at`."""
        return self.at()

    def place(self, key: str) -> str:
        """Return file, line and key, for the errors of what reads its value."""
        return f"{self.at(key)}: {key}"

    def error(self, key: str, what: str, hint: str = "") -> PipelineError:
        """Return the error for a key."""
        return self.failure(f"{key}: {what}", where=self.at(key), hint=hint)

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse unknown keys."""
        for key in self.content:
            if key not in known:
                raise self.error(key, "unknown key", unknown_hint(key, known))

    def without(self, *keys: str) -> "TomlTable":
        """Return this table less some of its keys."""
        rest = {key: value for key, value in self.content.items() if key not in keys}
        return replace(self, content=rest)

    def flattened(self) -> "TomlTable":
        """Return this table with dotted keys instead of tables; one that holds a ``value`` is a leaf."""
        return replace(self, content=_flat(self.content))

    def inside(self, content: Mapping[str, object], *name: str | int) -> "TomlTable":
        """Return a table with this content that stands inside this one."""
        return replace(self, content=content, name=(*self.name, *name))

    def table(self, key: str) -> "TomlTable":
        """Return a table inside this one; an empty one if it is missing."""
        content = self.content.get(key, {})
        if not isinstance(content, dict):
            raise self.error(key, f"{content!r} is not a table", f"write [{key}]")
        return self.inside(content, key)

    def named_tables(self) -> "dict[str, TomlTable]":
        """Return all values of this table, which have to be tables, by key."""
        return {key: self.table(key) for key in self.content}

    def tables(self, key: str) -> "list[TomlTable]":
        """Return the tables of an array; none if it is missing."""
        entries = self.content.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            header = ".".join(map(str, (*self.name, key)))
            raise self.error(key, f"{entries!r} is not a list of tables", f"write [[{header}]]")
        return [self.inside(entry, key, n) for n, entry in enumerate(entries)]

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        least: float = -INFINITE,
        most: float = sys.float_info.max,
    ) -> float:
        """Return a number within limits."""
        if default is not None and key not in self:
            return float(default)
        return float(self.value(key, float, Declaration(help="", least=least, most=most, finite=False)))

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text that is not empty."""
        if default is not None and key not in self:
            return default
        text = str(self.value(key, str))
        if not text.strip():
            raise self.error(key, "is empty", f'write {key} = "..."')
        return text

    def names(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list that is not empty."""
        names = self.content.get(key)
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise self.error(key, "is not a list of texts", f'write {key} = ["first", "second"]')
        return tuple(names)

    def file(self, key: str) -> Path:
        """Return the path of a key: next to this file or, if there is none, as it stands."""
        return self._beside(self.text(key))

    def files(self, key: str) -> list[Path]:
        """Return the paths of a key that holds one or a list of them; found as by `file`."""
        if isinstance(self.content.get(key), list):
            return [self._beside(name) for name in self.names(key)]
        return [self.file(key)]

    def _beside(self, name: str) -> Path:
        path = self.path.parent / name
        return path if path.exists() else Path(name)

    def value(self, key: str, kind: Any, declared: Declaration | None = None) -> Any:  # noqa: ANN401
        """Return the value of a key as a type, see `ingest.options.checked`."""
        if key not in self:
            raise self.error(key, "is missing", f"write {key} = ...")
        with self.errors_of(key):
            return checked(self.content[key], kind, declared or Declaration(help=""), self.path.parent)

    @contextmanager
    def errors_of(self, key: str) -> Iterator[None]:
        """Have errors of what reads a value become those of its key."""
        try:
            yield
        except UsageError as error:
            raise self.error(key, error.what, error.hint) from error

    def texts(self) -> dict[str, str]:
        """Return the values of this table as texts in one line, without what is empty."""
        found = {}
        for key, value in self.content.items():
            if (text := _one_text(value)) is None:
                raise self.error(key, "is not a text, a number or a date", 'write name = "text"')
            if one_line(key) and one_line(text):
                found[one_line(key)] = one_line(text)[:_MAX_TEXT]
        return found

    def options(self, record: type, *, beside: Sequence[str] = ()) -> dict[str, Any]:
        """Return the values, by field, of the keys that a dataclass of options declares and that are there.

        Further keys `beside` them are allowed here and read elsewhere.
        """
        kinds = get_type_hints(record)
        declared = {f.name: d for f in fields(record) if (d := declaration(f)) is not None and d.toml}
        self.check_keys((*declared, *beside))
        return {name: self.value(name, kinds[name], one) for name, one in declared.items() if name in self}


def _flat(content: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in content.items():
        if isinstance(value, dict) and "value" not in value:
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def unknown_hint(name: str, known: Collection[str]) -> str:
    """Return the nearest of the known names, or all of them."""
    return nearest_hint(name, known, f"known: {', '.join(known)}")


def read_toml(path: Path, failure: type[PipelineError] = InputError) -> TomlTable:
    """Read a TOML file; `failure` is raised for all mistakes in it, and if it cannot be read."""
    try:
        text = read_bytes(path, _LARGEST_FILE).decode("utf-8-sig")
        return TomlTable(_parsed(text, str(path)), path, document=text, failure=failure)
    except tomllib.TOMLDecodeError as error:
        place, what = _AT_LINE.search(str(error)), _AT_LINE.sub("", str(error))
        where = f"{path}:{place[1]}" if place else str(path)
        raise failure(f"is not valid TOML: {what}", where=where, hint="correct that line") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise failure("is not UTF-8 text", where=f"{path}:{line}") from error
    except InputError as error:
        raise failure(error.what, where=error.where, hint=error.hint) from error


def _parsed(text: str, where: str) -> dict[str, object]:
    """Return the content of a TOML document; InputError if it is nested more than `DEEPEST` deep."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(where) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise InputError("a number has too many digits", where=where, hint="correct it") from error
    layer: list[object] = [content]
    for _ in range(DEEPEST):
        layer = [inside for value in layer for inside in _nested(value)]
    if layer:
        raise _too_deep(where)
    return content


def _too_deep(where: str) -> InputError:
    return InputError(f"tables or arrays nested more than {DEEPEST} deep", where=where, hint="flatten them")


def _nested(value: object) -> list[object]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for one in inside if isinstance(one, dict | list)]


def _one_text(value: object) -> str | None:
    """Return a text, number, date, true or false as text; None for other values."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | datetime.date | datetime.time):
        return str(value)
    return None


@lru_cache(maxsize=8)
def line_numbers(text: str) -> Mapping[Key, int]:
    """Return the line on which each table and each key of a valid TOML document stands, from 1.

    Keys inside inline tables are not listed.
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    entries: Counter[Key] = Counter()
    for line, statement in _statements(text):
        if statement.startswith("[["):
            name = _numbered(_names(statement[2 : statement.rindex("]]")]), entries)
            table = (*name, entries[name])
            entries[name] += 1
            lines.setdefault(name, line)
            lines[table] = line
        elif statement.startswith("["):
            table = _numbered(_names(statement[1 : statement.rindex("]")]), entries)
            lines.setdefault(table, line)
        else:
            # what stands before the equals sign, which may itself occur in a quoted key
            key = ""
            for match in _TOKEN.finditer(statement):
                if match.group() == "=":
                    break
                key += match.group()
            name = (*table, *_names(key))
            for end in range(len(table) + 1, len(name) + 1):
                lines.setdefault(name[:end], line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield headers and assignments without comments, each with the line that it begins on."""
    line, start, depth = 1, 1, 0
    parts: list[str] = []
    for match in _TOKEN.finditer(text + "\n"):
        token = match.group()
        if token == "\n" and depth <= 0:
            if statement := "".join(parts).strip():
                yield start, statement
            parts, depth, start = [], 0, line + 1
        elif not token.startswith("#"):
            parts.append(token)
            depth += (token in "[{") - (token in "]}")
        line += token.count("\n")


def _names(dotted: str) -> Key:
    """Split a dotted key, whose parts may be quoted."""
    names: list[str] = []
    found: object = _parsed(f"{dotted} = 0", "")
    while isinstance(found, dict):
        (name,) = found
        names.append(name)
        found = found[name]
    return tuple(names)


def _numbered(names: Key, entries: Mapping[Key, int]) -> Key:
    """Put the number of its latest table behind every array of tables on the way to a name."""
    path: Key = ()
    for n, name in enumerate(names):
        path = (*path, name)
        if n + 1 < len(names) and entries.get(path):
            path = (*path, entries[path] - 1)
    return path
