"""TOML, parsed in one place: what is nested so deeply that its readers would fail is refused here."""

import datetime
import tomllib
from collections.abc import Mapping
from typing import Any

from ingest.errors import InputError, one_line

DEEPEST = 20  # tables and arrays within each other; files of this project need five
MAX_TEXT = 200  # characters of a value that is kept as text
TEXTS_HINT = 'write name = "text"'
TomlError = tomllib.TOMLDecodeError


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML document.

    Raises:
        TomlError: it is not TOML.
        InputError: tables or arrays are nested more than `DEEPEST` deep, or a number is too long.
    """
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(where) from None
    except TomlError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        raise InputError("a number has too many digits", where=where, hint="correct it") from error
    if _is_deep(content):
        raise _too_deep(where)
    return content


def _too_deep(where: str) -> InputError:
    return InputError(f"tables or arrays nested more than {DEEPEST} deep", where=where, hint="flatten them")


def _is_deep(content: dict[str, Any]) -> bool:
    layer: list[Any] = [content]
    for _ in range(DEEPEST):
        layer = [inside for value in layer for inside in _nested(value)]
    return bool(layer)


def _nested(value: dict[str, Any] | list[Any]) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value
    return [one for one in inside if isinstance(one, dict | list)]


def texts_of(content: Mapping[str, object]) -> dict[str, str]:
    """Return the values of a table as texts in one line, without what is empty.

    Raises:
        ValueError: a value is not a text, number, date, true or false.
    """
    texts = ((one_line(name), one_line(_text(name, value))[:MAX_TEXT]) for name, value in content.items())
    return {name: text for name, text in texts if name and text}


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | datetime.date | datetime.time):
        return str(value)
    raise ValueError(f"'{name}' is not a text, a number or a date")
