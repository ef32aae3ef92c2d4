"""Values from JSON, checked: in a file they may be of any type."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ingest.errors import InputError

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

JsonObject: TypeAlias = dict[str, object]  # what json.loads returns is known only once it is looked at


def parse_json(text: str, where: str, first_line: int = 1) -> Any:  # noqa: ANN401 - see JsonObject
    """Parse JSON whose texts can be written; InputError with line and column if it is not that."""
    value = load_json(text, where, first_line)
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise InputError(
                "a string with an unpaired surrogate (\\ud800 to \\udfff)", where=where
            ) from error
    return value


def load_json(text: str, where: str, first_line: int = 1) -> Any:  # noqa: ANN401 - see JsonObject
    """Parse JSON, whose texts may have halves of characters; InputError with its place if it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        what = f"line {line}, column {error.colno}: not JSON: {error.msg}"
        raise InputError(what, where=where, hint="is the file truncated?") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; nesting
        raise InputError(f"line {first_line}: JSON that cannot be read: {error}", where=where) from error


class JsonRecord(NamedTuple):
    """An object of JSON, whose members may be missing or of any type; all methods raise InputError then."""

    content: JsonObject
    what: str
    where: str

    @classmethod
    def of(cls, value: object, what: str, where: str) -> "JsonRecord":
        """Return a value that should be an object."""
        return cls(json_object(value, what, where), what, where)

    def value(self, key: str) -> Any:  # noqa: ANN401 - see JsonObject
        """Return a required member."""
        if key not in self.content:
            raise InputError(f"{self.what} has no '{key}'", where=self.where)
        return self.content[key]

    def record(self, key: str, *, optional: bool = False) -> "JsonRecord":
        """Return a member that is an object, empty if it is optional and missing or null."""
        return JsonRecord.of(self._given(key, optional, {}), f"'{key}'", self.where)

    def records(self, key: str, what: str = "", *, optional: bool = False) -> "list[JsonRecord]":
        """Return the entries of a list, which are objects, called `what` in messages; none likewise."""
        return records_in(self._given(key, optional, []), f"'{key}'", self.where, what)

    def _given(self, key: str, optional: bool, nothing: object) -> Any:  # noqa: ANN401 - see JsonObject
        return self.content.get(key) or nothing if optional else self.value(key)

    def texts(self, key: str, what: str) -> list[str]:
        """Return the entries of a required list, which are texts."""
        return [
            json_text(value, what, self.where) for value in json_list(self.value(key), f"'{key}'", self.where)
        ]


def records_in(value: object, name: str, where: str, what: str = "") -> list[JsonRecord]:
    """Return the entries of a list of objects."""
    return [
        JsonRecord.of(entry, what or f"an entry of {name}", where) for entry in json_list(value, name, where)
    ]


def json_object(value: object, what: str, where: str) -> JsonObject:
    """Return a JSON object; InputError if it is something else."""
    if not isinstance(value, dict):
        raise InputError(f"{what} should be an object {{...}} but is {_shown(value)}", where=where)
    return value


def json_list(value: object, what: str, where: str) -> list[Any]:
    """Return a JSON list; InputError if it is something else."""
    if not isinstance(value, list):
        raise InputError(f"{what} should be a list [...] but is {_shown(value)}", where=where)
    return value


def json_text(value: object, what: str, where: str) -> str:
    """Return a JSON string; InputError if it is something else."""
    if not isinstance(value, str):
        raise InputError(f"{what} should be a string but is {_shown(value)}", where=where)
    return value


def measured_values(value: object, what: str, where: str) -> list[float]:
    """Return the value or the list of values of a measurement; null, not measured, becomes NaN."""
    if type(value) is float:
        return [value]
    values = value if isinstance(value, list) else [value]
    return [math.nan if v is None else _number(v, what, where) for v in values]


def parameter_values(values: Sequence[object], what: str, where: str) -> tuple[float, ...]:
    """Return the coordinates of a measurement point; InputError if there is anything but finite numbers."""
    point = tuple([_number(value, what, where) for value in values])
    if not all(map(math.isfinite, point)):
        raise InputError(f"{what} should be finite numbers but is {_shown(list(point))}", where=where)
    return point


def _number(value: object, what: str, where: str) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    raise InputError(f"{what} should be a number but is {_shown(value)}", where=where)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
