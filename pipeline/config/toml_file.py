"""Tables of a TOML file whose errors name file, line and key."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from ingest.errors import UsageError
from ingest.options import INFINITE, Declaration, declaration
from ingest.toml_text import TomlError, parse_toml
from pipeline.config.option_readers import checked

Key = tuple[str | int, ...]
"""Names of the tables around a key and the key itself; tables of an array are numbered from 0."""

_TOKEN = re.compile(
    r"""\#[^\n]* | \"{3}(?:\\.|[^\\])*?\"{3} | '{3}.*?'{3} | "(?:\\.|[^"\\\n])*" | '[^'\n]*' | .""",
    re.DOTALL | re.VERBOSE,
)
_AT_LINE = re.compile(r"\s*\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A table of a TOML file.

    Attributes:
        path: the file.
        name: keys that lead to the table.
        content: its keys and values.
        lines: line numbers of all keys of the file, from 1.
    """

    path: Path
    name: Key
    content: Mapping[str, Any]
    lines: Mapping[Key, int]

    def at(self, key: str = "") -> str:
        """Return ``file:line`` of a key, or of its table if it has none; the file alone as a last resort."""
        for place in ((*self.name, key), self.name, self.name[:-1]):
            if place in self.lines:
                return f"{self.path}:{self.lines[place]}"
        return str(self.path)

    def error(self, key: str, what: str, hint: str = "") -> UsageError:
        """Return the error for a key."""
        return UsageError(f"{key}: {what}", where=self.at(key), hint=hint)

    def check_keys(self, known: Sequence[str]) -> None:
        """Refuse unknown keys.

        Raises:
            UsageError: with the nearest known key, or all of them.
        """
        for key in self.content:
            if key not in known:
                raise self.error(key, "unknown key", unknown_hint(key, known))

    def table(self, key: str) -> "Table":
        """Return a table inside this one; an empty one if it is missing.

        Raises:
            UsageError: the key is not a table.
        """
        content = self.content.get(key, {})
        if not isinstance(content, dict):
            raise self.error(key, f"{content!r} is not a table", f"write [{key}]")
        return Table(path=self.path, name=(*self.name, key), content=content, lines=self.lines)

    def tables(self, key: str) -> "list[Table]":
        """Return the tables of an array; none if it is missing.

        Raises:
            UsageError: the key is not an array of tables.
        """
        entries = self.content.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            header = ".".join(map(str, (*self.name, key)))
            raise self.error(key, f"{entries!r} is not a list of tables", f"write [[{header}]]")
        return [
            Table(path=self.path, name=(*self.name, key, n), content=entry, lines=self.lines)
            for n, entry in enumerate(entries)
        ]

    def number(self, key: str, least: float = -INFINITE, most: float = INFINITE) -> float:
        """Return a number within limits."""
        return float(self.value(key, float, Declaration(help="", least=least, most=most)))

    def text(self, key: str) -> str:
        """Return a text that is not empty.

        Raises:
            UsageError: it is missing, empty or of another type.
        """
        text = str(self.value(key, str))
        if not text.strip():
            raise self.error(key, "is empty", f'write {key} = "..."')
        return text

    def value(self, key: str, kind: Any, declared: Declaration | None = None) -> Any:  # noqa: ANN401
        """Return the value of a key as a type, see `pipeline.config.option_readers.checked`.

        Raises:
            UsageError: it is missing or invalid.
        """
        if key not in self.content:
            raise self.error(key, "is missing", f"write {key} = ...")
        try:
            return checked(self.content[key], kind, declared or Declaration(help=""), self.path.parent)
        except UsageError as error:
            raise self.error(key, error.what, error.hint) from error

    def options(self, record: type, *, beside: Sequence[str] = ()) -> dict[str, Any]:
        """Read the keys that a record of options declares.

        Args:
            record: a dataclass whose fields declare options.
            beside: further keys that are allowed here and read elsewhere.

        Returns:
            The values of the keys that are there, by field.
        """
        kinds = get_type_hints(record)
        declared = {f.name: d for f in fields(record) if (d := declaration(f)) is not None and d.toml}
        self.check_keys((*declared, *beside))
        return {
            name: self.value(name, kinds[name], one) for name, one in declared.items() if name in self.content
        }


def unknown_hint(name: str, known: Sequence[str]) -> str:
    """Return the nearest of the known names, or all of them."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"


def read_toml(path: Path) -> Table:
    """Read a TOML file.

    Raises:
        UsageError: it cannot be read or is not TOML.
        InputError: it is nested too deeply.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = parse_toml(text, str(path))
    except TomlError as error:
        place = _AT_LINE.search(str(error))
        what = _AT_LINE.sub("", str(error))
        raise UsageError(
            f"is not valid TOML: {what}", where=f"{path}:{place[1]}" if place else str(path)
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        what = str(getattr(error, "strerror", None) or error)
        raise UsageError(f"cannot be read ({what})", where=str(path)) from error
    return Table(path=path, name=(), content=content, lines=line_numbers(text))


def line_numbers(text: str) -> dict[Key, int]:
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
            name = (*table, *_names(_key_of(statement)))
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


def _key_of(assignment: str) -> str:
    """Return what stands before the equals sign, which may itself occur in a quoted key."""
    key = ""
    for match in _TOKEN.finditer(assignment):
        if match.group() == "=":
            break
        key += match.group()
    return key


def _names(dotted: str) -> Key:
    """Split a dotted key, whose parts may be quoted."""
    names: list[str] = []
    found: Any = parse_toml(f"{dotted} = 0", "")
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
